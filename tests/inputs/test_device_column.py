"""Tensors on a device: counted there or copied, and the same bits as the rows on the CPU.

Where there is no CUDA device, tensors of the CPU are taken for ones of a device, by PyTorch's operations.
"""

import dataclasses

import numpy as np
import pytest

import assay
import assay.sklearn as drop_in
from assay.inputs import arrays, device_column
from assay.inputs.device_column import DeviceColumn

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

N = 100_000
RANDOM = np.random.default_rng(0)
ACTUAL = RANDOM.integers(0, 2, N)
SCORES = {
    "probabilities": RANDOM.random(N), "ties": np.round(RANDOM.random(N), 2), "logits": RANDOM.normal(size=N),
    "constant": np.full(N, 0.5), "edges": RANDOM.choice([0.0, -0.0, 1.0, np.inf, -np.inf, 1e-45, 1e300], N),
}  # fmt: skip
HAS_CUDA = torch.cuda.is_available()


@pytest.fixture(autouse=True)
def _device(monkeypatch):
    """Take tensors of the CPU for ones of a device where there is none."""
    if not HAS_CUDA:
        monkeypatch.setattr(arrays, "is_on_device", lambda values: isinstance(values, torch.Tensor))
        monkeypatch.setattr(device_column, "as_torch", lambda values: values.detach())


def on_device(values):
    """Return an array as a tensor on the device."""
    tensor = torch.from_numpy(np.ascontiguousarray(values))
    return tensor.cuda() if HAS_CUDA else tensor


def test_a_column_is_copied_when_its_values_are_read():
    """And is a column like others from then on: rows are taken, fields replaced."""
    column = assay.column(on_device(SCORES["ties"]), "p")
    assert type(column) is DeviceColumn
    assert (len(column), column.ndim) == (N, 1)
    assert column.device_tensor is not None
    assert np.array_equal(column.values, SCORES["ties"])
    assert np.array_equal(column.take(slice(3)).values, SCORES["ties"][:3])
    replaced = dataclasses.replace(column, values=np.ones(2))
    assert replaced.device_tensor is None
    assert replaced.values.tolist() == [1, 1]


def test_two_classes_are_ordered_without_copying_the_rows():
    """The area alone needs no entry of the tally; reading one copies the distinct scores."""
    rows = assay.rows(actual=on_device(ACTUAL), score=on_device(SCORES["ties"]))
    tally = assay.Scores.of(rows)
    plain = assay.Scores.of(assay.rows(actual=ACTUAL, score=SCORES["ties"]))
    assert assay.metrics.auc(tally) == assay.metrics.auc(plain)
    assert "scores" not in vars(tally)
    assert tally.n == N
    assert tally.to_bytes() == plain.to_bytes()
    assert tally.concordance() == plain.concordance()
    assert tally.merge(plain) == plain.merge(plain)
    with pytest.raises(AttributeError, match="no attribute other"):
        tally.other  # noqa: B018 - reading it raises


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("kind", SCORES)
def test_scores_of_two_classes(kind, dtype):
    """The tally, the metric alone, and everything that is printed of it."""
    with np.errstate(over="ignore"):
        score = SCORES[kind].astype(dtype)
    ours = assay.evaluate(actual=on_device(ACTUAL), score=on_device(score))
    plain = assay.evaluate(actual=ACTUAL, score=score)
    assert ours.to_json() == plain.to_json()
    assert ours.tallies == plain.tallies
    assert (
        assay.metrics.auc(assay.rows(actual=on_device(ACTUAL), score=on_device(score))) == plain["auc"].value
    )


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
@pytest.mark.parametrize("classes", [2, 3, 5, 100])
def test_classes(classes, dtype):
    """Of few classes in registers, of more in tables."""
    actual, predicted = (RANDOM.integers(0, classes, N).astype(dtype) for _ in range(2))
    ours = assay.evaluate(actual=on_device(actual), predicted=on_device(predicted), task="multiclass")
    assert ours.tallies == assay.evaluate(actual=actual, predicted=predicted, task="multiclass").tallies


def test_booleans_and_numbers():
    """Truth values, and quantities of a regression, which are copied."""
    actual, predicted = RANDOM.integers(0, 2, (2, N)).astype(bool)
    ours = assay.evaluate(actual=on_device(actual), predicted=on_device(predicted))
    assert ours.tallies == assay.evaluate(actual=actual, predicted=predicted).tallies
    numbers = RANDOM.normal(size=(2, N))
    ours = assay.evaluate(actual=on_device(numbers[0]), predicted=on_device(numbers[1]))
    assert ours.tallies == assay.evaluate(actual=numbers[0], predicted=numbers[1]).tallies


def test_small_tensors_tables_and_mixed_columns():
    """They are copied; a column on the CPU may stand beside one on the device."""
    score = RANDOM.random((500, 3))
    score /= score.sum(axis=1, keepdims=True)
    labels = RANDOM.integers(0, 3, 500)
    ours = assay.evaluate(actual=on_device(labels), score=on_device(score), labels=[0, 1, 2])
    assert ours.tallies == assay.evaluate(actual=labels, score=score, labels=[0, 1, 2]).tallies
    ours = assay.evaluate(actual=ACTUAL, score=on_device(SCORES["ties"]))
    assert ours.tallies == assay.evaluate(actual=ACTUAL, score=SCORES["ties"]).tallies


def test_the_drop_in_takes_them():
    """scikit-learn's functions of the same names."""
    score = SCORES["ties"]
    predicted = (score > 0.5).astype(int)
    for name, second in (("roc_auc_score", score), ("average_precision_score", score), ("f1_score", predicted),
                         ("accuracy_score", predicted), ("log_loss", score), ("mean_squared_error", score)):  # fmt: skip
        function = getattr(drop_in, name)
        assert function(on_device(ACTUAL), on_device(second)) == function(ACTUAL, second), name
    assert (
        drop_in.confusion_matrix(on_device(ACTUAL), on_device(predicted))
        == drop_in.confusion_matrix(ACTUAL, predicted)
    ).all()


def test_what_is_missing_is_refused_with_its_row():
    """As on the CPU."""
    score = SCORES["probabilities"].copy()
    score[7] = np.nan
    with pytest.raises(assay.AssayError, match="row 7"):
        assay.evaluate(actual=on_device(ACTUAL), score=on_device(score))
