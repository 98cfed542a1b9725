"""Bytes that are damaged, cut short, hostile or newer are refused with a sentence, never a crash."""

import base64
import json
import random
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.tallies import BoundedTally, ColumnProfile, StoredRows, serialization
from assay.tallies.exact_numbers import Dyadic

GOLDEN = Path(__file__).parent / "golden_v1.json"


def examples():
    """Return one small tally of each kind, made from literal rows."""
    labels = assay.rows(actual=["ham", "spam", "ham"], predicted=["ham", "ham", "spam"])
    weighted = assay.rows(actual=[0, 1, 1], predicted=[1, 1, 0], weight=[0.5, 2, 0.1])
    binary = assay.rows(actual=[0, 1, 1, 0], score=[0.1, 0.9, 0.1, 7.5])
    numbers = assay.rows(actual=[0.1, 1e16, -3.0], predicted=[0.2, 1.0, -3.5])
    sliced = assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0], by=["n", "s", "n"])
    return {
        "confusion": assay.Confusion.of(labels),
        "confusion declared": assay.Confusion.of(assay.rows(actual=[1], predicted=[3], labels=[3, 2, 1])),
        "confusion weighted": assay.Confusion.of(weighted),
        "scores": assay.Scores.of(binary),
        "scores weighted": assay.Scores.of(assay.rows(actual=[0, 1], score=[0.25, 0.5], weight=[0.3, 0.7])),
        "binned": assay.BinnedScores.of(binary),
        "binned weighted": assay.BinnedScores.of(
            assay.rows(actual=[0, 1], score=[0.25, 0.5], weight=[0.3, 0.7])
        ),
        "class scores": assay.ClassScores.of(
            assay.rows(
                actual=["a", "c", "a"],
                score=[[0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.5, 0, 0.5]],
                labels=["a", "b", "c"],
            )
        ),
        "class scores weighted": assay.ClassScores.of(
            assay.rows(actual=[0, 1], score=[[0.5, 0.5], [0.25, 0.75]], weight=[0.3, 1])
        ),
        "moments": assay.Moments.of(numbers),
        "sums": assay.Sums.of([0.1, 0.2, 1e300]),
        "paired labels": assay.PairedLabels.of(labels, labels),
        "paired scores": assay.PairedScores.of(binary, binary),
        "queries": assay.Queries.of_lists(actual=[[1, 2], [3]], predicted=[[2, 9], [1]]),
        "queries named": assay.Queries.of(
            assay.rows(query=["a", "a", "b"], score=[0.1, 0.1, 0.9], actual=[1, 0, 2])
        ),
        "label sets": assay.LabelSets.of_indicators(
            actual=[[1, 0], [1, 1], [0, 0]], predicted=[[1, 0], [0, 1], [1, 0]], labels=["cat", "dog"]
        ),
        "label sets weighted": assay.LabelSets.of_indicators(
            actual=[[1, 0], [1, 1]], predicted=[[1, 0], [0, 1]], weight=[0.5, 0.1]
        ),
        "ratings": assay.Ratings.of({"ann": ["a", "b", None], "bob": ["a", "a", "b"]}, group=["x", "y", "x"]),
        "ratings of numbers": assay.Ratings.of({"ann": [0.5, 2, None], "bob": [1, 2, 3]}),
        "fingerprint": assay.Fingerprint.of(
            assay.rows(actual=[0, 1, 1], score=[0.5, 0.25, 0.75], key=["a", "b", "c"])
        ),
        "run counts": assay.RunCounts.of(
            ["q1", "q1", "q2"], [1, 0, 1], model=["a", "b", "a"], group=["x", "x", "y"]
        ),
        "preferences": assay.Preferences.of(
            ["a", "b", "c"], ["b", "c", "a"], ["a", "tie", "c"], group=[1, 1, 2]
        ),
        "columns": assay.ColumnTallies.of(
            assay.rows(actual=[[1, 0], [1, 1]], score=[[0.5, 0.25], [0.75, 0.5]], labels=["cat", "dog"]),
            assay.Scores,
        ),
        "grouped": assay.Grouped.of(sliced, assay.Confusion.of),
        "confidences": assay.Confidences.of(
            assay.rows(actual=["a", "b", "a"], score=[[0.75, 0.25], [0.6, 0.4], [0.25, 0.75]])
        ),
        "collection": assay.Collection.of(sliced, {"labels": assay.Confusion.of}),
        "empty": assay.Scores.empty(),
        "number pairs": assay.NumberPairs.of(numbers),
        "values": assay.Values.of([0.1, 1e16, 0.1]),
        "values weighted": assay.Values.of([0.25, 0.5, 0.25], weight=[0.5, 1, 2]),
        "losses": assay.Losses.of_values(
            [0.1, 2.5, np.inf, np.nan], weight=[0.5, 1, 2, 3], loss="cost unit=1.0"
        ),
        "traits": ColumnProfile.of(binary),
        "cases": StoredRows.of(assay.rows(actual=[1, 0, 1], score=[0.5, -0.0, 2], group=["b", "a", "b"])),
        "perhaps": BoundedTally.of(numbers, assay.NumberPairs, limit=1000),
        "perhaps lost": BoundedTally.of(numbers, assay.NumberPairs, limit=10),
    }


