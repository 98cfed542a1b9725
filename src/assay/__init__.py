"""Evaluate the predictions of machine-learning models: how good, how certain that is, where they fail.

    evaluate        every metric that fits the task, each with its interval
    compare         two or more models: the differences, with tests
    crossval        a model on rows that it was not trained on; learning_curve: on more and more rows
    report          a page to send; load: an evaluation that was saved
    rows            columns by role, which all of these read; column, cut
    estimate        one metric with its interval; merge: tallies of shards
    arena           models ranked by pairwise preferences
    agreement       of several raters; repeats: of repeated runs, such as pass@k; read_log: logs of them
    plan            what a model must reach, fixed before results, and what the test set can show
    check           whether a model meets a plan
    group_metrics   metrics of every user, item or query at once
    labels_needed   how many labels to buy where a proxy has labelled all rows

Results are an ``Evaluation``, ``Comparison``, ``CrossValidation``, ``LearningCurve`` or ``CrossTable``;
errors are an ``AssayError``. The modules ``metrics``, ``decisions``, ``resampling``, ``inference``,
``plots``, ``engines``, ``datasets`` and ``sklearn`` have more, and ``help`` explains each of these names.

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

if TYPE_CHECKING:  # "as" makes a name public to type checkers, of which __all__ names the first ones only
    from assay import datasets as datasets
    from assay import decisions as decisions
    from assay import engines as engines
    from assay import inference as inference
    from assay import metrics as metrics
    from assay import plots as plots
    from assay import resampling as resampling
    from assay import sklearn as sklearn
    from assay.comparison.compare import Comparison as Comparison
    from assay.comparison.compare import compare as compare
    from assay.comparison.procedures import compare_datasets as compare_datasets
    from assay.comparison.procedures import compare_resamples as compare_resamples
    from assay.crosstable import CrossTable as CrossTable
    from assay.crossvalidation.crossval import crossval as crossval
    from assay.crossvalidation.crossvalidation import CrossValidation as CrossValidation
    from assay.crossvalidation.learning_curve import LearningCurve as LearningCurve
    from assay.crossvalidation.learning_curve import learning_curve as learning_curve
    from assay.engines.run_logs import read_log as read_log
    from assay.errors import AssayError as AssayError
    from assay.errors import ColumnError as ColumnError
    from assay.errors import FileError as FileError
    from assay.errors import FormatError as FormatError
    from assay.errors import InputError as InputError
    from assay.errors import LabelError as LabelError
    from assay.errors import LedgerError as LedgerError
    from assay.errors import LengthError as LengthError
    from assay.errors import MergeError as MergeError
    from assay.errors import MetricError as MetricError
    from assay.errors import MissingDependencyError as MissingDependencyError
    from assay.errors import MissingValueError as MissingValueError
    from assay.errors import NoLooksLeftError as NoLooksLeftError
    from assay.errors import NumberError as NumberError
    from assay.errors import PlanChangedError as PlanChangedError
    from assay.errors import PlanError as PlanError
    from assay.errors import SplitError as SplitError
    from assay.errors import TallyError as TallyError
    from assay.evaluation.evaluate import evaluate as evaluate
    from assay.evaluation.evaluation import Evaluation as Evaluation
    from assay.evaluation.group_metrics import group_metrics as group_metrics
    from assay.evaluation.group_metrics_result import GroupMetrics as GroupMetrics
    from assay.evaluation.proxy.label_plan import LabelPlan as LabelPlan
    from assay.evaluation.proxy.label_plan import labels_needed as labels_needed
    from assay.evaluation.storage import load as load
    from assay.inference.estimate import Estimate as Estimate
    from assay.inference.intervals.choose_interval import estimate as estimate
    from assay.inputs.arrays import column as column
    from assay.inputs.cut_points import cut as cut
    from assay.inputs.roles import Rows as Rows
    from assay.inputs.roles import rows as rows
    from assay.kernels import set_threads as set_threads
    from assay.kernels import threads as threads
    from assay.ledgers.ledger import Ledger as Ledger
    from assay.ledgers.ledger import ledger as ledger
    from assay.plans.check import check as check
    from assay.plans.check_result import PlanCheck as PlanCheck
    from assay.plans.plan import Plan as Plan
    from assay.plans.plan import plan as plan
    from assay.preferences.arena import arena as arena
    from assay.preferences.arena_result import Arena as Arena
    from assay.raters.agreement import agreement as agreement
    from assay.raters.agreement_result import RaterAgreement as RaterAgreement
    from assay.repeated_runs.repeats import repeats as repeats
    from assay.repeated_runs.repeats_result import RepeatedRuns as RepeatedRuns
    from assay.reports.page.build import report as report
    from assay.tallies import BinnedScores as BinnedScores
    from assay.tallies import ClassScores as ClassScores
    from assay.tallies import Collection as Collection
    from assay.tallies import ColumnTallies as ColumnTallies
    from assay.tallies import Confidences as Confidences
    from assay.tallies import Confusion as Confusion
    from assay.tallies import Fingerprint as Fingerprint
    from assay.tallies import Grouped as Grouped
    from assay.tallies import LabelSets as LabelSets
    from assay.tallies import Losses as Losses
    from assay.tallies import Moments as Moments
    from assay.tallies import NumberPairs as NumberPairs
    from assay.tallies import PairedLabels as PairedLabels
    from assay.tallies import PairedScores as PairedScores
    from assay.tallies import Preferences as Preferences
    from assay.tallies import Queries as Queries
    from assay.tallies import Ratings as Ratings
    from assay.tallies import RunCounts as RunCounts
    from assay.tallies import Scores as Scores
    from assay.tallies import Sums as Sums
    from assay.tallies import Tally as Tally
    from assay.tallies import Values as Values
    from assay.tallies import from_bytes as from_bytes
    from assay.tallies import merge as merge

__version__ = "0.1.0"

_HOMES = {
    "assay.errors": (
        "AssayError", "FormatError", "ColumnError", "FileError", "InputError", "LabelError", "LedgerError",
        "LengthError", "MergeError", "MetricError", "MissingDependencyError", "MissingValueError",
        "NoLooksLeftError", "NumberError", "PlanChangedError", "PlanError", "SplitError", "TallyError",
    ),
    "assay.engines.run_logs": ("read_log",),
    "assay.evaluation.evaluate": ("evaluate",),
    "assay.evaluation.evaluation": ("Evaluation",),
    "assay.evaluation.group_metrics": ("group_metrics",),
    "assay.evaluation.group_metrics_result": ("GroupMetrics",),
    "assay.evaluation.proxy.label_plan": ("LabelPlan", "labels_needed"),
    "assay.evaluation.storage": ("load",),
    "assay.plans.check": ("check",),
    "assay.plans.check_result": ("PlanCheck",),
    "assay.plans.plan": ("Plan", "plan"),
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
    "assay.ledgers.ledger": ("Ledger", "ledger"),
    "assay.tallies": (
        "BinnedScores", "ClassScores", "Collection", "ColumnTallies", "Confidences", "Confusion",
        "Fingerprint", "Grouped",
        "LabelSets", "Losses", "Moments", "NumberPairs", "PairedLabels", "PairedScores", "Preferences",
        "Queries", "Ratings", "RunCounts", "Scores", "Sums", "Tally", "Values", "from_bytes", "merge",
    ),
}  # fmt: skip
# Modules asked for by name: assay.metrics.f1.
_PARTS = ("datasets", "decisions", "engines", "inference", "metrics", "plots", "resampling", "sklearn")
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

# What help(assay) explains; every other name of the table above is public, too.
__all__ = [
    "compare",
    "crossval",
    "estimate",
    "evaluate",
    "load",
    "merge",
    "report",
    "rows",
]


if not TYPE_CHECKING:  # where a misspelt name is an error

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
    return sorted(["__version__", *_HOME_OF, *_PARTS])
