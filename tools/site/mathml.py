"""Formulas as MathML, made in the build: a reader needs no script and no network, only the font beside."""

from __future__ import annotations

import importlib.util
import logging
import re
from pathlib import Path
from typing import Any

import latex2mathml.converter
from fontTools import subset
from fontTools.ttLib import TTFont

__all__ = ["convert", "setup", "write_font"]

FONT = "STIXTwoMath-Regular.woff"


def convert(latex: str, *, display: bool) -> str:
    """Return LaTeX as a MathML element that keeps the LaTeX for whoever copies it."""
    element = latex2mathml.converter.convert(latex, display="block" if display else "inline")
    label = latex.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return element.replace("<math ", f'<math class="formula" aria-label="{label}" ', 1)


def _inline(translator: Any, node: Any) -> None:
    from docutils import nodes  # noqa: PLC0415

    translator.body.append(convert(node.astext(), display=False))
    raise nodes.SkipNode


def _block(translator: Any, node: Any) -> None:
    from docutils import nodes  # noqa: PLC0415

    translator.body.append(f'<div class="formula">{convert(node.astext(), display=True)}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer with Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_font(site: Path) -> None:
    """Write the letters of the site's formulas as a web font: a subset of STIX Two Math."""
    letters = {"0", "1", "x", "y", "n"}
    for page in site.rglob("*.html"):
        for element in re.findall(r"<math .*?</math>", page.read_text(encoding="utf-8"), re.DOTALL):
            letters |= {*re.sub(r"<[^>]+>", "", element)}
    text = "".join(letters)
    text += "".join(_italic(letter) for letter in letters)
    package = importlib.util.find_spec("ziamath")
    if package is None or package.origin is None:
        raise SystemExit("tools/site: ziamath is not installed, whose font formulas are shown in: make site")
    font = TTFont(Path(package.origin).parent / "fonts" / "STIXTwoMath-Regular.ttf")
    options = subset.Options(flavor="woff", layout_features=["*"], notdef_outline=True)
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=text)
    subsetter.subset(font)
    font.flavor = "woff"
    font.save(site / "_static" / FONT)


def _italic(letter: str) -> str:
    """Return the mathematical italic of a letter, which browsers show a single one as."""
    if letter == "h":
        return "\u210e"
    for first, start in (("A", 0x1D434), ("a", 0x1D44E), ("\u0391", 0x1D6E2), ("\u03b1", 0x1D6FC)):
        if 0 <= ord(letter) - ord(first) < 26:  # noqa: PLR2004 - letters of an alphabet
            return chr(start + ord(letter) - ord(first))
    return letter
