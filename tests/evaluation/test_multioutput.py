"""Rows of several labels or outputs in the same pipeline as all others: slices, groups, weights, files."""

import dataclasses

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay
from assay.errors import MergeError
from assay.evaluation.merge import completed
from assay.inference.hypothesis_tests.paired_proportions import cochran_q
from assay.metrics.spec import MetricSpec

peer = pytest.importorskip("sklearn.metrics", reason="scikit-learn is the second opinion")

LABELS, SAID, SCORES = ["a", "b", "c"], ["pa", "pb", "pc"], ["sa", "sb", "sc"]
OUTPUTS, GUESSES = ["u", "v"], ["qu", "qv"]
COLUMNS = {"labels": {"actual": LABELS, "predicted": SAID, "score": SCORES},
           "scores": {"actual": LABELS, "score": SCORES},
           "outputs": {"actual": OUTPUTS, "predicted": GUESSES}}  # fmt: skip
DESIGNS = [
    {},
    {"by": "region"},
    {"group": "who"},
    {"weight": "w"},
    {"by": "region", "group": "who", "weight": "w"},
]


def table(n=240, seed=5):
    """Three labels with predictions and scores, two outputs with predictions, a region, groups and weights."""
    draw = np.random.default_rng(seed)
    actual = (draw.random((n, 3)) < [0.5, 0.3, 0.6]).astype(int)
    said = np.where(draw.random((n, 3)) < 0.8, actual, 1 - actual)
    score = np.round(0.6 * draw.random((n, 3)) + 0.4 * actual, 2)
    truth = draw.normal(size=(n, 2)) * [1.0, 3.0]
    guess = truth + draw.normal(size=(n, 2))
    columns = {name: values for names, matrix in (
        (LABELS, actual), (SAID, said), (SCORES, score), (OUTPUTS, truth), (GUESSES, guess)
    ) for name, values in zip(names, matrix.T, strict=True)}  # fmt: skip
    columns |= {"region": draw.choice(["north", "south"], n), "who": draw.integers(0, 40, n)}
    return pd.DataFrame(columns | {"w": draw.integers(1, 4, n)})


TABLE = table()


def matrices(frame, kind):
    """Return the columns of each role side by side."""
    return {role: frame[names].to_numpy() for role, names in COLUMNS[kind].items()}


def sklearn_values(frame, weight=None):
    """Return scikit-learn's values of the metrics of a report."""
    y, p, s = (frame[names].to_numpy() for names in (LABELS, SAID, SCORES))
    u, q = (frame[names].to_numpy() for names in (OUTPUTS, GUESSES))
    weighted = {"sample_weight": weight}
    found = {"subset_accuracy": peer.accuracy_score(y, p, **weighted),
             "hamming_loss": peer.hamming_loss(y, p, **weighted),
             "macro_auc": peer.roc_auc_score(y, s, average="macro", **weighted),
             "micro_auc": peer.roc_auc_score(y, s, average="micro", **weighted),
             "weighted_auc": peer.roc_auc_score(y, s, average="weighted", **weighted)}  # fmt: skip
    for average in ("micro", "macro", "weighted", "samples"):
        options = {"average": average, "zero_division": 0, **weighted}
        for name in ("precision", "recall", "f1", "jaccard"):
            found[f"{average} {name}"] = getattr(peer, f"{name}_score")(y, p, **options)
        found[f"{average} average_precision"] = peer.average_precision_score(
            y, s, average=average, **weighted
        )
    for name, function in (
        ("mae", peer.mean_absolute_error), ("rmse", peer.root_mean_squared_error), ("r2", peer.r2_score),
        ("median_absolute_error", peer.median_absolute_error), ("mse", peer.mean_squared_error),
        ("explained_variance", peer.explained_variance_score),
    ):  # fmt: skip
        found[f"macro {name}"] = function(u, q, **weighted)
    for name, function in (("r2", peer.r2_score), ("explained_variance", peer.explained_variance_score)):
        found[f"variance_weighted {name}"] = function(u, q, multioutput="variance_weighted", **weighted)
    return found


