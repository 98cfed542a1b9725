"""Cross-validation: how models learnt alike will do on rows to come."""

from __future__ import annotations

import dataclasses
import time as clock
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.crossvalidation.auc_interval import refuse_influence_curves
from assay.crossvalidation.bootstrap_632 import out_of_bag
from assay.crossvalidation.crossvalidation import CrossValidation
from assay.crossvalidation.diagnostics import (
    Diagnostic,
    SplitChecker,
    of_folds,
    of_preprocessing,
    where,
)
from assay.crossvalidation.fit_folds import FoldTask, WorkerConfig, attempts, judged
from assay.crossvalidation.nested_cv import nested_intervals, refuse_nested
from assay.crossvalidation.resolve_splits import given_splits, repeats_of, said, strata_of, tested_part
from assay.crossvalidation.setup import prepare_setup
from assay.errors import InputError, SplitError, suggest_keywords
from assay.inference.formulas.proportions import check_confidence
from assay.resampling.split_inputs import whole
from assay.resampling.splitters import Bootstrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.crossvalidation.fit_folds import Fold
    from assay.inputs import Label

__all__ = ["crossval"]

_LARGEST_SEED = 2**32 - 1


@suggest_keywords
def crossval(
    model: Any,
    X: Any,  # noqa: N803 - as everyone calls it
    y: Any,
    *,
    split: Any = 10,
    metrics: Any = None,
    task: str | None = None,
    positive: Label | None = None,
    group: Any = None,
    time: Any = None,
    key: Any = None,
    weight: Any = None,
    part: str | None = None,
    interval: Literal["corrected", "nested", "ledell"] = "corrected",
    nested_repeats: int = 10,
    resubstitution: bool = True,
    fit_options: Mapping[str, Any] | None = None,
    keep_models: bool = False,
    jobs: int = 1,
    processes: bool = False,
    progress: bool | None = None,
    confidence: float = 0.95,
    name: str = "",
    seed: int = 0,
) -> CrossValidation:
    """Estimate how a model will do on rows to come: fit it on parts of the rows, test it on the others.

    Parameters
    ----------
    model
        Any object with ``fit`` and ``predict`` (and ``predict_proba`` or ``decision_function`` for figures
        of scores), or a class or function that makes one. Every fold gets a fresh copy. A model that
        searches its own settings is searched anew in every fold: that is nested cross-validation.
    X, y
        What it learns from: an array, a pandas or Polars frame, a sparse matrix, a list or a dict of
        columns, chosen by rows and passed on as it is; and the target.
    split
        A splitter of :mod:`assay.resampling`, a number of folds, one of scikit-learn's; or ready splits:
        pairs of training and test rows, as numbers or masks, or a column that names each row's part.
        ``bootstrap(200)`` gives the out-of-bag, .632 and .632+ estimates too.
    metrics
        Metrics of the catalogue or their names; ``"macro f1"`` averages over classes, and
        ``("f_beta", {"beta": 2})`` has options. All are read from tallies, filled once per fold.
    task
        ``"regression"``, or ``"binary"``, ``"multiclass"``, ``"ordinal"``, where model and target do not say.
    positive
        The positive label; not needed where the labels are 0/1, false/true or -1/1.
    group, time, key
        What the splitter respects: see :mod:`assay.resampling`. A single split of groups has the interval
        of groups, and predictions keep them.
    weight
        How much each row counts where figures are read. To learn by weights: `fit_options`.
    part
        Which part is tested, of splits with more than two.
    interval
        "corrected" (Nadeau and Bengio's), or "nested" for means over rows: Bates, Hastie and Tibshirani's,
        at the cost of ``k (k + 1) / 2`` more fits for each of `nested_repeats`; or "ledell" for the area
        under the ROC curve: LeDell, Petersen and van der Laan's, of the folds' very models.
    resubstitution
        Whether the model is also fitted to all rows and judged by the same, which is too good.
    fit_options
        Passed on to ``fit``; columns with a value per row are chosen like the rows.
    keep_models
        Whether the fitted models are kept: ``cv.models`` of the folds, ``cv.model`` of all rows.
    jobs, processes
        How many folds are worked on at a time, by threads or by processes. The result is the same.
    progress
        Whether a bar is drawn; by default on a terminal.
    seed
        Of the folds where `split` is a number, and of models whose ``random_state`` was left open.

    Examples
    --------
    >>> import numpy as np, assay
    >>> class Threshold:
    ...     def fit(self, X, y):
    ...         self.cut = (X[y == 0].mean() + X[y == 1].mean()) / 2
    ...     def predict(self, X):
    ...         return (X[:, 0] > self.cut).astype(int)
    >>> y = np.arange(200) % 2
    >>> X = (y + np.sin(np.arange(200)))[:, None]
    >>> cv = assay.crossval(Threshold(), X, y, task="binary", metrics=["accuracy", "kappa"], split=5)
    >>> cv["accuracy"], cv.combination("accuracy")
    (0.675 [0.5475, 0.8025], 'pooled')
    >>> [round(value, 3) for value in cv.per_fold("accuracy")]
    [0.675, 0.575, 0.725, 0.65, 0.75]
    """
    start = clock.perf_counter()
    check_confidence(confidence)
    if interval not in ("corrected", "nested", "ledell"):
        raise InputError(f'interval={interval!r} is neither "corrected" nor "nested" nor "ledell".')
    whole("seed", seed, 0, _LARGEST_SEED)
    crew = WorkerConfig.of(jobs, processes=processes, progress=progress)
    plan = prepare_setup(
        model, X, y, metrics=metrics, task=task, positive=positive, weight=weight, group=group,
        fit_options=fit_options, seed=seed,
    )  # fmt: skip
    splitter, splits = given_splits(split, plan, group=group, time=time, key=key, seed=seed)
    names = splits[0].names
    tested = tested_part(names, part)
    anew = whole("nested_repeats", nested_repeats, 1)
    if interval == "nested":
        refuse_nested(plan, splitter)
    if interval == "ledell":
        refuse_influence_curves(plan, [dict(zip(names, one, strict=True))[tested] for one in splits])
    repeats = repeats_of(splitter, splits)
    several = repeats > 1
    problems = list(of_preprocessing(plan))
    watcher = SplitChecker(plan, splitter, group, time)
    places: list[tuple[int, int]] = []

    def work() -> Iterator[FoldTask]:
        for number, one in enumerate(splits):
            place = (one.repeat, one.fold) if several else (0, number)
            places.append(place)
            problems.extend(watcher.at(one, where(*place, several=several)))
            parts = dict(zip(names, one, strict=True))
            yield FoldTask(number, parts[names[0]], parts[tested])
        if resubstitution:
            everything = np.arange(plan.n)
            yield FoldTask(len(splits), everything, everything)

    folds: list[Fold] = []
    for attempt in attempts(plan, work(), len(splits) + resubstitution, crew, keep=keep_models):
        number = attempt.work.number
        repeat, fold = places[number] if number < len(splits) else (-1, -1)
        folds.append(judged(plan, attempt, repeat=repeat, fold=fold))
    apparent = folds.pop() if resubstitution else None
    if all(fold.failure for fold in folds):
        raise SplitError(f"every fold failed. The first: {folds[0].failure}.")
    problems += of_folds(folds, several=several)
    if apparent is not None and apparent.failure:
        problems.append(Diagnostic("failure", "the fit to all rows", apparent.failure))
    drawn = {}
    if isinstance(splitter, Bootstrap) and apparent is not None and not apparent.failure:
        drawn = {figure.name: out_of_bag(plan, figure, folds, apparent) for figure in plan.figures}
    nested = {}
    if interval == "nested":
        nested = nested_intervals(
            plan, dataclasses.replace(splitter, repeats=anew), strata=strata_of(plan, splitter), group=group,
            key=key, confidence=confidence, crew=crew,
        )  # fmt: skip
    return CrossValidation(
        plan, name or plan.name, said(splitter, len(splits)), tuple(folds),
        {} if apparent is None else apparent.values, tuple(problems), confidence, drawn, nested,
        repeats, clock.perf_counter() - start, None if apparent is None else apparent.model, interval,
    )  # fmt: skip
