"""Build wheels for old glibc and for aarch64 on any Linux machine, and check them: ``make wheels``.

The releases are built by cibuildwheel (pyproject.toml) on the machines of a hosted service. This script
proves what one machine can prove, with the compiler of the ``ziglang`` package, which brings the
libraries of other systems along:

* ``build``: wheels for glibc 2.17 (any distribution since 2014), x86-64 and aarch64, checked by auditwheel;
* ``try``: installs a wheel where there is no compiler, times that, runs the demo and the tests of the
  kernels and tallies;
* ``emulate``: runs the same tests on the aarch64 wheel under qemu;
* ``compile``: compiles and links the kernels for systems that are not here: nothing of it is run.

Standard library only. It works in ``build/wheels`` unless ``--folder`` names another place.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
MOST_BYTES = 4_000_000
MOST_SECONDS = 30
LINUX = {"x86_64": "x86_64-linux-gnu.2.17", "aarch64": "aarch64-linux-gnu.2.17"}
ELSEWHERE = {
    "musllinux-x86_64": "x86_64-linux-musl",
    "musllinux-aarch64": "aarch64-linux-musl",
    "macos-arm64": "aarch64-macos.11.0",
    "macos-x86_64": "x86_64-macos.11.0",
    "windows-x86_64": "x86_64-windows-gnu",
}
TESTS = ("tests/kernels", "tests/tallies")


def main() -> int:
    """Run the named step."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "wheels")
    steps = parser.add_subparsers(dest="step", required=True)
    build = steps.add_parser("build", help="wheels for Linux")
    build.add_argument("--python", nargs="+", default=[sys.executable], help="one wheel for each of these")
    build.add_argument("--cpu", nargs="+", choices=LINUX, default=["x86_64"])
    attempt = steps.add_parser("try", help="install a wheel where there is no compiler, and test it")
    attempt.add_argument("--python", nargs="+", default=[sys.executable])
    attempt.add_argument("--no-tests", action="store_true", help="only install and run the demo")
    emulate = steps.add_parser("emulate", help="test the aarch64 wheel under qemu")
    emulate.add_argument("--tests", nargs="+", default=list(TESTS))
    elsewhere = steps.add_parser("compile", help="compile and link for other systems, run nothing")
    elsewhere.add_argument("--system", nargs="+", choices=ELSEWHERE, default=list(ELSEWHERE))
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if arguments.step == "build":
        for python in arguments.python:
            for cpu in arguments.cpu:
                build_wheel(folder, python, cpu)
    elif arguments.step == "try":
        for python in arguments.python:
            try_wheel(folder, python, tests=not arguments.no_tests)
    elif arguments.step == "emulate":
        emulate_wheel(folder, arguments.tests)
    else:
        for system in arguments.system:
            compile_only(folder, system)
    return 0


# ------------------------------------------------------------------ building


def build_wheel(folder: Path, python: str, cpu: str) -> None:
    """Build one wheel with zig, let auditwheel name the glibc it needs, and check its size."""
    tools = tool_environment(folder)
    host = build_environment(folder, python)
    compiler = zig_compiler(folder, LINUX[cpu])
    version = version_tag(host)
    raw = folder / "raw" / f"{version}-{cpu}"
    shutil.rmtree(raw, ignore_errors=True)
    settings = {
        "build-dir": folder / "build" / f"{version}-{cpu}",
        "cmake.define.CMAKE_AR": compiler.with_name("ar"),
        "cmake.define.CMAKE_RANLIB": compiler.with_name("ranlib"),
        "cmake.define.CMAKE_MODULE_LINKER_FLAGS": link_flags(cpu),
        "install.strip": "true",
    }
    environment = os.environ | {
        "CXX": str(compiler),
        "PATH": f"{tools.parent}{os.pathsep}{os.environ['PATH']}",
        "_PYTHON_HOST_PLATFORM": f"linux-{cpu}",
    }
    if cpu == "aarch64" and version == "cp311":  # the stable ABI has one name on every CPU
        environment["SETUPTOOLS_EXT_SUFFIX"] = ".cpython-311-aarch64-linux-gnu.so"
    started = time.monotonic()
    run(
        host, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", raw, ROOT,
        *(f"--config-settings={key}={value}" for key, value in settings.items()), env=environment,
    )  # fmt: skip
    (wheel,) = raw.glob("*.whl")
    run(tools, "-m", "auditwheel", "repair", "-w", folder / "dist", wheel, env=environment)
    for repaired in (folder / "dist").glob(f"*-{version}-*{cpu}.whl"):
        print(f"{repaired.name}: {repaired.stat().st_size:,} bytes, {time.monotonic() - started:.0f} s")
        if repaired.stat().st_size > MOST_BYTES:
            raise SystemExit(f"larger than {MOST_BYTES:,} bytes")


def link_flags(cpu: str) -> str:
    """Return what zig's linker needs: on x86-64 the library by which a clone asks for the CPU's level."""
    if cpu != "x86_64":
        return "-s"
    library = subprocess.check_output(["g++", "-print-libgcc-file-name"], text=True).strip()
    return f"-s {library}"