@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_those_of_scikit_learn(weighted):
    """Averages over labels, over rows and over outputs, of counts, scores and numbers."""
    frame = TABLE[TABLE[LABELS].sum(axis=1) > 0]  # a row without labels has no precision of its order
    weight = frame["w"].to_numpy() if weighted else None
    columns = {"weight": weight} if weighted else {}
    labels = assay.evaluate(**matrices(frame, "labels"), **columns)
    outputs = assay.evaluate(**matrices(frame, "outputs"), **columns)
    assert (labels.task.name, outputs.task.name) == ("multilabel", "multioutput")
    for name, expected in sklearn_values(frame, weight).items():
        ev = labels if name in labels or MetricSpec.of(name).needs != "numbers" else outputs
        options = {"undefined": 0} if name.startswith("samples") else {}
        spec = MetricSpec.of((name, options))
        assert float(ev.estimate(spec).value) == pytest.approx(expected, rel=1e-12), name


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples"])
def test_auc_of_labels_is_that_of_scikit_learn(average):
    """As an option of AUC; rows with all labels or none have no AUC of their own."""
    counts = TABLE[LABELS].sum(axis=1)
    frame = TABLE[(counts > 0) & (counts < 3)]
    rows = assay.rows(**matrices(frame, "labels"), weight=frame["w"])
    y, s = frame[LABELS].to_numpy(), frame[SCORES].to_numpy()
    expected = peer.roc_auc_score(y, s, average=average, sample_weight=frame["w"])
    assert assay.metrics.auc(rows, average=average) == pytest.approx(expected, rel=1e-12)
    every = assay.rows(**matrices(TABLE, "labels"))
    undefined = assay.metrics.auc(every, average="samples")
    assert "rows" in undefined.reason
    skipped = assay.metrics.auc(every, average="samples", undefined="skip")
    assert skipped == pytest.approx(peer.roc_auc_score(y, s, average="samples"), rel=1e-12)


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: " ".join(design) or "plain")
@pytest.mark.parametrize("kind", COLUMNS)
def test_arrays_frames_and_files_give_the_same_json(kind, design, tmp_path):
    """To the last digit, and of every slice."""
    TABLE.to_parquet(tmp_path / "rows.parquet")
    TABLE.to_csv(tmp_path / "rows.csv", index=False)
    names = COLUMNS[kind]
    whole = assay.evaluate(TABLE, **names, **design)
    others = [assay.evaluate(pl.DataFrame(TABLE), **names, **design)]
    others += [assay.evaluate(tmp_path / name, **names, **design) for name in ("rows.parquet", "rows.csv")]
    arrays = assay.evaluate(**matrices(TABLE, kind), labels=names["actual"],
                            **{role: TABLE[column] for role, column in design.items()})  # fmt: skip
    assert arrays.to_dict()["metrics"] == whole.to_dict()["metrics"]
    for other in others:
        assert other.to_dict() == whole.to_dict()
        if "by" in design:
            assert other.slices.to_dict() == whole.slices.to_dict()


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_slice_is_the_evaluation_of_its_rows(kind):
    """Slices, and what is known of them, need nothing of their own."""
    ev = assay.evaluate(TABLE, **COLUMNS[kind], by="region")
    for region, part in TABLE.groupby("region"):
        alone = assay.evaluate(part, **COLUMNS[kind])
        assert ev.slices["region"][region].to_dict()["metrics"] == alone.to_dict()["metrics"]
    lines = ev.slices["region"].lines()
    assert {line["slice"] for line in lines} == {"north", "south"}
    assert all(line["p_value"] is not None for line in lines)


