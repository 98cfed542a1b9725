"""How an evaluation is told: as text, Markdown, plain data, JSON, a table, a page, or one file to keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from pathlib import Path

__all__ = ["EvaluationShortcuts"]


class EvaluationShortcuts:
    """What shows an evaluation; each way to do so is loaded when somebody asks for it."""

    @property
    def _ev(self) -> Any:
        return self

    @property
    def summary(self) -> Any:
        """What there is to say, as plain data for renderers."""
        from assay.reports.summarize import summarised  # noqa: PLC0415 - each knows the other

        return summarised(self._ev)

    def __str__(self) -> str:
        return self.text()

    def text(self, *, full: bool = False, like: str | None = None) -> str:
        """Return the summary as text; with all figures and notes, or as another program would show them.

        `like` is ``"caret"``, ``"sklearn"``, ``"yardstick"`` or ``"pROC"``: their definitions, names and
        order, and a note of what differs from the figures here.
        """
        if like is not None:
            from assay.reports.compat.yardstick import alike  # noqa: PLC0415 - few ask for it

            return alike(self._ev, like)
        from assay.reports.summarize import summarised  # noqa: PLC0415 - each knows the other
        from assay.reports.text.summary import as_text  # noqa: PLC0415

        return as_text(summarised(self._ev, full=full, brief=not full), full=full)

    def to_markdown(self, *, full: bool = False) -> str:
        """Return the summary as Markdown."""
        from assay.reports.summarize import summarised  # noqa: PLC0415 - each knows the other
        from assay.reports.text.summary import as_markdown  # noqa: PLC0415

        return as_markdown(summarised(self._ev, full=full))

    def to_dict(self, *, full: bool = False) -> dict[str, Any]:
        """Return everything as plain data for JSON, by the schema ``assay/evaluation/1``; never NaN.

        With `full`, also the further figures of the full text, the shares of the table and its tests.
        """
        from assay.evaluation.export import as_dict  # noqa: PLC0415

        return as_dict(self._ev, full=full)

    def to_json(self, *, indent: int | None = None, full: bool = False) -> str:
        """Return the same as JSON."""
        from assay.evaluation.export import as_json  # noqa: PLC0415

        return as_json(self._ev, indent, full=full)

    def to_frame(self, library: str | None = None) -> Any:
        """Return the figures as a table, a row each, in the library whose frames or columns were passed.

        `library` is ``"pandas"``, ``"polars"``, ``"pyarrow"``, or ``"dict"`` for a dict of lists.
        """
        from assay.evaluation.export import figure_columns  # noqa: PLC0415
        from assay.formatting.frame_output import as_frame  # noqa: PLC0415

        return as_frame(figure_columns(self._ev), self._ev.settings.library if library is None else library)

    def save(self, path: Any) -> None:
        """Write the evaluation to one file, which :func:`assay.load` reads: its tallies and its figures."""
        from assay.evaluation.storage import save  # noqa: PLC0415

        save(self._ev, path)

    def report(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write the interactive page, one self-contained file, and return its path.

        Further keywords are those of :func:`assay.report`, which takes several evaluations, too.
        """
        from assay.reports.page.build import report  # noqa: PLC0415 - each knows the other

        return report(self._ev, path, **options)

    def _repr_html_(self) -> str:
        from assay.reports.page.static_html import as_still  # noqa: PLC0415

        return as_still(self.summary)
