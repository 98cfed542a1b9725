"""Scores of two classes that are ordered where their tensors are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.inputs.labels import positive_label
from assay.tallies.column_profile import label_profile

if TYPE_CHECKING:
    from assay.device.score_order import ScoreOrder
    from assay.inputs import Label, Rows

__all__ = ["order_on_device"]

_MOST_ROWS = 1 << 31  # whose pairs, counted twice, fit into 63 bits


def order_on_device(rows: Rows) -> tuple[ScoreOrder, Label] | None:
    """Return the order of the rows' scores on their device, and the positive label.

    None where the rows are better copied: they are not on one device, have weights, or hold something that is
    to be refused with its row.
    """
    actual = None if rows.actual is None else rows.actual.device_tensor
    score = None if rows.score is None else rows.score.device_tensor
    if actual is None or score is None or rows.weight is not None:
        return None
    if actual.device != score.device or not score.is_floating_point() or rows.n >= _MOST_ROWS:
        return None
    profile = label_profile(rows.actual)  # type: ignore[arg-type]
    if profile.kind not in ("truth", "whole"):
        return None
    if rows.labels is not None and not set(profile.labels) <= set(rows.labels):
        return None
    from assay.device.score_order import ScoreOrder  # noqa: PLC0415 - few need it

    positive = positive_label(rows.actual.name, profile.labels, rows.positive, rows.labels)  # type: ignore[union-attr]
    order = ScoreOrder(actual, score, int(positive))
    return None if order.has_nan else (order, positive)
