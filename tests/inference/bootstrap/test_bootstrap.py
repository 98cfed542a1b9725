"""The bootstrap: every metric from every tally that knows its rows, the very rows drawn, and honest refusals."""

import random

import numpy as np
import pytest
from scipy import stats
from support.samples import SAMPLES

import assay
from assay import kernels, metrics
from assay.errors import MetricError
from assay.inference.bootstrap.bootstrap import bootstrap_interval, dirichlet_interval, replicates, units_of
from assay.inference.bootstrap.units import ResamplingUnits, acceleration, draw, replicate_values
from assay.inference.formulas.auc import delong
from assay.inference.formulas.average_precision import average_precision_variance
from assay.inference.formulas.delong import auc_influence
from assay.metrics import catalogue, find
from assay.tallies.loss_arguments import positional_parameters

METRICS = [metric for metric in catalogue() if metric.reads.__name__ in SAMPLES]
TABLES = [metric for metric in METRICS if metric.reads.__name__ in {"Binary", "Classes", "Ordered"}]
SCORED = [metric for metric in METRICS if metric.reads.__name__ in {"Ranks", "Probabilities"}]


def _sample(metric):
    asked = [] if metric.loss is None else positional_parameters(metric.loss)
    if "codes" in asked:
        return SAMPLES["Confidence"]
    return SAMPLES["Probabilities" if "positive" in asked else metric.reads.__name__]


def _data(metric, n=30, seed=1):
    return _sample(metric).draw(random.Random(f"{metric.name} {seed}"), n)


def _names(metrics):
    return [metric.name for metric in metrics]


def _value(metric, data, **options):
    value = metric(data, **options)
    return float("nan") if isinstance(value, metrics.Undefined) else float(value)


@pytest.mark.parametrize("metric", METRICS, ids=_names(METRICS))
def test_every_metric_is_resampled_or_refused(metric):
    """From rows every metric of the catalogue has replicates, the same for any order of the rows."""
    data = _data(metric)
    if metric.reads.__name__ == "Sets":
        tally = data.tally(metric)
        if metric.name == "subset_accuracy":
            assert np.isfinite(replicates(metric, tally, count=5)).all()
        else:
            with pytest.raises(MetricError, match="which labels came together"):
                replicates(metric, tally, count=5)
        return
    found = replicates(metric, data.rows(), count=5, seed=3)
    assert found.shape == (5,)
    assert found.dtype == np.float64
    low, high = metric.bounds
    known = found[~np.isnan(found)]
    assert ((known >= low) & (known <= high)).all()
    shuffled = data.take(random.Random(7).sample(range(len(data)), len(data)))
    estimate = bootstrap_interval(metric, data.rows(), count=39, seed=3)
    assert isinstance(estimate.value, metrics.Undefined) or estimate.value == metric(data.rows())
    assert estimate.low is None or low <= estimate.low <= estimate.high <= high
    if metric.reads.__name__ != "Lists":  # there the rows' order is the lists'
        assert replicates(metric, shuffled.rows(), count=5, seed=3).tobytes() == found.tobytes()


@pytest.mark.parametrize("metric", METRICS, ids=_names(METRICS))
def test_every_metric_of_weighted_rows(metric):
    """Rows are drawn with their weights, whatever the metric."""
    if not metric.takes_weights or metric.reads.__name__ == "Sets":
        return
    data = _data(metric)
    found = replicates(metric, data.rows(weighted=True), count=4, seed=2)
    assert found.shape == (4,)
    known = found[~np.isnan(found)]
    low, high = metric.bounds
    assert ((known >= low - 1e-12) & (known <= high + 1e-12)).all()


