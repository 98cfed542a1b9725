"""Compare nested reference values with those computed, leaf by leaf, so that none is left out."""

import numpy as np
import pytest

_EXACT = str | bool | None


def leaves(values, path=()):
    """Yield every leaf of nested dicts and lists with its path."""
    entries = (
        values.items()
        if isinstance(values, dict)
        else enumerate(values)
        if isinstance(values, list)
        else None
    )
    if entries is None:
        yield path, values
        return
    for key, value in entries:
        yield from leaves(value, (*path, key))


def differences(expected, found, tolerance):
    """Return a line for each expected leaf that is missing or differs; `tolerance` gives approx options by path.

    >>> differences({"a": {"x": 1.0, "y": 2.0}}, {"a": {"x": 1.0}}, lambda path: {"abs": 1e-9})
    ['a/y: 2.0 is not computed']
    """
    computed = dict(leaves(found))
    lines = []
    for path, value in leaves(expected):
        name = "/".join(map(str, path))
        if path not in computed:
            lines.append(f"{name}: {value} is not computed")
            continue
        own = computed[path]
        if isinstance(value, _EXACT):
            same = own == value
        else:
            own = float(own)
            same = own == pytest.approx(value, **tolerance(path)) if np.isfinite(own) else False
        if not same:
            lines.append(f"{name}: {value} is expected, {own} computed")
    return lines
