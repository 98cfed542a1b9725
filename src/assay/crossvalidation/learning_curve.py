"""The learning curve: how a figure grows with the rows learnt from, and whether more would help."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.crossvalidation.diagnostics import Diagnostic, of_folds
from assay.crossvalidation.fit_folds import Fold, FoldTask, WorkerConfig, attempts, judged
from assay.crossvalidation.fold_intervals import combined, estimated
from assay.crossvalidation.fold_metrics import found_in
from assay.crossvalidation.resolve_splits import given_splits, said, tested_part
from assay.crossvalidation.setup import CrossValSetup, prepare_setup
from assay.errors import SplitError, suggest_keywords
from assay.formatting.metric_titles import metric_title
from assay.formatting.numbers import format_interval, format_value
from assay.formatting.table import grid, paragraph
from assay.formatting.width import clean
from assay.inference.formulas.proportions import check_confidence
from assay.inputs import column, encode
from assay.metrics import Undefined
from assay.resampling.row_hashing import read_keys
from assay.resampling.split_inputs import whole
from assay.resampling.time_order import read_times

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.crossvalidation.fold_metrics import Figure
    from assay.inference.estimate import Estimate
    from assay.inputs import Label
    from assay.inputs.columns import Array

__all__ = ["LearningCurve", "learning_curve"]

_LARGEST_SEED = 2**32 - 1
_FIRST = 1 << 32  # repeat of the words that rows are taken by: beyond those that folds are made by
_TENTH_TO_ALL = (0.1, 0.25, 0.5, 0.75, 1.0)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class LearningCurve:
    """Figures for models that learnt from fewer rows and from more. Made by :func:`assay.learning_curve`.

    ``sizes`` are the mean numbers of rows learnt from; ``folds`` are, for each of them, the folds tested.
    """

    plan: CrossValSetup
    name: str
    how: str
    sizes: tuple[int, ...]
    folds: tuple[tuple[Fold, ...], ...]
    seen: tuple[tuple[Fold, ...], ...]
    problems: tuple[Diagnostic, ...]
    confidence: float

    def _figure(self, name: Any) -> Figure:
        figures = self.plan.figures
        return figures[0] if name is None else found_in(figures, name, self.plan.positive)

    def estimates(self, name: str | None = None) -> list[Estimate]:
        """Return a figure, by default the first, for every size: of rows that were not learnt from."""
        figure = self._figure(name)
        return [
            estimated(folds, figure, figure.combination, confidence=self.confidence) for folds in self.folds
        ]

    def training(self, name: str | None = None) -> list[Any]:
        """Return a figure for every size: of the very rows that were learnt from."""
        figure = self._figure(name)
        return [combined(folds, figure, figure.combination) for folds in self.seen]

    def text(self, *, width: int = 80) -> str:
        """Return the curve as lines of at most so many columns."""
        parts = [
            paragraph(
                f"{clean(self.name)}: learning curve, {self.how} of {self.plan.n:,} rows", max_width=width
            )
        ]
        for figure in self.plan.figures:
            body = []
            for size, estimate, training in zip(
                self.sizes, self.estimates(figure.name), self.training(figure.name), strict=True
            ):
                gap = "-"
                if estimate.defined and not isinstance(training, Undefined):
                    gap = format_value(abs(training - float(estimate)))
                body.append(
                    [
                        f"{size:,}",
                        _number(estimate.value),
                        format_interval(estimate) or "-",
                        _number(training),
                        gap,
                    ]
                )
            head = [
                "rows",
                metric_title(figure.name),
                f"{100 * self.confidence:g}% interval",
                "training",
                "gap",
            ]
            parts.append(grid(head, body, max_width=width, words=0))
        parts.append(paragraph(self._said(), max_width=width))
        if self.problems:
            first, *others = self.problems
            told = f"! {_capital(first.where or '')}: {first.what}"
            more = (
                f" And {len(others):,} more problem{'s' * (len(others) != 1)}: see problems."
                if others
                else ""
            )
            parts.append(paragraph(f"{told}{more}", max_width=width, indent=2))
        return "\n\n".join("\n".join(part) for part in parts)

    def _said(self) -> str:
        """Return what the last two sizes say of the first figure."""
        figure = self.plan.figures[0]
        found = self.estimates()[-2:]
        known = len(found) == 2 and all(one.defined for one in found)  # noqa: PLR2004 - the last and before
        if not known or found[-1].low is None or found[-1].high is None:
            return "There are too few sizes to say more."
        last, before = float(found[-1]), float(found[-2])
        growth = last - before
        if figure.metric.best is not None and figure.metric.best != figure.metric.bounds[1]:
            growth = -growth
        if growth > (found[-1].high - found[-1].low) / 4:  # half of what the interval reaches to one side
            return f"{metric_title(figure.name)} was still improving with the last rows: more may help."
        return (
            f"From {self.sizes[-2]:,} to {self.sizes[-1]:,} rows {metric_title(figure.name)} improved by no "
            "more than the folds' noise: what more rows of this sort would add cannot be told, or is little."
        )

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<LearningCurve of {self.name}: {', '.join(f'{size:,}' for size in self.sizes)} rows>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "model": self.name,
            "how": self.how,
            "sizes": list(self.sizes),
            "figures": {
                figure.name: {
                    "tested": [one.to_dict() for one in self.estimates(figure.name)],
                    "training": [_plain(one) for one in self.training(figure.name)],
                }
                for figure in self.plan.figures
            },
            "problems": [problem._asdict() for problem in self.problems],
        }


@suggest_keywords
def learning_curve(
    model: Any,
    X: Any,  # noqa: N803 - as everyone calls it
    y: Any,
    *,
    sizes: Sequence[float] = _TENTH_TO_ALL,
    split: Any = 5,
    metrics: Any = None,
    task: str | None = None,
    positive: Label | None = None,
    group: Any = None,
    time: Any = None,
    key: Any = None,
    weight: Any = None,
    part: str | None = None,
    fit_options: Mapping[str, Any] | None = None,
    jobs: int = 1,
    processes: bool = False,
    progress: bool | None = None,
    confidence: float = 0.95,
    name: str = "",
    seed: int = 0,
) -> LearningCurve:
    """Cross-validate a model that learns from ever more of each fold's training rows.

    `sizes` are shares of them (up to 1.0) or, as whole numbers, counts, in any order. The rows of a smaller
    size are among those of a larger one; classes keep their shares, and by `time` they are the latest. All
    else is as for :func:`assay.crossval`.

    >>> import numpy as np, assay
    >>> class Mean:
    ...     def fit(self, X, y):
    ...         self.mean = y.mean()
    ...     def predict(self, X):
    ...         return np.full(len(X), self.mean)
    >>> y = np.sin(np.arange(100.0)) + 3
    >>> curve = assay.learning_curve(Mean(), np.zeros((100, 1)), y, sizes=[2, 20, 80], metrics="mse")
    >>> curve.sizes, curve.training()[0] < float(curve.estimates()[0])
    ((2, 20, 80), True)
    """
    check_confidence(confidence)
    whole("seed", seed, 0, _LARGEST_SEED)
    crew = WorkerConfig.of(jobs, processes=processes, progress=progress)
    plan = prepare_setup(
        model, X, y, metrics=metrics, task=task, positive=positive, weight=weight, group=group,
        fit_options=fit_options, seed=seed,
    )  # fmt: skip
    splitter, splits = given_splits(split, plan, group=group, time=time, key=key, seed=seed)
    names = splits[0].names
    tested = tested_part(names, part)
    asked = np.atleast_1d(np.asarray(sizes, dtype=object)).tolist()
    if not asked:
        raise SplitError("sizes= is empty: name at least one share or count of training rows.")
    learnt = min(len(one[names[0]]) for one in splits)
    asked = sorted(asked, key=lambda size: _count(size, learnt))
    times = None if time is None else read_times(time)
    keys = read_keys(None if key is None else column(key, "key"), plan.n)
    places: list[tuple[int, int]] = []

    def work() -> Iterator[FoldTask]:
        for fold, one in enumerate(splits):
            train = _ordered(plan, one[names[0]], times, keys.words(seed, _FIRST + fold))
            for place, size in enumerate(asked):
                kept = train[: _count(size, len(train))]
                places.append((place, fold))
                # Tested rows first, then those learnt from: one model answers for both.
                yield FoldTask(fold * len(asked) + place, kept, np.concatenate([one[tested], kept]))

    folds: list[list[Fold]] = [[] for _ in asked]
    seen: list[list[Fold]] = [[] for _ in asked]
    for attempt in attempts(plan, work(), len(splits) * len(asked), crew, keep=False):
        place, fold = places[attempt.work.number]
        count = len(attempt.work.test) - len(attempt.work.train)
        for side, rows in ((folds, slice(None, count)), (seen, slice(count, None))):
            side[place].append(judged(plan, _part(attempt, rows), fold=fold))
    if all(one.failure for size in folds for one in size):
        raise SplitError(f"every fold failed. The first: {folds[0][0].failure}.")
    problems = [problem for size in folds for problem in of_folds(size, several=False)]
    means = tuple(round(math.fsum(fold.n_train for fold in size) / len(size)) for size in folds)
    return LearningCurve(
        plan, name or plan.name, said(splitter, len(splits)), means, tuple(map(tuple, folds)),
        tuple(map(tuple, seen)), tuple(problems), confidence,
    )  # fmt: skip


def _count(size: Any, n: int) -> int:
    """Return how many of n training rows a share or a count asks for."""
    if isinstance(size, (int, np.integer)) and not isinstance(size, bool):
        if 1 <= size <= n:
            return int(size)
        raise SplitError(f"sizes= asks for {size:,} rows, where a fold trains on {n:,}.")
    if isinstance(size, (float, np.floating)) and 0 < size <= 1:
        return max(1, round(float(size) * n))
    raise SplitError(f"sizes= holds {size!r}, which is neither a share up to 1.0 nor a count of rows.")


def _ordered(plan: CrossValSetup, train: Array, times: Array | None, words: Array) -> Array:
    """Return training rows in the order in which they are taken: classes evenly, or the latest first.

    What is at random goes by words of the rows' keys, so that the rows' own order does not count.
    """
    if times is not None:
        return train[np.argsort(times[train], kind="stable")[::-1]]
    shuffled = train[np.argsort(words[train], kind="stable")]
    if not plan.labels:
        return shuffled
    codes = encode(plan.actual)[0][shuffled]
    turn = np.empty(len(shuffled))
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        turn[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
    return shuffled[np.argsort(turn, kind="stable")]


def _part(attempt: Any, rows: slice) -> Any:
    """Return the attempt as if only some of its test rows had been asked for."""
    answers = attempt.answers
    if answers is not None:
        answers = dataclasses.replace(
            answers,
            predicted=None if answers.predicted is None else np.asarray(answers.predicted)[rows],
            scores=None if answers.scores is None else answers.scores[rows],
        )
    return attempt._replace(answers=answers, work=attempt.work._replace(test=attempt.work.test[rows]))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _plain(value: Any) -> Any:
    if isinstance(value, Undefined):
        return None
    return float(value) if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"


def _number(value: Any) -> str:
    return "-" if isinstance(value, Undefined) else format_value(value)
