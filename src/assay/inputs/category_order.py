"""The order of grades that a column of a data frame states itself."""

from __future__ import annotations

from typing import Any

from assay.inputs.arrays import column_names

__all__ = ["order_of"]


def order_of(data: Any, actual: Any) -> list[Any] | None:
    """Return the grades of an ordered categorical or an enumeration, lowest first; None where none is stated.

    >>> import pandas as pd
    >>> order_of(None, pd.Categorical(["mid", "low"], ["low", "mid", "high"], ordered=True))
    ['low', 'mid', 'high']
    """
    if isinstance(actual, str):
        names = list(data) if isinstance(data, dict) else column_names(data)
        if names is None or actual not in names or hasattr(data, "collect"):
            return None
        actual = data[actual]
    dtype = getattr(actual, "dtype", None)
    categories = getattr(dtype, "categories", None)
    if categories is None or not (getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum"):
        return None
    return list(categories)
