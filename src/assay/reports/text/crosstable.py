"""The cross table drawn as boxes of text, in the layout of R's gmodels::CrossTable."""

from __future__ import annotations

import dataclasses
import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.formatting.numbers import p_text
from assay.formatting.width import centred, clean, right, width, wrapped
from assay.hints import param
from assay.metrics import Undefined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from assay.crosstable import CrossTable
    from assay.inference.hypothesis_tests.contingency import Alternative, TestResult
    from assay.metrics import Value

__all__ = ["draw"]

# What row and column labels may take before they are wrapped: the first pair that needs the fewest blocks.
_ROOMS = ((22, 14), (16, 10), (12, 8))
_RULE = 60
_FEW = 5  # an expected count below this makes chi-square inexact


@dataclasses.dataclass(frozen=True, slots=True)
class _Lines:
    """The characters that boxes are made of: a bar, a rule and the joints of three rules."""

    bar: str
    rule: str
    top: str
    middle: str
    bottom: str


_UNICODE = _Lines("│", "─", "┌┬┐", "├┼┤", "└┴┘")
_ASCII = _Lines("|", "-", "+++", "+++", "+++")


@dataclasses.dataclass(frozen=True, slots=True)
class _Cell:
    """One line of every cell: what it is, its text for a cell, and for the totals where it has one."""

    name: str
    text: Callable[[int, int], str]
    of_row: Callable[[int], str] | None = None
    of_column: Callable[[int], str] | None = None


def draw(
    table: CrossTable,
    *,
    contributions: bool = True,
    row_shares: bool = True,
    column_shares: bool = True,
    table_shares: bool = True,
    expected: bool = False,
    residuals: bool = False,
    chisq: bool = False,
    fisher: bool = False,
    mcnemar: bool = False,
    digits: int = 3,
    percent: bool = False,
    width: int = 80,
    ascii: bool = False,  # noqa: A002 - the name a reader expects
) -> str:
    """Return the table as text, in blocks of columns where it is wider than `width`."""
    if digits < 0:
        raise MetricError(f"{param('digits', digits)}: there are no fewer than none.")
    lines = _ASCII if ascii else _UNICODE
    numbers = _CellNumbers(digits, percent=percent, none="-")
    wanted = {
        "expected": expected, "contributions": contributions, "row_shares": row_shares,
        "column_shares": column_shares, "table_shares": table_shares, "residuals": residuals,
    }  # fmt: skip
    cells = [cell for name, some in _cells(table, numbers).items() if wanted.get(name, True) for cell in some]
    parts = ["\n".join(_legend(cells, lines)), f"Total Observations in Table: {numbers.count(table.total)}"]
    if not table.counts.size:
        return "\n\n".join([*parts, "There are no rows."])
    parts += _blocks(table, cells, lines, numbers, width)
    if table.confusion and table.total:
        correct = np.trace(table.counts).item()
        share = numbers.share(correct / table.total)
        correct_of_total = f"{numbers.count(correct)} of {numbers.count(table.total)} correct"
        parts.append(textwrap.fill(f"Accuracy: {share} ({correct_of_total})", width))
    if expected or chisq:
        parts += _expected_note(table, numbers, width)
    if chisq or fisher or mcnemar:
        parts.append("Statistics for All Table Factors")
        if table.weighted:
            parts.append(
                textwrap.fill("undefined: the rows are weighted, and sums of weights are no counts", width)
            )
        else:
            parts += _tests(table, numbers, lines, chisq=chisq, fisher=fisher, mcnemar=mcnemar)
    return "\n\n".join(parts)


@dataclasses.dataclass(frozen=True, slots=True)
class _CellNumbers:
    """How numbers are written."""

    digits: int
    percent: bool
    none: str

    def count(self, value: Any) -> str:
        return str(value) if isinstance(value, int) else self.number(value)

    def number(self, value: float) -> str:
        if math.isnan(value):
            return self.none
        return f"{round(value, self.digits) + 0.0:.{self.digits}f}"  # no minus before a rounded 0

    def share(self, value: float) -> str:
        if math.isnan(value) or not self.percent:
            return self.number(value)
        return f"{100 * value:.{max(self.digits - 2, 0)}f}%"


