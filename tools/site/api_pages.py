"""The API reference: a page per subject, each public name of the package on one of them, from the docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import assay
from assay.metrics import Metric

__all__ = ["public_names", "subjects", "write"]

# Names of `assay` itself, by subject; what is in none is on a page called More of assay.
TOP_LEVEL = {
    "Evaluate": ("evaluate", "Evaluation", "estimate", "Estimate", "report", "load", "CrossTable"),
    "Compare models": ("compare", "Comparison", "compare_datasets", "compare_resamples"),
    "Cross-validation": ("crossval", "CrossValidation", "learning_curve", "LearningCurve"),
    "Raters, repeated runs, preferences, few labels": (
        "agreement", "RaterAgreement", "repeats", "RepeatedRuns", "read_log", "arena", "Arena", "labels_needed",
        "LabelPlan",
    ),
    "Groups of rows": ("group_metrics", "GroupMetrics"),
    "Plans and ledgers": ("plan", "Plan", "check", "PlanCheck", "ledger", "Ledger"),
    "Rows and columns": ("rows", "Rows", "column", "cut", "set_threads", "threads"),
}  # fmt: skip
MODULES = {
    "decisions": "Thresholds, costs, decision curves",
    "resampling": "Splits, folds and resampling",
    "plots": "Plots",
    "tallies": "Tallies: rows as mergeable counts",
    "engines": "Files, Spark and Dask",
    "datasets": "Data sets",
    "metrics": "Metrics: declare, find, call",
    "sklearn": "In place of sklearn.metrics",
    "errors": "Errors",
}
# Names of modules within these, which the documents name, by subject: title, the module, the names.
FURTHER = {
    "curves": (
        "Curves and cutoffs",
        {
            "metrics.curves.curves": (
                "Curve", "roc", "precision_recall", "detection_error", "gain", "lift", "calibration", "roc_hull",
            ),
            "metrics.curves.cutoffs": ("Best", "at_cutoffs", "best", "performance"),
            "plots.simplify": ("simplified",),
        },
    ),
    "calibration": (
        "Calibration: curves, tests, decompositions",
        {
            "metrics.probability.calibration": (
                "CalibrationCurve", "calibration_curve", "Null", "calibration_null",
            ),
            "metrics.probability.calibration_tests": (
                "CoxFit", "cox", "CalibrationTest", "hosmer_lemeshow_test", "spiegelhalter_test",
            ),
            "metrics.probability.proper_scores": (
                "Decomposition", "corp", "murphy", "BinnedBrier", "binned_brier",
            ),
        },
    ),
    "interpretation": (
        "Scales of words for kappa and AUC",
        {"metrics.interpretation": ("SCALES", "InterpretationScale", "band", "hint")},
    ),
    "torch": ("assay.torch: Training loops of PyTorch", {"torch": ("Accumulator", "TorchMetric", "ComputeMetrics")}),
    "spark": ("Exact areas on Spark", {"engines.spark": ("exact_areas",), "engines.distributed_auc": ("Areas",)}),
}  # fmt: skip


def public_names(module: str) -> list[str]:
    """Return the public names of a module, less those that are modules or metrics, which have pages of their own."""
    loaded = importlib.import_module(module)
    names = getattr(loaded, "__all__", None) or [name for name in dir(loaded) if not name.startswith("_")]
    if module == "assay":
        names = [name for name in assay._HOME_OF]  # noqa: SLF001, C416 - __all__ has the first ones only
    if module == "assay.errors":
        names = [name for name in names if inspect.isclass(getattr(loaded, name))]
    kept = (name for name in names if not inspect.ismodule(getattr(loaded, name)))
    return [name for name in kept if not isinstance(getattr(loaded, name), Metric)]


def subjects() -> dict[str, tuple[str, list[str]]]:
    """Return the pages: of each its title, and the full names on it."""
    tallies, errors = (set(public_names(f"assay.{module}")) for module in ("tallies", "errors"))
    pages: dict[str, tuple[str, list[str]]] = {}
    seen: set[str] = set()
    for title, names in TOP_LEVEL.items():
        pages[_slug(title)] = (title, [f"assay.{name}" for name in names])
        seen |= {*names}
    rest = {*public_names("assay")} - seen - tallies - errors
    added = [name for name in public_names("assay") if name in rest]
    if added:
        pages["more"] = ("More of assay", [f"assay.{name}" for name in added])
    for title, names in _inference_subjects().items():
        own = [
            f"assay.inference.{name}" for name in names if name not in seen
        ]  # an Estimate is described once
        pages["inference-" + _slug(title)] = (f"assay.inference: {title}", own)
    for module, title in MODULES.items():
        own = public_names(f"assay.{module}")
        pages[module] = (f"assay.{module}: {title}", [f"assay.{module}.{name}" for name in own])
    for slug, (title, homes) in FURTHER.items():
        own = [f"assay.{home}.{name}" for home, names in homes.items() for name in names]
        pages[slug] = (title, own)
    return pages


def _inference_subjects() -> dict[str, list[str]]:
    """Return the functions of `assay.inference` under the headings of their page, each once."""
    page = Path(__file__).resolve().parents[2] / "docs" / "reference" / "inference.md"
    left = {*public_names("assay.inference")}
    found: dict[str, list[str]] = {}
    for part in page.read_text(encoding="utf-8").split("\n## ")[1:]:
        names = [name for name in dict.fromkeys(re.findall(r"`(\w+)", part)) if name in left]
        left -= {*names}
        found[part.splitlines()[0]] = names
    if left:
        found["Results"] = sorted(left)
    return {title: names for title, names in found.items() if names}


def write(pages: Path) -> None:
    """Write ``reference/api``."""
    folder = pages / "reference" / "api"
    folder.mkdir(parents=True, exist_ok=True)
    index = [
        "# API reference",
        "",
        "Every public function and class, by subject. Metrics have [pages of their own](../metrics/index.md).",
    ]
    for slug, (title, names) in subjects().items():
        (folder / f"{slug}.rst").write_text(_page(title, names), encoding="utf-8")
        index += ["", f"## [{title}]({slug}.rst)", "", "| name | |", "|---|---|"]
        index += [f"| {{py:obj}}`{name.split('.')[-1]} <{name}>` | {_summary(name)} |" for name in names]
    contents = "\n".join(subjects())
    index += ["", "```{toctree}", ":hidden:", "", contents, "```"]
    (folder / "index.md").write_text("\n".join(index) + "\n", encoding="utf-8")


def _page(title: str, names: list[str]) -> str:
    lines = [title, "=" * len(title), ""]
    for name in names:
        thing = _object(name)
        if inspect.isclass(thing):
            own = [key for key in vars(thing) if not key.startswith("_")]
            members = (
                ""
                if issubclass(thing, Exception) or not own
                else "   :members:\n   :inherited-members: object,tuple,Exception,Module\n"
            )
            lines += [f".. autoclass:: {name}\n{members}"]
        elif callable(thing):
            lines += [f".. autofunction:: {name}\n"]
        else:
            lines += [f".. autodata:: {name}\n   :no-value:\n"]
    return "\n".join(lines)


def _object(name: str) -> Any:
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


def _summary(name: str) -> str:
    thing = _object(name)
    text = (inspect.getdoc(thing) or "").split("\n\n")[0] if callable(thing) else _said_of_data(name)
    text = re.sub(r":\w+:`~?([^`]+)`", r"\1", " ".join(text.split())).replace("``", "`")
    return text.replace("|", "\\|")


def _said_of_data(name: str) -> str:
    """Return the comment (``#:``) above a value that is no function or class, whose docstring is its type's."""
    from sphinx.pycode import ModuleAnalyzer  # noqa: PLC0415 - the tests read the names without the generator

    module, _, last = name.rpartition(".")
    return " ".join(ModuleAnalyzer.for_module(module).find_attr_docs().get(("", last), []))


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
