"""What is printed: a screen at most, 80 columns, aligned; all of it on request; and as others print it."""

import contextlib
import re

import numpy as np
import pytest
from sklearn import metrics as peer
from support.evaluations import ACTUAL, CHANCES, CLASS, GUESS, MAKERS, SCORE
from support.reference_figures import messages, oracle

import assay
from assay import evaluate
from assay.formatting.width import width


@pytest.mark.parametrize("name", MAKERS)
def test_a_summary_fits_a_screen(name):
    """No line is wider than 80 columns, there are few of them, and no name is cut."""
    ev = MAKERS[name](slice(None))
    lines = str(ev).splitlines()
    assert len(lines) <= 36
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


LONG = "a label that no terminal of eighty columns could hold on one single line, whatever it tried "
MODELS = {
    "binary": lambda: evaluate(
        actual=[LONG + "1", LONG + "2"] * 9, score=np.linspace(0, 1, 18), positive=LONG + "2", name=LONG
    ),
    "named": lambda: evaluate(
        {LONG: ACTUAL, LONG + "p": SCORE, LONG + "w": 1 + SCORE}, actual=LONG, score=LONG + "p", weight=LONG + "w"
    ),
    "classes": lambda: evaluate(actual=[LONG + one for one in CLASS], predicted=[LONG + one for one in GUESS]),
    "many classes": lambda: evaluate(
        actual=[f"{LONG}{i}" for i in range(200)], predicted=[f"{LONG}{i // 2}" for i in range(200)]
    ),
    "label sets": lambda: evaluate(actual=[[LONG], ["b", LONG]], predicted=[[LONG], ["c"]]),
    "huge numbers": lambda: evaluate(actual=[1e300, 2e300], predicted=[1e300, -2e300], task="regression"),
    "weights": lambda: evaluate(actual=ACTUAL, predicted=ACTUAL, weight=np.full(len(ACTUAL), 1e20)),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_nothing_is_too_long_for_a_screen(name):
    """Whatever labels and columns are called, all texts keep to 80 columns, and the summary to a screen."""
    ev = MODELS[name]()
    texts = [ev.text(), ev.text(full=True)]
    if ev.task.name != "regression":
        texts.append(str(ev.classes))
    if ev.task.name != "multilabel":
        texts.append(str(ev.errors()))
    for like in ("caret", "sklearn", "yardstick", "pROC"):
        with contextlib.suppress(assay.InputError):  # which have no such layout
            texts.append(ev.text(like=like))
    assert len(texts) > 3
    assert max(width(line) for text in texts for line in text.splitlines()) <= 80
    assert len(texts[0].splitlines()) <= 36


def test_labels_that_differ_at_their_end_are_told_apart():
    """A label too long for its column loses its middle."""
    text = MODELS["binary"]()
    heads = [line.split()[0] for line in str(text).splitlines() if line.startswith(" a label")]
    assert len(heads) == 2
    assert "tried 1" in str(text)
    assert "tried 2" in str(text)


def test_one_is_no_plural():
    """One row is a row."""
    assert "· 1 row ·" in str(evaluate(actual=[1], predicted=[0], task="binary"))
    assert "· 1 list" in str(evaluate(actual=[[1, 2]], predicted=[[2, 3]], task="ranking"))


def test_errors_are_said_by_their_kind():
    """Which error is more frequent is said by name, with what was what."""
    told = [
        str(evaluate(counts, labels=["ham", "spam"], positive="spam"))
        for counts in (
            [[9, 5], [2, 7]],
            [[9, 1], [0, 7]],
            [[9, 3], [0, 7]],
            [[9, 3], [3, 7]],
            [[9, 0], [0, 7]],
        )
    ]
    assert "5 of 7 errors are false positives (actual ham, predicted spam)." in told[0]
    assert "The only error is a false positive (actual ham, predicted spam)." in told[1]
    assert "All 3 errors are false positives" in told[2]
    assert "3 errors of each kind." in told[3]
    assert " error" not in told[4]


def test_one_class_alone_says_that_it_shows_nothing():
    """Where all rows are of one class, no figure is recommended that has no value."""
    text = str(evaluate(actual=[1] * 5, score=[0.1, 0.2, 0.3, 0.4, 0.9]))
    assert "All rows are 1: they cannot tell a model from always guessing it." in text
    assert "Look at" not in text
    negatives = evaluate(actual=[0] * 5, score=[0.1, 0.2, 0.3, 0.4, 0.9])
    assert negatives.positive == 1
    assert float(negatives["specificity"]) == 0.8


def test_ranks_below_chance_are_not_called_backwards_for_certain():
    """An area below 0.5 whose interval reaches it may be chance."""
    sure = str(evaluate(actual=[0, 1] * 20, score=[0.9, 0.1] * 19 + [0.1, 0.9]))
    assert "the scores rank backwards" in sure
    assert "mere chance" not in sure
    slight = str(evaluate(actual=[1, 0, 1, 1, 0, 1, 0, 1, 0, 0], score=range(10)))
    assert "the scores rank backwards" in slight
    assert "the interval reaches 0.5: it may be mere chance" in slight


def test_the_full_text_has_all_lines_of_caret():
    """Every figure of confusionMatrix, at four decimals, and McNemar's test labelled as what it is."""
    ev = evaluate([[1202, 5], [29, 154]], labels=["ham", "spam"], positive="spam", prevalence=0.25)
    text = " ".join(ev.text(full=True).split())
    for line in (
        "accuracy 0.9755", "no-information rate 0.8683: accuracy is higher, p < 2.2e-16", "kappa 0.8867",
        "recall (TPR) 0.8415", "specificity 0.9959", "precision (PPV) 0.9686", "NPV 0.9764", "prevalence 0.1317",
        "detection rate 0.1108", "detection prevalence 0.1144", "balanced accuracy 0.9187", "positive class: spam",
        "PPV at prevalence", "NPV at prevalence",
        "McNemar's test, continuity-corrected against the truth", "as often as it occurs: p = 7.998e-05",
    ):  # fmt: skip
        assert line in text
    several = " ".join(evaluate(actual=CLASS, predicted=GUESS).text(full=True).split())
    assert "Bowker's test of symmetry against the truth" in several


def test_caret_has_no_test_where_two_classes_were_never_confused():
    """R's statistic is then 0/0."""
    text = evaluate([[5, 1, 0], [2, 7, 1], [0, 3, 9]], labels=list("abc")).text(like="caret")
    assert "Mcnemar's Test P-Value : NA" in text
    assert "ev.confusion.bowker() leaves such pairs out" in " ".join(text.split())


def test_yardsticks_figures_of_the_messages():
    """The areas and losses that yardstick has for the spam filter."""
    text = evaluate(
        actual=messages()[0], score=messages()[1], positive="spam"
    ).text(like="yardstick")  # fmt: skip
    areas = oracle("precision_recall_areas")["prob_spam"]
    expected = {
        "roc_auc": oracle("sms_proc")["prob_spam"]["auc"],
        "pr_auc": areas["trapezoid"],
        "average_precision": areas["average_precision"],
    }
    for name, value in expected.items():
        assert re.search(rf"{name} +binary +{value:.3f}", text)


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
    ev = evaluate(actual=actual, predicted=predicted, task="multilabel")
    for average in ("micro", "macro", "weighted"):
        expected = peer.f1_score(actual, predicted, average=average)
        found = ev[f"{average}_f1"]
        assert float(found) == pytest.approx(expected, rel=1e-12)
        assert found.low < expected < found.high
    lists = [[name for name, there in zip("abc", row, strict=True) if there] for row in actual]
    guessed = [{name for name, there in zip("abc", row, strict=True) if there} for row in predicted]
    by_lists = evaluate(actual=lists, predicted=guessed)
    assert by_lists.task.name == "multilabel"
    assert float(by_lists["micro_f1"]) == float(ev["micro_f1"])
    scored = evaluate(actual=actual, score=CHANCES, threshold=0.35, task="multilabel")
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


def yardstick(ev):
    """Return yardstick's estimates by their names, as printed."""
    found = re.findall(r"^ *\d+ (\w+) +\w+ +(\S+)$", ev.text(like="yardstick"), re.MULTILINE)
    return dict(found)


def test_yardstick_leaves_out_what_has_no_value():
    """A class that was never predicted has no precision there and so no F; one that never occurs no recall.

    precision.R, f_meas.R, sens.R, spec.R and j_index.R average with na.rm = TRUE; ppv.R, npv.R and
    bal_accuracy.R do not. Of the classes a, b, c: recall 8/10, 6/10, 0/5; precision 8/12, 6/13, none.
    """
    table = [[8, 2, 0], [4, 6, 0], [0, 5, 0]]
    found = yardstick(evaluate(table, labels=["a", "b", "c"]))
    a, b = 2 * 8 / (10 + 12), 2 * 6 / (10 + 13)
    assert found["f_meas"] == f"{(a + b) / 2:.3f}"
    assert found["precision"] == f"{(8 / 12 + 6 / 13) / 2:.3f}"
    assert found["recall"] == found["sens"] == f"{(8 / 10 + 6 / 10 + 0) / 3:.3f}"
    assert found["ppv"] == "NA"
    never = yardstick(evaluate([[8, 1, 1], [4, 5, 1], [0, 0, 0]], labels=["a", "b", "c"]))
    assert never["recall"] == never["sens"] == f"{(8 / 10 + 5 / 10) / 2:.3f}"
    assert never["precision"] == f"{(8 / 12 + 5 / 6 + 0 / 2) / 3:.3f}"
    assert never["j_index"] == f"{((8 / 10 + 6 / 10 - 1) + (5 / 10 + 9 / 10 - 1)) / 2:.3f}"
    assert never["f_meas"] == f"{(2 * 8 / 22 + 2 * 5 / 16) / 2:.3f}"
    assert (never["ppv"], never["npv"], never["bal_accuracy"]) == ("NA", "NA", "NA")


def test_yardstick_has_no_f_of_two_classes_where_nothing_was_predicted_positive():
    """NA, where an F of 0 would follow from the counts; and no ppv where nothing is positive."""
    found = yardstick(evaluate(actual=[0, 0, 1, 1], predicted=[0, 0, 0, 0], task="binary"))
    assert (found["f_meas"], found["precision"], found["ppv"], found["recall"]) == ("NA", "NA", "NA", "0.00")
    none = yardstick(evaluate(actual=[0, 0, 0, 0], predicted=[0, 1, 0, 0], task="binary", labels=[0, 1]))
    assert (none["ppv"], none["npv"], none["precision"], none["f_meas"]) == ("NA", "NA", "0.00", "NA")


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
    assert "| metric | value | interval | method |" in text
    assert ("| class | rows |" in text) == (ev.task.name in ("multiclass", "ordinal", "multilabel"))


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


def test_design_effects_have_a_name():
    """A column of the table in Markdown, a line under its metric in the full text; once each."""
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 2, 200)
    ev = assay.evaluate(actual=actual, score=rng.random(200), group=np.arange(200) // 10)
    markdown = ev.to_markdown()
    (heads,) = [line for line in markdown.splitlines() if line.startswith("| metric")]
    assert heads == "| metric | value | interval | method | design effect of 20 groups |"
    (auc,) = [line for line in markdown.splitlines() if line.startswith("| ROC AUC")]
    assert auc.endswith(f"| {ev['auc'].design_effect:.2f} |")
    assert markdown.count("design effect") == 1
    assert not any(line.startswith("- 20 groups") for line in markdown.splitlines())
    assert f"20 groups, design effect {ev['auc'].design_effect:.2f}" in ev.text(full=True)
    assert "design effect" not in assay.evaluate(actual=actual, score=rng.random(200)).to_markdown()


def test_remarks_in_markdown_name_their_metric():
    """They stand below the table, away from its lines."""
    ev = assay.evaluate(actual=[0, 1] * 30, score=np.tile([0.2, 0.8], 30))
    assert "- average precision: chance alone has 0.5000, the share of positives" in ev.to_markdown()