@pytest.mark.parametrize("metric", TABLES, ids=_names(TABLES))
def test_a_replicate_of_a_table_is_the_metric_of_the_rows_drawn(metric):
    """Stacks of tables give what each table gives by itself."""
    data = _data(metric, n=24)
    tally = data.tally(metric)
    units = units_of(metric, tally, {})
    counts = draw(units, 5, 0, 12)
    actual, predicted = tally.digits()
    found = replicates(metric, tally, count=12, seed=5)
    for one, value in zip(counts, found, strict=True):
        names = np.array(tally.labels)
        drawn = assay.rows(
            actual=names[np.repeat(actual, one)],
            predicted=names[np.repeat(predicted, one)],
            labels=tally.labels,
        )
        assert value == pytest.approx(_value(metric, drawn), nan_ok=True, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("absent", ["strict", "skip", 0.0])
@pytest.mark.parametrize("name", ["f1", "precision", "recall", "specificity"])
def test_averages_of_replicates(name, average, absent):
    """Averages over classes are those of each table."""
    metric = find(name)
    rng = np.random.default_rng(0)
    rows = assay.rows(actual=rng.integers(0, 4, 14), predicted=rng.integers(0, 4, 14), labels=range(4))
    tally = assay.Confusion.of(rows)
    found = replicates(metric, tally, count=20, average=average, undefined=absent)
    counts = draw(units_of(metric, tally, {}), 0, 0, 20)
    actual, predicted = tally.digits()
    for one, value in zip(counts, found, strict=True):
        drawn = assay.rows(
            actual=np.repeat(actual, one), predicted=np.repeat(predicted, one), labels=range(4)
        )
        expected = _value(metric, drawn, average=average, undefined=absent)
        assert value == pytest.approx(expected, nan_ok=True, rel=1e-12)


@pytest.mark.parametrize("metric", SCORED, ids=_names(SCORED))
def test_a_replicate_of_scores_is_the_metric_of_the_rows_drawn(metric):
    """A resampled score tally is the tally of the rows drawn."""
    data = _data(metric, n=24)
    tally = data.tally(metric)
    both = np.stack([tally.positives, tally.negatives], 1).ravel()
    cells = np.flatnonzero(both)
    counts = kernels.resample_counts(both[cells].astype(np.uint64), 5, 0, 6)
    found = replicates(metric, tally, count=6, seed=5)
    for one, value in zip(counts, found, strict=True):
        place = np.repeat(cells, one)
        drawn = assay.rows(actual=1 - place % 2, score=tally.scores[place // 2].astype(float), labels=[0, 1])
        assert value == pytest.approx(_value(metric, drawn), nan_ok=True, rel=1e-10, abs=1e-12)


def test_the_cell_bootstrap_has_numpys_spread():
    """Standard errors are those of NumPy's multinomial, to Monte Carlo error."""
    tally = assay.Confusion.of(
        assay.rows(actual=[0] * 60 + [1] * 40, predicted=[0] * 50 + [1] * 45 + [0] * 5)
    )
    found = replicates("f1", tally, count=9_999)
    table = tally.table().ravel()
    _tn, fp, fn, tp = np.random.default_rng(1).multinomial(100, table / 100, 200_000).T
    expected = 2 * tp / (2 * tp + fp + fn)
    assert found.std() == pytest.approx(expected.std(), rel=0.03)
    assert found.mean() == pytest.approx(expected.mean(), abs=4 * expected.std() / np.sqrt(9_999))


def test_splits_and_merges_do_not_show():
    """Tallies cut in two and merged give the same replicates."""
    rng = np.random.default_rng(2)
    actual, score = rng.integers(0, 2, 200), np.round(rng.random(200), 2)
    whole = assay.Scores.of(assay.rows(actual=actual, score=score))
    parts = [
        assay.Scores.of(assay.rows(actual=actual[s], score=score[s])) for s in (slice(90), slice(90, None))
    ]
    for name in ("auc", "ks", "brier", "average_precision"):
        first, second = (replicates(name, tally, count=20) for tally in (whole, assay.merge(parts)))
        assert first.tobytes() == second.tobytes()


def test_stratified_draws_keep_the_classes():
    """Stratified, the prevalence of every replicate is that of the rows."""
    rng = np.random.default_rng(3)
    rows = assay.rows(actual=rng.integers(0, 2, 90), predicted=rng.integers(0, 2, 90), score=rng.random(90))
    same = _value(find("prevalence"), rows)
    assert np.allclose(replicates("prevalence", rows, count=50, stratified=True), same)
    assert replicates("prevalence", rows, count=50).std() > 0
    for name in ("auc", "average_precision", "ks", "brier"):
        assert np.isfinite(replicates(name, rows, count=5, stratified=True)).all()
    with pytest.raises(MetricError, match="stratified"):
        replicates("mae", assay.rows(actual=[1.0, 2.0], predicted=[1.0, 3.0]), stratified=True)


def test_groups_are_drawn_whole():
    """With groups the spread is that of groups: rows that repeat each other add nothing."""
    rng = np.random.default_rng(4)
    actual, predicted, score = rng.integers(0, 2, 60), rng.integers(0, 2, 60), rng.random(60)
    times = 9
    many = {
        "actual": np.repeat(actual, times),
        "predicted": np.repeat(predicted, times),
        "score": np.repeat(score, times),
        "group": np.repeat(np.arange(60), times),
    }
    for name in ("accuracy", "f1", "auc", "brier"):
        single = replicates(name, assay.rows(actual=actual, predicted=predicted, score=score), count=400)
        grouped = replicates(name, assay.rows(**many), count=400)
        assert np.nanstd(grouped) == pytest.approx(np.nanstd(single), rel=0.2)
    estimate = bootstrap_interval("accuracy", assay.rows(**many), count=99)
    assert "60 groups are drawn" in estimate.note
    with pytest.raises(MetricError, match="by group"):
        replicates("f1", assay.rows(**many), stratified=True)


def test_weighted_groups_and_groups_of_queries():
    """Weights count within groups, and groups of queries are drawn whole."""
    rows = assay.rows(
        actual=[0, 1, 1, 0], predicted=[0, 1, 0, 0], weight=[2.0, 1.0, 0.5, 1.0], group=["a", "a", "b", "b"]
    )
    found = set(replicates("accuracy", rows, count=60).round(9))
    assert found <= {1.0, round(4 / 4.5, 9), round(1 / 1.5, 9)}
    lists = assay.rows(
        actual=[1, 0, 0, 1, 1, 0],
        score=[3, 2, 3, 2, 2, 1],
        query=["p", "p", "q", "q", "r", "r"],
        group=[1, 1, 1, 1, 2, 2],
    )
    assert set(replicates("mrr", lists, count=60).round(9)) <= {0.75, 1.0, round(2.5 / 3, 9)}
    torn = assay.rows(actual=[1, 0], score=[1, 2], query=["p", "p"], group=[1, 2])
    with pytest.raises(MetricError, match="several groups"):
        replicates("mrr", torn, count=5)


def test_replicates_without_a_value_are_counted():
    """A replicate without positives has no recall; many such leave no limits, and the note says so."""
    tally = assay.Confusion.of(assay.rows(actual=[1] + [0] * 19, predicted=[1] + [0] * 19))
    found = replicates("recall", tally, count=500)
    assert 0.2 < np.isnan(found).mean() < 0.5
    estimate = bootstrap_interval("recall", tally, count=500)
    assert estimate.low is None
    assert "of the replicates have no value" in estimate.note


def test_one_row_no_rows_and_no_errors():
    """One row cannot spread, no rows have no value, and an all-correct table is pointed to Dirichlet."""
    one = assay.Confusion.of(assay.rows(actual=[1], predicted=[1], labels=[0, 1]))
    assert (replicates("accuracy", one, count=4) == 1).all()
    assert bootstrap_interval("accuracy", one, count=9).low is None
    assert np.isnan(replicates("accuracy", assay.Confusion(), count=3)).all()
    assert np.isnan(replicates("auc", assay.Scores(), count=3)).all()
    nothing = bootstrap_interval("accuracy", assay.Confusion())
    assert not nothing.defined
    assert nothing.low is None
    right = assay.Confusion.of(assay.rows(actual=[0] * 9 + [1] * 9, predicted=[0] * 9 + [1] * 9))
    estimate = bootstrap_interval("mcc", right)
    assert (estimate.low, estimate.high) == (None, None)
    assert "dirichlet" in estimate.note
    wide = bootstrap_interval("mcc", right, method="dirichlet")
    assert 0.6 < wide.low < 0.9
    assert wide.high == 1


def test_what_has_no_rows_is_refused():
    """Sums, moments and weighted tables do not know their rows."""
    numbers = assay.rows(actual=[1.0, 2.0, 4.0], predicted=[1.5, 2.0, 3.0])
    weighted = assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0], weight=[1, 2, 3])
    for name, tally in (
        ("mae", assay.Moments.of(numbers)),
        ("brier", find("brier").tally(assay.rows(actual=[0, 1], score=[0.2, 0.7]))),
        ("accuracy", assay.Confusion.of(weighted)),
    ):
        with pytest.raises(MetricError, match="no rows to draw from"):
            replicates(name, tally, count=5)
    for wrong in ({"count": 0}, {"seed": -1}, {"count": 2.5}, {"method": "expanded"}, {"confidence": 1.0}):
        with pytest.raises((MetricError, ValueError)):
            bootstrap_interval(
                "accuracy", assay.Confusion.of(assay.rows(actual=[0, 1], predicted=[0, 0])), **wrong
            )
    with pytest.raises(MetricError, match="studentised"):
        bootstrap_interval(
            "accuracy", assay.rows(actual=[0, 1], predicted=[0, 0]), method="studentised", count=9
        )


def test_means_from_rows_from_values_and_studentised():
    """A mean has the same replicates from rows and from its losses, and studentised limits reach further."""
    rng = np.random.default_rng(5)
    actual = rng.integers(0, 2, 60)
    rows = assay.rows(actual=actual, score=np.clip(actual * 0.5 + rng.random(60) * 0.5, 0.01, 0.99))
    metric = find("log_loss")
    values = assay.Values.of_rows(rows, metric.loss)
    first, second = replicates(metric, rows, count=40), replicates(metric, values, count=40)
    assert np.allclose(first, second, rtol=1e-12)
    estimate = bootstrap_interval(metric, values, method="studentised", count=1999)
    plain = bootstrap_interval(metric, values, method="percentile", count=1999)
    assert estimate.value == pytest.approx(_value(metric, rows), rel=1e-12)
    assert estimate.high > plain.high
    assert estimate.method == "bootstrap, studentised"


def test_an_infinite_loss_is_infinite_where_it_is_drawn():
    """A row of infinite loss makes a replicate infinite if it is in it."""
    rows = assay.rows(actual=[1, 0, 1, 0], score=[0.0, 0.2, 0.7, 0.4])
    found = replicates("log_loss", rows, count=200)
    assert np.isinf(found).any()
    assert np.isfinite(found).any()
    assert not np.isnan(found).any()


def test_bca_of_a_proportion_comes_near_wilson():
    """For a share of rows BCa limits lie near the score interval's."""
    rows = assay.rows(actual=[1] * 400, predicted=[1] * 340 + [0] * 60, labels=[0, 1])
    estimate = bootstrap_interval("accuracy", rows)
    assert estimate.low == pytest.approx(0.8118, abs=0.006)
    assert estimate.high == pytest.approx(0.8818, abs=0.006)
    assert estimate.standard_error == pytest.approx(np.sqrt(0.85 * 0.15 / 400), rel=0.03)
    assert estimate.n == 400


def test_the_jackknife_of_a_mean_is_its_skewness():
    """For a mean the acceleration is the skewness over 6 root n, from entries and from groups alike."""
    values = np.random.default_rng(6).exponential(size=20_000)
    skew = ((values - values.mean()) ** 3).mean() / values.std() ** 3

    def mean(counts):
        return (counts * values[: counts.shape[1]]).sum(-1) / counts.sum(-1)

    groups = acceleration(ResamplingUnits(np.ones(20_000, np.uint64), mean))
    assert groups == pytest.approx(skew / 6 / np.sqrt(20_000), abs=0.012)
    few = values[:200]
    exact = ((few - few.mean()) ** 3).mean() / few.std() ** 3 / 6 / np.sqrt(200)
    assert acceleration(ResamplingUnits(np.ones(200, np.uint64), mean)) == pytest.approx(exact, rel=1e-9)
    assert np.isnan(acceleration(ResamplingUnits(np.ones(1, np.uint64), mean)))


def test_many_scores_are_pooled_for_the_spread_alone():
    """With many distinct scores a metric without a kernel keeps its value, and its spread is as good."""
    rng = np.random.default_rng(7)
    actual = rng.random(150_000) < 0.4
    score = 1 / (1 + np.exp(-rng.normal(size=150_000) - actual))
    tally = assay.Scores.of(assay.rows(actual=actual, score=score))
    estimate = bootstrap_interval("ks", tally, count=20, method="percentile")
    assert estimate.value == metrics.ks(tally)
    assert "groups of neighbouring scores" in estimate.note
    assert estimate.low < estimate.value + 0.01
    assert estimate.standard_error == pytest.approx(np.sqrt(0.25 / 60_000 + 0.25 / 90_000), rel=0.6)


def test_native_areas_are_those_of_the_tallies():
    """The kernel's areas are the metric's of the resampled tallies, bit for bit for the area."""
    rng = np.random.default_rng(8)
    for digits in (2, 9):
        tally = assay.Scores.of(
            assay.rows(actual=rng.integers(0, 2, 300), score=np.round(rng.random(300), digits))
        )
        for name in ("auc", "gini", "average_precision"):
            for stratified in (False, True):
                units = units_of(find(name), tally, {}, stratified=stratified)
                slow = units.values(draw(units, 9, 0, 15))
                fast = replicate_values(units, 15, 9)
                assert np.allclose(slow, fast, rtol=1e-12, atol=0)
                if name == "auc":
                    assert slow.tobytes() == fast.tobytes()


def test_areas_spread_as_their_formulas_say():
    """The replicates' spread is DeLong's for areas, and the infinitesimal jackknife's for average precision."""
    rng = np.random.default_rng(12)
    actual = rng.integers(0, 2, 2_000)
    tally = assay.Scores.of(assay.rows(actual=actual, score=rng.normal(size=2_000) + actual))
    found = replicates("auc", tally, count=4_000)
    assert found.std() == pytest.approx(delong(tally.concordance()).variance ** 0.5, rel=0.05)
    precise = replicates("average_precision", tally, count=4_000)
    _, variance = average_precision_variance(tally.scores, tally.positives, tally.negatives)
    assert precise.std() == pytest.approx(variance**0.5, rel=0.05)
    # BCa's acceleration beside that of the influences themselves.
    influence = auc_influence(tally.scores, tally.positives, tally.negatives)
    rows = np.concatenate(
        [np.repeat(x, n) for x, n in zip(influence, (tally.positives, tally.negatives), strict=True)]
    )
    exact = (rows**3).sum() / (6 * (rows**2).sum() ** 1.5)
    assert acceleration(units_of(find("auc"), tally, {})) == pytest.approx(exact, abs=0.012)


def test_the_acceleration_of_a_table_is_the_jackknifes():
    """Each cell without one row gives what the slopes by cells give, to the order of 1/n."""
    tally = assay.Confusion.of(
        assay.rows(actual=[0] * 600 + [1] * 400, predicted=[0] * 580 + [1] * 380 + [0] * 40)
    )
    found = acceleration(units_of(find("accuracy"), tally, {}))
    p = tally.correct / tally.n
    assert found == pytest.approx((1 - 2 * p) / (6 * np.sqrt(1_000 * p * (1 - p))), rel=1e-6)


@pytest.mark.parametrize("name", ["kendall", "spearman"])
def test_number_pairs_are_drawn(name):
    """A resampled tally of pairs is the tally of the rows drawn."""
    metric = find(name)
    rng = np.random.default_rng(13)
    tally = assay.NumberPairs.of(assay.rows(actual=rng.integers(0, 9, 40), predicted=rng.integers(0, 9, 40)))
    counts = kernels.resample_counts(tally.counts.astype(np.uint64), 3, 0, 8)
    found = replicates(metric, tally, count=8, seed=3)
    for one, value in zip(counts, found, strict=True):
        drawn = assay.rows(actual=np.repeat(tally.actual, one), predicted=np.repeat(tally.predicted, one))
        assert value == pytest.approx(_value(metric, drawn), rel=1e-12)


@pytest.mark.parametrize("name", ["auc", "brier", "ks", "max_f1"])
def test_weighted_scores_are_drawn_with_their_weights(name):
    """A replicate of a weighted score tally is the metric of the weighted rows drawn."""
    metric = find(name)
    rng = np.random.default_rng(14)
    rows = assay.rows(
        actual=rng.integers(0, 2, 50), score=np.round(rng.random(50), 1), weight=rng.choice([0.5, 1, 3], 50)
    )
    tally = assay.Scores.of(rows)
    both = np.stack([tally.positives, tally.negatives], 1).ravel()
    cells = np.flatnonzero(both)
    counts = kernels.resample_counts(both[cells].astype(np.uint64), 3, 0, 8)
    for one, value in zip(counts, replicates(metric, tally, count=8, seed=3), strict=True):
        place = np.repeat(cells, one)
        drawn = assay.rows(
            actual=1 - place % 2,
            score=tally.scores[place // 2].astype(float),
            weight=tally.weights[place // 2],
        )
        assert value == pytest.approx(_value(metric, drawn), rel=1e-10)


def test_cuts_and_threads_change_no_bit(monkeypatch):
    """How many replicates are taken at a time, and on how many threads, changes nothing."""
    rng = np.random.default_rng(9)
    rows = assay.rows(actual=rng.integers(0, 2, 80), predicted=rng.integers(0, 2, 80), score=rng.random(80))
    before = [replicates(name, rows, count=30) for name in ("f1", "auc", "ks", "brier")]
    monkeypatch.setattr("assay.inference.bootstrap.units._COUNTS_AT_ONCE", 200)
    kernels.set_threads(1)
    try:
        after = [replicates(name, rows, count=30) for name in ("f1", "auc", "ks", "brier")]
    finally:
        kernels.set_threads(0)
    assert [one.tobytes() for one in before] == [one.tobytes() for one in after]


def test_one_label_of_several():
    """One label of label sets is a table of its own."""
    tally = assay.LabelSets.of_indicators(
        actual=[[1, 0], [1, 1], [0, 1], [1, 0]], predicted=[[1, 0], [0, 1], [1, 1], [1, 1]]
    )
    assert np.nanmax(replicates("f1", tally, count=50, positive=0)) == 1
    with pytest.raises(MetricError, match="which labels came together"):
        replicates("f1", tally, count=50, average="macro")


def test_dirichlet_of_what_is_no_table():
    """Only tables of whole counts have a Dirichlet interval."""
    with pytest.raises(MetricError, match="confusion table"):
        dirichlet_interval("auc", assay.rows(actual=[0, 1], score=[0.1, 0.9]))
    with pytest.raises(MetricError, match="weights"):
        dirichlet_interval("mcc", assay.rows(actual=[0, 1], predicted=[0, 1], weight=[1, 2]))
    with pytest.raises(MetricError, match="neither"):
        bootstrap_interval(
            "mcc", assay.rows(actual=[0, 1], predicted=[0, 1]), method="dirichlet", stratified=True
        )


def test_the_dirichlet_is_the_beta_of_a_share():
    """For a share of the rows the Dirichlet limits are quantiles of a beta distribution."""
    tally = assay.Confusion.of(assay.rows(actual=[0] * 30 + [1] * 30, predicted=[0] * 25 + [1] * 35))
    found = dirichlet_interval("accuracy", tally, count=40_000)
    exact = stats.beta(55 + 1, 5 + 1).ppf([0.025, 0.975])
    assert (found.low, found.high) == pytest.approx(tuple(exact), abs=0.004)


def test_basic_and_normal_limits_of_an_estimate():
    """They are those of its replicates; `estimate` keeps them within the metric's bounds, as it does all."""
    rows = assay.rows(actual=[0] * 30 + [1] * 20, predicted=[0] * 29 + [1] * 20 + [0])
    values = replicates("accuracy", rows, count=999, seed=3)
    value = 48 / 50
    found = bootstrap_interval("accuracy", rows, method="basic", count=999, seed=3)
    ends = bootstrap_interval("accuracy", rows, method="percentile", count=999, seed=3)
    assert (found.low, found.high) == (2 * value - ends.high, 2 * value - ends.low)
    assert found.high > 1
    spread = stats.norm.ppf(0.975) * values.std(ddof=1)
    found = bootstrap_interval("accuracy", rows, method="normal", count=999, seed=3)
    centre = 2 * value - values.mean()
    assert (found.low, found.high) == pytest.approx((centre - spread, centre + spread), rel=1e-12)
    assert found.method == "bootstrap, normal"
    for method in ("basic", "normal"):
        assert assay.estimate("accuracy", rows, method=method).high == 1


def test_the_conventions_are_named():
    """Interpolated limits of R's boot beside the replicates themselves; another word is refused."""
    rows = assay.rows(actual=[0] * 30 + [1] * 20, predicted=[0] * 25 + [1] * 20 + [0] * 5)
    ours, of_boot = (
        bootstrap_interval("mcc", rows, count=100, convention=name) for name in ("order", "boot")
    )
    values = replicates("mcc", rows, count=100)
    assert ours.low in values
    assert of_boot.low not in values
    assert of_boot.low == pytest.approx(ours.low, abs=0.05)
    with pytest.raises(MetricError, match='"order" or "boot"'):
        bootstrap_interval("mcc", rows, convention="R")
