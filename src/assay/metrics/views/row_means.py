"""Metrics that are means over rows: the declaration is the loss of a row."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.errors import MetricError
from assay.metrics.metric import Kind, Metric, metric, need_tally
from assay.tallies import Losses

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Mean", "mean_metric"]


@dataclasses.dataclass(frozen=True, slots=True)
class Mean:
    """The mean of one loss over the rows, correctly rounded; NaN where a row has no loss."""

    mean: Any
    n: int
    undefined: int = 0
    infinite: int = 0
    loss: str = ""

    tally = Losses
    title = "means over rows"

    @property
    def missing_rows(self) -> str:
        """Number of rows without a loss, for the reason why the mean is undefined."""
        return f" ({self.undefined:,} of {self.n:,} rows)" if self.undefined else ""

    @classmethod
    def of(cls, tally: Any) -> Self:
        """Return the mean of a loss tally."""
        need_tally(tally, Losses)
        if tally.undefined or not tally.weight.units:
            mean = math.nan
        elif tally.infinite:
            mean = tally.least + tally.largest  # the infinite one; with both signs NaN
        else:
            mean = tally.total / tally.weight
        return cls(mean, tally.n, tally.undefined, tally.infinite, tally.loss)


def mean_metric(
    *,
    bounds: tuple[float, float],
    best: float | None,
    undefined: str,
    aliases: tuple[str, ...] = (),
    kind: Kind = "mean",
    title: str = "",
    then: Callable[[Any], Any] | None = None,
    tally: Callable[..., Losses] | None = None,
) -> Callable[[Callable[..., Any]], Metric]:
    """Declare a metric that is the mean of a loss: the decorated function gives the loss of every row.

    Its positional parameters are plain arrays (see :meth:`assay.Losses.of`); keywords are its own.
    `undefined` says of a row why it has no loss, and `then` is applied to the mean (a root, say).
    `tally` is a faster way from rows to the tally of this loss.

    Parameters
    ----------
    bounds, best
        The least and the greatest value, and the best one, or None.
    undefined
        Why a row has no loss.
    aliases
        Other names.
    kind
        What kind of quantity it is, which chooses the interval.
    title
        The name in reports.
    then
        What is applied to the mean, a root say.
    tally
        A faster way from rows to the tally of the loss.

    Returns
    -------
    Callable
        A decorator.

    Raises
    ------
    MetricError
        The declaration is not complete.

    Examples
    --------
    >>> import assay
    >>> @mean_metric(bounds=(0, float("inf")), best=0, undefined="a number is missing")
    ... def fourth_power(actual, predicted):
    ...     'The mean fourth power of the errors: ``mean((actual - predicted)^4)``.'
    ...     return (actual - predicted) ** 4
    >>> fourth_power(assay.rows(actual=[1.0, 2.0], predicted=[2.0, 4.0]))
    8.5
    """

    def declare(loss: Any) -> Metric:
        if tally is not None:
            loss.tally = tally

        def formula(view: Mean) -> Any:
            if view.loss and view.loss.split(" ", maxsplit=1)[0] != loss.__name__:
                raise MetricError(f"{loss.__name__} cannot be read from a tally of the loss {view.loss}.")
            return view.mean if then is None or np.isnan(view.mean) else then(view.mean)

        formula.__name__, formula.__doc__ = loss.__name__, loss.__doc__
        return metric(
            reads=Mean, kind=kind, bounds=bounds, best=best, undefined=undefined, aliases=aliases, loss=loss,
            title=title,
        )(formula)  # fmt: skip

    return declare
