"""Metrics for Hugging Face's Trainer, from what it passes."""

import numpy as np
import pytest

import assay

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from assay.errors import AssayError, InputError, LengthError  # noqa: E402
from assay.torch import ComputeMetrics  # noqa: E402
from assay.torch.logits import probabilities  # noqa: E402

N = 200
random = np.random.default_rng(0)


def test_two_logits_are_a_binary_classifier():
    """By the softmax, which is the sigmoid of their difference."""
    logits, labels = random.normal(size=(N, 2)).astype("f4"), random.integers(0, 2, N)
    metrics = ComputeMetrics(["auc", "f1"])
    values = metrics((logits, labels))
    score = probabilities(logits[:, 1].astype(float) - logits[:, 0].astype(float))
    expected = assay.evaluate(actual=labels, score=score, task="binary")
    assert values == {"auc": expected["auc"].value, "f1": expected["f1"].value}
    assert metrics.evaluation.tallies == expected.tallies
    one = ComputeMetrics(["auc"])((logits[:, 1:], labels))
    assert one == {"auc": assay.evaluate(actual=labels, score=logits[:, 1], task="binary")["auc"].value}


def test_classes_and_tokens():
    """Labels of -100 are left out; the first output is the predictions."""
    logits, labels = random.normal(size=(N, 7, 5)), random.integers(0, 5, (N, 7))
    labels[:, 3:] = np.where(random.random((N, 4)) < 0.5, -100, labels[:, 3:])
    kept = labels != -100
    values = ComputeMetrics(["accuracy", "macro f1"])(((logits, logits[0]), labels))
    expected = assay.evaluate(
        actual=labels[kept], score=probabilities(logits[kept]), labels=range(5), task="multiclass"
    )
    assert values == {"accuracy": expected["accuracy"].value, "macro_f1": expected["macro f1"].value}
    names = ComputeMetrics("accuracy", classes=list("abcde"))
    names((logits[:, 0], labels[:, 0]))
    assert names.evaluation.task.labels == tuple("abcde")


def test_several_labels_and_numbers():
    """As labels of floats mean in that library."""
    logits, labels = random.normal(size=(N, 3)), random.integers(0, 2, (N, 3)).astype("f4")
    values = ComputeMetrics("macro f1")((logits, labels))
    expected = assay.evaluate(actual=labels, score=probabilities(logits, multilabel=True), task="multilabel")
    assert values == {"macro_f1": expected["macro f1"].value}
    numbers = random.normal(size=N)
    values = ComputeMetrics(["rmse"], intervals=True)((numbers[:, None] + 1, numbers))
    assert list(values) == ["rmse", "rmse_low", "rmse_high"]
    assert values["rmse"] == pytest.approx(1)
    several = ComputeMetrics()((logits, random.normal(size=(N, 3))))
    assert "auc" not in several


def test_batches_are_accumulated_until_the_last():
    """With ``batch_eval_metrics=True``; then the next evaluation begins anew."""
    logits, labels = random.normal(size=(N, 2)), random.integers(0, 2, N)
    whole = ComputeMetrics(["auc"])((logits, labels))
    metrics = ComputeMetrics(["auc"])
    for _ in range(2):
        for part in np.array_split(np.arange(N), 4)[:-1]:
            batch = torch.from_numpy(logits[part]), torch.from_numpy(labels[part])
            assert metrics(batch, compute_result=False) == {}
        last = np.array_split(np.arange(N), 4)[-1]
        assert metrics((logits[last], labels[last]), compute_result=True) == whole


def test_mistakes_are_named():
    """Before the first epoch where that can be."""
    with pytest.raises(AssayError):
        ComputeMetrics("no such metric")
    with pytest.raises(LengthError, match="predictions="):
        ComputeMetrics()((np.zeros((3, 2)), np.zeros(4, dtype=int)))
    with pytest.raises(InputError, match="label_names"):
        ComputeMetrics()((np.zeros((3, 2)), (np.zeros(3), np.zeros(3))))


def test_the_trainer_itself(tmp_path):
    """A tiny model, its metrics in the log of the trainer."""
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    features, labels = torch.randn(40, 3, generator=torch.Generator().manual_seed(0)), torch.arange(40) % 2

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 2)

        def forward(self, features, labels):
            logits = self.layer(features)
            return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}

    rows = [{"features": x, "labels": y} for x, y in zip(features, labels, strict=True)]
    for batches in (False, True):
        metrics = ComputeMetrics(["auc", "balanced accuracy"])
        trainer = transformers.Trainer(
            Model(), transformers.TrainingArguments(
                str(tmp_path), report_to=[], use_cpu=True, per_device_eval_batch_size=16, disable_tqdm=True,
                batch_eval_metrics=batches,
            ), eval_dataset=rows, compute_metrics=metrics,
        )  # fmt: skip
        values = trainer.evaluate()
        assert metrics.evaluation.n == 40
        assert values["eval_auc"] == metrics.evaluation["auc"].value
        assert "eval_balanced_accuracy" in values
