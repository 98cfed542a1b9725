"""The file itself: data, style and script in one document that may load nothing and run nothing else."""

from __future__ import annotations

import base64
import functools
import hashlib
import importlib.resources
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from assay.formatting.result_table import escape_html
from assay.output_files import write_file

if TYPE_CHECKING:
    import os

__all__ = ["PAGE", "Assets", "as_html", "as_still_html", "content_policy", "write"]


class Assets(NamedTuple):
    """The scripts and styles of a document in their order, as paths within the package."""

    scripts: tuple[str, ...]
    styles: tuple[str, ...]
    has_forms: bool = False  # that are sent to where the document came from


PAGE: Final = Assets(
    tuple(
        f"reports/page/{name}.js"
        for name in (
            *("data", "elements", "downloads", "charts", "threshold", "counts", "curves", "costs"),
            *("tables", "classes", "labels", "numbers", "models", "page"),
        )
    ),
    ("reports/page/page.css",),
)
# What would end the data's element or begin another, and what old parsers take for the end of a line.
_ESCAPED = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def as_html(page: dict[str, Any], still: str = "", assets: Assets = PAGE) -> str:
    """Return the document of a page's plain data; `still` is what is shown where scripts do not run.

    >>> "alert" in as_html({"title": "<script>alert(1)</script>"}).split("<script")[0]
    True
    >>> as_html({"title": "<script>alert(1)</script>"}).count("<script>")
    1
    """
    data = json.dumps(page, allow_nan=False, separators=(",", ":")).translate(_ESCAPED)
    filled = {
        "policy": escape_html(content_policy(assets)),
        "title": escape_html(page.get("title", "")),
        "style": _style(assets.styles),
        "still": still,
        "data": data,
        "script": _script(assets.scripts),
    }
    return _filled("reports/page/page.html", filled)


def as_still_html(title: str, body: str, styles: tuple[str, ...]) -> str:
    """Return a document without scripts; `body` is its HTML, of which every text has been escaped.

    >>> "script" in as_still_html("<b>", "<p>body</p>", ())
    False
    """
    policy = f"default-src 'none'; style-src '{_digest(_style(styles))}'; base-uri 'none'; form-action 'none'"
    filled = {
        "policy": escape_html(policy), "title": escape_html(title), "style": _style(styles), "body": body,
    }  # fmt: skip
    return _filled("reports/page/still.html", filled)


def _filled(template: str, filled: dict[str, str]) -> str:
    """Return a template with its places filled in one walk: nothing that was filled in is a place."""
    pieces = _text(template).split("{{")
    return pieces[0] + "".join(
        filled[name] + rest for name, _, rest in (piece.partition("}}") for piece in pieces[1:])
    )


@functools.cache
def content_policy(assets: Assets) -> str:
    """Return what a document may do: run its own scripts and load nothing."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_digest(_script(assets.scripts))}'",
            f"style-src '{_digest(_style(assets.styles))}'",
            "img-src blob:",  # a chart that is saved as PNG, which the page itself has drawn
            "base-uri 'none'",
            "form-action 'self'" if assets.has_forms else "form-action 'none'",
            "require-trusted-types-for 'script'",  # the page builds elements, and never parses text into them
            "trusted-types 'none'",
        ]
    )


def write(text: str, path: str | os.PathLike[str]) -> Path:
    """Write a document to a path, whole or not at all, and return the path."""
    write_file(path, text)
    return Path(path)


@functools.cache
def _script(names: tuple[str, ...]) -> str:
    """Return the scripts as one, in a scope of its own."""
    body = "\n".join(_text(name) for name in names)
    return f'(() => {{\n"use strict";\n{body}}})();\n'


@functools.cache
def _style(names: tuple[str, ...]) -> str:
    return "\n".join(_text(name) for name in names)


@functools.cache
def _text(name: str) -> str:
    return importlib.resources.files("assay").joinpath(*name.split("/")).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
