"""Keywords that other packages have are told with what they are called here."""

import inspect

import pytest

import assay
from assay.errors import suggest_keywords
from assay.resampling import bootstrap, holdout, kfold, walk_forward

CASES = [
    (assay.evaluate, "y_true", "actual"),
    (assay.evaluate, "y_pred", "predicted"),
    (assay.evaluate, "y_score", "score"),
    (assay.evaluate, "pos_label", "positive"),
    (assay.evaluate, "sample_weight", "weight"),
    (assay.rows, "groups", "group"),
    (assay.compare, "scoring", "metrics"),
    (assay.crossval, "cv", "split"),
    (assay.crossval, "scoring", "metrics"),
    (assay.crossval, "n_jobs", "jobs"),
    (assay.crossval, "random_state", "seed"),
    (assay.learning_curve, "train_sizes", "sizes"),
    (kfold, "n_splits", "k"),
    (bootstrap, "n_splits", "replicates"),
    (walk_forward, "n_splits", "folds"),
    (holdout, "test_size", "parts"),
]


@pytest.mark.parametrize(("function", "elsewhere", "here"), CASES)
def test_names_of_elsewhere_are_told(function, elsewhere, here):
    """What scikit-learn calls it is answered with what it is called here, which the function takes."""
    assert here in inspect.signature(function).parameters
    with pytest.raises(
        TypeError, match=rf"{function.__name__}\(\) has no {elsewhere}=.* called {here}= here"
    ):
        function(**{elsewhere: 1})


def test_other_keywords_are_told_apart():
    """A misspelling gets the nearest name; where none is near all are told."""
    with pytest.raises(TypeError, match="Did you mean positive="):
        assay.evaluate(actual=[0, 1], predicted=[0, 1], postive=1)
    with pytest.raises(TypeError, match="it takes k, repeats, stratify, bins, seed"):
        kfold(zebra=3)


def test_functions_stay_what_they_are():
    """Name, words, signature and positional arguments are those of the function itself."""

    @suggest_keywords
    def added(first, second=1, *more, third=2):
        """Add."""
        return first + second + sum(more) + third

    assert (added.__name__, added.__doc__, added(1), added(1, 2, 3, third=4)) == ("added", "Add.", 4, 10)
    assert list(inspect.signature(added).parameters) == ["first", "second", "more", "third"]
    assert assay.evaluate.__module__ == "assay.evaluation.evaluate"
