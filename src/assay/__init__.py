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
    from assay.comparison.compare import Comparison, compare
    from assay.comparison.procedures import compare_datasets, compare_resamples
    from assay.crosstable import CrossTable
    from assay.crossvalidation.crossval import crossval
    from assay.crossvalidation.crossvalidation import CrossValidation
    from assay.crossvalidation.learning_curve import LearningCurve, learning_curve
    from assay.errors import (
        AssayError,
        ColumnError,
        FileError,
        FormatError,
        InputError,
        LabelError,
        LengthError,
        MergeError,
        MetricError,
        MissingDependencyError,
        MissingValueError,
        NumberError,
        SplitError,
        TallyError,
    )
    from assay.evaluation.evaluate import evaluate
    from assay.evaluation.evaluation import Evaluation
    from assay.evaluation.storage import load
    from assay.inference.estimate import Estimate
    from assay.inference.intervals.choose_interval import estimate
    from assay.inputs.arrays import column
    from assay.inputs.cut_points import cut
    from assay.inputs.roles import Rows, rows
    from assay.kernels import set_threads, threads
    from assay.preferences.arena import arena
    from assay.preferences.arena_result import Arena
    from assay.raters.agreement import agreement
    from assay.raters.agreement_result import RaterAgreement
    from assay.repeated_runs.repeats import repeats
    from assay.repeated_runs.repeats_result import RepeatedRuns
    from assay.reports.page.build import report
    from assay.tallies import (
        BinnedScores,
        ClassScores,
        Collection,
        ColumnTallies,
        Confidences,
        Confusion,
        Grouped,
        LabelSets,
        Losses,
        Moments,
        NumberPairs,
        PairedLabels,
        PairedScores,
        Preferences,
        Queries,
        Ratings,
        RunCounts,
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
        "AssayError", "FormatError", "ColumnError", "FileError", "InputError", "LabelError", "LengthError",
        "MergeError", "MetricError", "MissingDependencyError", "MissingValueError", "NumberError",
        "SplitError", "TallyError",
    ),
    "assay.evaluation.evaluate": ("evaluate",),
    "assay.evaluation.evaluation": ("Evaluation",),
    "assay.evaluation.storage": ("load",),
    "assay.preferences.arena": ("arena",),
    "assay.preferences.arena_result": ("Arena",),
    "assay.raters.agreement": ("agreement",),
    "assay.raters.agreement_result": ("RaterAgreement",),
    "assay.repeated_runs.repeats": ("repeats",),
    "assay.repeated_runs.repeats_result": ("RepeatedRuns",),
    "assay.reports.page.build": ("report",),
    "assay.inference.estimate": ("Estimate",),
    "assay.inference.intervals.choose_interval": ("estimate",),
    "assay.inputs.arrays": ("column",),
    "assay.inputs.cut_points": ("cut",),
    "assay.inputs.roles": ("Rows", "rows"),
    "assay.kernels": ("set_threads", "threads"),
    "assay.comparison.compare": ("Comparison", "compare"),
    "assay.crosstable": ("CrossTable",),
    "assay.crossvalidation.crossval": ("crossval",),
    "assay.crossvalidation.crossvalidation": ("CrossValidation",),
    "assay.crossvalidation.learning_curve": ("LearningCurve", "learning_curve"),
    "assay.comparison.procedures": ("compare_datasets", "compare_resamples"),
    "assay.tallies": (
        "BinnedScores", "ClassScores", "Collection", "ColumnTallies", "Confidences", "Confusion", "Grouped",
        "LabelSets", "Losses", "Moments", "NumberPairs", "PairedLabels", "PairedScores", "Preferences",
        "Queries", "Ratings", "RunCounts", "Scores", "Sums", "Tally", "Values", "from_bytes", "merge",
    ),
}  # fmt: skip
# Modules asked for by name: assay.metrics.f1.
_PARTS = ("datasets", "decisions", "engines", "inference", "metrics", "plots", "resampling", "sklearn")
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Arena",
    "AssayError",
    "BinnedScores",
    "ClassScores",
    "Collection",
    "ColumnError",
    "ColumnTallies",
    "Comparison",
    "Confidences",
    "Confusion",
    "CrossTable",
    "CrossValidation",
    "Estimate",
    "Evaluation",
    "FileError",
    "FormatError",
    "Grouped",
    "InputError",
    "LabelError",
    "LabelSets",
    "LearningCurve",
    "LengthError",
    "Losses",
    "MergeError",
    "MetricError",
    "MissingDependencyError",
    "MissingValueError",
    "Moments",
    "NumberError",
    "NumberPairs",
    "PairedLabels",
    "PairedScores",
    "Preferences",
    "Queries",
    "RaterAgreement",
    "Ratings",
    "RepeatedRuns",
    "Rows",
    "RunCounts",
    "Scores",
    "SplitError",
    "Sums",
    "Tally",
    "TallyError",
    "Values",
    "__version__",
    "agreement",
    "arena",
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
    "repeats",
    "report",
    "rows",
    "set_threads",
    "threads",
]


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return importlib.import_module(f"assay.{name}")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_PARTS])
