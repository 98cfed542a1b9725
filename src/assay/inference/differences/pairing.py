"""The models of a comparison: their rows or tallies, and whether these are of the same rows (paired).

Two models on the same rows are compared row by row, which detects far smaller differences than two separate
estimates do; on different rows their variances add.
"""

from __future__ import annotations

import dataclasses
import functools
import string
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ColumnError, InputError, LengthError, MetricError
from assay.hints import hint, param
from assay.inference.influence.influence import rescaled
from assay.inference.intervals.choose_interval import tallies_for
from assay.inference.intervals.interval_request import drop_equal_weights
from assay.inputs import Rows, rows
from assay.inputs.labels import encode
from assay.inputs.roles import gather_rows
from assay.tallies import Collection, PairedLabels, PairedScores, Queries, Tally
from assay.tallies.paired import same_actual

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.metrics import Metric
    from assay.metrics.spec import MetricSpec
    from assay.tallies import Confusion

__all__ = ["Models", "Pair", "count_empty_lists", "prepare_models", "size_of"]

_MIN_MODELS = 2
_DEFAULT_COLUMN_NAMES = ("actual", "predicted", "score", "values")  # of columns that the caller did not name


@dataclasses.dataclass(frozen=True, eq=False)
class Pair:
    """Two models' rows or tallies, and whether they are of the same rows.

    `joint_tally` is the tally of both models' labels on the same rows, where the caller gave that alone.
    """

    first: Any
    second: Any
    paired: bool
    joint_tally: PairedLabels | None = None

    @functools.cached_property
    def joint(self) -> PairedLabels:
        """The counts of (actual, predicted by the first, predicted by the second)."""
        return PairedLabels.of(self.first, self.second) if self.joint_tally is None else self.joint_tally

    @functools.cached_property
    def confusions(self) -> tuple[Confusion, Confusion]:
        """The confusion tally of each model."""
        return self.joint.of_model(0), self.joint.of_model(1)

    @property
    def weighted(self) -> bool:
        """Whether rows have weights of their own."""
        if self.joint_tally is not None:
            return self.joint_tally.weights is not None
        return any(getattr(rows, "weight", None) is not None for rows in self._rows)

    @functools.cached_property
    def groups(self) -> tuple[NDArray[Any], int] | None:
        """Which group each of the paired rows is in, and how many groups there are."""
        if not self._rows or self.first.group is None:
            return None
        codes, labels = encode(self.first.group)
        return codes, len(labels)

    @property
    def independent_rows(self) -> bool:
        """Whether rows have neither weights nor groups: each counts once and for itself."""
        return not self.weighted and not any(rows.group is not None for rows in self._rows)

    @property
    def has_rows(self) -> bool:
        """Whether both models' rows are available, and not only their tallies."""
        return bool(self._rows)

    @property
    def multioutput(self) -> bool:
        """Whether rows have several labels or outputs."""
        return any(rows.multioutput for rows in self._rows)

    @property
    def both(self) -> tuple[Any, Any]:
        """The first and the second model's data."""
        return self.first, self.second

    @property
    def _rows(self) -> tuple[Rows, ...]:
        return self.both if all(isinstance(data, Rows) for data in self.both) else ()


@dataclasses.dataclass(frozen=True, eq=False)
class Models:
    """Two or more models by name, and whether they were evaluated on the same rows.

    The data of a model are its rows, a tally, or a collection of tallies, of which a metric reads one.
    """

    names: tuple[str, ...]
    data: tuple[Any, ...]
    paired: bool
    joint_tally: PairedLabels | None = None
    matched: bool = False  # whether the rows were lost, and matched by their actual values

    def pair(self, first: int, second: int) -> Pair:
        """Return two of the models."""
        left, right = (rescaled(self.data[index]) for index in (first, second))
        return Pair(left, right, self.paired, self.joint_tally)

    def tallied(
        self, spec: MetricSpec, options: dict[str, Any], known: dict[Any, Tally]
    ) -> list[tuple[Tally, dict[str, Any]]]:
        """Return each model's tally that a metric reads, and the metric's options beside it.

        Tallies that do not depend on the options are looked up in `known`, and added to it.
        """
        metric, tallied = spec.metric, []
        of_options = metric.loss is not None or (metric.of_scores and "positive" in options)
        of_options |= options.get("average") == "samples"
        for index, data in enumerate(self.data):
            if isinstance(data, Tally):
                tallied.append((data, options))
            elif of_options:
                tallied.append(metric.tallied(data, options))
            else:
                key = (index, spec.tally_key)
                if key not in known:
                    known[key] = metric.tallied(data, options)[0]
                tallied.append((known[key], options))
        return tallied

    def read_by(self, metric: Metric, options: dict[str, Any]) -> Models:
        """Return the same models with the tally that a metric reads in place of a collection of tallies."""
        if self._of_one_label(options):
            of_label = tuple(data.of_label(options["positive"]) for data in self.data)
            return dataclasses.replace(self, data=of_label)
        if not any(isinstance(data, Collection) for data in self.data):
            return self
        read = []
        for data, name in zip(self.data, self.names, strict=True):
            tally = tallies_for([(metric, options)], data)[0] if isinstance(data, Collection) else data
            if tally is None:
                raise MetricError(
                    f"{metric.name} needs the rows of {name}, of which only tallies are at hand: "
                    f"{', '.join(data)}."
                )
            read.append(tally)
        return dataclasses.replace(self, data=tuple(read))

    def options_for(self, models: Models, options: dict[str, Any]) -> dict[str, Any]:
        """Return options for what :meth:`read_by` returned: of one label's rows, true is positive."""
        return {**options, "positive": True} if models._of_one_label(options) else options

    def _of_one_label(self, options: dict[str, Any]) -> bool:
        """Whether rows of several labels are compared on one of them."""
        of_rows = all(isinstance(data, Rows) and data.multioutput for data in self.data)
        return of_rows and options.get("positive") is not None

    def sizes(self, *, of_queries: bool = False) -> tuple[int, ...]:
        """Return how many rows each model has, or queries."""
        return tuple(size_of(data, of_queries=of_queries) for data in self.data)