def tool_environment(folder: Path) -> Path:
    """Return the Python of an environment with zig, auditwheel and CMake."""
    return environment_with(folder / "tools", sys.executable, dependency_group("wheels"))


def build_environment(folder: Path, python: str) -> Path:
    """Return the Python of an environment that can build for ``python``; CMake is that of the tools."""
    wanted = [name for name in dependency_group("build") if not name.startswith(("cmake", "ninja"))]
    return environment_with(folder / f"host-{version_tag(Path(python))}", python, wanted)


def environment_with(folder: Path, python: str, packages: list[str]) -> Path:
    """Return the Python of a virtual environment with these packages, made if it is not there."""
    own = folder / "bin" / "python"
    if not (folder / ".ready").exists():
        if Path(python) == Path(sys.executable):
            venv.create(folder, with_pip=True, clear=True)
        else:
            run(Path(python), "-m", "venv", "--clear", folder)
        run(own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pip", *packages)
        (folder / ".ready").touch()
    return own


def dependency_group(name: str) -> list[str]:
    """Return a group of pyproject.toml, with those it includes."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    packages: list[str] = []
    for entry in groups[name]:
        packages += dependency_group(entry["include-group"]) if isinstance(entry, dict) else [entry]
    return packages


def zig_compiler(folder: Path, target: str) -> Path:
    """Return a C++ compiler for a target, as one program; ``ar`` and ``ranlib`` lie beside it."""
    tools = tool_environment(folder)
    programs = folder / "zig" / target
    programs.mkdir(parents=True, exist_ok=True)
    for name, words in {"c++": f"c++ -target {target}", "ar": "ar", "ranlib": "ranlib"}.items():
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(str(tools))} -m ziglang {words} "$@"\n')
        program.chmod(0o755)
    return programs / "c++"


# ------------------------------------------------------------------ trying


def try_wheel(folder: Path, python: str, *, tests: bool) -> None:
    """Install the wheel with its dependencies where no compiler is to be found; demo and tests after it."""
    wheel = wheel_for(folder, version_tag(Path(python)))
    with tempfile.TemporaryDirectory(prefix="assay-wheel-") as name:
        bare = Path(name)
        own = bare / "env" / "bin" / "python"
        run(Path(python), "-m", "venv", bare / "env")
        environment = {"PATH": str(own.parent), "HOME": name}
        install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:")
        started, cpu = time.monotonic(), cpu_seconds()
        run(own, *install, wheel, env=environment | settings_of_pip())
        seconds, cpu = time.monotonic() - started, cpu_seconds() - cpu
        print(f"{wheel.name}, {output(own, '--version')}: installed in {seconds:.1f} s, {cpu:.1f} s of CPU")
        if seconds > MOST_SECONDS:
            print(f"  longer than {MOST_SECONDS} s: is the machine or the network busy?")
        run(own.with_name("assay"), "demo", env=environment, cwd=bare, stdout=subprocess.DEVNULL)
        print("  assay demo: ran", flush=True)
        if tests:
            run(own, *install, *dependency_group("wheel-tests"), env=environment | settings_of_pip())
            run_tests([own], bare, environment)


def run_tests(
    command: list[Path | str], bare: Path, environment: dict[str, str], tests: Sequence[str] = TESTS
) -> None:
    """Run the tests of kernels and tallies against the installed package: no source folder in sight."""
    shutil.copytree(ROOT / "tests", bare / "tests")
    shutil.copy(ROOT / "conftest.py", bare)
    shutil.copy(ROOT / "pyproject.toml", bare)
    run(*command, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, env=environment, cwd=bare)


def wheel_for(folder: Path, version: str, cpu: str = "x86_64") -> Path:
    """Return the wheel that a Python of this version takes: its own, or that of the stable ABI."""
    for tag in (f"{version}-{version}", "cp312-abi3"):
        for wheel in (folder / "dist").glob(f"*-{tag}-*{cpu}.whl"):
            return wheel
    raise SystemExit(f"no wheel for {version} on {cpu} in {folder / 'dist'}: build it first")


def settings_of_pip() -> dict[str, str]:
    """Return what tells pip where packages come from, which a bare environment keeps."""
    home = {"HOME": os.environ["HOME"], "PIP_NO_CACHE_DIR": "1"}
    return home | {name: value for name, value in os.environ.items() if name.startswith("PIP_")}


# ------------------------------------------------------------------ other systems


def emulate_wheel(folder: Path, tests: list[str]) -> None:
    """Test the aarch64 wheel with Debian's Python for arm64 under qemu: minutes become an hour."""
    emulator = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if emulator is None:
        raise SystemExit("no qemu-aarch64: install Debian's qemu-user-static")
    root = arm64_root(folder)
    python = next((root / "usr" / "bin").glob("python3.1?"))
    version = python.name.removeprefix("python").replace(".", "")
    wheel = wheel_for(folder, f"cp{version}", "aarch64")
    site = folder / f"site-aarch64-{version}"
    tools = tool_environment(folder)
    if not site.exists():
        run(
            tools, "-m", "pip", "install", "--quiet", "--target", site, "--only-binary=:all:",
            *(f"--platform=manylinux_2_{minor}_aarch64" for minor in range(17, 37)),
            f"--python-version={version[0]}.{version[1:]}", "--implementation=cp",
            wheel, *dependency_group("wheel-tests"),
        )  # fmt: skip
    shutil.rmtree(site / "assay")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)  # the newest build, also where the folder was there
    with tempfile.TemporaryDirectory(prefix="assay-aarch64-") as name:
        # No PATH to this machine's compiler, whose libraries an aarch64 Python cannot load.
        environment = {"PATH": name, "HOME": name, "PYTHONPATH": str(site), "PYTHONHOME": str(root / "usr")}
        # A program of its own, so that tests can start this Python again by its name.
        program = Path(name) / "python"
        words = shlex.join([emulator, "-L", str(root)])
        program.write_text(f'#!/bin/sh\nexec {words} -0 "$0" {shlex.quote(str(python))} "$@"\n')
        program.chmod(0o755)
        run(program, "-c", "import platform, assay; print(platform.machine(), assay)", env=environment)
        run_tests([program], Path(name), environment, tests)


