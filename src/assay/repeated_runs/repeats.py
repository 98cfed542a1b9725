"""Repeated runs of the same questions: pass@k, means with questions as the sample, and what to buy next."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from assay.errors import InputError, LengthError, NumberError, suggest_keywords
from assay.formatting.frame_output import library_of
from assay.hints import param, passed
from assay.inference.distributions import student_p
from assay.inference.estimate import Estimate
from assay.inference.formulas.proportions import check_confidence, wilson
from assay.inference.formulas.repeated_runs import (
    best_of_k,
    decompose,
    majority_at_k,
    pass_all_k,
    pass_at_k,
    question_interval,
    question_spread,
)
from assay.inputs import column, encode
from assay.inputs.frames import Table
from assay.metrics import Undefined
from assay.repeated_runs.majority import plurality_at_k
from assay.repeated_runs.repeats_result import RepeatedRuns, RunDifference
from assay.tallies import RunCounts
from assay.tallies.run_counts import group_of_question

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.inputs.labels import Label

__all__ = ["repeats"]

_USUAL_K = (1, 2, 5, 10, 20, 50, 100)
_MANY_ROWS = 2
_ROUNDING = 1e-12  # of scores


@suggest_keywords
def repeats(
    data: Any = None,
    *,
    question: Any = None,
    correct: Any = None,
    run: Any = None,
    model: Any = None,
    answer: Any = None,
    selector: Any = None,
    group: Any = None,
    k: int | Iterable[int] | None = None,
    cost_question: float = 0.0,
    cost_run: float = 1.0,
    seed: int = 0,
    confidence: float = 0.95,
) -> RepeatedRuns:
    """Summarize models that answered the same questions several times: the questions are the sample.

    Parameters
    ----------
    data
        A data frame or dict of columns, one row per run; or a :class:`assay.RunCounts` tally.
    question
        Which question a row answers.
    correct
        1 where the run is correct and 0 where it is not, or a score.
    run
        The number of the run, to refuse rows that are there twice.
    model
        The model of each row, where there are several: their differences are paired by question.
    answer
        The answer of each run, for majority votes among more than two answers.
    selector
        A score of each run by which the best of k is chosen.
    group
        Questions that belong together (of one passage): the unit of sampling.
    k
        For which k to compute pass@k, pass^k and majority@k; the usual ones that all questions have runs for
        unless given.
    cost_question, cost_run
        What one more question and one more run cost, to say how many runs of a question are best.
    seed
        Where random draws begin: the same seed gives the same result.
    confidence
        The confidence level of all intervals.

    Returns
    -------
    RepeatedRuns
        The mean, pass@k and the like by name, each with its interval.

    Raises
    ------
    InputError
        `question` or `correct` is missing, or `k` or a cost does not fit.
    ColumnError
        A column is not there, or is none.
    LengthError
        Columns have different numbers of values.
    MissingValueError
        A value is missing.
    MetricError
        `confidence` is no share between 0 and 1.

    Examples
    --------
    >>> import assay
    >>> runs = {"q": [1, 1, 2, 2, 3, 3, 4, 4], "ok": [1, 1, 0, 1, 0, 0, 1, 0]}
    >>> result = assay.repeats(runs, question="q", correct="ok")
    >>> result["mean"], result["pass@2"]
    (0.5 [0.1038, 0.8962], 0.75 [0.3006, 0.9544])
    """
    check_confidence(confidence)
    costs: dict[str, Any] = {"cost_question": cost_question, "cost_run": cost_run}
    for name, cost in costs.items():
        if not (isinstance(cost, (int, float)) and 0 <= cost < math.inf):
            raise InputError(f"{passed(name, cost)} is a number from 0.")
    if isinstance(data, RunCounts):
        return _summary(
            _from_tally(data), None, k, _RepeatSettings((cost_question, cost_run), confidence, "", ())
        )
    if question is None or correct is None:
        raise InputError(f"repeated runs need {param('question')} and {param('correct')}.")
    rows = _read(data, {"question": question, "correct": correct, "run": run, "model": model,
                        "answer": answer, "selector": selector, "group": group})  # fmt: skip
    runs = _Rows.of(rows)
    settings = _RepeatSettings((cost_question, cost_run), confidence, library_of(data), ())
    if runs.binary and answer is None and selector is None:
        tally = RunCounts.of(rows["question"], rows["correct"], model=rows["model"], group=rows["group"])
        return _summary(_from_tally(tally), None, k, settings)
    return _summary(runs.by_question(), runs, k, settings, seed)


class _RepeatSettings(NamedTuple):
    costs: tuple[float, float]
    confidence: float
    library: str
    notes: tuple[str, ...]


@dataclasses.dataclass(frozen=True, eq=False)
class _Questions:
    """Runs, correct runs (None for scores), means and variances, a row per pattern and a column per model."""

    models: tuple[Label, ...]
    runs: NDArray[np.int64]
    correct: NDArray[np.int64] | None
    means: NDArray[np.float64]
    variances: NDArray[np.float64]
    counts: NDArray[np.float64]
    clusters: NDArray[np.int64] | None
    share: bool


def _from_tally(tally: RunCounts) -> _Questions:
    runs, hits = tally.table[:, 1::2], tally.table[:, 2::2]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = hits / runs
        variances = hits * (runs - hits) / (runs * np.maximum(runs - 1.0, 1.0))
    clusters = tally.table[:, 0] if tally.groups else None
    return _Questions(
        tally.models, runs, hits, means, variances, tally.counts.astype(float), clusters, share=True
    )


def _read(data: Any, roles: dict[str, Any]) -> dict[str, Any]:
    table = None if data is None else Table(data)
    columns: dict[str, Any] = {}
    for role, value in roles.items():
        if value is None:
            columns[role] = None
        elif table is not None and (isinstance(value, str) or table.has(value)):
            columns[role] = table.column(value)
        else:
            columns[role] = column(value, role)
    given = {role: values.require_complete() for role, values in columns.items() if values is not None}
    lengths = {role: len(values) for role, values in given.items()}
    if len(set(lengths.values())) > 1:
        raise LengthError(f"the columns have different lengths: {lengths}.")
    return columns


@dataclasses.dataclass(frozen=True, eq=False)
class _Rows:
    """The runs one by one, coded."""

    question: NDArray[np.int64]
    names: tuple[Label, ...]
    model: NDArray[np.int64]
    models: tuple[Label, ...]
    score: NDArray[np.float64]
    clusters: NDArray[np.int64] | None
    answer: NDArray[np.int64] | None
    selector: NDArray[np.float64] | None

    @classmethod
    def of(cls, rows: dict[str, Any]) -> _Rows:
        score = np.asarray(rows["correct"].numbers("scores of runs"), dtype=np.float64)
        if not np.isfinite(score).all():
            row = int(np.argmin(np.isfinite(score)))
            raise NumberError(f"correct is infinite ({rows['correct'].where(row)}).")
        if not len(score):
            raise LengthError("there are no runs.")
        codes, names = encode(rows["question"])
        question = codes.astype(np.int64)
        model, models = np.zeros(len(codes), np.int64), cast("tuple[Label, ...]", ("model",))
        if rows["model"] is not None:
            model_codes, models = encode(rows["model"])
            model = model_codes.astype(np.int64)
        if rows["run"] is not None:
            _refuse_twice(question, model, encode(rows["run"]), names, len(models))
        clusters = None
        if rows["group"] is not None:
            clusters = group_of_question(question, encode(rows["group"])[0].astype(np.int64), names)
        answer = None if rows["answer"] is None else encode(rows["answer"])[0].astype(np.int64)
        selector = None
        if rows["selector"] is not None:
            selector = rows["selector"].numbers("selector scores")
        return cls(question, names, model, models, score, clusters, answer, selector)

    @property
    def binary(self) -> bool:
        """Whether runs are right or wrong."""
        return bool(((self.score == 0) | (self.score == 1)).all())

    def by_question(self) -> _Questions:
        """Return the runs question by question."""
        size, shape = len(self.names) * len(self.models), (len(self.names), len(self.models))
        cells = self.question * len(self.models) + self.model
        runs = np.bincount(cells, minlength=size)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.bincount(cells, self.score, minlength=size) / runs
            squares = np.bincount(cells, (self.score - means[cells]) ** 2, minlength=size)
        variances = squares / np.maximum(runs - 1, 1)
        correct = None
        if self.binary:
            correct = np.bincount(cells, self.score, minlength=size).astype(np.int64).reshape(shape)
        share = bool(((self.score >= 0) & (self.score <= 1)).all())
        ones = np.ones(len(self.names))
        return _Questions(
            self.models, runs.reshape(shape), correct, means.reshape(shape), variances.reshape(shape), ones,
            self.clusters, share,
        )  # fmt: skip

    def each(self, model: int) -> list[NDArray[np.int64]]:
        """Return the row numbers of each question of a model."""
        chosen = np.flatnonzero(self.model == model)
        order = chosen[np.argsort(self.question[chosen], kind="stable")]
        sizes = np.bincount(self.question[chosen], minlength=len(self.names))
        return np.split(order, np.cumsum(sizes)[:-1])


def _refuse_twice(question: Any, model: Any, run: Any, names: tuple[Label, ...], models: int) -> None:
    codes, labels = run
    key = (question * models + model) * len(labels) + codes
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    if (counts > 1).any():
        row = int(first[np.argmax(counts > 1)])
        raise InputError(f"run {labels[codes[row]]} of the question {names[question[row]]} is there twice.")


def _summary(
    questions: _Questions, rows: _Rows | None, k: Any, settings: _RepeatSettings, seed: int = 0
) -> RepeatedRuns:
    if not len(questions.counts):
        raise LengthError("there are no runs.")
    asked = questions.runs > 0
    fewest = int(questions.runs[asked].min())
    sizes = _sizes(k, fewest)
    estimates: dict[Label, dict[str, Estimate]] = {}
    values: dict[Label, dict[str, NDArray[np.float64]]] = {}
    variance = {}
    for index, name in enumerate(questions.models):
        by_metric = _values(questions, rows, index, sizes, seed)
        values[name] = by_metric
        estimates[name] = {
            metric: _estimate(metric, each, questions, asked[:, index], settings.confidence)
            for metric, each in by_metric.items()
        }
        own = asked[:, index]
        variance[name] = decompose(
            questions.runs[own, index], questions.means[own, index], questions.variances[own, index],
            questions.counts[own], None if questions.clusters is None else questions.clusters[own],
        )  # fmt: skip
    notes = list(settings.notes)
    if all(item is None for item in variance.values()):
        why = (
            "every question was run once" if int(questions.runs.max()) == 1 else "no model ran two questions"
        )
        notes.append(f"{why}: the variance within and between questions is unknown.")
    groups = None if questions.clusters is None else len(np.unique(questions.clusters))
    return RepeatedRuns(
        estimates, variance, tuple(_differences(values, questions, settings.confidence)),
        int(questions.counts.sum()), int(questions.counts @ questions.runs.sum(axis=1)), groups,
        settings.costs, settings.confidence, tuple(notes), settings.library,
    )  # fmt: skip


def _sizes(k: Any, fewest: int) -> tuple[int, ...]:
    if k is None:
        return tuple(size for size in _USUAL_K if size <= fewest)
    sizes = tuple(k) if isinstance(k, Iterable) and not isinstance(k, (str, Mapping)) else (k,)
    if not sizes or not all(_is_run_count(size) for size in sizes):
        raise InputError(f"{passed('k', k)} is a whole number of runs from 1, or several of them.")
    return tuple(dict.fromkeys(int(size) for size in sizes))


def _is_run_count(size: Any) -> bool:
    number = isinstance(size, (int, float, np.integer, np.floating)) and not isinstance(size, bool)
    return bool(number and math.isfinite(size) and size == int(size) and size >= 1)


def _values(
    questions: _Questions, rows: _Rows | None, index: int, sizes: tuple[int, ...], seed: int
) -> dict[str, NDArray[np.float64]]:
    """Return the value of every question by metric; NaN where a question has too few runs."""
    values = {"mean": questions.means[:, index]}
    runs = questions.runs[:, index]
    if questions.correct is not None:
        correct = questions.correct[:, index]
        for k in sizes:
            if k > 1:
                values[f"pass@{k}"] = pass_at_k(runs, correct, k)
                values[f"pass^{k}"] = pass_all_k(runs, correct, k)
                if rows is None or rows.answer is None:
                    values[f"majority@{k}"] = majority_at_k(runs, correct, k)
    if rows is not None:
        for k in (size for size in sizes if size > 1):
            if rows.answer is not None:
                values[f"majority@{k}"] = np.array([
                    plurality_at_k(rows.answer[part], rows.score[part], k, seed) for part in rows.each(index)
                ])  # fmt: skip
            if rows.selector is not None:
                values[f"best of {k}"] = np.array([
                    best_of_k(rows.selector[part], rows.score[part], k) for part in rows.each(index)
                ])  # fmt: skip
    return values


def _estimate(
    metric: str,
    values: NDArray[np.float64],
    questions: _Questions,
    asked: NDArray[np.bool_],
    confidence: float,
) -> Estimate:
    known = asked & np.isfinite(values)
    n, have = int(questions.counts[asked].sum()), int(questions.counts[known].sum())
    method = "Wilson on questions" if questions.share else "t on questions"
    if have < n or not n:
        needed = metric.rpartition("@")[2].rpartition("^")[2].rpartition(" ")[2]
        why = Undefined(f"it needs {needed} runs of every question, and {have:,} of {n:,} have them")
        return Estimate(why, None, None, confidence, method, n)
    clusters = None if questions.clusters is None else questions.clusters[asked]
    counts = questions.counts[asked]
    mean, error, df, groups = question_spread(values[asked], counts, clusters)
    if not df > 0:
        note = "a single question shows no spread" if groups is None else "a single group shows no spread"
        return Estimate(mean, None, None, confidence, method, n, note, groups=groups)
    right_or_wrong = questions.share and groups is None and bool(np.isin(values[asked], (0.0, 1.0)).all())
    if right_or_wrong:
        low, high = wilson(mean * n, n, confidence)
    else:
        units = float(n if groups is None else groups)
        low, high, method = question_interval(
            mean, error, df, units, confidence=confidence, share=questions.share
        )
    return Estimate(mean, low, high, confidence, method, n, "", error, groups=groups)


def _differences(values: Any, questions: _Questions, confidence: float) -> Iterable[RunDifference]:
    for first, second in itertools.combinations(questions.models, 2):
        for metric in values[first]:
            left, right = values[first][metric], values[second][metric]
            both = np.isfinite(left) & np.isfinite(right)
            counts = questions.counts[both]
            n = int(counts.sum())
            if n < _MANY_ROWS:
                continue
            clusters = None if questions.clusters is None else questions.clusters[both]
            each = right[both] - left[both]
            mean, error, df, groups = question_spread(each, counts, clusters)
            if not df > 0:
                continue
            method, low, high, p, note = "t on questions", None, None, None, "all questions differ alike"
            if error > _ROUNDING * max(float(np.abs(side[both]).max()) for side in (left, right)):
                p = student_p(mean / error, df)
                low, high, method = question_interval(mean, error, df, n, confidence=confidence, share=False)
                note = ""
            spreads = [question_spread(side[both], counts, clusters)[1] ** 2 for side in (left, right)]
            ratio = error**2 / sum(spreads) if sum(spreads) > 0 else None
            product = math.sqrt(spreads[0] * spreads[1])
            correlation = (sum(spreads) - error**2) / (2 * product) if product > 0 else None
            estimate = Estimate(
                mean, low, high, confidence, f"paired {method}", n, note, error, groups=groups
            )
            yield RunDifference(metric, first, second, estimate, p, correlation, ratio)
