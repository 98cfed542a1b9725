"""``make fuzz``: random bytes for the reader of tallies and random objects for the inputs, for a while.

Whatever comes in, the answer is a tally or an error of assay's own; anything else is a bug, and its seed
is printed so that it can be run again: ``make fuzz ARGS="--seed 123 --seconds 1"``.
"""

from __future__ import annotations

import argparse
import random
import struct
import time
import zlib
from decimal import Decimal
from fractions import Fraction

import numpy as np

import assay


def bytes_case(rng: random.Random, corpus: list[bytes]) -> None:
    """Damage a tally's bytes, mend the checksum half of the time, and read them."""
    data = bytearray(rng.choice(corpus))
    for _ in range(rng.randrange(1, 8)):
        place = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[place] = rng.randrange(256)
        elif kind == 1:
            del data[place : place + rng.randrange(1, 9)]
        elif kind == 2:
            data[place:place] = rng.randbytes(rng.randrange(1, 9))
        else:
            other = rng.choice(corpus)
            data[place:] = other[rng.randrange(len(other)) :]
        if not data:
            return
    if rng.random() < 0.7:
        data = data[:-4] + struct.pack("<I", zlib.crc32(data[:-4]))
    try:
        tally = assay.from_bytes(bytes(data))
    except assay.FormatError:
        return
    assert assay.from_bytes(tally.to_bytes()) == tally


def values(rng: random.Random, n: int):
    """Return a column of something, usable or not."""
    pools = [
        [0, 1],
        [0, 1, 2, -5, 2**40],
        [2**63, -(2**70), 0],
        ["a", "b", "", "\ud800", "é", "x" * 100],
        [0.0, 1.0, -0.0],
        [0.5, 1e300, 5e-324, float("inf"), float("nan")],
        [True, False],
        [None, 1, 2],
        [None, "a"],
        [1, "a", None, 2.5, b"x", object(), [], Decimal(1), Fraction(1, 3), 1j],
    ]
    pool = rng.choice(pools)
    column = [rng.choice(pool) for _ in range(n)]
    form = rng.randrange(6)
    if form == 0:
        return column
    if form == 1:
        return tuple(column)
    if form == 2:
        array = np.empty(n, dtype=object)
        array[:] = column
        return array
    if form == 3:
        return np.asarray(rng.choice([[0, 1], [0.5, np.nan], [1, 2, 3]]))[np.arange(n) % 2]
    if form == 4:
        dtype = rng.choice(["i1", "u8", ">i4", "f2", "f4", ">f8", "b1", "U3", "S3", "M8[s]", "c8"])
        return np.frombuffer(rng.randbytes(16 * n), dtype=np.uint8)[: n * np.dtype(dtype).itemsize].view(
            dtype
        )
    return rng.choice([5, "name", None, {"a": 1}, np.zeros((n, 2)), np.float64(1), iter(column)])


def input_case(rng: random.Random) -> None:
    """Make a tally of random columns."""
    n = rng.choice([0, 1, 2, 3, 10, 100])
    roles = rng.sample(["actual", "predicted", "score", "weight", "group", "query"], rng.randrange(1, 5))
    given = {role: values(rng, n if rng.random() < 0.95 else n + 1) for role in roles}
    options = {}
    if rng.random() < 0.3:
        options["missing"] = "drop"
    if rng.random() < 0.3:
        options["labels"] = rng.choice([[0, 1], ["a", "b"], [1, 0, 2], [0, 0], []])
    if rng.random() < 0.3:
        options["positive"] = rng.choice([0, 1, "a", True, 7])
    makers = [assay.Confusion.of, assay.Scores.of, assay.BinnedScores.of, assay.Moments.of, assay.Queries.of]
    try:
        tally = rng.choice(makers)(assay.rows(**given, **options))
    except assay.AssayError:
        return
    assert assay.from_bytes(tally.to_bytes()) == tally
    assert tally.merge(type(tally).empty()) == tally


def corpus() -> list[bytes]:
    """Return the bytes of one tally of each kind."""
    labels = assay.rows(actual=["ham", "spam"], predicted=["ham", "ham"], by=["n", "s"])
    weighted = assay.rows(actual=[0, 1, 1], predicted=[1, 1, 0], weight=[0.5, 2, 0.1])
    binary = assay.rows(actual=[0, 1, 1, 0], score=[0.1, 0.9, 0.1, 7.5])
    made = [
        assay.Confusion.of(labels),
        assay.Confusion.of(weighted),
        assay.Scores.of(binary),
        assay.BinnedScores.of(binary),
        assay.Moments.of(weighted),
        assay.Sums.of([0.1, 1e300]),
        assay.PairedScores.of(binary, binary),
        assay.Queries.of_lists(actual=[[1, 2]], predicted=[[2, 9]]),
        assay.Queries.of(assay.rows(query=["a", "b"], score=[0.1, 0.9], actual=[1, 2])),
        assay.Grouped.of(labels, assay.Confusion.of),
    ]
    return [tally.to_bytes() for tally in made]


def fuzz(seconds: float, seed: int) -> int:
    """Run cases until the time is up; return how many."""
    known, done, end = corpus(), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        rng = random.Random(seed + done)
        try:
            if done % 2:
                bytes_case(rng, known)
            else:
                input_case(rng)
        except Exception:
            print(f"fuzz: case {seed + done} (run it again with --seed {seed + done - done % 2})")  # noqa: T201
            raise
        done += 1
    return done


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    print(f"fuzz: {fuzz(chosen.seconds, chosen.seed):,} cases, no surprise")  # noqa: T201
