"""A rectangular table of a result's data, and the same table as text, Markdown, LaTeX, HTML and columns."""

from __future__ import annotations

import dataclasses
import html
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.formatting.numbers import format_value
from assay.formatting.table import grid_blocks, paragraph
from assay.formatting.width import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["IntervalCell", "ResultTable", "escape_html", "escape_latex", "escape_markdown"]

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#",
    "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "∞": r"$\infty$",
}  # fmt: skip
_LATEX_SPECIAL = re.compile("[" + re.escape("".join(_LATEX)) + "]")
_MARKDOWN_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|]")
_NUMBER = re.compile(r"(?<![\w.])(-?)(\d+(?:\.\d+)?)(?:e([+-])0*(\d+))?(?!\w)")


class IntervalCell(NamedTuple):
    """A value with its confidence limits as one cell; None where there is no value, or no interval."""

    value: float | None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, estimate: Any) -> IntervalCell:
        """Return the cell of an estimate, or of whatever else has value, low and high."""
        value = estimate.value
        return cls(float(value) if isinstance(value, (int, float)) else None, estimate.low, estimate.high)


@dataclasses.dataclass(frozen=True)
class ResultTable:
    """Named columns of equal length: text, numbers as numbers, and intervals as such.

    ``headings`` are what columns are called where they are printed, by default their names. Columns of
    ``frame_only`` are left out there, and ``printed_as`` has functions that turn a column's cells into text.
    """

    columns: Mapping[str, Sequence[Any]]
    title: str = ""
    headings: Mapping[str, str] = dataclasses.field(default_factory=dict)
    frame_only: tuple[str, ...] = ()
    printed_as: Mapping[str, Callable[[Any], str]] = dataclasses.field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @property
    def heads(self) -> list[str]:
        """The headings of all columns."""
        heads = (self.headings.get(name, name.replace("_", " ")) for name in self.printed)
        return [clean(head) if head else "" for head in heads]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers, or intervals, and so stand at the right."""
        return [
            any(_is_number(cell) for cell in column)
            and all(cell is None or _is_number(cell) for cell in column)
            for column in self.printed.values()
        ]

    @property
    def printed(self) -> dict[str, Sequence[Any]]:
        """The columns that are printed, by name."""
        return {name: column for name, column in self.columns.items() if name not in self.frame_only}

    @property
    def body(self) -> list[list[str]]:
        """The rows, every cell as text."""
        columns = [
            [
                clean(self.printed_as[name](cell)) if name in self.printed_as else cell_text(cell)
                for cell in column
            ]
            for name, column in self.printed.items()
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    def flat(self) -> dict[str, list[Any]]:
        """Return columns for a data frame: an interval becomes three columns.

        >>> ResultTable({"metric": ["f1"], "value": [IntervalCell(0.9, 0.8, 0.95)]}).flat()
        {'metric': ['f1'], 'value': [0.9], 'low': [0.8], 'high': [0.95]}
        """
        columns: dict[str, list[Any]] = {}
        for name, column in self.columns.items():
            if not any(isinstance(cell, IntervalCell) for cell in column):
                columns[name] = list(column)
                continue
            prefix = "" if name == "value" else f"{name}_"
            cells = [cell if isinstance(cell, IntervalCell) else IntervalCell(cell) for cell in column]
            columns[name] = [cell.value for cell in cells]
            columns[f"{prefix}low"] = [cell.low for cell in cells]
            columns[f"{prefix}high"] = [cell.high for cell in cells]
        return columns

    def to_text(self, *, width: int = 80) -> list[str]:
        """Return lines of text that fit the width, in several blocks of columns where they must."""
        lines = paragraph(clean(self.title), max_width=width) if self.title else []
        text = [not numeric for numeric in self.numeric]
        return [*lines, *grid_blocks(self.heads, self.body, max_width=width, text=text)]

    def to_markdown(self) -> list[str]:
        r"""Return the lines of a pipe table.

        >>> print("\n".join(ResultTable({"label": ["a|b"], "n": [1390]}).to_markdown()))
        | label | n |
        |---|---:|
        | a\|b | 1,390 |
        """
        rule = "".join("|---:" if numeric else "|---" for numeric in self.numeric)
        rows = [self.heads, *self.body]
        lines = [f"| {' | '.join(map(escape_markdown, row))} |" for row in rows]
        return [lines[0], f"{rule}|", *lines[1:]]

    def to_latex(self) -> list[str]:
        """Return the lines of a tabular with the rules of booktabs."""
        alignment = "".join("r" if numeric else "l" for numeric in self.numeric)
        rows = [_latex_row(row) for row in (self.heads, *self.body)]
        start = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", rows[0], r"\midrule"]
        return [*start, *rows[1:], r"\bottomrule", r"\end{tabular}"]

    def to_html(self) -> str:
        """Return a table element whose labels are text and nothing else."""
        caption = f"<caption>{escape_html(self.title)}</caption>" if self.title else ""
        heads = "".join(f'<th scope="col">{escape_html(head)}</th>' for head in self.heads)
        rows = "".join(
            f"<tr>{''.join(f'<td>{escape_html(cell)}</td>' for cell in row)}</tr>" for row in self.body
        )
        return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def cell_text(cell: Any) -> str:
    """Return a cell as text; nothing where there is no value.

    >>> cell_text(0.97554), cell_text(IntervalCell(0.9, 0.8, 0.95)), cell_text(1390), cell_text(None)
    ('0.9755', '0.9000 [0.8000, 0.9500]', '1,390', '')
    """
    if cell is None:
        return ""
    if isinstance(cell, IntervalCell):
        limits = (cell.low, cell.high)
        text = cell_text(cell.value)
        return text if None in limits else f"{text} [{', '.join(map(format_value, limits))}]"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, (list, tuple)):
        return ", ".join(cell_text(item) for item in cell)
    cell = cell.item() if hasattr(cell, "item") else cell
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return "" if cell != cell else format_value(cell)  # noqa: PLR0124 - NaN
    return clean(cell) if str(cell) else ""


def escape_markdown(text: object) -> str:
    """Return text that Markdown leaves as it is."""
    return _MARKDOWN_SPECIAL.sub(lambda match: f"\\{match[0]}", str(text))


def escape_html(value: object) -> str:
    """Return a value as text that is nothing but text in HTML, in elements and in attributes."""
    # Half of a pair of code units, which some files have in their labels, has no bytes in UTF-8.
    return html.escape(str(value).encode("utf-8", "backslashreplace").decode())


def escape_latex(text: object) -> str:
    r"""Return text that LaTeX prints as it is.

    >>> print(escape_latex("50% of a_b & c"))
    50\% of a\_b \& c
    """
    return _LATEX_SPECIAL.sub(lambda match: _LATEX[match[0]], str(text))


def _latex_row(cells: Sequence[str]) -> str:
    escaped = [_latex_numbers(escape_latex(cell)) for cell in cells]
    if escaped and escaped[0].startswith("["):  # which would be an option of the \\ before it
        escaped[0] = f"{{}}{escaped[0]}"
    return f"{' & '.join(escaped)} \\\\"


def _latex_numbers(text: str) -> str:
    r"""Return text whose powers of ten and minus signs are set as mathematics.

    >>> print(_latex_numbers("-0.5 [-1.2, 0.2] 3.4e-241"))
    $-$0.5 [$-$1.2, 0.2] $3.4\times10^{-241}$
    """

    def typeset(match: re.Match[str]) -> str:
        sign, digits, exponent_sign, exponent = match.groups()
        if exponent is None:
            return f"{'$-$' if sign else ''}{digits}"
        return rf"${sign}{digits}\times10^{{{exponent_sign.replace('+', '')}{exponent}}}$"

    return _NUMBER.sub(typeset, text)


def _is_number(cell: Any) -> bool:
    if isinstance(cell, (bool, str)):
        return False
    return isinstance(cell, (int, float, IntervalCell)) or hasattr(cell, "item")
