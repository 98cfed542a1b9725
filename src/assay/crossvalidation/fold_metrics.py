"""Which figures are asked of every fold, what they need of a model, and the tallies they are read from."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from assay.errors import AssayError, MetricError, MissingValueError, shown
from assay.metrics import Metric, Undefined
from assay.metrics.spec import MetricSpec, is_pair
from assay.tallies import Confusion, Scores
from assay.tallies.loss_arguments import asked_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.inputs import Label, Rows
    from assay.metrics import Value
    from assay.tallies import Tally

__all__ = ["Combination", "Figure", "Need", "figures", "found_in", "tallies"]

Need: TypeAlias = Literal["predicted", "score", "scores"]
Combination: TypeAlias = Literal["pooled", "averaged"]

_LABELS = ("Binary", "Classes", "Ordered")
_RANKS = ("Ranks", "Probabilities")
_CLASS_RANKS = ("ClassRanks", "Confidence")
_UNKNOWN = {"Sets": "rows with several labels", "Lists": "ranked lists"}
_ONE_SCORE = {"positive", "score", "probability"}
_CLASS_SCORES = {"codes", "scores", "probabilities"}
_PLAIN = ("accuracy", "error_rate", "mae", "mse", "mean_error")  # means of rows without a loss of their own


@dataclasses.dataclass(frozen=True, eq=False)
class Figure:
    """A metric with its options, under a name of its own."""

    name: str
    metric: Metric
    options: dict[str, Any]

    @classmethod
    def of(cls, asked: Any, positive: Label | None) -> Figure:
        """Return the figure of a metric, of its name, or of a pair of either and options.

        >>> Figure.of("macro f1", None).name, Figure.of(("f_beta", {"beta": 2}), 1).name
        ('macro_f1', 'f_beta_beta_2')
        """
        spec = MetricSpec.of(asked)
        name, metric, options = spec.name, spec.metric, spec.options
        over_classes = options.get("average") and "average" not in metric.parameters
        if positive is not None and "positive" in metric.view_options and not over_classes:
            options.setdefault("positive", positive)
        metric.check_options(options)
        return cls(name, metric, options)

    @functools.cached_property
    def needs(self) -> Need:
        """What it is read from: predictions, scores of the positive class, or scores of all classes."""
        view = self.metric.reads.__name__
        if view in _UNKNOWN:
            raise MetricError(
                f"{self.metric.name} judges {_UNKNOWN[view]}, which a cross-validation does not make."
            )
        if self.metric.loss is not None:
            asked = set(asked_for(self.metric.loss))
            if asked & _CLASS_SCORES:
                return "scores"
            return "score" if asked & _ONE_SCORE and "predicted" not in asked else "predicted"
        if view in _CLASS_RANKS or (view in _RANKS and self.options.get("average")):
            return "scores"
        return "score" if view in _RANKS else "predicted"

    @property
    def combination(self) -> Combination:
        """How folds are put together.

        Counts and sums are of one kind whatever model they come from, so that they are pooled; scores of
        two models are not, so that what is read from the order of scores is averaged.
        """
        return "averaged" if self.metric.kind in ("rank", "statistic") or self._sweeps else "pooled"

    @property
    def _sweeps(self) -> bool:
        return bool(self.metric.reads.__name__ == "Ranks")

    @property
    def of_probabilities(self) -> bool:
        """Whether it takes scores for probabilities, so that distances from a boundary will not do."""
        if self.metric.loss is not None:
            return bool({"probability", "probabilities"} & set(asked_for(self.metric.loss)))
        return self.metric.reads.__name__ in ("Probabilities", "Confidence")

    @property
    def of_labels(self) -> bool:
        """Whether it counts classes, so that it has no meaning for measured quantities."""
        return self.metric.reads.__name__ in _LABELS or self.needs != "predicted"

    @property
    def is_mean(self) -> bool:
        """Whether it is the mean of one value per row."""
        return (self.metric.kind == "mean" and self.metric.loss is not None) or self.metric.name in _PLAIN

    @functools.cached_property
    def key(self) -> Any:
        """What two figures share that are read from one tally."""
        if self.metric.loss is not None:
            if self._reads_scores:
                return "scores"
            own = {name: self.options.get(name) for name in self.metric.loss_parameters}
            return (self.metric.name, *sorted((name, repr(value)) for name, value in own.items()))
        if self.options.get("average") and hasattr(self.metric.reads, "of_classes"):
            return self.metric.reads.of_classes
        made = self.metric.reads.tally
        return made.kind if made in (Confusion, Scores) else made

    @functools.cached_property
    def _reads_scores(self) -> bool:
        return {"positive"} < set(asked_for(self.metric.loss)) <= _ONE_SCORE

    @functools.cached_property
    def reading(self) -> dict[str, Any]:
        """The options that are left beside the tally: those of a row's loss are in it already."""
        if self.metric.loss is None or self._reads_scores:
            return self.options
        own = self.metric.loss_parameters
        return {name: value for name, value in self.options.items() if name not in own}

    def read(self, tally: Tally) -> Value:
        """Return its value from the tally that it shares."""
        return self.metric(tally, **self.reading)

    def tally(self, rows: Rows) -> Tally:
        """Return the tally of rows that it is read from."""
        if self.metric.loss is not None and self._reads_scores:
            return Scores.of(rows)
        return self.metric.tallied(rows, self.options)[0]


