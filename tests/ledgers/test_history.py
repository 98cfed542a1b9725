"""The history of a ledger as a table, a frame and a plot; days merged into weeks from their tallies."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

import assay

DAYS = 5


def day_of(number, n=300):
    rng = np.random.default_rng(number)
    actual = rng.integers(0, 2, n)
    return pd.DataFrame(
        {
            "id": np.arange(n) + n * number,
            "y": actual,
            "p": np.round(np.clip(0.25 * actual + 0.75 * rng.random(n), 0, 1), 3),
            "region": rng.choice(["north", "south"], n),
            "size": np.round(rng.normal(10, 2, n), 2),
            "guess": np.round(rng.normal(10, 2, n), 2),
        }
    )


ROLES = {"actual": "y", "score": "p", "key": "id", "by": "region"}


@pytest.fixture
def book(tmp_path):
    with assay.ledger(tmp_path / "ledger.db") as ledger:
        for number in range(DAYS):
            assay.evaluate(day_of(number), **ROLES, name="new", tags=["nightly"], ledger=ledger)
        assay.evaluate(day_of(0).assign(p=lambda frame: 1 - frame.p), **ROLES, name="old", ledger=ledger)
        yield ledger


def test_history_is_a_frame_with_intervals(book):
    """A row for each evaluation, three columns for each metric, as they were evaluated."""
    frame = book.history().to_frame("pandas")
    assert frame["model"].tolist() == ["new"] * DAYS + ["old"]
    assert frame["look"].tolist() == [1] * DAYS + [2]
    ev = assay.evaluate(day_of(2), **ROLES)
    assert (frame["auc"][2], frame["auc_low"][2], frame["auc_high"][2]) == (
        ev["auc"].value,
        ev["auc"].low,
        ev["auc"].high,
    )
    assert set(ev) <= set(frame.columns)
    assert len(book.history(model="old")) == 1
    assert len(book.history(tag="nightly")) == DAYS
    test = book.entries()[0].test
    assert [line.model for line in book.history(test=test)] == ["new", "old"]
    assert len(book.history(test=test[:10])) == 2
    tomorrow = dt.datetime.now(dt.UTC) + dt.timedelta(days=1)
    assert len(book.history(since=tomorrow)) == 0
    zone = dt.timezone(dt.timedelta(hours=-12))
    assert len(book.history(since=dt.datetime.now(zone) - dt.timedelta(hours=1))) == DAYS + 1
    assert str(book.history(model="none")) == "no evaluations"


def test_a_metric_that_was_not_recorded_is_computed_from_the_tallies(book):
    """Any metric of the catalogue, with its options."""
    line = next(iter(book.history(metrics=["f_beta(beta=3)", "auc"])))
    expected = assay.evaluate(day_of(0), **ROLES).estimate("f_beta", beta=3)
    (cell,) = [cell for name, cell in line.metrics.items() if name != "auc"]
    assert (cell.value, cell.low) == (expected.value, expected.low)


def test_slices_have_a_line_each(book):
    """By a column, the estimates are those of the slices."""
    history = book.history(metrics=["recall"], by="region", model="new")
    assert [line.slice for line in history][:2] == ["north", "south"]
    expected = assay.evaluate(day_of(1), **ROLES).slices["region"]["north"]["recall"]
    third = list(history)[2]
    assert (third.metrics["recall"].value, third.metrics["recall"].low) == (expected.value, expected.low)
    assert "region" in history.text()
    assert len(book.history(by="other")) == 0
    with pytest.raises(assay.InputError, match="one column"):
        book.history(by=["region"])


def test_the_text_fits_80_columns(book):
    """The table is cut into blocks where it is wider."""
    text = book.history().text(width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert "AUC" in text
    assert book.history().to_json() == book.history().to_json()


def test_days_become_a_week(book):
    """The merged evaluation is that of all rows at once, to the last digit, with slices and fingerprint."""
    week = book.merge(model="new")
    rows = pd.concat([day_of(number) for number in range(DAYS)])
    whole = assay.evaluate(rows, **ROLES, name="new")
    assert week.n == len(rows)
    for name in whole:
        assert (week[name].value, week[name].low) == (whole[name].value, whole[name].low), name
    for part in ("north", "south"):
        assert week.slices["region"][part]["auc"].value == whole.slices["region"][part]["auc"].value
    assert book.record(week, model="week").test == book.record(whole, model="whole").test
    assert book.merge([1, 2]).n == 600


def test_a_day_that_was_evaluated_again_counts_once(book):
    """Of what is found by model the last entry of a test set counts; named twice, it is refused."""
    assay.evaluate(day_of(0), **ROLES, name="new", ledger=book)
    assert book.merge(model="new").n == 300 * DAYS
    with pytest.raises(assay.LedgerError, match="entries 1 and 7 share 100% of their rows"):
        book.merge([1, 7])
    part = pd.concat([day_of(0)[:150], day_of(9)[:150]])
    entry = book.record(assay.evaluate(part, **ROLES))
    with pytest.raises(assay.LedgerError, match="share 33% of their rows"):
        book.merge([1, entry.number])
    with pytest.raises(assay.LedgerError, match="no evaluations to merge"):
        book.merge(model="none")


def test_what_does_not_go_together_is_not_merged(book):
    """The message says which entries, and why."""
    other = assay.evaluate(day_of(8), actual="size", predicted="guess", key="id", ledger=book)
    assert other.task.name == "regression"
    with pytest.raises(assay.LedgerError, match="entry 7 does not go with entry 1"):
        book.merge([1, 7])


def test_days_that_cannot_be_told_apart_are_merged_by_number_only(tmp_path):
    """Two days with as many rows of each label may be one day evaluated twice: nothing is guessed."""
    with assay.ledger(tmp_path / "ledger.db") as book:
        for wrong in (3, 5):
            predicted = [0, 1] * (50 - wrong) + [1, 0] * wrong
            assay.evaluate(actual=[0, 1] * 50, predicted=predicted, ledger=book)
        with pytest.raises(assay.LedgerError, match=r"entries 1, 2 have as many rows .* by key="):
            book.merge()
        assert book.merge([1, 2])["accuracy"].value == 0.92
        with pytest.raises(assay.LedgerError, match="would count twice"):
            book.merge([1, 1])


def test_a_week_of_regressions_says_what_it_lacks(tmp_path):
    """Sums merge exactly; what needs rows, which are not stored, says so."""
    with assay.ledger(tmp_path / "ledger.db") as book:
        for number in range(3):
            assay.evaluate(day_of(number), actual="size", predicted="guess", key="id", ledger=book)
        week = book.merge()
    whole = assay.evaluate(pd.concat([day_of(n) for n in range(3)]), actual="size", predicted="guess")
    for name in ("mae", "rmse", "r2"):
        assert week[name].value == whole[name].value
    assert week.text(full=True)


def test_the_plot_has_a_point_with_its_interval_for_each_evaluation(book):
    """Each model, or slice, is a series; intervals are vertical lines."""
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = book.plot("auc")
    by_label = {line.get_label(): line for line in ax.lines}
    assert by_label["new"].get_ydata().tolist() == [
        line.metrics["auc"].value for line in book.history(model="new")
    ]
    upright = [
        line for line in ax.lines if len(line.get_ydata()) == 2 and line.get_xdata()[0] == line.get_xdata()[1]
    ]
    assert len(upright) == DAYS + 1
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {"new", "old"}
    sliced = book.plot("recall", by="region", model="new")
    assert {text.get_text() for text in sliced.get_legend().get_texts()} == {"north", "south"}
    for metric, words in (("mae", "no evaluation|not in|no tally|needs"),):
        with pytest.raises(assay.AssayError, match=words):
            book.plot(metric)
    plt.close("all")
