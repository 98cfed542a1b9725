"""Makes the environments of the Makefile's tasks: ``python3 dev.py dev`` makes ``.venv``.

Standard library only: this is what pip and make cannot do by themselves. The words name locks in
``requirements``. An environment is made from them once and the package is built there; it is made or built
again when what it depends on has changed, and an environment that is up to date costs a tenth of a second.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
LOCKS = ROOT / "requirements"


def main() -> int:
    """Make the environment that the words describe."""
    parser = argparse.ArgumentParser(description="Make an environment and build the package in it.")
    parser.add_argument("locks", nargs="+", help="what it holds: core, dev, bench, spark")
    parser.add_argument("--folder", default=".venv")
    parser.add_argument("--define", action="append", default=[], help="a setting of CMake: NAME=VALUE")
    arguments = parser.parse_args()
    define = dict(setting.split("=", maxsplit=1) for setting in arguments.define)
    try:
        environment(*arguments.locks, folder=ROOT / arguments.folder, define=define)
    except subprocess.CalledProcessError as failed:
        print(f"dev.py: this step failed: {' '.join(map(str, failed.cmd))}", file=sys.stderr)
        return failed.returncode or 1
    return 0


def environment(*locks: str, folder: Path, define: dict[str, str]) -> None:
    """Make an environment that holds the locked packages and the built project, where there is none.

    It is made anew when the build's lock, CMake's settings or this Python have changed.
    """
    if os.environ.get("CI"):
        define = {"ASSAY_WERROR": "ON"} | define
    python = folder / "bin" / "python"
    stamp = folder / ".ready"
    have = set(stamp.read_text().split()) if stamp.exists() else set()
    base = fingerprint(define)
    if base not in have:
        need_compiler_and_headers()
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
    paths = [ROOT / "pyproject.toml", ROOT / "CMakeLists.txt", *sorted((ROOT / "cpp").rglob("*.[ch]pp"))]
    sources = b"".join(path.read_bytes() for path in paths)
    built = hashlib.sha256(sources + modules.encode()).hexdigest()
    if built not in have:
        need_compiler_and_headers()
        print("dev.py: building the kernels (about a minute)", file=sys.stderr)
        build = {"build-dir": f"build/{folder.name.strip('.')}"} | {
            f"cmake.define.{key}": value for key, value in define.items()
        }
        pip(
            python, "--no-deps", "--no-build-isolation",
            *(f"--config-settings={key}={value}" for key, value in build.items()), "-e", ".",
        )  # fmt: skip
        stamp.write_text(" ".join((have - builds(have)) | {built, f"built:{built}"}))


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


def need_compiler_and_headers() -> None:
    """Stop with one clear line when there is no C++ compiler, or when Python came without its headers."""
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler) is None:
        raise SystemExit(
            f"dev.py: no C++ compiler ({compiler}) found. Install one first, for example: "
            "apt-get install g++   (Debian, Ubuntu) or   dnf install gcc-c++   (Fedora)."
        )
    header = Path(sysconfig.get_path("include"), "Python.h")
    if not header.exists():
        raise SystemExit(
            f"dev.py: Python's headers are not installed ({header}). Install them first, for example: "
            "apt-get install python3-dev   (Debian, Ubuntu) or   dnf install python3-devel   (Fedora)."
        )


def fingerprint(define: dict[str, str]) -> str:
    """Return a digest of what an environment is made from."""
    digest = hashlib.sha256(sys.version.encode())
    digest.update((LOCKS / "build.lock").read_bytes())
    digest.update(repr(sorted(define.items())).encode())
    return digest.hexdigest()


def pip(python: Path, *words: object) -> None:
    """Run an environment's pip quietly, with its tools first on the path."""
    path = f"{python.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *map(str, words)]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"PATH": path}, check=True)


if __name__ == "__main__":
    raise SystemExit(main())
