"""Cross-validation: estimate how a model performs on unseen data."""

from __future__ import annotations

import dataclasses
import time as clock
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.crossvalidation.auc_interval import check_influence_curves
from assay.crossvalidation.bootstrap_632 import out_of_bag
from assay.crossvalidation.crossvalidation import CrossValidation
from assay.crossvalidation.diagnostics import (
    Diagnostic,
    SplitChecker,
    fold_diagnostics,
    fold_name,
    leakage_diagnostics,
)
from assay.crossvalidation.fit_folds import FoldTask, WorkerConfig, evaluate_fold, fit_folds
from assay.crossvalidation.nested_cv import check_nested, nested_intervals
from assay.crossvalidation.resolve_splits import (
    choose_test_part,
    count_repeats,
    describe_splits,
    resolve_splits,
    strata_of,
)
from assay.crossvalidation.setup import prepare_setup
from assay.errors import InputError, SplitError, check_whole_number, suggest_keywords
from assay.hints import passed
from assay.inference.formulas.proportions import check_confidence
from assay.resampling.split import parts_of
from assay.resampling.splitters import Bootstrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.crossvalidation.fit_folds import Fold
    from assay.evaluation.task import TaskName
    from assay.inputs import Label

__all__ = ["crossval"]

_MAX_SEED = 2**32 - 1


