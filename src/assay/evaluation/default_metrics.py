"""Default metrics: one table by task and use, from which reports, slices, comparisons and folds choose."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from assay.metrics.spec import MetricSpec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.evaluation.task import Settings, TaskName

__all__ = ["Use", "brief_groups", "default_groups", "default_metrics", "flatten", "report_metrics"]

Use: TypeAlias = Literal["report", "full report", "slices", "comparison", "cross-validation", "highlight"]


class _Metrics(NamedTuple):
    """Metrics by what they are read from; each string is a group that a report keeps together."""

    labels: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    probabilities: tuple[str, ...] = ()


_REGRESSION = _Metrics(("mae rmse r2",))
_MULTIOUTPUT = _Metrics(("macro:mae macro:rmse macro:r2",))
_RANKING = _Metrics(scores=("ndcg mean_average_precision mean_reciprocal_rank",))
_MULTICLASS_CV = _Metrics(("accuracy balanced_accuracy kappa",))

_DEFAULTS: Mapping[str, Mapping[Use, _Metrics]] = {
    "binary": {
        "report": _Metrics(
            (
                (
                    "accuracy precision recall specificity negative_predictive_value f1 "
                    "balanced_accuracy mcc kappa"
                ),
                "prevalence detection_rate detection_prevalence",
            ),
            ("auc average_precision",),
            ("log_loss brier",),
        ),
        "full report": _Metrics(
            (
                "error_rate false_positive_rate false_negative_rate false_discovery_rate false_omission_rate",
                "informedness markedness g_mean jaccard fowlkes_mallows",
                "positive_likelihood_ratio negative_likelihood_ratio diagnostic_odds_ratio lift",
                "no_information_rate expected_agreement max_kappa gwet_ac1 scott_pi",
            ),
            (
                "gini ks equal_error_rate convex_hull_auc h_measure max_f1",
                "pr_auc_trapezoid pr_auc_integral",
            ),
            ("observed_expected_ratio cox_slope expected_calibration_error",),
        ),
        "slices": _Metrics(("accuracy precision recall",), ("auc",)),
        "comparison": _Metrics(
            ("accuracy balanced_accuracy mcc f1",), ("auc average_precision",), ("log_loss brier",)
        ),
        "cross-validation": _Metrics(("accuracy kappa",), ("auc average_precision",)),
        "highlight": _Metrics(("mcc precision recall",), ("auc",)),
    },
    "multiclass": {
        "report": _Metrics(
            ("accuracy balanced_accuracy mcc kappa macro:precision macro:f1 weighted:f1",),
            ("hand_till_auc macro_auc",),
            ("multiclass_log_loss multiclass_brier top_label_calibration_error",),
        ),
        "full report": _Metrics(
            (
                "error_rate no_information_rate macro:recall weighted:precision weighted:recall micro:f1",
                "g_mean gwet_ac1 scott_pi cramers_v mutual_information",
            )
        ),
        "slices": _Metrics(("accuracy balanced_accuracy macro:f1",), ("macro_auc",)),
        "comparison": _Metrics(
            ("accuracy balanced_accuracy mcc",), ("macro_auc",), ("multiclass_log_loss multiclass_brier",)
        ),
        "cross-validation": _MULTICLASS_CV,
        "highlight": _Metrics(("accuracy balanced_accuracy macro:f1",)),
    },
    "ordinal": {
        "report": _Metrics(
            (
                "accuracy balanced_accuracy",
                "quadratic_weighted_kappa weighted_kappa mean_absolute_rank_error",
            ),
            ("hand_till_auc macro_auc",),
            ("multiclass_log_loss multiclass_brier top_label_calibration_error",),
        ),
        "full report": _Metrics(
            (
                "error_rate no_information_rate macro:recall weighted:precision weighted:recall micro:f1",
                "g_mean gwet_ac1 scott_pi cramers_v mutual_information",
            )
        ),
        "slices": _Metrics(("accuracy quadratic_weighted_kappa mean_absolute_rank_error",)),
        "comparison": _Metrics(
            ("accuracy quadratic_weighted_kappa mean_absolute_rank_error",),
            ("macro_auc",),
            ("multiclass_log_loss multiclass_brier",),
        ),
        "cross-validation": _MULTICLASS_CV,
        "highlight": _Metrics(("quadratic_weighted_kappa mean_absolute_rank_error accuracy",)),
    },
    "multilabel": {
        "report": _Metrics(
            (
                "subset_accuracy hamming_loss",
                "micro:precision micro:recall micro:f1",
                "macro:precision macro:recall macro:f1 weighted:f1",
            ),
            ("macro_auc micro_auc weighted_auc macro:average_precision micro:average_precision",),
            ("macro:log_loss macro:brier",),
        ),
        "full report": _Metrics(("micro:jaccard macro:jaccard weighted:precision weighted:recall",)),
        "slices": _Metrics(("subset_accuracy hamming_loss micro:f1 macro:f1",), ("macro_auc",)),
        "comparison": _Metrics(("subset_accuracy hamming_loss micro:f1 macro:f1",), ("macro_auc",)),
        "cross-validation": _Metrics(
            ("subset_accuracy hamming_loss micro:f1 macro:f1",), ("macro_auc macro:average_precision",)
        ),
        "highlight": _Metrics(("subset_accuracy micro:f1 macro:f1",), ("macro_auc",)),
    },
    "regression": {
        "report": _Metrics(
            ("mae rmse mean_error median_absolute_error max_error", "r2 pearson spearman"),
        ),
        "full report": _Metrics(("mse explained_variance squared_correlation mape msle",)),
        "slices": _Metrics(("mae rmse mean_error",)),
        "comparison": _REGRESSION,
        "cross-validation": _REGRESSION,
        "highlight": _REGRESSION,
    },
    "multioutput": {
        "report": _Metrics(
            ("macro:mae macro:rmse macro:mean_error", "macro:r2 variance_weighted:r2 macro:pearson")
        ),
        "full report": _Metrics(("macro:mse macro:explained_variance macro:mape",)),
        "slices": _Metrics(("macro:mae macro:rmse macro:mean_error",)),
        "comparison": _MULTIOUTPUT,
        "cross-validation": _MULTIOUTPUT,
        "highlight": _MULTIOUTPUT,
    },
    "ranking": {
        "report": _Metrics(
            scores=(
                "ndcg mean_average_precision mean_reciprocal_rank",
                "precision_at_k recall_at_k hit_rate",
            )
        ),
        "full report": _Metrics(),
        "slices": _RANKING,
        "comparison": _RANKING,
        "cross-validation": _RANKING,
        "highlight": _RANKING,
    },
}

# A summary of one screen leaves these out: the heading has the share of positives, the full text all of them.
_LONG_REPORT_ONLY = frozenset(
    ("prevalence", "detection_rate", "detection_prevalence", "top_label_calibration_error")
)
_CALIBRATION = "observed_expected_ratio"  # which a summary of one screen has beside the report's metrics


def default_groups(
    task: str, use: Use, *, labels: bool = True, scores: bool = True, probabilities: bool = True
) -> list[list[MetricSpec]]:
    """Return the default metrics of a task for a use, in groups: those that the columns at hand allow.

    >>> [[spec.name for spec in group] for group in default_groups("regression", "report")]
    [['mae', 'rmse', 'mean_error', 'median_absolute_error', 'max_error'], ['r2', 'pearson', 'spearman']]
    """
    metrics = _DEFAULTS[task][use]
    if task in ("regression", "multioutput", "ranking"):  # their metrics are read from whatever there is
        return [_specs(line) for line in metrics.labels + metrics.scores]
    lines = list(metrics.labels) if labels else []
    if scores and use == "report" and probabilities:  # scores and probabilities are one group there
        lines += [" ".join(metrics.scores + metrics.probabilities)]
    else:
        lines += [*metrics.scores] if scores else []
        lines += [*metrics.probabilities] if probabilities else []
    return [_specs(line) for line in lines]


def default_metrics(
    task: str, use: Use, *, labels: bool = True, scores: bool = True, probabilities: bool = True
) -> list[str]:
    """Return the names of the default metrics of a task for a use.

    >>> default_metrics("binary", "slices"), default_metrics("binary", "slices", scores=False)
    (['accuracy', 'precision', 'recall', 'auc'], ['accuracy', 'precision', 'recall'])
    """
    groups = default_groups(task, use, labels=labels, scores=scores, probabilities=probabilities)
    return [spec.name for spec in flatten(groups)]


def report_metrics(
    task: TaskName, *, labels: bool, scores: bool, probabilities: bool, settings: Settings
) -> list[list[MetricSpec]]:
    """Return the metrics of a report, with those that the settings ask for (beta, prevalence, costs, k).

    >>> from assay.evaluation.task import Settings
    >>> groups = report_metrics(
    ...     "binary", labels=True, scores=False, probabilities=False, settings=Settings(beta=2))
    >>> groups[0][-1].name
    'f_2'
    """
    groups = default_groups(task, "report", labels=labels, scores=scores, probabilities=probabilities)
    if settings.weight:
        groups = [[spec for spec in group if spec.metric.takes_weights] for group in groups]
    if task == "ranking":
        stated = {"k": settings.k, "empty": settings.empty}
        options = {name: value for name, value in stated.items() if value is not None}
        groups = [[dataclasses.replace(spec, options=options) for spec in group] for group in groups]
    if task == "binary" and labels:
        groups[0] += _from_settings(settings)
    return groups


def brief_groups(groups: list[list[MetricSpec]], *, calibration: bool) -> list[list[MetricSpec]]:
    """Return the metrics of a report that a summary of one screen shows, and with `calibration` how it is.

    >>> groups = default_groups("binary", "report", scores=False, probabilities=False)
    >>> [spec.name for spec in brief_groups(groups, calibration=False)[1]]
    []
    """
    brief = [[spec for spec in group if spec.name not in _LONG_REPORT_ONLY] for group in groups]
    if calibration:
        brief[-1] += _line(_CALIBRATION)
    return brief


def _from_settings(settings: Settings) -> Iterator[MetricSpec]:
    """Yield the metrics that the caller's settings ask for."""
    if (beta := settings.beta) is not None:
        yield MetricSpec.named(f"f_{beta:g}", "f_beta", beta=beta)
    if settings.prevalence is not None:
        for name in ("precision_at_prevalence", "npv_at_prevalence"):
            yield MetricSpec.named(name, name, prevalence=settings.prevalence)
    if settings.costs:
        yield MetricSpec.named("misclassification_cost", "misclassification_cost", **settings.costs)


@functools.lru_cache(256)  # every evaluation asks for the same few lines
def _line(line: str) -> tuple[MetricSpec, ...]:
    specs = (MetricSpec.of(word) for word in line.split())
    return tuple(dataclasses.replace(spec, alias=spec.base) for spec in specs)


def _specs(line: str) -> list[MetricSpec]:
    return list(_line(line))


def flatten(groups: list[list[MetricSpec]]) -> Iterator[MetricSpec]:
    """Yield the metrics of all groups."""
    for group in groups:
        yield from group
