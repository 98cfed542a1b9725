"""A metric with options as people write it: one reading wherever a metric is named."""

import math
import pickle

import numpy as np
import pytest

import assay
from assay.metrics import find
from assay.metrics.spec import MetricSpec, metric_title


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("f1", "f1", {}),
        ("f_beta(beta=2)", "f_beta", {"beta": 2}),
        ("F-beta (beta=2)", "f_beta", {"beta": 2}),
        ("f_beta( beta = -0.5e1 )", "f_beta", {"beta": -5.0}),
        ("f_beta(beta=inf)", "f_beta", {"beta": math.inf}),
        ("f_beta()", "f_beta", {}),
        ("ndcg(k=10)", "ndcg", {"k": 10}),
        ("ndcg(k=10, gain=exponential)", "ndcg", {"k": 10, "gain": "exponential"}),
        ("ndcg(gain='exponential')", "ndcg", {"gain": "exponential"}),
        ("NDCG@10", "ndcg", {"k": 10}),
        ("precision@5", "precision_at_k", {"k": 5}),
        ("map@3", "mean_average_precision", {"k": 3}),
        ("ndcg(k=None)", "ndcg", {"k": None}),
        ("partial_auc(corrected=true)", "partial_auc", {"corrected": True}),
        ("partial_auc(false_positive_rate=(0, 0.2))", "partial_auc", {"false_positive_rate": (0, 0.2)}),
        ('ece(rule="left-closed width")', "expected_calibration_error", {"rule": "left-closed width"}),
        ("recall(positive=spam)", "recall", {"positive": "spam"}),
        ("precision_at_prevalence(prevalence=0.1)", "precision_at_prevalence", {"prevalence": 0.1}),
        ("macro f_beta(beta=0.5)", "f_beta", {"average": "macro", "beta": 0.5}),
        ("f_beta(beta=0.5, average=macro)", "f_beta", {"average": "macro", "beta": 0.5}),
        ("f1_weighted", "f1", {"average": "weighted"}),
        ("Mean_Balanced_Accuracy", "one_vs_rest_balanced_accuracy", {"average": "macro"}),
        ("RetrievalMAP", "mean_average_precision", {"convention": "hits"}),
        ("hand_till_auc(average=weighted)", "hand_till_auc", {"average": "weighted"}),
        ("precision (PPV)", "precision", {}),
    ],
)
def test_options_are_read_from_a_name(text, name, options):
    """Numbers, words, booleans and None; the same as a pair says, and what it prints is read again."""
    spec = MetricSpec.of(text)
    assert (spec.metric.name, spec.options) == (name, options)
    assert spec == MetricSpec.of((name, options)) == MetricSpec.of(str(spec)) == MetricSpec.of(spec)
    assert hash(spec) == hash(MetricSpec.of((find(name), options)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ndcg(10)", r"has a value without a name: say which option 10 is, as in ndcg\(k=10\)"),
        ("mcc(10)", r'"mcc\(10\)" has a value without a name\.'),
        ("f_beta(betta=2)", r"f_beta takes no betta: it takes .*beta\. Did you mean beta\?"),
        ("ndcg(k=)", r'the options of "ndcg\(k=\)" cannot be read'),
        ("ndcg(k=10", 'there is no metric "ndcg'),
        ("ndcg(**k)", "cannot be read"),
        ("ndcg(k=print(3))", r"print\(3\) is no number, word, list, true, false or none"),
        ("ece(rule=left-closed)", "Put text with spaces or hyphens in quotes"),
        ("macro f1(average=micro)", "are two averages: say one"),
        ("ndcg@10(k=5)", "are two values of k: say one"),
        ("nonsense(k=3)", 'there is no metric "nonsense"'),
        ("auc@5", 'there is no metric "auc_at_k"'),
        ("macro mcc", "mcc reads all classes at once, so it has no average"),
        ("macro f7", 'there is no metric "f7"'),
        ("neg_log_loss", "losses are not negated here"),
    ],
)
def test_what_cannot_be_read_says_why(text, message):
    """The message says what is wrong, and what may be meant."""
    with pytest.raises(assay.MetricError, match=message):
        MetricSpec.of(text)


def test_an_average_is_read_from_a_name():
    """Spaces, underscores, hyphens and colons; metrics whose own name begins so come first."""
    for text in ("macro f1", "Macro F1", "macro_f1", "macro-f1", "macro:f1", "macro f1_score", "f1_macro"):
        spec = MetricSpec.of(text)
        assert (spec.metric.name, spec.options, spec.name) == ("f1", {"average": "macro"}, "macro_f1")
    for text in ("weighted kappa", "macro_auc", "weighted accuracy"):
        assert MetricSpec.of(text).options == {}
    both = MetricSpec.of(("macro f_beta", {"beta": 2}))
    assert (both.base, both.name) == ("macro_f_beta", "macro_f_beta_beta_2")
    with pytest.raises(assay.MetricError, match="are two averages: say one"):
        MetricSpec.of(("macro f1", {"average": "micro"}))
    with pytest.raises(assay.MetricError, match="say it as a pair"):
        MetricSpec.of(("f1", "macro"))


