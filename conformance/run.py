"""Runs scikit-learn's own tests of its metrics with the functions of ``assay.sklearn`` in their place.

::

    python conformance/run.py                 # every test counted must pass
    python conformance/run.py --exact         # the wording of errors and warnings, too
    python conformance/run.py regression      # one file of tests

The test modules are imported while ``sklearn.metrics`` holds our functions, so that their globals, partials
and parameters are ours; then scikit-learn gets its own back, and the tests run. No test of scikit-learn is
contained here, and nothing is written to its installation.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import functools
import importlib
import inspect
import io
import os
import sys
from typing import TYPE_CHECKING, Any

import joblib
import pytest
import sklearn.metrics

import assay.sklearn

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = ("classification", "ranking", "regression", "common")
HOMES = [f"sklearn.metrics.{home}" for home in ("_classification", "_ranking", "_regression")]

# What is not asked of us, by reason.
LEFT_OUT = {
    "dispatch to other array libraries, a global setting of scikit-learn": (
        "test_confusion_matrix_array_api",
        "test_array_api_compliance",
        "test_mixed_array_api_namespace_input_compliance",
        "test_array_api_classification_string_input",
        "test_array_api_classification_mixed_string_numeric_input",
    ),
    "helpers that are private to scikit-learn": (
        "test__check_targets",
        "test__check_targets_raises_on_empty_inputs",
        "test__check_targets_multiclass_with_both_y_true_and_y_pred_binary",
        "test__check_targets_sparse_inputs",
        "test_sort_inputs_and_compute_classification_thresholds_input_validation",
        "test_sort_inputs_and_compute_classification_thresholds_zero_weights",
        "test_sort_inputs_and_compute_classification_thresholds_sorting",
        "test_dcg_score",
        "test_dcg_ties",
        "test_ndcg_score",
        "test__check_reg_targets",
        "test__check_reg_targets_exception",
        "test_averaging_binary_multilabel_all_zeroes",
    ),
    "the test module's own lists": ("test_symmetry_consistency", "test_symmetry_tests"),
    "names and positions that scikit-learn is giving up": (
        "test_log_loss_y_pred_deprecation",
        "test_d2_log_loss_score_y_pred_deprecation",
        "test_confusion_matrix_at_thresholds_positional_args_deprecation",
    ),
}
WORDING = (
    "test_classification_report_zero_division_warning[warn]",
    "test_prf_warnings",
    "test_recall_warnings[warn]",
    "test_precision_warnings[warn]",
    "test_fscore_warnings[warn]",
)


class Wordless:
    """pytest as a test module sees it, but what an error or a warning says is free."""

    def __getattr__(self, name: str) -> Any:
        return getattr(pytest, name)

    @staticmethod
    def raises(expected: Any, *args: Any, match: object = None, **named: Any) -> Any:  # noqa: ARG004
        """Expect an error of this class."""
        return pytest.raises(expected, *args, **named)

    @staticmethod
    def warns(expected: Any = Warning, *args: Any, match: object = None, **named: Any) -> Any:  # noqa: ARG004
        """Expect a warning of this class."""
        return pytest.warns(expected, *args, **named)


class Conformance:
    """The pytest plugin: leaves tests out, and counts those that pass and call one of our functions."""

    def __init__(self, *, exact: bool) -> None:
        self.reasons = {name: reason for reason, names in LEFT_OUT.items() for name in names}
        if not exact:
            self.reasons |= dict.fromkeys(WORDING, "the wording of warnings (--exact runs them)")
        self.left_out: collections.Counter[str] = collections.Counter()
        self.counts: dict[str, collections.Counter[str]] = {}
        self.failures: list[tuple[str, str]] = []
        self.calls = 0

    def recorded(self, name: str) -> Any:
        """Return our function, each call of it noted; without one of that name, one that fails."""
        ours = getattr(assay.sklearn, name, None)

        @functools.wraps(ours or getattr(sklearn.metrics, name))
        def function(*args: Any, **named: Any) -> Any:
            self.calls += 1
            if ours is None:
                pytest.fail(f"assay.sklearn has no {name}", pytrace=False)
            return ours(*args, **named)

        return function

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave out what is not asked of us."""
        chosen = []
        for item in items:
            reason = self.reasons.get(item.name) or self.reasons.get(item.originalname)
            self.left_out.update([reason] if reason else [])
            chosen += [] if reason else [item]
        items[:] = chosen

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[Any]:
        """Count a test by how it ended."""
        report = yield
        counts = self.counts.setdefault(item.path.stem.removeprefix("test_"), collections.Counter())
        if report.failed:
            counts["failed"] += 1
            said = getattr(report.longrepr, "reprcrash", None)
            self.failures.append((item.nodeid, " ".join(str(said.message if said else report).split())))
        elif call.when == "call":
            ended = "skipped" if report.skipped else "passed" if self.calls else "not about us"
            counts[ended] += 1
        if call.when == "setup":
            counts["skipped"] += report.skipped
            self.calls = 0
        return report


