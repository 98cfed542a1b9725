"""Documents: links lead somewhere, R prints what they show, and generated data are what their script makes."""

import doctest
import re
import shutil
from pathlib import Path

import pytest
from support import r_sessions, tutorial_rows
from support.site_tools import site_tool

from assay.inference.intervals import choose_interval, method_registry
from assay.metrics import catalogue
from assay.metrics.spec import MetricSpec

ROOT = Path(__file__).parents[1]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
CODE_BLOCK = re.compile(r"```.*?```", re.DOTALL)
METRIC = re.compile(r'\bev(?:\.estimate\(|\[)"([^"]+)"')
LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_documents_lead_to_files(page):
    """A link that is no address of the web names a file or a folder of the repository, and a heading that is there."""
    targets = [target for target in LINK.findall(page.read_text(encoding="utf-8")) if ":" not in target]
    dead = []
    for target in targets:
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        if not file.exists() or (anchor and anchor not in _anchors(file)):
            dead.append(target)
    assert dead == []


def _anchors(page):
    """Return the anchors of a document's headings, as GitHub and the site name them."""
    text = CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ +(.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_rows_of_the_tutorial_are_those_of_their_script():
    """The file beside the tutorial can be made again, to the byte."""
    assert tutorial_rows.FILE.read_text(encoding="utf-8") == "\n".join(tutorial_rows.rows()) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("page", r_sessions.pages(), ids=lambda page: page.stem)
def test_r_prints_what_the_page_shows(page):
    """The sessions of R in the documents are those of R (``python tests/support/r_sessions.py --write``)."""
    if shutil.which("Rscript") is None:
        pytest.skip("there is no R here")
    if missing := r_sessions.missing_packages(page):
        pytest.skip(f"needs {missing[0]}, a package of R")
    assert r_sessions.run(page) == page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "coming-from").glob("*.md")), ids=lambda page: page.stem
)
def test_tables_of_other_packages_name_metrics_that_exist(page):
    """Whoever looks a name up there finds a metric by it."""
    for name in METRIC.findall(page.read_text(encoding="utf-8")):
        assert MetricSpec.of(name)


def test_every_citation_is_in_the_bibliography():
    """A paper that a page or a docstring names has an entry there, and the site links to it."""
    tool = site_tool("citations")
    known = tool.entries((ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8"))
    unknown = {
        words
        for path in [*PAGES, *(ROOT / "src").rglob("*.py")]
        for *_, words, anchor in tool.citations(
            CODE.sub("", " ".join(path.read_text(encoding="utf-8").split())), known
        )
        if not anchor
    }
    assert unknown == set()


def test_every_interval_method_is_described():
    """The page of methods has an entry for each, under the name that a metric's page and `method=` use."""
    choose_interval._load_methods()
    page = (ROOT / "docs" / "explanation" / "interval-methods.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^### (.+)$", page, re.MULTILINE)) == set(method_registry._methods)
    for name in method_registry.selectable_methods():
        entry = page.partition(f"### {name}\n")[2].partition("\n##")[0]
        assert "By name." in entry, name


@pytest.mark.parametrize("name", ["citations", "formulas"])
def test_the_examples_of_the_sites_tools_run(name):
    """Those of the scripts that need nothing of the site's generator."""
    tried = doctest.testmod(site_tool(name))
    assert tried.attempted
    assert not tried.failed


def test_every_formula_of_the_catalogue_is_typeset():
    """One that is a sentence is shown as it is written."""
    typeset = site_tool("formulas").typeset
    plain = [metric.name for metric in catalogue() if typeset(metric.expression, metric.name) is None]
    assert plain == ["tie_expected_average_precision"]
