"""Prediction-powered inference: few labels by people and many by a proxy, for any metric with influences.

Angelopoulos et al. 2023, PPI++ 2023: the two-phase regression estimator (Cochran 1977) on influences. Nothing
is assumed about the proxy's quality; labelled rows must be a random sample, or have known probabilities.
Two classes have the joint table (Tenenbein 1970), which uses what the predictions say of the labels, too.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.inference.distributions import normal_p

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = [
    "JointTable",
    "PoweredEstimate",
    "joint_table",
    "one_step",
    "one_step_stratified",
    "one_step_weighted",
    "rogan_gladen",
]

_NOTHING = 1e-9  # of the labels' variance: what a proxy leaves that explains every labelled row
_SMOOTHING = 0.25


class PoweredEstimate(NamedTuple):
    """What a proxy adds to the labels: the shift of the estimate, its error, and what it rests on.

    ``tuning`` is lambda of each proxy, ``effective_labels`` how many labels alone would be as precise,
    ``explained`` the share of the labels' variance that the proxy explains. ``balance_p`` tests whether
    labelled rows look like all rows to the proxy.
    """

    shift: float
    error: float
    df: float
    tuning: tuple[float, ...]
    effective_labels: float
    explained: float
    labels_error: float
    large_sample_error: float
    rows_error: float
    balance_p: float


def one_step(
    human: NDArray[np.float64],
    proxy: NDArray[np.float64],
    size: float,
    counts: NDArray[np.float64] | None = None,
) -> PoweredEstimate | None:
    """Return the prediction-powered estimate of rows that were labelled at random.

    `human` has the influence of each labelled row on the metric with people's labels (psi, mean 0), `proxy`
    that of the same rows on the metric of all `size` rows with the proxy's labels, a column for each proxy.
    `counts` are the numbers of rows where entries stand for several. None where no proxy varies.
    """
    a = proxy.reshape(len(proxy), -1)
    order = np.lexsort((human, *a.T))  # sums then have the same bits however the rows were ordered
    human, a = human[order], a[order]
    weight = np.ones(len(human)) if counts is None else counts[order]
    n, count = float(weight.sum()), a.shape[1]
    mean = (weight[:, None] * a).sum(axis=0) / n
    centred = a - mean
    squares = (weight[:, None] * centred**2).sum(axis=0)
    if not squares.any():
        return None
    if count == 1:
        tuning = (weight * human * centred[:, 0]).sum(keepdims=True) / squares
        residual = human - centred[:, 0] * tuning[0]
    else:
        root = np.sqrt(weight)
        tuning = np.linalg.lstsq(centred * root[:, None], human * root, rcond=None)[0]
        residual = human - (centred * tuning).sum(axis=1)
    labels, rest = float((weight * human**2).sum()) / n, float((weight * residual**2).sum()) / n
    share = n / size
    variance = ((1 - share) * rest + share * labels) / n
    scale = n / (n - count - 1) if n > count + 1 else math.inf
    spread = float((weight * residual**4).sum()) / n / (n * rest**2) - 1 / n if rest > 0 else 0.0
    balance = math.nan
    if n < size and count == 1:
        error = math.sqrt((1 / n - 1 / size) * float(squares[0]) / n)
        balance = normal_p(float(mean[0]) / error) if error > 0 else math.nan
    return PoweredEstimate(
        -float((tuning * mean).sum()), math.sqrt(variance * scale), 2 / spread if spread > 0 else math.inf,
        tuple(tuning.tolist()), labels / variance if variance > 0 else math.inf,
        1 - rest / labels if labels > 0 else 0.0, math.sqrt(labels / n), math.sqrt(variance),
        math.sqrt((1 - share) * rest / n * scale), balance,
    )  # fmt: skip


def one_step_weighted(  # noqa: PLR0917 - two sides, each with its weights
    human: NDArray[np.float64],
    weight: NDArray[np.float64],
    proxy: NDArray[np.float64],
    all_weight: NDArray[np.float64],
    labelled: NDArray[np.int64],
    clusters: NDArray[np.int64] | None = None,
) -> PoweredEstimate | None:
    """Return the estimate of rows with weights, known probabilities of being labelled, or clusters.

    `weight` are the labelled rows' weights over their probabilities, `all_weight` those of all rows. Rows
    without clusters are clusters of one.
    """
    total, total_all = float(weight.sum()), float(all_weight.sum())
    mean = float(weight @ proxy[labelled]) / total
    own = np.zeros(len(proxy))
    own[labelled] = weight * human / total
    gap = all_weight * proxy / total_all
    gap[labelled] -= weight * (proxy[labelled] - mean) / total
    if clusters is not None:
        used = np.bincount(clusters) > 0
        own, gap = (np.asarray(np.bincount(clusters, part)[used], np.float64) for part in (own, gap))
    groups = len(own)
    squares = float(gap @ gap)
    if not squares > 0 or groups < 2:  # noqa: PLR2004
        return None
    tuning = -float(own @ gap) / squares
    sums = own + tuning * gap
    variance, labels = float(sums @ sums), float(own @ own)
    factor = groups / (groups - 1)
    spread = float((sums**4).sum()) / variance**2 - 1 / groups if variance > 0 else 0.0
    df = min(groups - 1.0, 2 / spread if spread > 0 else math.inf)
    return PoweredEstimate(
        -tuning * mean, math.sqrt(factor * variance), df, (tuning,),
        len(labelled) * labels / variance if variance > 0 else math.inf,
        1 - variance / labels if labels > 0 else 0.0, math.sqrt(factor * labels), math.sqrt(variance),
        math.nan, math.nan,
    )  # fmt: skip


class StratifiedEstimate(NamedTuple):
    """The estimate of labels drawn at fixed numbers from strata, as a shift, with its errors."""

    shift: float
    tuning: float
    error: float
    labels_error: float
    rows_error: float


def one_step_stratified(
    human: NDArray[np.float64],
    proxy: NDArray[np.float64],
    proxy_mean: NDArray[np.float64],
    stratum: NDArray[np.int64],
    sizes: NDArray[np.float64],
) -> StratifiedEstimate:
    """Return the estimate of labels of which a fixed number was drawn from each stratum.

    `human` and `proxy` are influences of the labelled rows (psi), `proxy_mean` the mean of the proxy's over
    all rows of each stratum, `sizes` the number of rows of each.
    """
    total = float(sizes.sum())
    counts = np.bincount(stratum, minlength=len(sizes)).astype(np.float64)
    weight = (sizes / counts)[stratum]
    b, c = human / total, proxy / total
    finite = (1 - counts / sizes) * counts / np.maximum(counts - 1, 1)

    def within(values: NDArray[np.float64]) -> NDArray[np.float64]:
        means = np.bincount(stratum, values, len(sizes)) / counts
        return np.asarray(values - means[stratum])

    factor = finite[stratum] * weight**2
    db, dc = within(b), within(c)
    squares = float(factor @ dc**2)
    tuning = float(factor @ (db * dc)) / squares if squares > 0 else 0.0
    rows = float(weight @ b**2)
    labels, rest = float(factor @ db**2), float(factor @ (db - tuning * dc) ** 2)
    own = np.bincount(stratum, proxy, len(sizes)) / counts
    shift = -tuning * float(sizes @ (own - proxy_mean)) / total
    return StratifiedEstimate(
        shift, tuning, math.sqrt(rows + rest), math.sqrt(rows + labels), math.sqrt(rest)
    )


class JointTable(NamedTuple):
    """The metric of the table that people's labels on all rows are expected to give, with its error."""

    estimate: float
    error: float
    large_sample_error: float
    empty_share: float


