"""The models of a comparison: their rows brought together, and whether these are the same rows.

Two models on the same rows are compared row by row, which sees far smaller differences than two separate
figures do; on different rows their variances add.
"""

from __future__ import annotations

import dataclasses
import functools
import string
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, InputError, LengthError, MetricError
from assay.inference.intervals.interval_request import rescaled
from assay.inference.intervals.tally_choice import tally_for
from assay.inputs import Rows, rows
from assay.inputs.labels import encode
from assay.tallies import Collection, PairedLabels, PairedScores, Queries, Tally
from assay.tallies.paired import same_actual

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.metrics import Metric
    from assay.tallies import Confusion

__all__ = [
    "Models", "Pair", "empty_lists_of", "models_of", "size_of", "stated_positive", "stated_settings",
    "stated_task",
]  # fmt: skip

_TWO = 2
_SETTINGS = (
    "cost_fp",
    "cost_fn",
    "beta",
    "prevalence",
    "k",
    "empty",
)  # of an evaluation, by the metrics' own words
_ROLES = ("actual", "predicted", "score", "values")  # names that a column has where nobody named it


@dataclasses.dataclass(frozen=True, eq=False)
class Pair:
    """Two models' rows or tallies, and whether they are of the same rows.

    `joint` is the tally of both models' labels on the same rows where only that is at hand.
    """

    first: Any
    second: Any
    paired: bool
    given: PairedLabels | None = None

    @functools.cached_property
    def joint(self) -> PairedLabels:
        """The counts of (actual, predicted by the first, predicted by the second)."""
        return PairedLabels.of(self.first, self.second) if self.given is None else self.given

    @functools.cached_property
    def own(self) -> tuple[Confusion, Confusion]:
        """Either model's own confusion tally."""
        return self.joint.of_model(0), self.joint.of_model(1)

    @property
    def weighted(self) -> bool:
        """Whether rows have weights of their own."""
        if self.given is not None:
            return self.given.weights is not None
        return any(getattr(one, "weight", None) is not None for one in self._rows)

    @functools.cached_property
    def groups(self) -> tuple[NDArray[Any], int] | None:
        """Which group each of the paired rows is in, and how many groups there are."""
        if not self._rows or self.first.group is None:
            return None
        codes, labels = encode(self.first.group)
        return codes, len(labels)

    @property
    def plain(self) -> bool:
        """Whether every row counts once and for itself."""
        return not self.weighted and not any(one.group is not None for one in self._rows)

    @property
    def of_rows(self) -> bool:
        """Whether both models' rows are at hand, and not their tallies alone."""
        return bool(self._rows)

    @property
    def _rows(self) -> tuple[Rows, ...]:
        both = (self.first, self.second)
        return both if all(isinstance(one, Rows) for one in both) else ()


@dataclasses.dataclass(frozen=True, eq=False)
class Models:
    """Two or more models by name, with what was made out about their rows.

    What is known of a model are its rows, a tally, or a collection of tallies, of which a metric reads one.
    """

    names: tuple[str, ...]
    data: tuple[Any, ...]
    paired: bool
    given: PairedLabels | None = None

    def pair(self, first: int, second: int) -> Pair:
        """Return two of the models."""
        one, other = (rescaled(self.data[place]) for place in (first, second))
        return Pair(one, other, self.paired, self.given)

    def read_by(self, metric: Metric, options: dict[str, Any]) -> Models:
        """Return the same with the tallies that a metric reads, where there are collections of them."""
        if not any(isinstance(one, Collection) for one in self.data):
            return self
        data = []
        for one, name in zip(self.data, self.names, strict=True):
            found = tally_for(metric, one, options) if isinstance(one, Collection) else one
            if found is None:
                raise MetricError(
                    f"{metric.name} needs the rows of {name}, of which only tallies are at hand: "
                    f"{', '.join(one)}."
                )
            data.append(found)
        return dataclasses.replace(self, data=tuple(data))

    def sizes(self, *, of_queries: bool = False) -> tuple[int, ...]:
        """Return how many rows each model has, or queries."""
        return tuple(size_of(one, of_queries=of_queries) for one in self.data)


def size_of(data: Any, *, of_queries: bool = False) -> int:
    """Return how many rows, or queries, rows or a tally hold."""
    if of_queries and isinstance(data, Rows):
        return len(encode(data.need("query", "a mean over queries"))[1])
    return len(data) if isinstance(data, (Rows, Queries)) else int(data.n)


def empty_lists_of(data: Any) -> int:
    """Return how many ranked lists of rows or a tally have no relevant item."""
    if isinstance(data, Collection):
        return sum(map(empty_lists_of, data.tallies))
    if isinstance(data, Rows):
        data = Queries.of(data) if data.query is not None else None
    return data.empty_lists if isinstance(data, Queries) else 0


