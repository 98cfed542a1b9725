"""What the tests of Spark and of Dask share: the same rows in shuffled shards, and how to lose a worker."""

import os
import signal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

import assay

N = 4000
_RNG = np.random.default_rng(11)
COLUMNS = {
    "actual": _RNG.choice(["ham", "spam", "so, so"], N, p=[0.5, 0.4, 0.1]).astype(object),
    "said": _RNG.choice(["ham", "spam"], N).astype(object),
    "y": _RNG.integers(0, 2, N),
    "score": np.round(_RNG.random(N), 3),
    "other": _RNG.random(N),
    "weight": _RNG.choice([0.0, 0.5, 1.0, 2.25], N),
    "value": _RNG.normal(size=N),
    "guess": _RNG.normal(size=N),
    "region": _RNG.choice(["nörd", 'so"uth', "east"], N).astype(object),
    "truth": _RNG.random(N) < 0.4,
    "query": _RNG.integers(0, 60, N),
}


def sliced(rows):
    """Return the scores of every slice."""
    return assay.Grouped.of(rows, assay.Scores)


# By name the roles, and the tally.
QUESTIONS = {
    "labels": ({"actual": "actual", "predicted": "said"}, assay.Confusion),
    "weighted labels": ({"actual": "actual", "predicted": "said", "weight": "weight"}, assay.Confusion),
    "ranks": ({"actual": "y", "score": "score"}, assay.Scores),
    "weighted ranks": ({"actual": "truth", "score": "score", "weight": "weight"}, assay.Scores),
    "bins": ({"actual": "actual", "score": "score", "positive": "spam"}, assay.BinnedScores),
    "errors": ({"actual": "value", "predicted": "guess", "weight": "weight"}, assay.Moments),
    "slices": ({"actual": "y", "score": "score", "by": ["region", "truth"]}, sliced),
    "groups": (
        {"actual": "y", "predicted": "truth", "group": "region"},
        lambda rows: assay.Grouped.of(rows, assay.Confusion, over="group"),
    ),
}
QUERIES = ({"actual": "y", "score": "score", "query": "query"}, assay.Queries)


def at_once(columns, roles, make):
    """Return the tally of columns as arrays."""
    return getattr(make, "of", make)(assay.rows(columns, **roles))


def written(folder, columns, cuts=(0, 1, 900, 2500)):
    """Write the rows, shuffled, as Parquet files of very different sizes."""
    size = len(next(iter(columns.values())))
    order = np.random.default_rng(5).permutation(size)
    table = pa.table(columns).take(order)
    for place, (low, high) in enumerate(zip(cuts, (*cuts[1:], size), strict=True)):
        pyarrow.parquet.write_table(table.slice(low, high - low), Path(folder, f"{place}.parquet"))
    return folder


def many_scores():
    """Return rows with more distinct scores than a small memory holds exactly."""
    rng = np.random.default_rng(2)
    size = 1_300_000
    return {"y": rng.integers(0, 2, size), "score": rng.random(size)}


def killer(mark, make):
    """Return what makes a tally, but kills its worker the first time a full partition comes."""

    def made(rows):
        if len(rows) > 100:
            try:
                os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return make.of(rows)

    return made
