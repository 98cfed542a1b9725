"""A ledger with runs of several kinds, and a server on it."""

import pytest
from support.ledger_server import serving, write_ledger


@pytest.fixture(scope="session")
def ledger_path(tmp_path_factory):
    """Return the path of a ledger that tests only read."""
    return write_ledger(tmp_path_factory.mktemp("ledger") / "ledger.db")


@pytest.fixture(scope="session")
def server(ledger_path):
    """Return a server on the ledger."""
    with serving(ledger_path) as made:
        yield made
