"""Documents: every link leads somewhere, and generated data are what their script makes."""

import re
from pathlib import Path

import pytest
from support import tutorial_rows

ROOT = Path(__file__).parents[1]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_documents_lead_to_files(page):
    """A link that is no address of the web names a file or a folder of the repository."""
    targets = [target.partition("#")[0] for target in LINK.findall(page.read_text(encoding="utf-8"))]
    files = [target for target in targets if target and ":" not in target]
    assert [target for target in files if not (page.parent / target).exists()] == []


def test_the_rows_of_the_tutorial_are_those_of_their_script():
    """The file beside the tutorial can be made again, to the byte."""
    assert tutorial_rows.FILE.read_text(encoding="utf-8") == "\n".join(tutorial_rows.rows()) + "\n"
