"""Bad input, as people make it: every case has our own exception and a sentence that helps."""

import math

import numpy as np
import pytest

import assay
from assay import metrics

NAN, INF = math.nan, math.inf


def confusion(actual, predicted, **more):
    return assay.Confusion.of(assay.rows(actual=actual, predicted=predicted, **more))


def scores(actual, score, **more):
    return assay.Scores.of(assay.rows(actual=actual, score=score, **more))


def binned(actual, score, **more):
    return assay.BinnedScores.of(assay.rows(actual=actual, score=score, **more))


def log_losses(actual, score, **more):
    return assay.Losses.log_losses(assay.rows(actual=actual, score=score), **more)


def brier(actual, score, **more):
    return metrics.brier.tally(assay.rows(actual=actual, score=score, **more))


def confident(actual, score):
    return assay.Confidences.of(assay.rows(actual=actual, score=score))


def moments(actual, predicted, **more):
    return assay.Moments.of(assay.rows(actual=actual, predicted=predicted, **more))


def ranked(**roles):
    return assay.Queries.of(assay.rows(**roles))


def lists(actual, predicted, **more):
    return assay.Queries.of_lists(actual=actual, predicted=predicted, **more)


def confused(*pairs, **more):
    actual, predicted = zip(*pairs, strict=True)
    return confusion(list(actual), list(predicted), **more)


Y = assay.column([0, 1])
FRAME = {"actual_type": ["ham", "spam"], "predict_type": ["ham", "ham"], "prob_spam": [0.1, 0.9]}

