"""Ask the built site's search the questions of ``questions.toml`` in Chromium: ``python tools/site/check_search.py``.

Each must be answered within the first three results, and no page may ask anything of another host. It ends with
1 where that fails. Without Chromium it says so and ends with 0, unless ``--required`` is given.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tomllib
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).resolve().parent
FIRST = 3


def main() -> int:
    """Ask every question; return the exit code."""
    parser = argparse.ArgumentParser(description="Ask the site's search what people type.")
    parser.add_argument(
        "--folder", type=Path, default=HERE.parents[1] / "build" / "site" / "html", help="the site"
    )
    parser.add_argument("--required", action="store_true", help="fail where there is no Chromium")
    arguments = parser.parse_args()
    browser = os.environ.get("ASSAY_CHROMIUM") or shutil.which("chromium")
    if browser is None:
        print("search: not asked, there is no Chromium: apt-get install chromium", file=sys.stderr)
        return 1 if arguments.required else 0
    questions = tomllib.loads((HERE / "questions.toml").read_text(encoding="utf-8"))["questions"]
    site = max(arguments.folder.resolve().glob("*/index.html")).parent
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        faults = [
            fault for question, wanted in questions.items() if (fault := _fault(page, site, question, wanted))
        ]
        chromium.close()
    faults += [f"asks {url}" for url in dict.fromkeys(asked) if not url.startswith(("file:", "data:"))]
    for fault in faults:
        print(f"search: {fault}", file=sys.stderr)
    print(f"search: {len(questions)} questions, {len(faults)} faults, {len(asked)} requests")
    return 1 if faults else 0


def _fault(page: Page, site: Path, question: str, wanted: list[str]) -> str:
    """Return what is wrong with the answers to a question, or nothing."""
    page.goto(f"{(site / 'search.html').as_uri()}?q={quote(question)}")
    page.wait_for_selector("#search-results li")
    shown = page.eval_on_selector_all(
        "#search-results a.search-hit", "links => links.map(link => link.dataset.page)"
    )
    names = [name.partition("#")[2] or name.removesuffix(".html") for name in shown]
    if any(name in wanted for name in names[:FIRST]):
        return ""
    place = next((number for number, name in enumerate(names, 1) if name in wanted), None)
    where = f"answered at place {place}" if place else "not answered"
    return f"{question!r}: {where}; first are {', '.join(names[:FIRST]) or 'none'}"


if __name__ == "__main__":
    raise SystemExit(main())