EXAMPLES = examples()


def test_files_of_the_first_format_are_read_for_ever():
    """The bytes written by the first release give the same tallies today, and are still what is written."""
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert set(golden) == set(EXAMPLES)
    for name, text in golden.items():
        data = base64.b64decode(text)
        assert assay.from_bytes(data) == EXAMPLES[name], name
        assert EXAMPLES[name].to_bytes() == data, name


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_cut_and_every_flipped_byte_is_refused(name):
    """No prefix of a tally's bytes and no change of one byte is read as a tally."""
    data = EXAMPLES[name].to_bytes()
    for size in range(len(data)):
        with pytest.raises(assay.FormatError):
            assay.from_bytes(data[:size])
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 0x41
        with pytest.raises(assay.FormatError):
            assay.from_bytes(bytes(damaged))
    with pytest.raises(assay.FormatError):
        assay.from_bytes(data + b"\0")


@pytest.mark.parametrize("name", EXAMPLES)
def test_damage_behind_a_right_checksum_is_refused_or_a_valid_tally(name):
    """With the checksum mended, random damage is either refused or gives a tally that holds together."""
    data, rng = EXAMPLES[name].to_bytes(), random.Random(name)
    for _ in range(400):
        body = bytearray(data[:-4])
        for _ in range(rng.randrange(1, 4)):
            body[rng.randrange(7, len(body))] = rng.randrange(256)
        try:
            tally = assay.from_bytes(bytes(body) + struct.pack("<I", zlib.crc32(body)))
        except assay.FormatError:
            continue
        assert assay.from_bytes(tally.to_bytes()) == tally
        tally.merge(type(tally).empty() if tally.kind != "binned scores" else type(tally).empty(tally.bits))


def test_a_newer_format_says_so():
    """Bytes of a later format ask for an update instead of guessing."""
    data = bytearray(EXAMPLES["confusion"].to_bytes())
    data[6] = serialization.VERSION + 1
    with pytest.raises(assay.FormatError, match=r"newer assay \(format 2.*Update"):
        assay.from_bytes(bytes(data))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no tally"),
        (b"PK\x03\x04 something else", "no tally"),
        (b"assay\0", "no tally"),
        (b"assay\0\x01", "damaged or cut short"),
        ("text", "not from str"),
        (None, "not from NoneType"),
    ],
)
def test_what_is_no_tally_is_refused(data, message):
    """Other files, empty files and other types are told apart from damaged tallies."""
    with pytest.raises(assay.FormatError, match=message):
        assay.from_bytes(data)


def hostile(kind, state):
    return serialization.pack(kind, state)