def size_of(data: Any, *, of_queries: bool = False) -> int:
    """Return how many rows, or queries, rows or a tally hold."""
    if of_queries and isinstance(data, Rows):
        return len(encode(data.need("query", "a mean over queries"))[1])
    return len(data) if isinstance(data, Queries) else int(data.n)


def count_empty_lists(data: Any) -> int:
    """Return how many ranked lists of rows or a tally have no relevant item."""
    if isinstance(data, Collection):
        return sum(map(count_empty_lists, data.tallies))
    if isinstance(data, Rows):
        data = Queries.of(data) if data.query is not None else None
    return data.empty_lists if isinstance(data, Queries) else 0


def prepare_models(
    inputs: Sequence[Any],
    *,
    default_names: Sequence[str] = (),
    names: Sequence[str] | None = None,
    paired: bool | None = None,
    predicted: Any = None,
    score: Any = None,
    missing: Any = "refuse",
    **roles: Any,
) -> Models:
    """Return the models of a comparison: rows or tallies as they are, or columns by model.

    Columns are given as in :func:`assay.rows`, a mapping from model to column for what differs between them,
    or a list of column names of the table that comes first. `default_names` are those of models that have
    one, empty where they have none; `names` come first.
    """
    data: tuple[Any, ...]
    if predicted is not None or score is not None:
        data, own_names = _rows_by_model(inputs, {"predicted": predicted, "score": score}, missing, roles)
    elif len(inputs) == 1 and isinstance(inputs[0], PairedLabels):
        own_names = ("a", "b")
        data = (inputs[0].of_model(0), inputs[0].of_model(1))
    elif len(inputs) == 1 and isinstance(inputs[0], PairedScores):
        own_names, data = ("a", "b"), _expand(inputs[0])
    else:
        stated = [name for name, value in roles.items() if value is not None and name != "positive"]
        if stated:
            raise InputError(
                f"{', '.join(stated)} belong to columns: say {param('predicted')} or {param('score')} as "
                "well."
            )
        data = tuple(map(_check_model, inputs))
        own_names = _fill_names(default_names, _column_names(data))
    if len(data) < _MIN_MODELS:
        raise InputError("a comparison needs two models at least: rows of each, or columns by model.")
    model_names = own_names if names is None else tuple(map(str, names))
    if len(model_names) != len(data) or len(set(model_names)) != len(model_names):
        raise InputError(f"{len(data)} models need as many different names, not {list(model_names)}.")
    data = tuple(map(drop_equal_weights, data))
    joint = inputs[0] if inputs and isinstance(inputs[0], PairedLabels) else None
    if joint is not None:
        if paired is False:
            raise InputError("a joint tally is of the same rows: leave paired= out.")
        return Models(model_names, data, paired=True, joint_tally=joint)
    return Models(model_names, data, _are_paired(data, model_names, paired=paired))


def _rows_by_model(
    inputs: Sequence[Any], differing: dict[str, Any], missing: Any, roles: dict[str, Any]
) -> tuple[tuple[Rows, ...], tuple[str, ...]]:
    """Return each model's rows from columns, and the models' names."""
    if len(inputs) > 1 or (inputs and isinstance(inputs[0], (Rows, Tally))):
        raise InputError("give the models as rows, or as columns by model, not both.")
    table = inputs[0] if inputs else None
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
                f"{param(role)} is one column per model here: a mapping from model to column, or a list of a "
                "table's column names."
            )
        if by_model and list(by_model) != list(named) and set(by_model) != set(named):
            raise InputError(
                f"{param('predicted')} and {param('score')} name different models: {list(by_model)}, "
                f"{list(named)}."
            )
        for name, column in named.items():
            by_model.setdefault(name, {})[role] = column
    each = [rows(table, **roles, **columns, missing=missing) for columns in by_model.values()]
    return tuple(_drop_for_all(each)), tuple(by_model)


