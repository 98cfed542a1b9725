"""Every task of the project, from a fresh clone: ``python3 dev.py test`` (or ``make test``).

Standard library only. The first task makes a virtual environment in ``.venv`` from the locked
requirements and builds the package there; later ones reuse it until something it depends on changes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
LOCKS = ROOT / "requirements"
BUILT_FROM = ("pyproject.toml", "CMakeLists.txt")


def main() -> int:
    """Set up, then run the named task."""
    tasks = {
        "setup": (setup_only, "make the environment and build, nothing else"),
        "demo": (demo, "the main job on bundled data"),
        "test": (test, "the tests but for the slow ones (further words go to pytest)"),
        "test-all": (test_all, "all tests"),
        "coverage": (coverage, "all tests, and the lines of Python and C++ that none of them runs"),
        "spark": (spark, "the tests on a local Spark cluster, in an environment of its own"),
        "conformance": (conformance, "scikit-learn's own metrics tests, with our functions in them"),
        "lint": (lint, "ruff, mypy and clang-format"),
        "bench": (bench, "speed against the peers, as ratios"),
        "sanitize": (sanitize, "the tests under ASan, UBSan and TSan"),
        "fuzz": (fuzz, "random bytes and inputs, for a while"),
        "docs": (docs, "write the pages that the code knows"),
        "figures": (figures, "the reference values of the tests, by R (ARGS=--check compares)"),
        "lock": (lock, "resolve the locked requirements (ARGS=--upgrade renews them)"),
    }
    lines = "\n".join(f"  {name:<13}{what}" for name, (_, what) in tasks.items())
    parser = argparse.ArgumentParser(
        prog="make",
        usage='make TASK [ARGS="..."]',
        description="Tasks of the project; each sets up what it needs.",
        epilog=f"tasks:\n{lines}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("task", choices=tasks, metavar="task")
    parser.add_argument("words", nargs=argparse.REMAINDER, help="passed on to the task's tool")
    arguments = parser.parse_args()
    try:
        return tasks[arguments.task][0](arguments.words)
    except subprocess.CalledProcessError as failed:
        print(f"dev.py: this step failed: {' '.join(map(str, failed.cmd))}", file=sys.stderr)
        return failed.returncode or 1
    except KeyboardInterrupt:
        return 130


def setup_only(_words: list[str]) -> int:
    """Make the environment."""
    environment("dev")
    return 0


def demo(words: list[str]) -> int:
    """Run the main job."""
    python = environment("core")
    return run(python, "-m", "assay", "demo", *words, check=False)


def test(words: list[str]) -> int:
    """Run the tests that are not marked slow, on all cores."""
    return test_all(words if "-m" in words else ["-m", "not slow", *words])


def test_all(words: list[str]) -> int:
    """Run the tests on all cores, in their order unless a seed is given: ARGS="-p randomly"."""
    python = environment("dev")
    order = () if "randomly" in " ".join(words) else ("-p", "no:randomly")
    return run(python, "-m", "pytest", "-n", "auto", "-q", *order, *words, check=False)


def coverage(words: list[str]) -> int:
    """Run the tests on kernels that count their lines; list the lines of Python and C++ never run."""
    folder = ROOT / ".venv-coverage"
    python = environment("dev", folder=folder, define={"ASSAY_COVERAGE": "ON"})
    build = ROOT / "build" / folder.name.strip(".")
    for counts in build.rglob("*.gcda"):
        counts.unlink()
    report = ("--cov=assay", "--cov-report=term-missing:skip-covered")
    failed = run(
        python, "-m", "pytest", "-n", "auto", "-q", "-p", "no:randomly", *report, *words, check=False
    )
    lines = ("--root", ROOT, "--filter", "cpp/", "--exclude-throw-branches", "--sort", "uncovered-percent")
    return failed or run(python, "-m", "gcovr", *lines, "--print-summary", build, check=False)


def spark(words: list[str]) -> int:
    """Run the tests that need Spark, with the older pandas it asks for and the Java it runs on."""
    if shutil.which("java") is None:
        raise SystemExit(
            "dev.py: no Java found, which Spark runs on. Install one first, for example: "
            "apt-get install default-jre-headless   (Debian, Ubuntu)."
        )
    python = environment("spark", folder=ROOT / ".venv-spark")
    return run(python, "-m", "pytest", "-q", "tests/engines/test_spark.py", *words, check=False)


def conformance(words: list[str]) -> int:
    """Run scikit-learn's metrics tests on assay.sklearn."""
    python = environment("dev")
    return run(python, "conformance/run.py", *words, check=False)


