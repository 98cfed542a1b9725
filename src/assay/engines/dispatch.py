"""Choose the engine for a data frame by its type's module name, so that no library is imported for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.engines.local_scan import Scan

__all__ = ["cluster_of", "is_cluster"]


def is_cluster(data: Any) -> bool:
    """Tell whether data is a frame of a cluster, or a list of its parts.

    >>> is_cluster("preds.parquet")
    False
    """
    return _engine_loader(data) is not None


def cluster_of(data: Any) -> Callable[..., Scan] | None:
    """Return the function that scans a frame of a cluster, or None for data on this machine."""
    load = _engine_loader(data)
    return None if load is None else load()


def _spark() -> Callable[..., Scan]:
    from assay.engines.spark import scan_frame  # noqa: PLC0415 - imports pyspark

    return scan_frame


def _dask() -> Callable[..., Scan]:
    from assay.engines.dask import scan_frame  # noqa: PLC0415 - imports dask

    return scan_frame


_LOADERS = {"pyspark": _spark, "dask": _dask, "dask_expr": _dask, "distributed": _dask}


def _engine_loader(data: Any) -> Callable[[], Callable[..., Scan]] | None:
    first = data[0] if isinstance(data, (list, tuple)) and data else data
    packages = (kind.__module__.partition(".")[0] for kind in type(first).__mro__)
    return next((_LOADERS[package] for package in packages if package in _LOADERS), None)
