"""Data sets of every kind whose pages, plots and notebook forms are looked at: a name and how to evaluate it."""

import dataclasses
import pathlib
import tempfile

import numpy as np

import assay
from assay.tallies import Collection

LONG = "a label that goes on and on, as column values that were sentences once do " * 2
HEBREW = ("\u05d7\u05ea\u05d5\u05dc (1)", "\u05db\u05dc\u05d1 - 2!", "\u05d3\u05d2")
HOSTILE = ("<script>window.harmed=1</script>", '"><img src=x onerror="window.harmed=1">', "")


def binary(n=600, seed=0, rate=0.3, strength=2.0):
    """Return labels and probabilities that go together."""
    draw = np.random.default_rng(seed)
    actual = (draw.random(n) < rate).astype(int)
    return actual, 1 / (1 + np.exp(-(draw.normal(size=n) + strength * actual - 1)))


def classes(size, n=2_000, seed=0, names=None, **options):
    """Return the evaluation of so many classes with a column of probabilities each."""
    draw = np.random.default_rng(seed)
    actual = draw.integers(0, size, n)
    logits = draw.normal(size=(n, size))
    logits[np.arange(n), actual] += 2.5
    scores = np.exp(logits)
    labels = [f"class {k}" for k in range(size)] if names is None else list(names)
    return assay.evaluate(
        actual=np.array(labels, dtype=object)[actual], score=scores / scores.sum(1, keepdims=True), labels=labels,
        **options,
    )  # fmt: skip


def grades(size, n=1_000):
    """Return the evaluation of ordered grades."""
    draw = np.random.default_rng(1)
    actual = draw.integers(0, size, n)
    predicted = np.clip(actual + np.rint(draw.normal(0, 0.9, n)).astype(int), 0, size - 1)
    return assay.evaluate(actual=actual, predicted=predicted, task="ordinal")


def labels(size, n=500):
    """Return the evaluation of rows that may have several labels."""
    draw = np.random.default_rng(2)
    actual = draw.integers(0, 2, (n, size))
    predicted = np.where(draw.random((n, size)) < 0.8, actual, 1 - actual)
    return assay.evaluate(actual=actual, predicted=predicted, task="multilabel")


def scored_labels(size, n=500, names=None, **options):
    """Return the evaluation of rows that may have several labels, with a probability of each."""
    draw = np.random.default_rng(10)
    actual = draw.random((n, size)) < np.linspace(0.15, 0.5, size)
    common = draw.normal(size=(n, 1))  # which makes errors occur together
    score = 1 / (1 + np.exp(-(3 * actual - 1.5 + common + draw.normal(size=(n, size)))))
    return assay.evaluate(
        actual=actual.astype(int), score=score, task="multilabel",
        labels=[f"label {k}" for k in range(size)] if names is None else list(names), **options,
    )  # fmt: skip


def outputs(size, n=400):
    """Return the evaluation of so many outputs of a regression."""
    draw = np.random.default_rng(11)
    actual = draw.normal(size=(n, size)) * np.logspace(0, 4, size)
    predicted = actual + 0.3 * draw.normal(size=(n, size)) * np.logspace(0, 4, size)
    return assay.evaluate(actual=actual, predicted=predicted, labels=[f"output {k}" for k in range(size)])


def numbers(scale=1.0, offset=0.0, n=1_500, noise=0.3, **options):
    """Return the evaluation of predicted numbers of some size."""
    draw = np.random.default_rng(3)
    actual = draw.gamma(2.0, size=n)
    predicted = actual + noise * draw.normal(size=n) * (0.3 + 0.3 * actual)
    return assay.evaluate(
        actual=offset + scale * actual, predicted=offset + scale * predicted, task="regression", **options
    )


