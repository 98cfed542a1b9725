"""assay judges the predictions of machine-learning models: how good, how sure, where they fail.

Rows are read once into small exact tallies; tallies merge to the same bits in any order:

>>> import assay
>>> data = assay.rows(actual=["ham", "ham", "spam"], predicted=["ham", "spam", "spam"])
>>> assay.Confusion.of(data).table()
array([[1, 1],
       [0, 1]])

Names are loaded when first used, so that ``import assay`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.errors import (
        AssayError,
        BytesError,
        ColumnError,
        FileError,
        InputError,
        LabelError,
        LengthError,
        MergeError,
        MetricError,
        MissingError,
        NumberError,
        PartError,
        SplitError,
        TallyError,
    )
    from assay.evaluation import Evaluation, evaluate, load
    from assay.evaluation.paged import report
    from assay.inference.estimate import Estimate
    from assay.inference.intervals import estimate
    from assay.inputs import Rows, column, cut, rows
    from assay.kernels import set_threads, threads
    from assay.reports.comparison import Comparison, compare
    from assay.reports.crosstable import CrossTable
    from assay.reports.crossval import crossval
    from assay.reports.crossvalidation import CrossValidation
    from assay.reports.learning import LearningCurve, learning_curve
    from assay.reports.procedures import compare_datasets, compare_resamples
    from assay.tallies import (
        BinnedScores,
        ClassScores,
        Collection,
        Confidences,
        Confusion,
        Grouped,
        LabelSets,
        Losses,
        Moments,
        NumberPairs,
        PairedLabels,
        PairedScores,
        Queries,
        Scores,
        Sums,
        Tally,
        Values,
        from_bytes,
        merge,
    )

__version__ = "0.1.0"

_HOMES = {
    "assay.errors": (
        "AssayError", "BytesError", "ColumnError", "FileError", "InputError", "LabelError", "LengthError",
        "MergeError", "MetricError", "MissingError", "NumberError", "PartError", "SplitError",
        "TallyError",
    ),
    "assay.evaluation": ("Evaluation", "evaluate", "load"),
    "assay.evaluation.paged": ("report",),
    "assay.inference.estimate": ("Estimate",),
    "assay.inference.intervals": ("estimate",),
    "assay.inputs": ("Rows", "column", "cut", "rows"),
    "assay.kernels": ("set_threads", "threads"),
    "assay.reports.comparison": ("Comparison", "compare"),
    "assay.reports.crosstable": ("CrossTable",),
    "assay.reports.crossval": ("crossval",),
    "assay.reports.crossvalidation": ("CrossValidation",),
    "assay.reports.learning": ("LearningCurve", "learning_curve"),
    "assay.reports.procedures": ("compare_datasets", "compare_resamples"),
    "assay.tallies": (
        "BinnedScores", "ClassScores", "Collection", "Confidences", "Confusion", "Grouped", "LabelSets",
        "Losses", "Moments", "NumberPairs", "PairedLabels", "PairedScores", "Queries", "Scores", "Sums",
        "Tally", "Values", "from_bytes", "merge",
    ),
}  # fmt: skip
# Modules asked for by name: assay.metrics.f1.
_PARTS = ("decisions", "engines", "inference", "metrics", "plots", "resampling", "sklearn")
_ELSEWHERE = {"plots": "reports.plots"}  # parts that live deeper
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AssayError",
    "BinnedScores",
    "BytesError",
    "ClassScores",
    "Collection",
    "ColumnError",
    "Comparison",
    "Confidences",
    "Confusion",
    "CrossTable",
    "CrossValidation",
    "Estimate",
    "Evaluation",
    "FileError",
    "Grouped",
    "InputError",
    "LabelError",
    "LabelSets",
    "LearningCurve",
    "LengthError",
    "Losses",
    "MergeError",
    "MetricError",
    "MissingError",
    "Moments",
    "NumberError",
    "NumberPairs",
    "PairedLabels",
    "PairedScores",
    "PartError",
    "Queries",
    "Rows",
    "Scores",
    "SplitError",
    "Sums",
    "Tally",
    "TallyError",
    "Values",
    "__version__",
    "column",
    "compare",
    "compare_datasets",
    "compare_resamples",
    "crossval",
    "cut",
    "estimate",
    "evaluate",
    "from_bytes",
    "learning_curve",
    "load",
    "merge",
    "report",
    "rows",
    "set_threads",
    "threads",
]


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return importlib.import_module(f"assay.{_ELSEWHERE.get(name, name)}")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_PARTS])
