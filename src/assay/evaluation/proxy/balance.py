"""Do labelled rows look like a random sample: tests of what can be seen of all rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.formatting.numbers import p_text
from assay.formatting.width import clean
from assay.hints import param
from assay.inference.distributions import chi_square_p
from assay.inputs import encode
from assay.inputs.labels import positions
from assay.tallies import BinnedScores, Confusion, Scores
from assay.tallies.scores.scores import pooled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.evaluation.evaluation import Evaluation
    from assay.inputs import Column, Rows

__all__ = ["balance_tests", "balance_warning"]

_SMALL_P = 0.01
_FEW_VALUES = 20  # of which shares are compared, not distributions
_MIN_EXPECTED = 1.0


def balance_tests(
    labelled: Rows, stand_ins: Sequence[Column], proxies: Sequence[Evaluation]
) -> dict[str, float]:
    """Return the p-value by column of labelled rows being distributed as the others are.

    Labels and few numbers are compared by their shares (chi-square), numbers by Kolmogorov and Smirnov. What
    all rows hold is read from the tallies of the proxies' evaluations, or from their rows.
    """
    first = proxies[0]
    if len(labelled) in (0, first.n) and first.task.name != "ranking":
        return {}
    columns = [(column, "actual", proxy) for column, proxy in zip(stand_ins, proxies, strict=True)]
    columns += [
        (column, role, first)
        for role in ("predicted", "score")
        if (column := getattr(labelled, role)) is not None
    ]
    tests = {column.name: _p_value(column, role, proxy) for column, role, proxy in columns}
    return {name: p for name, p in tests.items() if not math.isnan(p)}


def balance_warning(tests: dict[str, float]) -> str:
    """Return a sentence on the columns in which labelled rows differ from the others; "" where none does.

    >>> balance_warning({"judge": 0.4, "score": 0.001})[:62]
    'Labelled rows differ from the others in score (p = 0.001): if '
    """
    differing = [f"{clean(name)} ({p_text(p)})" for name, p in tests.items() if p < _SMALL_P]
    if not differing:
        return ""
    return (
        f"Labelled rows differ from the others in {', '.join(differing)}: if they were not drawn at random, "
        f"the estimates are biased, unless {param('selection')} says how likely each row was to be labelled."
    )


def _p_value(own: Column, role: str, proxy: Evaluation) -> float:
    """Return the p-value of a column of the labelled rows; NaN where all rows no longer show it."""
    table, scores = proxy.by_name.get("confusion"), proxy.by_name.get("scores")
    if role == "score":
        if isinstance(scores, Scores) and scores.weights is None:
            few = pooled(scores, around=own.values.astype(np.float64))
            return _distribution_p(own.values, few.scores, few.positives.astype(np.int64) + few.negatives)
        if isinstance(scores, BinnedScores):
            return math.nan
    elif isinstance(table, Confusion):
        counts = table.table().sum(axis=1 if role == "actual" else 0)
        return _shares_p(own, table.labels, np.asarray(counts, dtype=np.float64))
    elif role == "actual" and isinstance(scores, Scores):
        counts = np.array([scores.negatives.sum(dtype=np.int64), scores.positives.sum(dtype=np.int64)])
        return _shares_p(own, proxy.task.labels, counts.astype(np.float64))
    rows = proxy.stored_rows
    column = None if rows is None else getattr(rows, role)
    if column is None or column.values.ndim > 1:
        return math.nan
    if column.labels is not None or column.values.dtype.kind in "biu":
        codes, labels = encode(column)
        if column.labels is not None or len(labels) <= _FEW_VALUES:
            return _shares_p(own, labels, np.bincount(codes, minlength=len(labels)).astype(np.float64))
    values, counts = np.unique(column.values.astype(np.float64), return_counts=True)
    return _distribution_p(own.values, values, counts)


def _shares_p(own: Column, labels: tuple[Any, ...], counts: NDArray[np.float64]) -> float:
    """Return the chi-square test's p-value from the labels of labelled rows and the counts of all rows."""
    codes, names = encode(own)
    if not set(names) <= set(labels):
        return math.nan
    chosen = np.bincount(positions(names, labels)[codes], minlength=len(labels))
    table = np.stack([chosen, counts - chosen])
    if not table.sum(axis=1).all():
        return math.nan
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    used = expected.min(axis=0) >= _MIN_EXPECTED
    if np.count_nonzero(used) < 2:  # noqa: PLR2004
        return math.nan
    table, expected = table[:, used], expected[:, used]
    statistic = float(((table - expected) ** 2 / expected).sum())
    return chi_square_p(statistic, table.shape[1] - 1)


def _distribution_p(own: NDArray[Any], values: NDArray[Any], counts: NDArray[np.int64]) -> float:
    """Return Kolmogorov and Smirnov's p-value of numbers of labelled rows against those of the others.

    `values` are the distinct ones of all rows, in order, and `counts` the numbers of rows with each.
    """
    from scipy.special import kolmogorov  # noqa: PLC0415 - SciPy takes its time to load

    points, chosen = np.unique(own.astype(np.float64), return_counts=True)
    first = int(chosen.sum())
    others = int(counts.sum()) - first
    if others < 1:
        return math.nan
    index = np.searchsorted(values, points)
    # The largest gap is at a labelled value or just below one: the others only rise in between.
    below = np.concatenate([[0], np.cumsum(counts)])[index]
    here = counts[index]
    labelled_below = np.cumsum(chosen) - chosen
    gaps = [
        labelled_below / first - (below - labelled_below) / others,
        (labelled_below + chosen) / first - (below + here - labelled_below - chosen) / others,
    ]
    size = first * others / (first + others)
    return float(kolmogorov(math.sqrt(size) * float(np.abs(np.stack(gaps)).max())))