def _cells(table: CrossTable, numbers: _CellNumbers) -> dict[str, list[_Cell]]:
    """Return the lines a cell may have, under the option that asks for them."""
    counts, rows, columns = table.counts.tolist(), table.row_totals.tolist(), table.column_totals.tolist()
    total = table.total or math.nan

    def of(values: Any, written: Callable[[float], str]) -> Callable[[int, int], str]:
        plain = values.tolist()
        return lambda row, column: written(plain[row][column])

    return {
        "count": [
            _Cell(
                "N",
                lambda row, column: numbers.count(counts[row][column]),
                lambda row: numbers.count(rows[row]),
                lambda column: numbers.count(columns[column]),
            )
        ],
        "expected": [_Cell("Expected N", of(table.expected, numbers.number))],
        "contributions": [_Cell("Chi-square contribution", of(table.contributions, numbers.number))],
        "row_shares": [
            _Cell(
                "N / Row Total",
                of(table.row_shares, numbers.share),
                of_row=lambda row: numbers.share(rows[row] / total),
            )
        ],
        "column_shares": [
            _Cell(
                "N / Col Total",
                of(table.column_shares, numbers.share),
                of_column=lambda column: numbers.share(columns[column] / total),
            )
        ],
        "table_shares": [_Cell("N / Table Total", of(table.table_shares, numbers.share))],
        "residuals": [
            _Cell("Residual", of(table.residuals, numbers.number)),
            _Cell("Std Residual", of(table.pearson_residuals, numbers.number)),
            _Cell("Adj Std Resid", of(table.adjusted_residuals, numbers.number)),
        ],
    }


def _legend(cells: Sequence[_Cell], lines: _Lines) -> list[str]:
    size = max(len(cell.name) for cell in cells)
    return [
        "   Cell Contents",
        _ruled(lines, lines.top, [size]),
        *(_barred(lines, [right(cell.name, size)]) for cell in cells),
        _ruled(lines, lines.bottom, [size]),
    ]


def _blocks(
    table: CrossTable, cells: Sequence[_Cell], lines: _Lines, numbers: _CellNumbers, max_width: int
) -> Iterator[str]:
    """Yield the table in as many blocks of columns as the room asks for, the row totals last."""
    sides = [clean(label) for label in table.labels]
    heads = [clean(label) for label in table.column_labels or ()]
    corner, title, foot = clean(table.rows), clean(table.columns), "Column Total"
    last = len(heads)  # the number of the column of totals

    def lines_of(row: int, column: int) -> list[str]:
        if row < len(sides) and column < last:
            return [cell.text(row, column) for cell in cells]
        if row < len(sides):
            return [cell.of_row(row) if cell.of_row else "" for cell in cells]
        if column < last:
            return [cell.of_column(column) for cell in cells if cell.of_column]
        return [numbers.count(table.total)]

    body = [[lines_of(row, column) for column in range(last + 1)] for row in range(len(sides) + 1)]
    min_size = max(
        6,
        width(title) if last == 1 else 0,
        *(width(text) for row in body for cell in row[:last] for text in cell),
    )
    total = max(width("Row Total"), *(width(text) for row in body for text in row[last]))

    def layout(for_sides: int, for_heads: int) -> tuple[int, int, list[list[int]]]:
        side = max(min(max(map(width, sides)), for_sides), width(corner), width(foot))
        size = max(min_size, min(max(map(width, heads)), for_heads))
        return side, size, list(_fitted(last, size, total, max_width - side - 4))

    side, size, blocks = min((layout(*rooms) for rooms in _ROOMS), key=lambda sizes: len(sizes[2]))
    for block in blocks:
        yield "\n".join(
            _block(
                lines, side, [total if column == last else size for column in block],
                corner=corner,
                title=title + (" (continued)" if block[0] else ""),
                heads=["Row Total" if column == last else heads[column] for column in block],
                sides=[*sides, foot],
                body=[[row[column] for column in block] for row in body],
                totals=block[-1] == last,
            )
        )  # fmt: skip


def _fitted(columns: int, size: int, total: int, max_width: int) -> Iterator[list[int]]:
    """Yield the numbers of the columns of each block; each has one at least, however narrow the room."""
    block: list[int] = []
    used = 0
    for column in range(columns + 1):
        needed = (total if column == columns else size) + 3
        if block and used + needed > max_width:
            yield block
            block, used = [], 0
        block.append(column)
        used += needed
    yield block


def _block(
    lines: _Lines, side: int, sizes: list[int], *,
    corner: str, title: str, heads: list[str], sides: list[str], body: list[list[list[str]]], totals: bool,
) -> Iterator[str]:  # fmt: skip
    """Yield the lines of one block of columns."""
    # The title spans the columns it names, not that of the totals.
    spanned = sum(sizes[:-1] if totals else sizes) + 3 * (len(sizes) - totals - 1)
    ends = [sizes[-1]] if totals else []
    if spanned > 0:
        over = [side, spanned, *ends]
        yield _ruled(lines, lines.top, over)
        for line in wrapped(title, spanned):
            yield _barred(lines, [" " * side, centred(line, spanned), *(" " * end for end in ends)])
    else:
        yield _ruled(lines, lines.top, [side, *sizes])
    columns = [[corner], *(wrapped(head, size) for head, size in zip(heads, sizes, strict=True))]
    yield from _stacked(lines, [side, *sizes], columns, lowest=True)
    rows = [[wrapped(label, side), *row] for label, row in zip(sides, body, strict=True)]
    plain = all(len(cell) == 1 for row in rows for cell in row)  # then rules would only stretch the table
    for index, row in enumerate(rows):
        if not plain or index in (0, len(rows) - 1):
            yield _ruled(lines, lines.middle, [side, *sizes])
        yield from _stacked(lines, [side, *sizes], row)
    yield _ruled(lines, lines.bottom, [side, *sizes])


