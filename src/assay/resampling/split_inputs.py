"""Read and check the columns of a split: classes, groups, keys, and the number of rows."""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from assay import kernels
from assay.errors import LabelError, LengthError, SplitError, check_whole_number, shown
from assay.formatting.numbers import count_of
from assay.hints import param
from assay.inputs import Label, column, encode
from assay.resampling.row_hashing import Keys, read_keys
from assay.resampling.split import UNUSED

if TYPE_CHECKING:
    from assay.inputs.columns import Array, Column

__all__ = ["SplitInputs", "classes", "present", "quantile_bins", "read", "shares"]

_MAX_DENOMINATOR = 1_000_000  # 0.1 and 1 / 3 stand for fractions
_ROUNDING = 1e-9


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SplitInputs:
    """The rows as a splitter sees them: codes of strata and of groups, and keys."""

    n: int
    keys: Keys
    strata: Array | None = None
    strata_count: int = 1
    groups: Array | None = None
    group_labels: tuple[Label, ...] = ()


def read(
    *, y: Any, group: Any, time: Any, key: Any, n: int | None, stratify: bool, bins: int | None
) -> SplitInputs:
    """Return the columns as codes, checked to have the same length."""
    stratify = stratify and y is not None and time is None
    y = present(y, "y") if stratify else y
    group = None if group is None else present(group, "group")
    key = None if key is None else present(key, "key")
    length = _length({"y": y, "group": group, "time": time, "key": key}, n)
    strata, count = None, 1
    if stratify and bins is None:
        strata, labels = _class_codes(y)
        count = len(labels)
    elif stratify and bins is not None:
        strata = quantile_bins(y, bins)
        count = int(strata.max()) + 1
    codes, names = (None, ()) if group is None else encode(group)
    return SplitInputs(length, read_keys(key, length), strata, count, codes, names)


def present(values: Any, name: str) -> Column:
    """Return a column without missing values, or raise with the first row that lacks one."""
    return column(values, name).require_complete()


def classes(y: Any) -> tuple[Array, tuple[Label, ...]]:
    """Return the class of every row as a code, and the classes."""
    return _class_codes(column(y, "y"))


def _class_codes(target: Column) -> tuple[Array, tuple[Label, ...]]:
    try:
        return encode(target)
    except LabelError as refused:
        raise SplitError(
            f"{refused} To stratify by its quantiles, say {param('bins')}; {param('stratify', False)} "
            "leaves it alone."
        ) from None


def quantile_bins(y: Any, bins: int) -> Array:
    """Return the bin of every number, of about equally many rows each; equal numbers share one.

    >>> quantile_bins([0.3, 0.1, 0.2, 0.4, 0.4, 0.4], 3).tolist()
    [1, 0, 0, 2, 2, 2]
    """
    values = present(y, "y").numbers("numbers to cut into quantiles")
    n = len(values)
    if bins > n:
        raise SplitError(
            f"{param('bins', bins)} for {count_of(n, 'row')}: there cannot be more bins than rows."
        )
    cuts = [-(-n * index // bins) for index in range(1, bins)]  # a bin larger by one comes first
    edges = np.unique(np.partition(values, cuts)[cuts]) if cuts else values[:0]
    bin_of_row = np.searchsorted(edges, values, side="right")
    codes, _ = kernels.encode_integers(bin_of_row)  # an edge at the lowest number leaves a bin empty
    return codes


def shares(parts: Any) -> tuple[Fraction, ...]:
    """Return the shares of the parts as exact fractions, which add up to 1.

    >>> shares({"train": 0.7, "validate": 0.2, "test": 0.1})
    (Fraction(7, 10), Fraction(1, 5), Fraction(1, 10))
    """
    if not isinstance(parts, Mapping) or not parts:
        what = "is empty" if isinstance(parts, Mapping) else f"is {parts!r}"
        raise SplitError(
            f"{param('parts')} {what}: name the parts with their shares, such as "
            f'{{"train": 0.75, "test": 0.25}}.'
        )
    for name, share in parts.items():
        if not isinstance(name, str) or not name or name == UNUSED:
            raise SplitError(f"{name!r} is no name for a part: use a text other than {UNUSED!r}.")
        if not isinstance(share, numbers.Real) or not 0 < float(share) < 1:
            raise SplitError(f"the share of {name!r} is {share!r}, where a number between 0 and 1 is needed.")
    total = math.fsum(parts.values())
    if abs(total - 1) > _ROUNDING:
        raise SplitError(f"the shares of {shown(parts)} add up to {total:.6g}, not to 1.")
    near = [Fraction(float(share)).limit_denominator(_MAX_DENOMINATOR) for share in parts.values()]
    if 0 in near:
        raise SplitError(f"a share is at least 1 in {_MAX_DENOMINATOR:,}.")
    return tuple(share / sum(near) for share in near)


def _length(columns: dict[str, Any], n: int | None) -> int:
    lengths = {name: _count(name, values) for name, values in columns.items() if values is not None}
    if n is not None:
        lengths["n"] = check_whole_number("n", n, 0, error=SplitError)
    if not lengths:
        raise SplitError(
            f"there is nothing to split: pass {param('y')}, {param('group')}, {param('time')} or "
            f"{param('key')}, or "
            "the number of rows n=."
        )
    (first, length), *others = lengths.items()
    for name, other in others:
        if other != length:
            raise LengthError(
                f"{first} has {count_of(length, 'value')}, {name} {'is' if name == 'n' else 'has'} {other:,}."
            )
    if length == 0:
        raise LengthError("there are no rows to split.")
    return length


def _count(name: str, values: Any) -> int:
    try:
        return len(values)  # no more is asked of dates, nor of a target that does not count here
    except TypeError:
        return len(column(values, name))
