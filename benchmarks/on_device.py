"""What counting on a GPU costs: a step of a training loop, and a hundred million rows at once.

``python benchmarks/on_device.py`` needs a CUDA device with PyTorch and Triton; torchmetrics is the peer where
it is installed. Host times are of the calls alone, with nothing waiting for the device; device times are by
its own events.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import time
from typing import TYPE_CHECKING, Any

import assay

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS, BATCH = 2000, 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    rows = parser.parse_args().rows
    import torch

    if not torch.cuda.is_available():
        raise SystemExit("there is no CUDA device here.")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    steps(torch)
    at_once(torch, rows)


def steps(torch: Any) -> None:
    generator = torch.Generator("cuda").manual_seed(0)
    draw = {"device": "cuda", "generator": generator}
    step(torch, "binary", torch.randint(0, 2, (BATCH,), **draw), torch.rand(BATCH, **draw))
    step(torch, "multiclass", torch.randint(0, 100, (BATCH,), **draw), torch.rand(BATCH, 100, **draw))


def step(torch: Any, task: str, actual: Any, score: Any) -> None:
    """Time an update of ours, with counts and with rows stored, and of torchmetrics."""
    from assay.torch import Accumulator

    what = f"step of {BATCH:,} rows, {task}"
    for how, ours in (
        ("counted", Accumulator(task=task, counts=True)),
        ("rows stored", Accumulator(task=task)),
    ):
        update = functools.partial(ours.update, actual=actual, score=score)
        show(f"{what}: {how}", host(torch, update))
    peer = collection(task)
    if peer is not None:
        show(f"{what}: torchmetrics", host(torch, functools.partial(peer.update, score, actual), 300))


def collection(task: str) -> Any:
    """Return torchmetrics' metrics of a step, or None where it is not installed."""
    try:
        import torchmetrics.classification as theirs
        from torchmetrics import MetricCollection
    except ImportError:
        return None
    names = {
        "binary": ("BinaryAccuracy", "BinaryF1Score", "BinaryAUROC", "BinaryAveragePrecision"),
        "multiclass": ("MulticlassAccuracy", "MulticlassF1Score", "MulticlassConfusionMatrix"),
    }[task]
    options = {} if task == "binary" else {"num_classes": 100}
    return MetricCollection([getattr(theirs, name)(**options) for name in names]).to("cuda")


def at_once(torch: Any, rows: int) -> None:
    draw = {"device": "cuda", "generator": torch.Generator("cuda").manual_seed(1)}
    scores_at_once(torch, torch.randint(0, 2, (rows,), **draw), torch.rand(rows, **draw), draw)
    tables_at_once(torch, torch.randint(0, 2, (rows,), **draw), torch.randint(0, 2, (rows,), **draw))
    actual = torch.randint(0, 100, (rows,), **draw)
    right = torch.rand(rows, **draw) < 0.7
    predicted = torch.where(right, actual, torch.randint(0, 100, (rows,), **draw))
    show(f"table of {rows:,} rows, 100 classes", device(torch, lambda: table(actual, predicted)))


def scores_at_once(torch: Any, actual: Any, score: Any, draw: dict[str, Any]) -> None:
    """Time areas under the ROC curve, and bins, of all rows."""
    from assay.torch import Accumulator

    rows = len(actual)
    show(f"torch.sort of {rows:,} float32", device(torch, lambda: torch.sort(score)))
    show(f"exact ROC AUC of {rows:,} float32", device(torch, lambda: area(actual, score)))
    logits = torch.randn(rows, **draw)
    show("the same, scores of either sign", device(torch, lambda: area(actual, logits)))
    if theirs := function("binary_auroc"):
        show("the same, torchmetrics", device(torch, lambda: theirs(score, actual, validate_args=False), 5))
    counts = Accumulator(task="binary", counts=True)
    show(f"scores in bins, {rows:,} rows", device(torch, lambda: counts.update(actual=actual, score=score)))
    show("a plain read of labels and scores", device(torch, lambda: (actual.sum(), score.sum()), 20))


def tables_at_once(torch: Any, actual: Any, predicted: Any) -> None:
    """Time the confusion table of two classes, beside a plain read of both columns."""
    pairs = device(torch, lambda: table(actual, predicted), 20)
    read = device(torch, lambda: (actual.sum(), predicted.sum()), 20)
    show(f"table of {len(actual):,} rows, int64", pairs)
    show("a plain read of both columns", read)
    print(f"  {pairs[0] / read[0]:.2f} times the plain read")
    if theirs := function("binary_confusion_matrix"):
        show(
            "the same, torchmetrics", device(torch, lambda: theirs(predicted, actual, validate_args=False), 5)
        )


def area(actual: Any, score: Any) -> Any:
    return assay.metrics.auc(assay.rows(actual=actual, score=score))


def table(actual: Any, predicted: Any) -> Any:
    return assay.Confusion.of(assay.rows(actual=actual, predicted=predicted))


def function(name: str) -> Any:
    """Return a function of torchmetrics, or None where it is not installed."""
    try:
        import torchmetrics.functional.classification as theirs
    except ImportError:
        return None
    return getattr(theirs, name)


def host(torch: Any, call: Callable[[], Any], count: int = STEPS) -> tuple[float, float]:
    """Return the best and the middle time of a call in seconds, over rounds of many, without waiting."""
    for _ in range(20):
        call()
    times = []
    for _ in range(7):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            call()
        times.append((time.perf_counter() - start) / count)
    torch.cuda.synchronize()
    return min(times), statistics.median(times)


def device(torch: Any, call: Callable[[], Any], runs: int = 10) -> tuple[float, float]:
    """Return the best and the middle time of a call by the device's events, in seconds."""
    call()
    call()
    times = []
    for _ in range(runs):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 1e3)
    return min(times), statistics.median(times)


def show(what: str, times: tuple[float, float]) -> None:
    best, middle = times
    unit, size = ("ms", 1e-3) if best >= 1e-3 else ("us", 1e-6)
    print(f"{what:<64}{best / size:9.2f} {unit}  ±{middle / best - 1:4.0%}", flush=True)


if __name__ == "__main__":
    main()
