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
from pathlib import Path

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
            if script.name != "common.R":
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
    absent = {path.name for path in FIGURES.glob("*.json")} - set(checked)
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
    """Return the whole file: of the check values R computes most, and the rest stays as it was typed."""
    if name != "check_values.json":
        return values
    whole = stored(name)
    for item in whole["items"]:
        item["outputs"] |= values.get(item["id"], {})
    return whole


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