def test_specs_are_keys():
    """Equal by metric and options, whatever their order and type; names are one word."""
    ways = [
        ("ece", {"bins": 10, "rule": "width"}),
        ("expected_calibration_error", {"rule": "width", "bins": np.int64(10)}),
        ("ece(rule=width)", {"bins": 10.0}),
    ]
    specs = [MetricSpec.of(way) for way in ways]
    assert len(set(specs)) == len({spec.name for spec in specs}) == 1
    assert MetricSpec.of("ece") != specs[0]
    assert specs[0] != "ece"
    table = [[1, 0.5], [0.5, 1]]
    assert MetricSpec.of(("weighted_kappa", {"weights": table})) == MetricSpec.of(
        ("weighted_kappa", {"weights": np.array(table)})
    )
    assert MetricSpec.of(("recall", {"positive": True})) != MetricSpec.of(("recall", {"positive": 1}))
    odd = MetricSpec.of(("recall", {"positive": "not spam, I think"}))
    assert odd.name == "recall_positive_not_spam_I_think"
    assert pickle.loads(pickle.dumps(specs[0])) == specs[0]  # noqa: S301 - ours


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("recall", "recall (TPR)"),
        ("macro recall", "macro recall"),
        ("recall(positive=spam)", "recall (TPR, positive=spam)"),
        ("macro f_beta(beta=0.5)", "macro F-beta (beta=0.5)"),
        ("ndcg@10", "NDCG (k=10)"),
        ("huber(delta=1.5)", "Huber loss (delta=1.5)"),
        ("multiclass_log_loss", "log loss"),
    ],
)
def test_a_label_is_what_reports_print(text, label):
    """The metric's title, with the average in front and other options in brackets."""
    assert MetricSpec.of(text).label == metric_title(text) == label


def test_names_of_no_metric_are_printed_in_words():
    """Columns of reports that are no metric, and the F-betas of an evaluation."""
    names = ("my_own_loss", "f_2", "f_0.5", "f_inf", "pr_auc_trapezoid")
    assert [metric_title(name) for name in names] == [
        "my own loss",
        "F2",
        "F0.5",
        "F∞",
        "PR AUC, trapezoid",
    ]


def test_what_a_spec_needs_of_a_model():
    """As its metric does, but an average over classes needs the scores of all."""
    needs = {
        "f1": "labels",
        "macro f1": "labels",
        "auc": "score",
        "macro auc_": "class scores",
        "log_loss": "score",
        "ece": "score",
        "multiclass_brier": "class scores",
        "top_label_ece": "class scores",
        "hand_till_auc(average=weighted)": "class scores",
        "mape": "numbers",
        "r2": "numbers",
        "wape": "numbers",
        "d2_pinball": "numbers",
        "spearman": "numbers",
        "ndcg": "lists",
        "subset_accuracy": "label sets",
    }
    for text, need in needs.items():
        spec = MetricSpec.of(("auc", {"average": "macro"}) if text == "macro auc_" else text)
        assert spec.needs == need, text


def test_options_are_checked_when_asked():
    """A pair's options may be checked before they are used."""
    assert MetricSpec.of(("f_beta", {"beta": 2})).check().name == "f_beta_beta_2"
    with pytest.raises(assay.MetricError, match=r"f_beta takes no betta: .* Did you mean beta\?"):
        MetricSpec.of(("f_beta", {"betta": 2})).check()


def test_metrics_with_options_are_understood_wherever_a_metric_is_named():
    """Estimates, evaluations and comparisons give the number of the keyword options."""
    actual, predicted = list("abcabcbbca"), list("abcbbcbaca")
    rows = assay.rows(actual=actual, predicted=predicted)
    ev = assay.evaluate(actual=actual, predicted=predicted)
    for text, options in (
        ("macro f1", {"average": "macro"}),
        ("macro f_beta(beta=2)", {"average": "macro", "beta": 2}),
    ):
        expected = find(text.split()[1].partition("(")[0])(rows, **options)
        assert assay.estimate(text, rows).value == expected
        assert ev[text].value == ev.estimate(text).value == expected
        found = assay.compare(rows, assay.rows(actual=actual, predicted=actual), metrics=[text, "kappa"])
        assert found[text].values == (expected, 1)
        assert found.estimate(text, "a").value == expected
    found = assay.compare(rows, assay.rows(actual=actual, predicted=actual), metrics=["macro f1", "kappa"])
    assert found["macro_f1"] is found["macro F1"]
    with pytest.raises(assay.MetricError, match="micro f1 was not compared"):
        found["micro f1"]
