"""Documents: links lead somewhere, R prints what they show, and generated data are what their script makes."""

import doctest
import importlib
import inspect
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from support import r_sessions, training_stand_ins, tutorial_rows
from support.site_tools import site_tool

import assay
from assay.inference.intervals import choose_interval, method_registry
from assay.metrics import Metric, catalogue
from assay.metrics.spec import MetricSpec

ROOT = Path(__file__).parents[1]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
CODE_BLOCK = re.compile(r"```.*?```", re.DOTALL)
PLAIN_BLOCK = re.compile(r"^```python\n(?!>>>)(.*?)^```", re.DOTALL | re.MULTILINE)
METRIC = re.compile(r'\bev(?:\.estimate\(|\[)"([^"]+)"')
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAME = re.compile(r"\bassay(?:\.\w+)+")
IMPORTED = re.compile(r"^(?:>>> )?from (assay[\w.]*) import ([\w, ]+)", re.MULTILINE)


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_page_is_linked_from_another(page):
    """A reader of the repository, who has no menu of the site, finds it, too."""
    if page.parent == ROOT or page == ROOT / "docs" / "index.md":
        return
    links = [(other, target) for other in PAGES for target in LINK.findall(other.read_text(encoding="utf-8"))]
    linked = {(other.parent / target.partition("#")[0]).resolve() for other, target in links if other != page}
    assert page in linked


def test_every_name_that_a_page_teaches_is_in_the_reference():
    """A function or class of assay that a page names has an entry among the API pages, or is a metric."""
    listed = {name for _, names in site_tool("api_pages").subjects().values() for name in names}
    with_torch = {name for name in listed if name.startswith("assay.torch.")}
    entries = {id(_named(name)) for name in listed - with_torch}
    absent = set()
    for page in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]:
        text = page.read_text(encoding="utf-8")
        imported = [
            f"{module}.{name.strip()}"
            for module, names in IMPORTED.findall(text)
            for name in names.split(",")
        ]
        with_lightning = {"assay.torch.lightning", "assay.torch.lightning.EvaluationCallback"}
        names = {*NAME.findall(text), *imported} - listed - {"assay.torch"} - with_lightning
        absent |= {name for name in names if not _has_an_entry(name, entries)}
    assert absent == set()


def _named(name):
    """Return what a full name stands for: a module, or what one has."""
    found = importlib.import_module("assay")
    for part in name.split(".")[1:]:
        if not hasattr(found, part) and inspect.ismodule(found):
            found = importlib.import_module(f"{found.__name__}.{part}")
        else:
            found = getattr(found, part)
    return found


def _has_an_entry(name, entries):
    """Tell whether a name, or the class that a method is of, is described; modules and metrics are."""
    found = _named(name)
    if inspect.ismodule(found) or isinstance(found, Metric) or id(found) in entries:
        return True
    home = _named(name.rpartition(".")[0])
    return inspect.isclass(home) and id(home) in entries


def _no_names():
    """Return nothing: the block imports all it needs."""
    return {}


def _some_tallies():
    """Return rows and tallies under the names of the page."""
    rows = [assay.rows(actual=[0, 1, 1, 0], predicted=[0, 1, 0, 0]) for _ in range(3)]
    many = [assay.Confusion.of(part) for part in rows]
    return {"assay": assay, "rows": rows[0], "a": many[0], "b": many[1], "many": many}


def _some_batches():
    """Return pictures with a class for every pixel, and a model of three classes."""
    torch = pytest.importorskip("torch")
    batches = [(torch.rand(2, 1, 4, 4), torch.tensor([[[0, 1, 2, 255]] * 4] * 2)) for _ in range(3)]
    model = {"model": lambda images: torch.cat([images, 1 - images, 2 * images], dim=1)}
    return {**training_stand_ins.names(torch), "loader": batches, **model}


def _a_folder_and_two_frames():
    """Write files, and return what stands for a bucket and for a session of Spark, which test_spark.py has."""
    frames = pytest.importorskip("dask.dataframe")
    columns = {"y": [0, 1] * 20, "p": [index / 40 for index in range(40)], "region": ["north", "south"] * 20}
    frame = pd.DataFrame(columns)
    Path("predictions").mkdir()
    frame.to_parquet("predictions/part-1.parquet")
    lazy = frames.from_pandas(frame, npartitions=2)
    bucket = SimpleNamespace(dataframe=SimpleNamespace(read_parquet=lambda _: lazy))
    return {"assay": assay, "dask": bucket, "spark": SimpleNamespace(table=lambda _: lazy)}


NAMES_FOR = {
    "coming-from/sklearn.md": _no_names,
    "how-to/evaluating.md": _a_folder_and_two_frames,
    "how-to/training-loop.md": _some_batches,
    "maintainers/tallies.md": _some_tallies,
}
# By tests/engines/test_spark.py, tests/crossvalidation/test_credit_example.py and test_nightly_walk.py.
RUN_ELSEWHERE = {"how-to/clusters.md", "how-to/crossval.md", "how-to/nightly-evaluation.md"}


def _plain_blocks(page):
    """Return the blocks of Python without a prompt, which doctest passes over."""
    return PLAIN_BLOCK.findall(page.read_text(encoding="utf-8"))


def test_every_block_of_python_is_run_by_a_test():
    """Those with a prompt by pytest itself; the pages with others are these."""
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    plain = {page.relative_to(ROOT / "docs").as_posix() for page in pages if _plain_blocks(page)}
    assert plain == NAMES_FOR.keys() | RUN_ELSEWHERE


@pytest.mark.parametrize("name", NAMES_FOR)
def test_blocks_without_a_prompt_run(name, tmp_path, monkeypatch):
    """What a page shows without its output runs, with something in the place of the reader's own data."""
    monkeypatch.chdir(tmp_path)
    names = NAMES_FOR[name]()
    for block in _plain_blocks(ROOT / "docs" / name):
        exec(block, names)  # noqa: S102 - our own page


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