def models_of(
    given: Sequence[Any],
    *,
    names: Sequence[str] | None = None,
    paired: bool | None = None,
    predicted: Any = None,
    score: Any = None,
    missing: Any = "refuse",
    **roles: Any,
) -> Models:
    """Return the models of a comparison: rows or tallies as they are, or columns by model.

    Columns are given as in :func:`assay.rows`, a mapping from model to column for what differs between them,
    or a list of column names of the table that comes first.
    """
    data: tuple[Any, ...]
    if predicted is not None or score is not None:
        data, found = _of_columns(given, {"predicted": predicted, "score": score}, missing, roles)
    elif len(given) == 1 and isinstance(given[0], PairedLabels):
        found = ("a", "b")
        data = (given[0].of_model(0), given[0].of_model(1))
    elif len(given) == 1 and isinstance(given[0], PairedScores):
        found, data = ("a", "b"), _expanded(given[0])
    else:
        stated = [name for name, value in roles.items() if value is not None and name != "positive"]
        if stated:
            raise InputError(f"{', '.join(stated)} belong to columns: say predicted= or score= as well.")
        data = _all_judged(given)
        found = _own_names(given, _names(data))
    if len(data) < _TWO:
        raise InputError("a comparison needs two models at least: rows of each, or columns by model.")
    told = found if names is None else tuple(map(str, names))
    if len(told) != len(data) or len(set(told)) != len(told):
        raise InputError(f"{len(data)} models need as many different names, not {list(told)}.")
    joint = given[0] if given and isinstance(given[0], PairedLabels) else None
    if joint is not None:
        if paired is False:
            raise InputError("a joint tally is of the same rows: leave paired= out.")
        return Models(told, data, paired=True, given=joint)
    return Models(told, data, _pairing(data, told, paired=paired))


def _of_columns(
    given: Sequence[Any], differing: dict[str, Any], missing: Any, roles: dict[str, Any]
) -> tuple[tuple[Rows, ...], tuple[str, ...]]:
    """Return each model's rows from columns, and the models' names."""
    if len(given) > 1 or (given and isinstance(given[0], (Rows, Tally))):
        raise InputError("give the models as rows, or as columns by model, not both.")
    table = given[0] if given else None
    by_model: dict[str, dict[str, Any]] = {}
    for role, columns in differing.items():
        if columns is None:
            continue
        if isinstance(columns, Mapping):
            named = {str(name): column for name, column in columns.items()}
        elif isinstance(columns, (list, tuple)) and columns and all(isinstance(x, str) for x in columns):
            named = {name: name for name in columns}
        else:
            raise ColumnError(
                f"{role}= is one column per model here: a mapping from model to column, or a list of a "
                "table's column names."
            )
        if by_model and list(by_model) != list(named) and set(by_model) != set(named):
            raise InputError(f"predicted= and score= name different models: {list(by_model)}, {list(named)}.")
        for name, column in named.items():
            by_model.setdefault(name, {})[role] = column
    found = [rows(table, **roles, **columns, missing=missing) for columns in by_model.values()]
    return tuple(_together(found)), tuple(by_model)


def _together(found: list[Rows]) -> list[Rows]:
    """Return the rows that no model lacks: those left out for one are left out for all."""
    if all(one.origin is None for one in found):
        return found
    whole = max(len(one) if one.origin is None else int(one.origin.max(initial=-1)) + 1 for one in found)
    kept = np.ones(whole, dtype=bool)
    places = [np.arange(len(one)) if one.origin is None else one.origin for one in found]
    for one in places:
        mine = np.zeros(whole, dtype=bool)
        mine[one] = True
        kept &= mine
    taken = [one.take(kept[place]) for one, place in zip(found, places, strict=True)]
    return [
        dataclasses.replace(less, dropped=one.dropped + len(one) - len(less))
        for one, less in zip(found, taken, strict=True)
    ]


def stated_positive(given: Sequence[Any]) -> Any:
    """Return the positive label of evaluations, which they state where they hold tallies alone."""
    return next((one.positive for one in given if _is_evaluation(one)), None)


def stated_task(given: Sequence[Any]) -> str | None:
    """Return the kind of problem that evaluations are of, None where there are none."""
    kinds = list(dict.fromkeys(str(one.task.name) for one in given if _is_evaluation(one)))
    if len(kinds) > 1:
        raise InputError(
            f"the evaluations are of different problems, {' and '.join(kinds)}: evaluate the models alike, "
            "or name with metrics= what both have."
        )
    return kinds[0] if kinds else None


