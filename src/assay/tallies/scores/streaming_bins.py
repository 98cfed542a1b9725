"""Bins of scores that grow where they are, batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay import kernels
from assay.tallies.scores.binned import BinnedScores, cell_edges, checked_bits, score_columns
from assay.tallies.scores.scores import same_positive, with_labels

if TYPE_CHECKING:
    from assay.inputs import Label, Rows

__all__ = ["RunningBins"]


class RunningBins:
    """The tally of rows that come batch by batch, counted in place: equal to that of all of them at once.

    A tally of every batch, and merging them, would cost more than counting its rows does. It takes 20 bytes
    a cell, 5 MiB at 18 bits.

    >>> import assay
    >>> batches = [assay.rows(actual=[0, 1], score=[0.1, 0.7]), assay.rows(actual=[0, 1], score=[0.7, 0.9])]
    >>> running = RunningBins()
    >>> for batch in batches:
    ...     running.add(batch)
    >>> running.tally() == assay.merge(map(assay.BinnedScores.of, batches))
    True
    """

    def __init__(self, bits: int = 18) -> None:
        self.bits = checked_bits(bits)
        # Written to for every row: half as wide a table is twice as near to the processor.
        self._recent = np.zeros((len(cell_edges(bits)), 2), dtype=np.uint16)
        self._counts = np.zeros(self._recent.shape, dtype=np.int64)
        self._positive: Label | None = None
        self._weighted = BinnedScores(bits)

    def add(self, rows: Rows) -> None:
        """Count some more rows."""
        actual, score, values = score_columns(rows)
        if rows.weight is not None:
            self._weighted = self._weighted.merge(BinnedScores.of(rows, self.bits))
        elif len(rows):
            tables = self._recent, self._counts
            result, positive = with_labels(
                rows, actual, lambda labels: kernels.add_scores(*tables, values, labels, self.bits)
            )
            if result[0] >= 0:
                score.raise_missing(result[0])
            self._positive = same_positive(self._positive, positive)

    def tally(self) -> BinnedScores:
        """Return the tally of all rows so far."""
        counted = BinnedScores.of_table(self.bits, self._positive, self._counts + self._recent)
        return counted.merge(self._weighted)
