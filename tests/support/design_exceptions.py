"""Metrics that do not keep a law of designs, and why; `test_design_laws` says when one does again.

Reasons that begin with "Defect" are to be mended, the others hold by definition or by choice.
"""

ROUNDING = "Defect: at the end of its bounds a last digit decides which method is taken"
NAME_ONLY = "a tally of sums cannot say that all weights are equal: the same limits have another name"
OWN_METHOD = "Defect: plain rows have a method of their own, groups take another"
RANKS_OF_GROUPS = "of 20 groups the ranks jump by one at each end"
RANKS = "ranks of the errors give limits, and no standard error"
EQUAL_ERRORS = "the ranks of equal errors have no width"
NO_SPREAD = "at the end of its bounds rows show no spread: the limits come from a rate, a bound or draws"
INFINITE = "it is infinite there, which no standard error describes"
HEAVY_TAIL = "a ratio whose denominator is two or three rows: leaving out one of them moves it far"
STEPS = "it moves in steps from row to row, which the jackknife of 40 rows takes for spread"
FEW_ROWS_FIT = "a logistic fit of 40 rows is far from linear in its rows"

# A platform that rounds otherwise may keep the law.
DEPENDS_ON_ROUNDING = {ROUNDING}


def _listed(*groups: tuple[str, str]) -> dict[str, str]:
    """Return the reason of each metric, from reasons and the names they hold for."""
    return {name: reason for reason, names in groups for name in names.split()}


EXCEPTIONS: dict[str, dict[str, str]] = {
    "a factor of all weights": _listed(
        (ROUNDING, "gain_at lift_at mcc tie_expected_average_precision"),
    ),
    "equal weights": _listed(
        (NAME_ONLY, "subset_accuracy"),
    ),
    "groups of one row": _listed(
        (OWN_METHOD, "negative_likelihood_ratio diagnostic_odds_ratio ks"),
        (RANKS_OF_GROUPS, "median_absolute_percentage_error"),
    ),
    "groups of one row at the ends": _listed(
        (
            OWN_METHOD,
            (
                "positive_likelihood_ratio diagnostic_odds_ratio prevalence_threshold "
                "balanced_accuracy adjusted_balanced_accuracy g_mean ks precision_at_share"
            ),
        ),
    ),
    "many groups of one row": _listed(),
    "copies in one group": _listed(
        (
            OWN_METHOD,
            (
                "positive_likelihood_ratio diagnostic_odds_ratio balanced_accuracy "
                "adjusted_balanced_accuracy g_mean ks precision_at_share"
            ),
        ),
    ),
    "nested intervals": _listed(),
    "a standard error": _listed(
        (RANKS, "median_absolute_error quantile_error median_absolute_percentage_error"),
    ),
    "a standard error at the ends": _listed(
        (
            NO_SPREAD,
            (
                "positive_likelihood_ratio negative_likelihood_ratio partial_auc "
                "tie_expected_average_precision"
            ),
        ),
        (INFINITE, "diagnostic_odds_ratio"),
        (RANKS, "median_absolute_error quantile_error median_absolute_percentage_error"),
    ),
    "a width": _listed(
        (EQUAL_ERRORS, "median_absolute_error quantile_error median_absolute_percentage_error"),
    ),
    "the jackknife": _listed(
        (HEAVY_TAIL, "positive_likelihood_ratio diagnostic_odds_ratio"),
        (STEPS, "equal_error_rate break_even"),
        (FEW_ROWS_FIT, "cox_slope"),
    ),
}
