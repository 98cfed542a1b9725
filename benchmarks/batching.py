"""What a step of a training loop costs: an accumulator beside torchmetrics, on CPU tensors."""

from __future__ import annotations

import sys

import numpy as np
from harness import Line, measure

BATCHES, ROWS = 500, 1024


def run() -> list[Line]:
    try:
        import torch
        import torchmetrics.classification as theirs
        from torchmetrics import MetricCollection
    except ImportError as missing:
        print(f"batching: left out ({missing})", file=sys.stderr)
        return []
    from assay.torch import Accumulator

    rng = np.random.default_rng(5)
    lines = []
    for what, classes in (("binary", 2), ("100 classes", 100)):
        actual = torch.from_numpy(rng.integers(0, classes, (BATCHES, ROWS)))
        if classes == 2:
            score = torch.from_numpy(rng.random((BATCHES, ROWS), dtype=np.float32))
            ours = Accumulator(task="binary", labels=[0, 1])
            names = ("BinaryAccuracy", "BinaryF1Score", "BinaryAUROC", "BinaryAveragePrecision")
            peer = MetricCollection({name: getattr(theirs, name)(validate_args=False) for name in names})
        else:
            score = torch.from_numpy(rng.random((BATCHES, ROWS, classes), dtype=np.float32)).softmax(2)
            ours = Accumulator(task="multiclass", labels=list(range(classes)))
            names = ("MulticlassAccuracy", "MulticlassF1Score", "MulticlassConfusionMatrix")
            peer = MetricCollection(
                {name: getattr(theirs, name)(classes, validate_args=False) for name in names}
            )

        def epoch(
            ours: Accumulator = ours, actual: torch.Tensor = actual, score: torch.Tensor = score
        ) -> None:
            ours.reset()
            for y, p in zip(actual, score, strict=True):
                ours.update(actual=y, score=p)

        def evaluated(ours: Accumulator = ours, epoch: object = epoch) -> object:
            epoch()
            return ours.evaluate()["accuracy"].value

        def their_epoch(peer: MetricCollection = peer, actual: torch.Tensor = actual,
                        score: torch.Tensor = score) -> None:  # fmt: skip
            peer.reset()
            for y, p in zip(actual, score, strict=True):
                peer.update(p, y)

        def their_result(peer: MetricCollection = peer, their_epoch: object = their_epoch) -> object:
            their_epoch()
            return peer.compute()

        steps = f"{BATCHES} batches of {ROWS:,}, {what}"
        lines.append(measure(f"{steps}: update (goal: 25 ms, 50 us each)", BATCHES * ROWS, epoch,
                             {"torchmetrics": their_epoch}))  # fmt: skip
        if classes == 2:
            lines.append(measure(f"{steps}: update, then all metrics", BATCHES * ROWS, evaluated,
                                 {"torchmetrics": their_result}))  # fmt: skip
    return lines


if __name__ == "__main__":
    run()
