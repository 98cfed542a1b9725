"""The pytest plugin, by pytest itself in another process."""

import importlib.metadata
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

import assay
from assay.plans.plan_seal import write_seal

TESTS = """
def test_of_the_file(assay_check):
    assert assay_check("plan.toml", "new.csv").met

def test_of_a_table(assay_check):
    import assay, pandas
    rows = pandas.read_csv("new.csv")
    plan = assay.plan(rows, requirements="recall >= 0.999", actual="y", predicted="z", key="id")
    assay_check(plan, rows, ledger=None)

def test_of_other_rows(assay_check):
    assay_check("plan.toml", "other.csv")
"""


@pytest.fixture
def project(tmp_path):
    """Return a folder with a sealed plan, predictions and tests."""
    rows = pd.DataFrame({"id": range(200), "y": [0, 1] * 100})
    rows["z"] = rows.y.where(rows.id % 20 != 0, 1 - rows.y)
    rows.to_csv(tmp_path / "new.csv", index=False)
    rows.assign(id=rows.id + 1).to_csv(tmp_path / "other.csv", index=False)
    plan = assay.plan(requirements="accuracy >= 0.8", actual="y", predicted="z", key="id", looks=1)
    (tmp_path / "plan.toml").write_text(plan.to_toml(), encoding="utf-8")
    write_seal(tmp_path / "plan.toml", str(tmp_path / "new.csv"))
    (tmp_path / "test_release.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nassay_ledger = book.db\n", encoding="utf-8")
    return tmp_path


def run(project, *words):
    return subprocess.run(  # noqa: S603
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly", *words],
        cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_plugin_is_found_by_its_entry_point():
    """Pytest loads it by itself where the package is installed."""
    (found,) = importlib.metadata.entry_points(group="pytest11", name="assay")
    assert found.value == "assay.pytest_plugin"


@pytest.mark.slow
def test_a_test_fails_with_the_table_of_the_check(project):
    """One passes, one is not met, one has another test set; looks are counted by the configured ledger."""
    done = run(project, "--junit-xml", "report.xml")
    assert "1 passed, 2 failed" in done.stdout or "2 failed, 1 passed" in done.stdout
    assert re.search(r"NOT met\s+recall >= 0.999", done.stdout)
    assert "the rows are not the test set of the plan" in done.stdout
    assert "Traceback" not in done.stdout
    properties = ET.parse(project / "report.xml").iter("property")  # noqa: S314 - our own
    assert {"assay sha256", "assay look"} <= {each.get("name") for each in properties}
    with assay.ledger(project / "book.db") as book:
        assert [entry.kind for entry in book.entries()] == ["plan", "evaluation", "check"]


def test_it_is_light():
    """A run of pytest that has nothing to do with models does not load NumPy for it."""
    script = "import sys, assay.pytest_plugin; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "False"