@contextlib.contextmanager
def replaced(plugin: Conformance) -> Iterator[None]:
    """Let scikit-learn's modules hold our functions for a while."""
    modules = [sklearn.metrics, *map(importlib.import_module, HOMES)]
    own = {
        name: value
        for name in sklearn.metrics.__all__
        if inspect.isfunction(value := getattr(sklearn.metrics, name)) and value.__module__ in HOMES
    }
    ours = {name: plugin.recorded(name) for name in own}
    places = [(module, name) for module in modules for name in own if hasattr(module, name)]
    try:
        for module, name in places:
            setattr(module, name, ours[name])
        yield
    finally:
        for module, name in places:
            setattr(module, name, own[name])


def main() -> int:
    """Run the tests; 1 if one failed, 2 if they could not be run."""
    parser = argparse.ArgumentParser(description="scikit-learn's metrics tests with assay's functions")
    parser.add_argument("files", nargs="*", metavar="file", help=f"some of {', '.join(FILES)}")
    parser.add_argument("--exact", action="store_true", help="compare what errors and warnings say, too")
    parser.add_argument("--show", type=int, default=25, metavar="N", help="failures to print (default 25)")
    arguments = parser.parse_args()
    plugin = Conformance(exact=arguments.exact)
    with replaced(plugin):
        modules = [
            importlib.import_module(f"sklearn.metrics.tests.test_{file}") for file in arguments.files or FILES
        ]
    for module in modules if not arguments.exact else []:
        module.pytest = Wordless()  # type: ignore[attr-defined]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    options = ["-c", os.devnull, "-p", "no:cacheprovider", "--disable-warnings", "-q"]
    screen = io.StringIO()
    # One process, so that every call is seen.
    with contextlib.redirect_stdout(screen), joblib.parallel_config(backend="sequential"):
        ended = pytest.main([*options, *(str(module.__file__) for module in modules)], plugins=[plugin])
    if ended not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        print(screen.getvalue()[-4000:])
        print(f"conformance: pytest ended with {ended!r}", file=sys.stderr)
        return 2
    return told(plugin, arguments.show)


def told(plugin: Conformance, show: int) -> int:
    """Print what came out."""
    print(f"assay.sklearn under the tests of scikit-learn {sklearn.__version__}")
    for reason, count in plugin.left_out.items():
        print(f"left out: {count:5}  {reason}")
    for file, counts in plugin.counts.items():
        rest = ", ".join(f"{counts[word]} {word}" for word in ("failed", "skipped", "not about us"))
        print(f"{file:16}{counts['passed']:6} passed, {rest}")
    for test, said in plugin.failures[:show]:
        print(f"FAILED {test.rpartition('/')[2]}\n       {said[:200]}")
    passed = sum(counts["passed"] for counts in plugin.counts.values())
    print(f"conformance: {passed} of {passed + len(plugin.failures)} passed")
    return 1 if plugin.failures or not passed else 0


if __name__ == "__main__":
    raise SystemExit(main())
