"""What is printed: a screen at most, 80 columns, aligned; all of it on request; and as others print it."""

import re

import numpy as np
import pytest
from evaluated import ACTUAL, CHANCES, CLASS, GUESS, MAKERS, SCORE
from shared import oracle
from sklearn import metrics as peer

import assay
from assay import evaluate
from assay.reports.widths import width


@pytest.mark.parametrize("name", MAKERS)
def test_a_summary_fits_a_screen(name):
    """No line is wider than 80 columns, there are few of them, and no name is cut."""
    ev = MAKERS[name](slice(None))
    lines = str(ev).splitlines()
    assert len(lines) <= 46
    for text in (str(ev), ev.text(full=True)):
        assert max(map(width, text.splitlines())) <= 80
        assert not any(line != line.rstrip() for line in text.splitlines())
    assert "nan" not in str(ev).lower().replace("finance", "")


@pytest.mark.parametrize("name", MAKERS)
def test_the_full_text_has_every_note_and_no_cuts(name):
    """All that an estimate notes is told in full, and nothing ends in dots."""
    ev = MAKERS[name](slice(None))
    text = " ".join(ev.text(full=True).split())
    assert "…" not in text
    for one in ev.values():
        said = one.note if one.defined else one.value.reason
        assert " ".join(said.split()) in text


def test_long_labels_and_large_counts_line_up():
    """Wide letters, line breaks and millions stay in their columns."""
    ev = evaluate([[1_000_000, 2], [3, 4]], labels=["垃圾邮件\n", "a"], positive="a")
    table = [line for line in str(ev).splitlines() if line.startswith((" 垃", " a ", " total"))][:3]
    assert {width(line) for line in table} == {width(table[0])}
    assert "垃圾邮件\\n" in str(ev)


def test_many_classes_are_counted_rather_than_drawn():
    """Of thirty classes the summary says where the whole table is."""
    labels = [f"class {number}" for number in range(30)]
    ev = evaluate(actual=labels * 3, predicted=labels * 2 + labels[::-1])
    assert "30 classes: the whole table is ev.confusion, each class in ev.classes." in str(ev)
    assert len(str(ev).splitlines()) < 25
    assert len(str(ev.classes).splitlines()) == 31
    assert "class 29" in ev.text(full=True)


def test_every_class_has_its_figures_against_the_rest():
    """The table of classes is precision, recall and F1 of each class with their intervals."""
    classes = evaluate(actual=CLASS, predicted=GUESS).classes
    precision, recall, f1, support = peer.precision_recall_fscore_support(CLASS, GUESS)
    for place, label in enumerate(("ant", "bee", "cat")):
        found = [float(classes[label][name]) for name in ("precision", "recall", "f1")]
        assert found == pytest.approx([precision[place], recall[place], f1[place]], rel=1e-12)
        assert classes.support[label] == support[place]
        assert classes[label]["recall"].method == "Wilson"


def test_averages_over_label_sets_have_intervals():
    """Micro, macro and weighted figures of label sets are scikit-learn's, with intervals from the rows."""
    actual, predicted = CHANCES > 0.3, CHANCES > 0.35
    ev = evaluate(actual=actual, predicted=predicted, kind="multilabel")
    for average in ("micro", "macro", "weighted"):
        expected = peer.f1_score(actual, predicted, average=average)
        found = ev[f"{average}_f1"]
        assert float(found) == pytest.approx(expected, rel=1e-12)
        assert found.low < expected < found.high
    lists = [[name for name, there in zip("abc", row, strict=True) if there] for row in actual]
    guessed = [{name for name, there in zip("abc", row, strict=True) if there} for row in predicted]
    by_lists = evaluate(actual=lists, predicted=guessed)
    assert by_lists.kind == "multilabel"
    assert float(by_lists["micro_f1"]) == float(ev["micro_f1"])
    scored = evaluate(actual=actual, score=CHANCES, threshold=0.35, kind="multilabel")
    assert float(scored["macro_f1"]) == pytest.approx(float(ev["macro_f1"]), rel=1e-12)


