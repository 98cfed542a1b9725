import numpy as np
import pytest
from support.reference_figures import messages

import assay
from assay.errors import InputError


def scored(n=300, seed=2):
    random = np.random.default_rng(seed)
    score = random.random(n).round(2)
    return (random.random(n) < score).astype(int), score


def test_false_alarms_and_misses_come_the_surest_first():
    """Every wrong row is found, by brute force, in the order of its score, ties by row."""
    actual, score = scored()
    errors = assay.evaluate(actual=actual, score=score).errors(n=1000)
    alarms = [i for i in range(300) if score[i] >= 0.5 and not actual[i]]
    missed = [i for i in range(300) if score[i] < 0.5 and actual[i]]
    assert errors["false_positives"].columns["row"] == sorted(alarms, key=lambda i: (-score[i], i))
    assert errors["false_negatives"].columns["row"] == sorted(missed, key=lambda i: (score[i], i))
    few = assay.evaluate(actual=actual, score=score).errors("false_positives", n=7)
    assert few["false_positives"].columns["row"] == sorted(alarms, key=lambda i: (-score[i], i))[:7]
    assert few["false_positives"].total == len(alarms)
    assert set(few["false_positives"].columns["actual"]) == {0}
    assert few["false_positives"].columns["score"] == [
        score[i] for i in few["false_positives"].columns["row"]
    ]


def test_text_messages():
    """The 29 missed and 5 false spam of the classifier in the book, at 80 columns."""
    actual, score = messages()
    errors = assay.evaluate(actual=actual, score=score, positive="spam").errors()
    assert [part.total for part in errors.groups] == [5, 29]
    text = str(errors)
    assert "false positives: 5 · highest score first" in text
    assert "false negatives: 29 · lowest score first · 20 shown" in text
    assert max(map(len, text.splitlines())) <= 80


def test_rows_are_numbered_as_the_caller_counts_them():
    """Rows left out, for missing values or weight 0, still count."""
    ev = assay.evaluate(
        actual=[None, 0, 1, 0, 1], predicted=[0, 0, 1, 1, 0], weight=[1, 0, 1, 1, 2], missing="drop"
    )
    assert ev.errors()["false_positives"].columns["row"] == [3]
    assert ev.errors()["false_negatives"].columns["row"] == [4]
    sliced = assay.evaluate(actual=[0, 1, 0, 1] * 9, predicted=[0, 0, 1, 1] * 9, by=["a", "b"] * 18)
    rows = sliced.slices["by"]["b"].errors("false_negatives")["false_negatives"].columns["row"]
    assert rows == list(range(1, 36, 4))


def test_classes_have_sure_mistakes_and_frequent_confusions():
    """Of several classes: rows by the score of what was predicted, and counts of who is taken for whom."""
    random = np.random.default_rng(4)
    labels = np.array(["x", "y", "z"])
    scores = random.dirichlet(np.ones(3), 200)
    actual, predicted = labels[random.integers(0, 3, 200)], labels[scores.argmax(1)]
    ev = assay.evaluate(actual=actual, predicted=predicted, score=scores, labels=["x", "y", "z"])
    wrong = [i for i in range(200) if actual[i] != predicted[i]]
    first = ev.errors(n=10)["mistakes"]
    assert first.columns["row"] == sorted(wrong, key=lambda i: (-scores[i].max(), i))[:10]
    assert first.columns["score"] == [scores[i].max() for i in first.columns["row"]]
    place = {"x": 0, "y": 1, "z": 2}
    assert first.columns["score of actual"] == [scores[i, place[actual[i]]] for i in first.columns["row"]]
    counted = ev.errors("confusions")["confusions"].columns
    pairs = [(a, b, int(((actual == a) & (predicted == b)).sum())) for a in labels for b in labels if a != b]
    assert list(zip(counted["actual"], counted["predicted"], counted["rows"], strict=True)) == sorted(
        pairs, key=lambda pair: -pair[2]
    )
    assert counted["share of actual"][0] == counted["rows"][0] / (actual == counted["actual"][0]).sum()
    assert list(ev.errors().to_frame()) == ["row", "actual", "predicted", "score", "score of actual"]


def test_numbers_have_their_largest_errors():
    """The worst residuals, of either sign, actual less predicted as in the mean error."""
    random = np.random.default_rng(4)
    actual = random.normal(size=100)
    predicted = actual + random.normal(size=100)
    found = assay.evaluate(actual=actual, predicted=predicted).errors(n=5)["residuals"].columns
    assert found["row"] == np.argsort(-np.abs(predicted - actual))[:5].tolist()
    assert found["error"] == (actual - predicted)[found["row"]].tolist()


def test_ranked_lists_have_their_worst():
    """The lists with the least NDCG; those with nothing to find have none."""
    ev = assay.evaluate(
        actual=[1, 0, 0, 1, 0, 0, 0, 1],
        score=[3, 2, 1, 2, 3, 1, 2, 1],
        query=["a", "a", "b", "b", "c", "c", "d", "d"],
    )
    found = ev.errors()["lists"].columns
    assert found["query"][0] == "d"
    assert "c" not in found["query"]
    assert found["items"] == [2, 2, 2]
    assert found["ndcg"] == sorted(found["ndcg"])
    assert ev.n == 4


