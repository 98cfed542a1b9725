"""The gate: what passes, what does not, and what is refused, by the real command line and from Python."""

from __future__ import annotations

import itertools
import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq

import assay
from assay.cli import main
from assay.errors import NoLooksLeftError, PlanChangedError, PlanError
from assay.inference.hypothesis_tests.multiple_testing import holm
from assay.plans.requirement_result import Candidate

N = 600
REQUIREMENTS = ["recall >= 0.6", "auc no worse than production by 0.02", "specificity >= 0.5 in every region"]


def predictions(seed: int = 0, quality: float = 0.45) -> pd.DataFrame:
    """Return rows of one test set, with scores of a model."""
    truth = np.random.default_rng(7)
    y = truth.integers(0, 2, N)
    region = np.array(["north", "south", "west"])[truth.integers(0, 3, N)]
    noise = np.random.default_rng(seed).random(N)
    score = np.clip(quality * y + (1 - quality) * noise, 0, 1).round(6)
    return pd.DataFrame({"id": [f"c{i}" for i in range(N)], "y": y, "region": region, "p": score})


def toml(requirements: list[str] | None = None, **more: Any) -> str:
    """Return the text of a plan."""
    plan = assay.plan(
        name="churn", requirements=requirements or REQUIREMENTS, actual="y", score="p", key="id",
        settings={"threshold": 0.5}, **more,
    )  # fmt: skip
    return plan.to_toml()


