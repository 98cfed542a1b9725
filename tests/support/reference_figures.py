"""Reference values of tests/figures, which R computed, and the generated rows they belong to."""

import functools
import json
from pathlib import Path

import numpy as np

from support.generated_rows import credit_rows, spam_rows

FIGURES = Path(__file__).resolve().parents[1] / "figures"


@functools.cache
def oracle(name):
    """Return a file of reference values; callers share it and must not change it."""
    return json.loads((FIGURES / f"{name.removesuffix('.json')}.json").read_text(encoding="utf-8"))


def check_value(number):
    """Return check value O<number>: its name, inputs and outputs."""
    return next(item for item in oracle("check_values")["items"] if item["id"] == f"O{number}")


def methods(name):
    """Return the first check value whose name starts so: its name, inputs and outputs."""
    return next(item for item in oracle("check_values")["items"] if item["name"].startswith(name))


def messages():
    """Return the labels and scores of 1,390 text messages."""
    rows = spam_rows()
    return [row["actual_type"] for row in rows], [row["prob_spam"] for row in rows]


def credit_defaults():
    """Return which of 1,000 credit records defaulted: 700 no, 300 yes."""
    return [row["default"] for row in credit_rows()]


def credit():
    """Return the features of the credit records, a column of numbers for each value of a word; and defaults."""
    records = credit_rows()
    columns = []
    for name in records[0]:
        values = [record[name] for record in records]
        if name != "default" and all(isinstance(value, int) for value in values):
            columns.append([float(value) for value in values])
        elif name != "default":
            columns += [[float(value == word) for value in values] for word in sorted(set(values))]
    return np.array(columns).T, np.array([record["default"] for record in records])
