"""The command line: the same answers from a shell."""

from assay.cli.main import main

__all__ = ["main"]
