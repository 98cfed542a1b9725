"""Strengths of models from pairwise preferences: Bradley-Terry, and with ties Davidson or Rao-Kupper.

Bradley and Terry 1952; Davidson 1970; Rao and Kupper 1967; Ford 1957 on when a finite fit exists. Errors are
the sandwich, by comparison or by cluster.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.errors import InputError
from assay.inference.distributions import chi_square_p
from assay.metrics import Undefined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.metrics import Value

__all__ = [
    "MODELS",
    "ComparisonData",
    "StrengthFit",
    "components",
    "fit_strengths",
    "identified",
    "pair_fit",
]

MODELS = ("bradley-terry", "davidson", "rao-kupper", "half")
_STEPS = 200
_TOLERANCE = 1e-10
_RIDGE = 0.1
_RANK = 1e-9
_SEPARATED = 1e-6  # information of some direction, below which its estimate has run away


class ComparisonData(NamedTuple):
    """Comparisons, or entries that stand for several: left, right, outcome (0 left, 1 tie, 2 right), number.

    ``columns`` are what else moves the odds of left (one for its position, style): a row per entry.
    ``clusters`` is None where every comparison stands for itself.
    """

    size: int
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    outcome: NDArray[np.int64]
    counts: NDArray[np.float64]
    columns: NDArray[np.float64]
    clusters: NDArray[np.int64] | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class StrengthFit:
    """Log strengths that add up to 0, coefficients of the columns, the tie parameter, and their covariances.

    ``covariance`` is that of the strengths and coefficients together, by the sandwich, or by the penalized
    information where the fit is separated; ``model_covariance`` is by the information.
    """

    strengths: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    tie: float | None
    covariance: NDArray[np.float64]
    model_covariance: NDArray[np.float64]
    log_likelihood: float
    ridge: float
    clusters: int
    expected: NDArray[np.float64]


class _Terms(NamedTuple):
    """Entry by entry: log likelihood, its derivatives by margin and tie parameter, and information."""

    value: NDArray[np.float64]
    by_margin: NDArray[np.float64]
    by_tie: NDArray[np.float64]
    margin_margin: NDArray[np.float64]
    margin_tie: NDArray[np.float64]
    tie_tie: NDArray[np.float64]
    left: NDArray[np.float64]


def components(data: ComparisonData) -> tuple[int, NDArray[np.int64], int]:
    """Return the number of groups of models that met, each model's group, and the number of strong ones.

    More than one strong component: someone never lost to the rest, and no finite strength exists (Ford 1957).
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 - SciPy takes its time to load
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    won = data.outcome != 2  # noqa: PLR2004 - left won, or a tie
    lost = data.outcome != 0
    winners = np.concatenate([data.left[won], data.right[lost]])
    losers = np.concatenate([data.right[won], data.left[lost]])
    graph = coo_array((np.ones(len(winners)), (winners, losers)), shape=(data.size, data.size)).tocsr()
    weak, labels = connected_components(graph, directed=True, connection="weak")
    strong, _ = connected_components(graph, directed=True, connection="strong")
    return int(weak), labels.astype(np.int64), int(strong)


def fit_strengths(data: ComparisonData, model: str, *, ridge: float | None = None) -> StrengthFit:
    """Return the strengths of maximum likelihood by Newton's method.

    `ridge` adds half of it times the squared strengths to minus the log likelihood: unless given, 0.1 where
    the fit is separated and 0 elsewhere. Models that all lost once can still be separated: where those who
    win never lose but tie, or where the position or a column decides alone. Then nothing is left to learn in
    some direction, and its coefficients are penalized as well.
    """
    if ridge is not None:
        return _fit_penalized(data, model, ridge)[0]
    fit, separated = _fit_penalized(data, model, _RIDGE if components(data)[2] > 1 else 0.0)
    if separated:
        fit, separated = _fit_penalized(data, model, _RIDGE)
    return _fit_penalized(data, model, _RIDGE, all_columns=True)[0] if separated else fit


