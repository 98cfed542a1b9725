"""Every reference value of agreement: irrCAC, irr, krippendorff, pingouin and what was published.

Where a package has another definition than ours, its formula is written out here.
"""

import math

import numpy as np
import pytest
from scipy import stats
from support.nested_values import differences
from support.reference_figures import oracle

import assay
from assay.inference.formulas.intraclass import (
    MeanSquares,
    finn,
    kendall_w,
    mean_correlation,
    mean_ranks,
)
from assay.inference.formulas.kappa import agreement_weights
from assay.inference.formulas.rater_agreement import RatingCounts, fleiss_null_test

RATERS = oracle("judges")["raters"]
METHODS = {
    "pa": "percent", "gwet.ac1": "gwet", "fleiss.kappa": "fleiss", "conger.kappa": "conger",
    "bp.coeff": "brennan_prediger", "krippen.alpha": "krippendorff",
}  # fmt: skip
WEIGHTS = {"unweighted": "none", "linear": "linear", "quadratic": "quadratic", "ordinal": "ordinal"}
ICC = {
    "icc_1_1": ("oneway.consistency.single", "ICC(1,1)"),
    "icc_1_k": ("oneway.consistency.average", "ICC(1,k)"),
    "icc_2_1": ("twoway.agreement.single", "ICC(A,1)"),
    "icc_2_k": ("twoway.agreement.average", "ICC(A,k)"),
    "icc_3_1": ("twoway.consistency.single", "ICC(C,1)"),
    "icc_3_k": ("twoway.consistency.average", "ICC(C,k)"),
}


def wide(data):
    return {f"r{index}": list(values) for index, values in enumerate(zip(*data, strict=True))}


def counts_of(data):
    tally = assay.Ratings.of(wide(data))
    return RatingCounts.of(tally), np.array(tally.categories, dtype=float)


def ratio_distance(values):
    sums = np.add.outer(values, values)
    return (np.subtract.outer(values, values) / np.where(sums > 0, sums, 1)) ** 2


def irrcac(data):
    """Return irrCAC's table: Student's interval on the plain scale, at most 1, and a p for one side."""
    counts, values = counts_of(data)
    found = {}
    distances = {
        name: 1 - agreement_weights(len(values), scheme, None if scheme == "ordinal" else values)
        for name, scheme in WEIGHTS.items()
    }
    ends = values.max(), values.min()
    distances["ratio"] = ratio_distance(values) / ((ends[0] - ends[1]) / (ends[0] + ends[1])) ** 2
    for weights, distance in distances.items():
        for key, method in METHODS.items():
            if weights == "ratio" and method != "krippendorff":
                continue
            coefficient = getattr(counts, method)(distance)
            used = np.isfinite(coefficient.items)
            items = counts.counts[used]
            n = items.sum()
            own = coefficient.items[used] - coefficient.centre
            error = math.sqrt(items @ own**2 / (n * (n - 1)))
            df = len(data) - 1  # of all items, also where those rated once are left out
            half = stats.t.ppf(0.975, df) * error
            limits = max(coefficient.value - half, -1), min(coefficient.value + half, 1)
            observed = coefficient.observed
            if method == "krippendorff":  # irrCAC has the correction for small samples in its agreement
                ratings = float(counts.counts @ np.where(counts.ratings > 1, counts.ratings, 0))
                observed = 1 - (1 - 1 / ratings) * (1 - observed)
            found[f"irrCAC.{key}.{weights}"] = {
                "value": coefficient.value, "pa": observed, "pe": coefficient.chance, "se": error,
                "ci": "({:g},{:g})".format(*(round(limit, 3) for limit in limits)),
                "p": stats.t.sf(coefficient.value / error, df),
            }  # fmt: skip
    return found


def alphas(data):
    counts, values = counts_of(data)
    return {
        "nominal": counts.krippendorff(1 - np.eye(len(values))).value,
        "ordinal": counts.krippendorff_squares(counts.mean_ranks()).value,
        "interval": counts.krippendorff_squares(values).value,
        "ratio": counts.krippendorff(ratio_distance(values)).value,
    }


