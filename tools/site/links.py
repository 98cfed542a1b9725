"""Check the site that was built: every internal link and anchor exists, and no other host is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check"]

LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src"}
LINKED = {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "preconnect", "dns-prefetch"}


def check(html: Path) -> list[str]:
    """Return the faults: links that lead nowhere, and what would be loaded from another host."""
    pages = {path.resolve(): BeautifulSoup(path.read_bytes(), "lxml") for path in html.rglob("*.html")}
    anchors = {
        path: {tag.get("id") for tag in page.find_all(id=True)}
        | {tag.get("name") for tag in page.find_all("a")}
        for path, page in pages.items()
    }
    faults = []
    for path, page in pages.items():
        place = path.relative_to(html.resolve())
        faults += [f"{place}: loads {address}" for address in _loaded(page) if urlsplit(address).netloc]
        for tag in page.find_all("a", href=True):
            parts = urlsplit(str(tag["href"]))
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            known = anchors.get(target)
            if known is None and not target.is_file():
                faults.append(f"{place}: no page {tag['href']}")
            elif known is not None and parts.fragment and unquote(parts.fragment) not in known:
                faults.append(f"{place}: no anchor {tag['href']}")
    return sorted(set(faults))


def _loaded(page: BeautifulSoup) -> list[str]:
    """Return the addresses that a browser loads with a page."""
    loaded = [str(tag[key]) for name, key in LOADS.items() for tag in page.find_all(name) if tag.get(key)]
    return loaded + [
        str(tag["href"]) for tag in page.find_all("link", href=True) if LINKED & {*(tag.get("rel") or ())}
    ]
