"""The evaluation: a mapping from metric to estimate over tallies that were filled in one pass."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.errors import ColumnError, InputError, MetricError
from assay.evaluation.default_metrics import Figure, figures_of, flat
from assay.evaluation.settings import Settings
from assay.evaluation.shortcuts import EvaluationShortcuts
from assay.evaluation.task import two_classes
from assay.inference.estimate import Estimate
from assay.inference.intervals.choose_interval import estimate_tally
from assay.inference.intervals.tally_choice import tally_for
from assay.inputs.labels import same_kind
from assay.metrics import Metric, Undefined
from assay.metrics.spec import MetricSpec
from assay.tallies import (
    BinnedScores,
    BoundedTally,
    Collection,
    Confusion,
    Losses,
    NumberPairs,
    Queries,
    Scores,
    StoredRows,
)
from assay.tallies.scores.counts_at_threshold import counted_at

if TYPE_CHECKING:
    from assay.decisions.selection_optimism import CrossFit
    from assay.decisions.threshold import Threshold
    from assay.evaluation.error_rows import ErrorRows
    from assay.evaluation.infer_task import Task
    from assay.evaluation.per_class import ClassTable
    from assay.evaluation.slices.slices import SlicesByColumn
    from assay.inputs import Label, Rows
    from assay.inputs.multilabel import LabelTables
    from assay.plots import Plots
    from assay.tallies import Tally

__all__ = ["Evaluation", "Settings"]

_MANY = 1_000_000  # rows
# Views of tallies that may outgrow the memory, by the kind of problem.
_OF_CLASSES = ("ClassRanks", "Ranks", "Confidence", "Mean")
_OF_ROWS = {
    "regression": (
        "Mean",
        "ValuePairs",
        "AbsoluteErrors",
        "AbsolutePercentageErrors",
        "Ranged",
        "Scaled",
        "Explained",
    ),
    "multiclass": _OF_CLASSES,
    "ordinal": _OF_CLASSES,
}
_CURVES = ("roc", "roc_hull", "precision_recall", "detection_error", "gain", "lift")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Evaluation(EvaluationShortcuts, Mapping[str, Estimate]):
    """Every figure of a model's predictions, each with its interval. Made by :func:`assay.evaluate`.

    It reads as a mapping from a metric's name, or any alias, to its estimate; iterating gives the figures
    that a report shows, and any other metric of the catalogue is there for the asking.
    """

    task: Task
    settings: Settings
    tallies: Collection
    given: Rows | None = None
    dropped: int = 0
    sets: LabelTables | None = None
    kept: Mapping[Any, Estimate] = dataclasses.field(default_factory=dict)  # found while there were rows

    @property
    def positive(self) -> Label | None:
        """The positive label, where there is one."""
        return self.task.positive

    @property
    def n(self) -> int:
        """How many rows there are; of ranked lists, how many lists."""
        queries = self.tallies.get("queries")
        return len(queries) if isinstance(queries, Queries) else self.tallies.n

    @functools.cached_property
    def groups(self) -> list[list[Figure]]:
        """The figures that a report shows, in the groups that belong together."""
        scored = bool({"scores", "class_scores"} & set(self.tallies))
        return figures_of(
            self.task.name, counts="confusion" in self.tallies, scores=scored,
            probabilities=self.are_probabilities, settings=self.settings,
        )  # fmt: skip

    @functools.cached_property
    def _figures(self) -> dict[str, Figure]:
        return {figure.name: figure for figure in flat(self.groups)}

    @functools.cached_property
    def are_probabilities(self) -> bool:
        """Whether scores lie between 0 and 1, so that losses and calibration mean something."""
        scores = self.scores
        if scores is not None:
            return bool(len(scores.scores)) and scores.scores[0] >= 0 and bool(scores.scores[-1] <= 1)
        return self.task.probabilities

    @functools.cached_property
    def scores(self) -> Scores | None:
        """The scores of two classes, where there are some: those in bins as low as their bins allow."""
        found = self.tallies.get("scores")
        return found.lowest() if isinstance(found, BinnedScores) else found  # type: ignore[return-value]

    @property
    def binned(self) -> BinnedScores | None:
        """The bins, where the scores are counted in some."""
        found = self.tallies.get("scores")
        return found if isinstance(found, BinnedScores) else None

    @functools.cached_property
    def readable(self) -> Collection:
        """The tallies that metrics read."""
        if self.binned is None or self.scores is None:
            return self.tallies
        return Collection.of_mapping({**dict(self.tallies.items()), "scores": self.scores})

    @property
    def empty_lists(self) -> int | None:
        """How many ranked lists have no relevant item; None where there are no lists."""
        queries = self.tallies.get("queries")
        return queries.empty_lists if isinstance(queries, Queries) else None

    @functools.cached_property
    def found(self) -> dict[Any, Estimate]:
        """The estimates that were asked for so far."""
        return dict(self.kept)

    def __getitem__(self, name: str) -> Estimate:
        figure = self._figure(name)
        return self.estimate(figure.metric, **figure.options)

    def _figure(self, name: str) -> Figure:
        if name in self._figures:
            return self._figures[name]
        figure = Figure.of(name)
        shown = [one for one in self._figures.values() if one.metric is figure.metric]
        same = [one for one in shown if one.options.get("average") == figure.options.get("average")]
        return same[0] if len(same) == 1 else figure  # with the beta, costs or depth that were stated

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and bool(self[name])
        except (MetricError, InputError):
            return False

    def estimate(
        self,
        metric: Metric | str,
        *,
        confidence: float | None = None,
        method: str | None = None,
        **options: Any,
    ) -> Estimate:
        """Return any metric of the catalogue with its interval, by a stated method or at another confidence.

        >>> import assay
        >>> ev = assay.evaluate(actual=[0, 0, 1, 1, 1], predicted=[0, 1, 1, 1, 0])
        >>> ev.estimate("f_beta", beta=2)
        0.6667 [0.06707, 0.9926]
        """
        spec = MetricSpec.of((metric, options))
        sure = self.settings.confidence if confidence is None else confidence
        key = self.key(spec.metric, spec.options, sure, method)
        if key not in self.found:
            self.found[key] = self._estimated(spec.metric, spec.options, sure, method)
        return self.found[key]

    def key(
        self,
        metric: Metric,
        options: dict[str, Any],
        confidence: float | None = None,
        method: str | None = None,
    ) -> tuple[Any, ...]:
        """Return what an estimate is kept under: the metric and all that was asked of it."""
        sure = self.settings.confidence if confidence is None else confidence
        return (metric.name, sure, method, *sorted((name, repr(value)) for name, value in options.items()))

    def _estimated(
        self, metric: Metric, options: dict[str, Any], confidence: float, method: str | None
    ) -> Estimate:
        if self.sets is not None:
            from assay.inference.intervals.multilabel import label_sets_estimate  # noqa: PLC0415 - few need it

            known = self.tallies.get("label_sets")
            columns = {**self.sets.columns, "group": self.sets.group, "tally": known}
            return label_sets_estimate(metric, **columns, confidence=confidence, method=method, **options)
        tally, left, asked = self.read(metric, options)
        if isinstance(tally, BoundedTally):
            return Estimate(Undefined(tally.why), None, None, confidence, "", self.n)
        if self.settings.group and self.cases is None:
            lost = f"the rows come in groups ({self.settings.group}), which their tallies do not keep"
            return Estimate(metric(tally, **left), None, None, confidence, "", self.n, lost)
        if self.binned is not None and isinstance(tally, (Scores, Losses)):
            from assay.evaluation.binned_estimates import estimate_in_bins  # noqa: PLC0415 - few scores are in bins

            return estimate_in_bins(self.binned, metric, tally, left, confidence=confidence, method=method)
        rows = self.cases if self._needs_rows(tally) or method else None
        return estimate_tally(
            metric, tally, left, rows=rows, row_options=asked, confidence=confidence, method=method
        )

    def _needs_rows(self, tally: Tally) -> bool:
        """Tell whether an interval needs the rows: of groups always, else where a tally does not say enough.

        Sums of losses do, beyond so many rows: how skewed they are no longer matters to their mean.
        """
        if self.settings.group:
            return True
        return not isinstance(tally, (Confusion, Scores)) and not (
            isinstance(tally, Losses) and tally.n > _MANY
        )

    @functools.cached_property
    def cases(self) -> Rows | None:
        """The rows in whatever order, as the problem reads them: those held, or those that a tally keeps.

        Pairs of numbers are a regression's rows.
        """
        kept = self.tallies.get("cases")
        if self.rows is None and isinstance(kept, StoredRows):
            return dataclasses.replace(self, given=kept.rows()).rows
        pairs = self.tallies.get("spearman")
        if self.rows is None and isinstance(pairs, NumberPairs) and not self.settings.group:
            return pairs.rows()
        return self.rows

    def read(
        self, metric: Metric, options: dict[str, Any], *, held: bool = False
    ) -> tuple[Tally, dict[str, Any], dict[str, Any]]:
        """Return the tally that a metric reads, the options left for it, and all options known here."""
        asked = dict(options)
        if self.positive is not None and "positive" in metric.view_options and not asked.get("average"):
            asked.setdefault("positive", self.positive)
        if metric.each is not None:  # a mean over ranked lists
            lists = {"k": self.settings.k, "empty": self.settings.empty}
            asked = {name: value for name, value in lists.items() if value is not None} | asked
        own = self.tallies.get(metric.name)  # what was made of the rows for it alone
        if own is not None:
            return own, asked, asked
        found = tally_for(metric, self.readable, asked)
        if found is not None and (held or metric.loss is None or self.n <= _MANY):
            return found, asked, asked
        if isinstance(found, Scores) and self.given is None:
            left = dict(asked)
            told = {name: left.pop(name) for name in metric.loss_parameters if name in left}
            return found.losses(metric.loss, **told), left, asked
        # Of many rows, losses are read from them faster than from scores.
        # Who reads labels needs the predictions of scores that were cut; who does not is spared making them.
        rows = self.given if self.given is not None and metric.reads.tally is not Confusion else self.cases
        if rows is None:
            outgrown = next((one for one in self.tallies.tallies if isinstance(one, BoundedTally)), None)
            if outgrown is not None and metric.reads.__name__ in _OF_ROWS.get(self.task.name, ()):
                return outgrown, asked, asked
            raise MetricError(
                f"{metric.name} has nothing to read here: it is of another problem than "
                f"{self.task.title.lower()}, or needs the rows, of which only tallies are held."
            )
        if rows.weight is not None and metric.reads.tally is NumberPairs:
            return BoundedTally.lost(len(rows), "ranks of weighted rows are not defined here"), asked, asked
        try:
            tally, left = metric.tallied(rows, asked)
        except ColumnError as lacking:
            wanting = str(lacking).replace("rows()", "evaluate()")
            raise MetricError(f"{metric.name} has nothing to read here: {wanting}") from None
        return tally, left, asked

    @functools.cached_property
    def rows(self) -> Rows | None:
        """The rows as the problem reads them: of both classes, though one have no row, with predictions."""
        rows = self.given
        if rows is None or self.task.name != "binary":
            return rows
        if rows.labels is None:
            rows = dataclasses.replace(rows, labels=same_kind(self.task.labels))
        if self.task.threshold is None or rows.predicted is not None:
            return rows
        score = rows.need("score", "an evaluation")
        above = score.numbers("scores") >= np.float64(self.task.threshold)
        return dataclasses.replace(rows, predicted=two_classes(score, above, self.task.labels))

    @property
    def confusion(self) -> Any:
        """The cross table of actual against predicted."""
        from assay.crosstable import CrossTable  # noqa: PLC0415 - only for who asks

        return CrossTable.of(self._tally("confusion", Confusion))

    def _tally(self, name: str, kind: type[Any]) -> Any:
        found = self.readable.get(name)
        if not isinstance(found, kind):
            raise InputError(f"this evaluation has no {_lacking(name, self.task.name)}.")
        return found

    def at(self, threshold: float) -> Self:
        """Return the same scores judged at another threshold.

        >>> import assay
        >>> ev = assay.evaluate(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.6, 0.9])
        >>> float(ev["recall"]), float(ev.at(0.8)["recall"])
        (1.0, 0.5)
        """
        scores = self._tally("scores", Scores)
        inferred: tuple[str, ...] = ()
        if self.binned is not None and (near := self.binned.edge(threshold)) != threshold:
            said = f"the scores are in bins, one of which begins at {near!r}: they are cut there"
            threshold, inferred = near, (said,)
        given = None if self.given is None else dataclasses.replace(self.given, predicted=None)
        task = dataclasses.replace(self.task, threshold=float(threshold), inferred=inferred)
        counted = counted_at(self.binned or scores, threshold, task.labels)
        tallies = {**dict(self.tallies.items()), "confusion": counted}
        return dataclasses.replace(
            self, task=task, tallies=Collection.of_mapping(tallies), given=given, kept={}
        )

    def curve(self, name: str) -> Any:
        """Return a curve by its name: roc, roc_hull, precision_recall, detection_error, gain or lift."""
        from assay.metrics.curves import curves  # noqa: PLC0415

        if name not in _CURVES:
            raise MetricError(f"there is no curve {name!r}: there are {', '.join(_CURVES)}.")
        return getattr(curves, name)(self._tally("scores", Scores))

    def merge(self, other: Evaluation) -> Evaluation:
        """Return the evaluation of both sides' rows, which must pose the same problem."""
        from assay.evaluation.merge import merged  # noqa: PLC0415 - each knows the other

        return merged(self, other)

    def __repr__(self) -> str:
        title = self.task.title
        return f"<Evaluation of {self.n:,} rows: {title[0].lower()}{title[1:]}, {len(self)} figures>"

    @functools.cached_property
    def classes(self) -> ClassTable:
        """Precision, recall and F1 of every class, each against the rest, with intervals."""
        from assay.evaluation.per_class import class_table  # noqa: PLC0415 - each knows the other

        return class_table(self)

    def reading(self, name: str) -> tuple[Figure, Tally, dict[str, Any], dict[str, Any]]:
        """Return a figure by its name, the tally it is read from, and its options beside tally and rows.

        It is one of the tallies that are held, where one will do.
        """
        figure = self._figure(name)
        return (figure, *self.read(figure.metric, figure.options, held=True))

    @functools.cached_property
    def slices(self) -> SlicesByColumn:
        """The same for each slice of the rows, column by column of ``by=``, and tested against the rest.

        >>> import assay
        >>> table = {"y": [0, 1] * 40, "p": [0, 1] * 25 + [1, 0] * 15, "at": ["home"] * 50 + ["away"] * 30}
        >>> ev = assay.evaluate(table, actual="y", predicted="p", by="at")
        >>> ev.slices["at"]["home"]["accuracy"]
        1 [0.9287, 1]
        """
        from assay.evaluation.slices.slices import SlicesByColumn  # noqa: PLC0415 - each knows the other

        return SlicesByColumn(self)

    def errors(self, which: str | None = None, n: int = 20) -> ErrorRows:
        """Return which rows were wrong, at most `n` of each kind, the surest mistakes first.

        Of two classes ``"false_positives"`` and ``"false_negatives"``; of several ``"mistakes"`` and
        ``"confusions"``, counts of who is taken for whom; of rows of several labels ``"mistakes"`` and
        ``"labels"``; of numbers ``"residuals"``, actual less predicted; of ranked ``"lists"`` the worst.
        Rows are numbered as the caller counts them, from 0.

        >>> import assay
        >>> print(assay.evaluate(actual=[0, 1, 0, 1], score=[0.1, 0.2, 0.6, 0.9]).errors("false_positives"))
        false positives: 1 · highest score first
        row  actual  predicted   score
          2       0          1  0.6000
        """
        from assay.evaluation.error_rows import mistakes  # noqa: PLC0415 - only for who asks

        return mistakes(self, which, n)

    def choose_threshold(self, **criterion: Any) -> Threshold:
        """Return the best threshold for a criterion, as :func:`assay.decisions.choose_threshold` does.

        Without one it is the least cost by the costs, or the best F-beta by the beta, that the evaluation
        was made with.

        >>> import assay
        >>> ev = assay.evaluate(actual=[0, 0, 1, 1], score=[0.1, 0.4, 0.35, 0.8], cost_fp=1, cost_fn=5)
        >>> ev.choose_threshold().threshold, ev.choose_threshold(best="precision").threshold
        (0.35, 0.8)
        """
        from assay.evaluation.thresholds import chosen  # noqa: PLC0415 - only for who asks

        return chosen(self, **criterion)

    def cross_fitted_threshold(self, **criterion: Any) -> CrossFit:
        """Return what choosing a threshold so is worth on rows that did not choose it, by cross-fitting."""
        from assay.evaluation.thresholds import chosen_by_folds  # noqa: PLC0415 - only for who asks

        return chosen_by_folds(self, **criterion)

    @functools.cached_property
    def plot(self) -> Plots:
        """The plots by their names: ``ev.plot.roc()``, ``ev.plot.slices("recall")`` and so on."""
        from assay.plots import Plots  # noqa: PLC0415 - only for who asks

        return Plots(self.tallies if self.rows is None else self.rows, costs=self.settings.costs)


def _lacking(name: str, task_name: str) -> str:
    """Return what an evaluation of a kind does not have, and what would give it."""
    if task_name != "binary":
        fit = {"confusion": "binary, multiclass and ordinal tasks have", "scores": "binary tasks have"}
        what = {"confusion": "cross table", "scores": "single column of scores"}
        return f"{what[name]}, which only {fit[name]}: this is a {task_name} task"
    if name == "scores":
        return "scores: pass score= beside actual="
    return "predictions: pass predicted=, or threshold= for the scores"
