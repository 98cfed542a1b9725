"""A ledger in a file, and one on a real PostgreSQL server where one is installed."""

import importlib.util

import pytest
from support import postgres

import assay


@pytest.fixture(scope="session")
def postgres_folder():
    """Run one server for all tests."""
    programs = postgres.programs()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed: apt-get install postgresql")
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed: pip install psycopg[binary]")
    with postgres.server(programs) as folder:
        yield folder


# Where no server is installed, one test says so and is skipped: that of passwords, which asks for the server itself.
@pytest.fixture(params=["sqlite", "postgresql"] if postgres.programs() else ["sqlite"])
def url(request, tmp_path):
    """Return the address of a ledger that does not exist yet: a file's, and a server's."""
    if request.param == "sqlite":
        return str(tmp_path / "folder" / "ledger.db")
    return postgres.new_database(request.getfixturevalue("postgres_folder"))


@pytest.fixture
def book(url):
    """Return an empty ledger."""
    with assay.ledger(url) as ledger:
        yield ledger
