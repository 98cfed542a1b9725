"""What a summary says of the looks at a test set: intervals for all of them, and the optimism of the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.metrics.spec import metric_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.evaluation.evaluation import Evaluation
    from assay.inference.estimate import Estimate
    from assay.metrics.spec import MetricSpec

__all__ = ["intervals_for_all_looks", "optimism_remarks"]


def intervals_for_all_looks(ev: Evaluation, specs: Sequence[MetricSpec]) -> Sequence[Estimate | None]:
    """Return the estimates with intervals for all looks at the test set; None where this is the only one."""
    if ev.looks is None or ev.looks.count == 1:
        return [None] * len(specs)
    return ev.estimate_all(specs, confidence=ev.looks.confidence(ev.settings.confidence))


def optimism_remarks(ev: Evaluation, names: Sequence[str]) -> Iterator[str]:
    """Yield how much better than it is the best of all models looked at seems, in the first metric."""
    if ev.looks is None or ev.looks.count == 1 or not names:
        return
    optimism = ev.selection_optimism(names[0])
    if optimism is not None and optimism == optimism:  # noqa: PLR0124 - NaN
        yield (
            f"The best of {ev.looks.count:,} models on one test set seems better than it is: on average by "
            f"up to {optimism:.2g} in {metric_title(names[0])}."
        )
    if "accuracy" in ev and ev.looks.before:
        reach = ev.looks.worst_case(ev.n, ev.settings.confidence)
        yield (
            "No interval holds for models that were made from the results of earlier looks: their "
            f"accuracy may be off by up to {reach:.2g}."
        )
