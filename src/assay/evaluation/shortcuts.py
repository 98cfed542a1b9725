"""Shortcuts of an evaluation to reports: text, Markdown, plain data, JSON, data frame, page, plots, file."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from assay.formatting.json_values import json_text
from assay.formatting.result import Result

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from pathlib import Path
    from typing import TypeAlias

    from assay.evaluation.evaluation import Evaluation
    from assay.formatting.result import ResultTable
    from assay.ledgers.ledger import Ledger
    from assay.plots import Plots

    LedgerAddress: TypeAlias = bool | str | os.PathLike[str] | Ledger

__all__ = ["ClassTableShortcuts", "EvaluationShortcuts"]


class EvaluationShortcuts(Result):
    """Methods that report an evaluation. Reports know evaluations, so they are imported on first use."""

    @property
    def _ev(self) -> Any:
        return self

    @property
    def summary(self) -> str:
        """The task, the number of rows and the main metrics, in one line."""
        from assay.reports.summarize import one_line  # noqa: PLC0415 - reports stand to the right

        return one_line(self._ev)

    def text(self, *, width: int = 80, full: bool = False, like: str | None = None) -> str:
        """Return the summary as text; with all metrics and notes, or in the layout of another package.

        `like` is ``"caret"``, ``"sklearn"``, ``"yardstick"`` or ``"pROC"``: their definitions, names and
        order, and a note of what differs from the metrics here.
        """
        if like is not None:
            from assay.reports.compat.yardstick import alike  # noqa: PLC0415

            return alike(self._ev, like, width)
        from assay.reports.summarize import summarize  # noqa: PLC0415 - reports stand to the right
        from assay.reports.text.summary import as_text  # noqa: PLC0415

        return as_text(summarize(self._ev, full=full, brief=not full), width=width, full=full)

    def to_markdown(self, *, full: bool = False) -> str:
        """Return the summary as Markdown."""
        from assay.reports.summarize import summarize  # noqa: PLC0415 - reports stand to the right
        from assay.reports.text.summary import as_markdown  # noqa: PLC0415

        return as_markdown(summarize(self._ev, full=full))

    def to_dict(self, *, full: bool = False) -> dict[str, Any]:
        """Return everything as plain data for JSON, by the schema ``assay/evaluation/1``; never NaN.

        With `full`, also the further metrics of the full text, the shares of the table and its tests.
        """
        from assay.evaluation.export import as_dict  # noqa: PLC0415
        from assay.reports.summarize import summarize  # noqa: PLC0415 - reports stand to the right

        remarks = summarize(self._ev).remarks
        if not full:
            return as_dict(self._ev, remarks)
        groups = summarize(self._ev, full=True).groups
        return as_dict(self._ev, remarks, {line.name: line.estimate for group in groups for line in group})

    def to_json(self, *, indent: int | None = None, full: bool = False) -> str:
        """Return the same as JSON text."""
        return json_text(self.to_dict(full=full), indent=indent)

    def tables(self) -> list[ResultTable]:
        """Return the metrics, a row each; then the counts and the classes, where there are a few."""
        from assay.evaluation.export import tables  # noqa: PLC0415

        return tables(self._ev)

    @property
    def _library(self) -> str:
        library: str = self._ev.settings.library
        return library

    def save(self, path: Any) -> None:
        """Write the evaluation to one file, which :func:`assay.load` reads: its tallies and estimates."""
        from assay.evaluation.storage import save  # noqa: PLC0415

        save(self._ev, path)

    def record(
        self, ledger: LedgerAddress, *, model: str | None = None, tags: Iterable[str] = ()
    ) -> Evaluation:
        """Record the evaluation in a ledger, and return it with the looks at its test set.

        ``evaluate(..., ledger=...)`` does so at once; `ledger` is the same here, True is the default one.

        >>> import assay, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> ev = assay.evaluate(actual=[0, 1, 1, 0], predicted=[0, 1, 0, 0], key=range(4), name="first")
        >>> print(ev.record(f"{folder.name}/ledger.db").looks)
        look 1 at this test set
        >>> folder.cleanup()
        """
        from assay.ledgers.ledger import record_in  # noqa: PLC0415 - ledgers stand to the right

        return record_in(ledger, self._ev, model=model, tags=tags)

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write the interactive page, one self-contained file, and return its path.

        Further keywords are those of :func:`assay.report`, which takes several evaluations, too.
        """
        from assay.reports.page.build import report  # noqa: PLC0415 - reports stand to the right

        return report(self._ev, path, **options)

    def card(self, path: str | os.PathLike[str] | None = None, **options: Any) -> str:
        """Return the model card, and write it where a path is given.

        Options are ``format=`` (``"markdown"``, ``"huggingface"`` with a ``model-index``, ``"json"``),
        ``dataset=`` (the test set's name) and ``task=`` (the Hub's name of the task).
        """
        from assay.reports.card import card  # noqa: PLC0415 - reports stand to the right

        return card(self._ev, path, **options)

    def log_mlflow(self, **options: Any) -> str:
        """Log the evaluation to MLflow, and return the id of the run.

        Every metric is logged with its limits (``auc``, ``auc.low``, ``auc.high``), the page and the tallies
        as files. Options are ``run_id=`` of a run that is there, ``experiment=``, ``tracking_uri=``,
        ``page=False`` and ``tags=``.
        """
        from assay.reports.tracking import log_mlflow  # noqa: PLC0415 - reports stand to the right

        return log_mlflow(self._ev, **options)

    def _repr_html_(self) -> str:
        from assay.reports.page.build import notebook_html  # noqa: PLC0415 - reports stand to the right

        return notebook_html(self._ev)

    @functools.cached_property
    def plot(self) -> Plots:
        """The plots by name: ``ev.plot.roc()``, ``ev.plot.slices("recall")`` and so on."""
        from assay.plots import Plots  # noqa: PLC0415 - loaded on first use

        ev = self._ev
        return Plots(ev, costs=ev.settings.costs)


class ClassTableShortcuts(Result):
    """Methods that report a table of classes."""

    @property
    def _table(self) -> Any:
        return self

    __repr__ = Result.__str__

    def text(self, *, width: int = 80) -> str:
        """Return the table as text; where intervals do not fit the width, the values alone."""
        from assay.reports.text.per_class import drawn  # noqa: PLC0415 - reports stand to the right

        return "\n".join(drawn(self._table.rows, width))

    def plot(self, metric: str = "f1", **options: Any) -> Any:
        """Draw a metric of every class with its interval; options are those of `assay.plots.forest`."""
        from assay.plots.forest import forest  # noqa: PLC0415 - plots stand to the right

        options = {"title": f"{metric} by class", "x": metric, **options}
        return forest({label: self._table[label][metric] for label in self._table}, **options)