def lists(n=100, length=12, **options):
    """Return the evaluation of ranked lists, four of which have no relevant item."""
    draw = np.random.default_rng(4)
    relevant = draw.integers(0, 4, n * length) * (draw.random(n * length) < 0.25)
    relevant.reshape(n, length)[:, 0] += 1
    relevant[: 4 * length] = 0
    return assay.evaluate(
        actual=relevant, score=relevant + 2 * draw.normal(size=n * length), query=np.repeat(np.arange(n), length),
        **options,
    )  # fmt: skip


def models(count, n=800):
    """Return the evaluations of so many models, some better than others."""
    actual, _ = binary(n)
    draw = np.random.default_rng(5)
    common = draw.normal(size=n)
    return [
        assay.evaluate(
            actual=actual, name=f"model {k + 1}",
            score=1 / (1 + np.exp(-(0.7 * common + 0.7 * draw.normal(size=n) + (0.8 + k % 5 * 0.5) * actual - 1))),
        )
        for k in range(count)
    ]  # fmt: skip


def reloaded(ev):
    """Return an evaluation as its file has it."""
    path = pathlib.Path(tempfile.mkdtemp()) / "evaluation.assay"
    ev.save(path)
    return assay.load(path)


def binned(ev):
    """Return an evaluation as a scan of files leaves it: without rows, its scores in bins."""
    _ = ev.to_dict()
    tallies = {**dict(ev.tallies.items()), "scores": ev.tallies["scores"].binned()}
    task = dataclasses.replace(ev.task, probabilities=bool(ev.are_probabilities))
    return dataclasses.replace(
        ev, task=task, tallies=Collection.of_mapping(tallies), source_rows=None, saved=ev.estimates
    )


def sliced(slices, n=3_000):
    """Return an evaluation of two classes with so many slices, of which the first is the worst."""
    actual, score = binary(n)
    part = np.random.default_rng(6).integers(0, slices, n)
    score = np.where(part == 0, 1 - score, score)
    return assay.evaluate(actual=actual, score=score, by=[f"part {k}" for k in part])


def _from_file():
    folder = pathlib.Path(tempfile.mkdtemp())
    actual, score = binary(400)
    rows = "\n".join(f"{y},{p:.6f}" for y, p in zip(actual, score, strict=True))
    (folder / "rows.csv").write_text(f"y,p\n{rows}\n")
    return assay.evaluate(folder / "rows.csv", actual="y", score="p")


def _merged_numbers():
    draw = np.random.default_rng(7)
    parts = []
    for _ in range(2):
        actual = draw.normal(size=200)
        parts.append(assay.evaluate(actual=actual, predicted=actual + 0.2 * draw.normal(size=200)))
    return parts[0].merge(parts[1])


