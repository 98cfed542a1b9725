"""What `assay.inference` exports: listed once, documented, and loaded when first used."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay import inference

PAGE = Path(assay.__file__).parents[2] / "docs" / "reference" / "inference.md"


def test_exported_names_are_listed_once_and_exist():
    """`__all__`, the lazy table and the type checker's imports name the same things."""
    tree = ast.parse(Path(inference.__file__).read_text(encoding="utf-8"))
    typed = {
        (node.module.removeprefix("assay.inference."), alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("assay.")
        for alias in node.names
    }
    assert {(home, name) for name, home in inference._HOME_OF.items()} == typed
    assert sorted(inference._HOME_OF) == sorted(inference.__all__) == dir(inference)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = inference.nonsense


@pytest.mark.parametrize("name", inference.__all__)
def test_an_exported_function_has_an_example(name):
    """Every exported function shows how it is called; no name is that of a module."""
    exported = getattr(inference, name)
    assert not inspect.ismodule(exported)
    assert inspect.isclass(exported) or ">>>" in inspect.getdoc(exported)


def test_the_page_lists_every_function():
    """docs/reference/inference.md names all that is exported."""
    if not PAGE.exists():
        pytest.skip("no sources beside the package")
    listed = set(re.findall(r"`(\w+)`", PAGE.read_text(encoding="utf-8")))
    assert set(inference.__all__) <= listed


def test_importing_inference_loads_nothing():
    """The functions' modules, and NumPy, wait for the first use."""
    script = "import sys, assay.inference; print('numpy' in sys.modules)"
    out = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert out.strip() == "False"
