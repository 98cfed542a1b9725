"""Column profile: the labels and score range of the columns, from which the task is inferred."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np

from assay import kernels
from assay.errors import LabelError, NumberError
from assay.inputs import encode, label_union, need_rows
from assay.tallies.loss_arguments import loss_argument
from assay.tallies.tally import Tally, require

if TYPE_CHECKING:
    from assay.inputs import Column, Rows
    from assay.inputs.labels import Labels

__all__ = ["ColumnProfile", "LabelProfile", "label_profile", "label_task"]

_KINDS = ("", "text", "truth", "whole", "fractions")
_FIRST_VALUES = 1000  # checked first: a fraction usually occurs among them
_BINARY_LABELS = ({0, 1}, {-1, 1})
_MOST_ON_DEVICE = 10_000  # values that a column on a device may span to be looked at there


class LabelProfile(NamedTuple):
    """Type of a column: ``"text"``, ``"truth"`` (boolean), ``"whole"`` numbers or ``"fractions"``.

    ``labels`` are those that occur, sorted; empty if some numbers are not whole.
    """

    kind: str = ""
    labels: Labels = ()

    @property
    def are_classes(self) -> bool:
        """Whether the values can only be classes: text, booleans, or two whole numbers such as 0 and 1."""
        return self.kind in ("text", "truth") or set(self.labels) in _BINARY_LABELS


_NOTHING = LabelProfile()


def label_task(
    labels: Labels, *, declared: bool = False
) -> Literal["binary", "two classes", "whole numbers", "classes"]:
    """Return the task that labels suggest if nothing else is declared.

    "two classes": which one is positive is unknown. "whole numbers": classes, ordinal grades or quantities.

    >>> label_task((0, 1)), label_task(("ham", "spam")), label_task((1, 2, 3)), label_task(("a", "b", "c"))
    ('binary', 'two classes', 'whole numbers', 'classes')
    """
    if set(labels) in _BINARY_LABELS or (labels and isinstance(labels[0], bool)):
        return "binary"
    if len(labels) == 2:  # noqa: PLR2004 - two classes
        return "two classes"
    are_integers = bool(labels) and isinstance(labels[0], int)
    return "whole numbers" if are_integers and not declared else "classes"


def label_profile(column: Column) -> LabelProfile:
    """Return the type of a column's values and the labels that occur.

    >>> import assay
    >>> label_profile(assay.column([1.0, 3.0], "stars")), label_profile(assay.column([0.5, 1], "hours")).kind
    (LabelProfile(kind='whole', labels=(1, 3)), 'fractions')
    """
    if column.device_tensor is not None and (profile := _profile_on_device(column.device_tensor)):
        return profile
    if has_fractions(column):
        column.refuse_missing()
        return LabelProfile("fractions")
    values = column.values
    if column.labels is None and column.missing is None and values.dtype.kind in "iu" and len(values):
        low, high, _ = kernels.extremes(np.ascontiguousarray(values))
        if high - low <= 1:  # no other integer lies between them
            return LabelProfile("whole", (low, high)[: 1 + high - low])
    labels = encode(column)[1]
    if column.labels is not None and (not labels or isinstance(labels[0], str)):
        return LabelProfile("text" if labels else "", labels)
    return LabelProfile(("truth" if column.values.dtype.kind == "b" else "whole") if labels else "", labels)


def _profile_on_device(tensor: Any) -> LabelProfile | None:
    """Return the profile of a tensor's values from where they are; None where they are better copied."""
    if tensor.is_floating_point():
        fractions = bool(((tensor != tensor.floor()) & tensor.isfinite()).any())
        return LabelProfile("fractions") if fractions and not bool(tensor.isnan().any()) else None
    low, high = (int(end) for end in tensor.aminmax())
    if high - low > _MOST_ON_DEVICE:
        return None
    labels = tensor.unique().tolist() if high - low > 1 else sorted({low, high})
    truth = str(tensor.dtype) == "torch.bool"
    return LabelProfile("truth" if truth else "whole", tuple(map(bool, labels) if truth else labels))


def has_fractions(column: Column) -> bool:
    """Whether a column holds finite numbers that are not whole."""
    values = column.values
    if column.labels is not None or values.dtype.kind != "f" or values.ndim > 1:
        return False
    return any(_any_not_whole(part) for part in (values[:_FIRST_VALUES], values[_FIRST_VALUES:]))


