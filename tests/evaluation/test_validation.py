"""Wrong usage as a new user would try it: each mistake is told with what to do."""

import numpy as np
import pandas as pd
import pytest

import assay
from assay import evaluate

ACTUAL, SCORE = [0, 1, 1, 0], [0.1, 0.8, 0.6, 0.3]
WORDS = ["ham", "spam", "spam", "ham"]
FRAME = pd.DataFrame({"y": ACTUAL, "prob_spam": SCORE, "label": WORDS})
EV = evaluate(actual=ACTUAL, predicted=ACTUAL)

CASES = {
    # without roles
    "two columns without roles": (lambda: evaluate(ACTUAL, ACTUAL), r"evaluate\(actual=\.\.\., predicted"),
    "names without roles": (lambda: evaluate(FRAME, "y", "prob_spam"), r"must be said, as in .*actual="),
    "one list": (lambda: evaluate(ACTUAL), r"one column of 4 values: say what it is"),
    "one array": (lambda: evaluate(np.array(ACTUAL)), r"one column of 4 values: say what it is"),
    "one series": (lambda: evaluate(FRAME["y"]), r"one column of 4 values: say what it is"),
    "a frame alone": (lambda: evaluate(FRAME), r'must be said by name, .*Columns: "y", "prob_spam", "label"'),
    "a dict alone": (lambda: evaluate({"y": ACTUAL, "p": SCORE}), r'Columns: "y", "p"'),
    "a number": (lambda: evaluate(3), r"which columns of the int are which"),
    "nothing": (evaluate, r"pass at least actual= and predicted= or score="),
    "a file to judge that is not there": (lambda: evaluate("preds.csv", actual="y", score="p"), r"there is no file preds.csv"),
    "only what was true": (lambda: evaluate(actual=ACTUAL), r"needs predicted= .*score="),
    "only what was predicted": (lambda: evaluate(predicted=ACTUAL), r"needs actual=, what was true"),
    "names without a table": (lambda: evaluate(actual="y", predicted="yhat"), r"Pass the table first"),
    "a column misspelt": (lambda: evaluate(FRAME, actual="y", score="prob_spma"), r'Did you mean "prob_spam"\?'),
    "roles beside rows": (lambda: evaluate(assay.rows(actual=ACTUAL, predicted=ACTUAL), score=SCORE), r"pass them to assay\.rows"),
    # roles mixed up
    "scores as predictions": (lambda: evaluate(actual=ACTUAL, predicted=SCORE), r"pass them as score="),
    "scores beside words": (lambda: evaluate(actual=WORDS, predicted=SCORE, positive="spam"), r"pass them as score="),
    "actual and predicted exchanged": (lambda: evaluate(actual=SCORE, predicted=ACTUAL), r"are the two exchanged\?"),
    "actual and score exchanged": (lambda: evaluate(actual=SCORE, score=ACTUAL), r"are the two exchanged\?"),
    "labels as scores": (lambda: evaluate(actual=WORDS, score=WORDS, positive="spam"), r"pass labels as predicted="),
    "numbers as text": (lambda: evaluate(actual=ACTUAL, score=["0.1"] * 4), r"must be made numbers first"),
    "lengths": (lambda: evaluate(actual=ACTUAL, score=SCORE[:3]), r"actual has 4 values, score has 3"),
    "no rows": (lambda: evaluate(actual=[], predicted=[]), r"no rows to evaluate"),
    "a missing value": (lambda: evaluate(actual=ACTUAL, score=[0.1, None, 0.3, 0.4]), r'row 1.*missing="drop"'),
    "missing misspelt": (lambda: evaluate(actual=ACTUAL, predicted=ACTUAL, missing="ignore"), r'"refuse" or "drop"'),
    "a weight below 0": (lambda: evaluate(actual=ACTUAL, predicted=ACTUAL, weight=[1, -1, 1, 1]), r"0 or more"),
    "dates": (lambda: evaluate(actual=np.zeros(2, "M8[D]"), predicted=[1, 2]), r"dates into text or numbers"),
    # labels
    "no positive class said": (lambda: evaluate(actual=WORDS, predicted=WORDS), r"with positive=, or .*multiclass"),
    "a positive class that is not there": (lambda: evaluate(actual=WORDS, predicted=WORDS, positive="Spam"), r'labels are "ham", "spam"'),
    "a number for a word": (lambda: evaluate(actual=WORDS, predicted=WORDS, positive=1), r'actual holds "ham", "spam"'),
    "a word for a number": (lambda: evaluate(actual=ACTUAL, predicted=ACTUAL, positive="1"), r"actual holds 0, 1"),
    "words beside numbers": (lambda: evaluate(actual=WORDS, predicted=ACTUAL, positive="spam"), r"all text or all numbers"),
    "a label not declared": (lambda: evaluate(actual=list("abc"), predicted=list("abd"), labels=list("abc")), r'label "d" \(first at row 2'),
    "labels as one text": (lambda: evaluate(actual=list("abc"), predicted=list("abc"), labels="abc"), r"pass a list of labels"),
    "grades without an order": (lambda: evaluate(actual=["lo", "hi"], predicted=["lo", "hi"], task="ordinal"), r"lowest first, with labels="),
    "whole numbers": (lambda: evaluate(actual=[1, 2, 3], predicted=[1, 2, 2]), r'say task="multiclass", "ordinal" or "regression"'),
    # kinds and numbers said beside the rows
    "a kind of another package": (lambda: evaluate(actual=ACTUAL, predicted=ACTUAL, task="classification"), r'Did you mean "binary" or "multiclass"\?'),
    "a kind misspelt": (lambda: evaluate(actual=ACTUAL, predicted=ACTUAL, task="multi-class"), r'Did you mean "multiclass"\?'),
    "confidence in percent": (lambda: evaluate(actual=ACTUAL, predicted=ACTUAL, confidence=95), r"between 0 and 1, such as 0\.95"),
    "confidence as text": (lambda: evaluate(actual=ACTUAL, predicted=ACTUAL, confidence="95%"), r"between 0 and 1, such as 0\.95"),
    "prevalence in percent": (lambda: evaluate(actual=ACTUAL, predicted=ACTUAL, prevalence=10), r"between 0 and 1, such as 0\.1"),
    "beta below 0": (lambda: evaluate(actual=ACTUAL, predicted=ACTUAL, beta=-1), r"0 or more"),
    "a cost below 0": (lambda: evaluate(actual=ACTUAL, predicted=ACTUAL, cost_fp=-5, cost_fn=1), r"0 or more"),
    "a threshold without scores": (lambda: evaluate(actual=WORDS, predicted=WORDS, positive="spam", threshold=0.5), r"pass score=, or leave threshold= out"),
    "a threshold and predictions": (lambda: evaluate(actual=ACTUAL, predicted=ACTUAL, score=SCORE, threshold=0.5), r"leave predicted= out .*or threshold="),
    "a threshold as text": (lambda: evaluate(actual=ACTUAL, score=SCORE, threshold="0.5"), r"is no number"),
    "a threshold for several classes": (lambda: evaluate(actual=list("abc"), predicted=list("abc"), task="multiclass", threshold=0.5), r"has no use where task"),
    "a threshold for a ready table": (lambda: evaluate([[1, 2], [3, 4]], labels=[0, 1], threshold=0.5), r"leave it out"),
    "no depth": (lambda: evaluate(actual=ACTUAL, score=SCORE, query=[1, 1, 2, 2], k=0), r"k=0 should be a whole number of at least 1"),
    "lists without scores": (lambda: evaluate(actual=ACTUAL, predicted=ACTUAL, query=[1, 1, 2, 2]), r"need score="),
    "a name that is none": (lambda: evaluate(actual=ACTUAL, predicted=ACTUAL, name=3), r"what to call the model: text"),
    # scores of several classes
    "one score for three classes": (lambda: evaluate(actual=list("abc"), score=SCORE[:3]), r"with positive= to evaluate it against the rest"),
    "one score, several classes said": (lambda: evaluate(actual=list("abc"), score=SCORE[:3], task="multiclass"), r"a column of scores for each"),
    "too few columns of scores": (lambda: evaluate(actual=list("abc"), score=np.full((3, 2), 0.5)), r"in order, with labels="),
    "a column for a strange class": (lambda: evaluate(actual=list("ab"), score={"a": [0.1, 0.2], "c": [0.9, 0.8]}), r"with labels="),
    "two columns, no positive class": (lambda: evaluate(actual=WORDS, score=np.full((4, 2), 0.5)), r"with positive=, or .*multiclass"),
    "three columns and a positive class": (lambda: evaluate(actual=list("abc"), score=np.full((3, 3), 1 / 3), positive="a"), r"pass the positive class's column alone"),
    "one-hot rows": (lambda: evaluate(actual=np.eye(3), predicted=np.eye(3)), r"argmax"),
    # rows of several labels
    "one label a row": (lambda: evaluate(actual=WORDS, predicted=WORDS, task="multilabel"), r'leave out task="multilabel"'),
    "lists beside a table": (lambda: evaluate(actual=[["a"], ["b", "a"]], predicted=np.eye(2), task="multilabel"), r"pass both in the same form"),
    "a positive class of label sets": (lambda: evaluate(actual=[["a"]], predicted=[["b"]], positive="a"), r"leave it out"),
    "label sets of other lengths": (lambda: evaluate(actual=[["a"], ["b"]], predicted=[["b"]]), r"actual has 2 rows, predicted has 1"),
    "a 2 among 0 and 1": (lambda: evaluate(actual=[[1, 0], [1, 2]], predicted=[[1, 0], [0, 1]], task="multilabel"), r"holds 2 \(row 1, column 1\), not 0 or 1"),
    "edges of label sets without a column": (lambda: evaluate(actual=[["a"]], predicted=[["b"]], edges={"age": [1]}), r"edges="),
    "label sets without labels": (lambda: evaluate(actual=[[], []], predicted=[[], []], task="multilabel"), r"declare the labels with labels="),
    "a label set that is missing": (lambda: evaluate(actual=[["a"], None], predicted=[["a"], ["b"]]), r'row 1, counting from 0.*missing="drop"'),
    "tables that name other labels": (lambda: evaluate(actual=pd.DataFrame({"a": [1], "b": [0]}), predicted=pd.DataFrame({"a": [1], "c": [0]}), task="multilabel"), r'"b", "c" is in one of them only'),
    "a column of label sets misspelt": (lambda: evaluate({"tags": [["a"]]}, actual="tgas", predicted="tags", task="multilabel"), r'Did you mean "tags"\?'),
    "labels of sets as one text": (lambda: evaluate(actual=np.eye(2), predicted=np.eye(2), labels="ab", task="multilabel"), r"pass a list of labels"),
    "text as scores of labels": (lambda: evaluate(actual=np.eye(2), score=np.array([["a", "b"], ["c", "d"]]), threshold=0.5, task="multilabel"), r"pass labels as predicted="),
    # what would be ignored
    "a prevalence of several classes": (lambda: evaluate(actual=list("abc"), predicted=list("abc"), prevalence=0.1), r"prevalence= is for two classes.*positive="),
    "a beta of a table of several classes": (lambda: evaluate([[1, 0, 0]] * 3, labels=list("abc"), beta=2), r"beta= is for two classes"),
    "costs of a regression": (lambda: evaluate(actual=[0.1, 0.2], predicted=[0.1, 0.3], cost_fp=1, cost_fn=2), r"cost_fp= and cost_fn= is for two classes"),
    "a positive class of a multiclass problem": (lambda: evaluate(actual=list("abc"), predicted=list("abc"), positive="a", task="multiclass"), r"evaluated alike"),
    "weights of ranked rows": (lambda: evaluate(actual=ACTUAL, score=SCORE, query=[1, 1, 2, 2], weight=[1, 2, 3, 4]), r"weight= has no use: leave it out"),
    "weights of lists of items": (lambda: evaluate(actual=[[1]], predicted=[[1]], task="ranking", weight=[2]), r"weight= has no use beside lists .*query="),
    "a positive class that may be absent": (lambda: evaluate(actual=["ham"] * 3, score=SCORE[:3], positive="spam"), r"declare all labels with labels="),
    "several columns of whole numbers": (lambda: evaluate(actual=np.arange(8).reshape(4, 2), predicted=np.ones((4, 2))), r'task="regression" for several numbers'),
    "several predictions of one value": (lambda: evaluate(actual=[0.5, 1.5], predicted=np.ones((2, 3))), r"predicted has 3 columns, but actual one"),
    "outputs of other numbers": (lambda: evaluate(actual=np.ones((4, 2)) / 3, predicted=np.ones((4, 3))), r"actual has 2 columns, predicted has 3"),
    "several columns of one class": (lambda: evaluate(actual=np.eye(3), predicted=np.eye(3), task="multiclass"), r'actual has 3 columns, but task="multiclass" has one value per row'),
    "several columns of a list": (lambda: evaluate(actual=np.eye(3), predicted=np.eye(3), query=[1, 1, 2]), r"query= has no use for rows of several labels"),
    "a threshold of label sets": (lambda: evaluate(actual=np.eye(3), predicted=np.eye(3), threshold=0.5, task="multilabel"), r"pass score=, or leave threshold= out"),
    "a regression of label scores": (lambda: evaluate(actual=np.eye(3), score=np.eye(3), task="regression"), r"needs predicted= numbers"),
    "one output for several": (lambda: EV.outputs, r"there is one output"),
    "one output for an average": (lambda: evaluate(actual=[0.5, 1.5], predicted=[1.0, 1.0])["macro mae"], r"average"),
    "several outputs for one": (lambda: evaluate(actual=np.ones((4, 2)) / 3, predicted=np.ones((4, 2)))["mae"], r"average"),
    "records": (lambda: evaluate([{"y": 0, "p": 1}], actual="y", predicted="p"), r"pandas\.DataFrame\(records\)"),
    # ready tables
    "a table with totals": (lambda: evaluate(pd.crosstab(np.array(WORDS), np.array(WORDS), margins=True), positive="spam"), r'"All", are totals of the others'),
    "a frame that names other labels": (lambda: evaluate(pd.DataFrame([[1, 2], [3, 4]], index=list("ab"), columns=list("ab")), labels=list("ac")), r'names "b", which is not among the labels'),
    "nested dicts of words": (lambda: evaluate({"a": {"a": "x"}, "b": {"b": "y"}}, positive="a"), r"holds text"),
    "a table without labels": (lambda: evaluate([[8, 2], [1, 9]]), r"needs labels=, in the order"),
    "a ragged table": (lambda: evaluate([[8, 2], [1]], labels=[0, 1]), r"one count per label"),
    "shares for counts": (lambda: evaluate([[0.5, 0.1], [0.2, 0.2]], labels=[0, 1]), r"Multiply shares by"),
    "a count below 0": (lambda: evaluate([[5, -1], [2, 2]], labels=[0, 1]), r"holds -1 \(actual 0, predicted 1\)"),
    "too many labels": (lambda: evaluate([[5, 1], [2, 2]], labels=[0, 1, 2]), r"2 rows and columns, but 3 labels"),
    "rows in place of a table": (lambda: evaluate(np.ones((5, 2))), r"passed by role"),
    "a table of nothing": (lambda: evaluate([[0, 0], [0, 0]], labels=[0, 1]), r"all its counts are 0"),
    "a table of words": (lambda: evaluate([["a", "b"], ["c", "d"]], labels=[0, 1]), r"holds text"),
    "a table without a positive class": (lambda: evaluate([[5, 1], [2, 2]], labels=["a", "b"]), r"with positive="),
    # numbers
    "words in a regression": (lambda: evaluate(actual=WORDS, predicted=WORDS, task="regression"), r"Pass a column of numbers"),
    "scores in a regression": (lambda: evaluate(actual=[0.1, 0.2], score=[0.1, 0.2], task="regression"), r"needs predicted= numbers"),
    # asking what is not there
    "a metric misspelt": (lambda: EV["acuracy"], r"Did you mean accuracy"),
    "an area without scores": (lambda: EV["auc"], r"needs scores: pass score= beside actual="),
    "another threshold without scores": (lambda: EV.at(0.3), r"pass score= beside actual="),
    "a curve misspelt": (lambda: evaluate(actual=ACTUAL, score=SCORE).curve("rco"), r"there are roc, "),
    "a program not known": (lambda: EV.text(like="weka"), r'use "caret", "sklearn", "yardstick" or "pROC"'),
    "a ROC curve of labels": (lambda: EV.text(like="pROC"), r"pass score= of two classes"),
    "caret's table without predictions": (lambda: evaluate(actual=ACTUAL, score=[1, 5, 9, 2]).text(like="caret"), r"pass predicted=, or threshold="),
    "a class not there": (lambda: EV.classes["z"], r"the classes are 0, 1"),
    "a table of a regression": (lambda: evaluate(actual=[0.1, 0.2], predicted=[0.1, 0.3]).confusion, r"this is a regression task"),
    "merging a number": (lambda: EV.merge(3), r"merges with another, not with a int"),
    "merging other problems": (lambda: EV.merge(evaluate(actual=[0.1, 0.2], predicted=[0.1, 0.3])), r"say task= for both"),
    "merging another confidence": (lambda: EV.merge(evaluate(actual=ACTUAL, predicted=ACTUAL, confidence=0.9)), r"Make both alike"),
    "merging other labels": (lambda: evaluate(actual=["ham"], predicted=["ham"], positive="ham").merge(evaluate(actual=WORDS, predicted=WORDS, positive="ham")), r"declare the same labels="),
    "mistakes of another kind": (lambda: EV.errors()["fp"], r'only "false_positives", "false_negatives"'),
    "a frame library not known": (lambda: EV.to_frame("excel"), r'use "pandas", "polars", "pyarrow"'),
    "a folder that is not there": (lambda: EV.save("no/such/folder/one.assay"), r"cannot be written: there is no folder no/such/folder"),
    "a file that is not there": (lambda: assay.load("no-such-file.assay"), r"there is no file"),
    "a file of something else": (lambda: assay.load(__file__), r"no evaluation that assay saved"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_mistake_is_told_with_what_to_do(name):
    """The error is one of assay's own, ends as a sentence, and says what to do."""
    call, said = CASES[name]
    with pytest.raises(assay.AssayError, match=rf"(?s){said}") as caught:
        call()
    assert str(caught.value).endswith((".", "?"))


def test_probabilities_of_the_wrong_class_are_seen():
    """Scores that rank backwards are told, with what they would have turned round."""
    text = str(evaluate(actual=ACTUAL, score=[1 - one for one in SCORE]))
    assert "below 0.5: the scores rank backwards; reversed they have 1.0000" in text


def test_percentages_are_seen():
    """Scores up to 100 are told to be no probabilities, and why."""
    text = str(evaluate(actual=ACTUAL, score=[10, 80, 60, 30]))
    assert "not probabilities (they reach 80; divide percentages by 100)" in " ".join(text.split())


def test_what_was_inferred_is_told():
    """Nothing is taken silently: the positive class, the threshold and the kind are printed."""
    ev = evaluate(actual=ACTUAL, score=np.column_stack([1 - np.array(SCORE), SCORE]))
    told = " ".join(str(ev).split())
    assert "the labels are 0, 1, of which 1 is positive" in told
    assert "cut at 0.5 for the counts" in told
    assert "the scores are column 1, that of 1" in told
    assert float(ev["auc"]) == 1
