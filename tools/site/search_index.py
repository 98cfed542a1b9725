"""The search index: the text of every page, heading and function of the site, for ``static/search.js``."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, NavigableString, Tag

__all__ = ["write"]

KEYWORDS = Path(__file__).with_name("keywords.toml")
LEFT_OUT = {"search.html", "genindex.html", "py-modindex.html"}
MEMBER = 200  # of a method
LONGEST = 1200  # characters of a section that are searched: the rest is tables of numbers as a rule


def write(site: Path, *, left_out: set[str] | None = None) -> int:
    """Write ``_static/search-index.js`` of the pages that were built; return how many entries it has."""
    keywords = tomllib.loads(KEYWORDS.read_text(encoding="utf-8"))["pages"]
    keywords = {name: words for name, words in keywords.items() if name not in (left_out or ())}
    entries: list[dict[str, Any]] = []
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        if name in LEFT_OUT:
            continue
        page = BeautifulSoup(path.read_bytes(), "lxml")
        article = page.find("article")
        if isinstance(article, Tag):
            entries += _entries(name, article, _keywords(page, keywords.pop(name.removesuffix(".html"), "")))
    if keywords:
        raise SystemExit(f"tools/site/keywords.toml: there is no page {', '.join(keywords)}")
    text = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    (site / "_static" / "search-index.js").write_text(f"window.assaySearch = {text};\n", encoding="utf-8")
    return len(entries)


def _keywords(page: BeautifulSoup, own: str) -> str:
    """Return a page's search words: those of the table, and of its front matter."""
    found = page.find("meta", attrs={"name": "keywords"})
    return f"{own} {found.get('content', '')}".strip() if isinstance(found, Tag) else own


def _entries(name: str, article: Tag, keywords: str) -> list[dict[str, Any]]:
    """Return the entries of a page: itself with its sections, and each function that it documents."""
    for tag in article.select("a.headerlink, .toctree-wrapper, nav, script, style, .formula, table.numbers"):
        tag.decompose()
    objects = []
    outer = [one for one in article.select("dl.py") if one.find_parent("dl", class_="py") is None]
    for described in outer:
        head = described.find("dt", id=True)
        if isinstance(head, Tag):
            members = [_member(inner) for inner in described.select("dl.py")]
            for inner in described.select("dl.py"):
                inner.extract()
            body = described.find("dd")
            text = _text(body) if isinstance(body, Tag) else ""
            objects.append(
                {
                    "u": f"{name}#{head['id']}",
                    "t": str(head["id"]),
                    "k": "api",
                    "s": [["", "", text[: 2 * LONGEST]], *(member for member in members if member)],
                }
            )
    for described in outer:
        described.extract()
    for code in article.select("div.highlight"):  # prose first: an excerpt is to be read
        if isinstance(section := code.find_parent("section"), Tag):
            section.append(code.extract())
    heading = article.find("h1")
    title = _text(heading) if isinstance(heading, Tag) else name
    sections = []
    for section in article.find_all("section"):
        head = section.find(re.compile("^h[1-6]$"), recursive=False)
        own = " ".join(
            _text(child) if isinstance(child, Tag) else str(child)
            for child in section.children
            if isinstance(child, NavigableString)
            or (isinstance(child, Tag) and child.name != "section" and child is not head)
        )
        own = " ".join(own.split())
        is_first = isinstance(head, Tag) and head.name == "h1"
        sections.append(
            ["" if is_first else str(section.get("id", "")), "" if is_first else _text(head), own[:LONGEST]]
        )
    kind = name.split("/", maxsplit=1)[0] if "/" in name else "page"
    return [{"u": name, "t": title, "k": kind, "w": keywords, "s": sections}, *objects]


def _member(described: Tag) -> list[str]:
    """Return a method or an attribute of a class as a section: its anchor, its name and how its text begins."""
    head, body = described.find("dt", id=True), described.find("dd")
    if not isinstance(head, Tag):
        return []
    anchor = str(head["id"])
    return [anchor, anchor.rpartition(".")[2], _text(body)[:MEMBER] if isinstance(body, Tag) else ""]


def _text(tag: Any) -> str:
    if tag is None:
        return ""
    is_code = isinstance(tag, Tag) and "highlight" in (tag.get("class") or ())
    return re.sub(r"(?<=\w) (?=[,.;:)\]])", "", " ".join(tag.get_text("" if is_code else " ").split()))
