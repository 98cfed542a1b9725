"""Few labels and proxies in files: scanned or read, the answer is that of arrays."""

import pytest
from support import shard_cases

import assay
from assay.evaluation.proxy import scanned_labels


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The rows in shuffled shards."""
    return shard_cases.written(tmp_path_factory.mktemp("shards"), shard_cases.COLUMNS)


@pytest.mark.parametrize("name", shard_cases.PROXIES)
def test_files_that_are_scanned_say_what_arrays_say(name, folder, monkeypatch):
    """Small files are read and large ones are scanned: the JSON and the slices are the same."""
    options = shard_cases.PROXIES[name]
    held = shard_cases.told(assay.evaluate(shard_cases.COLUMNS, **options))
    read = assay.evaluate(folder, **options)
    assert read.labelled is not None
    assert shard_cases.told(read) == held
    monkeypatch.setattr(scanned_labels, "_COLUMNS_SHARE", 1 << 40)
    scanned = assay.evaluate(folder, **options)
    assert scanned.labelled is None
    assert shard_cases.told(scanned) == held
    both = scanned.merge(read)  # of twice the rows
    assert both.total == 2 * shard_cases.N


def test_what_needs_rows_in_memory_says_so(folder, monkeypatch):
    """Error rows, comparisons and plans of labels know no row numbers of a scan."""
    monkeypatch.setattr(scanned_labels, "_COLUMNS_SHARE", 1 << 40)
    ev = assay.evaluate(folder, actual="checked", predicted="y", proxy="marked")
    for call in (
        ev.errors,
        lambda: assay.compare(ev, ev),
        lambda: assay.labels_needed(ev, "f1", half_width=0.1),
    ):
        with pytest.raises(assay.InputError, match="not in memory"):
            call()


def test_missing_values_elsewhere_are_refused_or_dropped(tmp_path, monkeypatch):
    """A row without a prediction is refused, or left out and counted, labelled or not."""
    monkeypatch.setattr(scanned_labels, "_COLUMNS_SHARE", 1 << 40)
    columns = {name: shard_cases.COLUMNS[name].copy() for name in ("checked", "marked")}
    columns["said"] = shard_cases.COLUMNS["y"].astype(float)
    columns["said"][:7] = float("nan")
    shard_cases.written(tmp_path, columns)
    options = {"actual": "checked", "predicted": "said", "proxy": "marked"}
    with pytest.raises(assay.MissingValueError, match="said"):
        assay.evaluate(tmp_path, **options)
    found = assay.evaluate(tmp_path, **options, missing="drop")
    held = assay.evaluate(columns, **options, missing="drop")
    assert found.dropped == held.dropped == 7
    assert found.to_json() == held.to_json()


def test_no_label_and_no_name(tmp_path):
    """A column without any label, and a proxy that is no name of a column."""
    shard_cases.written(tmp_path, {name: shard_cases.COLUMNS[name] for name in ("checked", "marked", "y")})
    with pytest.raises(assay.InputError, match="pass the column's name"):
        assay.evaluate(tmp_path, actual="checked", predicted="y", proxy=[1, 0])


def test_too_many_labels_for_the_memory(folder, monkeypatch):
    """Labelled rows that outgrow their part of the memory are refused with what to do."""
    monkeypatch.setattr(scanned_labels, "_COLUMNS_SHARE", 1 << 40)
    monkeypatch.setattr(scanned_labels, "_SHARE", 1 << 20)
    with pytest.raises(assay.InputError, match="labelled rows take more than"):
        assay.evaluate(folder, actual="checked", predicted="y", proxy="marked")
