"""The order of labels that a caller's column states itself: ordered categories and enumerations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import LabelError
from assay.inputs.labels import plain_label

if TYPE_CHECKING:
    from assay.inputs.columns import Column
    from assay.inputs.labels import Labels

__all__ = ["in_order", "stated_order"]


def stated_order(values: Any) -> Labels | None:
    """Return the labels of an ordered categorical or an enumeration, lowest first; None where none is stated.

    >>> import pandas as pd
    >>> stated_order(pd.Categorical(["mid", "low"], ["low", "mid", "high"], ordered=True))
    ('low', 'mid', 'high')
    >>> stated_order(pd.cut(pd.Series([7, 30]), [5, 10, 40]))
    ('(5, 10]', '(10, 40]')
    """
    dtype = getattr(values, "dtype", None)
    categories = getattr(dtype, "categories", None)
    if categories is None or not (getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum"):
        return None
    try:
        return tuple(map(plain_label, categories))
    except LabelError:  # intervals, whose text is the label
        return tuple(map(str, categories))


def in_order(labels: Labels, column: Column | None) -> Labels:
    """Return labels in the order that a column states; as they are where it states none, or not of all.

    >>> import assay, pandas as pd
    >>> size = assay.column(pd.Categorical(["S", "L", "M"], ["S", "M", "L"], ordered=True))
    >>> size.labels, in_order(size.labels, size)
    (('L', 'M', 'S'), ('S', 'M', 'L'))
    """
    order = None if column is None else column.order
    if order is None or not set(labels) <= set(order):
        return labels
    return tuple(label for label in order if label in labels)