@pytest.mark.parametrize(
    ("kind", "state", "message"),
    [
        ("nonsense", (), "does not know"),
        ("confusion", (), "0 fields"),
        ("confusion", ((0, 0), False, np.zeros(0, "u8"), np.zeros(0, "i8"), None), "label twice"),
        (
            "confusion",
            ((0, "a"), False, np.zeros(0, "u8"), np.zeros(0, "i8"), None),
            "several kinds",
        ),
        ("confusion", ((1, 0), False, np.zeros(0, "u8"), np.zeros(0, "i8"), None), "out of order"),
        ("confusion", ((0,), False, np.array([9], "u8"), np.array([1], "i8"), None), "outside"),
        ("confusion", ((0,), False, np.array([0], "u8"), np.array([-1], "i8"), None), "below 1"),
        ("confusion", ((0,), False, np.array([0], "u8"), np.array([1.0]), None), "wrong types"),
        (
            "scores",
            (1, np.array([0.1, 0.1]), None, np.ones(2, "u1"), np.ones(2, "u1")),
            "out of order",
        ),
        (
            "scores",
            (1, np.array([np.nan]), None, np.ones(1, "u1"), np.ones(1, "u1")),
            "not a number",
        ),
        ("scores", (1, np.array([0.5]), None, np.ones(1, "u1"), np.ones(1, "u1")), "too wide"),
        ("scores", (1, np.array([0.1]), None, np.ones(1, "u2"), np.ones(1, "u2")), "wrong type"),
        (
            "scores",
            (1, np.array([0.1]), None, np.zeros(1, "u1"), np.zeros(1, "u1")),
            "without rows",
        ),
        (
            "scores",
            (None, np.array([0.1]), None, np.ones(1, "u1"), np.ones(1, "u1")),
            "no positive",
        ),
        ("scores", (1, 5, None, np.ones(1, "u1"), np.ones(1, "u1")), "no valid tally"),
        (
            "class scores",
            ((0, 1), np.array([0, 1, 1]), np.array([0.1]), np.zeros(1, "u1"), None, np.ones(1, "u1")),
            "column without rows",
        ),
        (
            "class scores",
            (
                (0, 1),
                np.array([0, 1, 2]),
                np.array([0.1, 0.2]),
                np.array([0, 1], "u1"),
                None,
                np.ones(2, "u1"),
            ),
            "columns of different rows",
        ),
        (
            "class scores",
            (
                (0, 1),
                np.array([0, 2, 4]),
                np.full(4, 0.1),
                np.array([0, 0, 0, 1], "u1"),
                None,
                np.ones(4, "u1"),
            ),
            "entries out of order",
        ),
        (
            "class scores",
            (
                (0, 1),
                np.array([0, 1, 2]),
                np.array([0.1, 0.2]),
                np.array([0, 2], "u1"),
                None,
                np.ones(2, "u1"),
            ),
            "an entry without rows",
        ),
        (
            "binned scores",
            (99, None, np.zeros(0, "u4"), np.zeros(0, "i8"), np.zeros(0, "i8"), None),
            "bits",
        ),
        ("label sets", ((0,), np.array([1, 0, 1, 0, 0, 0]), None), "differ in number"),
        ("label sets", ((0,), np.array([1, 1, 2, 0, 0]), None), "more labels than rows"),
        ("label sets", ((0,), np.array([2, 2, 0, 1, 0]), None), "do not add up"),
        ("label sets", ((), np.array([2, 2]), None), "rows without labels"),
        ("label sets", ((0, 0), np.zeros(8, "i8"), None), "label twice"),
        ("sums", (0, Dyadic(1), Dyadic(), 0.0, 0.0), "of no rows"),
        ("moments", (1, 2, 3), "fields"),
        ("losses", ("a", 0, *[Dyadic()] * 5, 0, 0, np.inf, -np.inf), "of no rows"),
        ("losses", (7, 1, *[Dyadic(1)] * 5, 0, 0, 1.0, 1.0), "without a name"),
        ("losses", ("a", 1, *[Dyadic(1)] * 5, 1, 1, 1.0, 1.0), "more losses than rows"),
        ("losses", ("a", -1, *[Dyadic(1)] * 5, 0, 0, 1.0, 1.0), "wrong count"),
        ("losses", ("a", 1, *[1.0] * 5, 0, 0, 1.0, 1.0), "not an exact number"),
        ("losses", ("a", 1, Dyadic(), *[Dyadic(1)] * 4, 0, 0, 1.0, 1.0), "rows without weight"),
        ("losses", ("a", 1, *[Dyadic(1)] * 3, Dyadic(-1), Dyadic(1), 0, 0, 1.0, 1.0), "below 0"),
        ("losses", ("a", 1, *[Dyadic(1)] * 5, 0, 0, 1.0, 0.0), "wrong extremes"),
        ("losses", ("a", 1, *[Dyadic(1)] * 5, 0, 0, 1.0, np.inf), "wrong extremes"),
        ("losses", ("a", 1, *[Dyadic(1)] * 5, 0, 0, 1, 1), "wrong extremes"),
        ("losses", ("a", 1, *[Dyadic(1)] * 5, 0, 1, np.inf, -np.inf), "sums of no losses"),
        ("losses", ("a", 1, Dyadic(1), Dyadic(1), *[Dyadic()] * 3, 0, 1, 0.0, 0.0), "extremes of no losses"),
        ("losses", ("a", 1, Dyadic(1), Dyadic(1), *[Dyadic()] * 3, 1, 0, 0.0, np.inf), "wrong extremes"),
        ("values", (np.array([0.1, 0.1]), None, np.ones(2, "u1")), "out of order"),
        ("values", (np.array([np.inf]), None, np.ones(1, "u1")), "not finite"),
        ("values", (np.array([-0.0], "f4"), None, np.ones(1, "u1")), "zero below 0"),
        ("values", (np.array([0.5]), None, np.ones(1, "u1")), "too wide"),
        ("values", (np.array([0.1]), None, np.ones(1, "u2")), "wrong type"),
        ("values", (np.array([0.1]), None, np.zeros(1, "u1")), "without rows"),
        ("values", (np.array([1]), None, np.ones(1, "u1")), "wrong values"),
        ("values", (np.array([0.1]), np.array([1.0]), np.ones(1, "u1")), "all 1"),
        ("values", (np.array([0.1]), np.array([-1.0]), np.ones(1, "u1")), "out of range"),
        ("values", (np.array([0.1]), np.array([2.0, 3.0]), np.ones(1, "u1")), "wrong weights"),
        ("values", (np.array([0.1, 0.1]), np.array([3.0, 2.0]), np.ones(2, "u1")), "out of order"),
        ("number pairs", (np.array([0.1, 0.1]), np.array([3.0, 2.0]), np.ones(2, "u1")), "out of order"),
        ("number pairs", (np.array([0.1]), np.array([np.nan]), np.ones(1, "u1")), "not finite"),
        ("number pairs", (np.array([0.1]), np.array([-0.0]), np.ones(1, "u1")), "zero below 0"),
        ("number pairs", (np.array([0.1]), np.array([1.0, 2.0]), np.ones(1, "u1")), "shapes differ"),
        ("number pairs", (np.array([0.1]), np.array([1]), np.ones(1, "u1")), "wrong numbers"),
        ("number pairs", (np.array([0.1]), np.array([1.0]), np.ones(1, "u2")), "wrong type"),
        ("grouped", ((1,), ()), "differ in number"),
        ("collection", (("a",), (("sums", ()),)), "no valid tally of sums"),
        ("collection", 5, "does not end"),
        (
            "confidences",
            ((("a", "b"),), (("scores", assay.Scores(positive=True).state()),)),
            "no valid tally",
        ),
        ("confidences", ((("a",),), (("sums", assay.Sums().state()),)), "something else"),
        ("confidences", ((("a",),), (("scores", assay.Scores(positive=True).state()),)), "no probabilities"),
    ],
)
def test_states_that_no_rows_lead_to_are_refused(kind, state, message):
    """A well-formed file with an impossible state inside is refused, and says what is impossible."""
    with pytest.raises(assay.FormatError, match=message):
        assay.from_bytes(hostile(kind, state))


