"""Who walks the rows: files and data beyond memory, batch by batch, into tallies."""

from assay.engines.files import source
from assay.engines.local import Scan, scan
from assay.engines.reading import read
from assay.engines.sources import Source

__all__ = ["Scan", "Source", "read", "scan", "source"]
