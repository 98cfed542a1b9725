"""How the tests ask whether two functions agree, in value, types, warnings and errors, or two answers."""

import warnings

import numpy as np
import pytest


def outcome(function, *args, **named):
    """Return what a call gave: a value or the error, and the warnings in order."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            value = function(*args, **named)
        except (ValueError, TypeError, ZeroDivisionError, IndexError) as error:
            value = error
    return value, [(one.category, str(one.message)) for one in said]


def assert_same(ours, theirs):
    """Assert that two values are of one type and equal to the last few bits."""
    if isinstance(theirs, Exception):
        assert isinstance(ours, Exception), f"{ours!r} where {theirs!r} is raised"
        kinds = [kind for kind in (ValueError, TypeError, ZeroDivisionError) if isinstance(theirs, kind)]
        assert isinstance(ours, tuple(kinds))
        assert str(ours) == str(theirs)
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        for key in theirs:
            assert_same(ours[key], theirs[key])
    elif isinstance(theirs, (tuple, list)):
        assert type(ours) is type(theirs)
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
    elif isinstance(theirs, np.ndarray):
        assert isinstance(ours, np.ndarray), ours
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)
    elif isinstance(theirs, float):
        assert isinstance(ours, float), ours
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)
    else:
        assert ours == theirs
        assert type(ours) is type(theirs)


def alike(mine, theirs):
    """Assert that two answers as dicts and lists are the same, but for the last digits of numbers."""
    if isinstance(mine, dict):
        assert mine.keys() == theirs.keys()
        for key, one in mine.items():
            alike(one, theirs[key])
    elif isinstance(mine, list):
        assert len(mine) == len(theirs)
        for one, other in zip(mine, theirs, strict=True):
            alike(one, other)
    elif isinstance(mine, float) and isinstance(theirs, float):
        assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-12)
    else:
        assert mine == theirs