def test_a_length_beyond_the_bytes_allocates_nothing():
    """A file of a few bytes that claims billions of values is refused at once."""
    for tag in (b"s", b"i", b"(", b"a\x01"):
        body = b"assay\0\x01" + tag + b"\xff" * 8 + b"\x7f" + b"\x09"
        with pytest.raises(assay.FormatError, match="damaged"):
            assay.from_bytes(body + struct.pack("<I", zlib.crc32(body)))
    nested = b"assay\0\x01s\x01x" + b"(\x01" * 5000
    with pytest.raises(assay.FormatError, match="nested too deep"):
        assay.from_bytes(nested + struct.pack("<I", zlib.crc32(nested)))


def test_the_wrong_kind_of_bytes_is_named():
    """Asking for scores where the bytes hold a confusion says both."""
    with pytest.raises(assay.FormatError, match="hold a tally of confusion, not of scores"):
        assay.Scores.from_bytes(EXAMPLES["confusion"].to_bytes())


def write_golden():
    """Write the golden file (once per format)."""
    GOLDEN.write_text(
        json.dumps(
            {name: base64.b64encode(tally.to_bytes()).decode() for name, tally in EXAMPLES.items()},
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )


def test_bytes_are_read_where_no_tally_was_used_before():
    """A fresh process that has loaded no tally reads any kind of them."""
    data = assay.Queries.of_lists(actual=[[1]], predicted=[[1]]).to_bytes()
    script = f"import assay; print(type(assay.from_bytes({data!r})).__name__)"
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "Queries\n"
