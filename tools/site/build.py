"""Build the documentation as a static site: ``python tools/site/build.py`` writes ``build/site/html``.

The Markdown pages of ``docs`` are copied to ``build/site/source``, the pages that the code knows (metrics,
API, gallery) are written beside them, Sphinx makes HTML of all, and the search index is made of the HTML.
Nothing is read from a network. A warning, a dead link, or a request to another host ends the build with 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import sys
import time
from pathlib import Path

from sphinx.cmd.build import build_main
from sphinx.ext.autodoc.mock import mock

sys.path.insert(0, str(Path(__file__).parent))
import api_pages
import gallery
import links
import mathml
import metric_pages
import notebook_pages
import search_index
import source
import versions

import assay

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def main() -> int:
    """Build the site; return the exit code."""
    parser = argparse.ArgumentParser(description="Build the documentation as a static site.")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "site", help="where to build")
    parser.add_argument("--without-pictures", action="store_true", help="quicker, while writing")
    arguments = parser.parse_args()
    began = time.perf_counter()
    folder: Path = arguments.folder.resolve()
    pages, html = folder / "source", folder / "html"
    for old in (pages, html):
        shutil.rmtree(old, ignore_errors=True)
    os.environ["MPLBACKEND"] = "agg"
    source.copy(ROOT / "docs", pages)
    notebook_pages.write(ROOT / "docs" / "notebooks", pages / "tutorial")
    metric_pages.write(pages, pictures=not arguments.without_pictures)
    absent = (
        [] if importlib.util.find_spec("torch") else ["torch"]
    )  # assay.torch is described without it, too
    with mock(absent):
        api_pages.write(pages)
    pictures = 0 if arguments.without_pictures else gallery.write(pages)
    source.write_navigation(pages)
    site = html / assay.__version__
    warned = build_main(
        [
            "-q",
            "-W",
            "--keep-going",
            "-j",
            "auto",
            "-c",
            str(HERE),
            "-d",
            str(folder / "doctrees"),
            str(pages),
            str(site),
        ]
    )
    if warned:
        return 1
    mathml.write_font(site)
    for page in (pages / "gallery").glob("*.html"):  # Sphinx copies what it links to, not what a frame shows
        shutil.copy(page, site / "gallery")
    count = search_index.write(site, left_out={"gallery/index"} if arguments.without_pictures else None)
    versions.write(html, current=assay.__version__)
    faults = links.check(html)
    for fault in faults:
        print(fault, file=sys.stderr)
    size = sum(path.stat().st_size for path in html.rglob("*") if path.is_file())
    number = sum(1 for _ in site.rglob("*.html"))
    print(
        f"site: {number} pages, {pictures} pictures in the gallery, {count} search entries, {size / 1e6:.1f} MB, {len(faults)} dead links, "
        f"{time.perf_counter() - began:.0f} s: {html / 'index.html'}"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
