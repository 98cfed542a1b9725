"""The evaluation: a mapping from metric to estimate over tallies that were filled in one pass."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.errors import InputError, MetricError
from assay.evaluation.figures import Figure, figures_of, flat
from assay.inference.intervals import estimate_tally
from assay.inputs import Column
from assay.metrics import Metric, find
from assay.tallies import ClassScores, Collection, Confusion, LabelSets, Losses, Scores, Tally

if TYPE_CHECKING:
    from assay.evaluation.problem import Problem
    from assay.inference.estimate import Estimate
    from assay.inputs import Label, Rows

__all__ = ["Evaluation", "Settings"]

_MANY = 1_000_000  # rows
_CURVES = ("roc", "roc_hull", "precision_recall", "detection_error", "gain", "lift")


@dataclasses.dataclass(frozen=True)
class Settings:
    """What the caller said beside the rows: how sure, which error is worse, at which prevalence, how deep."""

    confidence: float = 0.95
    beta: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    prevalence: float | None = None
    k: int | None = None
    name: str = ""
    actual: str = "actual"
    predicted: str = "predicted"
    score: str = "score"


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Mapping[str, "Estimate"]):
    """Every figure of a model's predictions, each with its interval. Made by :func:`assay.evaluate`.

    It reads as a mapping from a metric's name, or any alias, to its estimate; iterating gives the figures
    that a report shows, and any other metric of the catalogue is there for the asking.
    """

    problem: Problem
    settings: Settings
    tallies: Collection
    given: Rows | None = None
    dropped: int = 0

    @property
    def kind(self) -> str:
        """The kind of problem."""
        return self.problem.kind

    @property
    def positive(self) -> Label | None:
        """The positive label, where there is one."""
        return self.problem.positive

    @property
    def n(self) -> int:
        """How many rows there are; of ranked lists, how many lists."""
        return self.tallies.n

    @functools.cached_property
    def groups(self) -> list[list[Figure]]:
        """The figures that a report shows, in the groups that belong together."""
        scored = bool({"scores", "class_scores"} & set(self.tallies))
        return figures_of(
            self.kind, counts="confusion" in self.tallies, scores=scored,
            probabilities=self.are_probabilities, beta=self.settings.beta, k=self.settings.k,
        )  # fmt: skip

    @functools.cached_property
    def _figures(self) -> dict[str, Figure]:
        return {figure.name: figure for figure in flat(self.groups)}

    @functools.cached_property
    def are_probabilities(self) -> bool:
        """Whether scores lie between 0 and 1, so that losses and calibration mean something."""
        scores = self.tallies.get("scores")
        if isinstance(scores, Scores):
            return bool(len(scores.scores)) and scores.scores[0] >= 0 and bool(scores.scores[-1] <= 1)
        return "class_probabilities" in self.tallies

    @functools.cached_property
    def _found(self) -> dict[Any, Estimate]:
        return {}

    def __getitem__(self, name: str) -> Estimate:
        figure = self._figures.get(name)
        if figure is None:
            metric = find(name)
            figure = self._figures.get(metric.name) or Figure(metric.name, metric, {})
        return self.estimate(figure.metric, **figure.options)

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and bool(self[name])
        except MetricError:
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
        0.6667 [0.1922, 0.9439]
        """
        known = metric if isinstance(metric, Metric) else find(metric)
        sure = self.settings.confidence if confidence is None else confidence
        key = (known.name, sure, method, *sorted((name, repr(value)) for name, value in options.items()))
        if key not in self._found:
            tally, left, asked = self._read(known, options)
            rows = self.rows if self._needs_rows(tally) or method else None
            self._found[key] = estimate_tally(
                known, tally, left, rows=rows, row_options=asked, confidence=sure, method=method
            )
        return self._found[key]

    def _needs_rows(self, tally: Tally) -> bool:
        """Tell whether an interval needs the rows: of groups always, else where a tally does not say enough.

        Sums of losses do, beyond so many rows: how skewed they are no longer matters to their mean.
        """
        if self.given is not None and self.given.group is not None:
            return True
        return not isinstance(tally, (Confusion, Scores)) and not (
            isinstance(tally, Losses) and tally.n > _MANY
        )

    def _read(self, metric: Metric, options: dict[str, Any]) -> tuple[Tally, dict[str, Any], dict[str, Any]]:
        """Return the tally that a metric reads, the options left for it, and all options known here."""
        asked = dict(options)
        if self.positive is not None and "positive" in metric.view_options and not asked.get("average"):
            asked.setdefault("positive", self.positive)
        if self.settings.k is not None and "k" in metric.options:
            asked.setdefault("k", self.settings.k)
        if metric.loss is None or self.given is None:  # losses are read from rows faster than from scores
            for tally in self.tallies.tallies:
                if _serves(metric, tally, asked):
                    return tally, asked, asked
        if self.given is None:
            raise MetricError(
                f"{metric.name} needs the rows, which this evaluation no longer holds: "
                "it was put together from tallies."
            )
        # Who reads labels needs the predictions of scores that were cut; who does not is spared making them.
        rows = self.rows if metric.reads.tally is Confusion else self.given
        tally, left = metric.tallied(rows, asked)
        return tally, left, asked

    @functools.cached_property
    def rows(self) -> Rows | None:
        """The rows as the problem reads them: scores that were cut have their predictions."""
        if self.given is None or self.problem.threshold is None or self.given.predicted is not None:
            return self.given
        score = self.given.need("score", "an evaluation")
        above = score.numbers("scores") >= self.problem.threshold
        named = Column(self.settings.score, *_coded(above, self.problem.labels), None, score.origin)
        return dataclasses.replace(self.given, predicted=named)

    @property
    def confusion(self) -> Any:
        """The cross table of actual against predicted."""
        from assay.reports.crosstable import CrossTable  # noqa: PLC0415 - only for who asks

        return CrossTable.of(self._tally("confusion", Confusion))

    def _tally(self, name: str, kind: type[Any]) -> Any:
        found = self.tallies.get(name)
        if not isinstance(found, kind):
            lacking = {
                "confusion": "predictions: give predicted=, or threshold= for the scores",
                "scores": "scores",
            }
            raise InputError(f"this evaluation has no {lacking.get(name, name)}.")
        return found

    def at(self, threshold: float) -> Self:
        """Return the same scores judged at another threshold.

        >>> import assay
        >>> ev = assay.evaluate(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.6, 0.9])
        >>> float(ev["recall"]), float(ev.at(0.8)["recall"])
        (1.0, 0.5)
        """
        from assay.evaluation.gathered import counted_at  # noqa: PLC0415 - each knows the other

        scores = self._tally("scores", Scores)
        given = None if self.given is None else dataclasses.replace(self.given, predicted=None)
        problem = dataclasses.replace(self.problem, threshold=float(threshold), inferred=())
        tallies = {**dict(self.tallies.items()), "confusion": counted_at(scores, threshold, problem.labels)}
        return dataclasses.replace(self, problem=problem, tallies=Collection.of_mapping(tallies), given=given)

    def curve(self, name: str) -> Any:
        """Return a curve by its name: roc, roc_hull, precision_recall, detection_error, gain or lift."""
        from assay.metrics import curves  # noqa: PLC0415

        if name not in _CURVES:
            raise MetricError(f"there is no curve {name!r}: there are {', '.join(_CURVES)}.")
        return getattr(curves, name)(self._tally("scores", Scores))

    def merge(self, other: Self) -> Self:
        """Return the evaluation of both sides' rows, which must pose the same problem."""
        if not isinstance(other, Evaluation):
            raise MetricError(f"an evaluation merges with another, not with a {type(other).__name__}.")
        mine, theirs = (dataclasses.replace(one.problem, inferred=()) for one in (self, other))
        if mine != theirs:
            raise InputError(f"the two evaluations pose different problems: {mine} and {theirs}.")
        return dataclasses.replace(
            self, tallies=self.tallies.merge(other.tallies), given=None, dropped=self.dropped + other.dropped
        )

    @property
    def summary(self) -> Any:
        """What there is to say, as plain data for renderers."""
        from assay.evaluation.summarised import summarised  # noqa: PLC0415 - each knows the other

        return summarised(self)

    def __str__(self) -> str:
        from assay.reports.summary_text import as_text  # noqa: PLC0415

        return as_text(self.summary)

    def __repr__(self) -> str:
        return f"<Evaluation of {self.n:,} rows: {self.problem.title.lower()}, {len(self)} figures>"

    def to_markdown(self) -> str:
        """Return the summary as Markdown."""
        from assay.reports.summary_text import as_markdown  # noqa: PLC0415

        return as_markdown(self.summary)


def _serves(metric: Metric, tally: Tally, options: dict[str, Any]) -> bool:
    """Tell whether a metric with options can be read from a tally."""
    if metric.loss is not None:
        return isinstance(tally, Scores) and _reads_scores(metric)
    if isinstance(tally, LabelSets):
        return metric.reads.__name__ in ("Binary", "Sets")
    if options.get("average") and metric.reads.__name__ == "Ranks":
        return isinstance(tally, ClassScores)
    return tally.kind == metric.reads.tally.kind and not isinstance(tally, Collection)


def _reads_scores(metric: Metric) -> bool:
    from assay.tallies.row_losses import asked_for  # noqa: PLC0415

    return {"positive"} < set(asked_for(metric.loss)) <= {"positive", "score", "probability"}


def _coded(above: Any, labels: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...] | None]:
    """Return values and labels of a column of two classes, the second where something is above."""
    if isinstance(labels[0], str):
        return above.astype(np.uint8), labels
    return np.where(above, labels[1], labels[0]), None
