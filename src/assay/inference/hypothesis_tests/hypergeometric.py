"""The first cell of a table of two rows and two columns, given the totals: chances, mean, tails.

Chances are built from the deviance of binomial ones (Loader 2000), whose terms are small where the chance is
not, so that a table of billions loses hardly a digit. Sums run over what matters of the range only.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Hypergeometric", "log_binomial"]

_MAX_VALUES_AT_ONCE = 512  # whose chances are computed in less time than a search for the unlikely ones takes
_TIE_TOLERANCE = 1e-7  # relative; chances this near count as equal, as in R
_NEGLIGIBLE_LOG_RATIO = 60.0  # a term this much smaller in the logarithm does not show in a sum
_CHUNK = 4096
_MAX_FOR_SERIES = 0.01  # below this, (1 + d) log(1 + d) - d is taken as a series: the difference would cancel
_SERIES_COEFFICIENTS = [(-1) ** k / (k * (k - 1)) for k in range(2, 12)]


def log_binomial(x: Any, n: float, p: float, q: float) -> Any:
    """Return the logarithm of the chance of x hits among n, where q is 1 - p.

    >>> round(math.exp(log_binomial(2, 4, 0.5, 0.5)), 12)
    0.375
    """
    x = np.asarray(x, dtype=np.float64)
    rest = n - x
    inner = (x > 0) & (rest > 0)
    # At the ends Stirling's formula has nothing to correct: there the chance is a plain power.
    hits, misses = np.where(inner, x, 1.0), np.where(inner, rest, 1.0)
    spread = _stirling(np.asarray(float(n))) - _stirling(hits) - _stirling(misses)
    distance = _deviance(x, n * p) + _deviance(rest, n * q)
    scale = 0.5 * np.log(n / (2 * math.pi * hits * misses)) if n else 0.0
    return np.where(inner, spread + scale, 0.0)[()] - distance


@dataclasses.dataclass(frozen=True)
class Hypergeometric:
    """How many of `column` drawn rows fall into the first row of the table, of `first` and `second` rows.

    >>> lady_tasting_tea = Hypergeometric(4, 4, 4)
    >>> round(lady_tasting_tea.at_least(3) * 70)
    17
    """

    first: int
    second: int
    column: int

    @property
    def low(self) -> int:
        """The smallest possible value."""
        return max(0, self.column - self.second)

    @property
    def high(self) -> int:
        """The largest possible value."""
        return min(self.first, self.column)

    @functools.cached_property
    def mode(self) -> int:
        """The likeliest value."""
        return (self.first + 1) * (self.column + 1) // (self.first + self.second + 2)

    def log_chance(self, x: Any) -> Any:
        """Return the logarithm of the chance of a value."""
        n = self.first + self.second
        p, q = (self.column / n, (n - self.column) / n) if n else (0.0, 1.0)
        rows = log_binomial(x, self.first, p, q) + log_binomial(
            self.column - np.asarray(x), self.second, p, q
        )
        return rows - log_binomial(self.column, n, p, q)

    def at_least(self, x: int) -> float:
        """Return the chance of a value or a larger one."""
        return self._tail(x, 1) if x > self.mode else 1 - self._tail(x - 1, -1)

    def at_most(self, x: int) -> float:
        """Return the chance of a value or a smaller one."""
        return self._tail(x, -1) if x < self.mode else 1 - self._tail(x + 1, 1)

    def as_unlikely(self, x: int) -> float:
        """Return the chance of a value or of any that is no likelier."""
        if self.high - self.low < _MAX_VALUES_AT_ONCE:
            chances = self.log_chance(np.arange(self.low, self.high + 1, dtype=np.float64))
            unlikely_ones = chances <= chances[x - self.low] + math.log1p(_TIE_TOLERANCE)
            return 1.0 if unlikely_ones.all() else min(1.0, float(np.exp(chances[unlikely_ones]).sum()))
        limit = float(self.log_chance(x)) + math.log1p(_TIE_TOLERANCE)
        if self.log_chance(self.mode) <= limit:
            return 1.0

        def unlikely(value: int) -> bool:
            return bool(self.log_chance(value) <= limit)

        below = _last(unlikely, self.low - 1, self.mode)
        above = -_last(lambda value: unlikely(-value), -self.high - 1, -self.mode)
        return min(1.0, self._tail(below, -1) + self._tail(above, 1))

    def _tail(self, start: int, step: int) -> float:
        """Return the chance of a value and all beyond it, which must lie away from the mode."""
        if not self.low <= start <= self.high:
            return 0.0
        end = self.low if step < 0 else self.high
        largest, total, chunk = float(self.log_chance(start)), 0.0, _CHUNK
        while (end - start) * step >= 0:
            last = min(start + step * (chunk - 1), end) if step > 0 else max(start - chunk + 1, end)
            terms = self.log_chance(np.arange(start, last + step, step, dtype=np.float64)) - largest
            total += float(np.exp(terms).sum())
            if terms[-1] < -_NEGLIGIBLE_LOG_RATIO:
                break
            start, chunk = last + step, 2 * chunk
        return math.exp(largest) * total

    def tilted(self, log_odds: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the values that matter, and their chances, for a true odds ratio."""
        mode = self._tilted_mode(log_odds)
        below, above = (self._climbed(mode, step, log_odds) for step in (-1, 1))
        values = mode + np.arange(-len(below), len(above) + 1, dtype=np.float64)
        chances = np.exp(np.concatenate([below[::-1], [0.0], above]))
        return values, chances / chances.sum()

    def _climbed(self, mode: int, step: int, log_odds: float) -> NDArray[np.float64]:
        """Return the log chances of the values on one side of the mode, against the mode's own."""
        end, chunk, reached = (self.low if step < 0 else self.high), _CHUNK, 0.0
        parts: list[NDArray[np.float64]] = [np.zeros(0)]
        while mode != end and reached > -_NEGLIGIBLE_LOG_RATIO:
            size = min(chunk, (end - mode) * step)
            lower = mode + step * np.arange(size, dtype=np.float64) - (step < 0)
            rise = np.log(
                (self.first - lower) * (self.column - lower)
                / ((lower + 1) * (self.second - self.column + lower + 1))
            )  # fmt: skip
            parts.append(reached + np.cumsum(step * (rise + log_odds)))
            mode, chunk, reached = mode + step * size, 2 * chunk, float(parts[-1][-1])
        return np.concatenate(parts)

    def _tilted_mode(self, log_odds: float) -> int:
        """Return the likeliest value for a true odds ratio: the last that is likelier than the one before."""

        def rises(value: int) -> bool:
            into = (self.first - value + 1) * (self.column - value + 1)
            out_of = value * (self.second - self.column + value)
            return out_of == 0 or (into > 0 and math.log(into / out_of) + log_odds > 0)

        return _last(rises, self.low, self.high + 1)