def lint(_words: list[str]) -> int:
    """Run every static check; report all of them before failing."""
    python = environment("dev")
    sources = sorted(str(path) for path in (ROOT / "cpp").rglob("*.[ch]pp"))
    failed = [
        name
        for name, code in {
            "ruff check": run(python, "-m", "ruff", "check", ".", check=False),
            "ruff format": run(python, "-m", "ruff", "format", "--check", ".", check=False),
            "mypy": run(python, "-m", "mypy", check=False),
            "clang-format": run(
                python.with_name("clang-format"), "--dry-run", "--Werror", *sources, check=False
            ),
        }.items()
        if code
    ]
    print(f"lint: {', '.join(failed)} found something" if failed else "lint: nothing to say")
    return 1 if failed else 0


def bench(words: list[str]) -> int:
    """Measure against the peers."""
    python = environment("dev", "bench")
    tensors = ("-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", LOCKS / "tensors.txt")
    if run(python, *tensors, check=False):
        print("dev.py: no tensor libraries here; torchmetrics is left out", file=sys.stderr)
    return run(python, "benchmarks/run.py", *words, check=False)


def lock(words: list[str]) -> int:
    """Resolve the dependency groups of pyproject.toml into requirements/*.lock; hashes, no hosts."""
    python = environment("dev")
    for name in ("core", "build", "dev", "bench", "spark"):
        project = [] if name == "build" else ["pyproject.toml"]
        group = [] if name == "core" else ["--group", name]
        run(
            python, "-m", "uv", "pip", "compile", "--universal", "--generate-hashes", "--no-header",
            "--no-annotate", "--quiet", "--python-version", "3.11", *words, *project, *group,
            "-o", LOCKS / f"{name}.lock",
        )  # fmt: skip
    return 0


def sanitize(words: list[str]) -> int:
    """Build the extension with each sanitizer in an environment of its own and run the tests there."""
    chosen = words or ["address", "thread"]
    return max(sanitized(kind) for kind in chosen)


def sanitized(kind: str) -> int:
    """Run the tests under ``address`` (with undefined) or ``thread``."""
    settings = {
        "address": ("address,undefined", ("libasan.so", "libubsan.so", "libstdc++.so"), "OFF"),
        "thread": ("thread", ("libtsan.so", "libstdc++.so"), "ON"),
    }
    if kind not in settings:
        raise SystemExit(f"dev.py: sanitize knows {' and '.join(settings)}, not {kind!r}")
    flags, libraries, no_clones = settings[kind]
    python = environment(
        "dev",
        folder=ROOT / f".venv-{kind}",
        define={"ASSAY_SANITIZE": flags, "ASSAY_NO_CLONES": no_clones},
    )
    preload = " ".join(
        subprocess.check_output(["g++", f"-print-file-name={name}"], text=True).strip() for name in libraries
    )
    extra = {
        "LD_PRELOAD": preload,
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "TSAN_OPTIONS": "exitcode=66:halt_on_error=1",
        "ASSAY_SANITIZER": kind,
    }
    # A sanitizer writes to the file descriptor: pytest must leave that open, or the report is lost.
    words = ("-q", "-n", "auto", "-p", "no:cacheprovider", "--capture=sys", "tests")
    return run(python, "-m", "pytest", *words, env=extra, check=False)


def fuzz(words: list[str]) -> int:
    """Feed random bytes and inputs to the readers."""
    python = environment("dev")
    return run(python, "tests/support/fuzz.py", *words, check=False)


def docs(_words: list[str]) -> int:
    """Write the catalogue of metrics into its page, below what is written by hand, and their number."""
    python = environment("dev")
    page, readme = ROOT / "docs" / "metrics.md", ROOT / "README.md"
    tables = subprocess.check_output([python, "-m", "assay", "metrics", "--markdown"], text=True)
    opening = page.read_text(encoding="utf-8").split("\n## ")[0].rstrip()
    page.write_text(f"{opening}\n\n{tables}", encoding="utf-8")
    count = tables.count("\n| **")
    said = readme.read_text(encoding="utf-8")
    readme.write_text(re.sub(r"catalogue of \d+", f"catalogue of {count}", said), encoding="utf-8")
    return 0


