"""Leave-one-out tallies: the whole without each of its parts in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.tallies import Scores
from assay.tallies.scores.scores import narrowed
from assay.tallies.tally import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.tallies import Tally

__all__ = ["leave_one_out_tallies"]


def leave_one_out_tallies(
    whole: Tally, parts: Sequence[Tally], indices: Sequence[int] | None = None
) -> Iterator[Tally]:
    """Yield, for each part, the tally of all other parts; the parts together are the whole.

    With rising `indices`, only for the parts there.

    A generator, because each of these tallies may be as large as the whole.

    >>> import assay
    >>> parts = [assay.Confusion.of(assay.rows(actual=[x], predicted=[1])) for x in (0, 1, 1)]
    >>> [rest.n for rest in leave_one_out_tallies(assay.merge(parts), parts)]
    [2, 2, 2]
    """
    if isinstance(whole, Scores) and whole.weights is None:
        chosen = parts if indices is None else [parts[index] for index in indices]
        yield from (_subtract(whole, part) for part in chosen if isinstance(part, Scores))
        return
    wanted = set(range(len(parts)) if indices is None else indices)
    # Merge the parts before and after each part incrementally, so that the cost stays linear.
    after = [type(parts[0]).empty()]
    for part in parts[:0:-1]:
        after.append(part.merge(after[-1]))
    before = type(parts[0]).empty()
    for index, part in enumerate(parts):
        others = after.pop()
        if index in wanted:
            yield before.merge(others)
        before = before.merge(part)


def _subtract(whole: Scores, part: Scores) -> Scores:
    """Return scores without those of a part; exact, because counts are whole numbers."""
    indices = np.searchsorted(whole.scores, part.scores)
    sides = []
    for whole_counts, part_counts in ((whole.positives, part.positives), (whole.negatives, part.negatives)):
        rest = whole_counts.copy()
        rest[indices] -= part_counts.astype(rest.dtype)
        sides.append(rest)
    remaining = (sides[0] > 0) | (sides[1] > 0)
    sides = [side[remaining] for side in sides]
    dtype = np.min_scalar_type(max(int(side.max(initial=0)) for side in sides))
    positives, negatives = (frozen(side.astype(dtype)) for side in sides)
    scores = narrowed(whole.scores[remaining])
    return Scores(whole.positive if len(scores) else None, scores, None, positives, negatives)
