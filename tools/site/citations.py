"""Citations such as "Newcombe (2006)" as links to the bibliography, in every page and docstring of the site."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["citations", "entries", "setup"]

PAGE = "bibliography"
_NAME = r"(?:(?:van der|van|von|de|le|Babington) )?[A-Z][\w'-]+"
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_CITATION = re.compile(
    rf"\b(?!(?:{_MONTHS})\b)(?P<first>{_NAME})(?P<others>(?:, {_NAME})*(?:,? (?:and|&) (?:{_NAME}|others))?| et al\.?)?,? "
    r"\(?(?P<year>1[89]\d\d|20\d\d)\b(?!\.\d)"
)


def entries(text: str) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return the headings of the bibliography, with their anchors, by the first name and the year.

    >>> entries("### Zou and Donner 2008")
    {('Zou', '2008'): [('Zou and Donner 2008', 'zou-and-donner-2008')]}
    """
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for heading in re.findall(r"^### (.+)$", text, re.MULTILINE):
        match = _CITATION.match(heading)
        if match is None:
            raise ValueError(f"no author and year: {heading}")
        anchor = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        found.setdefault((match["first"], match["year"]), []).append((heading, anchor))
    return found


def citations(
    text: str, known: dict[tuple[str, str], list[tuple[str, str]]]
) -> Iterator[tuple[int, int, str, str]]:
    r"""Yield where each citation begins and ends, its words, and the anchor of its entry ("" where there is none).

    >>> known = entries("### Light 1971\n### Light and Margolin 1971")
    >>> [found[2:] for found in citations("by Light (1971), Light and Margolin 1971 and Nobody 2001", known)]
    [('Light (1971', 'light-1971'), ('Light and Margolin 1971', 'light-and-margolin-1971'), ('Nobody 2001', '')]
    >>> [found[2] for found in citations("as Light (1971) said in November 2026", known)]
    ['Light (1971']
    """
    for match in _CITATION.finditer(text):
        first = re.sub(r"[']s$", "", match["first"])
        choices = known.get((first, match["year"]), [])
        second = re.findall(_NAME, match["others"] or "")[:1]
        fitting = [anchor for heading, anchor in choices if re.findall(_NAME, heading)[1:2] == second] or [
            anchor for _, anchor in choices
        ]
        yield match.start(), match.end(), match[0], fitting[0] if fitting else ""


def setup(app: Any) -> dict[str, bool]:
    """Let Sphinx link the citations."""
    app.connect("doctree-resolved", _link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _link(app: Any, doctree: Any, page: str) -> None:
    """Turn the citations in the text of a page into links."""
    from docutils import nodes  # noqa: PLC0415 - the tests read the citations without it

    if page == PAGE:
        return
    known = entries((app.srcdir / f"{PAGE}.md").read_text(encoding="utf-8"))
    address = app.builder.get_relative_uri(page, PAGE)
    within = (nodes.reference, nodes.literal, nodes.literal_block, nodes.title, nodes.raw)
    for text in list(doctree.findall(nodes.Text)):
        parent = text.parent
        if any(isinstance(parent, kind) for kind in within) or any(True for _ in _above(parent, within)):
            continue
        parts: list[Any] = []
        end = 0
        for start, stop, words, anchor in citations(str(text), known):
            if anchor:
                parts += [nodes.Text(str(text)[end:start])]
                parts += [nodes.reference("", words, refuri=f"{address}#{anchor}", internal=True)]
                end = stop
        if parts:
            parent.replace(text, [*parts, nodes.Text(str(text)[end:])])


def _above(node: Any, kinds: tuple[type, ...]) -> Iterator[Any]:
    while node is not None:
        if isinstance(node, kinds):
            yield node
        node = node.parent