def test_beta_prevalence_and_costs_are_shown_where_they_are_stated():
    """What the caller said once stands in the figures."""
    table = [[942, 48], [2, 8]]
    plain, stated = (
        str(evaluate(table, labels=[0, 1], **said))
        for said in ({}, {"beta": 2, "prevalence": 0.1, "cost_fp": 1, "cost_fn": 9})
    )
    for word in (" F2 ", "PPV at prevalence", "NPV at prevalence", "cost per row"):
        assert word in stated
        assert word not in plain
    ev = evaluate(table, labels=[0, 1], prevalence=0.1)
    expected = 0.8 * 0.1 / (0.8 * 0.1 + 48 / 990 * 0.9)
    assert float(ev["precision_at_prevalence"]) == pytest.approx(expected)
    caret = " ".join(ev.text(like="caret").split())
    assert f"Pos Pred Value : {expected:.4f}" in caret
    assert "Prevalence : 0.1000" in caret


def test_the_report_is_that_of_scikit_learn():
    """The layout of classification_report, to the character, and its scores under its names."""
    ev = evaluate(actual=CLASS, score=CHANCES)
    guess = np.array(["ant", "bee", "cat"])[CHANCES.argmax(axis=1)]
    text = ev.text(like="sklearn")
    assert text.startswith(peer.classification_report(CLASS, guess).rstrip())
    scores = dict(re.findall(r"^ *(.+?) : (\S+)$", text, re.MULTILINE))
    assert scores == {
        "accuracy_score": f"{peer.accuracy_score(CLASS, guess):.4f}",
        "balanced_accuracy_score": f"{peer.balanced_accuracy_score(CLASS, guess):.4f}",
        "matthews_corrcoef": f"{peer.matthews_corrcoef(CLASS, guess):.4f}",
        "cohen_kappa_score": f"{peer.cohen_kappa_score(CLASS, guess):.4f}",
        "roc_auc_score (ovr, macro)": f"{peer.roc_auc_score(CLASS, CHANCES, multi_class='ovr'):.4f}",
        "roc_auc_score (ovo, macro)": f"{peer.roc_auc_score(CLASS, CHANCES, multi_class='ovo'):.4f}",
        "log_loss": f"{peer.log_loss(CLASS, CHANCES):.4f}",
        "brier_score_loss": f"{peer.brier_score_loss(CLASS, CHANCES):.4f}",
    }


def test_binary_scores_are_those_of_scikit_learn():
    """Two classes and a probability."""
    ev = evaluate(actual=ACTUAL, score=SCORE)
    guess = (SCORE >= 0.5).astype(int)
    text = ev.text(like="sklearn")
    assert text.startswith(peer.classification_report(ACTUAL, guess).rstrip())
    for name in ("roc_auc_score", "average_precision_score", "log_loss", "brier_score_loss"):
        assert f"{name} : {getattr(peer, name)(ACTUAL, SCORE):.4f}" in text


def test_what_scikit_learn_fills_in_is_marked():
    """A class that nothing was predicted has a marked 0 in the report."""
    text = evaluate(actual=[0, 1, 1], predicted=[0, 0, 0]).text(like="sklearn")
    assert "0.00*" in text
    assert "* marks what has no value" in text


def test_yardstick_has_its_names_in_its_order():
    """A tibble of its metrics; several classes are averaged as it does."""
    text = evaluate(actual=ACTUAL, score=SCORE).text(like="yardstick")
    names = re.findall(r"^ *\d+ (\w+)", text, re.MULTILINE)
    assert names == [
        "accuracy", "kap", "sens", "spec", "ppv", "npv", "mcc", "j_index", "bal_accuracy",
        "detection_prevalence", "precision", "recall", "f_meas", "roc_auc", "pr_auc", "average_precision",
        "mn_log_loss", "brier_class",
    ]  # fmt: skip
    several = evaluate(actual=CLASS, predicted=GUESS).text(like="yardstick")
    assert re.search(rf"sens +macro +{peer.recall_score(CLASS, GUESS, average='macro'):.3f}", several)
    assert "rsq" in MAKERS["regression"](slice(None)).text(like="yardstick")


