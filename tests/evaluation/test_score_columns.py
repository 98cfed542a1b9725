"""Columns go by their names, not by their places, wherever they have names."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn import metrics as peer

from assay import evaluate

LABELS = ["ham", "spam"]
COUNTS = [[5, 1], [2, 7]]
ACTUAL = ["ham"] * 6 + ["spam"] * 9
GUESS = ["ham"] * 5 + ["spam"] + ["ham"] * 2 + ["spam"] * 7
TABLES = {
    "a frame": pd.DataFrame(COUNTS, LABELS, LABELS),
    "columns turned": pd.DataFrame([[1, 5], [7, 2]], LABELS, LABELS[::-1]),
    "both turned": pd.DataFrame([[7, 2], [1, 5]], LABELS[::-1], LABELS[::-1]),
    "a crosstab": pd.crosstab(np.array(ACTUAL), np.array(GUESS)),
    "a crosstab of predictions": pd.crosstab(
        np.array(GUESS), np.array(ACTUAL), rownames=["predicted"], colnames=["actual"]
    ),
    "nested dicts": {"spam": {"spam": 7, "ham": 2}, "ham": {"ham": 5, "spam": 1}},
    "Polars": pl.DataFrame({"spam": [1, 7], "ham": [5, 2]}),
    "pyarrow": pa.table({"ham": [5, 2], "spam": [1, 7]}),
    "no names": pd.DataFrame(COUNTS),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_ready_table_is_read_by_its_names(name):
    """Rows and columns in any order are the same table."""
    ev = evaluate(TABLES[name], labels=LABELS, positive="spam")
    assert ev.confusion.counts.tolist() == COUNTS
    if name not in ("Polars", "pyarrow", "no names"):
        bare = evaluate(TABLES[name], positive="spam")
        assert float(bare["recall"]) == 7 / 9
        assert float(bare["precision"]) == 7 / 8


def test_a_class_that_was_never_predicted_may_lack_its_column():
    """A table of actual labels alone still has every class."""
    ev = evaluate(pd.crosstab(np.array(ACTUAL), np.array(["ham"] * 15)), positive="spam")
    assert ev.confusion.counts.tolist() == [[6, 0], [9, 0]]
    assert evaluate({0: {0: 5, 1: 1}, 1: {1: 7}}).confusion.counts.tolist() == [[5, 1], [0, 7]]


def test_scores_named_after_their_classes_go_by_these_names():
    """A list of columns in another order, or a mapping to columns, is the same."""
    random = np.random.default_rng(3)
    labels = np.array(["a", "b", "c"])[random.integers(0, 3, 60)]
    chances = random.dirichlet(np.ones(3), 60)
    frame = pd.DataFrame(chances, columns=list("abc")).assign(y=labels)
    other = frame.rename(columns={"a": "p0", "b": "p1", "c": "p2"})
    expected = peer.log_loss(labels, chances)
    for ev in (
        evaluate(frame, actual="y", score=["a", "b", "c"]),
        evaluate(frame, actual="y", score=["c", "a", "b"]),
        evaluate(frame, actual="y", score=["c", "a", "b"], labels=["b", "a", "c"]),
        evaluate(other, actual="y", score=["p0", "p1", "p2"]),
        evaluate(other, actual="y", score={"c": "p2", "a": "p0", "b": "p1"}),
    ):
        assert float(ev["multiclass_log_loss"]) == pytest.approx(expected)


def test_tables_of_labels_are_matched_by_name():
    """Two tables of 0 and 1 whose columns are in another order; names in common with nothing go by place."""
    truth = pd.DataFrame({"a": [1, 0, 1, 1], "b": [0, 1, 1, 0], "c": [0, 0, 1, 1]})
    given = pd.DataFrame({"a": [1, 1, 1, 0], "b": [0, 1, 0, 0], "c": [1, 0, 1, 1]})
    expected = evaluate(actual=truth, predicted=given, task="multilabel")
    assert float(expected["micro_f1"]) == peer.f1_score(truth, given, average="micro")
    frames = {name: (truth[list("abc")], given[list(name)]) for name in ("bca", "cba")}
    for actual, predicted in (
        *frames.values(),
        (pl.DataFrame(truth), pl.DataFrame(given[["c", "a", "b"]])),
        (truth, given.set_axis(["x", "y", "z"], axis=1)),
        (sparse.csr_matrix(truth.to_numpy()), sparse.csr_matrix(given.to_numpy())),
    ):
        ev = evaluate(actual=actual, predicted=predicted, task="multilabel")
        assert [one.value for one in ev.values()] == [one.value for one in expected.values()]


def test_columns_of_lists_are_label_sets():
    """Lists of labels in a column of any library, and lists of items to rank."""
    columns = {"tags": [["a"], ["b", "a"], []], "said": [["a"], ["b"], ["b"]]}
    expected = evaluate(actual=columns["tags"], predicted=columns["said"]).to_dict()["metrics"]
    for table in (columns, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        ev = evaluate(table, actual="tags", predicted="said")
        assert ev.task.name == "multilabel"
        assert ev.to_dict()["metrics"] == expected
    ranked = evaluate(pd.DataFrame(columns), actual="tags", predicted="said", task="ranking")
    assert ranked.n == 3
    nothing = evaluate(actual=[[], ["a"]], predicted=[[], []])
    assert float(nothing["subset_accuracy"]) == 0.5


def test_label_sets_that_are_missing_are_left_out_and_counted():
    """Of lists and of tables, and rows keep the numbers that the caller counts."""
    lists = evaluate(
        actual=[["a"], None, ["b"]], predicted=[["a"], ["b"], ["a"]], weight=[1, 2, 3], missing="drop"
    )
    table = evaluate(
        actual=[[1, 0], [np.nan, 1], [0, 1]],
        predicted=[[1, 0], [0, 1], [1, 0]],
        task="multilabel",
        missing="drop",
    )
    for ev in (lists, table):
        assert (ev.n, ev.dropped) == (2, 1)
        assert ev.errors()["mistakes"].columns["row"] == [2]
    assert float(lists["subset_accuracy"]) == 0.25
    assert "1 row with a missing value was left out" in str(table)


@pytest.mark.parametrize(
    "column",
    [
        lambda values, order: pd.Categorical(values, order, ordered=True),
        lambda values, order: pd.Series(pd.Categorical(values, order, ordered=True)),
        lambda values, order: pl.Series(values, dtype=pl.Enum(order)),
    ],
)
def test_grades_have_the_order_of_their_categories(column):
    """An ordered categorical says the order itself."""
    order = ["low", "mid", "high"]
    actual, predicted = ["low", "mid", "high", "low"], ["low", "high", "high", "high"]
    said = evaluate(actual=actual, predicted=predicted, task="ordinal", labels=order)
    ev = evaluate(actual=column(actual, order), predicted=column(predicted, order), task="ordinal")
    assert ev.task.labels == ("low", "mid", "high")
    assert float(ev["weighted_kappa"]) == float(said["weighted_kappa"])


def test_weighted_numbers_are_judged_without_ranks():
    """A weighted regression has every figure but the rank correlation, which counts rows alike."""
    ev = evaluate(actual=[1.5, 2, 3, 5], predicted=[1, 2.5, 3, 4], weight=[1, 2, 3, 4])
    assert "spearman" not in list(ev)
    assert float(ev["mae"]) == pytest.approx((0.5 + 1 + 4) / 10)
    assert "RMSE" in str(ev)


def test_one_cost_alone_is_a_multiple_of_the_other():
    """A cost that is not said is 1."""
    ev = evaluate([[5, 1], [2, 7]], labels=[0, 1], cost_fn=5)
    assert float(ev["misclassification_cost"]) == (1 + 5 * 2) / 15
