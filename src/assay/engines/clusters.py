"""Which engine walks the rows of a frame: known by its type's name, so that nothing is imported for it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.engines.local import Scan

__all__ = ["cluster_of"]

_HOMES = {"pyspark": "spark", "dask": "dask", "dask_expr": "dask", "distributed": "dask"}


def cluster_of(data: Any) -> Callable[..., Scan] | None:
    """Return what scans the frame of a cluster, or None for what is on this machine.

    >>> cluster_of("preds.parquet") is None
    True
    """
    first = data[0] if isinstance(data, (list, tuple)) and data else data
    for kind in type(first).__mro__:
        home = _HOMES.get(kind.__module__.partition(".")[0])
        if home is not None:
            scanned: Callable[..., Scan] = importlib.import_module(f"assay.engines.{home}").scanned
            return scanned
    return None
