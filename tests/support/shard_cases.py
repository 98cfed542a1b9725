"""What the tests of files, shards, Spark and Dask share: the same rows everywhere, and how to lose a worker."""

import os
import signal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

import assay
from assay.evaluation.merge import completed
from assay.evaluation.task_tallies import tallies_for_scan
from assay.tallies import BoundedTally
from support.agreement import alike

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
COLUMNS["row"] = np.arange(N)
_JUDGING = np.random.default_rng(12)
COLUMNS["judge"] = np.where(_JUDGING.random(N) < 0.9, COLUMNS["actual"], "ham").astype(object)
COLUMNS["human"] = np.where(_JUDGING.random(N) < 0.15, COLUMNS["actual"], None)
COLUMNS["marked"] = COLUMNS["truth"] ^ (_JUDGING.random(N) < 0.05)
COLUMNS["rating"] = np.round(COLUMNS["truth"] + _JUDGING.normal(size=N), 3)
COLUMNS["checked"] = np.where(_JUDGING.random(N) < 0.15, COLUMNS["truth"], None)
COLUMNS["measured"] = np.where(_JUDGING.random(N) < 0.1, COLUMNS["value"], np.nan)
COLUMNS["near"] = COLUMNS["value"] + _JUDGING.normal(0, 0.2, N)
_CHANCES = _RNG.dirichlet([1, 1, 1], N)
COLUMNS |= {f"p_{place}": _CHANCES[:, place] for place in range(3)}


def sliced(rows):
    """Return the scores of every slice."""
    return assay.Grouped.of(rows, assay.Scores)


# By name the roles, and the tally.
QUESTIONS = {
    "fingerprint": ({"actual": "y", "score": "score", "key": "row"}, assay.Fingerprint),
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

# What is evaluated: where tallies tell everything, the answer is the same to the byte wherever the rows are.
_SLICES = {"by": ["region", "truth", "value"], "edges": {"value": [-1, 1]}}
EXACT = {
    "scores": {"actual": "y", "score": "score", "positive": 1, **_SLICES},
    "labels alone": {"actual": "y", "predicted": "truth", "labels": [0, 1], "by": "region"},
    "labels and scores": {"actual": "truth", "predicted": "y", "score": "score", "positive": True},
    "one label against the rest": {"actual": "actual", "score": "score", "positive": "spam", "threshold": 0.4,
                                   "labels": ["ham", "so, so", "spam"], "by": "region"},
    "classes": {"actual": "actual", "predicted": "said", "labels": ["spam", "ham", "so, so"], **_SLICES},
    "grades": {"actual": "actual", "predicted": "said", "labels": ["ham", "so, so", "spam"], "task": "ordinal"},
    "weighted scores": {"actual": "y", "score": "score", "positive": 1, "weight": "weight", "by": "region"},
    "weighted labels": {"actual": "actual", "predicted": "said", "labels": ["ham", "so, so", "spam"],
                        "weight": "weight"},
    "numbers that are cut": {"actual": "value", "predicted": "guess", "threshold": 0.5, "by": "region"},
}  # fmt: skip
# Intervals that need the rows read those that are kept, in an order of their own: arrays differ from all
# others in the last digits.
KEPT = {
    "groups": {"actual": "y", "score": "score", "positive": 1, "group": "query"},
    "grouped labels": {"actual": "actual", "predicted": "said", "labels": ["ham", "so, so", "spam"],
                       "group": "query", "by": "region"},
    "one of groups against the rest": {
        "actual": "actual",
        "score": "score",
        "positive": "ham",
        "labels": ["ham", "so, so", "spam"],
        "group": "query",
    },
    "probabilities of classes": {"actual": "actual", "score": ["p_0", "p_1", "p_2"],
                                 "labels": ["ham", "so, so", "spam"]},
    "numbers": {"actual": "value", "predicted": "guess", "task": "regression", "by": "region"},
    "weighted numbers": {"actual": "value", "predicted": "guess", "task": "regression", "weight": "weight"},
}  # fmt: skip
JUDGED = EXACT | KEPT
# Few labels and proxies on all rows.
PROXIES = {
    "classes": {"actual": "human", "predicted": "said", "proxy": "judge", **_SLICES},
    "scores": {"actual": "checked", "score": "rating", "proxy": "marked", "threshold": 0.5, "by": "region"},
    "two proxies": {"actual": "checked", "predicted": "y", "proxy": ["marked", "y"]},
    "numbers": {"actual": "measured", "predicted": "guess", "proxy": "near", "task": "regression"},
}  # fmt: skip
RANKED = {"actual": "y", "score": "score", "query": "query", "k": 5}


def told(ev):
    """Return all that is told of an evaluation: its JSON, and every slice."""
    slices = [(key, ev.slices[key].lines()) for key in ev.slices] if ev.settings.by else []
    return ev.to_json(), slices


def check_like_arrays(ev, name):
    """Assert that an evaluation of all rows, from wherever they were, is that of the arrays."""
    held = assay.evaluate(COLUMNS, **JUDGED[name])
    found, wanted = ({key: one for key, one in some.tallies.items() if not isinstance(one, BoundedTally)}
                     for some in (ev, completed(held)))  # fmt: skip
    assert found == wanted, name
    if name in EXACT:
        assert told(ev) == told(held), name
    else:
        alike(ev.to_dict(), held.to_dict())
        for key in held.slices if held.settings.by else ():
            alike(ev.slices[key].lines(), held.slices[key].lines())


def check_in_bins(ev, exact):
    """Assert that scores in bins leave the counts as they are, and bounds around what the scores tell."""
    assert isinstance(ev.tallies["scores"], assay.BinnedScores)
    assert ev["recall"].to_dict() == exact["recall"].to_dict()
    for name in ("auc", "average_precision", "brier"):
        low, high = (float(word) for word in ev[name].note.split("between ")[1].split(" and "))
        assert low - 1e-9 <= exact[name].value <= high + 1e-9
        assert 0 < high - low < 1e-4


def at_once(columns, roles, make):
    """Return the tally of columns as arrays."""
    return getattr(make, "of", make)(assay.rows(columns, **roles))


def written(folder, columns, cuts=(0, 1, 900, 2500)):
    """Write the rows, shuffled, as Parquet files of very different sizes."""
    size = len(next(iter(columns.values())))
    order = np.random.default_rng(5).permutation(size)
    table = pa.table(columns).take(order)
    for place, (low, high) in enumerate(zip(cuts, (*cuts[1:], size), strict=True)):
        path = Path(folder, f"{place}.parquet")
        pyarrow.parquet.write_table(table.slice(low, high - low), path, row_group_size=200_000)
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
        return getattr(make, "of", make)(rows)

    return made


def killing_tallies(mark):
    """Return what an evaluation fills its tallies by, of which the last kills its worker once."""

    def found(*asked):
        makers = tallies_for_scan(*asked)
        last = list(makers)[-1]
        return {**makers, last: killer(mark, makers[last])}

    return found
