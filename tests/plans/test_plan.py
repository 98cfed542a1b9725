"""Plans: read, written, sealed, and their power computed a second way."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

import assay
from assay.cli import main
from assay.errors import PlanChangedError, PlanError
from assay.inference.hypothesis_tests.paired_proportions import tango
from assay.plans.plan import read_plan
from assay.plans.plan_power import power_of
from assay.plans.plan_seal import read_seal, seal_path, sealed_plan, write_seal
from assay.plans.requirement import parse_requirement

TEST = {"y": [0] * 1700 + [1] * 300, "region": ["north", "south"] * 1000}


def made(*requirements: str, **more: Any) -> assay.Plan:
    """Return a plan for the test set."""
    return assay.plan(TEST, name="churn", requirements=requirements, actual="y", score="p", **more)


@pytest.mark.parametrize("text", ["recall >= 0.9", "fpr <= 0.1", "specificity > 0.95"])
def test_the_power_of_a_proportion_is_the_sum_over_all_counts(text: str) -> None:
    """Every count of hits is tried with the metric's own interval, and weighted by its probability."""
    requirement, n, confidence = parse_requirement(text), 120, 0.95
    power = power_of(requirement, n, {"0": n, "1": n}, "1", confidence=confidence)
    assert power is not None
    holds = []
    for hits in range(n + 1):
        actual = [1] * n + [0] * n
        other = hits if text.startswith("fpr") else n - hits
        predicted = [1] * hits + [0] * (n - hits) if text.startswith("recall") else [1] * n
        predicted += [1] * other + [0] * (n - other) if not text.startswith("recall") else [0] * n
        found = assay.evaluate(actual=actual, predicted=predicted)[requirement.name]
        assert float(found) == pytest.approx(hits / n)
        holds.append(requirement.holds(found.low, found.high))
    for truth in (0.03, 0.08, 0.93, 0.97, 0.99):
        assert power(truth) == pytest.approx(binom.pmf(np.flatnonzero(holds), n, truth).sum(), abs=1e-12)


def test_the_power_of_a_paired_difference_is_that_of_simulated_tables() -> None:
    """Tango's lower limit is above the margin as often as the formula says, within 3 points."""
    n, disagreement, margin, confidence = 1000, 0.1, 0.02, 0.95
    requirement = parse_requirement(f"accuracy no worse than old by {margin}")
    assume = {"disagreement": disagreement, "correlation": 0.5, "area": 0.8}
    power = power_of(requirement, n, {"0": 500, "1": 500}, "1", confidence=confidence, assume=assume)
    assert power is not None
    draw = np.random.default_rng(3)
    for truth in (-margin, 0.0, 0.01):
        chances = [(disagreement + truth) / 2, (disagreement - truth) / 2, 1 - disagreement]
        tables = draw.multinomial(n, chances, 2000)
        shown = np.mean([tango(b, c, n, confidence=confidence)[0] > -margin for b, c, _ in tables])
        assert power(truth) == pytest.approx(shown, abs=0.03)


def test_the_power_of_an_area_is_that_of_drawn_scores() -> None:
    """Models with the area that the plan asks for pass as often as it says, within 3 points."""
    positives, negatives, limit = 120, 480, 0.75
    y = np.repeat([0, 1], [negatives, positives])
    (power,) = assay.plan({"y": y}, requirements=f"auc >= {limit}", actual="y", score="p").powers
    assert power.needed is not None
    assert limit < power.needed < 0.85
    draw = np.random.default_rng(4)
    distance = math.sqrt(2) * norm.ppf(power.needed)
    passed = 0
    for _ in range(1500):
        scores = norm.cdf(draw.standard_normal(len(y)) + distance * y)
        passed += assay.evaluate(actual=y, score=scores)["auc"].low >= limit
    assert passed / 1500 == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("limit", [0.5, 0.9, 0.97, 0.99])
