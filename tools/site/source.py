"""The pages that Sphinx reads: a copy of ``docs``, with tables of contents that Markdown has no words for."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

__all__ = ["SECTIONS", "Section", "copy", "title", "write_navigation"]

REPOSITORY = "https://github.com/assay-metrics/assay/blob/main/"


class Section(NamedTuple):
    """A folder of pages: its title, what it has, and which pages come first; others follow by title."""

    folder: str
    title: str
    summary: str
    first: tuple[str, ...] = ()


SECTIONS = (
    Section("tutorial", "Tutorial", "From a file of predictions to a decision, step by step."),
    Section(
        "how-to", "How-to", "One page per job.",
        ("evaluating", "inputs", "slices", "decisions", "comparing", "crossval", "resampling", "judges",
         "report", "plots", "files", "clusters"),
    ),
    Section("coming-from", "Coming from", "What a call of another package is called here, and where values differ."),
    Section(
        "explanation", "Explanation", "What the numbers mean, and why they are computed so.",
        ("confidence-intervals", "intervals", "interval-methods", "coverage", "optimism", "dependent-folds", "multiple-testing",
         "ranking"),
    ),
    Section(
        "reference", "Reference", "Every metric, every function, every option.",
        ("metrics/index", "api/index", "inference", "cli"),
    ),
    Section("gallery", "Gallery", "Every picture, with the lines that draw it.", ("index",)),
    Section("maintainers", "Maintainers", "How the package is built.", ("tallies", "kernels", "planning", "site")),
)  # fmt: skip
LAST = ("glossary", "bibliography")


def copy(docs: Path, pages: Path) -> None:
    """Copy the documents, with links out of their folder turned to the repository."""
    shutil.copytree(docs, pages, ignore=shutil.ignore_patterns("notebooks"))
    for page in pages.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        text = text.replace("```r\n> ", "```rconsole\n> ")  # what R prints is not R
        text = re.sub(r"\n\n```(?=\n)", "\n```", text)  # the empty line that ends an example's output
        text = re.sub(r"\]\((?:\.\./)?notebooks/(\w+)\.ipynb\)", _notebook_link(page, pages), text)
        page.write_text(_outward(text, docs / page.relative_to(pages), docs), encoding="utf-8")


def _notebook_link(page: Path, pages: Path) -> str:
    """Return what stands for the link of a page to a notebook, which is among the tutorials here."""
    up = "../" * (len(page.relative_to(pages).parts) - 1)
    return rf"]({up}tutorial/\1.md)"


def _outward(text: str, page: Path, docs: Path) -> str:
    """Return the text with links to files outside of `docs` as links to the repository."""

    def replace(match: re.Match[str]) -> str:
        target = Path(os.path.normpath(page.parent / match[1]))
        if target.is_relative_to(docs) or not target.exists():
            return match[0]
        return f"]({REPOSITORY}{target.relative_to(docs.parent).as_posix()}{match[2] or ''})"

    return re.sub(r"\]\((\.\./[^)#\s]+)(#[^)]*)?\)", replace, text)


def title(page: Path) -> str:
    """Return a page's first heading."""
    found = re.search(r"^# +(.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1].strip() if found else page.stem


def write_navigation(pages: Path) -> None:
    """Give every section an index that lists its pages, and the home page the sections."""
    sections = [section for section in SECTIONS if (pages / section.folder).is_dir()]
    for section in sections:
        folder = pages / section.folder
        index = folder / "index.md"
        names = _ordered(folder, section.first)
        if not index.exists():
            listed = "\n".join(f"- [{title(folder / f'{name}.md')}]({name}.md)" for name in names)
            index.write_text(f"# {section.title}\n\n{section.summary}\n\n{listed}\n", encoding="utf-8")
        if section.folder != "gallery":
            _append_contents(index, names)
    last = [name for name in LAST if (pages / f"{name}.md").exists()]
    _append_contents(
        pages / "index.md", [f"{section.title} <{section.folder}/index>" for section in sections] + last
    )


def _ordered(folder: Path, first: tuple[str, ...]) -> list[str]:
    """Return the names of a section's pages: those that come first, then the others by title."""
    own = {path.stem: path for path in folder.glob("*.md") if path.stem != "index"}
    own |= {f"{path.parent.name}/index": path for path in folder.glob("*/index.md")}
    rest = sorted(own.keys() - {*first}, key=lambda name: title(own[name]).lower())
    return [name for name in first if name in own] + rest


def _append_contents(index: Path, names: list[str]) -> None:
    """Append a hidden table of contents to a page."""
    entries = "\n".join(names)
    with index.open("a", encoding="utf-8") as page:
        page.write(f"\n```{{toctree}}\n:hidden:\n:maxdepth: 2\n\n{entries}\n```\n")