def _fit_penalized(
    data: ComparisonData, model: str, ridge: float, *, all_columns: bool = False
) -> tuple[StrengthFit, bool]:
    """Return the fit with a penalty on strengths (and columns), and whether some estimate ran away."""
    size, extra = data.size, data.columns.shape[1]
    has_tie = model in ("davidson", "rao-kupper")
    theta = np.zeros(size + extra + has_tie)
    if has_tie:
        theta[-1] = 0.5
    penalty = np.zeros(len(theta))
    penalty[: size + extra if all_columns else size] = ridge
    unit = np.zeros(len(theta))
    unit[:size] = 1 / math.sqrt(size)
    terms, value = _evaluate(data, model, theta, penalty)
    information = _information(data, terms, penalty, has_tie=has_tie)
    for _ in range(_STEPS):
        gradient = _gradient(data, terms, has_tie=has_tie) - penalty * theta
        if not np.abs(gradient).max(initial=0.0) > _TOLERANCE * max(float(data.counts.sum()), 1.0):
            break
        try:
            step = np.linalg.solve(information + np.outer(unit, unit), gradient)
        except np.linalg.LinAlgError:
            raise InputError("the comparisons cannot tell the effects apart: leave a column out.") from None
        factor, trial = 1.0, None
        while factor > _TOLERANCE:
            trial = _evaluate(data, model, theta + factor * step, penalty)
            if trial[1] >= value - _TOLERANCE * abs(value):
                break
            factor /= 2
        if trial is None:
            break
        theta = theta + factor * step
        theta[:size] -= theta[:size].mean()
        terms, value = _evaluate(data, model, theta, penalty)
        information = _information(data, terms, penalty, has_tie=has_tie)
    # Strengths add up to 0: what the penalty says of their common level is left out.
    inverse = np.linalg.inv(information + np.outer(unit, unit)) - np.outer(unit, unit) / (1 + ridge)
    keep = size + extra
    plain = inverse[:keep, :keep]
    middle, clusters = _middle(data, terms, has_tie=has_tie)
    sandwich = (inverse @ middle @ inverse)[:keep, :keep] * clusters / max(clusters - 1, 1)
    tie = math.exp(theta[-1]) if has_tie else None
    log_likelihood = float(data.counts @ terms.value)
    smallest_eigenvalue = float(np.linalg.eigvalsh(information + np.outer(unit, unit))[0])
    separated = not smallest_eigenvalue > max(_SEPARATED, 10 * _TOLERANCE * float(data.counts.sum()))
    return StrengthFit(
        theta[:size], theta[size:keep], tie, plain if ridge else sandwich, plain, log_likelihood, ridge,
        clusters, terms.left,
    ), separated  # fmt: skip


def _evaluate(
    data: ComparisonData, model: str, theta: NDArray[np.float64], penalty: NDArray[np.float64]
) -> tuple[_Terms, float]:
    strengths = theta[: data.size]
    coefficients = theta[data.size : data.size + data.columns.shape[1]]
    margin = strengths[data.left] - strengths[data.right] + data.columns @ coefficients
    make = {"davidson": _davidson, "rao-kupper": _rao_kupper}.get(model, _bradley_terry)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        terms = make(margin, float(theta[-1]), data.outcome)
    value = float(data.counts @ terms.value) - float(penalty @ theta**2) / 2
    return terms, value if math.isfinite(value) else -math.inf


def _sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(0.5 * (1 + np.tanh(x / 2)))


def _bradley_terry(margin: NDArray[np.float64], _: float, outcome: NDArray[np.int64]) -> _Terms:
    """Return the terms of Bradley-Terry; a tie is half a win for each."""
    won = 1 - outcome / 2
    p, zero = _sigmoid(margin), np.zeros(len(margin))
    value = won * margin - np.logaddexp(0, margin)
    return _Terms(value, won - p, zero, p * (1 - p), zero, zero, p)


def _davidson(margin: NDArray[np.float64], log_nu: float, outcome: NDArray[np.int64]) -> _Terms:
    half, sign, tied = margin / 2, 1 - outcome, (outcome == 1).astype(np.float64)
    normal = np.logaddexp(np.logaddexp(half, -half), log_nu)
    left, right, tie = np.exp(half - normal), np.exp(-half - normal), np.exp(log_nu - normal)
    lead = left - right
    value = sign * half + tied * log_nu - normal
    return _Terms(
        value, (sign - lead) / 2, tied - tie, (left + right - lead**2) / 4, -lead * tie / 2, tie * (1 - tie),
        left + tie / 2,
    )  # fmt: skip


def _rao_kupper(margin: NDArray[np.float64], log_theta: float, outcome: NDArray[np.int64]) -> _Terms:
    if not log_theta > 0:
        nothing = np.full(len(margin), -math.inf)
        return _Terms(*[nothing] * 7)
    a, b = _sigmoid(log_theta - margin), _sigmoid(log_theta + margin)
    has_a, has_b, tied = (outcome != 2) * 1.0, (outcome != 0) * 1.0, (outcome == 1) * 1.0  # noqa: PLR2004
    value = tied * math.log(math.expm1(2 * log_theta))
    value = value - has_a * np.logaddexp(0, log_theta - margin) - has_b * np.logaddexp(0, log_theta + margin)
    gap = -math.expm1(-2 * log_theta)
    va, vb = has_a * a * (1 - a), has_b * b * (1 - b)
    return _Terms(
        value, has_a * a - has_b * b, tied * 2 / gap - has_a * a - has_b * b, va + vb, vb - va,
        tied * 4 * math.exp(-2 * log_theta) / gap**2 + va + vb, 1 - a + (a + b - 1) / 2,
    )  # fmt: skip


