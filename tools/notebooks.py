"""The example notebooks: ``python tools/notebooks.py`` runs them and stores what they print and draw."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbclient import NotebookClient

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["FOLDER", "execute", "printed"]

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "notebooks"


def execute(path: Path) -> NotebookNode:
    """Return a notebook with what its cells print and draw now."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(FOLDER)}}).execute()
    notebook.metadata.pop("language_info", None)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "image/png" in data:  # the text beside a picture has an address in memory
                output["data"] = {"image/png": data["image/png"]}
    return notebook


def printed(notebook: NotebookNode) -> list[list[str]]:
    """Return what each cell of code printed, without pictures."""
    return [
        [text for output in cell.outputs if (text := _text(output))]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def _text(output: Any) -> str:
    return str(output.get("text") or output.get("data", {}).get("text/plain", ""))


if __name__ == "__main__":
    wanted = sys.argv[1:]
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not wanted or path.stem in wanted:
            nbformat.write(execute(path), path)
            print(path.name)
