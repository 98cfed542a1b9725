"""What pROC's coords and ci.auc read off two sets of scores, from one evaluation of each."""

import math

import pytest
from support.reference_figures import messages, oracle

import assay

CELLS = ("tn", "tp", "fn", "fp")
RATES = {
    "specificity": "specificity", "sensitivity": "recall", "accuracy": "accuracy",
    "npv": "negative_predictive_value", "ppv": "precision", "fdr": "false_discovery_rate",
    "fpr": "false_positive_rate", "tpr": "recall", "tnr": "specificity", "fnr": "false_negative_rate",
    "1-specificity": "false_positive_rate", "1-sensitivity": "false_negative_rate", "1-accuracy": "error_rate",
    "1-npv": "false_omission_rate", "1-ppv": "false_discovery_rate", "precision": "precision", "recall": "recall",
}  # fmt: skip
CUTS = (
    "at_threshold_0.5", "best_youden", "best_closest.topleft", "best_youden_weights_cost5_prev0.13",
    "best_topleft_weights_cost5_prev0.13",
)  # fmt: skip


@pytest.fixture(scope="module", params=["prob_spam", "toy"])
def both(request):
    """An evaluation, and what pROC has of its scores."""
    theirs = oracle("sms_proc.json")[request.param]
    if request.param == "toy":
        return assay.evaluate(actual=[int(one) for one in theirs["y"]], score=theirs["score"]), theirs
    actual, score = messages()
    return assay.evaluate(actual=actual, score=score, positive="spam"), theirs


@pytest.mark.parametrize("name", CUTS)
def test_every_coordinate_of_a_threshold(both, name):
    """Counts and all rates at pROC's thresholds, of which it may have several that are equally good."""
    ev, theirs = both
    found = theirs[name]
    for place, threshold in enumerate(found["threshold"]):
        at = ev.at(float(threshold))
        (tn, fp), (fn, tp) = at.confusion.counts.tolist()
        assert dict(zip(CELLS, (tn, tp, fn, fp), strict=True)) == {cell: found[cell][place] for cell in CELLS}
        for theirs_name, ours in RATES.items():
            wanted = float(found[theirs_name][place])
            if math.isnan(wanted):
                assert not at[ours].defined
            else:
                assert at[ours].value == pytest.approx(wanted, rel=1e-12, abs=1e-14)


def test_area_and_its_plain_interval(both):
    """DeLong's interval at three levels, on the scale of the area itself."""
    ev, theirs = both
    assert ev["auc"].value == pytest.approx(theirs["auc"], rel=1e-12)
    assert (ev["auc"].positives, ev["auc"].negatives) == (theirs["n_cases"], theirs["n_controls"])
    for level, wanted in theirs["ci_auc_delong"].items():
        found = ev.estimate("auc", method="delong", confidence=float(level))
        assert (found.low, found.value, found.high) == pytest.approx(
            (wanted["lower"], wanted["auc"], wanted["upper"]), rel=1e-10
        )
