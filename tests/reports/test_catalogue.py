"""The catalogue as people read it: at 80 columns, in the documentation, as data."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assay import cli
from assay.metrics import catalogue
from assay.reports.catalogue import as_data, as_markdown, as_text, entry
from assay.reports.measured_coverage import MEASURED

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "metrics" / "index.md"


def test_the_page_in_the_documentation_is_the_registry():
    """docs/reference/metrics/index.md ends with what the registry says; `make docs` writes it anew."""
    assert PAGE.read_text(encoding="utf-8").endswith(as_markdown()), "run: make docs"


def test_the_list_and_every_entry_fit_80_columns():
    """No line is longer than a terminal is wide."""
    for text in (as_text(), *(entry(metric.name) for metric in catalogue())):
        assert max(map(len, text.splitlines())) <= 80


def test_the_list_names_every_metric():
    """Nothing that is declared is left out."""
    listed = {line.split()[0] for line in as_text().splitlines() if line.startswith("  ")}
    assert {metric.name for metric in catalogue()} <= listed


def test_the_data_is_json(capsys):
    """`assay metrics --json` gives every fact of every metric, with no NaN and no infinity."""
    assert cli.main(["metrics", "--json"]) == 0
    data = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert data == as_data()
    assert [one["name"] for one in data] == [metric.name for metric in catalogue()]


def test_a_name_gets_its_entry_and_a_wrong_one_a_line(capsys):
    """One clear line on stderr and exit code 2."""
    assert cli.main(["metrics", "PPV", "kappa"]) == 0
    assert capsys.readouterr().out.startswith("precision, also called ppv")
    assert cli.main(["metrics", "precison"]) == 2
    assert capsys.readouterr().err == (
        'assay: there is no metric "precison". Did you mean precision or r_precision or precision_at_k?\n'
    )


def test_a_reader_who_stops_early_is_no_error():
    """A pipe that closes is quiet."""
    script = f"{sys.executable} -m assay metrics | head -1"
    done = subprocess.run(script, shell=True, capture_output=True, text=True, check=True)  # noqa: S602
    assert done.stderr == ""


def test_the_readme_counts_right():
    """The README says how many metrics there are."""
    readme = (PAGE.parents[3] / "README.md").read_text(encoding="utf-8")
    assert f"catalogue of {len(catalogue())} metrics" in readme


def test_the_measured_coverage_is_that_of_the_study():
    """Each line of the module is one of the page's table of worst cells; `make docs` writes it anew."""
    page = (PAGE.parents[2] / "explanation" / "coverage.md").read_text(encoding="utf-8")
    for name, (settings, low, worst, where) in MEASURED.items():
        family, _, setting = where.partition(": ")
        row = rf"^\| {name} \| {settings} \| {low or ''} ?\|[^|]*\| {worst:.3f} \|[^|]*\|[^|]*\| {family} \| {re.escape(setting)} \|"
        assert re.search(row, page, re.MULTILINE), f"{name}: run make docs"
    first = page.partition("| metric | cells | low | method")[2].partition("\n\n")[0]
    listed = [line.split(" | ") for line in first.splitlines()[2:]]
    assert {cells[0].strip("| ") for cells in listed if cells[4].strip()} <= {*MEASURED}
