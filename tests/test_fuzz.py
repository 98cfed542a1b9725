"""A short run of the fuzz targets, from a fixed seed, so that a surprise is found before a long one."""

import pytest
from support import fuzz


@pytest.mark.slow
def test_random_bytes_and_inputs_bring_no_surprise():
    """Some thousand random cases give a tally or an error of our own."""
    assert fuzz.fuzz(seconds=4, seed=20_000) > 200