def test_an_area_that_is_needed_is_the_first_that_does(limit: float) -> None:
    """Though the power by a normal approximation falls again towards 1."""
    requirement = parse_requirement(f"auc >= {limit}")
    (found,) = made(requirement.text).powers
    assert found.needed is not None
    power = power_of(requirement, None, {"0": 1700, "1": 300}, "1", confidence=0.95)
    assert power is not None
    assert power(found.needed) == pytest.approx(0.8, abs=1e-6)
    assert all(power(truth) < 0.8 for truth in np.linspace(limit, found.needed, 50)[:-1])


def test_a_plan_survives_its_file_and_comments_do_not_count(tmp_path: Any) -> None:
    """TOML and back is the same plan; spelling of the file does not change the hash, a number does."""
    plan = made("recall >= 0.9 in every region", "auc no worse than old by 0.01", looks=3)
    path = tmp_path / "plan.toml"
    path.write_text(f"# why\n{plan.to_toml()}", encoding="utf-8")
    assert read_plan(path).sha256 == plan.sha256
    assert read_plan(path).to_dict() == plan.to_dict()
    path.write_text(plan.to_toml().replace("0.9 in", "0.91 in"), encoding="utf-8")
    assert read_plan(path).sha256 != plan.sha256


def test_slices_have_the_power_of_the_smallest() -> None:
    """The slice with the fewest rows that count decides, even where it has none."""
    (of_slices,) = made("specificity >= 0.9 in every region").powers
    assert of_slices.rows == 850
    (whole,) = made("specificity >= 0.9").powers
    assert whole.rows == 1700
    assert whole.needed is not None
    assert of_slices.needed is not None
    assert whole.needed < of_slices.needed


def test_looks_share_the_error_rate() -> None:
    """All looks together stay below what one side of the interval leaves."""
    even, summable = made("recall >= 0.9", looks=5), made("recall >= 0.9", looks=5, spending="summable")
    assert sum(even.error_rate(look) for look in range(1, 6)) == pytest.approx(0.025)
    assert sum(summable.error_rate(look) for look in range(1, 6)) <= 0.025
    assert math.isclose(made("recall >= 0.9").confidence_at(1), 0.95)


