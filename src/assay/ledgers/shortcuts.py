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

    def to_mlflow(
        self,
        *,
        experiment: str = "assay",
        tracking_uri: str | None = None,
        page: bool = True,
        **filters: Any,
    ) -> list[str]:
        """Send the evaluations to MLflow, a run each with its own time, and return the ids of the new runs.

        Those that the experiment has already are left out, so that it can be repeated. `filters` are those of
        :meth:`assay.Ledger.entries`.
        """
        from assay.reports.tracking import ledger_to_mlflow  # noqa: PLC0415 - reports stand to the right

        book = cast("Ledger", self)
        return ledger_to_mlflow(
            book, experiment=experiment, tracking_uri=tracking_uri, page=page, entries=book.entries(**filters)
        )
