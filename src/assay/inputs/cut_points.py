"""Numbers as classes: cut at edges, so that they can be sliced by."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import NumberError
from assay.hints import param
from assay.inputs.arrays import column
from assay.inputs.columns import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["cut"]


def cut(values: Any, edges: Sequence[float], name: str = "values") -> Column:
    """Return numbers as labels of the interval they fall in; each includes its lower edge.

    What lies below the first edge or from the last one on has intervals of its own.

    Parameters
    ----------
    values
        Numbers.
    edges
        Where to cut, in rising order.
    name
        What errors call the column.

    Returns
    -------
    Column
        Labels that sort in the order of the intervals.

    Raises
    ------
    ColumnError
        `values` are no column.
    NumberError
        `values` or `edges` are not numbers, or the edges do not rise.

    Examples
    --------
    >>> import assay
    >>> assay.cut([3, 18, 70], [18, 65]).labels
    ('1: below 18', '2: 18 to below 65', '3: 65 or more')
    """
    try:
        limits = np.array([float(edge) for edge in edges])
    except (TypeError, ValueError):
        raise NumberError(f"{param('edges')} is a list of numbers, not {edges!r}.") from None
    if not len(limits):
        raise NumberError(f"{param('edges')} needs at least one number.")
    if np.isnan(limits).any() or (np.diff(limits) <= 0).any():
        raise NumberError(f"{param('edges')} must rise from one to the next: {limits.tolist()}.")
    numbers = column(values, name)
    plain = numbers.numbers("numbers")
    indices = np.searchsorted(limits, plain, side="right")
    width = len(str(len(limits) + 1))
    shown = [repr(edge).removesuffix(".0") for edge in limits.tolist()]
    texts = [
        f"below {shown[0]}",
        *(f"{low} to below {high}" for low, high in itertools.pairwise(shown)),
        f"{shown[-1]} or more",
    ]
    labels = tuple(f"{index + 1:0{width}}: {text}" for index, text in enumerate(texts))
    codes = indices.astype(np.uint32)
    cut_up = Column(numbers.name, codes, labels, numbers.absent(), place=numbers.place)
    return cut_up.take(slice(None), numbers.origin)