def jackknife(data):
    """Return Fleiss' kappa and its error by leaving out each item in turn, the categories staying."""
    labels = sorted({value for row in data for value in row if value is not None})

    def kappa(rows):
        tally = assay.Ratings.of(wide(rows))
        order = [labels.index(value) for value in tally.categories]
        return RatingCounts.of(tally, order, len(labels)).fleiss(1 - np.eye(len(labels))).value

    values = np.array([kappa(data[:left_out] + data[left_out + 1 :]) for left_out in range(len(data))])
    n = len(data)
    error = math.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum())
    return {"value": kappa(data), "jackknife_se": error}


def irr_light_z(ratings, value):
    """Return irr's z of Light's kappa, from products of the raters' shares; None where its variance is negative."""
    n, raters = ratings.shape
    labels = np.unique(ratings)
    counts = (ratings[:, :, None] == labels).sum(axis=0).astype(float)
    apart = [
        counts[first].sum() * counts[second].sum() - counts[first] @ counts[second]
        for first in range(raters - 1)
        for second in range(first + 1, raters)
    ]
    chance = 1 - len(apart) * math.prod(apart) / n ** (math.comb(raters, 2) * 2)
    variance = chance / (n * (1 - chance))
    return value / math.sqrt(variance) if variance > 0 else None


def irr_agreement(squares, single, average):
    """Return irr's degrees of freedom, p and limits of the agreement forms.

    Its degrees of freedom are those of the form's own value, also for the mean of all raters.
    """
    n, k = squares.n, squares.k
    found = {}
    for form, r in (("single", single), ("average", average)):
        a, b = k * r / (n * (1 - r)), 1 + k * r * (n - 1) / (n * (1 - r))
        spread = (a * squares.raters) ** 2 / (k - 1) + (b * squares.error) ** 2 / ((n - 1) * (k - 1))
        df = (a * squares.raters + b * squares.error) ** 2 / spread
        first, second = stats.f.ppf(0.975, n - 1, df), stats.f.ppf(0.975, df, n - 1)
        rest = k * squares.raters + (k * n - k - n) * squares.error
        low = n * (squares.items - first * squares.error) / (first * rest + n * squares.items)
        high = n * (second * squares.items - squares.error) / (rest + n * second * squares.items)
        if form == "average":
            low, high = (k * limit / (1 + (k - 1) * limit) for limit in (low, high))
        p = stats.f.sf(squares.items / squares.error, n - 1, df)
        found[form] = {"df2": df, "p": p, "lo": low, "hi": high}
    return found


def irr(data, levels):
    """Return what the package irr prints, where no rating is missing; Finn is told how many levels there are."""
    counts, values = counts_of(data)
    ratings = np.array(data, dtype=float)
    ones = np.ones(len(ratings))
    size, n, raters = len(values), len(ratings), ratings.shape[1]
    fleiss = counts.fleiss(1 - np.eye(size)).value
    null = fleiss_null_test(counts)
    single_error = math.sqrt(2 / (n * raters * (raters - 1)))
    by_category = [counts.collapsed(index).fleiss(1 - np.eye(2)).value for index in range(size)]
    light = counts.light(np.eye(size)).value
    ties = kendall_w(ratings, ones)
    sums = np.stack([mean_ranks(ratings[:, rater], ones)[0] for rater in range(raters)], axis=1).sum(axis=1)
    w = 12 * ((sums - sums.mean()) ** 2).sum() / (raters**2 * (n**3 - n))
    ranked = np.stack([mean_ranks(ratings[:, rater], ones)[0] for rater in range(raters)], axis=1)
    found = {
        "irr.fleiss": {
            "value": fleiss, "z": null.statistic, "se0": null.standard_error,
            "detail": [[kappa, kappa / single_error, 2 * stats.norm.sf(abs(kappa) / single_error)]
                       for kappa in by_category],
            "cats": [f"{value:g}" for value in values],
        },
        "irr.fleiss_exact": counts.conger(1 - np.eye(size)).value,
        "irr.light": {"value": light, "z": irr_light_z(ratings, light)},
        "irr.kendall": {"value": w, "chisq": raters * (n - 1) * w,
                        "p": stats.chi2.sf(raters * (n - 1) * w, n - 1)},
        "irr.kendall_ties": {"value": ties.estimate, "chisq": ties.statistic, "p": ties.p_value},
        "irr.meancor": {"value": mean_correlation(ratings, ones)},
        "irr.meanrho": {"value": mean_correlation(ranked, ones)},
    }  # fmt: skip
    squares = MeanSquares.of(ratings, ones)
    for two_way, key in ((False, "irr.finn_oneway"), (True, "irr.finn_twoway")):
        test = finn(squares, levels, two_way=two_way)
        found[key] = {
            "value": test.estimate, "F": test.statistic, "p": test.p_value, "levels": levels
        }  # fmt: skip
    forms = {form: squares.icc(form) for form in ICC}
    agreement = irr_agreement(squares, forms["icc_2_1"].value, forms["icc_2_k"].value)
    pingouin = {}
    for form, (name, other) in ICC.items():
        icc = forms[form]
        df1, df2 = icc.test.df
        own = {"df2": df2, "p": icc.test.p_value, "lo": icc.low, "hi": icc.high}
        if form.startswith("icc_2"):
            own = agreement[name.rpartition(".")[2]]
        found[f"irr.icc.{name}"] = {"value": icc.value, "F": icc.test.statistic, "df1": df1, **own}
        pingouin[other] = {
            "value": icc.value, "F": icc.test.statistic, "df1": df1, "df2": df2,
            "ci95_rounded": [round(icc.low, 2), round(icc.high, 2)],
        }  # fmt: skip
    return found | {"pingouin_icc": pingouin}