def _gradient(data: ComparisonData, terms: _Terms, *, has_tie: bool) -> NDArray[np.float64]:
    weight = data.counts * terms.by_margin
    strengths = np.bincount(data.left, weight, data.size) - np.bincount(data.right, weight, data.size)
    tail = [float(data.counts @ terms.by_tie)] if has_tie else []
    return np.concatenate([strengths, data.columns.T @ weight, tail])


def _information(
    data: ComparisonData, terms: _Terms, penalty: NDArray[np.float64], *, has_tie: bool
) -> NDArray[np.float64]:
    squares = _Squares(terms.margin_margin, terms.margin_tie, terms.tie_tie)
    return _assembled(data, squares, has_tie=has_tie) + np.diag(penalty)


class _Squares(NamedTuple):
    """What products of two derivatives are worth, entry by entry."""

    margin_margin: NDArray[np.float64]
    margin_tie: NDArray[np.float64]
    tie_tie: NDArray[np.float64]


def _assembled(data: ComparisonData, squares: _Squares, *, has_tie: bool) -> NDArray[np.float64]:
    """Return the sum over entries of products of their derivatives by all parameters."""
    size, extra = data.size, data.columns.shape[1]
    matrix = np.zeros((size + extra + has_tie,) * 2)
    weight = data.counts * squares.margin_margin
    pairs = np.bincount(data.left * size + data.right, weight, size * size).reshape(size, size)
    pairs = pairs + pairs.T
    matrix[:size, :size] = np.diag(pairs.sum(axis=1)) - pairs

    def by_strength(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(
            np.bincount(data.left, values, size) - np.bincount(data.right, values, size), dtype=np.float64
        )

    for index in range(extra):
        matrix[:size, size + index] = by_strength(weight * data.columns[:, index])
    matrix[size : size + extra, size : size + extra] = (data.columns * weight[:, None]).T @ data.columns
    if has_tie:
        cross = data.counts * squares.margin_tie
        matrix[:size, -1] = by_strength(cross)
        matrix[size:-1, -1] = data.columns.T @ cross
        matrix[-1, -1] = float(data.counts @ squares.tie_tie)
    return np.triu(matrix) + np.triu(matrix, 1).T


def _middle(data: ComparisonData, terms: _Terms, *, has_tie: bool) -> tuple[NDArray[np.float64], int]:
    """Return the sum of squares of the scores, by comparison or by cluster, and the number of those."""
    if data.clusters is None:
        squares = _Squares(terms.by_margin**2, terms.by_margin * terms.by_tie, terms.by_tie**2)
        return _assembled(data, squares, has_tie=has_tie), int(data.counts.sum())
    from scipy.sparse import coo_array  # noqa: PLC0415 - SciPy takes its time to load

    weight, size, extra = data.counts * terms.by_margin, data.size, data.columns.shape[1]
    rows, columns = [data.clusters, data.clusters], [data.left, data.right]
    values = [weight, -weight]
    for index in range(extra):
        rows.append(data.clusters)
        columns.append(np.full(len(weight), size + index))
        values.append(weight * data.columns[:, index])
    if has_tie:
        rows.append(data.clusters)
        columns.append(np.full(len(weight), size + extra))
        values.append(data.counts * terms.by_tie)
    used = np.unique(data.clusters)
    shape = (int(data.clusters.max()) + 1, size + extra + has_tie)
    scores = coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape
    ).tocsr()
    return np.asarray((scores.T @ scores).todense()), len(used)


def identified(data: ComparisonData) -> bool:
    """Tell whether the comparisons can tell the effects of the columns from the strengths."""
    flat = _Squares(np.ones(len(data.left)), np.zeros(len(data.left)), np.zeros(len(data.left)))
    matrix = _assembled(data, flat, has_tie=False)
    values = np.linalg.eigvalsh(matrix)
    return bool(values[1] > _RANK * max(values[-1], 1.0))


def pair_fit(data: ComparisonData, expected: NDArray[np.float64]) -> tuple[float, int, Value]:
    """Return the chi-square of observed against expected wins of all pairs, its degrees of freedom and p."""
    low, high = np.minimum(data.left, data.right), np.maximum(data.left, data.right)
    pair = low * data.size + high
    sign = np.where(data.left < data.right, 1.0, -1.0)
    won, share = 1 - data.outcome / 2, expected
    gap = np.bincount(pair, data.counts * sign * (won - share))
    spread = np.bincount(pair, data.counts * share * (1 - share))
    met = spread > 0
    df = int(np.count_nonzero(met)) - (data.size - 1) - data.columns.shape[1]
    if df < 1:
        return math.nan, 0, Undefined("there are no more pairs than strengths")
    statistic = float((gap[met] ** 2 / spread[met]).sum())
    return statistic, df, chi_square_p(statistic, df)