@pytest.mark.parametrize("edition", ["ed1", "ed2to4"])
@pytest.mark.parametrize(
    ("positive", "prevalence", "key"),
    [
        ("spam", None, "caret_positive_spam"),
        ("ham", None, "caret_positive_ham"),
        ("spam", 0.25, "caret_positive_spam_prevalence_0.25"),
    ],
)
def test_every_line_is_what_caret_computed(edition, positive, prevalence, key):
    """R's own figures of the two tables of messages stand in the lines, rounded as R prints them."""
    given = oracle("sms_confusion_caret.json")[edition]
    counts = np.array(given["inputs"]["table"]["values"]).T
    ev = evaluate(counts, labels=["ham", "spam"], positive=positive, prevalence=prevalence)
    lines = dict(re.findall(r"^ *(.+?) : (.+)$", ev.text(like="caret"), re.MULTILINE))
    for name, value in given[key]["byClass"].items():
        if name not in ("Precision", "Recall", "F1"):
            assert float(lines[name]) == pytest.approx(value, abs=5.1e-5)
    overall = given[key].get("overall")
    if overall is not None:
        assert float(lines["Accuracy"]) == round(overall["Accuracy"], 4)
        assert float(lines["Kappa"]) == round(overall["Kappa"], 4)
        limits = [round(overall[f"Accuracy{side}"], 4) for side in ("Lower", "Upper")]
        assert [float(one) for one in lines["95% CI"].strip("()").split(", ")] == limits
        assert lines["P-Value [Acc > NIR]"] == "< 2.2e-16"
        assert float(lines["Mcnemar's Test P-Value"]) == pytest.approx(overall["McnemarPValue"], rel=1e-3)


def test_an_average_without_a_class_is_as_yardstick_has_it():
    """Precision leaves out the class that nothing was predicted as; ppv is NA."""
    text = evaluate(actual=list("aabbcc"), predicted=list("aabbab")).text(like="yardstick")
    assert re.search(r"ppv +macro +NA", text)
    assert re.search(r"precision +macro +0\.667", text)


def test_caret_shows_several_classes_side_by_side():
    """Statistics by class, one against the rest, and Bowker's test in McNemar's place."""
    ev = evaluate(actual=CLASS, predicted=GUESS)
    text = ev.text(like="caret")
    assert "Class: ant Class: bee Class: cat" in text
    recalls = " ".join(f"  {one:.4f}".rjust(10) for one in peer.recall_score(CLASS, GUESS, average=None))
    assert recalls.split() == re.search(r"Sensitivity(.+)", text)[1].split()
    assert max(map(width, text.splitlines())) <= 80


def test_an_ordinary_accuracy_is_no_warning_and_a_useless_one_is():
    """Only where always guessing does as well is accuracy said to say little."""
    assert "says little" not in str(evaluate(actual=ACTUAL, score=SCORE))
    useless = " ".join(str(evaluate([[990, 0], [10, 0]], labels=[0, 1])).split())
    assert "Always guessing 0 would be right at least as often: accuracy says little here." in useless


@pytest.mark.parametrize("name", MAKERS)
def test_markdown_has_the_figures(name):
    """A table of figures, and of classes where there are several."""
    ev = MAKERS[name](slice(None))
    text = ev.to_markdown()
    assert text.startswith("## ")
    assert "| figure | value | interval | method |" in text
    assert ("| class | rows |" in text) == (ev.kind in ("multiclass", "ordinal", "multilabel"))


def test_tables_of_any_source_give_the_same_figures():
    """A list, an array, a frame, a cross table and a tally of the same counts are one evaluation."""
    import pandas as pd  # noqa: PLC0415

    counts = [[1202, 5], [29, 154]]
    labels = ["ham", "spam"]
    table = assay.CrossTable(counts, labels)
    turned = assay.CrossTable(np.array(counts).T, labels, rows="predicted")
    sources = [
        evaluate(counts, labels=labels, positive="spam"),
        evaluate(np.array(counts), labels=labels, positive="spam"),
        evaluate(pd.DataFrame(counts), labels=labels, positive="spam"),
        evaluate(table, positive="spam"),
        evaluate(turned, positive="spam"),
        evaluate(evaluate(counts, labels=labels, positive="spam").tallies["confusion"], positive="spam"),
    ]
    assert len({one.to_json() for one in sources}) == 1
    several = evaluate([[5, 1, 0], [1, 7, 2], [0, 3, 9]], labels=list("abc"), positive="c")
    assert several.confusion.counts.tolist() == [[14, 2], [3, 9]]