def test_a_sealed_plan_cannot_be_changed(tmp_path: Any) -> None:
    """Another requirement, another test set and an edited seal are noticed."""
    path = tmp_path / "plan.toml"
    plan = made("recall >= 0.9")
    path.write_text(plan.to_toml(), encoding="utf-8")
    with pytest.raises(PlanError, match="is not sealed"):
        sealed_plan(path)
    assert write_seal(path).sha256 == plan.sha256
    assert write_seal(path).sha256 == plan.sha256  # again, and unchanged
    assert sealed_plan(path).sha256 == plan.sha256
    path.write_text(plan.to_toml().replace(">= 0.9", ">= 0.8"), encoding="utf-8")
    with pytest.raises(PlanChangedError, match="requirements changed"):
        sealed_plan(path)
    path.write_text(plan.to_toml(), encoding="utf-8")
    with pytest.raises(PlanChangedError, match="test_set changed"):
        write_seal(path, {"y": [0, 1] * 1000, "region": ["north"] * 2000})
    seal = seal_path(path)
    seal.write_bytes(seal.read_bytes().replace(b'"recall >= 0.9"', b'"recall >= 0.5"'))
    with pytest.raises(PlanChangedError, match="was edited"):
        read_seal(path)
    seal.write_bytes(b"[]")
    with pytest.raises(PlanChangedError, match="cannot be read"):
        read_seal(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("requirements = []", "requires nothing"),
        ('requirement = ["recall >= 0.9"]', "did you mean requirements"),
        ('requirements = ["recall >= 0.9"]', "actual"),
        ('requirements = ["recall >= 0.9"]\n[columns]\nactual = "y"', "holds the predictions"),
        (
            'requirements = ["recall >= 0.9"]\n[columns]\nactual = 5\nscore = "p"',
            "name of a column is needed",
        ),
        ('requirements = ["recall >= 0.9"]\ncolumns = "y"', "must be a table"),
        (
            'requirements = ["recall >= 0.9"]\nassume = { area = 2 }\n[columns]\nactual = "y"\nscore = "p"',
            "between 0 and 1",
        ),
        ('requirements = ["auc >= 0.9", "auc < 0.9"]\n[columns]\nactual = "y"\nscore = "p"', "can meet both"),
        (
            'requirements = ["mcc within 0.1", "mcc <= 0.5"]\n[columns]\nactual = "y"\nscore = "p"',
            "can meet both",
        ),
        ('requirements = ["recall >= 0.9", "recall >= 0.9"]\n[columns]\nactual = "y"\nscore = "p"', "twice"),
        (
            'requirements = ["recall >= 0.9", "sensitivity >= 0.9"]\n[columns]\nactual = "y"\nscore = "p"',
            "twice",
        ),
        (
            'requirements = ["recall >= 0.9", "tpr <= 0.5"]\n[columns]\nactual = "y"\nscore = "p"',
            "can meet both",
        ),
        (
            'requirements = ["auc >= 0.9 in every at", "auc < 0.5 in at=x"]\n[columns]\nactual = "y"\nscore = "p"',
            "can meet both",
        ),
        (
            'requirements = ["auc >= 0.9"]\n[columns]\nactual = "y"\nscore = "p"\n[settings]\nthreshold = "0.2"',
            "threshold",
        ),
        (
            'requirements = ["auc >= 0.9"]\n[columns]\nactual = "y"\nscore = "p"\n[settings]\ntask = "binry"',
            'Did you mean "binary"',
        ),
        ('requirements = ["recall >= 0.9"]\nlooks = 0\n[columns]\nactual = "y"\nscore = "p"', "looks"),
        (
            'requirements = ["recall >= 0.9"]\nconfidence = "high"\n[columns]\nactual = "y"\nscore = "p"',
            "confidence",
        ),
        (
            'requirements = ["recall >= 0.9"]\nspending = "all"\n[columns]\nactual = "y"\nscore = "p"',
            "spending",
        ),
        (
            'requirements = ["recall >= 0.9"]\n[columns]\nactual = "y"\nscore = "p"\n[test_set]\nrows = 0',
            "rows",
        ),
        ("requirements = [", "no TOML"),
    ],
)
def test_a_wrong_file_is_refused(text: str, message: str, tmp_path: Any) -> None:
    """Each mistake has its own words, with the file's name."""
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PlanError, match=message) as caught:
        read_plan(path)
    assert "plan.toml" in str(caught.value)


def test_requirements_of_different_rows_or_baselines_contradict_nothing() -> None:
    """One slice may be bad and another good, and both ends of a value may be required."""
    plan = made("recall <= 0.5 in region=north", "recall >= 0.9 in region=south", "f1 >= 0.2", "f1 <= 0.9")
    assert len(plan.requirements) == 4
    assert plan.powers[0].needed is not None
    assert plan.powers[0].needed < 0.5
    with pytest.raises(PlanError, match='no slice of these rows: region has "north", "south"'):
        made("recall >= 0.5 in region=east")


def test_seal_on_the_command_line(tmp_path: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 0 and the power; 3 for a plan that changed; 2 for one that is not there."""
    monkeypatch.chdir(tmp_path)
    text = made("recall >= 0.9").to_toml()
    (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    assert main(["seal", "plan.toml"]) == 0
    assert "300 rows show it if it is truly 0.9459 or better (80% power)" in capsys.readouterr().out
    assert main(["seal", "plan.toml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["powers"][0]["rows"] == 300
    (tmp_path / "plan.toml").write_text(text.replace("looks = 1", "looks = 9"), encoding="utf-8")
    assert main(["seal", "plan.toml"]) == 3
    assert "looks changed" in capsys.readouterr().err
    assert main(["seal", "none.toml"]) == 2