@pytest.mark.parametrize("design", [{}, {"by": "region"}, {"group": "who", "weight": "w"}], ids=str)
@pytest.mark.parametrize("kind", COLUMNS)
def test_merged_shards_are_the_whole(kind, design, tmp_path):
    """Tallies are equal, and with them every value, interval and slice; saved and loaded, too."""
    whole = assay.evaluate(TABLE, **COLUMNS[kind], **design)
    shards = [
        assay.evaluate(TABLE[begin:end], **COLUMNS[kind], **design) for begin, end in ((0, 90), (90, 240))
    ]
    merged = assay.merge(shards)
    assert merged.tallies == completed(whole).tallies
    assert merged.to_dict() == whole.to_dict()
    whole.save(tmp_path / "whole.assay")
    loaded = assay.load(tmp_path / "whole.assay")
    assert loaded.to_dict() == whole.to_dict()
    if "by" in design:
        assert merged.slices.to_dict() == loaded.slices.to_dict() == whole.slices.to_dict()
    renamed = {role: [f"{name}2" for name in names] for role, names in COLUMNS[kind].items()}
    other = assay.evaluate(TABLE.rename(columns=lambda name: f"{name}2"), **renamed)
    with pytest.raises((assay.InputError, MergeError), match="labels"):
        assay.merge([assay.evaluate(TABLE, **COLUMNS[kind]), other])


@pytest.mark.parametrize(
    "name", ["macro_f1", "micro_f1", "macro_auc", "macro_average_precision", "hamming_loss"]
)
def test_intervals_of_groups_are_those_of_the_groups(name):
    """Rows that are all doubled within their group leave the error as it is; as rows they lessen it."""
    twice = pd.concat([TABLE, TABLE])
    once, doubled = (assay.evaluate(frame, **COLUMNS["labels"], group="who") for frame in (TABLE, twice))
    assert once[name].standard_error == pytest.approx(doubled[name].standard_error, rel=1e-9)
    assert once[name].groups == 40
    plain = assay.evaluate(twice, **COLUMNS["labels"])
    assert plain[name].standard_error < 0.9 * doubled[name].standard_error
    assert plain[name].high - plain[name].low < doubled[name].high - doubled[name].low


@pytest.mark.parametrize("name", ["macro_mae", "macro_rmse", "macro_r2", "variance_weighted_r2"])
def test_intervals_of_outputs_hold_what_the_bootstrap_says(name):
    """The delta method's standard error, and that of rows drawn again."""
    ev = assay.evaluate(TABLE, **COLUMNS["outputs"])
    draw = np.random.default_rng(0)
    values = []
    for _ in range(400):
        rows = ev.rows.take(draw.integers(0, len(TABLE), len(TABLE)))
        spec = MetricSpec.of(name)
        values.append(float(spec.metric(rows, **spec.options)))
    assert ev[name].standard_error == pytest.approx(np.std(values), rel=0.15)
    assert ev[name].low < ev[name].value < ev[name].high


def test_one_label_or_output_is_an_evaluation_of_its_own():
    """A binary task for a label, a regression for an output: with all that these have."""
    labels = assay.evaluate(TABLE, **COLUMNS["labels"])
    for label, said, score in zip(LABELS, SAID, SCORES, strict=True):
        alone = assay.evaluate(TABLE, actual=label, predicted=said, score=score)
        each = labels.outputs[label]
        assert each.task.name == "binary"
        for name in ("recall", "mcc", "auc", "average_precision"):
            assert each[name].to_dict() == alone[name].to_dict()
        table = labels.classes[label]
        assert list(table) == ["precision", "recall", "f1", "auc"]
        for name, estimate in table.items():
            assert float(estimate.value) == pytest.approx(float(alone[name].value), rel=1e-12)
            assert (estimate.low, estimate.high) == pytest.approx(
                (alone[name].low, alone[name].high), rel=1e-9
            )
    outputs = assay.evaluate(TABLE, **COLUMNS["outputs"])
    for output, guess in zip(OUTPUTS, GUESSES, strict=True):
        alone = assay.evaluate(TABLE, actual=output, predicted=guess)
        assert float(outputs.outputs[output]["mae"]) == float(alone["mae"])
        assert float(outputs.classes[output]["r2"].value) == float(alone["r2"])
    assert "output" in str(outputs)


