"""What a cross-validation found: a mapping from metric to estimate, with the folds it comes from."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.comparison.procedures import ResampleComparison, compare_resamples
from assay.crossvalidation.auc_interval import has_influence_curve, influence_interval
from assay.crossvalidation.fold_intervals import combined, estimated, limited, of_groups
from assay.crossvalidation.fold_metrics import found_in
from assay.errors import InputError, MetricError, SplitError
from assay.inference.estimate import Estimate
from assay.inputs import Rows, rows
from assay.metrics import Undefined
from assay.reports.text.crossval import draw

if TYPE_CHECKING:
    from assay.crossvalidation.bootstrap_632 import OutOfBag
    from assay.crossvalidation.diagnostics import Diagnostic
    from assay.crossvalidation.fit_folds import Fold
    from assay.crossvalidation.fold_metrics import Combination, Figure
    from assay.crossvalidation.setup import CrossValSetup
    from assay.inputs.columns import Array
    from assay.metrics import Value
    from assay.resampling.error_estimators import NestedInterval

__all__ = ["CrossValidation"]

_HALVES = (5, 2)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(Mapping[str, Estimate]):
    """Figures of models that were tested on rows they had not seen. Made by :func:`assay.crossval`.

    It reads as a mapping from a metric's name to its estimate: all folds' counts and sums together
    (pooled), or the mean over folds for what is read from the order of scores (averaged), with an
    interval that allows for folds that learn from the same rows.
    """

    plan: CrossValSetup
    name: str
    how: str
    folds: tuple[Fold, ...]
    training: dict[str, Value]
    problems: tuple[Diagnostic, ...]
    confidence: float
    drawn: dict[str, OutOfBag]
    nested: dict[str, NestedInterval]
    repeats: int
    seconds: float
    model: Any = None
    interval: str = "corrected"

    @functools.cached_property
    def _figures(self) -> dict[str, Figure]:
        return {figure.name: figure for figure in self.plan.figures}

    def figure(self, name: Any) -> Figure:
        """Return a figure by its name, by any alias of its metric, or as it was asked for."""
        return found_in(self.plan.figures, name, self.plan.positive)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return self.plan.n

    def __getitem__(self, name: str) -> Estimate:
        return self._estimate(self.figure(name).name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __contains__(self, name: object) -> bool:
        try:
            return self.figure(name) is not None
        except MetricError:
            return False

    @functools.cached_property
    def _estimates(self) -> dict[str, Estimate]:
        return {}

    def _estimate(self, name: str) -> Estimate:
        if name not in self._estimates:
            figure = self._figures[name]
            if name in self.nested:
                found = _bounded(figure, self.nested[name].estimate)
            elif self.interval == "ledell" and has_influence_curve(figure):
                fold = self.table()["fold"]
                found = influence_interval(figure, self.predictions, fold, confidence=self.confidence)
                counted = len(np.unique(fold))
                if counted < len(self.folds) and found.defined:
                    note = f"over {counted:,} of {len(self.folds):,} folds"
                    found = dataclasses.replace(found, note="; ".join(filter(None, [note, found.note])))
            elif len(self.folds) == 1 and self.plan.group is not None:
                found = of_groups(self.plan, self.folds[0], figure, confidence=self.confidence)
            else:
                found = estimated(self.folds, figure, figure.combination, confidence=self.confidence)
            self._estimates[name] = found
        return self._estimates[name]

    def per_fold(self, name: str) -> list[Value]:
        """Return a figure's value in every fold, undefined with the reason where it has none."""
        return [fold.values[self.figure(name).name] for fold in self.folds]

    def combination(self, name: str) -> Combination:
        """Return how a figure's folds are put together."""
        return self.figure(name).combination

    def pooled(self, name: str) -> Value:
        """Return a figure of all folds' counts, sums or scores together."""
        return combined(self.folds, self.figure(name), "pooled")

    def averaged(self, name: str) -> Estimate:
        """Return the mean of a figure over folds, with the interval that allows for their dependence."""
        return estimated(self.folds, self.figure(name), "averaged", confidence=self.confidence)

    def naive(self, name: str) -> Estimate:
        """Return a figure with the interval of independent folds, which is too narrow: to compare with."""
        figure = self.figure(name)
        return estimated(self.folds, figure, figure.combination, reach="naive", confidence=self.confidence)

    def spread(self, name: str) -> Value:
        """Return the standard deviation of a figure over folds."""
        known = [value for value in self.per_fold(name) if not isinstance(value, Undefined)]
        if len(known) < 2 or not all(map(math.isfinite, known)):  # noqa: PLR2004
            return Undefined("a spread takes two finite values")
        return float(np.std(known, ddof=1))

    def out_of_bag(self, name: str) -> OutOfBag:
        """Return what a bootstrap says: out of bag, .632 and .632+ with what they are made of."""
        if not self.drawn:
            raise MetricError("these folds are no bootstrap: say split=bootstrap(200), with resubstitution.")
        return self.drawn[self.figure(name).name]

    @property
    def models(self) -> tuple[Any, ...]:
        """The folds' models, where they were kept."""
        return tuple(fold.model for fold in self.folds)

    def table(self) -> dict[str, Array]:
        """Return the predictions for rows that were not learnt from, as columns: a line per tested row.

        Columns: row, repeat, fold, actual, predicted, and score: of the positive class, or one per class
        ("score of ...").
        """
        kept = [fold for fold in self.folds if fold.answers is not None]
        if not kept:
            raise InputError("no fold has predictions.")
        found: dict[str, list[Any]] = {}
        for fold in kept:
            for name, values in _told(self.plan, fold).items():
                found.setdefault(name, []).append(values)
        columns = {name: np.concatenate(parts) for name, parts in found.items()}
        order = np.lexsort((columns["row"], columns["repeat"]))
        return {name: values[order] for name, values in columns.items()}

    @functools.cached_property
    def predictions(self) -> Rows:
        """The predictions for rows that were not learnt from, for :func:`assay.evaluate`.

        Rows keep their groups; where there are none and rows were tested several times, lines of one row are
        a group, so that intervals know.
        """
        table = self.table()
        given: dict[str, Any] = {"actual": table["actual"]}
        if "predicted" in table:
            given["predicted"] = table["predicted"]
        if "score" in table:
            given["score"] = table["score"]
        else:
            scores = [
                table[f"score of {label}"] for label in self.plan.labels if f"score of {label}" in table
            ]
            if scores:
                given["score"] = np.stack(scores, axis=1)
        if self.plan.labels:
            given |= {"labels": self.plan.labels, "positive": self.plan.positive}
        if self.plan.weight is not None:
            given["weight"] = self.plan.weight[table["row"]]
        if self.plan.group is not None:
            given["group"] = self.plan.group.take(table["row"])
        elif len(np.unique(table["row"])) < len(table["row"]):
            given["group"] = table["row"]
        return rows(**given)

    def compare(
        self, other: CrossValidation, metric: str | None = None, *, rope: float = 0.01
    ) -> ResampleComparison:
        """Compare with another model that was tested on the same folds: its figure less this one's.

        The first figure that both have, or the `metric`. See :func:`assay.compare_resamples`.
        """
        if not isinstance(other, CrossValidation):
            raise InputError(
                f"a cross-validation is compared with another one, not with a {type(other).__name__}."
            )
        _need_same_folds(self, other)
        if len(self.folds) == 1:
            raise SplitError(
                "one split is no series of resamples: compare the two models row by row, by "
                "assay.compare(first.predictions, second.predictions)."
            )
        shared = [name for name in self if name in other]
        if metric is None and not shared:
            raise MetricError("the two have no metric in common.")
        name = shared[0] if metric is None else metric
        figure = self.figure(name)
        best = figure.metric.best
        if best is None or best not in figure.metric.bounds:
            raise MetricError(f"{figure.name} is neither better when larger nor when smaller.")
        sides = [one.per_fold(name) for one in (self, other)]
        for one, values in zip((self, other), sides, strict=True):
            lacking = [value for value in values if isinstance(value, Undefined)]
            if lacking:
                raise MetricError(
                    f"{len(lacking)} of {len(values)} folds of {one.name} have no {figure.name} "
                    f"({lacking[0].reason}): folds are compared one by one, and none is left out."
                )
        shape = _HALVES if (self.repeats, len(self.folds)) == (5, 10) else (-1,)
        tested, trained = (
            math.fsum(getattr(fold, size) for fold in self.folds) for size in ("n_test", "n_distinct")
        )
        names = [self.name, other.name] if self.name != other.name else ["a", "b"]
        return compare_resamples(
            *(np.array([float(value) for value in values]).reshape(shape) for values in sides),
            test_share=tested / (tested + trained), repeats=self.repeats, rope=rope,
            larger_is_better=best == figure.metric.bounds[1], names=names, metric=figure.name,
            confidence=self.confidence,
        )  # fmt: skip

    def text(self, *, width: int = 80) -> str:
        """Return all of it as lines of at most so many columns."""
        return draw(self, width=width)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        count = len(self.problems)
        shown_problems = f", {count:,} problem{'s' * (count != 1)}" if count else ""
        return f"<CrossValidation of {self.name}: {self.how} of {self.n:,} rows{shown_problems}>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "model": self.name,
            "how": self.how,
            "rows": self.n,
            "figures": {
                name: {
                    **self[name].to_dict(),
                    "combination": self.combination(name),
                    "mean_of_folds": _plain(self.averaged(name).value),
                    "folds": [_plain(value) for value in self.per_fold(name)],
                    "naive": self.naive(name).to_dict(),
                    "training": _plain(self.training.get(name)),
                    **({"bootstrap": _plain_bag(self.drawn[name])} if name in self.drawn else {}),
                }
                for name in self
            },
            "problems": [problem._asdict() for problem in self.problems],
        }


