"""Oracles and data that lie beside the repository, where they are at hand."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared"


def oracle(name):
    """Return a file of R's figures, or skip the test that needs it."""
    return json.loads(_file(f"oracles/{name}").read_text(encoding="utf-8"))


def methods(name):
    """Return one item of the check values of the methods: its inputs and outputs."""
    return next(item for item in oracle("methods.json")["items"] if item["name"].startswith(name))


def messages():
    """Return the labels and scores of 1,390 text messages."""
    with _file("data/sms_results.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return [row["actual_type"] for row in rows], [float(row["prob_spam"]) for row in rows]


def credit_defaults():
    """Return which of 1,000 credit records defaulted: 700 no, 300 yes."""
    with _file("data/credit.csv").open(encoding="utf-8") as lines:
        return [row["default"] for row in csv.DictReader(lines)]


def credit():
    """Return the features of the credit records, a column of numbers for each value of a word; and defaults."""
    with _file("data/credit.csv").open(encoding="utf-8") as lines:
        records = list(csv.DictReader(lines))
    columns = []
    for name in records[0]:
        values = [record[name] for record in records]
        if name != "default" and all(value.isdigit() for value in values):
            columns.append([float(value) for value in values])
        elif name != "default":
            columns += [[float(value == word) for value in values] for word in sorted(set(values))]
    return np.array(columns).T, np.array([record["default"] for record in records])


def _file(name):
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"needs {name} of the shared files beside the repository")
    return path
