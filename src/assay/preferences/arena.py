"""An arena: models ranked by who won which comparison, with honest intervals of strengths and ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.errors import InputError, LengthError, shown, suggest_keywords
from assay.formatting.frame_output import library_of
from assay.formatting.numbers import count_of
from assay.hints import param, passed
from assay.inference.distributions import student_quantile
from assay.inference.estimate import Estimate
from assay.inference.formulas.paired_comparisons import (
    ComparisonData,
    StrengthFit,
    components,
    fit_strengths,
    identified,
    pair_fit,
)
from assay.inference.formulas.proportions import check_confidence, normal_quantile
from assay.inference.test_result import TestResult
from assay.inputs import column, encode
from assay.inputs.frames import Table
from assay.preferences.arena_result import Arena
from assay.tallies import Preferences
from assay.tallies.preferences import TIE, outcomes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["arena"]

_FEW_CLUSTERS = 30


@suggest_keywords
def arena(
    data: Any = None,
    *,
    left: Any = None,
    right: Any = None,
    winner: Any = None,
    group: Any = None,
    covariates: Sequence[str] | Mapping[str, Any] | None = None,
    position: bool = True,
    ties: str | None = None,
    ridge: float | None = None,
    seed: int = 0,
    confidence: float = 0.95,
) -> Arena:
    """Rank models by pairwise preferences: Bradley-Terry, with ties Davidson's model.

    Parameters
    ----------
    data
        A data frame or dict of columns, one row per comparison; or a :class:`assay.Preferences` tally.
    left, right
        The two models of each comparison, in the order in which they were shown.
    winner
        "left", "right" or "tie" (or a, b; model_a, model_b), the winner's name, or 1, 0 and 0.5.
    group
        Comparisons that belong together, of one prompt or by one user: errors allow for it.
    covariates
        Differences of left and right in length, style and the like: columns that are held fixed.
    position
        Whether being left may help. False where the order of the columns means nothing.
    ties
        "davidson" (the default where there are ties), "rao-kupper", or "half" a win for each.
    ridge
        A penalty on squared strengths; by default 0.1 where somebody never lost, and none elsewhere.
    seed
        Where random draws begin: the same seed gives the same result.
    confidence
        The confidence level of all intervals.

    Returns
    -------
    Arena
        Ratings, ranks and probabilities of winning, with intervals.

    Raises
    ------
    InputError
        `left`, `right` or `winner` is missing, or `ties` is not known.
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
    >>> games = {"left": list("abacbcabac"), "right": list("bacbcabcbb"),
    ...          "winner": [1, 0, 1, 0, 0.5, 0, 1, 1, 0, 1]}
    >>> result = assay.arena(games, left="left", right="right", winner="winner")
    >>> result.ranks["a"], result.tied_with_best
    ((1, 3), ['a', 'b', 'c'])
    """
    check_confidence(confidence)
    penalty: Any = ridge
    if penalty is not None and not (isinstance(penalty, (int, float)) and 0 < penalty < math.inf):
        raise InputError(
            f"{passed('ridge', ridge)} is a number above 0: leave it out for none where strengths are finite."
        )
    if ties is not None and ties not in ("davidson", "rao-kupper", "half"):
        raise InputError(f'{passed("ties", ties)} is not known: use "davidson", "rao-kupper" or "half".')
    columns = np.zeros((0, 0))
    names: tuple[str, ...] = ()
    if isinstance(data, Preferences):
        tally, entries = data, None
    else:
        if left is None or right is None or winner is None:
            raise InputError(f"an arena needs {param('left')}, {param('right')} and {param('winner')}.")
        table = None if data is None else Table(data)

        def take(value: Any) -> Any:
            named = table is not None and (isinstance(value, str) or table.has(value))
            return table.column(value) if named and table is not None else value

        roles = [take(value) for value in (left, right, winner)]
        cluster = None if group is None else take(group)
        tally = Preferences.of(*roles, group=cluster)
        entries = None
        if covariates is not None:
            names, columns = _covariates(covariates, take, len(column(roles[0], "left")))
            entries = _row_entries(roles, cluster, tally)
    if not tally.n:
        raise LengthError("there are no comparisons.")
    settings = _ArenaSettings(ties, ridge, position, seed, confidence, library_of(data))
    return _fit(tally, settings, names, columns, entries)


class _ArenaSettings(NamedTuple):
    ties: str | None
    ridge: float | None
    position: bool
    seed: int
    confidence: float
    library: str


class _Comparisons(NamedTuple):
    """Comparisons one by one, or cells that stand for several."""

    cluster: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    outcome: NDArray[np.int64]
    counts: NDArray[np.float64]


def _row_entries(roles: list[Any], cluster: Any, tally: Preferences) -> _Comparisons:
    """Return each row's own entry: one tally per row, coded as the whole is."""
    coded = []
    for values, name in zip(roles[:2], ("left", "right"), strict=True):
        codes, labels = encode(column(values, name))
        coded.append(np.array([tally.models.index(label) for label in labels], dtype=np.int64)[codes])
    result = outcomes(roles[2], coded[0], coded[1], tally.models)
    groups = np.zeros(len(result), np.int64)
    if cluster is not None:
        codes, labels = encode(column(cluster, "group"))
        groups = np.array([tally.groups.index(label) for label in labels], dtype=np.int64)[codes]
    return _Comparisons(groups, coded[0], coded[1], result, np.ones(len(result)))


