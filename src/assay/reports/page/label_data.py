"""The labels or outputs of a page: each drawn like a model, and which labels are wrong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.formatting.width import short
from assay.inputs.columns import doubles

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from assay.evaluation.evaluation import Evaluation

__all__ = ["errors_together", "label_parts", "wrong_together"]

_MAX_PARTS = 40  # labels of all models that have pictures of their own: each takes about 25 KB
_MIN_CUTOFFS = 60  # of a label's slider
_MAX_PAIRS = 15
_MAX_LABELS = 200  # whose errors are held against each other: those with the most errors


def label_parts(
    ev: Evaluation, most: int, part_data: Callable[[Evaluation, int], dict[str, Any]], *, models: int = 1
) -> tuple[list[dict[str, Any]], int]:
    """Return the data of each label or output, of the largest of many, and how many are left out.

    `most` is how many cutoffs all their sliders may reach together; `part_data` is what the page shows of an
    evaluation with a slider of so many cutoffs. So many `models` share the page.
    """
    support = ev.classes.support
    largest = set(sorted(ev.task.labels, key=lambda label: -support[label])[: max(1, _MAX_PARTS // models)])
    each = max(_MIN_CUTOFFS, most // max(1, len(largest)))
    parts = []
    for label, own in ev.outputs.items():
        if label not in largest:
            continue
        part = {**part_data(own, each), "name": short(label)}
        if ev.task.name == "multilabel":
            for holder in ("table", "live"):
                if part[holder]:
                    part[holder]["labels"] = [f"not {short(label)}", short(label)]
        parts.append(part)
    return parts, len(ev.task.labels) - len(parts)


def errors_together(ev: Evaluation) -> dict[str, Any] | None:
    """Return the pairs of labels that are wrong in the same rows, most rows first; None without the rows."""
    rows = ev.stored_rows
    if rows is None or rows.actual is None or rows.predicted is None or len(ev.task.labels) < 2:  # noqa: PLR2004
        return None
    mass = None if rows.weight is None else doubles(rows.weight.numbers("weights"))
    wrong = rows.actual.values.astype(bool) != rows.predicted.values.astype(bool)
    return wrong_together(wrong, [short(label) for label in ev.task.labels], mass)


def wrong_together(wrong: NDArray[Any], names: list[str], mass: NDArray[Any] | None) -> dict[str, Any]:
    """Return the pairs of columns that are true in the same rows, with what independence would give.

    >>> wrong = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> wrong_together(wrong, ["a", "b", "c"], None)["rows"]
    [['a', 'b', 2, 1.0]]
    """
    weights = np.ones(len(wrong)) if mass is None else mass
    sums = weights @ wrong
    chosen = np.sort(np.argsort(-sums, kind="stable")[:_MAX_LABELS])
    columns = wrong[:, chosen].astype(np.float64)
    both = np.triu(columns.T @ (columns * weights[:, None]), 1)
    order = np.argsort(-both, axis=None, kind="stable")[:_MAX_PAIRS]
    rows = []
    for i, j in zip(*np.unravel_index(order, both.shape), strict=True):
        if both[i, j] > 0:
            first, second = int(chosen[i]), int(chosen[j])
            expected = float(sums[first] * sums[second] / weights.sum())
            amount = round(both[i, j]) if mass is None else float(both[i, j])
            rows.append([names[first], names[second], amount, round(expected, 1)])
    several = float(weights @ (wrong.sum(axis=1) > 1))
    return {
        "rows": rows,
        "left_out": int(np.count_nonzero(both)) - len(rows),
        "errors": [
            round(part) if mass is None else part for part in (several, float(weights @ wrong.any(axis=1)))
        ],
        "weighted": mass is not None,
    }