def figures(words: list[str]) -> int:
    """Compute the reference values in tests/figures with R, or check them; needs no environment."""
    return run(Path(sys.executable), "tests/figures/scripts/make.py", *words, check=False)


def environment(*locks: str, folder: Path = VENV, define: dict[str, str] | None = None) -> Path:
    """Return the Python of an environment that holds the locked packages and the built project.

    It is made anew when the locks, the build's settings or this Python have changed.
    """
    if os.environ.get("CI"):
        define = {"ASSAY_WERROR": "ON"} | (define or {})
    python = folder / "bin" / "python"
    stamp = folder / ".ready"
    have = set(stamp.read_text().split()) if stamp.exists() else set()
    base = fingerprint(define)
    if base not in have:
        need_compiler()
        shutil.rmtree(folder, ignore_errors=True)
        print(f"dev.py: making {folder.name} (once)", file=sys.stderr)
        create(folder, python)
        pip(python, "--require-hashes", "-r", LOCKS / "build.lock")
        have = {base}
        stamp.write_text(" ".join(have))
    for name in locks:
        wanted = hashlib.sha256((LOCKS / f"{name}.lock").read_bytes()).hexdigest()
        if wanted not in have:
            pip(python, "--require-hashes", "-r", LOCKS / f"{name}.lock")
            have.add(wanted)
            stamp.write_text(" ".join(have))
    # Built again whenever a C++ source changes, or a module is added or moved: the install lists them.
    modules = "\n".join(str(path) for path in sorted((ROOT / "src").rglob("*.py")))
    sources = b"".join(path.read_bytes() for path in sorted((ROOT / "cpp").rglob("*.[ch]pp")))
    built = hashlib.sha256(sources + modules.encode()).hexdigest()
    if built not in have:
        need_compiler()
        print("dev.py: building the kernels (a minute or two)", file=sys.stderr)
        build = {"build-dir": f"build/{folder.name.strip('.')}"} | {
            f"cmake.define.{key}": value for key, value in (define or {}).items()
        }
        pip(
            python, "--no-deps", "--no-build-isolation",
            *(f"--config-settings={key}={value}" for key, value in build.items()), "-e", ".",
        )  # fmt: skip
        stamp.write_text(" ".join((have - builds(have)) | {built, f"built:{built}"}))
    return python


def builds(stamps: set[str]) -> set[str]:
    """Return the stamps that belong to an earlier build."""
    old = {mark for mark in stamps if mark.startswith("built:")}
    return old | {mark.removeprefix("built:") for mark in old}


def create(folder: Path, python: Path) -> None:
    """Make a virtual environment, also where Debian has left ensurepip out."""
    try:
        venv.create(folder, with_pip=True)
    except subprocess.CalledProcessError:
        venv.create(folder, with_pip=False, clear=True)
        subprocess.check_call([sys.executable, "-m", "pip", "--python", python, "install", "pip"])


def need_compiler() -> None:
    """Stop with one clear line when there is no C++ compiler."""
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler) is None:
        raise SystemExit(
            f"dev.py: no C++ compiler ({compiler}) found. Install one first, for example: "
            "apt-get install g++   (Debian, Ubuntu) or   dnf install gcc-c++   (Fedora)."
        )


def fingerprint(define: dict[str, str] | None) -> str:
    """Return a digest of what an environment is made from."""
    digest = hashlib.sha256(sys.version.encode())
    for name in BUILT_FROM:
        digest.update((ROOT / name).read_bytes())
    digest.update((LOCKS / "build.lock").read_bytes())
    digest.update(repr(sorted((define or {}).items())).encode())
    return digest.hexdigest()


def pip(python: Path, *words: object) -> None:
    """Run pip quietly."""
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *words)


def run(tool: Path, *words: object, env: dict[str, str] | None = None, check: bool = True) -> int:
    """Run an environment's Python, or another tool of it, with its tools first on the path."""
    path = f"{tool.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    everything = os.environ | {"PATH": path} | (env or {})
    done = subprocess.run([tool, *map(str, words)], cwd=ROOT, env=everything, check=check)
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(main())