def test_scores_of_labels_are_cut_where_they_are_probabilities():
    """At one half unless said; other scores are ranked, and have no counts."""
    half = assay.evaluate(TABLE, **COLUMNS["scores"])
    assert half.task.threshold == 0.5
    expected = peer.f1_score(TABLE[LABELS], TABLE[SCORES].to_numpy() >= 0.5, average="macro")
    assert float(half["macro_f1"]) == pytest.approx(expected)
    stated = assay.evaluate(TABLE, **COLUMNS["scores"], threshold=0.7)
    expected = peer.f1_score(TABLE[LABELS], TABLE[SCORES].to_numpy() >= 0.7, average="macro")
    assert float(stated["macro_f1"]) == pytest.approx(expected)
    wide = TABLE.assign(**{name: 10 * TABLE[name] for name in SCORES})
    ranked = assay.evaluate(wide, **COLUMNS["scores"])
    assert "macro_auc" in ranked
    assert "macro_f1" not in ranked
    assert "macro_brier" not in ranked
    assert float(ranked["macro_auc"]) == float(half["macro_auc"])


def test_scores_that_are_no_probabilities_are_ranked_in_files_too(tmp_path):
    """The tallies of a file are made before its scores are known."""
    wide = TABLE.assign(**{name: 10 * TABLE[name] for name in SCORES})
    wide.to_parquet(tmp_path / "rows.parquet")
    memory, file = (assay.evaluate(data, **COLUMNS["scores"]) for data in (wide, tmp_path / "rows.parquet"))
    assert file.to_dict() == memory.to_dict()


def test_a_single_label_is_a_table_of_one_column():
    """Where the task says so."""
    one = TABLE[["a"]].to_numpy(), TABLE[["pa"]].to_numpy()
    ev = assay.evaluate(actual=one[0], predicted=one[1], task="multilabel")
    assert float(ev["macro_f1"]) == pytest.approx(peer.f1_score(TABLE["a"], TABLE["pa"]))
    assert assay.merge([ev, ev]).n == 2 * ev.n


def test_missing_values_leave_the_row_out(tmp_path):
    """Of any column, in memory and in a file."""
    holes = TABLE.astype({"a": float, "u": float}).copy()
    holes.loc[[3, 8], "a"] = np.nan
    holes.loc[4, "qu"] = np.nan
    holes.to_parquet(tmp_path / "rows.parquet")
    for kind, dropped in (("labels", 2), ("outputs", 1)):
        for data in (holes, tmp_path / "rows.parquet"):
            with pytest.raises(assay.MissingValueError, match="missing"):
                assay.evaluate(data, **COLUMNS[kind])
            ev = assay.evaluate(data, **COLUMNS[kind], missing="drop")
            assert (ev.n, ev.dropped) == (240 - dropped, dropped)


def test_errors_name_the_rows_of_the_caller():
    """Of labels and of outputs."""
    wrong = assay.evaluate(TABLE, **COLUMNS["labels"]).errors("mistakes", n=500)["mistakes"].columns["row"]
    assert (
        sorted(wrong)
        == np.flatnonzero((TABLE[LABELS].to_numpy() != TABLE[SAID].to_numpy()).any(axis=1)).tolist()
    )
    found = assay.evaluate(TABLE, **COLUMNS["outputs"]).errors(n=1)["residuals"].columns
    residuals = np.abs(TABLE[OUTPUTS].to_numpy() - TABLE[GUESSES].to_numpy())
    row, output = np.unravel_index(residuals.argmax(), residuals.shape)
    assert (found["row"], found["output"]) == ([row], [OUTPUTS[output]])


@pytest.mark.parametrize("design", [{}, {"group": "who"}, {"weight": "w"}], ids=str)
def test_two_models_are_compared_on_the_same_rows(design):
    """The difference is that of both values; its standard error is that of rows drawn again in pairs."""
    second = table(seed=9)
    others = TABLE.assign(**{name: second[name] for name in (*SAID, *SCORES, *GUESSES)})
    for kind in ("labels", "outputs"):
        first, other = (assay.evaluate(frame, **COLUMNS[kind], **design) for frame in (TABLE, others))
        compared = assay.compare(first, other)
        assert compared.paired
        for difference in compared:
            assert difference.difference == pytest.approx(
                float(other[difference.metric]) - float(first[difference.metric])
            )
            assert difference.low < difference.difference < difference.high
            assert 0 < difference.p_value <= 1
        direct = assay.compare(TABLE.assign(**{f"2{name}": others[name] for name in (*SAID, *GUESSES)}),
                               actual=COLUMNS[kind]["actual"], **design,
                               predicted={"one": COLUMNS[kind]["predicted"],
                                          "two": [f"2{name}" for name in COLUMNS[kind]["predicted"]]})  # fmt: skip
        for difference in direct:
            assert difference.difference == compared[difference.metric].difference


