"""What all tests and examples share, those in documents and docstrings, too."""

import importlib.util
import re
import shutil
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest

# A job in the background of a shell ignores Ctrl-C, and so would every program that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

DOCS = Path(__file__).parent / "docs"
collect_ignore = [
    path
    for library, path in (
        ("torch", "src/assay/torch"),
        ("lightning", "src/assay/torch/lightning.py"),
        ("torch", "docs/how-to/training-loop.md"),
        ("torchmetrics", "docs/coming-from/torchmetrics.md"),
        ("triton", "src/assay/device/fused_kernels.py"),
        ("pyspark", "src/assay/engines/spark.py"),
    )
    if not importlib.util.find_spec(library)
]  # whose examples need it


@pytest.fixture(autouse=True)
def _no_open_figures():
    """Close the pictures that a test or an example left open: the next one counts its own."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(autouse=True)
def _no_further_metrics():
    """Take out the metrics that a test or an example declares: the catalogue is what others count."""
    registry = sys.modules.get("assay.metrics.registry")
    before = set(registry.catalogue()) if registry else set()
    yield
    for metric in set(registry.catalogue()) - before if registry else ():
        registry.unregister(metric)


@pytest.fixture(autouse=True)
def _folder_of_documents(request, tmp_path_factory, monkeypatch):
    """Run the examples of docs/ in a folder of their own, with the tutorial's file in it."""
    if DOCS not in request.path.parents:
        return
    folder = tmp_path_factory.mktemp("docs")
    shutil.copy(DOCS / "tutorial" / "predictions.csv", folder)
    monkeypatch.chdir(folder)


ABSENT = (
    r"could not import '([\w.]+)'",
    r"(.+) is not installed",
    r"there is no (\w+) here",
    r"needs (\w+)",
    r"no (\w+) to build",
    r"(\w+) has an environment of its own",
)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # the outermost wrapper: below pytest's own list of skips
def pytest_terminal_summary(terminalreporter):
    """Say how many tests were skipped, and which programs are absent."""
    yield
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(_absent(report.longrepr) for report in reports)
    listed = ", ".join(f"{reason}: {times}" for reason, times in reasons.most_common())
    terminalreporter.write_line(f"skipped: {len(reports)}" + (f" ({listed})" if listed else ""))


def _absent(reason):
    """Return what a skipped test lacks: "no chromium"; or its reason, where that names no program."""
    text = str(reason[2] if isinstance(reason, tuple) else reason).removeprefix("Skipped: ")
    found = (re.match(pattern, text) for pattern in ABSENT)
    return next((f"no {match[1]}" for match in found if match), text)