@pytest.fixture
def folder(tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> Any:
    """Return a folder with a sealed plan and predictions, which is the current one."""
    monkeypatch.chdir(tmp_path)
    predictions(0, 0.5).to_parquet("new.parquet")
    predictions(1, 0.45).to_parquet("old.parquet")
    (tmp_path / "plan.toml").write_text(toml(), encoding="utf-8")
    assert main(["seal", "plan.toml", "--test-set", "new.parquet"]) == 0
    capfd.readouterr()
    return tmp_path


GATE = ["check", "plan.toml", "new.parquet", "--against", "old.parquet"]


def test_a_model_that_meets_the_plan_passes(folder: Any, capfd: Any) -> None:
    """Exit code 0, and the table says what was tested by which interval."""
    assert main(GATE) == 0
    text = capfd.readouterr().out
    assert "churn: all 3 requirements are met" in text
    assert "new against production · 600 rows, the test set of the plan" in text
    assert "Flips: new is right on" in text
    assert main([*GATE, "--json"]) == 0
    data = json.loads(capfd.readouterr().out)
    assert data["met"]
    assert [each["confidence"] for each in data["requirements"]] == [pytest.approx(1 - 0.05 / 3)] * 3
    assert data["requirements"][1]["paired"]


def test_a_model_that_does_not_is_stopped(folder: Any, capfd: Any) -> None:
    """Exit code 1, with the requirement, its bound and the worst slice."""
    predictions(2, 0.2).to_parquet("new.parquet")
    assert main(GATE) == 1
    text = capfd.readouterr().out
    assert (
        "NOT met  auc no worse than production by 0.02" in " ".join(text.split("\n")[4:6])
        or "NOT met" in text
    )
    assert "it is worse by" in text
    assert main([*GATE, "--markdown"]) == 1
    assert "| ❌ | auc no worse than production by 0.02 |" in capfd.readouterr().out


def changed(**columns: Any) -> pd.DataFrame:
    """Return predictions with other columns."""
    return predictions(0, 0.5).assign(**columns)


BASE = predictions(0, 0.5)
# What is wrong with the file of predictions, the exit code, and words of the message.
HOSTILE: dict[str, tuple[Any, int, str]] = {
    "a slice has vanished": (lambda: BASE[BASE.region != "west"], 3, "rows are not the test set"),
    "a slice has another name": (lambda: BASE.replace({"region": {"west": "West"}}), 3, "no row of region=west"),
    "rows have moved between slices": (
        lambda: changed(region=BASE.region.to_numpy()[::-1]), 3, "region",
    ),
    "two rows of one label have swapped their slices": (
        lambda: changed(region=_swapped(BASE)), 3, "some rows have another region",
    ),
    "the positive label is absent": (lambda: changed(y=0), 3, "some of them are others"),
    "two labels are swapped": (lambda: changed(y=_swapped_labels(BASE)), 3, "some of them are others"),
    "there are more rows": (lambda: pd.concat([BASE, BASE.assign(id="x" + BASE.id)]), 3, "1,200 rows"),
    "a row is there twice": (lambda: pd.concat([BASE, BASE.iloc[:1]]), 3, "601 rows"),
    "a row replaces another": (lambda: pd.concat([BASE.iloc[1:], BASE.iloc[1:2]]), 3, "rows"),
    "a column is missing": (lambda: BASE.drop(columns="p"), 2, 'no column "p"'),
    "the key is missing": (lambda: BASE.drop(columns="id"), 2, 'no column "id"'),
    "a score is NaN": (lambda: changed(p=BASE.p.where(BASE.index != 5)), 2, "missing in p"),
    "a score is text": (lambda: changed(p="high"), 2, "where scores are needed"),
    "there are no rows": (lambda: BASE.iloc[:0], 2, "no rows"),
}  # fmt: skip


def _swapped(frame: pd.DataFrame) -> Any:
    """Return the regions, those of two rows of one label exchanged."""
    region = frame.region.to_numpy().copy()
    negatives = frame.index[frame.y == 0]
    first = negatives[0]
    second = next(index for index in negatives if region[index] != region[first])
    region[[first, second]] = region[[second, first]]
    return region


def _swapped_labels(frame: pd.DataFrame) -> Any:
    """Return the labels, those of two rows of one region exchanged."""
    y = frame.y.to_numpy().copy()
    first, second = (frame.index[(frame.y == label) & (frame.region == "north")][0] for label in (0, 1))
    y[[first, second]] = y[[second, first]]
    return y


@pytest.mark.parametrize("case", HOSTILE)
def test_rows_that_are_not_the_test_set_are_refused(case: str, folder: Any, capfd: Any) -> None:
    """Exit code 3 for another test set, 2 for what cannot be read; nothing is printed on standard output."""
    make, code, words = HOSTILE[case]
    make().to_parquet("new.parquet")
    assert main(GATE) == code
    out, err = capfd.readouterr()
    assert words in err
    assert not out
    assert "Traceback" not in err


def test_columns_and_rows_in_another_order_are_the_same_test_set(folder: Any, capfd: Any) -> None:
    """Columns are found by name, rows by their key: the same verdict, to the last digit."""
    assert main([*GATE, "--json"]) == 0
    before = json.loads(capfd.readouterr().out)
    predictions(0, 0.5).sample(frac=1, random_state=1)[["p", "region", "id", "y"]].to_parquet("new.parquet")
    predictions(1, 0.45).sample(frac=1, random_state=2).to_csv("old.csv", index=False)
    assert main(["check", "plan.toml", "new.parquet", "--against", "old.csv", "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == before


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda old: old.assign(id="x" + old.id), "other rows than the test set"),
        (lambda old: old.iloc[:300], "(300, where the candidate has 600)"),
        (lambda old: old.assign(y=1 - old.y), "other rows than the test set"),
        (lambda old: old.drop(columns="p"), 'no column "p"'),
    ],
)
def test_a_baseline_of_other_rows_is_wrong_input(make: Any, words: str, folder: Any, capfd: Any) -> None:
    """Exit code 2: the test set is as it was, and the baseline belongs to another one."""
    make(predictions(1, 0.45)).to_parquet("old.parquet")
    assert main(GATE) == 2
    assert words in capfd.readouterr().err


def test_without_a_key_the_order_must_be_the_same(folder: Any) -> None:
    """Rows are paired one by one, and where their labels stand otherwise nothing says how."""
    plan = assay.plan(
        predictions(), requirements="auc no worse than production by 0.02", actual="y", score="p"
    )
    assert not plan.tells_rows_apart
    old = predictions(1, 0.45)
    assert assay.check(plan, predictions(0, 0.5), against=old).met
    with pytest.raises(PlanError, match="another order"):
        assay.check(plan, predictions(0, 0.5), against=old.iloc[::-1].reset_index(drop=True))


