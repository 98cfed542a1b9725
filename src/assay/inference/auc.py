"""Intervals for the area under the ROC curve, from the exact integers of a score tally."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

from assay.inference.delta import delta_interval
from assay.inference.distributions import student_quantile
from assay.inference.estimate import Estimate
from assay.inference.proportions import Interval, check_confidence, normal_quantile
from assay.metrics import Undefined, Value

if TYPE_CHECKING:
    from assay.tallies.scores import Concordance

__all__ = [
    "Area",
    "auc_estimate",
    "delong",
    "delong_interval",
    "disjoint_pairs_bound",
    "hanley_mcneil",
    "newcombe",
]

_FEW = 30  # rows of a class below which DeLong's intervals were seen to cover less than they say


class Area(NamedTuple):
    """An area under a ROC curve, its variance and how many rows of each class stand behind it."""

    value: Value
    variance: Value
    positives: int
    negatives: int


def delong(ranks: Concordance) -> Area:
    """Return the area and DeLong's variance, both correctly rounded (DeLong and others 1988).

    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1, 1], score=[0.1, 0.7, 0.7, 0.9, 0.2]))
    >>> delong(tally.concordance())
    Area(value=0.75, variance=0.08333333333333333, positives=3, negatives=2)
    """
    m, n, twice = ranks.positives, ranks.negatives, ranks.concordant
    if not m or not n:
        lacking = "positives" if not m else "negatives"
        return Area(Undefined(f"there are no {lacking}"), Undefined(f"there are no {lacking}"), m, n)
    value = twice / (2 * m * n)
    if min(m, n) < 2:  # noqa: PLR2004
        lone = "positive" if m < n else "negative"
        return Area(value, Undefined(f"a single {lone} row shows no spread"), m, n)
    # The sum over both classes of (k sum(a²) - sum(a)²) / (k - 1), with a = 2 times the rows passed, as one
    # quotient of integers.
    spread = (m * ranks.positive_squares - twice**2) * (n - 1) + (n * ranks.negative_squares - twice**2) * (
        m - 1
    )
    return Area(value, spread / (4 * m**2 * n**2 * (m - 1) * (n - 1)), m, n)


def delong_interval(
    area: Area,
    *,
    confidence: float = 0.95,
    scale: Literal["logit", "identity"] = "logit",
    student: bool = False,
) -> Interval | None:
    """Return the interval of an area from DeLong's variance, None where that is undefined or 0.

    On the logit scale (Pohar Perme and Manevski 2019), or plain and cut at 0 and 1 as pROC has it. With
    `student` the quantile is that of t with the smaller class's rows less one, for small classes.

    >>> low, high = delong_interval(Area(0.983, 3.437e-5, 183, 1207), scale="identity")
    >>> round(low, 4), round(high, 4)
    (0.9715, 0.9945)
    """
    if isinstance(area.value, Undefined) or isinstance(area.variance, Undefined):
        return None
    error, df = math.sqrt(area.variance), min(area.positives, area.negatives) - 1
    if scale == "logit":
        return delta_interval(area.value, error, (0, 1), confidence=confidence, df=df if student else None)
    if not error:
        return None
    reach = error * (student_quantile(confidence, df) if student else normal_quantile(confidence))
    return max(0.0, area.value - reach), min(1.0, area.value + reach)


def hanley_mcneil(value: float, positives: float, negatives: float) -> float:
    """Return the variance an area would have with exponential scores, for planning (Hanley and McNeil 1982).

    >>> round(hanley_mcneil(0.776786, 7, 8) ** 0.5, 6)
    0.12634
    """
    first, second = value / (2 - value), 2 * value * value / (1 + value)
    pairs = value * (1 - value)
    pairs += (positives - 1) * (first - value**2) + (negatives - 1) * (second - value**2)
    return pairs / (positives * negatives)


def newcombe(value: float, positives: float, negatives: float, *, confidence: float = 0.95) -> Interval:
    """Return Newcombe's method 5 (2006), which needs no variance and is never empty, even at 0 and 1.

    >>> low, high = newcombe(1.0, 20, 30)
    >>> round(low, 6), high
    (0.915939, 1.0)
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - SciPy takes its time to load

    if value < 0.5:  # noqa: PLR2004 - the formula is the same seen from the other side
        low, high = newcombe(1 - value, positives, negatives, confidence=confidence)
        return 1 - high, 1 - low
    z = normal_quantile(confidence)
    half = (positives + negatives) / 2 - 1
    share = z * z / (positives * negatives)

    def spread(theta: float) -> float:  # z² times the variance, without its factor 1 - theta
        return share * theta * (1 + half * (1 - theta) / (2 - theta) + half * theta / (1 + theta))

    def short(theta: float) -> float:
        if value >= 1:
            return 1 - theta - spread(theta)
        return (value - theta) ** 2 - (1 - theta) * spread(theta)

    exact = {"xtol": 1e-16, "rtol": 8.9e-16}
    low = float(brentq(short, 0.0, value, **exact))
    high = 1.0 if value >= 1 else float(brentq(short, value, 1.0, **exact))
    return low, high


def disjoint_pairs_bound(
    positives: int, negatives: int, *, confidence: float = 0.95, one_sided: bool = False
) -> float:
    """Return what the area is at least if the classes do not overlap, assuming nothing of the scores.

    As many disjoint pairs as the smaller class has rows were all in order: the
    lower limit of Clopper and Pearson 1934.

    >>> round(disjoint_pairs_bound(20, 30), 6)
    0.831567
    """
    tail = 1 - confidence if one_sided else (1 - confidence) / 2
    return float(tail ** (1 / min(positives, negatives)))


def auc_estimate(ranks: Concordance, *, confidence: float = 0.95, student: bool = False) -> Estimate:
    """Return the area with its interval: logit-DeLong, or Newcombe's method 5 at perfect separation.

    It is never [1, 1]. The note says what was done and what to mind.

    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 0, 0, 1, 1, 1], score=[1, 2, 3, 4, 5, 6]))
    >>> found = auc_estimate(tally.concordance())
    >>> found, found.method
    (1 [0.501, 1], 'Newcombe method 5')
    """
    check_confidence(confidence)
    area = delong(ranks)
    n = area.positives + area.negatives
    if isinstance(area.value, Undefined):
        return Estimate(area.value, None, None, confidence, "DeLong", n)
    notes = ["below 0.5: the scores rank backwards"] if area.value < 0.5 else []  # noqa: PLR2004
    if area.value in (0.0, 1.0):
        low, high = newcombe(area.value, area.positives, area.negatives, confidence=confidence)
        notes.append("the classes do not overlap, so DeLong's variance is 0")
        return Estimate(area.value, low, high, confidence, "Newcombe method 5", n, "; ".join(notes))
    if isinstance(area.variance, Undefined):
        notes.append(area.variance.reason)
        return Estimate(area.value, None, None, confidence, "DeLong", n, "; ".join(notes))
    found = delong_interval(area, confidence=confidence, student=student)
    if found is None:
        notes.append("the scores are constant, so the area has no spread")
        return Estimate(area.value, None, None, confidence, "DeLong", n, "; ".join(notes))
    if min(area.positives, area.negatives) < _FEW:
        notes.append(f"fewer than {_FEW} rows of a class: the interval may cover less than it says")
    method = "logit-DeLong" + (" with Student's t" if student else "")
    return Estimate(area.value, *found, confidence, method, n, "; ".join(notes), math.sqrt(area.variance))
