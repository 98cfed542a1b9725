"""Counts of batches on a device: by PyTorch's operations, and by fused kernels where there is an interpreter."""

import importlib.util
import os
import subprocess
import sys
import types

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from assay.device.class_counts import ClassCounts  # noqa: E402
from assay.device.kernel_launch import KernelLaunch  # noqa: E402
from assay.device.score_cells import ScoreCells  # noqa: E402

random = np.random.default_rng(0)


def tensors(counts):
    """Return what is counted as arrays."""
    found = [counts.counts, counts.first_bad] + ([counts.table] if isinstance(counts, ScoreCells) else [])
    return [tensor.tolist() for tensor in found]


@pytest.mark.parametrize("strange", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_scores_by_operations_and_by_the_kernel_of_the_cpu(dtype, strange):
    """The same counts, which other devices have by operations alone; strange rows are noted by both."""
    score = random.normal(size=3000) * 10.0 ** random.integers(-3, 3, 3000)
    score[:6] = [np.inf, -np.inf, 0.0, -0.0, 0.4, 1]
    actual = random.integers(0, 2, 3000)
    if strange:
        score[[70, 90]], actual[[50, 60]] = float("nan"), (2, -1)
    score = torch.from_numpy(score).to(getattr(torch, dtype))
    one, other = (ScoreCells(14, 0.4, "cpu") for _ in range(2))
    for part in torch.arange(3000).split(1000):
        one.add(torch.from_numpy(actual)[part], score[part], int(part[0]))
        other._add_by_operations(torch.from_numpy(actual)[part], score[part], int(part[0]))
    if strange:
        assert one.first_bad.tolist() == other.first_bad.tolist() == [70, 50]
    else:
        assert tensors(one) == tensors(other)
        assert one.counts.sum() == one.table.sum() == 3000


@pytest.mark.parametrize("ignored", [None, 1, 255])
@pytest.mark.parametrize("classes", [1, 3, 40])
def test_classes_by_operations_and_by_numpy(classes, ignored):
    """The first of the highest scores; ignored and strange rows."""
    score = torch.from_numpy(np.round(random.random((500, classes)), 1))
    actual = torch.from_numpy(random.integers(0, classes, 500))
    actual[::9] = 255 if ignored == 255 else 0
    for bad in (None, (30, float("nan"), 0), (40, 0.5, -3)):
        if bad is not None:
            score[bad[0], -1], actual[bad[0]] = bad[1:]
        one, other = (ClassCounts(classes, ignored, "cpu") for _ in range(2))
        one.add_scores(actual, score, 7)
        predicted = score.argmax(1).masked_fill(score.isnan().any(1), -1)
        other._add_by_operations(actual, predicted, 7)
        assert tensors(one) == tensors(other)
    assert ignored == 0 or one.first_bad.tolist()[1] == 47


def test_row_numbers_may_outgrow_32_bits(monkeypatch):
    """A kernel that was compiled for smaller ones is compiled anew instead of failing after two billion rows."""
    launched = []

    class Kernel:
        """What Triton does: it compiles for the width of the integers of the first call."""

        def __init__(self, limit=None):
            self.limit = limit

        def __getitem__(self, grid):
            def run(*arguments, **_):
                if self.limit is not None and arguments[2] > self.limit:
                    raise OverflowError("signed integer is greater than maximum")
                launched.append((self.limit, arguments[2]))
                return Kernel(2**31 - 1 if arguments[2] < 2**31 else 2**63 - 1)

            return run

    monkeypatch.setitem(sys.modules, "triton", types.SimpleNamespace(__version__="3.6.0"))
    monkeypatch.setattr(torch.cuda, "current_device", lambda: None)
    launch, column = KernelLaunch(Kernel()), torch.zeros(4)
    for start in (0, 1024, 2**31, 2**31 + 1024):
        launch(1, column, column, start)
    small, large = 2**31 - 1, 2**63 - 1
    assert launched == [(None, 0), (small, 1024), (None, 2**31), (large, 2**31 + 1024)]


INTERPRETED = """
import numpy as np, torch
import assay
from assay.device import class_counts, kernel_launch, score_cells, score_order

class Launch:
    def __init__(self, kernel, **constants):
        self.kernel, self.constants = kernel, constants
    def __call__(self, programs, *arguments):
        self.kernel[(programs,)](*arguments, **self.constants)

kernel_launch.KernelLaunch = Launch
for module in (class_counts, score_cells, score_order):
    module.has_fused_kernels = lambda tensor: True
class_counts._multiprocessors = lambda device: 1
random = np.random.default_rng(0)
tensor = torch.from_numpy

def same(fused, counts):
    assert torch.equal(fused.counts, counts.counts) and torch.equal(fused.first_bad, counts.first_bad)

for dtype, label in (("f2", "u1"), ("f4", "i8"), ("f8", "?")):
    score, actual = random.normal(size=2500).astype(dtype), random.integers(0, 2, 2500).astype(label)
    score[:6] = [np.inf, -np.inf, 0, -0.0, 0.4, 1]
    fused, counts = score_cells.ScoreCells(14, 0.4, "cpu"), score_cells.ScoreCells(14, 0.4, "cpu")
    fused._recent = None
    fused.add(tensor(actual), tensor(score), 2**33)
    counts._add_by_operations(tensor(actual), tensor(score), 2**33)
    same(fused, counts)
    assert torch.equal(fused.table, counts.table)
score[[5, 9]], actual = np.nan, random.integers(0, 3, 2500)
fused._recent = None
fused.add(tensor(actual), tensor(score), 2**33)
assert fused.first_bad.tolist() == [2**33 + 5, 2**33 + int(np.argmax(actual == 2))]

for classes in (1, 3, 100, 5000):
    score, actual = np.round(random.random((60, classes)), 1), random.integers(0, classes, 60)
    score[3], actual[7], score[9, 0] = -np.inf, classes, np.nan
    for ignored in (None, 1):
        fused, counts = (class_counts.ClassCounts(classes, ignored, "cpu") for _ in range(2))
        fused._on_cpu = False
        fused.add_scores(tensor(actual), tensor(score), 5)
        counts.add_scores(tensor(actual), tensor(score), 5)
        assert torch.equal(fused.first_bad, counts.first_bad)
        predicted = random.integers(0, classes, 60)
        fused, counts = (class_counts.ClassCounts(classes, ignored, "cpu") for _ in range(2))
        fused._on_cpu = False
        fused.add_predictions(tensor(actual), tensor(predicted), 5)
        counts.add_predictions(tensor(actual), tensor(predicted), 5)
        same(fused, counts)

for low, classes in ((0, 2), (-1, 3), (5, 4), (0, 9), (2**63 - 3, 2)):
    columns = [low + random.integers(0, classes, 5000) for _ in range(2)]
    values, table = class_counts.integer_pairs(*map(tensor, columns))
    expected = np.zeros((len(values), len(values)), dtype=int)
    np.add.at(expected, tuple(np.searchsorted(values, column) for column in columns), 1)
    assert np.array_equal(values, np.unique(columns)) and np.array_equal(table, expected)

for n in (1, 4096, 4097, 9000):
    for digits in (0, 1, 9):
        actual, score = random.integers(0, 2, n), np.round(random.random(n), digits).astype("f4")
        order = score_order.ScoreOrder(tensor(actual), tensor(score), 1)
        tally = assay.Scores.of(assay.rows(actual=actual, score=score, labels=[0, 1]))
        assert order._packed is not None
        assert order.concordant() == tally.concordance()[:3]
        assert all(map(np.array_equal, order.distinct(), (tally.scores, tally.positives, tally.negatives)))
print("done")
"""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")
def test_fused_kernels_in_tritons_interpreter():
    """What the kernels compute, without a GPU: the same counts and orders."""
    run = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", INTERPRETED], capture_output=True, text=True, check=False,
        env={**os.environ, "TRITON_INTERPRET": "1"},
    )  # fmt: skip
    assert run.stdout.strip() == "done", run.stderr[-3000:]
