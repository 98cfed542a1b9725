"""Words that authors put to kappa and AUC: hints, shown only on request.

Their authors called them arbitrary. Kappa falls where one class is rare and changes with the number of
classes; an AUC does not depend on prevalence, costs and calibration. So a word never stands without the
value, its interval and the name of the scale, and an interval that spans several bands gets all their words.
"""

from __future__ import annotations

import bisect
import dataclasses
import math
from typing import Literal

from assay.errors import MetricError
from assay.metrics.undefined import Undefined, Value

__all__ = ["SCALES", "InterpretationScale", "band", "hint"]


@dataclasses.dataclass(frozen=True, slots=True)
class InterpretationScale:
    """Bands of a metric's values with a word for each, and who proposed them.

    An edge belongs to the band above it where the scale is closed on the left, else to the one below.
    """

    name: str
    metric: Literal["kappa", "auc"]
    source: str
    closed: Literal["left", "right"]
    edges: tuple[float, ...]
    words: tuple[str, ...]

    def band_index(self, value: float) -> int:
        """Return the index of a value's band, from the lowest."""
        lowest = -1 if self.metric == "kappa" else 0
        if not lowest <= value <= 1:
            raise MetricError(f"{value!r} is no {self.metric}, which lies between {lowest} and 1.")
        bisect_edges = bisect.bisect_right if self.closed == "left" else bisect.bisect_left
        return bisect_edges(self.edges, value)


_BELOW_CHANCE = "below chance: check the direction of the scores"
_JUST_BELOW_0 = math.nextafter(0, -1)  # 0 itself belongs to the band above, on a scale closed on the right
_JUST_ABOVE_HALF = math.nextafter(0.5, 1)  # 0.5 itself is a band

#: The scales of words by name.
SCALES = {
    scale.name: scale
    for scale in (
        InterpretationScale(
            "landis-koch", "kappa", "Landis and Koch (1977)", "right",
            (_JUST_BELOW_0, 0.2, 0.4, 0.6, 0.8),
            ("poor", "slight", "fair", "moderate", "substantial", "almost perfect"),
        ),
        InterpretationScale(
            "altman", "kappa", "Altman (1991)", "right",
            (0.2, 0.4, 0.6, 0.8), ("poor", "fair", "moderate", "good", "very good"),
        ),
        InterpretationScale(
            "fleiss", "kappa", "Fleiss (1981)", "right",
            (0.4, 0.75), ("poor", "fair to good", "excellent"),
        ),
        InterpretationScale(
            "teaching-kappa", "kappa", "a scale of teaching texts", "left",
            (0.2, 0.4, 0.6, 0.8), ("poor", "fair", "moderate", "good", "very good"),
        ),
        InterpretationScale(
            "hosmer-lemeshow", "auc", "Hosmer, Lemeshow and Sturdivant (2013)", "left",
            (0.5, _JUST_ABOVE_HALF, 0.7, 0.8, 0.9),
            (_BELOW_CHANCE, "no discrimination", "poor", "acceptable", "excellent", "outstanding"),
        ),
        InterpretationScale(
            "letters", "auc", "Tape, Interpreting Diagnostic Tests", "left",
            (0.5, 0.6, 0.7, 0.8, 0.9),
            (_BELOW_CHANCE, "F (fail)", "D (poor)", "C (fair)", "B (good)", "A (excellent)"),
        ),
        InterpretationScale(
            "teaching-auc", "auc", "a scale of teaching texts", "left",
            (0.5, 0.6, 0.7, 0.8, 0.9),
            (
                _BELOW_CHANCE, "F (no discrimination)", "D (poor)", "C (acceptable/fair)",
                "B (excellent/good)", "A (outstanding)",
            ),
        ),
    )
}  # fmt: skip


def band(
    value: Value, scale: str | InterpretationScale, *, low: float | None = None, high: float | None = None
) -> str | None:
    """Return the word for a value, or a range of words where its interval spans bands; None if undefined.

    Parameters
    ----------
    value
        A kappa or an area.
    scale
        The name of a scale in ``SCALES``, or a scale of your own.
    low, high
        The limits of the value's interval.

    Returns
    -------
    str or None
        The word, or the first and the last of several.

    Raises
    ------
    MetricError
        There is no scale of that name, or the value cannot be one of its metric.

    Examples
    --------
    >>> band(0.887, "altman"), band(0.887, "landis-koch")
    ('very good', 'almost perfect')
    >>> band(0.62, "landis-koch", low=0.55, high=0.69)
    'moderate to substantial'
    """
    chosen = _scale(scale)
    if isinstance(value, Undefined) or math.isnan(value):
        return None
    bands = [chosen.band_index(number) for number in (value, low, high) if number is not None]
    first, last = chosen.words[min(bands)], chosen.words[max(bands)]
    return first if first == last else f"{first} to {last}"


def hint(
    value: Value, scale: str | InterpretationScale, *, low: float | None = None, high: float | None = None
) -> str | None:
    """Return the word as a remark that names the scale and its limits.

    Parameters
    ----------
    value
        A kappa or an area.
    scale
        The name of a scale in ``SCALES``, or a scale of your own.
    low, high
        The limits of the value's interval.

    Returns
    -------
    str or None
        The remark; None where the value is undefined.

    Raises
    ------
    MetricError
        There is no scale of that name, or the value cannot be one of its metric.

    Examples
    --------
    >>> hint(0.887, "altman")
    '"very good" on the scale of Altman (1991): a convention, not a verdict'
    """
    word = band(value, scale, low=low, high=high)
    return word and f'"{word}" on the scale of {_scale(scale).source}: a convention, not a verdict'


def _scale(scale: str | InterpretationScale) -> InterpretationScale:
    if isinstance(scale, InterpretationScale):
        return scale
    if scale not in SCALES:
        known = ", ".join(f'"{name}"' for name in SCALES)
        raise MetricError(f'there is no scale "{scale}": use {known}.')
    return SCALES[scale]
