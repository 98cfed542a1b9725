"""Agreement of several raters: coefficients beyond chance with intervals, by category, by pair, by rater."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from assay.errors import InputError, LengthError, shown, suggest_keywords
from assay.formatting.frame_output import library_of
from assay.formatting.numbers import count_of
from assay.hints import param, passed
from assay.inference.formulas.kappa import agreement_weights
from assay.inference.formulas.proportions import check_confidence
from assay.inference.formulas.rater_agreement import MAX_CATEGORIES, RatingCounts
from assay.inputs.frames import Table
from assay.inputs.labels import plain_label
from assay.raters.agreement_result import RaterAgreement, RaterPair
from assay.raters.coefficients import (
    MANY_PAIRS,
    CoefficientEstimator,
    coefficients,
    numeric_coefficients,
    pairs_of_raters,
)
from assay.raters.judge import JudgeComparison, compare_judge
from assay.tallies import Ratings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from assay.inference.estimate import Estimate
    from assay.inputs.labels import Label

    Level = Literal["nominal", "ordinal", "interval", "ratio"]

__all__ = ["agreement"]

_LEVELS = {"nominal": "none", "ordinal": "ordinal", "interval": "quadratic", "ratio": "quadratic"}
_MIN_ITEMS = 10
_MIN_RATERS = 2


@suggest_keywords
def agreement(
    data: Any = None,
    *,
    raters: Any = None,
    item: Any = None,
    rater: Any = None,
    rating: Any = None,
    level: Level = "nominal",
    weights: Any = None,
    labels: Sequence[Label] | None = None,
    group: Any = None,
    against: Any = None,
    margin: float = 0.05,
    epsilon: float = 0.2,
    confidence: float = 0.95,
) -> RaterAgreement:
    """Say how far several raters agree, with intervals; ratings may be missing.

    Parameters
    ----------
    data
        A data frame or dict of columns; or a :class:`assay.Ratings` tally, merged from parts say.
    raters
        A column for each rater, a row for each item: column names, or a mapping from rater to column.
    item, rater, rating
        Instead of `raters`: one row per rating. Item, rater and rating of each.
    level
        What the ratings are: "nominal", "ordinal", "interval" or "ratio". It sets the distance of
        Krippendorff's alpha and the weights of the other coefficients.
    weights
        How far two categories agree: "none", "linear", "quadratic", "ordinal" or a table, in place of the
        one that the level suggests.
    labels
        All categories, in order; those that occur, sorted, unless given.
    group
        The cluster of each item (its document, its user): the unit of sampling.
    against
        A rater, a model that judges say, to compare with the people: is it as good as one more person?
    margin
        By how much its agreement may be lower for it to be "not worse".
    epsilon
        The allowance of the alternative annotator test: 0.2 for experts, 0.1 for crowd workers.
    confidence
        The confidence level of all intervals.

    Returns
    -------
    RaterAgreement
        Coefficients of agreement by name, each with its interval.

    Raises
    ------
    InputError
        The columns are not given in one of the two ways.
    ColumnError
        A column is not there, or is none.
    LabelError
        A rating is no label, or not among `labels`.
    LengthError
        Columns have different numbers of values.
    MissingValueError
        The group of an item is missing.
    MetricError
        `weights` are not known, or `confidence` is no share between 0 and 1.

    Examples
    --------
    >>> import assay
    >>> votes = {"ann": [1, 2, 3, 3, 2, 1, 4, 1], "bob": [1, 2, 3, 3, 2, 2, 4, 1],
    ...          "cyn": [None, 3, 3, 3, 2, 3, 4, 2]}
    >>> result = assay.agreement(votes, raters=["ann", "bob", "cyn"])
    >>> result["krippendorff_alpha"], result.items
    (0.5969 [-0.0911, 0.8992], 8)
    """
    check_confidence(confidence)
    if level not in _LEVELS:
        raise InputError(
            f'{passed("level", level)} is not known: use "nominal", "ordinal", "interval" or "ratio".'
        )
    shares: dict[str, Any] = {"margin": margin, "epsilon": epsilon}
    for name, value in shares.items():
        if not (isinstance(value, (int, float)) and 0 <= value <= 1):
            raise InputError(f"{passed(name, value)} is a share from 0 to 1.")
    tally = _tally(data, raters, (item, rater, rating), group)
    return _result(
        tally,
        _AgreementSettings(level, weights, labels, against, margin, epsilon, confidence, library_of(data)),
    )


class _AgreementSettings(NamedTuple):
    level: str
    weights: Any
    labels: Sequence[Label] | None
    against: Any
    margin: float
    epsilon: float
    confidence: float
    library: str


def _tally(data: Any, raters: Any, long: tuple[Any, Any, Any], group: Any) -> Ratings:
    if isinstance(data, Ratings):
        return data
    given = [value is not None for value in long]
    if any(given) == (raters is not None) or any(given) != all(given):
        raise InputError(
            f"name a column of ratings for each rater with {param('raters')}, or, where each row is one "
            f"rating, {param('item')}, {param('rater')} and {param('rating')}."
        )
    table = None if data is None else Table(data)

    def column(value: Any) -> Any:
        return (
            table.column(value)
            if table is not None and (isinstance(value, str) or table.has(value))
            else value
        )

    cluster = None if group is None else column(group)
    if raters is None:
        return Ratings.of_long(*map(column, long), group=cluster)
    named = raters if isinstance(raters, Mapping) else _named(raters, table)
    if len(named) < _MIN_RATERS:
        raise InputError(f"agreement needs two raters or more: {param('raters')} names {len(named)}.")
    return Ratings.of({name: column(value) for name, value in named.items()}, group=cluster)


def _named(raters: Any, table: Table | None) -> dict[Any, Any]:
    """Return columns by rater: of names, of a list of columns, or of a two-dimensional array."""
    if table is not None:
        if isinstance(raters, str):
            raise InputError(f"{passed('raters', raters)} is one column: name two or more.")
        if len(set(raters)) < len(raters):
            raise InputError(f"{param('raters')} names a column twice.")
        return {name: name for name in raters}
    array = raters if isinstance(raters, (list, tuple)) else np.asarray(raters)
    columns = list(array) if isinstance(array, (list, tuple)) else list(array.T)
    width = len(str(len(columns)))
    return {f"rater {index + 1:0{width}d}": values for index, values in enumerate(columns)}


def _result(tally: Ratings, settings: _AgreementSettings) -> RaterAgreement:
    confidence, notes = settings.confidence, []
    categories, order = _categories(tally, settings.labels)
    judge = _judge(tally, settings.against)
    if tally.raters and len(tally.raters) < _MIN_RATERS:
        raise InputError(f"agreement needs two raters or more: {shown(tally.raters)} is the only one.")
    clusters = tally.clusters if tally.groups else None
    whole = RatingCounts.of(tally, order, len(categories))
    counts = whole if judge is None else whole.without_rater(judge)
    _check_overlap(counts, judge)
    numbers = _numbers(categories)
    scheme = _LEVELS[settings.level] if settings.weights is None else settings.weights
    if numbers is None:
        _check_words(settings, scheme, categories)
    small = len(categories) <= MAX_CATEGORIES
    ranks = isinstance(scheme, str) and scheme == "ordinal"
    agree = agreement_weights(len(categories), scheme, None if ranks else numbers) if small else None
    if agree is not None and not (np.array_equal(agree, agree.T) and (np.diag(agree) == 1).all()):
        raise InputError(f"{param('weights')} are a symmetric table with 1 on the diagonal: full agreement.")
    if not small:
        notes.append(
            f"{len(categories):,} different ratings are too many for kappas, pairs of raters and a judge: "
            f"{MAX_CATEGORIES} are the limit."
        )
    if settings.labels is None and small and settings.level == "nominal":
        occurring = count_of(len(categories), "category occurs", "categories occur")
        notes.append(f"{occurring}: AC1 and Brennan-Prediger depend on how many there are.")
    estimator = CoefficientEstimator(counts, clusters, confidence)
    estimates, tests = coefficients(estimator, agree, settings.level, numbers, scheme)
    n = int(counts.counts[counts.ratings > 0].sum())
    if n < _MIN_ITEMS:
        items = count_of(n, "item is", "items are")
        notes.append(f"{items} few: intervals from fewer than {_MIN_ITEMS} are rough.")
    people = [index for index in range(len(tally.raters)) if index != judge]
    numeric = numeric_coefficients(counts, people, numbers, settings.level, confidence)
    estimates |= numeric.estimates
    tests |= numeric.tests
    notes += numeric.notes
    by_category: dict[Label, Estimate] = {}
    by_rater: dict[Label, JudgeComparison] = {}
    pairs: tuple[RaterPair, ...] = ()
    compared = None
    if small and agree is not None:
        options = {"margin": settings.margin, "epsilon": settings.epsilon, "confidence": confidence}
        if settings.level == "nominal" and len(categories) > _MIN_RATERS:
            by_category = {
                label: estimator.estimate(counts.collapsed(index).fleiss(_NOMINAL_PAIR), (-1, 1))
                for index, label in enumerate(categories)
            }
        if len(people) * (len(people) - 1) // 2 <= MANY_PAIRS:
            pairs = pairs_of_raters(counts, tally.raters, people, agree)
            if len(people) > _MIN_RATERS:
                by_rater = {
                    tally.raters[index]: compare_judge(
                        counts, clusters, index, tally.raters, agree, **options
                    )
                    for index in people
                }
        if judge is not None:
            compared = compare_judge(whole, clusters, judge, tally.raters, agree, **options)
    return RaterAgreement(
        estimates, tests, by_category, pairs, by_rater, compared, settings.level,
        scheme if isinstance(scheme, str) else "table", n, int(counts.counts @ counts.ratings),
        tuple(tally.raters[index] for index in people), categories, confidence, tuple(notes),
        settings.library,
    )  # fmt: skip


def _check_overlap(counts: RatingCounts, judge: int | None) -> None:
    if not (counts.ratings > 0).any():
        raise LengthError("there are no ratings.")
    if judge is not None and not (counts.ratings >= _MIN_RATERS).any():
        raise InputError(
            "no item was rated by two people beside the judge, which is compared with how they agree: leave "
            f"{param('against')} out for the agreement of a judge with one person."
        )


def _check_words(settings: _AgreementSettings, scheme: Any, categories: tuple[Any, ...]) -> None:
    """Refuse words where numbers are needed, or an order that nobody stated."""
    if settings.level in ("interval", "ratio"):
        raise InputError(
            f"{passed('level', settings.level)} needs ratings that are numbers, and these are "
            f"{shown(categories)}."
        )
    if settings.labels is None and (
        settings.level == "ordinal" or (isinstance(scheme, str) and scheme != "none")
    ):
        raise InputError(
            f"the categories are {shown(categories)}: say their order, from lowest to highest, with "
            f"{param('labels')}."
        )


_NOMINAL_PAIR = 1 - np.eye(2)


def _categories(tally: Ratings, labels: Sequence[Label] | None) -> tuple[tuple[Any, ...], list[int] | None]:
    """Return all categories in order, and where those of the tally stand among them."""
    if labels is None:
        return tally.categories, None
    declared = tuple(plain_label(label) for label in labels)
    missing = [value for value in tally.categories if value not in declared]
    if missing or len(set(declared)) < len(declared):
        raise InputError(
            f"{param('labels')} must name every category: {shown(missing)} is not among {shown(declared)}."
            if missing
            else f"{param('labels')} names a category twice."
        )
    return declared, [declared.index(value) for value in tally.categories]


def _judge(tally: Ratings, against: Any) -> int | None:
    if against is None:
        return None
    name = plain_label(against)
    if name not in tally.raters:
        raise InputError(f"{passed('against', against)} is not one of the raters: {shown(tally.raters)}.")
    return tally.raters.index(name)


def _numbers(categories: tuple[Any, ...]) -> NDArray[np.float64] | None:
    if any(isinstance(value, str) for value in categories):
        return None
    numbers = np.array(categories, dtype=np.float64)
    largest = float(np.abs(numbers).max(initial=0.0))
    # By a power of two, so that squares neither overflow nor vanish and nothing is rounded.
    return np.ldexp(numbers, -math.frexp(largest)[1])