def _drop_for_all(models: list[Rows]) -> list[Rows]:
    """Return the rows that are complete for every model: a row left out for one is left out for all."""
    if all(model.origin is None for model in models):
        return models
    total = max(
        len(model) if model.origin is None else int(model.origin.max(initial=-1)) + 1 for model in models
    )
    complete = np.ones(total, dtype=bool)
    origins = [np.arange(len(model)) if model.origin is None else model.origin for model in models]
    for origin in origins:
        present = np.zeros(total, dtype=bool)
        present[origin] = True
        complete &= present
    reduced = [model.take(complete[origin]) for model, origin in zip(models, origins, strict=True)]
    return [
        dataclasses.replace(less, dropped=model.dropped + len(model) - len(less))
        for model, less in zip(models, reduced, strict=True)
    ]


def _check_model(data: Any) -> Any:
    """Return the rows or the tally of a model; raise for anything else."""
    if isinstance(data, (PairedLabels, PairedScores)):
        raise InputError("a joint tally holds both models: give it alone.")
    if not isinstance(data, (Rows, Tally)):
        raise InputError(
            f"a model is compared by its rows, not by a {type(data).__name__}: gather them with "
            "assay.rows(...), or give columns: compare(actual=..., score={'a': ..., 'b': ...})."
        )
    return data


def _fill_names(names: Sequence[str], others: tuple[str, ...]) -> tuple[str, ...]:
    """Return the given names, with others where one is empty; the others alone where two are the same."""
    if not names:
        return others
    filled = tuple(name or other for name, other in zip(names, others, strict=True))
    return filled if len(set(filled)) == len(filled) else others


def _column_names(data: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the names of the columns that differ, or letters where they have none of their own."""
    for role in ("score", "predicted"):
        names = [getattr(getattr(model, role, None), "name", "") for model in data]
        if len(set(names)) == len(names) and all(
            name and name not in _DEFAULT_COLUMN_NAMES for name in names
        ):
            return tuple(names)
    letters = string.ascii_lowercase
    return tuple(letters[i] if i < len(letters) else f"model {i + 1}" for i in range(len(data)))


def _are_paired(data: tuple[Any, ...], names: tuple[str, ...], *, paired: bool | None) -> bool:
    """Return whether the models were evaluated on the same rows; raise where that is doubtful."""
    first = data[0]
    stated = {model.positive for model in data if isinstance(model, Rows)}
    if len(stated) > 1:
        raise InputError(f"the models' rows were gathered with different {param('positive')} labels.")
    if paired is False:
        return False
    if all(isinstance(model, Queries) for model in data):
        same = all(model.names is not None and model.names == first.names for model in data)
        if paired and not same:
            raise InputError("the models' queries have no names, or different ones, so they do not pair.")
        return same
    if not all(isinstance(model, Rows) for model in data):
        if paired:
            raise InputError("separate tallies hold no pairs of rows: give rows, or a joint tally.")
        return False
    for model, name in zip(data[1:], names[1:], strict=True):
        if paired is None and (model.n != first.n or _have_other_actuals(first, model, names[0], name)):
            return False
        same_actual(first, model, "a comparison")
        for role in ("group", "query"):
            left, right = (getattr(rows, role) for rows in (first, model))
            if (left is None) != (right is None) or (left is not None and not _same_column(left, right)):
                raise InputError(f"the two models' rows have different {role}s.")
    return True


def _have_other_actuals(first: Rows, second: Rows, first_name: str, second_name: str) -> bool:
    """Tell whether as many rows have other actual values; raise where only their order differs."""
    if first.actual is None or second.actual is None or _same_column(first.actual, second.actual):
        return False
    left, right = (_column_values(rows.actual) for rows in (first, second))
    if left.ndim > 1 or right.ndim > 1:
        left, right = (values[np.lexsort(values.T)] for values in (left, right))
        same_rows = left.shape == right.shape and np.array_equal(left, right)
    else:
        same_rows = np.array_equal(np.sort(left), np.sort(right))
    if same_rows:
        raise InputError(
            f"{first_name} and {second_name} have the same actual values in another order: bring the rows "
            "into one order, so that they can be compared row by row, or say "
            f"{hint('paired=False', '--unpaired')} if they are different rows."
        )
    return True


def _column_values(column: Any) -> NDArray[Any]:
    values: NDArray[Any] = column.values
    return values if column.labels is None else np.array(column.labels)[values]


def _same_column(first: Any, second: Any) -> bool:
    return first is second or (first.labels == second.labels and np.array_equal(first.values, second.values))


def _expand(joint: PairedScores) -> tuple[Rows, Rows]:
    """Return the rows that a joint tally of scores was made of, but for their order."""
    if not joint.n:
        raise LengthError("the joint tally has no rows.")
    counts = np.concatenate([joint.positives, joint.negatives]).astype(np.int64)
    actual = np.repeat(np.repeat([1, 0], len(joint.first)), counts)
    first, second = (
        gather_rows(None, {"actual": actual, "score": np.repeat(np.tile(scores, 2), counts)})
        for scores in (joint.first, joint.second)
    )
    return first, second
