"""Tests of assay.Fingerprint: the same rows are recognized in any form, changed ones by their share."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import assay
from assay.engines import scan

N = 20_000
ROLES = {"actual": "y", "score": "score", "key": "id"}


def table(n=N, seed=5):
    rng = np.random.default_rng(seed)
    return {
        "id": np.array([f"case {number}" for number in range(n)], dtype=object),
        "y": rng.integers(0, 2, n),
        "score": np.round(rng.random(n), 4),
    }


def taken(columns, places):
    return {name: values[places] for name, values in columns.items()}


def of(columns, **more):
    return assay.Fingerprint.of(
        assay.rows(actual=columns["y"], score=columns["score"], key=columns["id"], **more)
    )


def plain_sums(rows):
    """Return both sums of rows of whole numbers, computed in Python's integers as the kernel's header says."""
    mask = 2**64 - 1

    def mix(word):
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & mask
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & mask
        return word ^ (word >> 31)

    sums = [0, 0]
    for identity, predictions in rows:
        low, high = 0x243F6A8885A308D3, 0x13198A2E03707344
        for index, words in enumerate((identity, predictions)):
            for number in words:
                word = int(np.float64(number).view(np.uint64))
                low = (mix(low ^ word) + 0xA4093822299F31D0) & mask
                high = mix((high + word * 0x082EFA98EC4E6C89) & mask) ^ low
            sums[index] = (sums[index] + low + (high << 64)) % 2**128
    return tuple(sums)


def test_the_sums_are_those_of_the_rows_hashes():
    """Both sums are those of a second way in Python's integers, with rows that occur twice."""
    keys, actual, score = [7, 7, -3, 2**40], [1, 1, 0, 0], [0.5, 0.5, 0.25, -0.0]
    fingerprint = assay.Fingerprint.of(assay.rows(actual=actual, score=score, key=keys))
    rows = [
        ((key, label), (one,)) for key, label, one in zip(keys, actual, (0.5, 0.5, 0.25, 0.0), strict=True)
    ]
    assert (fingerprint.row_sum, fingerprint.prediction_sum) == plain_sums(rows)


def test_the_same_rows_in_any_form_are_one_test_set(tmp_path):
    """Arrays, a CSV, a shuffled Parquet file and other types of numbers give one fingerprint."""
    columns = table()
    shuffled = taken(columns, np.random.default_rng(1).permutation(N))
    pa.csv.write_csv(pa.table(columns), tmp_path / "rows.csv")
    pa.parquet.write_table(pa.table(shuffled), tmp_path / "rows.parquet", row_group_size=3_000)
    whole = of(columns)
    for name in ("rows.csv", "rows.parquet"):
        assert scan(tmp_path / name, tallies={"it": assay.Fingerprint}, **ROLES)["it"] == whole, name
    assert of({**shuffled, "y": shuffled["y"].astype(np.uint8)}) == whole
    assert of({**shuffled, "y": shuffled["y"].astype(bool)}) == whole
    assert of({**shuffled, "y": shuffled["y"].astype(str)}) == whole


def test_whole_numbers_are_the_same_keys_as_numbers_and_as_text():
    """Keys count by their value: 7 is "7"; whole numbers that no float holds stay apart."""
    columns = table(300)
    numbers = np.arange(300)
    assert of({**columns, "id": numbers}) == of({**columns, "id": numbers.astype(str)})
    wide = 2**60 + np.arange(300)
    assert of({**columns, "id": wide}).test_set != of({**columns, "id": wide + 1}).test_set
    assert of({**columns, "id": wide}).distinct == 300


def test_the_test_set_is_the_same_for_every_model():
    """Predictions change the identity of the predictions alone, a label or a key that of the test set."""
    columns = table(500)
    first = of(columns)
    other = of({**columns, "score": 1 - columns["score"]})
    assert first.test_set == other.test_set
    assert first.predictions != other.predictions
    labels = columns["y"].copy()
    labels[3] = 1 - labels[3]
    assert of({**columns, "y": labels}).test_set != first.test_set
    keys = columns["id"].copy()
    keys[3] = "another"
    assert of({**columns, "id": keys}).test_set != first.test_set


def test_repeated_rows_do_not_cancel_out():
    """A row that occurs twice, thrice or not at all makes three test sets."""
    columns = table(50)
    sets = [of(taken(columns, [*range(50), *[7] * more])).test_set for more in (0, 1, 2)]
    assert len(set(sets)) == 3


@pytest.mark.parametrize("changed", [0.01, 0.1, 0.5])
def test_overlap_is_estimated_within_a_point(changed):
    """The share of common rows comes from the sketch: within 1 point at 1% changed, 3 errors elsewhere."""
    columns = table()
    n = int(N * changed)
    keys = columns["id"].copy()
    keys[:n] = [f"new {number}" for number in range(n)]
    first, second = of(columns), of({**columns, "id": keys})
    truth = (N - n) / (N + n)
    error = 0.01 if changed == 0.01 else 3 * np.sqrt(truth * (1 - truth) / 2048)
    assert first.test_set != second.test_set
    assert first.overlap(second) == pytest.approx(truth, abs=error)
    assert first.overlap(first) == 1


def test_labels_alone_do_not_tell_rows_apart():
    """Without keys two test sets with equal counts of labels are one, and no overlap is claimed."""
    first = assay.Fingerprint.of(assay.rows(actual=[0, 1] * 50))
    second = assay.Fingerprint.of(assay.rows(actual=[1, 0] * 50))
    assert first.test_set == second.test_set
    assert not first.tells_rows_apart
    assert first.overlap(second) is None


def test_fingerprints_of_other_roles_are_not_merged():
    """One by key and one by label alone have no fingerprint together."""
    first = assay.Fingerprint.of(assay.rows(actual=[0, 1], key=["a", "b"]))
    second = assay.Fingerprint.of(assay.rows(actual=[0, 1]))
    with pytest.raises(assay.MergeError, match="key and actual, the other of actual"):
        first.merge(second)
