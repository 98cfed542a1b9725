"""Requirements on the command line: metrics as MetricSpec reads them, and verdicts in every form."""

import json

import pytest

from assay.cli import main
from assay.cli.options import metric_list

BINARY = ["evaluate", "preds.csv", "--actual", "type", "--score", "p_spam", "--positive", "spam"]
CUT = [*BINARY, "--threshold", "0.5"]
LABELS = ["evaluate", "preds.csv", "--actual", "region", "--predicted", "region"]


@pytest.mark.parametrize(
    ("words", "requirement", "code"),
    [
        (LABELS, "macro f1 >= 0.9", 0),
        (LABELS, "macro_f1 >= 0.9", 0),
        (LABELS, "weighted kappa > 2", 2),
        (BINARY, "auc > 0.999", 1),
        (CUT, "f_beta(beta=2) >= 0", 0),
        (CUT, "f_beta(beta=2) > 1", 1),
    ],
)  # fmt: skip
def test_a_metric_is_written_as_in_python(words, requirement, code, here, capfd):
    """An average before the name and options in brackets are read, and the value is tested."""
    assert main([*words, "--require-point", requirement]) == code
    if code == 1:
        assert f"{requirement} is not met: it is " in capfd.readouterr().err


def test_verdicts_are_in_json_and_markdown(here, capfd):
    """Whether a requirement is met stands in what is written, not on standard error alone."""
    required = ["--require", "auc >= 0.5", "--require-point", "auc >= 0.999"]
    assert main([*BINARY, *required, "--json"]) == 1
    first, second = json.loads(capfd.readouterr().out)["requirements"]
    assert first == {"requirement": "auc >= 0.5", "met": True, "reason": None}
    assert not second["met"]
    assert second["reason"].startswith("it is 0.")
    assert main([*BINARY, *required, "--markdown"]) == 1
    text = capfd.readouterr().out
    assert "- [x] `auc >= 0.5`\n- [ ] `auc >= 0.999`: it is 0." in text


def test_verdicts_of_a_cross_validation_are_data_too(here, capfd):
    """The same holds for crossval, whose metrics are those that were asked for."""
    words = ["crossval", "data.csv", "--target", "default", "--model", "sklearn.naive_bayes:GaussianNB",
             "--positive", "yes"]  # fmt: skip
    assert main([*words, "--folds", "3", "--without", "day", "--metrics", "accuracy,macro f1",
                 "--require-point", "macro f1 > 1", "--json"]) == 1  # fmt: skip
    (verdict,) = json.loads(capfd.readouterr().out)["requirements"]
    assert verdict["requirement"] == "macro f1 > 1"


@pytest.mark.parametrize("form", [[], ["--markdown"]], ids=["text", "markdown"])
def test_quiet_prints_no_remarks(form, here, capfd):
    """What explains the numbers is left out; the numbers are the same."""
    assert main([*BINARY, *form]) == 0
    full = capfd.readouterr().out
    assert "weighs the two" in full
    assert main([*BINARY, *form, "--quiet"]) == 0
    quiet = capfd.readouterr().out
    assert "weighs the two" not in quiet
    assert "--report" not in quiet
    assert set(quiet.splitlines()) <= set(full.splitlines())
    assert "AUC" in quiet


def test_metrics_are_listed_with_their_options():
    """Commas within brackets belong to a metric."""
    assert metric_list("auc, f_beta(beta=2, average=macro),macro f1") == [
        "auc",
        "f_beta(beta=2, average=macro)",
        "macro f1",
    ]


@pytest.mark.parametrize("form", ["", " --markdown", " --full"])
def test_quiet_leaves_out_what_is_said_under_a_metric_too(form, here, capfd):
    """Words of scales, shares of chance; values, intervals and methods stay."""
    run = ["evaluate", "preds.parquet", "--actual", "y", "--score", "p", *form.split()]
    assert main(run) == 0
    loud = capfd.readouterr().out
    assert main([*run, "--quiet"]) == 0
    quiet = capfd.readouterr().out
    assert "chance alone has" in loud
    assert "chance alone has" not in quiet
    assert "average precision" in quiet


COMPARE = ["compare", "two.csv", "--actual", "y", "--score", "a", "--score", "b"]


@pytest.mark.parametrize(
    ("required", "code", "words"),
    [
        (["auc no worse than a by 0.2"], 0, ""),
        (["auc no worse than a by 0.0001"], 1, "auc no worse than a by 0.0001 is not met: it is "),
        (["auc no worse than a by 0.2", "auc >= 0.5"], 0, ""),
        (["auc >= 0.999"], 1, "auc >= 0.999 is not met: it is 0."),
        (["auc better than b"], 2, "names no model that b, the last one, is compared with: these are a"),
        (["auc no worse than c by 0.1"], 2, "names no model"),
        (["auc no worse than a"], 2, "cannot be read"),
        (["auc >= 0.5 in every region"], 2, "cannot be read"),
        (["auc no worse than a by 1.5"], 2, "is always met"),
        (["nonsense >= 1"], 2, "nonsense"),
    ],
)
def test_compare_has_requirements_on_the_last_model(required, code, words, here, capfd):
    """Against the others and by itself, with the exit codes of the gate."""
    options = [word for text in required for word in ("--require", text)]
    assert main([*COMPARE, *options]) == code
    out, err = capfd.readouterr()
    assert words in err
    assert bool(out) == (code < 2)
    if code < 2:
        assert f"{'met' if code == 0 else 'NOT met'}  {required[0]}" in out


def test_requirements_of_compare_are_tested_as_in_the_gate(here, capfd):
    """The improvement's bound is that of the comparison at the confidence by which it was tested, as Holm has it."""
    required = ["--require", "auc no worse than a by 0.2", "--require", "auc >= 0.9999"]
    assert main([*COMPARE, *required, "--json"]) == 1
    first, second = json.loads(capfd.readouterr().out)["requirements"]
    assert (first["confidence"], second["confidence"]) == (0.975, 0.95)
    assert main([*COMPARE, "--metrics", "auc", "--confidence", "0.975", "--json"]) == 0
    (difference,) = json.loads(capfd.readouterr().out)["differences"]
    assert (first["low"], first["high"]) == pytest.approx((difference["low"], difference["high"]), abs=1e-12)
    assert main([*COMPARE, *required, "--correction", "none", "--json"]) == 1
    assert [each["confidence"] for each in json.loads(capfd.readouterr().out)["requirements"]] == [0.95, 0.95]


def test_models_of_other_rows_and_saved_ones_are_not_paired(here, capfd):
    """Without pairs of rows the interval is wider; the table says so in JSON."""
    required = ["--require", "auc no worse than a by 0.9", "--json"]
    for words, paired in (
        (COMPARE, True), ([*COMPARE, "--unpaired"], False),
        (["compare", "1.assay", "2.assay", "--model-names", "a,b"], False),
    ):  # fmt: skip
        text = [*words, *required]
        if words[1] == "1.assay":
            text = [word.replace("auc", "accuracy") for word in text]
        assert main(text) == 0, words
        (result,) = json.loads(capfd.readouterr().out)["requirements"]
        assert result["paired"] is paired