def test_a_plan_that_is_not_as_sealed_is_refused(folder: Any, capfd: Any) -> None:
    """Exit code 3 for an edited plan and an edited seal, 2 for one without a seal."""
    text = (folder / "plan.toml").read_text(encoding="utf-8")
    (folder / "plan.toml").write_text(text.replace("recall >= 0.6", "recall >= 0.1"), encoding="utf-8")
    assert main(GATE) == 3
    assert "requirements changed" in capfd.readouterr().err
    (folder / "plan.toml").write_text(f"# a remark\n{text}", encoding="utf-8")
    assert main(GATE) == 0
    seal = folder / "plan.toml.sealed"
    sealed = seal.read_bytes()
    seal.write_bytes(sealed.replace(b"recall >= 0.6", b"recall >= 0.1"))
    assert main(GATE) == 3
    assert "was edited" in capfd.readouterr().err
    seal.unlink()
    assert main(GATE) == 2
    assert "is not sealed" in capfd.readouterr().err


def test_what_is_missing_or_too_much_is_wrong_input(folder: Any, capfd: Any) -> None:
    """A baseline that is not given, given twice or not named; a plan or a file that is not there."""
    for words, message in (
        (["check", "plan.toml", "new.parquet"], "give the predictions of it with --against"),
        ([*GATE, "--against", "old.parquet"], "names a baseline twice"),
        (["check", "none.toml", "new.parquet"], "is not sealed"),
        (["check", "plan.toml", "none.parquet"], "none.parquet"),
        (["check", "plan.toml"], "no file was named"),
        (
            ["check", "plan.toml", "new.parquet", "--against-ledger", "old"],
            "there is none: name it with --ledger",
        ),
        ([*GATE, "--output", "plan.toml"], "plan.toml"),
        ([*GATE, "--output", "plan.toml.sealed"], "plan.toml.sealed"),
    ):
        assert main(words) == 2, words
        assert message in capfd.readouterr().err


def test_a_metric_that_is_undefined_is_not_met(folder: Any, capfd: Any) -> None:
    """A model that predicts no positive has no precision: exit code 1, with the reason."""
    (folder / "plan.toml").write_text(toml(["precision >= 0.1"]), encoding="utf-8")
    (folder / "plan.toml.sealed").unlink()
    assert main(["seal", "plan.toml", "--test-set", "new.parquet"]) == 0
    changed(p=0.01).to_parquet("new.parquet")
    capfd.readouterr()
    assert main(["check", "plan.toml", "new.parquet"]) == 1
    assert "nothing was predicted positive" in capfd.readouterr().out


def test_a_metric_of_another_task_is_wrong_input(folder: Any, capfd: Any) -> None:
    """What these rows do not have cannot be tested."""
    (folder / "plan.toml").write_text(toml(["rmse <= 3"]), encoding="utf-8")
    (folder / "plan.toml.sealed").unlink()
    assert main(["seal", "plan.toml", "--test-set", "new.parquet"]) == 0
    capfd.readouterr()
    assert main(["check", "plan.toml", "new.parquet"]) == 2
    assert "rmse" in capfd.readouterr().err


LOOKS = ["check", "plan.toml", "new.parquet", "--against", "old.parquet", "--ledger", "book.db"]


def test_looks_are_spent(folder: Any, capfd: Any) -> None:
    """The same predictions are one look, another model is the next one, and then exit code 4."""
    (folder / "plan.toml").write_text(toml(looks=2), encoding="utf-8")
    (folder / "plan.toml.sealed").unlink()
    assert main(["seal", "plan.toml", "--test-set", "new.parquet", "--ledger", "book.db"]) == 0
    capfd.readouterr()
    levels = []
    for seed, look in ((0, 1), (0, 1), (5, 2), (0, 1)):
        predictions(seed, 0.5).to_parquet("new.parquet")
        assert main([*LOOKS, "--json"]) == 0
        data = json.loads(capfd.readouterr().out)
        assert (data["look"], data["looks_allowed"]) == (look, 2)
        levels.append(data["requirements"][0]["level"])
    assert (
        levels == [pytest.approx(0.025 / 2 / 3)] * 4
    )  # two looks share the rate, three requirements share a look
    predictions(6, 0.5).to_parquet("new.parquet")
    assert main(LOOKS) == 4
    out, err = capfd.readouterr()
    assert "allows 2 models on its test set" in err
    assert not out
    book = assay.ledger("book.db")
    assert [entry.kind for entry in book.entries()] == [
        "plan",
        *["evaluation", "check", "check"],
        "evaluation",
        *["check"] * 2,
    ]
    assert bool(book.verify())
    book.close()