def _last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the last whole number for which something holds that holds at `low` and no more at `high`."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _deviance(x: Any, mean: float) -> Any:
    """Return x log(x / mean) - x + mean, right also where the two are near."""
    if not mean:
        return np.where(x > 0, math.inf, 0.0)
    relative = (x - mean) / mean
    inner = np.where(relative > -1, relative, 0.0)
    plain = np.where(relative > -1, (1 + inner) * np.log1p(inner) - inner, 1.0)
    near = np.where(np.abs(relative) < _MAX_FOR_SERIES, relative, 0.0)
    series = near * near * np.polynomial.polynomial.polyval(near, _SERIES_COEFFICIENTS)
    return mean * np.where(near == 0, plain, series)


def _stirling(n: Any) -> Any:
    """Return what Stirling's formula lacks of log n!."""
    from scipy.special import gammaln  # noqa: PLC0415 - SciPy takes its time to load

    few = 16.0  # below, the plain difference is as good; above, five terms of the series are
    large = np.maximum(n, few)
    square = large * large
    series = (
        1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square
    ) / large
    if np.all(n >= few):
        return series
    small = np.clip(n, 1.0, few)
    plain = gammaln(small + 1) - (small + 0.5) * np.log(small) + small - 0.5 * math.log(2 * math.pi)
    return np.where(n < few, plain, series)