def _bounded(figure: Figure, estimate: Estimate) -> Estimate:
    if estimate.low is None or estimate.high is None or isinstance(estimate.value, Undefined):
        return estimate
    low, high = limited(figure, estimate.value, estimate.value - estimate.low)
    return dataclasses.replace(estimate, low=low, high=high)


def _told(plan: CrossValSetup, fold: Fold) -> dict[str, Any]:
    """Return the predictions of one fold as columns."""
    answers = fold.answers
    assert answers is not None  # noqa: S101 - folds that failed are left out
    actual = plan.actual.take(fold.test)
    values = actual.values if actual.labels is None else np.array(actual.labels)[actual.values]
    found: dict[str, Any] = {
        "row": fold.test,
        "repeat": np.full(len(fold.test), fold.repeat),
        "fold": np.full(len(fold.test), fold.fold),
        "actual": values,
    }
    if answers.predicted is not None:
        found["predicted"] = np.asarray(answers.predicted)
    if answers.scores is not None:
        if plan.positive is not None:
            found["score"] = plan.of_positive(answers)
        else:
            scores = plan.by_class(answers)
            found |= {f"score of {label}": scores[:, place] for place, label in enumerate(plan.labels)}
    return found


def _need_same_folds(first: CrossValidation, second: CrossValidation) -> None:
    same = len(first.folds) == len(second.folds) and all(
        one.n_train == other.n_train and np.array_equal(one.test, other.test)
        for one, other in zip(first.folds, second.folds, strict=True)
    )
    targets = [one.plan.actual for one in (first, second)]
    if (
        not same
        or targets[0].labels != targets[1].labels
        or not np.array_equal(targets[0].values, targets[1].values)
    ):
        raise SplitError(
            f"{first.name} and {second.name} were not tested on the same folds of the same rows: pass both "
            "the same split= (and seed=), y, group= and key=."
        )


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, Undefined):
        return None
    return float(value) if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def _plain_bag(found: OutOfBag) -> dict[str, Any]:
    return {
        name: value if isinstance(value, bool) else _plain(value) for name, value in found._asdict().items()
    }
