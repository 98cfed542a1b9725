"""Read the built site in Chromium: ``python tools/site/check_search.py``.

The search must answer each question of ``questions.toml`` within its first three results; the menu of versions
must lead from one to another; no page may ask anything of another host, print an error, or be wider than a
telephone. It ends with 1 where that fails. Without Chromium it says so and ends with 0, unless ``--required``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path
from urllib.parse import quote

import versions
from playwright.sync_api import Page, sync_playwright

import assay

HERE = Path(__file__).resolve().parent
FIRST = 3
TELEPHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
LOOKED_AT = (
    "index", "tutorial/index", "tutorial/classifier", "how-to/confidence-interval-auc", "coming-from/proc",
    "explanation/coverage", "reference/metrics/index", "reference/metrics/f1", "reference/api/index",
    "reference/api/inference-proportions", "reference/api/evaluate", "gallery/index", "glossary", "bibliography", "search",
)  # fmt: skip


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
    site = arguments.folder.resolve() / assay.__version__
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        faults = [
            fault for question, wanted in questions.items() if (fault := _fault(page, site, question, wanted))
        ]
        for name in LOOKED_AT:
            faults += _layout(page, site, name)
        faults += _two_versions(page, site)
        chromium.close()
    faults += [f"a script fails: {error}" for error in dict.fromkeys(errors)]
    faults += [f"asks {url}" for url in dict.fromkeys(asked) if not url.startswith(("file:", "data:"))]
    for fault in faults:
        print(f"search: {fault}", file=sys.stderr)
    print(
        f"search: {len(questions)} questions, {len(LOOKED_AT)} pages at two widths, two versions, {len(faults)} faults, "
        f"{len(asked)} requests"
    )
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


def _layout(page: Page, site: Path, name: str) -> list[str]:
    """Return the widths at which a page is wider than the window."""
    faults = []
    for size in (DESK, TELEPHONE):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.goto((site / f"{name}.html").as_uri())
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wider:
            faults.append(f"{name} is {wider} pixels wider than a window of {size['width']}")
    page.set_viewport_size(DESK)  # type: ignore[arg-type]
    return faults


def _two_versions(page: Page, site: Path) -> list[str]:
    """Put the site beside itself under another version; return what is wrong with the menu and the door."""
    older, newer = site.name, "99.0"
    with tempfile.TemporaryDirectory() as folder:
        html = Path(folder)
        for version in (older, newer):
            (html / version).symlink_to(site, target_is_directory=True)
        versions.write(html)
        page.goto((html / older / "glossary.html").as_uri())
        menus = page.eval_on_selector_all(
            "select.version-select",
            "menus => menus.map(menu => [...menu.options].map(option => option.text))",
        )
        if not menus or any(shown != [newer, older] for shown in menus):
            return [f"the menus of versions have {menus}"]
        page.eval_on_selector(
            "select.version-select",
            f"menu => {{ menu.value = '{newer}'; menu.dispatchEvent(new Event('change')); }}",
        )
        page.wait_for_url(f"**/{newer}/index.html")
        page.goto((html / "index.html").as_uri())
        page.wait_for_url(f"**/{newer}/index.html")
    return []


if __name__ == "__main__":
    raise SystemExit(main())
