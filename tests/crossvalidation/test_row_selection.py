"""Memory that folds use one after the other: nobody ever sees rows change under his hands."""

# ruff: noqa: N803, ARG002, D102 - models speak as those of scikit-learn do

import gc
import threading

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

import assay
from assay.crossvalidation.row_selection import RowBuffers, take_rows
from assay.resampling import kfold

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20_000, 16))  # large enough for memory to be lent
Y = (X[:, 0] + RNG.normal(size=20_000) > 0).astype(int)
ROWS = np.arange(0, 20_000, 2)


class Keeping:
    """A model that keeps a view of its rows, and answers with a view of those it is asked."""

    kept = []  # noqa: RUF012 - shared on purpose

    def fit(self, X, y):
        self.kept.append((X[:, 0], X[:, 0].copy()))

    def predict(self, X):
        return X[:, 1]


def test_memory_is_used_again_when_it_is_free():
    """Rows chosen after others were let go lie where those lay; while they are held, elsewhere."""
    bench = RowBuffers()
    first = bench.rows("train", X, ROWS)
    assert np.array_equal(first, X[ROWS])
    assert first.flags.c_contiguous
    assert first.flags.writeable
    place = first.ctypes.data
    column = first[:, 3]
    del first
    second = bench.rows("train", X, ROWS + 1)
    assert second.ctypes.data != place
    assert np.array_equal(column, X[ROWS, 3])
    there = second.ctypes.data
    del second
    third = bench.rows("train", X, ROWS[:9000])
    assert third.ctypes.data == there
    assert bench.rows("test", X, ROWS).ctypes.data != there
    assert np.array_equal(third, X[ROWS[:9000]])


@pytest.mark.parametrize(
    "values", [X[:200], np.asfortranarray(X), X[:, ::2], X.astype(object), X[:, 0], X.tolist()[:30]]
)
def test_what_is_small_or_odd_is_chosen_as_ever(values):
    """Small arrays, other layouts, objects and lists are copied into memory of their own."""
    bench, index = RowBuffers(), np.array([5, 3, 3])
    chosen, plain = bench.rows("train", values, index), take_rows(values, index)
    assert type(chosen) is type(plain)
    assert np.array_equal(np.asarray(chosen), np.asarray(plain))
    if isinstance(values, np.ndarray):
        assert chosen.base is None or chosen.base.nbytes == chosen.nbytes


@pytest.mark.parametrize("jobs", [1, 2])
def test_models_that_keep_their_rows_keep_them(jobs):
    """Views that a model or an answer holds stay as they were, fold after fold."""
    Keeping.kept.clear()
    cv = assay.crossval(Keeping(), X, X[:, 0], split=kfold(5), metrics="mae", task="regression", jobs=jobs)
    assert len(Keeping.kept) == 6
    assert all(np.array_equal(view, copied) for view, copied in Keeping.kept)
    table = cv.prediction_columns()
    assert np.array_equal(table["predicted"], X[table["row"], 1])
    assert float(cv["mae"]) == pytest.approx(np.abs(X[:, 0] - X[:, 1]).mean())


def test_kept_neighbours_answer_as_before():
    """A model of neighbours is its rows: kept models still know theirs when all folds are done."""
    cv = assay.crossval(
        KNeighborsClassifier(1, algorithm="brute"), X[:12_000], Y[:12_000], split=3, metrics="accuracy",
        keep_models=True, resubstitution=False,
    )  # fmt: skip
    for model, fold in zip(cv.models, cv.folds, strict=True):
        own = np.setdiff1d(np.arange(12_000), fold.test)[:200]
        assert (model.predict(X[own]) == Y[own]).all()


def test_each_thread_has_memory_of_its_own():
    """Two workers never share: each fills and reads its rows while the other does."""
    bench, wrong = RowBuffers(), []

    def work(shift):
        for _ in range(20):
            rows = bench.rows("train", X, ROWS + shift)
            wrong.extend([shift] * (not np.array_equal(rows, X[ROWS + shift])))
            del rows
            gc.collect(0)

    workers = [threading.Thread(target=work, args=(shift,)) for shift in (0, 1)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []
