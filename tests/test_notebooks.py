"""The example notebooks print what they show."""

import importlib.util
import warnings
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def _tool():
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "tools" / "notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_three():
    """Each has a title and pictures or tables to show."""
    assert len(NOTEBOOKS) >= 3
    for path in NOTEBOOKS:
        cells = nbformat.read(path, as_version=4).cells
        assert cells[0].source.startswith("# ")
        assert all(cell.outputs for cell in cells[-1:] if cell.cell_type == "code")


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path):
    """Run anew, every cell prints what is stored (``python tools/notebooks.py`` stores it)."""
    tool = _tool()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the kernel's, not ours
        again = tool.execute(path)
    assert tool.printed(again) == tool.printed(nbformat.read(path, as_version=4))
