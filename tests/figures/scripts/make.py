"""Compute the reference values in tests/figures with R, or check that R still gives them (``--check``).

    python tests/figures/scripts/make.py            # writes tests/figures/*.json
    python tests/figures/scripts/make.py --check    # fails if a value changes by more than 1e-9 of itself

Standard library only. The rows come from tests/support/generated_rows.py; each script of R reads them and
writes its files into a temporary folder, from which they are compared or formatted and copied.
"""

import json
import math
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

NOT_BY_R = {"judges.json"}
SCRIPTS = Path(__file__).resolve().parent
FIGURES = SCRIPTS.parent
PACKAGES = ("pROC", "ROCR", "caret", "gmodels", "vcd", "psych", "epiR", "ipred", "rpart", "MASS")
RELATIVE, ABSOLUTE = 1e-9, 1e-15
LINE = 118


def main(check):
    """Run every script of R and compare or keep what it wrote."""
    need_r()
    with tempfile.TemporaryDirectory() as folder:
        rows, results = Path(folder, "rows"), Path(folder, "results")
        rows.mkdir()
        results.mkdir()
        subprocess.run(
            [sys.executable, SCRIPTS.parents[1] / "support" / "generated_rows.py", rows], check=True
        )
        for script in sorted(SCRIPTS.glob("*.R")):
            if script.name not in ("common.R", "formulas.R"):
                print(f"figures: {script.name}", flush=True)
                subprocess.run(["Rscript", "--vanilla", script, rows, results], check=True)
        found = {
            path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(results.iterdir())
        }
    checked = {name: merged(name, values) for name, values in found.items()}
    if not check:
        for name, values in checked.items():
            (FIGURES / name).write_text(formatted(values) + "\n", encoding="utf-8")
        print(f"figures: {len(checked)} files written to {FIGURES.name}/")
        return 0
    changed = [line for name, values in checked.items() for line in differences(stored(name), values, name)]
    absent = {path.name for path in FIGURES.glob("*.json")} - set(checked) - NOT_BY_R
    changed += [f"{name}: no script computes this file" for name in sorted(absent)]
    print("\n".join(changed[:40]))
    numbers = sum(count(values) for values in found.values())
    print(f"figures: {numbers} values computed by R, {len(changed)} differ from tests/figures")
    return 1 if changed else 0


def need_r():
    """Stop with one clear line when R or a package of it is missing."""
    if shutil.which("Rscript") is None:
        raise SystemExit("figures: no R found. On Debian: apt-get install r-base-core")
    ask = "; ".join(f'if (!requireNamespace("{name}", quietly = TRUE)) cat("{name} ")' for name in PACKAGES)
    answer = subprocess.run(["Rscript", "--vanilla", "-e", ask], check=True, capture_output=True, text=True)
    if missing := answer.stdout.split():
        debian = " ".join(f"r-cran-{name.lower()}" for name in missing)
        raise SystemExit(
            f"figures: R has no package {', '.join(missing)}. On Debian: apt-get install {debian}"
        )


def stored(name):
    """Return a file of tests/figures, empty where there is none."""
    path = FIGURES / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def merged(name, values):
    """Return the whole file: the check values have their inputs and names beside what was computed."""
    if name != "check_values.json":
        return values
    whole = stored(name)
    for item in whole["items"]:
        item["outputs"] = values.get(item["id"], {}) | in_fractions(item)
    return whole


def in_fractions(item):
    """Return what R has no exact numbers for: results rounded once, from sums of fractions."""
    if item["id"] in ("O26", "O27"):
        return exact_sums(item["inputs"]["y"], item["inputs"]["yhat"])
    if item["id"] in ("O10", "O11"):
        rows = sorted(zip(item["inputs"]["score"], item["inputs"]["y"], strict=True), reverse=True)
        cutoffs = sorted({score for score, _ in rows}, reverse=True)
        called = [[y for score, y in rows if score >= cutoff] for cutoff in cutoffs]
        hits = [0, *map(sum, called)]
        positives, negatives = hits[-1], len(rows) - hits[-1]
        if item["id"] == "O11":
            steps = zip(hits[1:], hits, called, strict=False)
            area = sum(Fraction((new - old) * new, len(some) * positives) for new, old, some in steps)
            return {"ap_fraction": str(area)}
        pairs = [(a, b) for a, y in rows if y for b, other in rows if not other]
        wins = sum(2 * (a > b) + (a == b) for a, b in pairs)
        return {"auc_fraction": f"{wins}/{2 * positives * negatives}"}
    return {}


def exact_sums(actual, predicted):
    """Return sums and means of the floats as they are, each rounded once at the end."""
    y, p = ([Fraction(value) for value in column] for column in (actual, predicted))
    n, mean = len(y), sum(y) / len(y)
    errors = [a - b for a, b in zip(y, p, strict=True)]
    squared = sum(error**2 for error in errors)
    mse, total = float(squared / n), float(sum(y))
    r2 = float(1 - squared / sum((value - mean) ** 2 for value in y))
    return {
        "sum_y": total, "mse": mse, "r2": r2, "rmse": math.sqrt(mse), "mae": float(sum(map(abs, errors)) / n),
        "mse_hex": mse.hex(), "r2_hex": r2.hex(), "sum_hex": total.hex(),
    }  # fmt: skip


def differences(old, new, where):
    """Yield a line for every place where two trees differ; versions of programs may."""
    if where.endswith("/versions"):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            if key in old and key in new:
                yield from differences(old[key], new[key], f"{where}/{key}")
            else:
                yield f"{where}/{key}: only in {'tests/figures' if key in old else 'what R computed'}"
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (first, second) in enumerate(zip(old, new, strict=True)):
            yield from differences(first, second, f"{where}[{index}]")
    elif not same(old, new, exactly=where.endswith("p.value")):
        yield f"{where}: {old} in tests/figures, {new} by R"


def same(old, new, *, exactly):
    """Tell whether two leaves are alike; rounding noise about 0 is, except among p-values, which may be tiny."""
    numbers = (int, float)
    if isinstance(old, numbers) and isinstance(new, numbers):
        return math.isclose(old, new, rel_tol=RELATIVE, abs_tol=0 if exactly else ABSOLUTE)
    return old == new


def count(values):
    """Return how many numbers a tree holds."""
    if isinstance(values, dict | list):
        return sum(map(count, values.values() if isinstance(values, dict) else values))
    return isinstance(values, int | float)


def formatted(values, indent=0):
    """Return JSON with a key a line where an object does not fit into one."""
    text = json.dumps(values, ensure_ascii=False)
    if len(text) + indent <= LINE or not isinstance(values, dict | list):
        return text
    pad = " " * (indent + 1)
    if isinstance(values, dict):
        lines = [f"{pad}{json.dumps(key)}: {formatted(value, indent + 1)}" for key, value in values.items()]
        return "{\n" + ",\n".join(lines) + "\n" + " " * indent + "}"
    if any(isinstance(value, dict | list) for value in values):
        lines = [pad + formatted(value, indent + 1) for value in values]
        return "[\n" + ",\n".join(lines) + "\n" + " " * indent + "]"
    return text


if __name__ == "__main__":
    raise SystemExit(main(check="--check" in sys.argv[1:]))
