"""From columns to an evaluation: gather the rows, see which problem they pose, fill their tallies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import InputError
from assay.evaluation.evaluation import Evaluation, Settings
from assay.evaluation.problem import Problem, posed
from assay.evaluation.sliceable import with_slices
from assay.inference.proportions import check_confidence
from assay.inputs import Column, Rows
from assay.inputs import rows as gathered
from assay.tallies import ClassScores, Collection, Confusion, Moments, Queries, Scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.inputs import Label
    from assay.tallies import Tally

__all__ = ["counted_at", "evaluate", "evaluated"]


def evaluate(
    data: Any = None,
    *,
    actual: Any = None,
    predicted: Any = None,
    score: Any = None,
    weight: Any = None,
    group: Any = None,
    query: Any = None,
    by: Any = None,
    edges: Mapping[str, Sequence[float]] | None = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    missing: Literal["refuse", "drop"] = "refuse",
    kind: str | None = None,
    threshold: float | None = None,
    confidence: float = 0.95,
    beta: float | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    prevalence: float | None = None,
    k: int | None = None,
    name: str = "",
) -> Evaluation:
    """Judge predictions: every figure that fits the problem, each with its interval.

    Parameters
    ----------
    data
        A table whose columns the roles may name (see :func:`assay.rows`), rows, or a confusion tally.
    actual, predicted, score, weight, group, query, by, labels, positive, missing
        The roles of :func:`assay.rows`. By `by` the rows are sliced: see :attr:`Evaluation.slices`.
    edges
        Where numbers to slice by are cut, by their columns: ``{"age": [30, 50]}``. Without, at their
        quartiles, unless they are whole and of few different values.
    kind
        ``"binary"``, ``"multiclass"``, ``"ordinal"``, ``"multilabel"``, ``"regression"`` or ``"ranking"``.
        Inferred where it cannot be mistaken, and always told.
    threshold
        At or above which a score counts as positive. For actual and predicted numbers, where both are cut.
    confidence
        Of all intervals.
    beta, cost_fp, cost_fn
        Which error is worse: F-beta is shown with the figures, and thresholds are chosen by the costs.
    prevalence
        Where the model will be used, if other than in these rows: predictive values there.
    k
        How deep ranked lists are judged.
    name
        What to call the model in reports.

    Examples
    --------
    >>> import assay
    >>> ev = assay.evaluate(actual=[0, 0, 0, 1, 1], score=[0.1, 0.4, 0.2, 0.8, 0.3])
    >>> ev["auc"]
    0.8333 [0.1523, 0.9929]
    >>> ev["recall"], ev.problem.threshold
    (0.5 [0.09453, 0.9055], 0.5)
    """
    check_confidence(confidence)
    settings = Settings(confidence, beta, cost_fp, cost_fn, prevalence, k, name)
    if isinstance(data, Confusion):
        return _of_table(data, positive, kind, settings)
    if isinstance(data, Rows):
        rows = data
    else:
        rows = gathered(
            data, actual=actual, predicted=predicted, score=score, weight=weight, group=group, query=query,
            by=by, labels=labels, positive=positive, missing=missing,
        )  # fmt: skip
    if not len(rows):
        raise InputError("there are no rows to judge.")
    rows = with_slices(rows, edges)
    problem, rows = posed(rows, kind, threshold)
    names = {
        role: kept.name
        for role in ("actual", "predicted", "score")
        if (kept := getattr(rows, role)) is not None
    }
    settings = Settings(
        confidence, beta, cost_fp, cost_fn, prevalence, k, name, **names, library=_library(data)
    )
    return Evaluation(problem, settings, Collection.of_mapping(_tallies(problem, rows)), rows, rows.dropped)


def _of_table(tally: Confusion, positive: Label | None, kind: str | None, settings: Settings) -> Evaluation:
    """Return the evaluation of a ready confusion table."""
    labels = tally.labels
    if positive is None and kind is None and set(labels) in ({0, 1}, {-1, 1}):
        positive = labels[-1]
    if positive is None:
        problem = Problem("ordinal" if kind == "ordinal" else "multiclass", labels)
    else:
        problem = Problem("binary", tuple(sorted(labels, key=lambda one: one == positive)), positive)
    return Evaluation(problem, settings, Collection.of_mapping({"confusion": tally}))


def _tallies(problem: Problem, rows: Rows) -> dict[str, Tally]:
    """Return the tallies that a problem's figures are read from."""
    if problem.kind == "regression":
        return {"moments": Moments.of(rows)}
    if problem.kind == "ranking":
        return {"queries": Queries.of(rows)}
    found: dict[str, Tally] = {}
    if rows.score is not None and rows.score.values.ndim > 1:
        found["class_scores"] = ClassScores.of(rows)
    elif rows.score is not None:
        found["scores"] = Scores.of(rows)
    if rows.predicted is not None:
        found["confusion"] = Confusion.of(rows)
    elif problem.threshold is not None and isinstance(scores := found.get("scores"), Scores):
        found["confusion"] = counted_at(scores, problem.threshold, problem.labels)
    return found


def _library(data: Any) -> str:
    """Return whose frames the rows came in, so that answers come in the same."""
    home = type(data).__module__.partition(".")[0]
    return home if home in ("pandas", "polars", "pyarrow") else ""


def evaluated(problem: Problem, settings: Settings, rows: Rows) -> Evaluation:
    """Return the evaluation of rows whose problem is known: some of the rows that posed it."""
    return Evaluation(problem, settings, Collection.of_mapping(_tallies(problem, rows)), rows)


def counted_at(scores: Scores, threshold: float, labels: tuple[Any, ...]) -> Confusion:
    """Return the confusion tally of scores that count as positive from a threshold on.

    >>> import assay
    >>> tally = assay.Scores.of(assay.rows(actual=[0, 1, 0, 1], score=[0.1, 0.7, 0.6, 0.9]))
    >>> counted_at(tally, 0.65, (0, 1)).table()
    array([[2, 0],
           [0, 2]])
    """
    place = int(np.searchsorted(scores.scores, np.float64(threshold)))
    order = sorted(range(2), key=lambda one: labels[one])
    known = tuple(labels[one] for one in order)
    if scores.weights is not None:
        return _weighed_at(scores, place, known, labels)
    parts = [(side[:place], side[place:]) for side in (scores.negatives, scores.positives)]
    counts = np.array([[int(part.sum(dtype=np.int64)) for part in side] for side in parts])
    turned = counts[np.ix_(order, order)].ravel()
    cells = np.flatnonzero(turned)
    return Confusion(known, cells=cells.astype(np.uint64), counts=turned[cells])


def _weighed_at(scores: Scores, place: int, known: tuple[Any, ...], labels: tuple[Any, ...]) -> Confusion:
    """Return the same of rows with weights, whose exact sums are those that the rows themselves have."""
    weights: Any = scores.weights
    values, codes = [], []
    above = np.arange(len(scores.scores)) >= place
    for actual, counts in enumerate((scores.negatives, scores.positives)):
        values.append(np.repeat(weights, counts))
        codes.append(np.stack([np.full(len(values[-1]), actual), np.repeat(above, counts)]))
    places = np.array([known.index(label) for label in labels], dtype=np.uint8)
    actual, predicted = places[np.concatenate(codes, axis=1).astype(np.intp)]
    columns = [Column(name, side, known) for name, side in (("actual", actual), ("predicted", predicted))]
    return Confusion.of_columns(columns, None, Column("weight", np.concatenate(values)))
