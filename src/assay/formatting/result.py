"""The interface of every result: text, plain data, JSON, Markdown, LaTeX, data frames and HTML.

A result gives two things, its plain data (`to_dict`) and its tables (`tables`); the rest follows from them,
and a result whose text says more than its tables overrides `text`.
"""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from assay.formatting.frame_output import as_frame
from assay.formatting.json_values import json_text
from assay.formatting.result_table import ResultTable, escape_markdown
from assay.formatting.width import terminal_width

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Result", "ResultTable"]


class Result(abc.ABC):
    """What evaluations, comparisons, cross tables and the like have in common.

    >>> from assay.formatting.result_table import IntervalCell, ResultTable
    >>> class Accuracy(Result):
    ...     def to_dict(self):
    ...         return {"accuracy": 0.9}
    ...     def tables(self):
    ...         return [ResultTable({"metric": ["accuracy"], "value": [IntervalCell(0.9, 0.85, 0.94)]})]
    >>> print(Accuracy())
    metric                      value
    accuracy  0.9000 [0.8500, 0.9400]
    >>> Accuracy().to_json(), Accuracy().to_frame()["low"]
    ('{"accuracy": 0.9}', [0.85])
    """

    __slots__ = ()

    @abc.abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can hold: null where there is no number, never NaN."""

    @abc.abstractmethod
    def tables(self) -> Sequence[ResultTable]:
        """Return the result as tables, the main one first."""

    def text(self, *, width: int = 80) -> str:
        """Return the result as lines of at most so many columns."""
        return "\n\n".join("\n".join(table.to_text(width=width)) for table in self.tables())

    def __str__(self) -> str:
        return self.text(width=terminal_width())

    def __repr__(self) -> str:  # of a result too small, or too new, to have one of its own
        return str(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the plain data as JSON, the same text for the same result."""
        return json_text(self.to_dict(), indent=indent)

    def to_frame(self, library: str | None = None) -> Any:
        """Return the main table as a data frame: of the library whose data came in, or of the one named.

        `library` is ``"pandas"``, ``"polars"``, ``"pyarrow"``, or ``"dict"`` for a dict of lists.
        """
        return as_frame(self.tables()[0].flat(), self._library if library is None else library)

    def to_markdown(self) -> str:
        """Return the tables as Markdown."""
        blocks = []
        for table in self.tables():
            title = [f"**{escape_markdown(table.title)}**", ""] if table.title else []
            blocks.append("\n".join([*title, *table.to_markdown()]))
        return "\n\n".join(blocks)

    def to_latex(self) -> str:
        r"""Return the tables for LaTeX, ruled by its package booktabs (``\usepackage{booktabs}``)."""
        return "\n\n".join("\n".join(table.to_latex()) for table in self.tables())

    def _repr_html_(self) -> str:
        return "".join(table.to_html() for table in self.tables())

    @property
    def _library(self) -> str:
        """The data-frame library that the data came in, empty where it is none."""
        return ""
