"""The scripts that make the documentation site, for tests: they are no package."""

import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "tools" / "site"


def site_tool(name):
    """Import a script of tools/site that needs nothing of the site's generator."""
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(FOLDER))
