"""What all tests and examples share, those in documents and docstrings, too."""

import sys

import pytest


@pytest.fixture(autouse=True)
def _no_open_figures():
    """Close the pictures that a test or an example left open: the next one counts its own."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