def test_the_error_of_a_difference_is_that_of_pairs_drawn_again():
    """Of averages over labels and over outputs."""
    second = table(seed=9)
    others = TABLE.assign(**{name: 0.5 * TABLE[name] + 0.5 * second[name] for name in GUESSES},
                          **{name: second[name] for name in SAID})  # fmt: skip
    for kind, name in (
        ("labels", "macro f1"),
        ("outputs", "macro rmse"),
        ("outputs", "variance_weighted r2"),
    ):
        both = [assay.evaluate(frame, **COLUMNS[kind]).rows for frame in (TABLE, others)]
        spec = MetricSpec.of(name)
        draw = np.random.default_rng(3)
        differences = []
        for _ in range(400):
            index = draw.integers(0, len(TABLE), len(TABLE))
            values = [float(spec.metric(rows.take(index), **spec.options)) for rows in both]
            differences.append(values[1] - values[0])
        found = assay.compare(*both, metrics=[name])[spec.base]
        assert found.standard_error == pytest.approx(np.std(differences), rel=0.15), name


def test_a_label_is_compared_as_two_classes_are():
    """McNemar and DeLong, as for a binary task of that label's columns."""
    second = table(seed=9)
    others = TABLE.assign(**{name: second[name] for name in (*SAID, *SCORES)})
    several = [assay.rows(frame, **COLUMNS["labels"]) for frame in (TABLE, others)]
    alone = [assay.rows(frame, actual="b", predicted="pb", score="sb") for frame in (TABLE, others)]
    for name in ("recall", "f1", "auc"):
        found = assay.compare(*several, metrics=[(name, {"positive": "b"})]).differences[0]
        expected = assay.compare(*alone, metrics=[name]).differences[0]
        assert found.difference == expected.difference
        assert (found.low, found.high, found.p_value) == (expected.low, expected.high, expected.p_value)
        assert found.method == expected.method


def test_labels_compared_together_have_the_values_of_each_alone():
    """Metrics share what they read of the rows, but not between labels."""
    rng = np.random.default_rng(8)
    actual = rng.integers(0, 2, (60, 3))
    models = [
        assay.evaluate(
            actual=actual,
            predicted=np.where(rng.random((60, 3)) < 0.7, actual, 1 - actual),
            task="multilabel",
        )
        for _ in range(2)
    ]
    metrics = [(name, {"positive": label}) for name in ("f1", "recall") for label in (0, 1, 2)]
    together = assay.compare(*models, metrics=metrics)
    for metric, difference in zip(metrics, together, strict=True):
        alone = assay.compare(*models, metrics=[metric]).differences[0]
        assert (difference.difference, difference.low) == (alone.difference, alone.low)


def test_three_models_are_tested_at_once():
    """Cochran's Q of label sets that are wholly right, from the rows themselves."""
    frames = [TABLE, *(TABLE.assign(**{name: table(seed=seed)[name] for name in SAID}) for seed in (8, 9))]
    models = [
        assay.evaluate(frame, actual=LABELS, predicted=SAID, name=str(index))
        for index, frame in enumerate(frames)
    ]
    compared = assay.compare(*models)
    hits = np.stack([(f[LABELS].to_numpy() == f[SAID].to_numpy()).all(axis=1) for f in frames], axis=1)
    assert compared.overall["subset_accuracy"].p_value == cochran_q(hits).p_value


