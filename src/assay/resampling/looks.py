"""How often the same test rows were looked at: a part that chooses a model is no test any more."""

from __future__ import annotations

import hashlib
import threading
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from assay.inputs.columns import Array
    from assay.resampling.folds import Fold
    from assay.resampling.plan import Plan

__all__ = ["looks_at"]

_seen: dict[bytes, set[bytes]] = {}
_lock = threading.Lock()


def looks_at(plan: Plan, fold: Fold) -> int:
    """Return how many different predictions of these test rows this process has judged, these among them.

    Judging the same predictions again is no further look.
    """
    answers = fold.answers
    if answers is None:
        return 0
    rows = _digest(np.asarray(plan.n), fold.test, plan.actual.values)
    said = [np.asarray(one) for one in (answers.predicted, answers.scores) if one is not None]
    answer = _digest(*said)
    with _lock:
        known = _seen.setdefault(rows, set())
        known.add(answer)
        return len(known)


def _digest(*arrays: Array) -> bytes:
    state = hashlib.blake2b(digest_size=16)
    for array in arrays:
        plain = array.astype(str) if array.dtype.kind == "O" else array
        state.update(f"{plain.dtype}{plain.shape}".encode())
        state.update(np.ascontiguousarray(plain).tobytes())
    return state.digest()
