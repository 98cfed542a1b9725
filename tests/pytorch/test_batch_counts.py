"""Accumulators that count: the tallies of all rows at once, on the CPU and on a CUDA device."""

import numpy as np
import pytest

import assay
from assay.errors import AssayError, InputError, LabelError, MissingValueError

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from assay.torch import Accumulator  # noqa: E402

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here"))]  # fmt: skip
N = 5000


def binary(seed=0, n=N, dtype="f4"):
    """Return labels and probabilities, the ends among them."""
    random = np.random.default_rng(seed)
    actual = random.integers(0, 2, n)
    score = np.clip(0.3 * actual + 0.7 * random.random(n), 0, 1).astype(dtype)
    score[:8] = [0, 1, -0.0, 0.5, 0.25, 1e-30, 0.75, 0.99]
    return actual, score


def counted(columns, size, device="cpu", order=None, **options):
    """Return an accumulator that counted the rows in batches of a size."""
    n = len(columns["actual"])
    order = np.arange(n) if order is None else order
    accumulator = Accumulator(counts=True, **options)
    for start in range(0, n, size):
        rows = order[start : start + size]
        batch = {
            role: torch.from_numpy(np.ascontiguousarray(v[rows])).to(device) for role, v in columns.items()
        }
        accumulator.update(**batch)
    return accumulator


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_scores_of_two_classes_equal_the_tallies_of_all_rows(device, dtype):
    """For any batch size and order of rows: bins and the table at the threshold."""
    actual, score = binary(dtype=dtype)
    rows = assay.rows(actual=actual, score=score)
    whole = assay.evaluate(actual=actual, score=score, threshold=0.4)
    shuffled = np.random.default_rng(1).permutation(N)
    for size, order in ((1024, None), (N, shuffled), (333, shuffled)):
        ev = counted(
            {"actual": actual, "score": score}, size, device, order, task="binary", threshold=0.4
        ).evaluate()
        assert ev.tallies["scores"] == assay.BinnedScores.of(rows)
        assert ev.tallies["confusion"] == whole.tallies["confusion"]
        assert ev.task.threshold == 0.4
    low, high = ev.tallies["scores"].auc_bounds()
    assert low <= whole["auc"].value <= high


@pytest.mark.parametrize("device", DEVICES)
def test_any_float_has_its_cell(device):
    """From the smallest to the infinite, of either sign, with fewer bins."""
    random = np.random.default_rng(2)
    score = random.normal(size=N) * 10.0 ** random.integers(-300, 300, N)
    score[:6] = [np.inf, -np.inf, 0.0, -0.0, 5e-324, 1 - 2**-53]
    actual = random.integers(0, 2, N)
    ev = counted({"actual": actual, "score": score}, 777, device, task="binary", bits=14).evaluate()
    assert ev.tallies["scores"] == assay.BinnedScores.of(assay.rows(actual=actual, score=score), bits=14)
    assert "confusion" not in ev.tallies, "scores that are no probabilities were cut"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("classes", [2, 5, 100, 1500])
def test_classes_by_their_highest_score(device, classes):
    """The first of equal ones; rows of the ignored class left out."""
    random = np.random.default_rng(3)
    actual = random.integers(0, classes, 700)
    score = np.round(random.random((700, classes)), 1).astype("f4")
    accumulator = counted({"actual": actual, "score": score}, 128, device, task="multiclass", ignore_index=1)
    table = np.zeros((classes, classes), dtype=int)
    kept = actual != 1
    np.add.at(table, (actual[kept], score[kept].argmax(axis=1)), 1)
    expected = assay.Confusion.of_table(table, range(classes), declared=True)
    assert accumulator.evaluate().tallies["confusion"] == expected
    assert accumulator.n == 700


@pytest.mark.parametrize("device", DEVICES)
def test_predicted_classes_with_names(device):
    """As the rows stored."""
    random = np.random.default_rng(4)
    columns = {role: random.integers(0, 3, N) for role in ("actual", "predicted")}
    ev = counted(columns, 500, device, classes=["sky", "road", "car"]).evaluate()
    stored = Accumulator(classes=["sky", "road", "car"], task="multiclass")
    stored.update(**{role: torch.from_numpy(column) for role, column in columns.items()})
    assert ev.tallies["confusion"] == stored.evaluate().tallies["confusion"]
    assert ev.task.labels == ("sky", "road", "car")


@pytest.mark.parametrize("device", DEVICES)
def test_images_of_classes(device):
    """Classes in the second axis."""
    score = torch.randn(2, 3, 4, 5, generator=torch.Generator().manual_seed(0)).to(device)
    actual = torch.randint(0, 3, (2, 4, 5), generator=torch.Generator().manual_seed(1)).to(device)
    accumulator = Accumulator(counts=True)
    accumulator.update(actual=actual, score=score)
    table = np.zeros((3, 3), dtype=int)
    np.add.at(table, (actual.cpu().reshape(-1), score.argmax(1).cpu().reshape(-1)), 1)
    assert accumulator.evaluate().confusion.counts.tolist() == table.tolist()