def test_the_task_is_inferred_where_there_is_no_doubt():
    """0 and 1, several a row, are labels; fractions are outputs; one label a row may be a class."""
    assert assay.evaluate(TABLE, actual=LABELS, predicted=SAID).task.name == "multilabel"
    assert assay.evaluate(TABLE, actual=OUTPUTS, predicted=GUESSES).task.name == "multioutput"
    whole = TABLE.assign(u=np.arange(240), v=1, qu=np.arange(240), qv=2)
    with pytest.raises(assay.InputError, match='task="regression"'):
        assay.evaluate(whole, actual=OUTPUTS, predicted=GUESSES)
    stated = assay.evaluate(whole, actual=OUTPUTS, predicted=GUESSES, task="regression")
    assert stated.task.name == "multioutput"
    with pytest.raises(assay.InputError, match='task="regression"'):
        assay.compare(whole, actual=OUTPUTS, predicted={"one": GUESSES, "two": OUTPUTS})


def test_a_bootstrap_draws_rows_of_several_labels():
    """Whole rows, as they stand."""
    ev = assay.evaluate(TABLE[:80], **COLUMNS["labels"])
    delta, drawn = ev["macro_f1"], ev.estimate("macro f1", method="percentile")
    assert drawn.value == delta.value
    assert (drawn.low, drawn.high) == pytest.approx((delta.low, delta.high), abs=0.03)
    median = assay.evaluate(TABLE[:80], **COLUMNS["outputs"]).estimate("macro median_absolute_error")
    assert median.low < median.value < median.high


def test_rows_of_several_labels_are_rows():
    """They are taken, of one label or output, and say what they are."""
    rows = assay.rows(TABLE, **COLUMNS["labels"])
    assert rows.multioutput
    assert rows.labels == ("a", "b", "c")
    assert not rows.of_label("b").multioutput
    with pytest.raises(assay.LabelError, match="is not among"):
        rows.of_label("z")
    with pytest.raises(assay.ColumnError, match="has 3 columns where labels of one are needed"):
        assay.Confusion.of(rows)
    assert assay.LabelSets.of(rows) == assay.LabelSets.of_indicators(
        actual=TABLE[LABELS].to_numpy(), predicted=TABLE[SAID].to_numpy(), labels=LABELS
    )
    assert dataclasses.replace(rows.take(np.arange(0)), labels=None).n == 0


@pytest.mark.parametrize("design", [{}, {"group": np.arange(300) // 5}, {"weight": np.arange(300) % 3 + 1}])
def test_perfect_labels_have_intervals_of_their_averages(design):
    """Where no row shows a spread, the limits are means of those of the labels, by support where that counts."""
    actual = (np.random.default_rng(3).random((300, 3)) < [0.4, 0.1, 0.3]).astype(int)
    ev = assay.evaluate(actual=actual, predicted=actual, **design)
    for metric in ("recall", "precision", "f1"):
        lows = [ev.outputs[label][metric].low for label in (0, 1, 2)]
        support = (actual * np.reshape(design.get("weight", np.ones(300)), (-1, 1))).sum(axis=0)
        assert ev[f"macro {metric}"].low == pytest.approx(np.mean(lows), rel=1e-12)
        for average in ("micro", "weighted"):
            found = ev[f"{average} {metric}"]
            assert found.low == pytest.approx(np.average(lows, weights=support), rel=1e-12)
            assert (found.value, found.high) == (1, 1)


def test_three_models_are_compared_on_the_area_of_one_label():
    """As on that label's column alone, the test of all three included."""
    rng = np.random.default_rng(8)
    actual = rng.integers(0, 2, (80, 3))
    scores = {name: 0.3 * actual + rng.random((80, 3)) for name in "abc"}
    several = assay.compare(actual=actual, score=scores, metrics=[("auc", {"positive": 1})])
    column = {name: matrix[:, 1] for name, matrix in scores.items()}
    alone = assay.compare(actual=actual[:, 1], score=column, metrics="auc")
    [of_label], [of_column] = several.overall.values(), alone.overall.values()
    assert of_label.p_value == pytest.approx(of_column.p_value, rel=1e-12)


def test_an_average_over_rows_needs_several_labels():
    """Of two classes it is refused, for losses as for counts."""
    rows = assay.rows(actual=[0, 1, 1, 0], score=[0.2, 0.7, 0.4, 0.1])
    for metric in ("brier", "log_loss"):
        with pytest.raises(assay.MetricError, match="leave average= out"):
            assay.estimate(metric, rows, average="samples")
