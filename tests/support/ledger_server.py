"""A ledger with runs of several kinds, and servers on it."""

import contextlib
import datetime as dt
import threading

import numpy as np

import assay
from assay.ledgers.record import fingerprint_of, recorded
from assay.server.http_server import LedgerServer

HOSTILE = (
    "<script>window.harmed=1</script>",
    '"><img src=x onerror="window.harmed=1">',
    "\u05d7\u05ea\u05d5\u05dc \u202e model",
    "long " * 2_000,
    "../../etc/passwd",
    "a 'single' & \"double\" quote",
    "",
)
SECRET = "secret-key"  # noqa: S105 - within the key of every row
REGIONS = ("north", "south", "<b>west</b>")
NIGHTS = 6


def classified(name, *, rows=0, strength=1.5, n=240, seed=0):
    """Return an evaluation of two classes, sliced by region; `rows` is which test set."""
    draw = np.random.default_rng(rows)
    actual = (draw.random(n) < 0.4).astype(int)
    region = np.array(REGIONS)[draw.integers(0, 3, n)]
    noise = np.random.default_rng(1000 * rows + seed).normal(size=n)
    table = {
        "y": np.array(["ham", "spam"])[actual],
        "p": 1 / (1 + np.exp(-(noise + strength * actual - 0.7))),
        "key": [f"{SECRET}-{rows}-{i}" for i in range(n)],
        "region": region,
    }
    data = assay.rows(table, actual="y", score="p", key="key", by="region", positive="spam")
    return assay.evaluate(data, name=name)


def append(book, ev, model, tags, time):
    """Append an evaluation under a time of its own."""
    payload, blobs = recorded(ev, fingerprint_of(ev), model, tags)
    return book.append("evaluation", payload, blobs, time=time)


def write_ledger(path):
    """Write nights of two models, a release with hostile names, and two regressions."""
    start = dt.datetime(2026, 3, 1, 2, tzinfo=dt.UTC)
    with assay.ledger(path) as book:
        for night in range(NIGHTS):
            for k, model in enumerate(("baseline", "forest")):
                ev = classified(model, rows=night, strength=1.2 + k, seed=k)
                time = start + dt.timedelta(days=night, minutes=k)
                append(book, ev, model, ["nightly", f"v{k + 1}"], time.isoformat(timespec="microseconds"))
        time = (start + dt.timedelta(days=30)).isoformat(timespec="microseconds")
        for k, name in enumerate(HOSTILE):
            ev = classified("release", rows=99, strength=0.8 + 0.2 * k, seed=k)
            append(book, ev, name, ["release", *([HOSTILE[1]] if k == 1 else [])], time)
        draw = np.random.default_rng(7)
        actual = draw.normal(size=120)
        for name, noise in (("linear", 0.5), ("splines", 0.4)):
            predicted = actual + noise * draw.normal(size=120)
            data = assay.rows(actual=actual, predicted=predicted, key=[f"{SECRET}-{i}" for i in range(120)])
            append(book, assay.evaluate(data, name=name), name, ["prices"], time)
    return path


@contextlib.contextmanager
def serving(path, **options):
    """Serve a ledger on a free port meanwhile."""
    with assay.ledger(path, read_only=True) as book, LedgerServer(book, port=0, **options) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