def stated_settings(metric: Metric, given: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the options of a metric that evaluations state: costs, beta, prevalence, depth of lists.

    Raise where they state different ones, for then the metric is not the same.
    """
    found: dict[str, dict[str, Any]] = {}
    for one, name in zip(given, names, strict=False):
        if _is_evaluation(one):
            known = {key: getattr(one.settings, key) for key in _SETTINGS} | one.settings.costs
            found[name] = {key: known[key] for key in _SETTINGS if key in metric.options}
    each = list(found.values())
    if not each:
        return {}
    for name, one in found.items():
        if one != each[0]:
            first = next(iter(found))
            raise InputError(
                f"{metric.name} of {first} was evaluated with {_said(each[0])}, that of {name} with "
                f"{_said(one)}: evaluate both alike, or state what to compare by, as in "
                f"metrics=({metric.name!r}, {{{', '.join(f'{key!r}: ...' for key in one)}}})."
            )
    return {key: value for key, value in each[0].items() if value is not None}


def _said(options: dict[str, Any]) -> str:
    said = [f"{key}={value}" for key, value in options.items() if value is not None]
    return " and ".join(said) or f"no {' or '.join(options)}"


def _is_evaluation(given: Any) -> bool:
    return hasattr(given, "tallies") and hasattr(given, "settings")


def _all_judged(given: Sequence[Any]) -> tuple[Any, ...]:
    """Return the models' rows or tallies; where an evaluation has lost its rows, the tallies of all."""
    bare = any(_is_evaluation(one) and one.rows is None for one in given)
    return tuple(one.tallies if bare and _is_evaluation(one) else _judged(one) for one in given)


def _own_names(given: Sequence[Any], others: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names that evaluations were given, and other ones where they have none or share one."""
    own = (str(one.settings.name) if _is_evaluation(one) else "" for one in given)
    found = tuple(name or other for name, other in zip(own, others, strict=True))
    return found if len(set(found)) == len(found) else others


def _judged(given: Any) -> Any:
    """Return the rows or the tally of what was given for a model."""
    held = getattr(given, "rows", given)  # an evaluation keeps its rows
    if isinstance(held, (PairedLabels, PairedScores)):
        raise InputError("a joint tally holds both models: give it alone.")
    if not isinstance(held, (Rows, Tally)):
        raise InputError(
            f"a model is compared by its rows, not by a {type(given).__name__}: gather them with "
            "assay.rows(...), or give columns: compare(actual=..., score={'a': ..., 'b': ...})."
        )
    return held


def _names(data: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the names of the columns that differ, or letters where they have none of their own."""
    for role in ("score", "predicted"):
        found = [getattr(getattr(one, role, None), "name", "") for one in data]
        if len(set(found)) == len(found) and all(name and name not in _ROLES for name in found):
            return tuple(found)
    letters = string.ascii_lowercase
    return tuple(letters[i] if i < len(letters) else f"model {i + 1}" for i in range(len(data)))


def _pairing(data: tuple[Any, ...], names: tuple[str, ...], *, paired: bool | None) -> bool:
    """Return whether the models were judged on the same rows; raise where that is doubtful."""
    first = data[0]
    stated = {one.positive for one in data if isinstance(one, Rows)}
    if len(stated) > 1:
        raise InputError("the models' rows were gathered with different positive= labels.")
    if paired is False:
        return False
    if all(isinstance(one, Queries) for one in data):
        same = all(one.names is not None and one.names == first.names for one in data)
        if paired and not same:
            raise InputError("the models' queries have no names, or different ones, so they do not pair.")
        return same
    if not all(isinstance(one, Rows) for one in data):
        if paired:
            raise InputError("separate tallies hold no pairs of rows: give rows, or a joint tally.")
        return False
    for one, name in zip(data[1:], names[1:], strict=True):
        if paired is None and (len(one) != len(first) or _others(first, one, names[0], name)):
            return False
        same_actual(first, one, "a comparison")
        for role in ("group", "query"):
            mine, theirs = (getattr(held, role) for held in (first, one))
            if (mine is None) != (theirs is None) or (mine is not None and not _same(mine, theirs)):
                raise InputError(f"the two models' rows have different {role}s.")
    return True


def _others(first: Rows, second: Rows, mine: str, theirs: str) -> bool:
    """Tell whether rows of one length are of other actual values; raise where only their order differs."""
    if first.actual is None or second.actual is None or _same(first.actual, second.actual):
        return False
    values = [_plain(one.actual) for one in (first, second)]
    if np.array_equal(np.sort(values[0]), np.sort(values[1])):
        raise InputError(
            f"{mine} and {theirs} have the same actual values in another order: bring the rows into one "
            "order, so that they can be compared row by row, or say paired=False if they are different rows."
        )
    return True


def _plain(column: Any) -> NDArray[Any]:
    values: NDArray[Any] = column.values
    return values if column.labels is None else np.array(column.labels)[values]


def _same(first: Any, second: Any) -> bool:
    return first is second or (first.labels == second.labels and np.array_equal(first.values, second.values))


def _expanded(joint: PairedScores) -> tuple[Rows, Rows]:
    """Return the rows that a joint tally of scores was made of, but for their order."""
    if not joint.n:
        raise LengthError("the joint tally has no rows.")
    counts = np.concatenate([joint.positives, joint.negatives]).astype(np.int64)
    actual = np.repeat(np.repeat([1, 0], len(joint.first)), counts)
    scores = (np.repeat(np.tile(one, 2), counts) for one in (joint.first, joint.second))
    first, second = (rows(actual=actual, score=one) for one in scores)
    return first, second
