"""Engines that read files, databases and clusters batch by batch into tallies."""

from assay.engines.file_formats import source
from assay.engines.local_scan import Scan, scan
from assay.engines.read_columns import read
from assay.engines.sources import Source

__all__ = ["Scan", "Source", "read", "scan", "source"]
