"""The coverage study's populations: their true values, found a second way, and how intervals are counted."""

import importlib
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, special, stats

import assay

BENCHMARKS = str(Path(__file__).parent.parent / "benchmarks")
FAMILIES = {
    "hard_populations": (
        "rare positives", "useless model", "one error", "rare probabilities", "sure probabilities",
        "many classes", "class scores", "few queries",
    ),
    "hard_designs": (
        "clusters", "cluster labels", "cluster scores", "cluster numbers", "few positives weighted",
        "positives found weighted", "numbers weighted",
    ),
    "unseen_populations": (
        "unseen rare", "unseen tables", "unseen classes", "unseen probabilities", "unseen queries",
    ),
    "unseen_designs": ("unseen clusters", "unseen weights", "unseen numbers"),
}  # fmt: skip
# What is chosen on the rows, read off the steps of a curve, or never below 0 is biased in any sample.
BIASED = (
    "equal_error_rate",
    "ks", "max_f1", "h_measure", "convex_hull_auc", "expected_calibration_error",
    "top_label_calibration_error", "max_kappa", "mutual_information", "cramers_v",
)  # fmt: skip


@pytest.fixture(scope="module")
def study():
    """Import a module of the study by its name."""
    sys.path.insert(0, BENCHMARKS)
    yield importlib.import_module
    sys.path.remove(BENCHMARKS)


@pytest.mark.parametrize("module", FAMILIES)
def test_every_family_is_tested_here(study, module):
    """Every hard and every unseen family has its scenarios drawn below."""
    assert tuple(study(module).FAMILIES) == FAMILIES[module]


