"""Two models' difference under chance: rows drawn again, and outputs swapped between the models.

For metrics without a closed form, and where few rows make one doubtful. Rows that belong to a group are
drawn and swapped together.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from assay import kernels
from assay.formatting.progress import Progress
from assay.inference.bootstrap.paired_bootstrap import paired_replicates, permutation
from assay.inference.test_result import Test
from assay.inputs.columns import Column
from assay.inputs.labels import encode, label_union, translate
from assay.metrics import Ranks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.inference.differences.difference_request import DifferenceRequest
    from assay.inputs import Rows

__all__ = ["drawn_differences", "swapped"]

_TIE = 1e-12  # differences that are this near are the same but for rounding


def drawn_differences(match: DifferenceRequest) -> NDArray[np.float64]:
    """Return the difference of the metric on rows drawn again with replacement; NaN where it has none.

    Paired rows are drawn once for both models; else each model's rows for themselves.
    """
    settings = match.settings
    first, second = match.pair.first, match.pair.second
    if match.pair.paired and _plain(first):
        drawn = {"count": settings.replicates, "seed": settings.seed, **match.options}
        return _settled(match, paired_replicates(match.metric, (first, second), **drawn).difference)
    of_first, of_second = _units(first), _units(second)
    found = np.empty(settings.replicates)
    with Progress("rows drawn again", settings.replicates) as bar:
        for number in range(settings.replicates):
            mine = theirs = of_first(settings.seed, 2 * number)
            if not match.pair.paired:
                theirs = of_second(settings.seed, 2 * number + 1)
            found[number] = _value(match, second.take(theirs)) - _value(match, first.take(mine))
            bar.step()
    return _settled(match, found)


def _settled(match: DifferenceRequest, found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return differences without what rounding makes of a draw that changes nothing, which is no spread."""
    unmoved = np.abs(found - match.difference) <= _TIE * max(map(abs, match.values))
    return np.where(unmoved, match.difference, found)


def swapped(match: DifferenceRequest) -> Test:
    """Return the randomisation test: each row's outputs swapped between the models with chance one half.

    How often is the difference then as large? The rows' own pattern counts among those tried, so that p is
    never 0. Where only the order of scores counts, ranks are swapped, as scores may be of different scales.

    Fisher 1935; for models, Yeh 2000.
    """
    settings = match.settings
    first, second = match.pair.first, match.pair.second
    if match.metric.reads is Ranks and match.metric.kind == "rank":
        first, second = _ranked(first), _ranked(second)
    elif _plain(first):
        drawn = {"count": settings.replicates, "seed": settings.seed, **match.options}
        found = permutation(match.metric, (first, second), **drawn)
        return dataclasses.replace(found, method="randomisation of rows")
    roles = [role for role in ("predicted", "score") if getattr(first, role) is not None]
    joined = {role: _joined(getattr(first, role), getattr(second, role)) for role in roles}
    groups = match.pair.groups
    units = len(first) if groups is None else groups[1]
    seen = abs(match.difference) * (1 - _TIE)
    far = lacking = 0
    with Progress("outputs swapped", settings.replicates) as bar:
        for number in range(settings.replicates):
            words = kernels.random_words(settings.seed, 1, number * units, (number + 1) * units)
            swap = (words >> np.uint64(63)).astype(bool)
            if groups is not None:
                swap = swap[groups[0]]
            turned = [
                _value(
                    match,
                    dataclasses.replace(rows, **{role: pick(swap == side) for role, pick in joined.items()}),
                )
                for side, rows in ((False, first), (True, second))
            ]
            apart = abs(turned[1] - turned[0])
            lacking += bool(np.isnan(apart))
            far += bool(np.isnan(apart) or apart >= seen)  # without a value it does not speak against chance
            bar.step()
    note = f"{settings.replicates:,} swaps, seed {settings.seed}"
    if lacking:
        note += f"; {lacking:,} of them without a value"
    return Test("randomisation of rows", None, None, (far + 1) / (settings.replicates + 1), note=note)


def _plain(rows: Rows) -> bool:
    """Tell whether every row counts once and for itself: these are drawn as counts of what is alike."""
    return rows.group is None and rows.query is None and rows.weight is None


def _units(rows: Rows) -> Callable[[int, int], NDArray[np.intp]]:
    """Return what draws rows with replacement, or whole groups of them."""
    if rows.group is None:
        return lambda seed, stream: _drawn(seed, stream, len(rows))
    codes, labels = encode(rows.group)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(len(labels) + 1))

    def draw(seed: int, stream: int) -> NDArray[np.intp]:
        taken = _drawn(seed, stream, len(labels))
        return np.concatenate([order[starts[one] : starts[one + 1]] for one in taken])

    return draw


def _drawn(seed: int, stream: int, size: int) -> NDArray[np.intp]:
    words = kernels.random_words(seed, stream + 2, 0, size)
    return ((words >> np.uint64(11)) * 2.0**-53 * size).astype(np.intp)


def _value(match: DifferenceRequest, rows: Rows) -> float:
    return float(match.metric(rows, **match.options))


def _joined(first: Column, second: Column) -> Callable[[NDArray[np.bool_]], Column]:
    """Return what picks each row from the first column where it is told so, else from the second."""
    labels = None
    mine, theirs = first.values, second.values
    if first.labels is not None and second.labels is not None:
        labels = label_union(first.labels, second.labels)
        mine, theirs = (
            translate(one.labels, labels).astype(np.uint32)[one.values]  # type: ignore[arg-type]
            for one in (first, second)
        )

    def pick(taken: NDArray[np.bool_]) -> Column:
        chosen = np.where(taken if mine.ndim == 1 else taken[:, None], mine, theirs)
        return Column(first.name, chosen, labels).take(slice(None))  # labels that are not used fall away

    return pick


def _ranked(rows: Rows) -> Rows:
    """Return rows whose scores are their mean ranks, as shares of the rows."""
    score = rows.need("score", "a randomisation test")
    _, level, sizes = np.unique(score.values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[level] / len(rows)
    return dataclasses.replace(rows, score=dataclasses.replace(score, values=ranks))
