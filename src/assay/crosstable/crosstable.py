"""Counts of actual against predicted labels, with their shares, expected counts, residuals and tests."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from assay.crosstable.shortcuts import CrossTableShortcuts
from assay.errors import LabelError, MetricError
from assay.formatting.frame_output import as_frame
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import count_of
from assay.formatting.result_table import ResultTable
from assay.formatting.width import clean
from assay.hints import passed
from assay.inference.formulas.kappa import kappa_errors
from assay.inference.hypothesis_tests import contingency
from assay.inputs import encode, label_union
from assay.inputs.labels import in_order
from assay.tallies import Confusion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.inference.formulas.kappa import KappaErrors
    from assay.inference.hypothesis_tests.contingency import Alternative, TestResult
    from assay.inputs import Rows

__all__ = ["CrossTable"]

_MAX_TOTAL = 1 << 63  # sums of counts stay below
_DERIVED = ("row_shares", "column_shares", "table_shares", "expected", "contributions")
_OTHER = {"actual": "predicted", "predicted": "actual"}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class CrossTable(CrossTableShortcuts):
    """A table of counts with its totals, shares, expected counts, residuals and tests.

    Made of a tally or of rows by :meth:`of`, or directly of a table and its labels; `rows` says what the
    table's rows are. It prints as R's CrossTable does; :meth:`text` takes the options.

    Shares and residuals are NaN where they would divide by 0.

    Examples
    --------
    >>> import assay
    >>> table = assay.CrossTable([[1202, 5], [29, 154]], ["ham", "spam"])
    >>> table.expected.round(2)
    array([[1068.93,  138.07],
           [ 162.07,   20.93]])
    >>> table.chi_square()
    Pearson's chi-squared test: statistic 1099.9, df 1, p < 2.2e-16
    >>> print(table.text(contributions=False, column_shares=False, table_shares=False))
       Cell Contents
    ┌───────────────┐
    │             N │
    │ N / Row Total │
    └───────────────┘
    <BLANKLINE>
    Total Observations in Table: 1390
    <BLANKLINE>
    ┌──────────────┬─────────────────┬───────────┐
    │              │    predicted    │           │
    │       actual │    ham │   spam │ Row Total │
    ├──────────────┼────────┼────────┼───────────┤
    │          ham │   1202 │      5 │      1207 │
    │              │  0.996 │  0.004 │     0.868 │
    ├──────────────┼────────┼────────┼───────────┤
    │         spam │     29 │    154 │       183 │
    │              │  0.158 │  0.842 │     0.132 │
    ├──────────────┼────────┼────────┼───────────┤
    │ Column Total │   1231 │    159 │      1390 │
    └──────────────┴────────┴────────┴───────────┘
    <BLANKLINE>
    Accuracy: 0.976 (1356 of 1390 correct)
    """

    counts: NDArray[Any]
    labels: Sequence[Any]
    column_labels: Sequence[Any] | None = None
    rows: str = "actual"
    columns: str | None = None
    weighted: bool = False

    def __post_init__(self) -> None:
        counts = _checked(self.counts)
        whole = counts.dtype.kind != "f" or bool((counts == np.floor(counts)).all())
        counted = whole and not self.weighted
        large = counted and int(counts.max(initial=0)) * counts.size >= _MAX_TOTAL
        if large and sum(map(int, counts.ravel().tolist())) >= _MAX_TOTAL:
            raise MetricError("the counts add up to 2 to the power of 63 or more, which no tally can.")
        names = self.labels if self.column_labels is None else self.column_labels
        for labels, size, side in zip((self.labels, names), counts.shape, ("row", "column"), strict=True):
            if len(labels) != size:
                raise LabelError(
                    f"the table has {count_of(size, side)}, but {count_of(len(labels), 'label')} for them."
                )
        columns = self.columns or _OTHER.get(self.rows)
        if columns is None:
            raise LabelError(f"the rows are {self.rows!r}: say with columns= what the columns are.")
        self._set(
            counts=counts.astype(np.int64) if counted else counts,
            labels=tuple(self.labels),
            column_labels=tuple(names),
            columns=columns,
            weighted=self.weighted or not whole,
        )
        self.counts.flags.writeable = False

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, source: Confusion | Rows, *, rows: Literal["actual", "predicted"] = "actual") -> Self:
        """Return the table of a confusion tally, or of rows with actual and predicted labels.

        `rows` says which of the two the table's rows show.

        >>> import assay
        >>> data = assay.rows(actual=[0] * 5 + [1] * 5, predicted=[0, 1, 1, 0, 0, 1, 0, 1, 1, 1])
        >>> CrossTable.of(data).counts.tolist(), CrossTable.of(data, rows="predicted").counts.tolist()
        ([[3, 2], [1, 4]], [[3, 1], [2, 4]])
        """
        if rows not in _OTHER:
            raise MetricError(f'{passed("rows", rows)} is not known: use "actual" or "predicted".')
        tally = source if isinstance(source, Confusion) else Confusion.of(_in_stated_order(source))
        weighted = tally.weights is not None
        table = tally.table(tally.weight() if weighted else None)
        return cls(table if rows == "actual" else table.T, tally.labels, rows=rows, weighted=weighted)

    def transposed(self) -> CrossTable:
        """Return the table with rows and columns exchanged."""
        return type(self)(
            self.counts.T, self.column_labels or (), self.labels, self.columns or "", self.rows, self.weighted
        )

    @functools.cached_property
    def row_totals(self) -> NDArray[Any]:
        """The sum of each row."""
        return np.asarray(self.counts.sum(1))

    @functools.cached_property
    def column_totals(self) -> NDArray[Any]:
        """The sum of each column."""
        return np.asarray(self.counts.sum(0))

    @functools.cached_property
    def total(self) -> Any:
        """The sum of all."""
        return self.counts.sum().item()

    @functools.cached_property
    def row_shares(self) -> NDArray[np.float64]:
        """Each count as a share of its row."""
        return _quotient(self.counts, self.row_totals[:, None])

    @functools.cached_property
    def column_shares(self) -> NDArray[np.float64]:
        """Each count as a share of its column."""
        return _quotient(self.counts, self.column_totals)

    @functools.cached_property
    def table_shares(self) -> NDArray[np.float64]:
        """Each count as a share of all."""
        return _quotient(self.counts, self.total)

    @functools.cached_property
    def expected(self) -> NDArray[np.float64]:
        """What each count would be if rows and columns were independent."""
        return _quotient(self._chance, self.total)

    @functools.cached_property
    def residuals(self) -> NDArray[np.float64]:
        """Each count less the expected one."""
        return _quotient(self._excess, self.total)

    @functools.cached_property
    def contributions(self) -> NDArray[np.float64]:
        """Each cell's contribution to chi-square: the squared residual over the expected count."""
        excess = self._excess.astype(np.float64)
        return _quotient(excess * excess, self._chance.astype(np.float64) * self.total)

    @functools.cached_property
    def pearson_residuals(self) -> NDArray[np.float64]:
        """The signed root of each cell's contribution."""
        return np.sign(self.residuals) * np.sqrt(self.contributions)

    @functools.cached_property
    def adjusted_residuals(self) -> NDArray[np.float64]:
        """Each residual over its standard error: beyond 2 or so it is more than chance."""
        rows = (self.total - self.row_totals).astype(np.float64)
        columns = (self.total - self.column_totals).astype(np.float64)
        scale = np.sqrt(self._chance.astype(np.float64) * rows[:, None] * columns)
        return _quotient(self._excess.astype(np.float64) * np.sqrt(float(self.total)), scale)

    @functools.cached_property
    def _exact(self) -> NDArray[Any]:
        """The counts in a type in which the square of their sum is exact."""
        return self.counts if self.weighted or self.total < 1 << 31 else self.counts.astype(object)

    @functools.cached_property
    def _chance(self) -> NDArray[Any]:
        """The expected counts times the total, exact where counts are."""
        return np.asarray(self._exact.sum(1)[:, None] * self._exact.sum(0))

    @functools.cached_property
    def _excess(self) -> NDArray[Any]:
        """The residuals times the total, exact where counts are: taken before anything is rounded."""
        return np.asarray(self._exact * self.total - self._chance)

    @property
    def confusion(self) -> bool:
        """Whether rows and columns are actual and predicted labels of the same set, in the same order."""
        return {self.rows, self.columns} == set(_OTHER) and self.labels == self.column_labels

    def chi_square(self, *, correction: bool = False) -> TestResult:
        """Test whether rows and columns are independent, by Pearson's chi-squared test."""
        return contingency.chi_square(self._tested, correction=correction)

    def fisher(self, *, alternative: Alternative = "two-sided", confidence: float = 0.95) -> TestResult:
        """Test independence exactly by Fisher's test, for two rows and two columns, with the odds ratio."""
        return contingency.fisher(self._tested, alternative=alternative, confidence=confidence)

    def mcnemar(self, method: Literal["mid-p", "exact", "corrected", "uncorrected"] = "mid-p") -> TestResult:
        """Test whether two classes are mistaken for each other equally often, by McNemar's test."""
        return contingency.mcnemar(self._tested, method)

    def bowker(self) -> TestResult:
        """Test whether any two classes are mistaken for each other equally often, by Bowker's test."""
        return contingency.bowker(self._tested)

    def stuart_maxwell(self) -> TestResult:
        """Test whether each class is predicted as often as it occurs, all classes at once."""
        return contingency.stuart_maxwell(self._tested)

    def no_information(self) -> TestResult:
        """Test whether accuracy is above that of always predicting the commonest class."""
        return contingency.no_information(self._tested if self.rows == "actual" else self._tested.T)

    def kappa(self, weights: str | Any = "none") -> KappaErrors:
        """Return kappa with its standard errors, and the test of whether there is agreement beyond chance.

        `weights` is ``"linear"`` or ``"quadratic"`` for labels in their order, or a matrix of how much each
        pair agrees.

        >>> kappa = CrossTable([[1202, 5], [29, 154]], ["ham", "spam"]).kappa()
        >>> round(kappa.estimate, 7), round(kappa.standard_error, 6), round(kappa.statistic, 1)
        (0.8867172, 0.019091, 33.2)
        """
        if not self.confusion:
            raise MetricError("kappa needs actual and predicted labels of the same kind, in the same order.")
        return kappa_errors(self._tested, weights)

    @property
    def _tested(self) -> NDArray[Any]:
        if self.weighted:
            raise MetricError("the rows are weighted: a test of counts does not hold for sums of weights.")
        return self.counts

    __repr__ = CrossTableShortcuts.__str__

    def to_dict(self, *, full: bool = False) -> dict[str, Any]:
        """Return plain data for JSON; with `full`, shares and expected counts too, None where undefined."""
        data: dict[str, Any] = {
            "rows": self.rows,
            "columns": self.columns,
            "row_labels": list(self.labels),
            "column_labels": list(self.column_labels or ()),
            "counts": self.counts.tolist(),
            "row_totals": self.row_totals.tolist(),
            "column_totals": self.column_totals.tolist(),
            "total": self.total,
        }
        if full:
            data |= {name: getattr(self, name).tolist() for name in _DERIVED}
        return dict(json_safe(data))

    def to_frame(self, library: str | None = None) -> Any:
        """Return the counts as a data frame, a row for each label of the rows, without the row of totals."""
        columns = {name: list(column[:-1]) for name, column in self.tables()[0].columns.items()}
        return as_frame(columns | {self.rows: list(self.labels)}, library)

    def tables(self) -> list[ResultTable]:
        """Return the counts with their totals, a row for each label of the rows."""
        labels = [clean(label) for label in self.column_labels or ()]
        names = list(map(str, self.column_labels or ()))
        if len({self.rows, "total", *names}) < len(names) + 2:  # a label is called like another column
            names = [f"{self.columns} {index}" for index in range(len(labels))]
        columns: dict[str, list[Any]] = {self.rows: [*map(clean, self.labels), "total"]}
        totals = self.column_totals.tolist()
        for name, counts, total in zip(names, self.counts.T.tolist(), totals, strict=True):
            columns[name] = [*counts, total]
        columns["total"] = [*self.row_totals.tolist(), self.total]
        headings = dict(zip(names, labels, strict=True)) | {self.rows: f"{self.rows} \\ {self.columns}"}
        return [ResultTable(columns, headings=headings)]