def _stacked(
    lines: _Lines, sizes: list[int], cells: list[list[str]], *, lowest: bool = False
) -> Iterator[str]:
    """Yield cells of several lines side by side, the shorter ones at the top or at the bottom."""
    height = max(map(len, cells))
    padded = [
        [""] * (height - len(cell)) + cell if lowest else cell + [""] * (height - len(cell)) for cell in cells
    ]
    for row in zip(*padded, strict=True):
        yield _barred(lines, [right(text, size) for text, size in zip(row, sizes, strict=True)])


def _ruled(lines: _Lines, joints: str, sizes: list[int]) -> str:
    return joints[0] + joints[1].join(lines.rule * (size + 2) for size in sizes) + joints[2]


def _barred(lines: _Lines, cells: list[str]) -> str:
    return f"{lines.bar} " + f" {lines.bar} ".join(cells) + f" {lines.bar}"


def _expected_note(table: CrossTable, numbers: _CellNumbers, max_width: int) -> Iterator[str]:
    finite = table.expected[np.isfinite(table.expected)]
    if not finite.size:
        return
    note = f"Minimum expected count: {numbers.number(float(finite.min()))}"
    few = int((finite < _FEW).sum())
    if few:
        share = f"{100 * few / finite.size:.1f}%"
        warning = (
            f"Expected counts below {_FEW}: {few} of {finite.size} ({share}). Chi-square is inexact there."
        )
        note += "\n" + textwrap.fill(warning, max_width)
    yield note


def _tests(
    table: CrossTable, numbers: _CellNumbers, lines: _Lines, *, chisq: bool, fisher: bool, mcnemar: bool
) -> Iterator[str]:
    two = table.counts.shape == (2, 2)
    if chisq:
        yield _test(table.chi_square(), numbers, lines)
        if two:
            yield _test(table.chi_square(correction=True), numbers, lines)
    if mcnemar and two:
        for method in ("uncorrected", "corrected", "exact", "mid-p"):
            yield _test(table.mcnemar(method), numbers, lines)
    elif mcnemar:
        yield _test(table.bowker(), numbers, lines)
    if mcnemar and {table.rows, table.columns} == {"actual", "predicted"}:
        yield (
            "It asks whether the classes are predicted as often as they occur,\n"
            "not whether one model is better than another."
        )
    if fisher:
        yield _fisher(table, numbers, lines)


def _test(test: TestResult, numbers: _CellNumbers, lines: _Lines) -> str:
    if isinstance(test.p_value, Undefined):
        return _titled(test, lines, repr(test.p_value))
    parts = [] if test.df is None else [f"Chi^2 = {_ratio(test.statistic, numbers)}", f"d.f. = {test.df}"]
    return _titled(
        test, lines, "     ".join([*parts, p_text(test.p_value)]), *([test.note] if test.note else [])
    )


def _fisher(table: CrossTable, numbers: _CellNumbers, lines: _Lines) -> str:
    hypotheses: dict[Alternative, str] = {
        "two-sided": "is not equal to 1",
        "less": "is less than 1",
        "greater": "is greater than 1",
    }
    lines_of_tests: list[str] = []
    for alternative, words in hypotheses.items():
        test = table.fisher(alternative=alternative)
        if isinstance(test.p_value, Undefined):
            return _titled(test, lines, repr(test.p_value))
        lines_of_tests = lines_of_tests or [f"Sample estimate odds ratio: {_ratio(test.estimate, numbers)}"]
        lines_of_tests += [
            "",
            f"Alternative hypothesis: true odds ratio {words}",
            p_text(test.p_value),
            f"95% confidence interval: {_ratio(test.low, numbers)} to {_ratio(test.high, numbers)}",
        ]
    return _titled(test, lines, *lines_of_tests)


def _ratio(value: Value | None, numbers: _CellNumbers) -> str:
    if value is None or isinstance(value, Undefined):
        return repr(value)
    return "infinity" if math.isinf(value) else numbers.number(value)


def _titled(test: TestResult, lines: _Lines, *text: str) -> str:
    return "\n".join([test.method, lines.rule * _RULE, *text])
