"""The lines of R in documents: run them, and compare or write what R prints.

    python tests/support/r_sessions.py --write     # write what R prints into docs/coming-from

A block of R is a session: ``> `` begins a command, ``+ `` goes on with it, and the other lines are what R prints.
All blocks of a page are one session, in a folder with the tutorial's file.
"""

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```r\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIBRARY = re.compile(r"library\((\w+)\)")
MARK = "@@ next command @@"
SETTINGS = "options(warn = -1, digits = 7, width = 80, useFancyQuotes = FALSE)\n"


def pages():
    """Return the documents that have a session of R."""
    found = sorted((ROOT / "docs").rglob("*.md"))
    return [page for page in found if "\n```r\n> " in page.read_text(encoding="utf-8")]


def missing_packages(page):
    """Return the packages of R that a page loads and that are not installed."""
    loaded = sorted({*LIBRARY.findall("".join(BLOCK.findall(page.read_text(encoding="utf-8"))))})
    return [name for name in loaded if _r(["-e", f"library({name})"]).returncode]


def commands(block):
    """Return the commands of a block, each with the lines that follow it."""
    found = []
    for line in block.splitlines():
        if line.startswith("> "):
            found.append(([line], []))
        elif line.startswith("+ ") and not found[-1][1]:
            found[-1][0].append(line)
        else:
            found[-1][1].append(line)
    return found


def run(page):
    """Return the page as it is with what R prints."""
    text = page.read_text(encoding="utf-8")
    blocks = [commands(block) for block in BLOCK.findall(text)]
    typed = [typed for block in blocks for typed, _ in block]
    script = SETTINGS + "".join(
        "\n".join(line[2:] for line in lines) + f'\ncat("\\n{MARK}\\n")\n' for lines in typed
    )
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "docs" / "tutorial" / "predictions.csv", folder)
        Path(folder, "session.R").write_text(script, encoding="utf-8")
        done = _r(["session.R"], folder)
    printed = [part.strip("\n") for part in done.stdout.split(MARK)][:-1]
    if len(printed) != len(typed):
        line = typed[len(printed)][0] if len(printed) < len(typed) else ""
        raise RuntimeError(f"{page.name}: R stopped at {line!r}: {done.stderr.strip()[-500:]}")
    answers = iter(printed)

    def written(block):
        lines = []
        for typed, _ in commands(block[1]):
            lines += typed + [line.rstrip() for line in next(answers).splitlines()]
        return "```r\n" + "\n".join(lines) + "\n```"

    return BLOCK.sub(written, text)


def _r(arguments, folder=None):
    """Run R, whose texts and times are those of no country."""
    environment = {**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    return subprocess.run(  # noqa: S603 - our own script
        [shutil.which("Rscript"), "--vanilla", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def main():
    """Write what R prints, or say which pages differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write what R prints into the pages")
    write = parser.parse_args().write
    differ = [(page, new) for page in pages() if (new := run(page)) != page.read_text(encoding="utf-8")]
    for page, new in differ:
        if write:
            page.write_text(new, encoding="utf-8")
        print(f"{page.relative_to(ROOT)}: {'written' if write else 'R prints something else'}")  # noqa: T201 - a script
    return 0 if write else len(differ) > 0


if __name__ == "__main__":
    raise SystemExit(main())
