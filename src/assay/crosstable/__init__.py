"""The cross table: counts of actual against predicted labels, with shares, residuals and tests."""

from assay.crosstable.crosstable import CrossTable

__all__ = ["CrossTable"]
