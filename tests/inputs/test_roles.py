"""Columns by role: those to slice by keep their names."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import assay
from assay.errors import ColumnError

CITY, SIZE = list("xy") * 10, [1, 2, 3, 4] * 5
ROWS = {"actual": [0, 1] * 10, "predicted": [0, 1, 1, 0] * 5}
FRAME = pd.DataFrame({"city": CITY, "size": SIZE})


@pytest.mark.parametrize(
    ("by", "names"),
    [
        (FRAME["city"], ("city",)),
        (FRAME, ("city", "size")),
        ([FRAME["city"], FRAME["size"]], ("city", "size")),
        ({"city": CITY, "size": SIZE}, ("city", "size")),
        (pl.DataFrame({"city": CITY, "size": SIZE}), ("city", "size")),
        (pl.Series("city", CITY), ("city",)),
        (pa.table({"city": CITY, "size": SIZE}), ("city", "size")),
        (np.array(CITY), ("by",)),
        ([CITY, SIZE], ("by 1", "by 2")),
        ([FRAME["city"], FRAME["city"]], ("by 1", "by 2")),
    ],
)
def test_slicing_columns_keep_their_names(by, names):
    """A series, a data frame and a mapping bring names along; a name that stands twice is none."""
    ev = assay.evaluate(**ROWS, by=by)
    assert ev.settings.by == names
    assert ev.slices[names[0]]["x"].n == 10


def test_slicing_columns_of_a_table_have_its_names():
    """A mapping gives columns of the data other names; without any column there are no slices."""
    table = FRAME.assign(**ROWS)
    for by, names in (
        ({"where": "city"}, ("where",)),
        (table["city"], ("city",)),
        (table[["city"]], ("city",)),
    ):
        ev = assay.evaluate(table, actual="actual", predicted="predicted", by=by)
        assert ev.settings.by == names
    with pytest.raises(ColumnError, match="there is nothing to slice by"):
        _ = assay.evaluate(**ROWS, by={}).slices
