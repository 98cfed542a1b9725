"""How often the same test rows were looked at: a part that chooses a model is no test any more."""

from __future__ import annotations

import hashlib
import threading
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from assay.crossvalidation.fit_folds import Fold
    from assay.crossvalidation.setup import CrossValSetup
    from assay.inputs.columns import Array

__all__ = ["looks_at"]

_seen: dict[bytes, list[dict[str, bytes]]] = {}
_lock = threading.Lock()


def looks_at(plan: CrossValSetup, fold: Fold) -> int:
    """Return how many different models this process has judged by these test rows, this one among them.

    Models are the same that gave the same predictions, or the same scores; where one gave the former and
    the other the latter only, those that were described alike. To judge one again is no further look.
    """
    answers = fold.answers
    if answers is None:
        return 0
    rows = _digest(np.asarray(plan.n), fold.test, plan.actual.values)
    look = {"model": _digest(np.array(repr(plan.model)))}
    for role, said in (("predicted", answers.predicted), ("scores", answers.scores)):
        if said is not None:
            look[role] = _digest(np.asarray(said))
    with _lock:
        known = _seen.setdefault(rows, [])
        for earlier in known:
            if _alike(earlier, look):
                earlier.update(look)
                break
        else:
            known.append(look)
        return len(known)


def _alike(one: dict[str, bytes], other: dict[str, bytes]) -> bool:
    both = (one.keys() & other.keys()) - {"model"} or {"model"}
    return any(one[role] == other[role] for role in both)


def _digest(*arrays: Array) -> bytes:
    state = hashlib.blake2b(digest_size=16)
    for array in arrays:
        plain = array.astype(str) if array.dtype.kind == "O" else array
        state.update(f"{plain.dtype}{plain.shape}".encode())
        state.update(np.ascontiguousarray(plain).tobytes())
    return state.digest()