def arm64_root(folder: Path) -> Path:
    """Return a folder with Debian's Python for arm64 and what it needs, fetched by apt-get."""
    root, state = folder / "arm64", folder / "arm64-apt"
    if not (root / ".ready").exists():
        for name in ("lists/partial", "cache/archives/partial"):
            (state / name).mkdir(parents=True, exist_ok=True)
        (state / "status").touch()
        options = {
            "APT::Architecture": "arm64", "APT::Architectures": "arm64", "APT::Install-Recommends": "false",
            "Dir::State::lists": state / "lists", "Dir::State::status": state / "status",
            "Dir::Cache": state / "cache", "Debug::NoLocking": "1",
        }  # fmt: skip
        words = [word for key, value in options.items() for word in ("-o", f"{key}={value}")]
        run("apt-get", *words, "update", "-qq")
        run("apt-get", *words, "install", "-yqq", "--download-only", "python3", "libstdc++6", "libgomp1")
        for package in sorted((state / "cache" / "archives").glob("*.deb")):
            run("dpkg-deb", "-x", package, root)
        (root / ".ready").touch()
    return root


def compile_only(folder: Path, system: str) -> None:
    """Compile all C++ and link it for a system that is not here."""
    compiler = zig_compiler(folder, ELSEWHERE[system])
    objects = folder / "compiled" / system
    shutil.rmtree(objects, ignore_errors=True)
    objects.mkdir(parents=True)
    host = build_environment(folder, sys.executable)
    nanobind = Path(output(host, "-m", "nanobind", "--include_dir"))
    headers = output(host, "-c", "import sysconfig; print(sysconfig.get_path('include'))")
    binding = not system.startswith("windows")  # its Python headers are not those of this machine
    sources = sorted((ROOT / "cpp" / "kernel").rglob("*.cpp"))
    if binding:
        sources += sorted((ROOT / "cpp" / "bind").glob("*.cpp"))
        sources += [nanobind.parent / "src" / "nb_combined.cpp"]
    includes = [f"-I{ROOT / 'cpp'}"]
    outside = [nanobind, nanobind.parent / "ext" / "robin_map" / "include", headers]
    includes += [f"-isystem{path}" for path in outside if binding]
    words = ["-std=gnu++20", "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-fno-trapping-math"]
    words += ["-DASSAY_NO_CLONES", "-DNDEBUG", "-fvisibility=hidden", "-include", "cstdio"]
    words += [] if system.startswith("windows") else ["-fPIC"]
    for source in sources:
        name = f"{source.parent.name}-{source.stem}.o"
        run(compiler, *words, *includes, "-c", source, "-o", objects / name)
    module = objects / ("kernels.dll" if system.startswith("windows") else "_kernels.so")
    loose = ["-Wl,-undefined,dynamic_lookup"] if system.startswith("macos") else []
    run(compiler, "-shared", "-s", *loose, *sorted(objects.glob("*.o")), "-o", module)
    what = "kernels and binding" if binding else "kernels, without the binding to Python"
    print(f"{system}: {what}: {len(sources)} files compiled and linked, {module.stat().st_size:,} bytes")


# ------------------------------------------------------------------ programs


def cpu_seconds() -> float:
    """Return the CPU seconds of the programs that have run so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def version_tag(python: Path) -> str:
    """Return the version of a Python as wheels write it: ``cp311``."""
    return output(python, "-c", "import sys; print('cp%d%d' % sys.version_info[:2])")


def output(program: Path, *words: str) -> str:
    """Return what a program prints."""
    return subprocess.check_output([program, *words], text=True).strip()


def run(
    *command: Path | str, env: dict[str, str] | None = None, cwd: Path = ROOT, stdout: int | None = None
) -> None:
    """Run a program and stop with its name where it fails."""
    done = subprocess.run([str(word) for word in command], env=env, cwd=cwd, stdout=stdout, check=False)
    if done.returncode:
        raise SystemExit(f"this step failed: {shlex.join(map(str, command))}")


if __name__ == "__main__":
    raise SystemExit(main())
