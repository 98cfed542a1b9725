"""Slices of evaluations with a proxy: each as if it were evaluated alone, and its difference from the rest."""

import numpy as np
import pytest

import assay


def rows_of(labelled=600, size=6000, seed=3, weak=0.6):
    """Return rows of four sites, in one of which the model is worse."""
    draw = np.random.default_rng(seed)
    truth = draw.integers(0, 2, size)
    site = np.array(["east", "north", "south", "west"])[draw.integers(0, 4, size)]
    right = np.where(site == "west", weak, 0.85)
    return {
        "truth": truth, "site": site, "age": draw.uniform(18, 90, size),
        "said": np.where(draw.random(size) < right, truth, 1 - truth),
        "judge": np.where(draw.random(size) < 0.93, truth, 1 - truth),
        "score": truth + draw.normal(size=size),
        "human": np.where(np.arange(size) < labelled, truth, np.nan),
    }  # fmt: skip


ROLES = {"actual": "human", "predicted": "said", "score": "score", "proxy": "judge"}


def test_a_slice_is_the_evaluation_of_its_rows():
    """Every estimate of a slice is that of its rows alone, with their own tuning."""
    table = rows_of()
    slices = assay.evaluate(table, **ROLES, by="site").slices["site"]
    assert list(slices) == ["east", "north", "south", "west"]
    for site, found in slices.items():
        inside = table["site"] == site
        alone = assay.evaluate({name: values[inside] for name, values in table.items()}, **ROLES)
        for name in ("accuracy", "recall", "f1", "mcc", "auc"):
            assert found[name] == alone[name]
            assert found[name].tuning == alone[name].tuning
        assert found.total == np.count_nonzero(inside)
        np.testing.assert_array_equal(found.labelled, alone.labelled)


def test_the_difference_from_the_rest_adds_up_both_errors():
    """It is the difference of the two evaluations, whose rows are different ones, and finds the weak site."""
    table = rows_of()
    whole = assay.evaluate(table, **ROLES, by="site")
    slices = whole.slices["site"]
    found = slices.differences(["accuracy"])["west", "accuracy"]
    inside = table["site"] == "west"
    own, rest = (
        assay.evaluate({name: values[mask] for name, values in table.items()}, **ROLES)["accuracy"]
        for mask in (inside, ~inside)
    )
    assert found.method == "prediction-powered"
    assert found.values == (rest.value, own.value)
    assert found.difference == pytest.approx(own.value - rest.value, abs=1e-12)
    assert found.standard_error == pytest.approx(np.hypot(own.standard_error, rest.standard_error), abs=1e-12)
    z = found.difference / found.standard_error
    assert found.p_value == pytest.approx(assay.inference.normal_p(z), rel=1e-6)  # both by the joint table
    assert found.adjusted < 0.001
    assert "west" in slices.summary


@pytest.mark.slow
def test_the_intervals_of_differences_hold():
    """Of 300 samples, the interval of a slice's difference holds the true one in 92 to 98 of a hundred."""
    inside = 0
    for seed in range(300):
        table = rows_of(400, 3000, seed=seed, weak=0.7)
        slices = assay.evaluate(table, actual="human", predicted="said", proxy="judge", by="site").slices[
            "site"
        ]
        found = slices.differences(["accuracy"])["west", "accuracy"]
        inside += found.low <= 0.7 - 0.85 <= found.high
    assert 0.92 <= inside / 300 <= 0.98


def test_a_slice_without_labels_and_one_with_few():
    """A slice that nobody labelled is there and has no estimates; few labels stand alone."""
    table = rows_of()
    table["site"] = np.where(np.arange(6000) > 5000, "none", table["site"])
    table["site"] = np.where(np.arange(6000) % 60 == 0, "few", table["site"])
    slices = assay.evaluate(table, **ROLES, by="site").slices["site"]
    assert slices["none"].total > 900
    assert not slices["none"]["accuracy"].defined
    assert "none of 983 rows has a label" in " ".join(slices["none"].text().split())
    assert "10 labels are too few" in slices["few"]["accuracy"].note
    assert slices.too_few["few"] == "fewer than 30 labelled rows"
    assert "labelled rows" in slices.text()


def test_rows_in_groups_have_slices_with_the_labels_differences():
    """Where rows are in groups, or were selected, differences are those of the labels, and it is said."""
    table = rows_of()
    for more in ({"group": np.arange(6000) // 2}, {"selection": np.full(6000, 0.1)}):
        ev = assay.evaluate(table, **ROLES, by="site", **more)
        assert ev.slices["site"]["east"]["accuracy"].powered
        text = " ".join(ev.slices["site"].text().split())
        assert "The differences from the rest are those of the labels alone" in text


def test_numbers_are_cut_at_the_quartiles_of_all_rows():
    """The labelled rows are cut where all rows are."""
    table = rows_of()
    powered = assay.evaluate(table, **ROLES, by=["age", "site"])
    plain = assay.evaluate(table, actual="truth", predicted="said", by=["age", "site"])
    assert list(powered.slices["age"]) == list(plain.slices["age"])
    assert {key: ev.total for key, ev in powered.slices["age", "site"].items()} == {
        key: ev.n for key, ev in plain.slices["age", "site"].items()
    }