@pytest.mark.parametrize("device", DEVICES)
def test_strange_rows_are_refused_with_their_number(device):
    """At the end, as looking at them would wait; the number counts the rows of all batches."""
    nan = float("nan")
    cases = [
        (MissingValueError, "row 5,001 ", [0, 1, 1], [0.1, nan, nan]),
        (LabelError, "row 5,002 ", [0, 1, 7], [0.1, 0.2, 0.3]),
    ]
    for error, words, labels, values in cases:
        columns = dict(zip(("actual", "score"), binary(), strict=True))
        accumulator = counted(columns, 1024, device, task="binary")
        accumulator.update(
            actual=torch.tensor(labels, device=device), score=torch.tensor(values, device=device)
        )
        with pytest.raises(error, match=words):
            accumulator.evaluate()
    accumulator = Accumulator(counts=True)
    score = torch.rand(4, 3, device=device)
    accumulator.update(actual=torch.tensor([0, 1, 3, -1], device=device), score=score)
    with pytest.raises(LabelError, match=r"actual holds no class from 0 to 2 \(row 2 "):
        accumulator.evaluate()
    accumulator.reset()
    score[1, 2] = nan
    accumulator.update(actual=torch.tensor([0, 1, 2, 0], device=device), score=score)
    with pytest.raises(LabelError, match=r"row 1 "):
        accumulator.evaluate()


def test_merged_counts_are_those_of_both_sides():
    """Neither side changes; a side without rows leaves the other as it is."""
    columns = dict(zip(("actual", "score"), binary(), strict=True))
    halves = [counted({role: v[part] for role, v in columns.items()}, 256, task="binary")
              for part in (slice(2000), slice(2000, None))]  # fmt: skip
    merged = halves[1].merge(halves[0])
    assert (merged.n, halves[0].n, halves[1].n) == (N, 2000, 3000)
    whole = counted(columns, N, task="binary")
    assert merged.evaluate().tallies == whole.evaluate().tallies
    assert (
        merged.merge(Accumulator(counts=True, task="binary")).evaluate().tallies == whole.evaluate().tallies
    )
    assert (
        Accumulator(counts=True, task="binary").merge(merged).evaluate().tallies == whole.evaluate().tallies
    )
    with pytest.raises(AssayError, match="different settings"):
        merged.merge(Accumulator(task="binary"))


def test_what_needs_the_rows_is_refused():
    """With what to do instead."""
    actual, score = (torch.from_numpy(column) for column in binary(n=100))
    with pytest.raises(InputError, match="needs the rows"):
        Accumulator(counts=True).update(actual=actual, score=score, weight=score)
    cases = [
        ({"logits": True}, {"actual": actual, "score": score}, "torch.sigmoid"),
        ({"positive": 0}, {"actual": actual, "score": score}, "positive label is 1"),
        ({"labels": ["a", "b"]}, {"actual": actual, "score": score}, "are 0 and 1"),
        ({}, {"actual": actual, "predicted": actual}, "how many classes"),
        ({}, {"actual": score, "score": score}, "pass integers"),
        ({"labels": [0, 1]}, {"actual": actual, "predicted": score}, "predicted holds torch.float32"),
        ({}, {"actual": actual, "score": score * 1j}, "pass real numbers"),
        ({}, {"actual": actual[:-1], "score": score}, "99 rows and score 100"),
        (
            {},
            {"actual": actual[:, None].repeat(1, 2), "score": score[:, None].repeat(1, 2)},
            "rows are stored",
        ),
    ]
    for options, columns, words in cases:
        with pytest.raises(AssayError, match=words):
            Accumulator(counts=True, **options).update(**columns)
    accumulator = counted({"actual": actual.numpy(), "score": score.numpy()}, 50, task="binary")
    with pytest.raises(InputError, match="threshold"):
        accumulator.evaluate(threshold=0.2)
    assert accumulator.evaluate(confidence=0.8)["recall"].confidence == 0.8


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")
@pytest.mark.parametrize("kind", ["binary", "classes", "predicted"])
def test_counting_never_waits_for_a_cuda_device(kind):
    """By CUDA's own check of waiting."""
    draw = {"device": "cuda", "generator": torch.Generator("cuda").manual_seed(0)}
    actual = torch.randint(0, 2, (1024,), **draw)
    columns = {
        "binary": {"actual": actual, "score": torch.rand(1024, **draw)},
        "classes": {"actual": actual, "score": torch.rand(1024, 10, **draw)},
        "predicted": {"actual": actual, "predicted": actual.flip(0)},
    }[kind]
    accumulator = Accumulator(counts=True, **({"labels": [0, 1]} if kind == "predicted" else {}))
    accumulator.update(**columns)  # compiles, and lays out the counts
    torch.cuda.set_sync_debug_mode("error")
    try:
        for _ in range(3):
            accumulator.update(**columns)
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert accumulator.evaluate().n == 4096
