"""Shortcuts of a ledger and its history to plots and trackers, which are loaded when called for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from assay.formatting.result import Result

if TYPE_CHECKING:
    from assay.ledgers.history import History
    from assay.ledgers.ledger import Ledger

__all__ = ["HistoryShortcuts", "LedgerShortcuts"]


class HistoryShortcuts(Result):
    """The plot of a history."""

    def plot(self, metric: str | None = None, **options: Any) -> Any:
        """Draw a metric over time, a point with its interval for each evaluation (`assay.plots.trend`).

        Models have a colour each, slices where the history is one of slices.
        """
        from assay.plots.trends import trend  # noqa: PLC0415 - plots stand to the right

        return trend(cast("History", self), metric, **options)


class LedgerShortcuts:
    """The plots and trackers of a ledger."""

    def plot(self, metric: str, *, by: str | None = None, ax: Any = None, **filters: Any) -> Any:
        """Draw a metric over time by model, or with `by` by slice; `filters` are those of :meth:`history`."""
        book = cast("Ledger", self)
        return book.history(metrics=[metric], by=by, **filters).plot(ax=ax)
