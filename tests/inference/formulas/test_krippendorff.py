"""Krippendorff's alpha of a table at once: the value of the agreement, other ways, and mistakes."""

import numpy as np
import pytest
from support.reference_figures import oracle

import assay
from assay.inference import krippendorff_alpha
from assay.metrics import Undefined

LEVELS = ("nominal", "ordinal", "interval", "ratio")


def table(name):
    rows = oracle("judges")["raters"][name]["data"]
    return np.array([[np.nan if value is None else value for value in row] for row in rows], dtype=float)


@pytest.mark.parametrize("name", ["krippendorff_2011", "shrout_fleiss_1979", "fleiss_1971", "made_missing"])
def test_it_is_that_of_the_krippendorff_package(name):
    """Lists, arrays in either order and parts of arrays give the package's alpha."""
    ratings = table(name)
    for level, expected in oracle("judges")["raters"][name]["values"]["krippendorff_py"].items():
        for given in (ratings, ratings.tolist(), np.asfortranarray(ratings), np.repeat(ratings, 2, 0)[::2]):
            assert krippendorff_alpha(given, level) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("level", LEVELS)
def test_what_the_kernel_leaves_goes_another_way(level):
    """Scores of which hardly two are equal, and many raters."""
    draw = np.random.default_rng(1)
    scores = np.abs(draw.normal(5, 1, (300, 1)) + draw.normal(0, 0.5, (300, 3)))
    crowd = draw.integers(0, 3, (20, 300)) * 1.0
    for ratings in (scores, crowd):
        columns = {f"{index:03d}": column for index, column in enumerate(ratings.T)}
        expected = assay.agreement(raters=columns, level=level)["krippendorff_alpha"].value
        found = krippendorff_alpha(ratings, level)
        if isinstance(expected, Undefined):
            assert found == expected
        else:
            assert found == pytest.approx(expected, abs=1e-12)


def test_no_value_says_why():
    assert krippendorff_alpha([[1, 1], [1, 1]]) == Undefined("the ratings do not vary")
    assert krippendorff_alpha([[1, np.nan], [1, 2]]) == Undefined("fewer than two items were rated twice")
    assert "below 0" in krippendorff_alpha([[-1, 2], [1, 2]], "ratio").reason


@pytest.mark.parametrize(
    ("ratings", "level", "message"),
    [
        ([["a", "b"]], "nominal", "table of numbers"),
        ([1, 2], "nominal", "1 dimensions"),
        ([[1, 2], [1]], "nominal", "table of numbers"),
        ([[]], "nominal", "no ratings"),
        ([[1, 2]], "best", "not known"),
        ([[1, np.inf], [1, 1]], "interval", "infinite .item 0, rater 1"),
    ],
)
def test_mistakes_are_named(ratings, level, message):
    with pytest.raises(assay.AssayError, match=message):
        krippendorff_alpha(ratings, level)
