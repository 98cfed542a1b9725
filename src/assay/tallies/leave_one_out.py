"""What is left of a tally without each of its parts in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.tallies import Scores
from assay.tallies.scores.scores import narrowed
from assay.tallies.tally import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.tallies import Tally

__all__ = ["rests"]


def rests(whole: Tally, parts: Sequence[Tally]) -> Iterator[Tally]:
    """Yield the tally of all other parts for each part; the parts together are the whole.

    One by one, because each may be as large as the whole.

    >>> import assay
    >>> parts = [assay.Confusion.of(assay.rows(actual=[x], predicted=[1])) for x in (0, 1, 1)]
    >>> [rest.n for rest in rests(assay.merge(parts), parts)]
    [2, 2, 2]
    """
    if isinstance(whole, Scores) and whole.weights is None:
        yield from (_less(whole, part) for part in parts if isinstance(part, Scores))
        return
    # What lies before a part and what lies after it: each is merged once, so that the cost stays linear.
    after = [type(parts[0]).empty()]
    for part in parts[:0:-1]:
        after.append(part.merge(after[-1]))
    before = type(parts[0]).empty()
    for part in parts:
        yield before.merge(after.pop())
        before = before.merge(part)


def _less(whole: Scores, part: Scores) -> Scores:
    """Return scores without those of a part: counts are whole numbers, so that nothing is lost."""
    places = np.searchsorted(whole.scores, part.scores)
    sides = []
    for mine, theirs in ((whole.positives, part.positives), (whole.negatives, part.negatives)):
        left = mine.copy()
        left[places] -= theirs.astype(left.dtype)
        sides.append(left)
    kept = (sides[0] > 0) | (sides[1] > 0)
    sides = [side[kept] for side in sides]
    size = np.min_scalar_type(max(int(side.max(initial=0)) for side in sides))
    positives, negatives = (frozen(side.astype(size)) for side in sides)
    scores = narrowed(whole.scores[kept])
    return Scores(whole.positive if len(scores) else None, scores, None, positives, negatives)
