"""The command line: the same answers from a shell."""

from assay.cli.program import main

__all__ = ["main"]
