"""The whole example of the text messages: every figure of the texts that follows from the counts, to their digits.

The scores are generated, with the text's counts at 0.5; what depends on them is R's.
"""

import json
import math
from statistics import NormalDist

import pytest
from support.generated_rows import spam_rows, write_csv
from support.reference_figures import messages, oracle

import assay
from assay.cli import main

ROLES = {"actual": "actual_type", "predicted": "predict_type", "score": "prob_spam", "positive": "spam"}
FIGURES = {
    "accuracy": "0.9755396", "error_rate": "0.0244604", "no_information_rate": "0.8683", "kappa": "0.8867172",
    "recall": "0.8415301", "specificity": "0.9958575", "precision": "0.9685535",
    "negative_predictive_value": "0.9764", "prevalence": "0.1317", "detection_rate": "0.1108",
    "detection_prevalence": "0.1144", "balanced_accuracy": "0.9187", "f1": "0.9005848", "auc": "0.9757947",
    "expected_agreement": "0.784",
}  # fmt: skip
CELLS = {
    "counts": [["1202", "5"], ["29", "154"]],
    "contributions": [["16.565", "128.248"], ["109.256", "845.876"]],
    "row_shares": [["0.996", "0.004"], ["0.158", "0.842"]],
    "column_shares": [["0.976", "0.031"], ["0.024", "0.969"]],
    "table_shares": [["0.865", "0.004"], ["0.021", "0.111"]],
}


def printed(value, like):
    """Return a number with as many digits as another is printed with."""
    return f"{value:.{len(like.partition('.')[2])}f}"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The rows as a file."""
    return write_csv(spam_rows(), tmp_path_factory.mktemp("sms") / "sms_results.csv")


@pytest.fixture(scope="module", params=["path", "its text", "frame"])
def ev(request, path):
    """The one call."""
    if request.param == "frame":
        return assay.evaluate(pytest.importorskip("polars").read_csv(path), **ROLES)
    return assay.evaluate({"path": path, "its text": str(path)}[request.param], **ROLES)


@pytest.fixture
def told(capfd, path):
    """What a command prints of the file."""
    roles = [word for role in ("actual", "predicted") for word in (f"--{role}", ROLES[role])]

    def run(command, *more):
        assert main([command, str(path), *roles, *more]) == 0
        return capfd.readouterr().out

    return run


@pytest.mark.parametrize("name", FIGURES)
def test_figure(ev, name):
    """A figure is the text's to the last digit that it prints."""
    assert printed(ev[name].value, FIGURES[name]) == FIGURES[name]


def test_f1_both_ways(ev):
    """From precision and recall, and from the counts."""
    precision, recall = ev["precision"].value, ev["recall"].value
    assert printed(2 * precision * recall / (precision + recall), "0.9005848") == "0.9005848"
    assert ev["f1"].value == pytest.approx(2 * 154 / (2 * 154 + 5 + 29), rel=1e-15)


def test_interval_of_accuracy(ev):
    """0.966 to 0.983, the exact binomial one; the summary's is Wilson's, and says so."""
    exact = ev.estimate("accuracy", method="clopper-pearson")
    assert (printed(exact.low, "0.966"), printed(exact.high, "0.983")) == ("0.966", "0.983")
    assert ev["accuracy"].method == "Wilson"


def test_tests_of_the_table(ev):
    """P[accuracy > NIR] < 2.2e-16; McNemar's p 7.998e-05; kappa's z 33.2 and p 0."""
    table = ev.confusion
    assert table.no_information().p_value < 2.2e-16
    assert f"{table.mcnemar('corrected').p_value:.3e}" == "7.998e-05"
    kappa = table.kappa()
    assert printed(kappa.estimate, "0.8867172") == "0.8867172"
    assert printed(kappa.statistic, "33.2") == "33.2"
    assert printed(kappa.p_value, "0.0") == "0.0"


