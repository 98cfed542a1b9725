"""Shortcuts of an evaluation to reports: text, Markdown, plain data, JSON, data frame, page, plots, file."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from assay.plots import Plots

__all__ = ["ClassTableShortcuts", "EvaluationShortcuts"]


class EvaluationShortcuts:
    """Methods that report an evaluation. Reports know evaluations, so they are imported on first use."""

    @property
    def _ev(self) -> Any:
        return self

    @property
    def summary(self) -> Any:
        """The summary as plain data, which reports draw."""
        from assay.reports.summarize import summarize  # noqa: PLC0415 - reports stand to the right

        return summarize(self._ev)

    def __str__(self) -> str:
        return self.text()

    def text(self, *, full: bool = False, like: str | None = None) -> str:
        """Return the summary as text; with all metrics and notes, or in the layout of another package.

        `like` is ``"caret"``, ``"sklearn"``, ``"yardstick"`` or ``"pROC"``: their definitions, names and
        order, and a note of what differs from the metrics here.
        """
        if like is not None:
            from assay.reports.compat.yardstick import alike  # noqa: PLC0415

            return alike(self._ev, like)
        from assay.reports.summarize import summarize  # noqa: PLC0415 - reports stand to the right
        from assay.reports.text.summary import as_text  # noqa: PLC0415

        return as_text(summarize(self._ev, full=full, brief=not full), full=full)

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
        return json.dumps(self.to_dict(full=full), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_frame(self, library: str | None = None) -> Any:
        """Return the metrics as a data frame, a row each, of the library whose columns were passed.

        `library` is ``"pandas"``, ``"polars"``, ``"pyarrow"``, or ``"dict"`` for a dict of lists.
        """
        from assay.evaluation.export import metric_columns  # noqa: PLC0415
        from assay.formatting.frame_output import as_frame  # noqa: PLC0415

        return as_frame(metric_columns(self._ev), self._ev.settings.library if library is None else library)

    def save(self, path: Any) -> None:
        """Write the evaluation to one file, which :func:`assay.load` reads: its tallies and estimates."""
        from assay.evaluation.storage import save  # noqa: PLC0415

        save(self._ev, path)

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write the interactive page, one self-contained file, and return its path.

        Further keywords are those of :func:`assay.report`, which takes several evaluations, too.
        """
        from assay.reports.page.build import report  # noqa: PLC0415 - reports stand to the right

        return report(self._ev, path, **options)

    def _repr_html_(self) -> str:
        from assay.reports.page.static_html import as_still  # noqa: PLC0415

        return as_still(self.summary)

    @functools.cached_property
    def plot(self) -> Plots:
        """The plots by name: ``ev.plot.roc()``, ``ev.plot.slices("recall")`` and so on."""
        from assay.plots import Plots  # noqa: PLC0415 - loaded on first use

        ev = self._ev
        return Plots(ev.tallies if ev.rows is None else ev.rows, costs=ev.settings.costs)


class ClassTableShortcuts:
    """Methods that report a table of classes."""

    @property
    def _table(self) -> Any:
        return self

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def text(self, *, width: int = 80) -> str:
        """Return the table as text; where intervals do not fit the width, the values alone."""
        from assay.reports.text.per_class import drawn  # noqa: PLC0415 - reports stand to the right

        return "\n".join(drawn(self._table.rows, width))