def test_only_a_second_check_is_of_the_same_predictions_again(tmp_path: Any) -> None:
    """The first one records them itself."""
    table = predictions(0, 0.5)
    plan = assay.plan(table, requirements="auc >= 0.6", actual="y", score="p", key="id")
    with assay.ledger(tmp_path / "ledger.db") as book:
        texts = [str(assay.check(plan, table, ledger=book)) for _ in range(2)]
    assert ["the same predictions again" in " ".join(text.split()) for text in texts] == [False, True]


def test_looks_that_others_had_count(folder: Any) -> None:
    """Every evaluation on the test set in the ledger is a look; that of the baseline is none."""
    plan = assay.plan(
        predictions(), requirements="auc no worse than production by 0.02", actual="y", score="p", key="id",
        looks=2,
    )  # fmt: skip
    with assay.ledger("book.db") as book:
        book.record(plan.evaluate(predictions(1, 0.45)), model="production")
        assert assay.check(plan, predictions(0, 0.5), against=predictions(1, 0.45), ledger=book).look == 1
        book.record(plan.evaluate(predictions(9, 0.5)), model="a trial")
        with pytest.raises(NoLooksLeftError, match="number 3"):
            assay.check(plan, predictions(8, 0.5), against=predictions(1, 0.45), ledger=book)


def test_a_look_costs_as_much_as_the_plan_says() -> None:
    """Summable spending: look j is tested at 1 / (j (j + 1)) of the error rate."""
    plan = assay.plan(
        predictions(), requirements="recall >= 0.6", actual="y", score="p", key="id", looks=5,
        spending="summable",
    )  # fmt: skip
    with assay.ledger(":memory:") as book:
        levels = [
            assay.check(plan, predictions(seed, 0.5), ledger=book).results[0].level for seed in range(4)
        ]
    assert levels == pytest.approx([0.025 / (j * (j + 1)) for j in range(1, 5)])


def test_a_plan_of_the_same_name_in_the_ledger_is_another_plan(folder: Any, capfd: Any) -> None:
    """Who edits a plan and seals it anew is found out by the ledger."""
    assert main(["seal", "plan.toml", "--ledger", "book.db"]) == 0
    assert main(LOOKS) == 0
    (folder / "plan.toml.sealed").unlink()
    (folder / "plan.toml").write_text(toml(["recall >= 0.1"]), encoding="utf-8")
    assert main(["seal", "plan.toml", "--test-set", "new.parquet"]) == 0
    capfd.readouterr()
    assert main(["check", "plan.toml", "new.parquet", "--ledger", "book.db"]) == 3
    assert "another plan churn" in capfd.readouterr().err
    assert main(["seal", "plan.toml", "--ledger", "book.db"]) == 3


def test_a_baseline_of_the_ledger_is_not_paired(folder: Any, capfd: Any) -> None:
    """A ledger has no rows: the interval is wider, and the result says so."""
    plan = assay.plan(
        predictions(), requirements="auc no worse than production by 0.2", actual="y", score="p", key="id"
    )
    with assay.ledger("book.db") as book:
        book.record(plan.evaluate(predictions(1, 0.45)), model="v1")
        result = assay.check(plan, predictions(0, 0.5), against_ledger="v1", ledger=book)
        (unpaired,) = result
        (paired,) = assay.check(plan, predictions(0, 0.5), against=predictions(1, 0.45), ledger=book)
        with pytest.raises(PlanError, match="no evaluation of v9 on this test set"):
            assay.check(plan, predictions(0, 0.5), against_ledger="v9", ledger=book)
    assert result.met
    assert unpaired.paired is False
    assert paired.paired
    assert unpaired.estimate.low < paired.estimate.low
    assert "not paired" in str(result)