def test_errors_of_kappa(ev):
    """The printed errors are an old package's: kappa taken for a proportion, 0.01918876, and one for weights.

    Today's package prints Fleiss, Cohen and Everitt's, as here: 0.0190912. Of two classes weights change nothing.
    """
    kappa = ev.confusion.kappa()
    agreed, expected = ev["accuracy"].value, ev["expected_agreement"].value
    assert printed((agreed * (1 - agreed) / ev.n) ** 0.5 / (1 - expected), "0.01918876") == "0.01918876"
    diagonal = [ev.confusion.table_shares[place, place] for place in range(2)]
    assert (
        printed(sum(one * (1 - one) / ev.n for one in diagonal) ** 0.5 / expected, "0.01587936")
        == "0.01587936"
    )
    assert printed(kappa.standard_error, "0.0190912") == "0.0190912"
    assert ev.confusion.kappa("linear").standard_error == pytest.approx(kappa.standard_error, rel=1e-14)


@pytest.mark.parametrize("part", CELLS)
def test_cells_of_the_cross_table(ev, part):
    """Counts, contributions to chi-square, and shares of rows, columns and the table."""
    found = getattr(ev.confusion, part).tolist()
    for row, wanted in zip(found, CELLS[part], strict=True):
        assert [printed(one, like) for one, like in zip(row, wanted, strict=True)] == wanted
    text = str(ev.confusion)
    assert all(like in text for row in CELLS[part] for like in row)


def test_totals_of_the_cross_table(ev):
    """1207 (0.868) and 183 (0.132) down, 1231 (0.886) and 159 (0.114) across, 1390 in all."""
    table = ev.confusion
    assert table.labels == ("ham", "spam")
    assert (table.row_totals.tolist(), table.column_totals.tolist()) == ([1207, 183], [1231, 159])
    assert table.total == 1390
    assert (table.row_totals / 1390).round(3).tolist() == [0.868, 0.132]
    assert (table.column_totals / 1390).round(3).tolist() == [0.886, 0.114]
    text = str(table)
    assert all(share in text for share in ("0.868", "0.132", "0.886", "0.114", "1390"))


def test_curve_stands_with_its_area(ev):
    """The ROC curve's own area is the figure; at the threshold of the predictions it has their rates."""
    curve = ev.curve("roc")
    steps = zip(curve.x[1:], curve.x[:-1], curve.y[1:], curve.y[:-1], strict=True)
    assert printed(abs(sum((a - b) * (c + d) / 2 for a, b, c, d in steps)), "0.9757947") == "0.9757947"
    assert ev.at(0.5).confusion.counts.tolist() == ev.confusion.counts.tolist()


def test_bands_are_hints_with_their_source(ev):
    """Very good and outstanding, by whom it is said, on a screen of 80 columns."""
    lines = str(ev).splitlines()
    assert '   a hint: "very good", by Altman (1991)' in lines
    assert '   a hint: "outstanding", by Hosmer, Lemeshow and Sturdivant (2013)' in lines
    assert len(lines) <= 36
    assert max(map(len, lines)) <= 80


def test_summary_says_what_is_wrong_with_the_probabilities(ev):
    """Positives are more than the probabilities foretell: beyond chance, so that it is said."""
    text = str(ev)
    ratio, low, high = limits_of_observed_to_expected()
    assert (
        f" observed/expected  {ratio:.4f}  [{low:.4f}, {high:.4f}]  modified Wilson on effective rows\n"
        in text
    )
    assert low > 1
    assert "   calibration: the probabilities are too low on the whole\n" in text
    assert text.endswith(' ev.report("report.html") writes the interactive page.')


def limits_of_observed_to_expected():
    """Return the ratio, and Wilson's limits of the share of spam over the expected share.

    The effective rows are those of the ratio's variance, moderated by five rows of the variance that the ratio
    of two independent counts has.
    """
    rows = [(label == "spam", score) for label, score in zip(*messages(), strict=True)]
    n, spam, expected = len(rows), sum(y for y, _ in rows), math.fsum(p for _, p in rows)
    share, ratio = spam / n, spam / expected
    variance = math.fsum((y - ratio * p) ** 2 for y, p in rows) / n**2
    plain = share * (1 - share)
    mean = expected / n
    of_expected = math.fsum((p - mean) ** 2 for _, p in rows) / n / mean**2
    independent = (plain + share**2 * of_expected) / n
    effective = plain / ((spam * variance + 5 * independent) / (spam + 5))
    z = NormalDist().inv_cdf(0.975)
    middle = share + z * z / (2 * effective)
    half = z * math.sqrt(plain / effective + (z / (2 * effective)) ** 2)
    low, high = ((middle + side * half) / (1 + z * z / effective) for side in (-1, 1))
    return ratio, low * n / expected, high * n / expected


