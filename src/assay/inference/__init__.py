"""Confidence intervals, hypothesis tests, power and corrections for multiple testing, as plain functions.

They take counts, tallies or arrays, where :func:`assay.estimate` and :func:`assay.compare` choose among them:

>>> from assay.inference import mcnemar, wilson
>>> low, high = wilson(81, 263)
>>> round(low, 4), round(high, 4)
(0.2553, 0.3662)
>>> mcnemar([[1202, 5], [29, 154]], "corrected")
McNemar's test, continuity-corrected: statistic 15.559, df 1, p = 7.998e-05

Names are loaded when first used. docs/reference/inference.md lists them by topic.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.inference.bootstrap.bootstrap import bootstrap_interval, dirichlet_interval, replicates
    from assay.inference.bootstrap.paired_bootstrap import paired_replicates, permutation
    from assay.inference.distributions import chi_square_p, f_p, normal_p, student_p, student_quantile
    from assay.inference.estimate import Estimate
    from assay.inference.formulas.auc import (
        Area,
        auc_estimate,
        delong,
        delong_interval,
        disjoint_pairs_bound,
        hanley_mcneil,
        moderated_auc_interval,
        newcombe_auc_interval,
        newcombe_variance,
    )
    from assay.inference.formulas.average_precision import (
        average_precision_estimate,
        average_precision_variance,
        logit_binomial,
    )
    from assay.inference.formulas.calibration_bands import confidence_band, consistency_band
    from assay.inference.formulas.cluster_jackknife import cluster_jackknife
    from assay.inference.formulas.cross_validated_auc import cross_validated_auc
    from assay.inference.formulas.delong import (
        auc_influence,
        delong_covariance,
        delong_paired,
        delong_several,
        delong_unpaired,
        placements,
        weighted_area,
    )
    from assay.inference.formulas.delta import (
        cluster_variance,
        delta_interval,
        design_effect,
        effective_counts,
        kish,
        stratified_variance,
    )
    from assay.inference.formulas.kappa import agreement_weights, kappa_errors, pabak, pabak_interval
    from assay.inference.formulas.krippendorff import krippendorff_alpha
    from assay.inference.formulas.means import (
        bernstein_interval,
        hoeffding_interval,
        mean_estimate,
        mean_spread,
        order_interval,
        order_ranks,
        root_mean_estimate,
    )
    from assay.inference.formulas.mover import (
        f1_interval,
        informedness_interval,
        markedness_interval,
        mean_recall_interval,
        mover,
        mover_function,
        negative_predictive_value_at,
        positive_predictive_value_at,
        proportion_difference,
        weighted_sum_interval,
    )
    from assay.inference.formulas.normal_errors import lin_interval, normal_root_interval
    from assay.inference.formulas.proportions import (
        agresti_coull,
        clopper_pearson,
        jeffreys,
        mid_p,
        modified_wilson,
        proportion_interval,
        wilson,
        wilson_corrected,
    )
    from assay.inference.formulas.ratios import (
        koopman,
        log_ratio,
        negative_likelihood_ratio_interval,
        odds_ratio,
        positive_likelihood_ratio_interval,
    )
    from assay.inference.hypothesis_tests.contingency import (
        bowker,
        chi_square,
        fisher,
        mcnemar,
        no_information,
        stuart_maxwell,
    )
    from assay.inference.hypothesis_tests.corrected_resampled import (
        corrected_t,
        correlated_bayes,
        five_by_two_f,
        five_by_two_t,
    )
    from assay.inference.hypothesis_tests.many_datasets import (
        critical_difference,
        friedman,
        iman_davenport,
        mean_ranks,
        nemenyi,
    )
    from assay.inference.hypothesis_tests.multiple_testing import (
        adaptive_reach,
        benjamini_hochberg,
        benjamini_yekutieli,
        bonferroni,
        hoeffding_reach,
        holm,
        ladder,
        look_level,
        spent_level,
    )
    from assay.inference.hypothesis_tests.paired_means import diebold_mariano, paired_t, sign_flips, wilcoxon
    from assay.inference.hypothesis_tests.paired_proportions import (
        agresti_min,
        bonett_price,
        cochran_q,
        equivalence,
        noninferiority,
        paired_difference,
        tango,
    )
    from assay.inference.intervals.multilabel import label_sets_estimate
    from assay.inference.power.auc_power import (
        area_detected,
        binormal_covariance,
        binormal_variance,
        equal_binormal_variance,
        level_of_area,
        obuchowski_variance,
        positives_for_area,
        positives_for_area_difference,
        positives_for_area_width,
        power_of_area,
        power_of_area_difference,
    )
    from assay.inference.power.proportion_power import (
        power_of_paired,
        power_of_two_proportions,
        rows_for_paired,
        rows_for_two_proportions,
        rows_for_width,
    )
    from assay.inference.test_result import TestResult

_HOMES = {
    "estimate": ("Estimate",),
    "test_result": ("TestResult",),
    "formulas.proportions": (
        "wilson", "modified_wilson", "wilson_corrected", "clopper_pearson", "agresti_coull", "jeffreys",
        "mid_p", "proportion_interval",
    ),
    "formulas.mover": (
        "mover", "mover_function", "weighted_sum_interval", "mean_recall_interval", "informedness_interval",
        "markedness_interval", "f1_interval", "proportion_difference", "positive_predictive_value_at",
        "negative_predictive_value_at",
    ),
    "formulas.ratios": (
        "koopman", "log_ratio", "odds_ratio", "positive_likelihood_ratio_interval",
        "negative_likelihood_ratio_interval",
    ),
    "formulas.kappa": ("agreement_weights", "kappa_errors", "pabak", "pabak_interval"),
    "formulas.krippendorff": ("krippendorff_alpha",),
    "formulas.means": (
        "mean_spread", "mean_estimate", "root_mean_estimate", "order_ranks", "order_interval",
        "hoeffding_interval", "bernstein_interval",
    ),
    "formulas.normal_errors": ("normal_root_interval", "lin_interval"),
    "formulas.auc": (
        "Area", "delong", "delong_interval", "hanley_mcneil", "newcombe_auc_interval", "newcombe_variance",
        "moderated_auc_interval", "disjoint_pairs_bound", "auc_estimate",
    ),
    "formulas.delong": (
        "placements", "auc_influence", "weighted_area", "delong_covariance", "delong_paired",
        "delong_unpaired", "delong_several",
    ),
    "formulas.average_precision": (
        "average_precision_variance", "average_precision_estimate", "logit_binomial",
    ),
    "formulas.cross_validated_auc": ("cross_validated_auc",),
    "formulas.calibration_bands": ("consistency_band", "confidence_band"),
    "formulas.delta": (
        "delta_interval", "stratified_variance", "cluster_variance", "design_effect", "kish",
        "effective_counts",
    ),
    "formulas.cluster_jackknife": ("cluster_jackknife",),
    "intervals.multilabel": ("label_sets_estimate",),
    "bootstrap.bootstrap": ("replicates", "bootstrap_interval", "dirichlet_interval"),
    "bootstrap.paired_bootstrap": ("paired_replicates", "permutation"),
    "hypothesis_tests.contingency": (
        "chi_square", "fisher", "mcnemar", "bowker", "stuart_maxwell", "no_information",
    ),
    "hypothesis_tests.paired_proportions": (
        "tango", "bonett_price", "agresti_min", "paired_difference", "noninferiority", "equivalence",
        "cochran_q",
    ),
    "hypothesis_tests.paired_means": ("paired_t", "wilcoxon", "sign_flips", "diebold_mariano"),
    "hypothesis_tests.corrected_resampled": (
        "corrected_t", "correlated_bayes", "five_by_two_t", "five_by_two_f",
    ),
    "hypothesis_tests.many_datasets": (
        "mean_ranks", "friedman", "iman_davenport", "critical_difference", "nemenyi",
    ),
    "hypothesis_tests.multiple_testing": (
        "bonferroni", "holm", "benjamini_hochberg", "benjamini_yekutieli", "look_level", "spent_level",
        "hoeffding_reach",
        "adaptive_reach", "ladder",
    ),
    "power.proportion_power": (
        "rows_for_width", "rows_for_two_proportions", "power_of_two_proportions", "rows_for_paired",
        "power_of_paired",
    ),
    "power.auc_power": (
        "obuchowski_variance", "binormal_variance", "equal_binormal_variance",
        "binormal_covariance", "positives_for_area_width",
        "positives_for_area", "power_of_area", "level_of_area", "area_detected",
        "positives_for_area_difference", "power_of_area_difference",
    ),
    "distributions": ("normal_p", "student_p", "student_quantile", "chi_square_p", "f_p"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Area",
    "Estimate",
    "TestResult",
    "adaptive_reach",
    "agreement_weights",
    "agresti_coull",
    "agresti_min",
    "area_detected",
    "auc_estimate",
    "auc_influence",
    "average_precision_estimate",
    "average_precision_variance",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bernstein_interval",
    "binormal_covariance",
    "binormal_variance",
    "bonett_price",
    "bonferroni",
    "bootstrap_interval",
    "bowker",
    "chi_square",
    "chi_square_p",
    "clopper_pearson",
    "cluster_jackknife",
    "cluster_variance",
    "cochran_q",
    "confidence_band",
    "consistency_band",
    "corrected_t",
    "correlated_bayes",
    "critical_difference",
    "cross_validated_auc",
    "delong",
    "delong_covariance",
    "delong_interval",
    "delong_paired",
    "delong_several",
    "delong_unpaired",
    "delta_interval",
    "design_effect",
    "diebold_mariano",
    "dirichlet_interval",
    "disjoint_pairs_bound",
    "effective_counts",
    "equal_binormal_variance",
    "equivalence",
    "f1_interval",
    "f_p",
    "fisher",
    "five_by_two_f",
    "five_by_two_t",
    "friedman",
    "hanley_mcneil",
    "hoeffding_interval",
    "hoeffding_reach",
    "holm",
    "iman_davenport",
    "informedness_interval",
    "jeffreys",
    "kappa_errors",
    "kish",
    "koopman",
    "krippendorff_alpha",
    "label_sets_estimate",
    "ladder",
    "level_of_area",
    "lin_interval",
    "log_ratio",
    "logit_binomial",
    "look_level",
    "markedness_interval",
    "mcnemar",
    "mean_estimate",
    "mean_ranks",
    "mean_recall_interval",
    "mean_spread",
    "mid_p",
    "moderated_auc_interval",
    "modified_wilson",
    "mover",
    "mover_function",
    "negative_likelihood_ratio_interval",
    "negative_predictive_value_at",
    "nemenyi",
    "newcombe_auc_interval",
    "newcombe_variance",
    "no_information",
    "noninferiority",
    "normal_p",
    "normal_root_interval",
    "obuchowski_variance",
    "odds_ratio",
    "order_interval",
    "order_ranks",
    "pabak",
    "pabak_interval",
    "paired_difference",
    "paired_replicates",
    "paired_t",
    "permutation",
    "placements",
    "positive_likelihood_ratio_interval",
    "positive_predictive_value_at",
    "positives_for_area",
    "positives_for_area_difference",
    "positives_for_area_width",
    "power_of_area",
    "power_of_area_difference",
    "power_of_paired",
    "power_of_two_proportions",
    "proportion_difference",
    "proportion_interval",
    "replicates",
    "root_mean_estimate",
    "rows_for_paired",
    "rows_for_two_proportions",
    "rows_for_width",
    "sign_flips",
    "spent_level",
    "stratified_variance",
    "stuart_maxwell",
    "student_p",
    "student_quantile",
    "tango",
    "weighted_area",
    "weighted_sum_interval",
    "wilcoxon",
    "wilson",
    "wilson_corrected",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'assay.inference' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"assay.inference.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
