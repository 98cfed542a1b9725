"""The one door to the C++ kernels."""

from assay._kernels import set_threads, threads

__all__ = ["set_threads", "threads"]