@pytest.mark.slow
@pytest.mark.parametrize(("module", "family"), [(m, f) for m, names in FAMILIES.items() for f in names])
def test_large_samples_come_to_the_true_values(study, module, family):
    """Metrics of many pooled data sets are the true values, but for their own standard error."""
    scenarios = study(module).FAMILIES[family]()
    assert len({scenario.name for scenario in scenarios}) == len(scenarios)
    for scenario in (scenarios[0], scenarios[len(scenarios) // 2]):
        rng = np.random.Generator(np.random.Philox(key=1))
        lots = [[scenario.draw(rng) for _ in range(15)] for _ in range(6)]
        for name, truth in scenario.truth.items():
            metric, options = scenario.metric(name)
            values = [_pooled(metric, options, lot) for lot in lots]
            assert not np.isnan(values).any(), (scenario.name, name)
            room = 5 * stats.sem(values) + 1e-9 * max(1, abs(truth))
            if metric.name in BIASED:
                room += 0.05
            assert abs(np.mean(values) - truth) <= room, (scenario.name, name, np.mean(values), truth, room)


def _pooled(metric, options, lot):
    """Return a metric of several data sets as one; of ranked lists, whose numbers recur, the mean."""
    if metric.reads.__name__ == "Lists":
        return np.mean([float(metric(data, **options)) for data in lot])
    if isinstance(lot[0], assay.Tally):
        return float(metric(assay.merge(lot), **options))
    parts = [metric.tallied(data, options) for data in lot]
    return float(metric(assay.merge([tally for tally, _ in parts]), **parts[0][1]))


def test_two_normal_classes_have_their_closed_forms(study):
    """Area, distance and losses counted over cells are those of formulas and integrals."""
    scenarios = study("scenarios")
    population = scenarios.Binormal.with_area(0.8, 0.01)
    names = ("auc", "ks", "equal_error_rate", "log_loss", "brier", "cox_slope", "observed_expected_ratio")
    truth = population.truth(names)
    shift, prevalence = population.shift, population.prevalence

    def mean(positive, negative):
        def inside(x):
            p = population.probability(x)
            positives, negatives = stats.norm.pdf(x - shift), stats.norm.pdf(x)
            return prevalence * positives * positive(p) + (1 - prevalence) * negatives * negative(p)

        return integrate.quad(inside, -10, 10 + shift, epsabs=1e-12, limit=200)[0]

    expected = {
        "auc": 0.8,
        "ks": 2 * special.ndtr(shift / 2) - 1,
        "equal_error_rate": special.ndtr(-shift / 2),
        "log_loss": mean(lambda p: -math.log(p), lambda p: -math.log1p(-p)),
        "brier": mean(lambda p: (1 - p) ** 2, lambda p: p**2),
        "cox_slope": 1,
        "observed_expected_ratio": 1,
    }
    assert truth == pytest.approx(expected, abs=2e-6)
    # A miscalibrated model's log odds are brought back by the inverse of what moved them.
    moved = scenarios.Binormal(0.1, 1.5, 2.0, 1.0).truth(("cox_slope", "cox_intercept"))
    assert moved == pytest.approx({"cox_slope": 0.5, "cox_intercept": -0.5}, abs=1e-5)


def test_sure_probabilities_have_the_losses_of_two_outcomes(study):
    """The log loss and the Brier score of a probability of 0.999 that is right in 99%."""
    scenarios = study("hard_populations").FAMILIES["sure probabilities"]()
    (truth,) = (one.truth for one in scenarios if one.name == "n 20, probability 0.999, right 0.99")
    assert truth["log_loss"] == pytest.approx(-0.99 * math.log(0.999) - 0.01 * math.log(0.001), rel=1e-9)
    assert truth["brier"] == pytest.approx(0.99 * 0.001**2 + 0.01 * 0.999**2, rel=1e-9)


def test_unseen_scores_have_the_areas_that_their_names_state(study):
    """The area of finite lists of scores, counted pair by pair, is that of the distributions behind them."""
    unseen = study("unseen_populations")
    for kind in ("exponential", "logistic", "t with 3 df", "uniform mixture"):
        for area in (0.55, 0.7, 0.88):
            positives, negatives = unseen.class_scores(kind, area, 0.1)
            below = np.searchsorted(np.sort(negatives), positives).mean() / len(negatives)
            assert below == pytest.approx(area, abs=1e-4), kind
            assert unseen.rank_truth(kind, area, 0.1)["auc"] == pytest.approx(area, abs=1e-4), kind
    # Mann-Whitney of two logistic classes that are d apart: e^d (e^d - 1 - d) / (e^d - 1)^2.
    positives, negatives = unseen.class_scores("logistic", 0.88, 0.1)
    shift = positives[0] - negatives[0]
    odds = math.exp(shift)
    assert odds * (odds - 1 - shift) / (odds - 1) ** 2 == pytest.approx(0.88, abs=1e-4)


@pytest.mark.slow
def test_unseen_probabilities_are_brought_back_by_the_inverse_of_what_moved_them(study):
    """Log odds times 2 have a calibration slope of 1/2; calibrated beta probabilities have known losses."""
    scenarios = study("unseen_populations").FAMILIES["unseen probabilities"]()
    truth = {scenario.name: scenario.truth for scenario in scenarios}
    assert truth["n 40, beta(2, 2), temperature 0.5"]["cox_slope"] == pytest.approx(0.5, abs=1e-6)
    assert truth["n 40, beta(2, 2), temperature 2"]["cox_slope"] == pytest.approx(2, abs=1e-6)
    calibrated = truth["n 40, beta(2, 2), calibrated"]
    assert calibrated["observed_expected_ratio"] == pytest.approx(1, abs=1e-8)
    assert calibrated["brier"] == pytest.approx(2 * 2 / (4 * 5), abs=1e-6)  # E p(1-p) = ab / ((a+b)(a+b+1))
    # E -p log p = -(a/(a+b)) (digamma(a+1) - digamma(a+b+1)), twice for a = b.
    assert calibrated["log_loss"] == pytest.approx(-(special.digamma(3) - special.digamma(5)), abs=1e-5)


def test_the_study_covers_every_metric_that_a_full_report_shows(study):
    """What an evaluation of two classes shows in full is in the lists that the scenarios take."""
    shown_metrics = study("scenarios").shown_metrics
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    evaluation = assay.evaluate(actual=y, score=np.clip(0.3 * y + 0.6 * rng.random(200), 0, 1))
    names = {
        name.split()[0]
        for part in ("labels", "scores", "probabilities")
        for name in shown_metrics("binary", part)
    }
    assert set(evaluation) <= names
    assert "log_loss" in shown_metrics("binary", "probabilities")
    assert "auc" not in shown_metrics("binary", "probabilities")


def test_misses_are_counted_by_side_and_refusals_by_reason(study, tmp_path):
    """A cell tells intervals above the truth from those below, and keeps the reasons of what is missing."""
    cells = study("coverage_cells")
    cell = cells.Cell("family", "scenario", "auc", 0.5)
    limits = [(0.4, 0.6), (0.6, 0.8), (0.1, 0.2), (0.5, math.inf)]
    for low, high in limits:
        cell.add(assay.Estimate(low, low, high, 0.95, "method", 10))
    cell.add(assay.Estimate(0.5, None, None, 0.95, "", 10, "one group"))
    cell.add(assay.estimate("precision", assay.rows(actual=[0, 1], predicted=[0, 0], labels=[0, 1])))
    assert (cell.sets, cell.intervals, cell.below, cell.above, cell.endless) == (6, 4, 1, 1, 1)
    assert cell.coverage == 0.5
    assert cell.mean_width == pytest.approx((0.2 + 0.2 + 0.1) / 3)
    assert dict(cell.no_interval) == {"one group": 1}
    assert dict(cell.no_value) == {"nothing was predicted positive": 1}
    cells.save(tmp_path / "run.json", [cell])
    (back,) = cells.load(tmp_path / "run.json")
    assert back == cell
    assert json.loads((tmp_path / "run.json").read_text())["cells"][0]["coverage"] == 0.5
    cell.merge(back)
    assert (cell.sets, cell.intervals, cell.below, cell.no_interval["one group"]) == (12, 8, 2, 2)


def test_a_cell_is_low_beyond_two_simulation_errors(study):
    """Of 100 intervals 87 that hold the truth are too few, 88 may be chance."""
    cells = study("coverage_cells")
    for held, low in ((87, True), (88, False), (100, False)):
        cell = cells.Cell("family", "scenario", "auc", 0.5)
        for index in range(100):
            limits = (0.4, 0.6) if index < held else (0.6, 0.7)
            cell.add(assay.Estimate(limits[0], *limits, 0.95, "method", 10))
        assert cell.low is low
