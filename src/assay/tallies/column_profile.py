"""The traits of rows: all that must be known of the columns to tell which problem they pose."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np

from assay.errors import LabelError, NumberError
from assay.inputs import encode, label_union, need_rows
from assay.tallies.loss_arguments import numbers
from assay.tallies.tally import Tally, require

if TYPE_CHECKING:
    from assay.inputs import Column, Rows
    from assay.inputs.labels import Labels

__all__ = ["ColumnProfile", "LabelProfile", "label_profile", "label_task"]

_KINDS = ("", "text", "truth", "whole", "fractions")
_FIRST = 1000  # values that usually tell
_OBVIOUS = ({0, 1}, {-1, 1})


class LabelProfile(NamedTuple):
    """What a column holds: ``"text"``, ``"truth"``, ``"whole"`` numbers, or ``"fractions"`` among numbers.

    ``labels`` are those that occur, sorted; of numbers that are not whole there are none.
    """

    kind: str = ""
    labels: Labels = ()

    @property
    def are_classes(self) -> bool:
        """Whether they can only be classes: text, true or false, or two whole numbers such as 0 and 1."""
        return self.kind in ("text", "truth") or set(self.labels) in _OBVIOUS


_NOTHING = LabelProfile()


def label_task(
    labels: Labels, *, declared: bool = False
) -> Literal["binary", "two classes", "whole numbers", "classes"]:
    """Return what labels pose of which no more is stated.

    Of two classes it is not known which is positive; whole numbers may be classes, grades or quantities.

    >>> label_task((0, 1)), label_task(("ham", "spam")), label_task((1, 2, 3)), label_task(("a", "b", "c"))
    ('binary', 'two classes', 'whole numbers', 'classes')
    """
    if set(labels) in _OBVIOUS:
        return "binary"
    if len(labels) == 2:  # noqa: PLR2004 - two classes
        return "two classes"
    numbers = bool(labels) and isinstance(labels[0], int)
    return "whole numbers" if numbers and not declared else "classes"


def label_profile(column: Column) -> LabelProfile:
    """Return the traits of a column.

    >>> import assay
    >>> label_profile(assay.column([1.0, 3.0], "stars")), label_profile(assay.column([0.5, 1], "hours")).kind
    (LabelProfile(kind='whole', labels=(1, 3)), 'fractions')
    """
    if has_fractions(column):
        column.refuse_missing()
        return LabelProfile("fractions")
    if column.labels is None and column.missing is None and column.values.dtype.kind in "iu" and len(column):
        low, high = int(column.values.min()), int(column.values.max())
        if high - low <= 1:  # there is nothing in between
            return LabelProfile("whole", (low, high)[: 1 + high - low])
    labels = encode(column)[1]
    if column.labels is not None and (not labels or isinstance(labels[0], str)):
        return LabelProfile("text" if labels else "", labels)
    return LabelProfile(("truth" if column.values.dtype.kind == "b" else "whole") if labels else "", labels)


def has_fractions(column: Column) -> bool:
    """Tell whether a column holds finite numbers that are not whole."""
    values = column.values
    if column.labels is not None or values.dtype.kind != "f" or values.ndim > 1:
        return False
    return any(_not_whole(part) for part in (values[:_FIRST], values[_FIRST:]))


def _not_whole(values: Any) -> bool:
    return bool(((values != np.floor(values)) & np.isfinite(values)).any())


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ColumnProfile(Tally, kind="traits"):
    """Which labels occur among the actual and the predicted ones, and how far the scores reach.

    ``probabilities`` says of scores of several classes that every row's add up to 1.

    State: the labels that occur; of numbers that are not whole, none.

    Examples
    --------
    >>> import assay
    >>> traits = ColumnProfile.of(assay.rows(actual=["a", "b"], predicted=["b", "b"]))
    >>> traits.actual.labels, traits.predicted.labels
    (('a', 'b'), ('b',))
    """

    n: int = 0
    actual: LabelProfile = _NOTHING
    predicted: LabelProfile = _NOTHING
    least: float = np.inf
    largest: float = -np.inf
    probabilities: bool = True

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """Return the traits of rows."""
        if not len(need_rows(rows)):
            return cls()
        actual, predicted = (
            _NOTHING if one is None else label_profile(one) for one in (rows.actual, rows.predicted)
        )
        score = rows.score
        if score is None:
            return cls(len(rows), actual, predicted)
        if score.values.ndim > 1:
            return cls(len(rows), actual, predicted, probabilities=_sum_to_one(rows))
        values = score.numbers("scores")
        score.refuse_missing()
        least, largest = float(values.min()), float(values.max())
        if np.isnan(least):
            score.raise_missing(int(np.argmax(np.isnan(values))))
        return cls(len(rows), actual, predicted, least + 0.0, largest + 0.0)

    def merge(self, other: Self) -> Self:
        """Return the traits of both sides' rows."""
        self._same_kind(other)
        return type(self)(
            self.n + other.n,
            _joined(self.actual, other.actual),
            _joined(self.predicted, other.predicted),
            min(self.least, other.least),
            max(self.largest, other.largest),
            self.probabilities and other.probabilities,
        )

    @property
    def are_numbers(self) -> bool:
        """Whether actual and predicted are measured quantities: numbers, not all of them whole."""
        kinds = {self.actual.kind, self.predicted.kind}
        return bool(self.predicted.kind) and "fractions" in kinds and "text" not in kinds

    @property
    def predicts_fractions_for_classes(self) -> bool:
        """Whether predictions look like scores: numbers that are not whole, where actual holds classes."""
        return self.predicted.kind == "fractions" and self.actual.are_classes

    @property
    def predicts_classes_for_fractions(self) -> bool:
        """Whether actual and predicted look exchanged: classes predicted of numbers that are not whole."""
        return self.actual.kind == "fractions" and self.predicted.are_classes

    @property
    def are_probabilities(self) -> bool:
        """Whether all scores lie between 0 and 1."""
        return 0 <= self.least <= self.largest <= 1

    def state(self) -> tuple[Any, ...]:
        """Return the fields in order, plain tuples for columns."""
        return (
            self.n, tuple(self.actual), tuple(self.predicted), self.least, self.largest, self.probabilities,
        )  # fmt: skip

    @classmethod
    def restore(cls, state: tuple[Any, ...]) -> Self:
        """Return the traits whose :meth:`state` this was."""
        n, actual, predicted, *scores = state
        return cls(n, LabelProfile(*actual), LabelProfile(*predicted), *scores)

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        require(type(self.n) is int and self.n >= 0, "a wrong count")
        for kind, labels in (self.actual, self.predicted):
            require(kind in _KINDS and type(labels) is tuple, "a wrong column")
            require(bool(labels) == (kind in ("text", "truth", "whole")), "labels of another kind")
            found = {type(label) for label in labels}
            require(found <= {{"text": str, "truth": bool}.get(kind, int)}, "labels of another kind")
            require(tuple(sorted(set(labels))) == labels, "labels out of order")
        require(type(self.least) is float and type(self.largest) is float, "wrong scores")
        require(type(self.probabilities) is bool, "a wrong answer")
        if not self.n:
            require(self.state() == type(self)().state(), "traits of no rows")


def _joined(first: LabelProfile, second: LabelProfile) -> LabelProfile:
    if not first.kind or not second.kind:
        return first if first.kind else second
    if "fractions" in (first.kind, second.kind):
        if "text" in (first.kind, second.kind):
            raise LabelError("some labels are text and others numbers. Make them all text or all numbers.")
        return LabelProfile("fractions")
    labels = label_union(first.labels, second.labels)
    return LabelProfile(first.kind if first.kind == second.kind else "whole", labels)


def _sum_to_one(rows: Rows) -> bool:
    """Tell whether every row's scores are probabilities of all classes."""
    try:
        numbers(rows, "probabilities", "an evaluation")
    except (NumberError, LabelError):
        return False
    return True