def test_an_evaluation_of_a_ledger_can_be_checked() -> None:
    """Its fingerprint says that it is of the test set; rows are not needed."""
    plan = assay.plan(predictions(), requirements="recall >= 0.6", actual="y", score="p", key="id")
    with assay.ledger(":memory:") as book:
        entry = book.record(plan.evaluate(predictions(0, 0.5)), model="new")
        stored, whole = assay.check(plan, book.load(entry)), assay.check(plan, predictions(0, 0.5))
    assert [each.estimate for each in stored] == [each.estimate for each in whole]
    other = assay.evaluate(actual=predictions().y, score=predictions().p)
    with pytest.raises(PlanChangedError):
        assay.check(plan, other)


MADE_OTHERWISE: dict[str, tuple[dict[str, Any], str]] = {
    "threshold": ({"threshold": 0.05}, "threshold is 0.05, and in the plan 0.5"),
    "positive": ({"positive": 0}, "positive is 0, and in the plan 1"),
    "weight": ({"weight": "w"}, "weight is w, and in the plan not given"),
    "group": ({"group": "region"}, "group is region, and in the plan not given"),
    "costs": ({"cost_fp": 5}, "cost_fp is 5, and in the plan not given"),
    "task": (
        {"task": "regression", "threshold": None, "score": None, "predicted": "p"},
        "task is regression, and in the plan binary",
    ),
}


@pytest.mark.parametrize("case", MADE_OTHERWISE)
def test_an_evaluation_with_other_settings_than_the_plan_s_is_refused(case: str) -> None:
    """A lower threshold would meet a requirement of recall that the plan's does not."""
    options, words = MADE_OTHERWISE[case]
    table = predictions(0, 0.5).assign(w=np.arange(N) % 3 + 1)
    plan = assay.plan(
        table, requirements="recall no worse than production by 0.02", actual="y", score="p", key="id",
        settings={"threshold": 0.5, "task": "binary"}, looks=2,
    )  # fmt: skip
    other = assay.evaluate(table, **{"actual": "y", "score": "p", "key": "id", "threshold": 0.5, **options})
    with assay.ledger(":memory:") as book:
        stored = book.load(book.record(other, model="v1"))
        for ev in (other, stored):
            with pytest.raises(PlanError, match=words):
                assay.check(plan, ev, against=table)
        same = book.load(book.record(plan.evaluate(table)))
        assert assay.check(plan, same, against=same).met
        if case != "group":  # which would be part of the rows' identity
            with pytest.raises(PlanError, match=f"no evaluation of v1 as the plan wants it: {words}"):
                assay.check(plan, table, against_ledger="v1", ledger=book)
            book.record(plan.evaluate(table), model="v1")
            book.record(other, model="v1")
            assert assay.check(plan, table, against_ledger="v1", ledger=book).met  # the one that fits


def test_one_cost_in_a_plan_is_that_of_its_evaluations() -> None:
    """The other one is 1, which evaluations say and plans need not."""
    table = predictions(0, 0.5)
    plan = assay.plan(
        table, requirements="auc >= 0.6", actual="y", score="p", key="id", settings={"cost_fn": 5, "beta": 2}
    )
    assert assay.check(plan, plan.evaluate(table)).met


def test_a_candidate_that_is_named_as_the_baseline_of_the_next_was_a_look() -> None:
    """Else one model after the other could be checked, each against the one before."""
    plan = assay.plan(
        predictions(), requirements="auc no worse than production by 0.2", actual="y", score="p", key="id"
    )
    first, second, old = predictions(0, 0.5), predictions(5, 0.5), predictions(1, 0.45)
    with assay.ledger(":memory:") as book:
        assert assay.check(plan, first, against=old, ledger=book).look == 1
        with pytest.raises(NoLooksLeftError, match="number 2"):
            assay.check(plan, second, against=first, ledger=book)