def computed(name):
    data = RATERS[name]["data"]
    complete = all(value is not None for row in data for value in row)
    found = irrcac(data) | {"krippendorff_py": alphas(data), "fleiss_jackknife": jackknife(data)}
    if not complete:
        return found
    return found | irr(data, RATERS[name]["values"]["irr.finn_oneway"]["levels"])


def tolerance(path):
    """Five printed digits of irrCAC's values and errors, three of irr's categories, the others as computed."""
    if path[0].startswith("irrCAC"):
        return {"abs": 6e-6} if path[1] in ("value", "se") else {"rel": 1e-6, "abs": 1e-11}
    if "detail" in path:
        return {"abs": 5.1e-4}
    return {"rel": 1e-6, "abs": 1e-16} if path[-1] == "p" else {"rel": 1e-9, "abs": 1e-10}


@pytest.mark.parametrize("name", [name for name in RATERS if name != "published"])
def test_every_reference_value_is_computed(name):
    """No value of the packages is left out: those that are ours as they are, others by their own formula."""
    assert differences(RATERS[name]["values"], computed(name), tolerance) == []


def test_what_was_published():
    """Fleiss (1971), Shrout and Fleiss (1979) and Krippendorff (2011), to the digits they print."""
    fleiss, shrout = RATERS["fleiss_1971"]["data"], RATERS["shrout_fleiss_1979"]["data"]
    kappa = assay.agreement(raters=wide(fleiss))["fleiss_kappa"]
    forms = assay.agreement(raters=wide(shrout), level="interval").estimates
    observers = wide(RATERS["krippendorff_2011"]["data"])
    alpha = {level: assay.agreement(raters=observers, level=level)["krippendorff_alpha"]
             for level in ("nominal", "ordinal", "interval", "ratio")}  # fmt: skip
    names = {f"ICC({form[4]},{form[6]})": form for form in ICC}
    found = {
        "fleiss_1971": {"kappa": round(float(kappa), 2)},
        "shrout_fleiss_1979": {name: round(float(forms[form]), 2) for name, form in names.items()},
        "krippendorff_2011": {level: round(float(value), 3) for level, value in alpha.items()},
    }
    assert differences(RATERS["published"], found, lambda _: {"abs": 1e-12}) == []


def test_the_judge_against_people():
    """Every person and all together, through the public function."""
    case = oracle("judges")["judge_versus_people"]
    people = {
        f"p{index}": list(column) for index, column in enumerate(zip(*case["data"]["people"], strict=True))
    }
    result = assay.agreement(raters=people | {"judge": case["data"]["judge"]}, against="judge").against
    found = {
        "per_person": [
            {"judge": item.judge, "person": item.agreement, "difference": item.difference.value,
             "se": item.difference.standard_error}
            for item in result.people
        ],
        "difference": result.difference.value, "se": result.difference.standard_error,
        "low": result.difference.low, "high": result.difference.high, "items": result.difference.n,
    }  # fmt: skip
    assert differences(case["values"], found, lambda _: {"abs": 1e-9}) == []