def joint_table(
    labelled: NDArray[np.float64],
    everything: NDArray[np.float64],
    read: Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]] | None],
) -> JointTable | None:
    """Return the post-stratified estimate of a metric of two classes.

    `labelled` counts labelled rows by human label, proxy and prediction, `everything` all rows by proxy and
    prediction. `read` gives the metric's value and influence at a table of shares, human label by prediction.
    The error is that of the table with a quarter of a row more in each cell.
    """
    shares = everything / everything.sum()
    strata = labelled.sum(axis=0)
    empty = float(shares[(strata == 0) & (shares > 0)].sum())
    chance = np.divide(labelled, strata, out=np.full_like(labelled, 0.5), where=strata > 0)
    value_and_slopes = read((shares * chance).sum(axis=1))
    if value_and_slopes is None:
        return None
    errors = []
    for counts in (labelled + _SMOOTHING, labelled):
        size = counts.sum(axis=0)
        chance = np.divide(counts, size, out=np.full_like(counts, 0.5), where=size > 0)
        at = read((shares * chance).sum(axis=1))
        if at is None:
            return None
        q = at[1][:, None, :]  # by human label and prediction, the same for every proxy label
        mean = (chance * q).sum(axis=0)
        spread = (chance * q**2).sum(axis=0) - mean**2
        first = np.divide(shares**2 * spread, size, out=np.zeros_like(size), where=size > 0)
        errors.append(math.sqrt(max(float(first.sum() + (shares * mean**2).sum() / everything.sum()), 0.0)))
    return JointTable(value_and_slopes[0], errors[0], errors[1], empty)


def rogan_gladen(share: float, sensitivity: float, specificity: float) -> float:
    """Return the prevalence from a proxy's share of positives and its rates on another sample (1978).

    NaN where the proxy is no better than chance; limited to 0 and 1.

    >>> round(rogan_gladen(0.3, 0.9, 0.8), 6)
    0.142857
    """
    gain = sensitivity + specificity - 1
    return min(max((share + specificity - 1) / gain, 0.0), 1.0) if gain > 0 else math.nan