def p_value(candidate: Candidate, requirement: Any) -> float:
    """Return the smallest one-sided level at which the requirement is met, by bisection."""

    def beyond(level: float) -> float:
        return 1.0 if candidate.test(requirement, 1 - 2 * level).met else -1.0

    if beyond(1e-9) > 0:
        return 1e-9
    return 1.0 if beyond(0.4999) < 0 else float(brentq(beyond, 1e-9, 0.4999, xtol=1e-12))


@pytest.mark.parametrize("seed", range(6))
def test_the_decision_is_holms_by_p_values(seed: int) -> None:
    """Levels by the number that is left, and p-values by bisection with Holm's correction, decide alike."""
    rng = np.random.default_rng(seed)
    new, old = predictions(seed, 0.4), predictions(seed + 50, 0.4)
    limits = rng.uniform(0.55, 0.8, 3)
    margins = rng.uniform(0.005, 0.08, 2)
    requirements = [
        *(f"{name} >= {limit:.4f}" for name, limit in zip(("recall", "specificity", "accuracy"), limits, strict=True)),
        *(f"{name} no worse than old by {margin:.4f}" for name, margin in zip(("auc", "accuracy"), margins, strict=True)),
        "brier better than old",
    ]  # fmt: skip
    plan = assay.plan(new, requirements=requirements, actual="y", score="p", key="id")
    result = assay.check(plan, new, against=old)
    candidate = Candidate(plan.evaluate(new), {"old": plan.evaluate(old)}, "new")
    p = [p_value(candidate, requirement) for requirement in plan.requirements]
    assert [each.met for each in result] == (holm(p) <= 0.025).tolist()
    # And each line is tested at the level over the number of those that were left.
    for each, size in zip(result, p, strict=True):
        left = sum(other >= size for other in p) if each.met else sum(not other.met for other in result)
        assert each.level >= 0.025 / left - 1e-12 or each.met


def test_correction_none_tests_each_line_by_itself() -> None:
    """Without a correction every requirement is tested at the whole level."""
    plan = assay.plan(
        predictions(), requirements=["recall >= 0.6", "specificity >= 0.99"], actual="y", score="p", key="id",
        correction="none",
    )  # fmt: skip
    assert [each.level for each in assay.check(plan, predictions(0, 0.5))] == pytest.approx([0.025] * 2)


def test_slices_are_paired_too() -> None:
    """Against a baseline in every region: each slice by its own rows, the worst one decides."""
    new, old = predictions(0, 0.5), predictions(1, 0.45)
    plan = assay.plan(
        new,
        requirements="accuracy no worse than old by 0.05 in every region",
        actual="y",
        score="p",
        key="id",
    )
    (result,) = assay.check(plan, new, against=old.sample(frac=1, random_state=3))
    bounds = {}
    for region, part in new.groupby("region"):
        base = old[old.region == region]
        both = assay.compare(
            actual=part.y, score={"old": base.p.to_numpy(), "new": part.p.to_numpy()}, metrics=["accuracy"],
            confidence=0.95,
        )  # fmt: skip
        bounds[region] = both["accuracy"].low
    worst = min(bounds, key=bounds.__getitem__)
    assert (result.part, result.parts) == (worst, 3)
    assert result.estimate.low == pytest.approx(bounds[worst], abs=1e-12)


def test_less_is_better_for_losses() -> None:
    """The improvement in a loss is its decrease."""
    new, old = predictions(0, 0.5), predictions(1, 0.3)
    plan = assay.plan(new, requirements="brier better than old", actual="y", score="p", key="id")
    (result,) = assay.check(plan, new, against=old)
    assert result.met
    before, after = result.to_dict()["baseline_value"], result.to_dict()["candidate_value"]
    assert float(result.estimate) == pytest.approx(before - after)
    assert result.estimate.low < float(result.estimate) < result.estimate.high