CASES = [
    # lengths
    (lambda: confusion([0, 1], [0]), assay.LengthError, "actual has 2 values, predicted has 1"),
    (lambda: scores([0] * 15, [0.1] * 14), assay.LengthError, "actual has 15 values, score has 14"),
    (lambda: confusion([0], [0], weight=[1, 2]), assay.LengthError, "weight has 2"),
    (lambda: confusion([0], [0], by=[["a", "b"]]), assay.LengthError, "by has 2"),
    (assay.rows, assay.LengthError, "no columns were given"),
    (lambda: lists([[1]], [[1], [2]]), assay.LengthError, "actual has 1 list, predicted has 2"),
    (lambda: lists([[1]], [[1]], query=[1, 2]), assay.LengthError, "query has 2 values for 1 list[.]"),
    # scores of several classes
    (lambda: assay.rows(actual=["a", "c"], score=np.eye(2, 3)), assay.LabelError, 'score has 3 columns, but the labels in actual are "a", "c": say whose'),
    (lambda: assay.rows(actual=["a", "c"], score={"a": [1, 2], "b": [1, 3]}), assay.LabelError, 'score has the columns "a", "b", but the labels in actual are "a", "c"'),
    (lambda: assay.rows(actual=["a", "c"], score={"a": [1, 2], "b": [1, 3]}, labels=["a", "c"]), assay.LabelError, "labels declared"),
    (lambda: assay.rows("rows.csv", actual="y", score="p"), assay.ColumnError, "read it first, as with pandas.read_csv"),
    (lambda: assay.rows(actual=["a", "c"], score=[[1, 2], [1]]), assay.ColumnError, "score has rows of 1, 2 values"),
    (lambda: assay.rows(actual=["a", "c"], score=[[1, "x"], [1, 2]]), assay.ColumnError, "no numbers"),
    (lambda: assay.rows(actual=["a", "c"], score=np.array([["x", "y"], ["x", "y"]])), assay.ColumnError, "where numbers are needed"),
    (lambda: assay.rows(actual=["a", "c"], score={"a": [1, 2], "c": [1]}), assay.LengthError, "score of a has 2 values, score of c has 1"),
    (lambda: assay.rows(actual=["a", "c"], score=[[0.1, NAN], [1, 2]]), assay.MissingValueError, "missing in score .first at row 0"),
    (lambda: scores(["a", "c"], np.eye(2)), assay.ColumnError, "score has 2 columns where scores of one"),
    # missing values
    (lambda: confusion([0, None, 1], [0, 1, 1]), assay.MissingValueError, 'missing in actual .first at row 1.*missing="drop"'),
    (lambda: confusion(["a", "b"], ["a", NAN]), assay.MissingValueError, "missing in predicted .first at row 1"),
    (lambda: confusion([0.0, NAN], [0, 1]), assay.MissingValueError, "1 value is missing in actual"),
    (lambda: scores([0, 1, 1], [0.1, NAN, NAN]), assay.MissingValueError, "2 values are missing in score .first at row 1"),
    (lambda: scores([0, 1], np.array([0.5, NAN], "f4")), assay.MissingValueError, "missing in score"),
    (lambda: scores([0, 1], [0.5, NAN], weight=[1, 2]), assay.MissingValueError, "missing in score"),
    (lambda: binned([0, 1], [0.5, NAN]), assay.MissingValueError, "missing in score .first at row 1"),
    (lambda: moments([1.0, NAN], [1.0, 2.0]), assay.MissingValueError, "missing in actual"),
    (lambda: moments([1.0, 2.0], [NAN, 2.0]), assay.MissingValueError, "missing in predicted .first at row 0"),
    (lambda: confusion([0, 1], [0, 1], weight=[1, NAN]), assay.MissingValueError, "missing in weight"),
    (lambda: confusion([0, 1], [0, 1], by=[["a", None]]), assay.MissingValueError, "missing in by"),
    (lambda: ranked(query=["a", None], score=[1, 2], actual=[0, 1]), assay.MissingValueError, "missing in query"),
    (lambda: assay.Sums.of([1.0, None]), assay.MissingValueError, "missing in values"),
    (lambda: assay.rows(actual=[0], predicted=[0], missing="ignore"), assay.InputError, '"refuse" or "drop"'),
    # labels
    (lambda: confusion(["a", 1], ["a", "b"]), assay.LabelError, "actual mixes text and numbers: row 0 is 'a', row 1 is 1"),
    (lambda: confusion([1, "a"], ["a", "b"]), assay.LabelError, "actual mixes text and numbers"),
    (lambda: confusion(np.array([1, "a"], dtype=object), [1, 2]), assay.LabelError, "mixes text and numbers"),
    (lambda: confusion(["a", "b"], [0, 1]), assay.LabelError, "some labels are text and others numbers"),
    (lambda: confusion([0.5, 1.0], [0, 1]), assay.LabelError, "holds 0.5 .row 0.*no label.*assay.cut"),
    (lambda: confusion([0.0, INF], [0, 1]), assay.LabelError, "holds inf .row 1"),
    (lambda: confusion([0, 1, 5], [0, 1, 1], labels=[0, 1]), assay.LabelError, "label 5 .first at row 2.*not among the declared labels: 0, 1"),
    (lambda: confusion(["a"], ["b"], labels=["a", "c"]), assay.LabelError, 'predicted holds the label "b"'),
    (lambda: confusion(["a"], ["a"], labels=[0, 1]), assay.LabelError, "text on one side, numbers on the other"),
    (lambda: confusion([0], [0], labels=[0, "a"]), assay.LabelError, "some labels are text and others numbers"),
    (lambda: confusion([0], [0], labels=[0, 0]), assay.LabelError, "declared twice"),
    (lambda: confusion([0], [0], labels=[]), assay.LabelError, "labels= is empty"),
    (lambda: confusion(["a"], ["a"], labels="ab"), assay.LabelError, "one text: pass a list"),
    (lambda: confusion([0], [0], labels=[0, 1.5]), assay.LabelError, "1.5 is no label"),
    (lambda: scores(["ham", "spam"], [0.1, 0.9]), assay.LabelError, '"ham", "spam": say which one is positive with positive='),
    (lambda: scores([1, 2], [0.1, 0.9]), assay.LabelError, "say which one is positive"),
    (lambda: scores([0, 1, 2], [0.1, 0.9, 0.2]), assay.LabelError, "3 labels .0, 1, 2. where two are needed"),
    (lambda: scores(["a", "b"], [0.1, 0.9], positive="c", labels=["a", "b"]), assay.LabelError, '"c" is not among the declared labels'),
    (lambda: scores([0, 1], [0.1, 0.9], positive="1"), assay.LabelError, "is text, but actual holds 0, 1"),
    (lambda: scores([0, 1], [0.1, 0.9], labels=[0, 1], positive=2), assay.LabelError, "2 is not among the declared"),
    (lambda: scores([False, True], [0.1, 0.9], positive=5), assay.LabelError, "5 is neither true nor false, but actual is boolean"),
    (lambda: scores([0.2, 0.9], [0.1, 0.9]), assay.LabelError, "no label"),
    (lambda: confusion([0.5], [1], by=[[0.25]]), assay.LabelError, "no label"),
    (lambda: lists([["a"]], [[1]]), assay.LabelError, "items mixes text and numbers"),
    (lambda: lists([[1], [2]], [[1], [2]], query=["q", "q"]), assay.LabelError, '"q" occurs twice'),
    # columns
    (lambda: confusion("ham", "spam"), assay.ColumnError, 'actual="ham" names a column, but no data was given'),
    (lambda: confusion(5, [1]), assay.ColumnError, "actual is an int where one value per row is needed"),
    (lambda: confusion({"a": 1}, [1]), assay.ColumnError, "actual is a dict"),
    (lambda: confusion(object(), [1]), assay.ColumnError, "actual is an object, which assay cannot read"),
    (lambda: confusion([[0, 1], [1, 0]], [0, 1]), assay.ColumnError, r"actual has shape \(2, 2\)"),
    (lambda: confusion(np.zeros((2, 3)), [0, 1]), assay.ColumnError, "one value per row is needed"),
    (lambda: confusion(np.float64(1), [0]), assay.ColumnError, "one value per row"),
    (lambda: confusion(np.array(1), [0]), assay.ColumnError, r"shape \(\)"),
    (lambda: confusion([b"a"], [b"a"]), assay.ColumnError, "bytes at row 0"),
    (lambda: confusion(np.array([b"a"]), ["a"]), assay.ColumnError, "decode them to text first"),
    (lambda: confusion(np.array(["2020-01-01"], "M8[D]"), ["a"]), assay.ColumnError, "turn dates into text"),
    (lambda: confusion(np.array([1j]), [0]), assay.ColumnError, "real part"),
    (lambda: confusion([[1], [2, 3]], [0, 1]), assay.ColumnError, "a list at row 0"),
    (lambda: confusion([0, {}], [0, 1]), assay.ColumnError, "a dict at row 1"),
    (lambda: scores([0, 1], ["low", "high"]), assay.ColumnError, 'score holds text where scores are needed, such as "low" .row 0'),
    (lambda: moments(["1", "2"], [1, 2]), assay.ColumnError, "actual holds text where numbers are needed"),
    (lambda: moments([1, -(2**53) - 1], [1.5, 2]), assay.ColumnError, r"actual holds -9007199254740993 .row 1.*beyond 2\*\*53"),
    (lambda: moments([1.5, 2], [1, 2**60], weight=[1, 2]), assay.ColumnError, r"predicted holds 1152921504606846976 .row 1.*beyond"),
    (lambda: assay.Sums.of([1, 2**53, 2**53 + 1]), assay.ColumnError, r"values holds 9007199254740993 .row 2.*beyond 2\*\*53"),
    (lambda: scores([0, 1], np.array([2**53 + 1, 0])), assay.ColumnError, r"9007199254740993 .row 0.*beyond 2\*\*53"),
    (lambda: assay.rows(FRAME, actual="actual", predicted="predict_type"), assay.ColumnError, 'no column "actual".*Did you mean "actual_type".*Columns: "actual_type"'),
    (lambda: assay.rows(FRAME, actual="xyzzy"), assay.ColumnError, r'no column "xyzzy"\. Columns'),
    (lambda: assay.rows(42, actual="y"), assay.ColumnError, "no table assay knows"),
    (lambda: assay.Confusion.of(assay.rows(actual=[0])), assay.ColumnError, "needs predicted="),
    (lambda: assay.Scores.of(assay.rows(actual=[0])), assay.ColumnError, "needs score="),
    (lambda: assay.Grouped.of(assay.rows(actual=[0], predicted=[0]), assay.Confusion.of), assay.ColumnError, "needs by="),
    (lambda: lists([1], [[1]]), assay.ColumnError, "actual holds 1 at row 0.*list of items"),
    (lambda: lists([["a"]], ["abc"]), assay.ColumnError, "predicted holds 'abc' at row 0"),
    # numbers and weights
    (lambda: confusion([0, 1], [0, 1], weight=[1, -2]), assay.NumberError, "weight is negative: -2.0 .row 1"),
    (lambda: confusion([0, 1], [0, 1], weight=[1, INF]), assay.NumberError, "weight is infinite: inf .row 1"),
    (lambda: confusion([0, 1], [0, 1], weight=["a", "b"]), assay.NumberError, "weight holds text"),
    (lambda: moments([1.0, INF], [1.0, 2.0]), assay.NumberError, "actual is infinite: inf .row 1"),
    (lambda: moments([1.0], [-INF]), assay.NumberError, "predicted is infinite: -inf .row 0"),
    (lambda: moments([1.0], [-INF], weight=[2]), assay.NumberError, "predicted is infinite: -inf .row 0"),
    (lambda: assay.Sums.of([1.0, INF]), assay.NumberError, "values is infinite: inf .row 1"),
    (lambda: ranked(query=["a"], score=[1.0], actual=[-1]), assay.NumberError, "actual is -1.0 .row 0, counting from 0"),
    (lambda: log_losses([0, 1], [0.5, 2.0]), assay.NumberError, "score .row 1, counting from 0. is 2.0, which is not a probability.*logits"),
    (lambda: log_losses([0, 1], [0.5, NAN]), assay.MissingValueError, "missing in score .first at row 1"),
    (lambda: log_losses([0, 1], [0.5, 0.5], clip=0.5), assay.TallyError, "clip=0.5 is not a number from 0 up to"),
    (lambda: log_losses([0, 7], [0.5, 0.5]), assay.LabelError, "the labels of actual are 0, 7: say which one is positive"),
    (lambda: brier([0, 1], [0.5, -0.25], weight=[1, 2]), assay.NumberError, "score .row 1, counting from 0. is -0.25"),
    (lambda: confident([0, 1], [[0.5, 0.5], [0.5, 0.75]]), assay.NumberError, "add up to 1.25 .row 1, counting from 0., and not to 1 in 1 of 2"),
    (lambda: confident([0, 1], [0.5, 0.75]), assay.ColumnError, "needs a column of scores per class, but score is a single one"),
    (lambda: lists([[1]], [[1]]).at(0), assay.NumberError, "k=0"),
    (lambda: assay.cut([1, 2], []), assay.NumberError, "at least one"),
    (lambda: assay.cut([1, 2], [3, 2]), assay.NumberError, "must rise"),
    # tallies that do not fit
    (lambda: binned([0, 1], [0.1, NAN], weight=[1, 2]), assay.MissingValueError, "missing in score .first at row 1"),
    (lambda: assay.BinnedScores.empty(bits=40), assay.TallyError, "bits=40: choose between 12 and 22"),
    (lambda: assay.BinnedScores.empty(14).merge(assay.BinnedScores.empty(15)), assay.MergeError, "14 and 15 bits"),
    (lambda: confused((0, 1)).merge(confused(("a", "b"))), assay.LabelError, "some labels are text and others numbers"),
    (lambda: confused((0, 1), labels=[0, 1]).merge(confused((0, 1), labels=[1, 0])), assay.MergeError, "declare different labels"),
    (lambda: confused((0, 1), labels=[0, 1]).merge(confused((0, 2))), assay.MergeError, "the other holds 2 besides"),
    (lambda: scores(["a", "b"], [1, 2], positive="a").merge(scores(["a", "b"], [1, 2], positive="b")), assay.MergeError, 'positive label is "a" in one tally and "b"'),
    (lambda: ranked(query=["q"], score=[1.0], actual=[1]).merge(ranked(query=["q"], score=[1.0], actual=[1])), assay.MergeError, '"q" is in both tallies'),
    (lambda: ranked(query=["q"], score=[1.0], actual=[1]).merge(lists([[1]], [[1]])), assay.MergeError, "have names, those of the other have none"),
    (lambda: assay.PairedLabels.of(assay.rows(actual=[0, 1], predicted=[0, 1]), assay.rows(actual=[1, 1], predicted=[0, 1])), assay.InputError, "not judged on the same rows"),
    (lambda: assay.PairedScores.of(assay.rows(actual=[0], score=[1]), assay.rows(actual=[0, 1], score=[1, 2])), assay.LengthError, "first model has 1 row,"),
    (lambda: assay.PairedScores.of(assay.rows(actual=[0, 1], score=[1, 2]), assay.rows(actual=[0, 1], score=[NAN, 2])), assay.MissingValueError, "missing in score"),
    # found by review: each was once silent, foreign or misleading
    (lambda: assay.rows(FRAME, actual="actual_type", by=["actual_type", "nope"]), assay.ColumnError, 'no column "nope"'),
    (lambda: scores(["ham", "eggs"], [1, 2], labels=["ham", "spam"], positive="spam"), assay.LabelError, '"eggs" .first at row 1.*not among the declared'),
    (lambda: scores([1, 0], [1, 2], positive=[1]), assay.LabelError, "is no label"),
    (lambda: ranked(query=[1, 1], score=[0.1, 0.2], actual=[0, 1], weight=[2, 5]), assay.TallyError, "take no weights"),
    (lambda: confusion([2**53 + 1, 2.5], [1, 1]), assay.NumberError, "9007199254740993 at row 0.*no float64 holds"),
    (lambda: scores([0, 1], [10**400, 0.5]), assay.NumberError, "at row 0.*no float64 holds"),
    (lambda: scores([0, 1], [2**70, 1]), assay.ColumnError, "integers beyond 64 bits where scores are needed"),
    (lambda: confusion([2.0**62], [1]), assay.LabelError, r"a float beyond 2\*\*53.*as integers or text"),
    (lambda: confusion([0, 1, 0.5], [0, 1, 1], weight=[0, 1, 1]), assay.LabelError, "holds 0.5 .row 2, counting"),
    (lambda: assay.Grouped.of(assay.rows(actual=[0, 1, 0.5], predicted=[0, 1, 1], by=["a", "b", "a"]), assay.Confusion.of), assay.LabelError, "holds 0.5 .row 2, counting"),
    (lambda: confusion([0], [0]).weight(0), assay.TallyError, "powers 1, 2 and 3"),
    (lambda: confusion({0, 1}, [0, 1]), assay.ColumnError, "a set where one value per row is needed, in order"),
    (lambda: assay.Confusion.of(FRAME), assay.InputError, "made of rows, not of a dict.*assay.rows"),
    (lambda: assay.Grouped.of(assay.rows(actual=[0], predicted=[0]), assay.Confusion.of, over="region"), assay.ColumnError, "over='region' is no role"),
    (lambda: assay.merge([1, 2]), assay.MergeError, "only tallies and evaluations merge, not a int"),
    (lambda: lists(5, [[1]]), assay.ColumnError, "actual is a int where a list of lists is needed"),
    (lambda: lists([[1]], [{1, 2}]), assay.ColumnError, "at row 0.*list of items"),
    (lambda: lists([[1]], [[1]]).at(1.5), assay.NumberError, "k=1.5: k must be a whole number"),
    (lambda: assay.Collection.of(assay.rows(actual=[0], predicted=[0]), {1: assay.Confusion.of}), assay.TallyError, "name is text, not 1"),
    (lambda: confusion([0], [0], labels=5), assay.LabelError, "labels=5 is no list of labels"),
    (lambda: confusion([0], [0], labels=[0, None]), assay.LabelError, "None is no label"),
    (lambda: assay.cut([1, 2], ["a"]), assay.NumberError, "edges= is a list of numbers"),
    (lambda: confusion([0, 1], [0, 1], by=3), assay.ColumnError, "by is an int"),
    (lambda: confusion([0, 1], [0, 1], by=[None, "a"]), assay.MissingValueError, "missing in by .first at row 0"),
    (lambda: assay.PairedScores.of(assay.rows(actual=[0, 1, 1], score=[0.1, None, 0.3], missing="drop"), assay.rows(actual=[0, 1, 1], score=[0.1, 0.2, None], missing="drop")), assay.InputError, "different rows were left out"),
    (lambda: assay.PairedLabels.of(assay.rows(actual=Y, predicted=[0, 1], weight=[1, 2]), assay.rows(actual=Y, predicted=[0, 1])), assay.InputError, "different weights"),
    (lambda: assay.PairedScores.of(assay.rows(actual=[0, 1], score=[1, 2], positive=0), assay.rows(actual=[0, 1], score=[1, 2])), assay.InputError, "different positive="),
]  # fmt: skip


@pytest.mark.parametrize(("attempt", "error", "message"), CASES, ids=[case[2][:60] for case in CASES])
def test_bad_input_gets_our_own_exception_and_a_helpful_sentence(attempt, error, message):
    """What is wrong, where, and what to do: the message says it, and no other exception leaks out."""
    with pytest.raises(error, match=message) as caught:
        attempt()
    assert isinstance(caught.value, assay.AssayError)
    assert len(str(caught.value)) < 400


def test_there_are_enough_cases():
    """The table holds at least sixty ways of getting it wrong."""
    assert len(CASES) >= 60
