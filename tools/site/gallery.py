"""The gallery: every plot and the interactive page of every task, drawn in the build, each with the lines that made it."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

import assay

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["write"]

PICTURES = Path(__file__).with_name("gallery.toml")
HEAD = """# Gallery

Every plot, and the interactive page of every kind of prediction, each with the lines that draw it. Plots need Matplotlib
(`pip install 'assay-metrics[plots]'`), return its axes and take `ax=`; [the page on plots](../how-to/plots.md) says what each of them shows.
A section begins with its data, which its lines use.
"""


def write(pages: Path) -> int:
    """Write ``gallery``, its pictures and its pages; return how many pictures there are."""
    folder = pages / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    sections = tomllib.loads(PICTURES.read_text(encoding="utf-8"))["section"]
    _check_complete(sections)
    text, count = [HEAD], 0
    before = Path.cwd()
    with mpl.rc_context({"svg.hashsalt": "assay", "savefig.bbox": "tight"}):
        try:
            os.chdir(folder)  # lines such as ev.report("binary.html") write there
            for section in sections:
                names: dict[str, Any] = {}
                exec(section["data"], names)  # noqa: S102 - our own lines
                text += [f"## {section['title']}", "", "```python", section["data"].strip(), "```", ""]
                for number, entry in enumerate(section["picture"], count):
                    text += [f"### {entry['title']}", "", *_entry(entry, names, f"picture-{number}"), ""]
                count += len(section["picture"])
        finally:
            os.chdir(before)
    for ledger in folder.glob("*.db"):
        ledger.unlink()
    (folder / "index.md").write_text("\n".join(text), encoding="utf-8")
    return count


def _entry(entry: dict[str, str], names: dict[str, Any], file: str) -> list[str]:
    """Run the lines of an entry; return its picture, or its page in a frame, and the lines."""
    lines = entry["lines"].strip()
    plt.close("all")
    np.random.seed(0)  # noqa: NPY002 - nothing should draw from it; if something does, the picture stays the same
    exec(lines, names)  # noqa: S102 - our own lines
    code = ["```python", lines, "```"]
    if page := entry.get("page"):
        if not Path(page).stat().st_size:
            raise SystemExit(f"gallery: {page} is empty")
        frame = f'<iframe class="page-example" loading="lazy" src="{page}" title="{entry["title"]}"></iframe>'
        return [
            *code,
            "",
            "```{raw} html",
            frame,
            "```",
            "",
            f"<a href='{page}'>Open this page by itself</a>",
        ]
    figure: Figure = plt.gcf()
    if not figure.axes:
        raise SystemExit(f"gallery: nothing was drawn by {lines}")
    figure.savefig(f"{file}.svg", metadata={"Date": None})
    plt.close("all")
    return [f"![{entry['title']}, as the lines below draw it]({file}.svg)", "", *code]


def _check_complete(sections: list[dict[str, Any]]) -> None:
    """Raise where a public plot has no picture, or an entry more than three lines."""
    lines = [entry["lines"] for section in sections for entry in section["picture"]]
    every = "\n".join(lines)
    missing = [
        name
        for name in assay.plots.__all__
        if name != "Plots" and f"plots.{name}(" not in every and f".plot.{name}(" not in every
    ]
    if missing:
        raise SystemExit(f"gallery.toml: no picture of {', '.join(missing)}")
    if long := [text for text in lines if len(text.strip().splitlines()) > 3]:  # noqa: PLR2004 - three lines
        raise SystemExit(f"gallery.toml: more than three lines: {long[0]}")