def _checked(values: Any) -> NDArray[Any]:
    try:
        counts = np.array(values)
    except ValueError:
        raise MetricError("the table's rows are of different lengths.") from None
    if counts.size == 0:
        counts = counts.reshape(counts.shape if counts.ndim == 2 else (0, 0)).astype(np.int64)  # noqa: PLR2004
    if counts.ndim != 2 or counts.dtype.kind not in "biuf":  # noqa: PLR2004
        raise MetricError("a cross table is made of numbers in rows and columns.")
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise MetricError("a cross table holds counts: finite and not below 0.")
    return counts


def _quotient(numerator: Any, denominator: Any) -> NDArray[np.float64]:
    """Return the quotient, NaN where it divides by 0."""
    zero = np.asarray(denominator) == 0
    quotient = np.true_divide(numerator, np.where(zero, 1, denominator))  # Python's integers divide exactly
    return np.where(zero, np.nan, quotient).astype(np.float64)


def _in_stated_order(rows: Rows) -> Rows:
    """Return rows with labels declared in the order that ordered categories state, others as they are."""
    actual, predicted = rows.actual, rows.predicted
    if rows.labels is not None or actual is None or predicted is None or actual.order is None:
        return rows
    labels = label_union(encode(actual)[1], encode(predicted)[1])
    return dataclasses.replace(rows, labels=in_order(labels, actual))