def test_frames_come_in_the_library_of_the_rows():
    """A frame of pandas or Polars gets one back; a dict a dict; and any for the asking."""
    actual, score = scored()
    columns = {"y": actual, "s": score}
    plain = assay.evaluate(columns, actual="y", score="s").errors(n=3).to_frame()
    assert list(plain) == ["kind", "row", "actual", "predicted", "score"]
    assert plain["kind"] == ["false_positives"] * 3 + ["false_negatives"] * 3
    for name in ("pandas", "polars"):
        library = pytest.importorskip(name)
        errors = assay.evaluate(library.DataFrame(columns), actual="y", score="s").errors(n=3)
        frame = errors.to_frame()
        assert isinstance(frame, library.DataFrame)
        assert frame["row"].to_list() == plain["row"]
        assert errors.to_frame("dict") == plain
        assert isinstance(
            assay.evaluate(columns, actual="y", score="s").errors().to_frame(name), library.DataFrame
        )
    with pytest.raises(InputError, match="library='excel' is not known"):
        assay.evaluate(columns, actual="y", score="s").errors().to_frame("excel")


def test_what_cannot_be_listed_says_why():
    """No predictions, no rows, an unknown kind, a number that is none."""
    ev = assay.evaluate(actual=[0, 1, 1], score=[-1.0, 2.0, 0.5])
    with pytest.raises(InputError, match="no predictions to compare"):
        ev.errors()
    assert ev.at(1).errors()["false_negatives"].columns["row"] == [2]
    with pytest.raises(InputError, match='binary tasks have "false_positives", "false_negatives"'):
        ev.errors("residuals")
    with pytest.raises(InputError, match="n=0 should be a whole number of at least 1"):
        ev.errors(n=0)
    both = assay.evaluate(actual=[0, 1], predicted=[1, 1])
    with pytest.raises(InputError, match="does not hold"):
        both.merge(both).errors()
    words = assay.evaluate(actual=["a", "b", "c"], predicted=["a", "c", "c"])
    merged = words.merge(words).errors()
    assert merged["confusions"].columns["rows"] == [2]
    perfect = assay.evaluate(actual=[0, 1], predicted=[0, 1]).errors()
    assert str(perfect) == "false positives: 0\n\nfalse negatives: 0"


def test_label_sets_have_wrong_rows_and_labels():
    """The most wrong labels first, what was missed and what was added; labels by their errors."""
    random = np.random.default_rng(4)
    actual, predicted = random.integers(0, 2, (30, 4)), random.integers(0, 2, (30, 4))
    ev = assay.evaluate(actual=actual, predicted=predicted, task="multilabel", labels=list("abcd"))
    found = ev.errors(n=100)
    wrong = (actual != predicted).sum(axis=1)
    rows = sorted(np.flatnonzero(wrong), key=lambda row: (-wrong[row], row))
    assert found["mistakes"].columns["row"] == rows
    assert found["mistakes"].columns["wrong"] == wrong[rows].tolist()
    for name, table in (
        ("missed", (actual == 1) & (predicted == 0)),
        ("added", (actual == 0) & (predicted == 1)),
    ):
        expected = [[label for label, there in zip("abcd", table[row], strict=True) if there] for row in rows]
        assert found["mistakes"].columns[name] == expected
        assert found["labels"].columns[name] == [
            int(table[:, "abcd".index(label)].sum()) for label in found["labels"].columns["label"]
        ]
    assert list(ev.errors("labels").to_frame("pandas").columns) == ["label", "missed", "added"]
    both = ev.merge(ev)
    assert list(both.errors()) == ["labels"]
    with pytest.raises(InputError, match="does not hold"):
        both.errors("mistakes")


def test_lists_of_items_have_their_worst():
    """Ranked lists need no rows."""
    lists = {"actual": [[1, 2], [3]], "predicted": [[2, 3], [1, 3]], "task": "ranking"}
    ev = assay.evaluate(**lists, query=["first", "second"])
    assert ev.errors()["lists"].columns["query"] == ["first", "second"]
    bare = assay.evaluate(**lists)
    assert list(bare.errors()["lists"].columns) == ["ndcg", "items", "relevant"]
    assert bare.errors()["lists"].columns["ndcg"] == ev.errors()["lists"].columns["ndcg"]
    assert len(bare.merge(bare).errors()["lists"]) == 4


def test_class_scores_without_predictions_err_where_the_highest_is_wrong():
    """The most probable class is the prediction."""
    scores = np.array([[0.1, 0.9], [0.8, 0.2], [0.6, 0.4]])
    ev = assay.evaluate(actual=["a", "a", "b"], score=scores, task="multiclass")
    assert ev.errors()["mistakes"].columns["row"] == [0, 2]
    assert ev.errors()["mistakes"].columns["predicted"] == ["b", "a"]