def _covariates(covariates: Any, take: Any, n: int) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return the names of covariates and their values, in standard deviations."""
    listed = [covariates] if isinstance(covariates, str) else covariates
    named = listed if hasattr(listed, "items") else {str(name): name for name in listed}
    parts = []
    for name, value in named.items():
        numbers = np.asarray(column(take(value), str(name)).numbers("differences"), dtype=np.float64)
        if len(numbers) != n:
            raise LengthError(
                f"{name} has {count_of(len(numbers), 'value')} for {count_of(n, 'comparison')}."
            )
        if not np.isfinite(numbers).all():
            raise InputError(f"{name} has a value that is missing or infinite.")
        # By a power of two, so that squares neither overflow nor vanish and nothing is rounded.
        numbers = np.ldexp(numbers, -math.frexp(float(np.abs(numbers).max(initial=0.0)))[1])
        spread = float(numbers.std())
        if not spread > 0:
            raise InputError(f"{name} is the same in every comparison: leave it out.")
        parts.append(numbers / spread)
    return tuple(map(str, named)), np.stack(parts, axis=1)


def _fit(
    tally: Preferences,
    settings: _ArenaSettings,
    names: tuple[str, ...],
    columns: NDArray[np.float64],
    entries: Any,
) -> Arena:
    notes: list[str] = []
    if entries is None:
        entries = _Comparisons(*tally.parts(), tally.counts.astype(np.float64))
    tied = float(entries.counts[entries.outcome == TIE].sum())
    total = float(entries.counts.sum())
    if tied == total:
        raise InputError("every comparison is a tie: the models cannot be told apart.")
    model = "bradley-terry" if not tied else settings.ties or "davidson"
    clusters = entries.cluster if tally.groups else None
    design = columns if names else np.zeros((len(entries.left), 0))
    data = ComparisonData(
        len(tally.models), entries.left, entries.right, entries.outcome, entries.counts, design, clusters
    )
    weak, component, strong = components(data)
    if weak > 1:
        others = [tally.models[index] for index in np.flatnonzero(component != component[0])]
        raise InputError(
            f"{shown(others)} never met the other models, so nothing links their strengths: rank them apart."
        )
    if names and not identified(data):
        raise InputError(
            f"{shown(names)} cannot be told apart from the strengths, or from each other: leave a column out."
        )
    with_position = settings.position
    if with_position:
        trial = data._replace(columns=np.column_stack([np.ones(len(entries.left)), design]))
        with_position = identified(trial)
        if with_position:
            data = trial
        else:
            notes.append("position and strengths cannot be told apart here: position is left out.")
    if clusters is not None and len(np.unique(clusters)) == 1:
        raise InputError(
            f"all comparisons are in one group, which shows no spread: leave {param('group')} out, or name a "
            "column of two groups or more."
        )
    fit = fit_strengths(data, model, ridge=settings.ridge)
    separated = fit.ridge > 0 and settings.ridge is None
    if separated:
        why = (
            "some models never lost to the others" if strong > 1 else "the winners can be told without error"
        )
        notes.append(
            f"separated: {why}, so no finite strength fits best. A penalty of "
            "0.1 on squared strengths keeps them finite, and the intervals are by the penalized likelihood."
        )
    elif fit.ridge > 0:
        notes.append(
            f"A penalty of {fit.ridge:g} on squared strengths: the intervals are by the penalized likelihood."
        )
    if fit.ridge > 0 and clusters is not None:
        notes.append("Intervals by the penalized likelihood do not allow for groups.")
    few = clusters is not None and fit.clusters < _FEW_CLUSTERS
    df = float(fit.clusters - 1) if few else None
    if few:
        notes.append(f"{count_of(fit.clusters, 'group is', 'groups are')} few: intervals are by Student's t.")
    return _result(
        tally, settings, data, fit, _FitNotes(model, names, with_position, separated, df, int(tied), notes)
    )


class _FitNotes(NamedTuple):
    model: str
    names: tuple[str, ...]
    with_position: bool
    separated: bool
    df: float | None
    ties: int
    notes: list[str]


def _result(
    tally: Preferences, settings: _ArenaSettings, data: ComparisonData, fit: StrengthFit, about: _FitNotes
) -> Arena:
    size, confidence = data.size, settings.confidence
    quantile = student_quantile(confidence, about.df) if about.df else normal_quantile(confidence)
    effects, method = [], "penalized" if fit.ridge > 0 else "sandwich"
    for index, value in enumerate(fit.coefficients.tolist()):
        error = float(np.sqrt(max(fit.covariance[size + index, size + index], 0.0)))
        limits = value - quantile * error, value + quantile * error
        effects.append(Estimate(value, *limits, confidence, method, tally.n, "", error))
    position = effects.pop(0) if about.with_position else None
    covariance = fit.covariance[:size, :size]
    rates, meetings = _win_rates(tally)
    statistic, df, p = pair_fit(data, fit.expected)
    test = TestResult("observed against expected wins of all pairs", statistic if df else None, df or None, p)
    return Arena(
        tally.models, fit.strengths, covariance, position,
        dict(zip(about.names, effects, strict=True)), fit.tie, about.ties, tally.n,
        fit.clusters if tally.groups else None, about.df, about.model, about.separated, rates, meetings, test,
        _order_flips(tally), fit.log_likelihood, settings.seed, confidence, tuple(about.notes),
        settings.library,
    )  # fmt: skip


def _win_rates(tally: Preferences) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return each model's share of wins against each other one, NaN where they never met, and meetings."""
    size = len(tally.models)
    _, left, right, outcome = tally.parts()
    points = np.zeros((size, size))
    meetings = np.zeros((size, size), dtype=np.int64)
    np.add.at(points, (left, right), tally.counts * (1 - outcome / 2))
    np.add.at(points, (right, left), tally.counts * outcome / 2)
    np.add.at(meetings, (left, right), tally.counts)
    np.add.at(meetings, (right, left), tally.counts)
    rates = np.divide(points, meetings, out=np.full((size, size), np.nan), where=meetings > 0)
    return rates, meetings


def _order_flips(tally: Preferences) -> tuple[int, int]:
    """Return of how many pairs shown once in each order, in one group, the same side won both times."""
    if not tally.groups:
        return 0, 0
    cluster, left, right, outcome = tally.parts()
    size = len(tally.models)
    pair = (cluster * size + np.minimum(left, right)) * size + np.maximum(left, right)
    keys, first, entries = np.unique(2 * pair + (left < right), return_index=True, return_counts=True)
    once = (entries == 1) & (tally.counts[first] == 1)
    pairs, verdicts, forward = keys[once] // 2, outcome[first[once]], keys[once] % 2 == 1
    _, one, other = np.intersect1d(pairs[forward], pairs[~forward], return_indices=True)
    verdict, mirrored = verdicts[forward][one], verdicts[~forward][other]
    return int(np.count_nonzero((verdict == mirrored) & (verdict != TIE))), len(one)