def _any_not_whole(values: Any) -> bool:
    return bool(((values != np.floor(values)) & np.isfinite(values)).any())


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ColumnProfile(Tally, kind="traits"):
    """Actual and predicted labels that occur, and the minimum and maximum score.

    ``probabilities``: whether every row's multiclass scores add up to 1; of rows with several labels or
    outputs, whether every row has exactly one 1 among zeros, which may be one class per row.

    State: the labels that occur (none for columns with fractions) and four numbers.

    Examples
    --------
    >>> import assay
    >>> profile = ColumnProfile.of(assay.rows(actual=["a", "b"], predicted=["b", "b"]))
    >>> profile.actual.labels, profile.predicted.labels
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
        """Return the profile of rows."""
        if not need_rows(rows).n:
            return cls()
        if rows.multioutput:
            return cls._of_matrices(rows)
        actual, predicted = (
            _NOTHING if column is None else label_profile(column) for column in (rows.actual, rows.predicted)
        )
        score = rows.score
        if score is None:
            return cls(rows.n, actual, predicted)
        if score.ndim > 1:
            return cls(rows.n, actual, predicted, probabilities=_sum_to_one(rows))
        minimum, maximum = _extremes(score)
        return cls(rows.n, actual, predicted, minimum + 0.0, maximum + 0.0)

    @classmethod
    def _of_matrices(cls, rows: Rows) -> Self:
        """Return the profile of rows of several labels or outputs, all columns of a role as one."""
        actual, predicted, score = (
            None if column is None else dataclasses.replace(column, values=column.values.ravel(), place=None)
            for column in (rows.actual, rows.predicted, rows.score)
        )
        for column in (rows.actual, rows.predicted, rows.score):
            if column is not None:
                column.refuse_missing()
        flat = dataclasses.replace(
            rows, n=len(rows) * len(rows.labels or ()), actual=actual, predicted=predicted, score=score,
            weight=None, group=None, query=None, by=(),
        )  # fmt: skip
        profile = cls.of(flat)
        matrix: Any = rows.actual
        values = matrix.values
        one_hot = bool(((values == 0) | (values == 1)).all() and (values.sum(axis=1) == 1).all())
        return dataclasses.replace(profile, n=len(rows), probabilities=one_hot)

    def merge(self, other: Self) -> Self:
        """Return the profile of both tallies' rows."""
        self._same_kind(other)
        return type(self)(
            self.n + other.n,
            _merge_profiles(self.actual, other.actual),
            _merge_profiles(self.predicted, other.predicted),
            min(self.least, other.least),
            max(self.largest, other.largest),
            self.probabilities and other.probabilities,
        )

    @property
    def are_numbers(self) -> bool:
        """Whether actual and predicted are continuous: numbers, not all of them whole."""
        kinds = {self.actual.kind, self.predicted.kind}
        return bool(self.predicted.kind) and "fractions" in kinds and "text" not in kinds

    @property
    def predicts_fractions_for_classes(self) -> bool:
        """Whether predictions look like scores: fractions, where actual holds classes."""
        return self.predicted.kind == "fractions" and self.actual.are_classes

    @property
    def predicts_classes_for_fractions(self) -> bool:
        """Whether actual and predicted look swapped: actual holds fractions, predicted classes."""
        return self.actual.kind == "fractions" and self.predicted.are_classes

    @property
    def are_probabilities(self) -> bool:
        """Whether all scores lie between 0 and 1."""
        return 0 <= self.least <= self.largest <= 1

    def state(self) -> tuple[Any, ...]:
        """Return the fields in order, column profiles as plain tuples."""
        return (
            self.n, tuple(self.actual), tuple(self.predicted), self.least, self.largest, self.probabilities,
        )  # fmt: skip

    @classmethod
    def restore(cls, state: tuple[Any, ...]) -> Self:
        """Return the tally with this :meth:`state`."""
        n, actual, predicted, *scores = state
        return cls(n, LabelProfile(*actual), LabelProfile(*predicted), *scores)

    def check(self) -> None:
        """Raise ValueError if no rows could have led to this state."""
        require(type(self.n) is int and self.n >= 0, "a wrong count")
        for kind, labels in (self.actual, self.predicted):
            require(kind in _KINDS and type(labels) is tuple, "a wrong column")
            require(bool(labels) == (kind in ("text", "truth", "whole")), "labels of another kind")
            label_types = {type(label) for label in labels}
            require(label_types <= {{"text": str, "truth": bool}.get(kind, int)}, "labels of another kind")
            require(tuple(sorted(set(labels))) == labels, "labels out of order")
        require(type(self.least) is float and type(self.largest) is float, "wrong scores")
        require(type(self.probabilities) is bool, "a flag that is not boolean")
        if not self.n:
            require(self.state() == type(self)().state(), "a profile of no rows")


def _extremes(score: Column) -> tuple[float, float]:
    """Return the lowest and the highest score; raise where one is missing."""
    tensor = score.device_tensor
    if tensor is not None:
        minimum, maximum = (float(end) for end in tensor.aminmax())
        if not np.isnan(minimum):
            return minimum, maximum
    values = score.complete_numbers("scores")
    minimum, maximum, missing = kernels.extremes(np.ascontiguousarray(values))
    if missing >= 0:
        score.raise_missing(missing)
    return minimum, maximum


def _merge_profiles(first: LabelProfile, second: LabelProfile) -> LabelProfile:
    if not first.kind or not second.kind:
        return first if first.kind else second
    if "fractions" in (first.kind, second.kind):
        if "text" in (first.kind, second.kind):
            raise LabelError("some labels are text and others numbers. Make them all text or all numbers.")
        return LabelProfile("fractions")
    labels = label_union(first.labels, second.labels)
    return LabelProfile(first.kind if first.kind == second.kind else "whole", labels)


def _sum_to_one(rows: Rows) -> bool:
    """Whether every row's scores are probabilities that add up to 1."""
    try:
        loss_argument(rows, "probabilities", "an evaluation")
    except (NumberError, LabelError):
        return False
    return True