@suggest_keywords
def crossval(
    model: Any,
    X: Any,  # noqa: N803 - as everyone calls it
    y: Any,
    *,
    split: Any = 10,
    metrics: Any = None,
    task: TaskName | None = None,
    labels: Sequence[Label] | None = None,
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
    """Estimate how a model performs on unseen data: fit it to parts of the rows, test it on the others.

    Parameters
    ----------
    model
        Any object with ``fit`` and ``predict`` (and ``predict_proba`` or ``decision_function`` for metrics
        of scores), or a class or function that makes one. Every fold gets a new copy. A model that tunes its
        own hyperparameters is tuned again in every fold: that is nested cross-validation.
    X, y
        Features: an array, a pandas or Polars frame, a sparse matrix, a list or a dict of columns, of which
        rows are taken and passed to the model in the same type; and the target.
    split
        A splitter of :mod:`assay.resampling`, a number of folds, one of scikit-learn's; or ready splits:
        pairs of training and test rows, as numbers or masks, or a column that names each row's part.
        ``bootstrap(200)`` gives the out-of-bag, .632 and .632+ estimates too.
    metrics
        Metrics of the catalogue or their names; ``"macro f1"`` averages over classes, and
        ``("f_beta", {"beta": 2})`` has options. All are read from tallies, filled once per fold.
    task
        ``"regression"``, ``"binary"``, ``"multiclass"`` or ``"ordinal"``; inferred from the target as
        :func:`assay.evaluate` does, and from the model, where there is no doubt.
    labels
        All classes, those of grades in their order; by default those of `y`.
    positive
        The positive label; not needed where the labels are 0/1, false/true or -1/1. One of several classes
        is evaluated against the rest.
    group, time, key
        What the splitter respects: see :mod:`assay.resampling`. A single split of groups has the interval
        of groups, and predictions keep them.
    weight
        Weights of the rows in the metrics. For weights in training: `fit_options`.
    part
        Which part is tested, of splits with more than two.
    interval
        "corrected" (Nadeau and Bengio's), or "nested" for means over rows: Bates, Hastie and Tibshirani's,
        at the cost of ``k (k + 1) / 2`` more fits for each of `nested_repeats`; or "ledell" for the area
        under the ROC curve: LeDell, Petersen and van der Laan's, for the folds' models themselves.
    resubstitution
        Whether the model is also fitted to all rows and tested on the same, which is optimistic.
    fit_options
        Keywords of ``fit``; of columns with a value per row, those of the training rows.
    keep_models
        Whether the fitted models are kept: ``cv.models`` of the folds, ``cv.model`` of all rows.
    jobs, processes
        How many folds are fitted at a time, in threads or in processes. The result is the same.
    progress
        Whether a progress bar is drawn; by default on a terminal.
    seed
        Of the folds where `split` is a number, and of models whose ``random_state`` is None.
    nested_repeats
        How often ``interval="nested"`` splits the rows anew.
    confidence
        The confidence level of all intervals.
    name
        What the model is called in reports.

    Returns
    -------
    CrossValidation
        Estimates over the folds, the folds' values and the held-out predictions.

    Raises
    ------
    InputError
        `model`, `X` or `task` is none.
    SplitError
        The splits do not fit the rows, or test no row.
    LengthError
        `X`, `y` or another column has another number of rows.
    ColumnError
        A column is none.
    MissingValueError
        A value of `y` or another column is missing.
    LabelError
        `labels` or `positive` do not fit `y`.
    NumberError
        A weight is no finite number.
    MetricError
        A metric is not known, or `confidence` is no share between 0 and 1.

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
        raise InputError(f'{passed("interval", interval)} is neither "corrected" nor "nested" nor "ledell".')
    check_whole_number("seed", seed, 0, _MAX_SEED, error=SplitError)
    workers = WorkerConfig.of(jobs, processes=processes, progress=progress)
    setup = prepare_setup(
        model, X, y, metrics=metrics, task=task, labels=labels, positive=positive, weight=weight, group=group,
        fit_options=fit_options, seed=seed,
    )  # fmt: skip
    splitter, splits = resolve_splits(split, setup, group=group, time=time, key=key, seed=seed)
    names, count = splits[0].names, len(splits)
    test_part = choose_test_part(names, part)
    nested_repeats = check_whole_number("nested_repeats", nested_repeats, 1, error=SplitError)
    if interval == "nested":
        check_nested(setup, splitter)
    if interval == "ledell":
        check_influence_curves(setup, [fold[test_part] for fold in splits])
    repeats = count_repeats(splitter, splits)
    problems = list(leakage_diagnostics(setup))
    checker = SplitChecker(setup, splitter, group, time)
    numbers: list[tuple[int, int]] = []  # repeat and fold, noted as splits are made

    def fold_tasks() -> Iterator[FoldTask]:
        parts = parts_of(splits, names[0], test_part)
        for number, (fold, (train, test)) in zip(range(count), parts, strict=False):
            numbers.append((fold.repeat, fold.fold) if repeats > 1 else (0, number))
            problems.extend(checker.check(fold, fold_name(*numbers[-1], repeated=repeats > 1)))
            yield FoldTask(number, train, test)
        if resubstitution:
            everything = np.arange(setup.n)
            yield FoldTask(count, everything, everything)

    folds: list[Fold] = []
    for result in fit_folds(setup, fold_tasks(), count + resubstitution, workers, keep_models=keep_models):
        number = result.fold_task.number
        repeat, fold = numbers[number] if number < count else (-1, -1)
        folds.append(evaluate_fold(setup, result, repeat=repeat, fold=fold))
    apparent = folds.pop() if resubstitution else None
    if all(fold.failure for fold in folds):
        raise SplitError(f"every fold failed. The first: {folds[0].failure}.")
    problems += fold_diagnostics(folds, repeated=repeats > 1)
    if apparent is not None and apparent.failure:
        problems.append(Diagnostic("failure", "the fit to all rows", apparent.failure))
    bootstrap = {}
    if isinstance(splitter, Bootstrap) and apparent is not None and not apparent.failure:
        bootstrap = {spec.name: out_of_bag(setup, spec, folds, apparent) for spec in setup.metrics}
    nested = {}
    if interval == "nested":
        nested = nested_intervals(
            setup, dataclasses.replace(splitter, repeats=nested_repeats), strata=strata_of(setup, splitter),
            group=group, key=key, confidence=confidence, workers=workers,
        )  # fmt: skip
    return CrossValidation(
        setup, name or setup.name, describe_splits(splitter, count), tuple(folds),
        {} if apparent is None else apparent.values, tuple(problems), confidence, bootstrap, nested,
        repeats, clock.perf_counter() - start, None if apparent is None else apparent.model, interval,
    )  # fmt: skip