A, P = binary()
DRAW = np.random.default_rng(9)
WORDS = np.array(["no", "yes"])[A]
GALLERY = {
    "binary": lambda: [assay.evaluate(actual=A, score=P)],
    "binary labels only": lambda: [assay.evaluate(actual=A, predicted=(P > 0.5).astype(int))],
    "binary costs": lambda: [
        assay.evaluate(actual=A, score=P, cost_fp=2, cost_fn=7, beta=2, prevalence=0.05)
    ],
    "binary weights": lambda: [assay.evaluate(actual=A, score=P, weight=DRAW.random(600) + 0.5)],
    "binary groups": lambda: [assay.evaluate(actual=A, score=P, group=np.arange(600) % 40)],
    "logits": lambda: [assay.evaluate(actual=A, score=3 * np.log(P / (1 - P)) - 20)],
    "tiny probabilities": lambda: [assay.evaluate(actual=A, score=P**6 * 1e-4, threshold=1e-6)],
    "perfect": lambda: [assay.evaluate(actual=A, score=np.where(A == 1, 0.5 + P / 2, P / 2))],
    "useless": lambda: [assay.evaluate(actual=A, score=DRAW.random(600))],
    "constant": lambda: [assay.evaluate(actual=A, score=np.full(600, 0.5))],
    "four rows": lambda: [assay.evaluate(actual=[0, 1, 0, 1], score=[0.1, 0.4, 0.4, 0.9])],
    "one class": lambda: [assay.evaluate(actual=[0, 0, 0], score=[0.1, 0.6, 0.7], labels=[0, 1], positive=1)],
    "rare class": lambda: [assay.evaluate(actual=np.arange(600) == 7, score=P)],
    "many scores": lambda: [assay.evaluate(actual=binary(20_000)[0], score=binary(20_000)[1])],
    "3 classes": lambda: [classes(3)],
    "3 classes groups": lambda: [classes(3, group=np.arange(2_000) // 20)],
    "3 classes weights": lambda: [classes(3, weight=np.random.default_rng(1).random(2_000) + 0.5)],
    "9 classes": lambda: [classes(9)],
    "10 classes labels only": lambda: [
        assay.evaluate(
            actual=DRAW.integers(0, 10, 900), predicted=DRAW.integers(0, 10, 900), task="multiclass"
        )
    ],
    "50 classes": lambda: [classes(50, 5_000)],
    "300 classes": lambda: [classes(300, 6_000)],
    "absent class": lambda: [
        assay.evaluate(actual=list("aabbab" * 20), predicted=list("abbbac" * 20), labels=["a", "b", "c"])
    ],
    "long labels": lambda: [classes(4, 400, names=[f"{LONG}{k}" for k in range(4)])],
    "right-to-left labels": lambda: [classes(3, 400, names=HEBREW)],
    "hostile labels": lambda: [classes(3, 400, names=HOSTILE, name=HOSTILE[0])],
    "5 grades": lambda: [grades(5)],
    "12 grades": lambda: [grades(12)],
    "3 labels": lambda: [labels(3)],
    "30 labels": lambda: [labels(30)],
    "3 labels with scores": lambda: [scored_labels(3)],
    "30 labels with scores": lambda: [scored_labels(30)],
    "hostile names of labels": lambda: [scored_labels(3, names=[*HOSTILE[:2], HEBREW[0]])],
    "weighted labels": lambda: [scored_labels(4, weight=np.random.default_rng(12).random(500) + 0.5)],
    "grouped labels": lambda: [scored_labels(4, group=np.arange(500) // 10)],
    "loaded labels": lambda: [reloaded(scored_labels(4))],
    "2 models of labels": lambda: [scored_labels(3, name="a"), scored_labels(3, name="b", threshold=0.3)],
    "4 outputs": lambda: [outputs(4)],
    "loaded outputs": lambda: [reloaded(outputs(3))],
    "regression": lambda: [numbers()],
    "house prices": lambda: [numbers(150_000.0, 20_000.0)],
    "tiny numbers": lambda: [numbers(1e-9)],
    "offset numbers": lambda: [numbers(10.0, 1e9)],
    "weighted numbers": lambda: [numbers(weight=np.random.default_rng(8).random(1_500) * 3)],
    "exact numbers": lambda: [numbers(noise=0.0)],
    "merged numbers": lambda: [_merged_numbers()],
    "loaded numbers": lambda: [reloaded(numbers())],
    "ranked lists": lambda: [lists()],
    "ranked lists at 5": lambda: [lists(k=5, empty="skip")],
    "2 models": lambda: models(2),
    "5 models": lambda: models(5),
    "12 models": lambda: models(12),
    "3 regressions": lambda: [numbers(noise=x, name=f"noise {x}") for x in (0.2, 0.3, 0.5)],
    "2 slices": lambda: [sliced(2)],
    "20 slices": lambda: [sliced(20)],
    "500 slices": lambda: [sliced(500, 20_000)],
    "loaded": lambda: [reloaded(assay.evaluate(actual=A, score=P))],
    "bins": lambda: [binned(assay.evaluate(actual=A, score=P))],
    "file": lambda: [_from_file()],
    "words": lambda: [assay.evaluate(actual=WORDS, score=P, positive="yes", threshold=0.31)],
}
