"""Metrics with the calls of torchmetrics: the same values in the same lines."""

import copy
import math
import pickle

import pytest

import assay

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from assay.errors import AssayError  # noqa: E402
from assay.torch import TorchMetric  # noqa: E402

N = 300


def draw(seed=0):
    """Return a generator of tensors."""
    return torch.Generator().manual_seed(seed)


def binary():
    target = torch.randint(0, 2, (N,), generator=draw())
    return torch.sigmoid(torch.randn(N, generator=draw(1)) + target), target


def several():
    target = torch.randint(0, 3, (N,), generator=draw())
    return torch.softmax(torch.randn(N, 3, generator=draw(1)).double() + torch.eye(3)[target], 1), target


def labels():
    target = torch.randint(0, 2, (N, 4), generator=draw())
    return torch.rand(N, 4, generator=draw(1)), target


def numbers():
    target = torch.randn(N, generator=draw())
    return target + torch.randn(N, generator=draw(1)), target


PEERS = [
    ("auc", {"task": "binary"}, "BinaryAUROC", {}, binary),
    ("average_precision", {"task": "binary"}, "BinaryAveragePrecision", {}, binary),
    ("f1", {"task": "binary"}, "BinaryF1Score", {}, binary),
    ("mcc", {"task": "binary"}, "BinaryMatthewsCorrCoef", {}, binary),
    ("accuracy", {"task": "multiclass"}, "MulticlassAccuracy", {"num_classes": 3, "average": "micro"}, several),
    ("macro f1", {"task": "multiclass"}, "MulticlassF1Score", {"num_classes": 3}, several),
    ("macro jaccard", {"task": "multiclass"}, "MulticlassJaccardIndex", {"num_classes": 3}, several),
    ("macro f1", {"task": "multilabel"}, "MultilabelF1Score", {"num_labels": 4}, labels),
    ("mae", {"task": "regression"}, "MeanAbsoluteError", {}, numbers),
    ("r2", {"task": "regression"}, "R2Score", {}, numbers),
]  # fmt: skip


@pytest.mark.parametrize(("name", "settings", "peer", "options", "rows"), PEERS)
def test_a_metric_is_swapped_line_by_line(name, settings, peer, options, rows):
    """Update, value of the batch, value of all batches, and again after a reset."""
    torchmetrics = pytest.importorskip("torchmetrics")
    home = torchmetrics.regression if settings["task"] == "regression" else torchmetrics.classification
    theirs = getattr(home, peer)(**options)
    ours = TorchMetric(name, **settings)
    preds, target = rows()
    for _ in range(2):
        for part in torch.arange(N).split(64):
            expected = float(theirs(preds[part], target[part]))
            assert float(ours(preds[part], target[part])) == pytest.approx(expected, abs=1e-5)
        assert float(ours.compute()) == pytest.approx(float(theirs.compute()), abs=1e-5)
        ours.reset()
        theirs.reset()
        assert not ours.update_called


def test_retrieval_has_indexes():
    """Which are the queries."""
    theirs = pytest.importorskip("torchmetrics").retrieval.RetrievalMRR()
    preds, target = binary()
    indexes = torch.arange(N) // 10
    ours = TorchMetric("mean_reciprocal_rank", task="ranking")
    ours.update(preds, target, indexes)
    theirs.update(preds, target, indexes=indexes)
    assert float(ours.compute()) == pytest.approx(float(theirs.compute()), abs=1e-6)


def test_several_metrics_are_a_dictionary_of_one_pass():
    """With the evaluation of the same rows behind it."""
    preds, target = binary()
    metric = TorchMetric(["auc", "f1"], task="binary")
    metric.update(preds, target)
    ev = metric.evaluation()
    assert {name: value.item() for name, value in metric.compute().items()} == {
        "auc": ev["auc"].value, "f1": ev["f1"].value,
    }  # fmt: skip
    assert ev.tallies == assay.evaluate(actual=target, score=preds, task="binary").tallies
    everything = TorchMetric(task="binary")
    everything.update(preds, target)
    assert list(everything.compute()) == list(ev)


def test_merged_copied_and_pickled():
    """A copy has rows of its own."""
    preds, target = binary()
    halves = [TorchMetric("auc", task="binary") for _ in range(2)]
    for metric, part in zip(halves, torch.arange(N).split(N // 2), strict=True):
        metric.update(preds[part], target[part])
    first = halves[0].compute()
    pickled = pickle.dumps(halves[0])
    copies = halves[0].clone(), copy.deepcopy(halves[0]), pickle.loads(pickled)  # noqa: S301 - our own
    halves[0].merge_state(halves[1])
    assert halves[0].compute() == assay.evaluate(actual=target, score=preds, task="binary")["auc"].value
    assert [other.compute() for other in copies] == [first] * 3


def test_part_of_a_model():
    """As torchmetrics' are: moved with it, without parameters, shown with its rows."""
    model = (
        torch.nn.ModuleDict({"auc": TorchMetric("auc", task="binary", logits=True)}).to(torch.float64).eval()
    )
    assert not list(model.parameters())
    assert model.state_dict() == {}
    model["auc"].update(torch.tensor([-1.0, 2.0]), torch.tensor([0, 1]))
    assert "auc, task=binary, rows=2" in str(model)


def test_no_value_is_nan_and_mistakes_are_named():
    """Never a silent 0."""
    metric = TorchMetric("precision", task="binary")
    metric.update(torch.tensor([0, 0]), torch.tensor([0, 1]))
    assert math.isnan(metric.compute())
    with pytest.raises(AssayError):
        TorchMetric("no such metric")
    with pytest.raises(AssayError, match="no rows"):
        TorchMetric("auc").compute()
