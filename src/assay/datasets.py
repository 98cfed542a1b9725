"""Bundled data for examples: the messages of a spam filter."""

from __future__ import annotations

import numpy as np

from assay import kernels
from assay.inputs import Rows, rows

__all__ = ["messages"]

_COUNTS = ((1202, 5), (29, 154))  # actual ham, spam by predicted ham, spam


def messages(version: int = 0) -> Rows:
    """Return 1,390 messages as a spam filter classified them, with scores.

    The counts of labels are those of a real filter; the scores are random numbers that agree with them, the
    same on every machine. Another `version` of the filter has other scores for the same messages,
    and predicts by them.

    Parameters
    ----------
    version
        The number of the filter's version.

    Returns
    -------
    Rows
        Actual and predicted labels, and scores.

    Examples
    --------
    >>> data = messages()
    >>> data.n, data.positive
    (1390, 'spam')
    """
    actual, predicted = np.divmod(np.repeat(np.arange(4), np.ravel(_COUNTS)), 2)
    drawn = kernels.random_words(2026, 0, 0, len(actual)) / 2.0**64
    score = np.where(predicted == 1, 1 - 0.5 * drawn**3, 0.5 * drawn**3)
    if version:
        moved = kernels.random_words(2026, 1 + version, 0, len(actual)) / 2.0**64 - 0.5
        score = np.clip(score + 0.2 * (actual - 0.5) * drawn + 0.3 * moved, 0, 1)
        predicted = (score >= 0.5).astype(np.int64)  # noqa: PLR2004 - where the filter cuts
    names = np.array(["ham", "spam"])
    shuffled = np.argsort(kernels.random_words(2026, 1, 0, len(actual)))
    return rows(
        {"actual": names[actual], "predicted": names[predicted], "score": score},
        actual="actual", predicted="predicted", score="score", positive="spam",
    ).take(shuffled)  # fmt: skip
