"""Saved and merged evaluations with a proxy: the same bits as those of all rows at once."""

import numpy as np
import pytest
from support import shard_cases

import assay
from assay.cli.main import main

PAIR = {"actual": "checked", "predicted": "y", "proxy": "marked"}


def shard(start, step):
    """Return every so-manieth row."""
    return {name: values[start::step] for name, values in shard_cases.COLUMNS.items()}


@pytest.mark.parametrize("name", shard_cases.PROXIES)
def test_saved_and_loaded_is_the_same(name, tmp_path):
    """JSON and slices of a loaded evaluation are those of the one that was saved."""
    ev = assay.evaluate(shard_cases.COLUMNS, **shard_cases.PROXIES[name], name="first")
    ev.save(tmp_path / "first.assay")
    again = assay.load(tmp_path / "first.assay")
    assert shard_cases.told(again) == shard_cases.told(ev)
    assert again.balance == ev.balance
    again.save(tmp_path / "again.assay")
    assert (tmp_path / "again.assay").read_bytes() == (tmp_path / "first.assay").read_bytes()


@pytest.mark.parametrize("name", shard_cases.PROXIES)
def test_merged_in_any_order_is_the_whole(name):
    """Three parts, merged in two orders, have the JSON and the slices of all rows at once."""
    options = shard_cases.PROXIES[name]
    whole = shard_cases.told(assay.evaluate(shard_cases.COLUMNS, **options))
    first, second, third = (assay.evaluate(shard(start, 3), **options) for start in range(3))
    assert shard_cases.told(first.merge(second).merge(third)) == whole
    assert shard_cases.told(third.merge(first.merge(second))) == whole


def test_another_threshold_after_merging():
    """Scores can be cut elsewhere, as of rows in memory."""
    options = shard_cases.PROXIES["scores"]
    whole = assay.evaluate(shard_cases.COLUMNS, **options).at(0.8)
    first, second = (assay.evaluate(shard(start, 2), **options) for start in range(2))
    assert shard_cases.told(first.merge(second).at(0.8)) == shard_cases.told(whole)


def test_the_commands_tally_and_merge_do_it(tmp_path, capsys):
    """Files of shards become evaluations, which merge; the report is that of all rows."""
    options = ["--actual", "checked", "--predicted", "y", "--proxy", "marked", "--by", "region"]
    shard_cases.written(tmp_path, shard_cases.COLUMNS)
    parts = sorted(tmp_path.glob("*.parquet"))
    for part in parts[1:]:  # the first holds one row
        assert main(["tally", str(part), *options, "--output", f"{part}.assay"]) == 0
    whole = tmp_path / "whole.assay"
    assert main(["merge", *(f"{part}.assay" for part in parts[1:]), "--output", str(whole)]) == 0
    capsys.readouterr()
    assert main(["report", str(whole)]) == 0
    said = capsys.readouterr().out
    assert main(["evaluate", *map(str, parts[1:]), *options]) == 0
    assert capsys.readouterr().out == said
    assert "labelled rows" in said
    assert "labels alone" in said or "labels are worth" in said


def test_what_does_not_merge_says_why():
    """Another proxy count, no proxy, and rows that count for more than themselves."""
    ev = assay.evaluate(shard_cases.COLUMNS, **PAIR)
    plain = assay.evaluate(shard_cases.COLUMNS, actual="truth", predicted="y")
    two = assay.evaluate(shard_cases.COLUMNS, **(PAIR | {"proxy": ["marked", "y"]}))
    for one, other, message in ((ev, plain, "has a proxy and the other has none"),
                                (plain, ev, "has a proxy and the other has none"),
                                (ev, two, "1 proxy and the other 2 proxies")):  # fmt: skip
        with pytest.raises(assay.InputError, match=message):
            one.merge(other)
    for more in ({"group": "query"}, {"weight": "score"}, {"selection": np.full(shard_cases.N, 0.1)}):
        grouped = assay.evaluate(shard_cases.COLUMNS, **PAIR, **more)
        with pytest.raises(assay.InputError, match="cannot be merged where rows have weights"):
            grouped.merge(ev)
        with pytest.raises(assay.InputError, match="cannot be saved where rows have weights"):
            grouped.save("nowhere")


def test_damaged_bytes_are_named(tmp_path):
    """A changed byte is no evaluation."""
    assay.evaluate(shard_cases.COLUMNS, **PAIR).save(tmp_path / "a")
    data = bytearray((tmp_path / "a").read_bytes())
    data[len(data) // 2] ^= 255
    (tmp_path / "b").write_bytes(bytes(data))
    with pytest.raises(assay.FormatError):
        assay.load(tmp_path / "b")