def figures(asked: Iterable[Any], positive: Label | None) -> tuple[Figure, ...]:
    """Return the figures asked for, each once."""
    if isinstance(asked, (str, Metric)) or is_pair(asked):
        asked = (asked,)
    if not isinstance(asked, Iterable):
        raise MetricError(f"metrics={asked!r} is neither a metric nor a list of them.")
    found: dict[str, Figure] = {}
    for one in asked:
        figure = Figure.of(one, positive)
        found.setdefault(figure.name, figure)
    if not found:
        raise MetricError("metrics= is empty: name at least one.")
    return tuple(found.values())


def found_in(asked: Sequence[Figure], name: Any, positive: Label | None) -> Figure:
    """Return the one figure that is meant: by its name, or as it was asked for, by any of its aliases.

    >>> asked = figures(["accuracy", "macro f1", ("f_beta", {"beta": 2})], 1)
    >>> [found_in(asked, name, 1).name for name in ("acc", "macro F1", "macro_f1", "f_beta")]
    ['accuracy', 'macro_f1', 'macro_f1', 'f_beta_beta_2']
    """
    known = {figure.name: figure for figure in asked}
    if isinstance(name, str) and name in known:
        return known[name]
    wanted = Figure.of(name, positive)
    if wanted.name in known:
        return known[wanted.name]
    alike = [
        figure
        for figure in asked
        if figure.metric is wanted.metric and figure.options.get("average") == wanted.options.get("average")
    ]
    if len(alike) == 1 and not isinstance(name, tuple):  # its options need not be said again
        return alike[0]
    if len(alike) > 1:
        raise MetricError(
            f"{wanted.name} was asked for more than once: say which of {shown([one.name for one in alike])}."
        )
    raise MetricError(f"{wanted.name} was not asked for: there are {shown(known)}.")


def tallies(asked: Iterable[Figure], rows: dict[Need, Rows]) -> dict[Any, Tally | Undefined]:
    """Return the tallies of one fold, each made once for all figures that are read from it.

    A tally that these rows do not allow is undefined, with the reason.
    """
    found: dict[Any, Tally | Undefined] = {}
    for figure in asked:
        if figure.key in found:
            continue
        try:
            found[figure.key] = figure.tally(rows[figure.needs])
        except MissingValueError as error:  # what to do with rows that lack a value is not asked here
            found[figure.key] = Undefined(str(error).partition("). ")[0] + ")")
        except AssayError as error:
            found[figure.key] = Undefined(str(error).rstrip("."))
    return found
