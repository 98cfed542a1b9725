"""The same rows as arrays, as files, and as shards that were tallied apart: one answer."""

import itertools
import json
import random

import numpy as np
import pytest
from support import shard_cases

import assay
from assay.cli import main

SIZES = (0, 1, 900, 2500, shard_cases.N)
ORDER = np.random.default_rng(5).permutation(shard_cases.N)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The rows in shuffled shards, of which one holds a single row."""
    return shard_cases.written(tmp_path_factory.mktemp("shards"), shard_cases.COLUMNS)


def shards():
    """Return the rows, shuffled and cut, as arrays."""
    for low, high in itertools.pairwise(SIZES):
        yield {name: values[ORDER[low:high]] for name, values in shard_cases.COLUMNS.items()}


def merged(parts, name):
    """Return evaluations as one, joined in an order of their own."""
    parts = list(parts)
    random.Random(name).shuffle(parts)
    return assay.merge(parts)


@pytest.mark.slow
@pytest.mark.parametrize("name", shard_cases.JUDGED)
def test_files_and_merged_shards_are_the_arrays(folder, tmp_path, name):
    """Scanned, or judged apart as arrays or files, kept, loaded and joined in any order: one evaluation."""
    said = shard_cases.JUDGED[name]
    read = assay.evaluate(folder, **said)
    shard_cases.check_like_arrays(read, name)
    kept = []
    for place, shard in enumerate(shards()):
        assay.evaluate(shard, **said).save(tmp_path / f"{place}.assay")
        kept.append(assay.load(tmp_path / f"{place}.assay"))
    scanned = [assay.evaluate(folder / f"{place}.parquet", **said) for place in range(len(kept))]
    for parts in (kept, scanned, [*kept[:2], *scanned[2:]]):
        whole = merged(parts, name)
        shard_cases.check_like_arrays(whole, name)
        assert shard_cases.told(whole) == shard_cases.told(read)


def words(said):
    """Return what is said of rows as the command line says it."""
    for role, one in said.items():
        if role == "edges":
            for column, cuts in one.items():
                yield from ("--edges", f"{column}={','.join(map(str, cuts))}")
        elif role == "labels":
            yield from (
                "--labels",
                ",".join(f'"{label}"' if "," in str(label) else str(label) for label in one),
            )
        else:
            for word in one if isinstance(one, list) else [one]:
                yield from (f"--{role}", str(word))


@pytest.mark.slow
@pytest.mark.parametrize("name", shard_cases.JUDGED)
def test_the_command_line_tallies_merges_and_reports_the_same(folder, tmp_path, capfd, name):
    """``assay tally`` of each shard, ``assay merge`` and ``assay report --json``: the JSON of the folder."""
    said = shard_cases.JUDGED[name]
    paths = [str(tmp_path / f"{place}.assay") for place in range(4)]
    for place, path in enumerate(paths):
        shard = str(folder / f"{place}.parquet")
        assert main(["tally", shard, *words(said), "--output", path, "--quiet"]) == 0
    random.Random(name).shuffle(paths)
    assert main(["merge", *paths, "--output", str(tmp_path / "whole"), "--quiet"]) == 0
    capfd.readouterr()
    assert main(["report", str(tmp_path / "whole"), "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    found.pop("slices", None)
    assert found == assay.evaluate(folder, **said).to_dict()
    shard_cases.check_like_arrays(assay.load(tmp_path / "whole"), name)


def test_what_was_inferred_of_shards_may_differ():
    """A shard of one class alone infers other labels: all but what was inferred is the same."""
    said, columns = {"actual": "y", "score": "score"}, shard_cases.COLUMNS
    whole = assay.evaluate(columns, **said).to_dict()
    halves = [{name: one[columns["y"] == label] for name, one in columns.items()} for label in (1, 0)]
    found = assay.merge([assay.evaluate(half, **said) for half in halves]).to_dict()
    assert (found.pop("inferred"), len(whole.pop("inferred"))) == ([], 2)
    assert found == whole


def test_shards_of_which_one_is_in_bins(tmp_path):
    """Scores that outgrow the memory are in bins; with shards that did not they are in bins as the whole is."""
    columns = shard_cases.many_scores()
    shard_cases.written(tmp_path, columns, (0, 10, 100))
    said = {"actual": "y", "score": "score", "positive": 1, "threshold": 0.5}
    exact = assay.evaluate(columns, **said)
    read = assay.evaluate(tmp_path, **said, memory="64MiB")
    shard_cases.check_in_bins(read, exact)
    held = [assay.evaluate(tmp_path / f"{place}.parquet", **said) for place in range(3)]
    parts = [*held[:2], assay.evaluate(tmp_path / "2.parquet", **said, memory="64MiB")]
    kinds = [type(part.tallies["scores"]) for part in parts]
    assert kinds == [assay.Scores, assay.Scores, assay.BinnedScores]
    for order in itertools.permutations(parts):
        whole = assay.merge(order)
        assert whole.tallies == read.tallies
        assert whole.to_json() == read.to_json()
    # Merging has no limit of memory: shards that are exact, each by itself, give what the arrays give.
    assert assay.merge(held).to_json() == exact.to_json()


def test_a_seed_is_taken_by_an_evaluation_as_by_estimate():
    """The same seed gives the same limits by either way, another one other limits."""
    actual, score = [0, 1] * 30, [(7 * i % 31) / 31 + 0.2 * (i % 2) for i in range(60)]
    ev = assay.evaluate(actual=actual, score=score, positive=1)
    rows = assay.rows(actual=actual, score=score, positive=1)
    by_seed = [ev.estimate("auc", method="bca", seed=seed) for seed in (0, 1)]
    assert by_seed == [assay.estimate("auc", rows, method="bca", seed=seed) for seed in (0, 1)]
    assert by_seed[0].low != by_seed[1].low
