"""Which engine walks the rows of a frame: known by its type's name, so that nothing is imported for it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.engines.local_scan import Scan

__all__ = ["cluster_of", "is_cluster"]

_HOMES = {"pyspark": "spark", "dask": "dask", "dask_expr": "dask", "distributed": "dask"}


def is_cluster(data: Any) -> bool:
    """Tell whether data is a frame of a cluster, or a list of its parts.

    >>> is_cluster("preds.parquet")
    False
    """
    return _home(data) is not None


def cluster_of(data: Any) -> Callable[..., Scan] | None:
    """Return what scans the frame of a cluster, or None for what is on this machine."""
    home = _home(data)
    if home is None:
        return None
    scanned: Callable[..., Scan] = importlib.import_module(f"assay.engines.{home}").scanned
    return scanned


def _home(data: Any) -> str | None:
    first = data[0] if isinstance(data, (list, tuple)) and data else data
    homes = (_HOMES.get(kind.__module__.partition(".")[0]) for kind in type(first).__mro__)
    return next(filter(None, homes), None)