def test_the_same_predictions_are_no_worse() -> None:
    """A model against itself is not inferior by any margin, and not better."""
    new = predictions()
    for margin, met in (("no worse than old by 0.02", True), ("better than old", False)):
        plan = assay.plan(new, requirements=f"accuracy {margin}", actual="y", score="p", key="id")
        assert assay.check(plan, new, against=new).met is met


def test_several_baselines_are_told_apart(folder: Any, capfd: Any) -> None:
    """Each by its name; without names nobody knows which is which."""
    (folder / "plan.toml").write_text(
        toml(["auc no worse than old by 0.1", "auc no worse than older by 0.2"]), encoding="utf-8"
    )
    (folder / "plan.toml.sealed").unlink()
    assert main(["seal", "plan.toml", "--test-set", "new.parquet"]) == 0
    shutil.copy("old.parquet", "older.parquet")
    words = ["check", "plan.toml", "new.parquet"]
    assert main([*words, "--against", "old=old.parquet", "--against", "older=older.parquet"]) == 0
    assert main([*words, "--against", "old.parquet"]) == 2
    assert "say which one" in capfd.readouterr().err
    assert main([*words, "--against", "old=old.parquet"]) == 2
    assert 'compares with "older"' in capfd.readouterr().err


def test_two_checks_at_once_do_not_share_a_look(tmp_path: Any) -> None:
    """A look is recorded before anything is computed by it: of many at once exactly so many pass."""
    plan = assay.plan(predictions(), requirements="recall >= 0.6", actual="y", score="p", key="id", looks=3)

    def attempt(seed: int) -> int:
        try:
            with assay.ledger(tmp_path / "book.db") as book:
                return assay.check(plan, predictions(seed, 0.5), ledger=book).look
        except NoLooksLeftError:
            return 0

    with ThreadPoolExecutor(6) as pool:
        looks = list(pool.map(attempt, range(6)))
    assert sorted(looks) == [0, 0, 0, 1, 2, 3]


def test_every_kind_of_task_has_a_gate() -> None:
    """Several classes, numbers and ranked lists; tables, files and rows."""
    rng = np.random.default_rng(2)
    classes = {"id": list(range(300)), "y": rng.integers(0, 3, 300), "z": rng.integers(0, 3, 300)}
    numbers = {"id": list(range(300)), "y": rng.normal(size=300), "z": rng.normal(size=300)}
    lists = {"q": np.repeat(np.arange(60), 5), "y": rng.integers(0, 2, 300), "p": rng.random(300)}
    for table, columns, requirement in (
        (classes, {"predicted": "z", "key": "id"}, "macro f1 >= 0.1"),
        (classes, {"predicted": "z", "key": "id"}, "accuracy no worse than old by 0.2"),
        (numbers, {"predicted": "z", "key": "id"}, "mae <= 3"),
        (numbers, {"predicted": "z", "key": "id"}, "rmse no worse than old by 0.5"),
        (lists, {"score": "p", "query": "q"}, "ndcg >= 0.1"),
        (lists, {"score": "p", "query": "q"}, "ndcg no worse than old by 0.3"),
    ):
        settings = {"task": "multiclass"} if table is classes else {}
        plan = assay.plan(table, requirements=requirement, actual="y", settings=settings, **columns)
        assert plan.test_set is not None
        assert plan.test_set.rows == 300
        against = {"against": table} if plan.baselines else {}
        assert assay.check(plan, table, **against).met, requirement


def test_flips_have_the_rows_of_the_candidate() -> None:
    """Row numbers are those of the candidate's file, though the baseline came in another order."""
    new, old = predictions(0, 0.5), predictions(1, 0.45)
    plan = assay.plan(new, requirements="auc no worse than old by 0.1", actual="y", score="p", key="id")
    (flips,) = assay.check(plan, new, against=old.sample(frac=1, random_state=4)).flips
    right_new, right_old = ((frame.p >= 0.5) == frame.y for frame in (new, old))
    assert flips.better_rows.tolist() == np.flatnonzero(right_new & ~right_old).tolist()
    assert flips.worse_rows.tolist() == np.flatnonzero(~right_new & right_old).tolist()
    assert list(itertools.chain(flips.better_rows)) == sorted(flips.better_rows)