def test_as_caret_prints_it(ev):
    """Every line of caret's confusionMatrix is there, in its order."""
    lines = [line.strip() for line in ev.text(like="caret").splitlines()]
    expected = [
        "Prediction  ham spam", "ham 1202   29", "spam    5  154", "Accuracy : 0.9755", "95% CI : (0.966, 0.983)",
        "No Information Rate : 0.8683", "P-Value [Acc > NIR] : < 2.2e-16", "Kappa : 0.8867",
        "Mcnemar's Test P-Value : 7.998e-05", "Sensitivity : 0.8415", "Specificity : 0.9959",
        "Pos Pred Value : 0.9686", "Neg Pred Value : 0.9764", "Prevalence : 0.1317", "Detection Rate : 0.1108",
        "Detection Prevalence : 0.1144", "Balanced Accuracy : 0.9187", "'Positive' Class : spam",
    ]  # fmt: skip
    assert [line for line in lines if line in expected] == expected


def test_as_proc_prints_it(ev):
    """The area has DeLong's plain interval, and the direction is said."""
    text = ev.text(like="pROC")
    assert "1207 controls (actual_type ham) < 183 cases" in text
    area = oracle("sms_proc")["prob_spam"]["ci_auc_delong"]["0.95"]
    limits = f"{area['lower']:.4f}-{area['upper']:.4f}"
    assert f"Area under the curve: {area['auc']:.4f}\n95% CI: {limits} (DeLong)" in text


def test_command_gives_every_figure_as_data(told, path):
    """One command has all of it: figures, cells and tests."""
    found = json.loads(told("evaluate", "--score", "prob_spam", "--positive", "spam", "--json", "--full"))
    for name, like in FIGURES.items():
        assert printed(found["metrics"][name]["value"], like) == like
    for part, wanted in CELLS.items():
        for row, likes in zip(found["confusion"][part], wanted, strict=True):
            assert [printed(one, like) for one, like in zip(row, likes, strict=True)] == likes
    assert found["confusion"]["row_totals"] == [1207, 183]
    assert found["confusion"]["column_totals"] == [1231, 159]
    tests = found["tests"]
    assert tests["no_information"]["p_value"] < 2.2e-16
    assert f"{tests['mcnemar']['p_value']:.3e}" == "7.998e-05"
    assert printed(tests["kappa"]["statistic"], "33.2") == "33.2"
    assert found == assay.evaluate(path, **ROLES).to_dict(full=True)


def test_commands_print_what_the_packages_print(told):
    """As caret prints it, as gmodels does, and as a summary whose advice can be typed."""
    caret = told("evaluate", "--positive", "spam", "--like", "caret")
    for line in ("Accuracy : 0.9755", "95% CI : (0.966, 0.983)", "No Information Rate : 0.8683",
                 "P-Value [Acc > NIR] : < 2.2e-16", "Kappa : 0.8867", "Mcnemar's Test P-Value : 7.998e-05",
                 "Neg Pred Value : 0.9764", "Detection Prevalence : 0.1144", "'Positive' Class : spam"):  # fmt: skip
        assert line in caret
    table = told("crosstab")
    assert all(like in table for part in CELLS.values() for row in part for like in row)
    counts = json.loads(told("crosstab", "--json"))
    assert counts["contributions"][1][1] == pytest.approx(845.876, abs=5e-4)
    assert "row_shares" not in json.loads(told("crosstab", "--json", "--counts-only"))
    text = told("evaluate", "--score", "prob_spam", "--positive", "spam")
    assert "0.9006  [0.8623, 0.9291]" in text
    assert " --report report.html writes the interactive page." in text
    assert "ev." not in text


def test_costs_move_the_threshold(ev):
    """A false alarm that costs five misses: 0.6860, 2 and 32 errors for 5 and 29, 30.2 for 38.8 of cost."""
    chosen = ev.choose_threshold(cost_fp=5, cost_fn=1)
    words = [line.split() for line in str(chosen).splitlines()]
    assert words[0][:3] == ["cost-optimal", "threshold", "0.6860"]
    assert ["false", "positives", "5", "2"] in words
    assert ["false", "negatives", "29", "32"] in words
    assert ["cost", "per", "1,000", "rows", "38.85", "30.22"] in words
