"""Small files of every kind that the command line's examples name, in a folder of their own."""

import shutil

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import assay
from assay.cli import main


def _csv(path, **columns):
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _judged(at, draw):
    """Write ratings, votes, repeated runs, comparisons, and rows with few labels."""
    truth = draw.integers(1, 5, 60)
    votes = {
        name: np.where(draw.random(60) < right, truth, draw.integers(1, 5, 60))
        for name, right in (("ann", 0.8), ("bob", 0.8), ("cyn", 0.7), ("judge", 0.8))
    }
    _csv(at / "ratings.csv", **votes)
    _csv(
        at / "votes.csv",
        item=np.repeat(np.arange(60), 4),
        rater=np.tile(list(votes), 60),
        rating=np.stack(list(votes.values()), axis=1).ravel(),
    )
    chance = np.repeat(draw.random(30), 6)
    _csv(
        at / "runs.csv",
        question=np.repeat(np.arange(30), 6),
        model=np.tile(["a", "b"], 90),
        correct=(draw.random(180) < chance).astype(int),
    )
    left = draw.integers(0, 4, 200)
    right = (left + draw.integers(1, 4, 200)) % 4
    names = np.array(["red", "green", "blue", "grey"])
    _csv(
        at / "games.csv",
        a=names[left],
        b=names[right],
        winner=draw.choice(["left", "right", "tie"], 200),
        prompt=np.arange(200) // 4,
    )
    truth = draw.integers(0, 2, 500)
    judge, said = (np.where(draw.random(500) < right, truth, 1 - truth) for right in (0.95, 0.8))
    _csv(
        at / "judged.csv",
        human=[value if index < 100 else "" for index, value in enumerate(truth)],
        judge=judge,
        said=said,
    )


@pytest.fixture(scope="session")
def _files(tmp_path_factory):
    at = tmp_path_factory.mktemp("files")
    draw = np.random.default_rng(6)
    n = 120
    y = draw.integers(0, 2, n)
    first, second = (np.round(np.clip(0.3 * y + 0.7 * draw.random(n), 0, 1), 4) for _ in range(2))
    region = np.array(["north", "south", "west"])[draw.integers(0, 3, n)]
    words = np.array(["ham", "spam"])
    _csv(at / "preds.csv", type=words[y], said=words[(first > 0.5).astype(int)], p_spam=first, region=region)
    table = pa.table(
        {"y": y, "p": first, "yhat": (first > 0.5).astype(int), "region": region, "id": np.arange(n)}
    )
    pq.write_table(table, at / "preds.parquet")
    pyarrow.feather.write_feather(table, at / "preds.feather")
    sport = draw.integers(0, 2, n)
    tags = {"news": y, "sport": sport, "p_news": (first > 0.5).astype(int), "p_sport": 1 - sport * (y > 0)}
    pq.write_table(pa.table({**tags, "region": region}), at / "tags.parquet")
    (at / "shards").mkdir()
    for number, start in enumerate((0, 50), 1):
        pq.write_table(table.slice(start, 50 if start == 0 else None), at / "shards" / f"{number}.parquet")
    _csv(
        at / "two.csv",
        y=y,
        a=first,
        b=second,
        yhat_a=(first > 0.5).astype(int),
        yhat_b=(second > 0.5).astype(int),
    )
    _csv(at / "a.csv", y=y, p=first)
    _csv(at / "b.csv", y=y, p=second)
    days = np.datetime_as_string(np.datetime64("2024-01-01") + np.arange(n))
    _csv(
        at / "data.csv", day=days, age=draw.integers(20, 80, n), amount=np.round(1000 * first, 1),
        housing=np.array(["own", "rent"])[draw.integers(0, 2, n)], default=np.array(["no", "yes"])[y],
    )  # fmt: skip
    _judged(at, draw)
    (at / "plan.toml").write_text(
        'name = "spam"\nrequirements = ["auc >= 0.6"]\ncolumns = { actual = "type", score = "p_spam" }\n'
        'settings = { positive = "spam" }\n',
        encoding="utf-8",
    )
    (at / "sealed.toml").write_text((at / "plan.toml").read_text(encoding="utf-8"), encoding="utf-8")
    assert main(["seal", str(at / "sealed.toml"), "--test-set", str(at / "preds.csv"), "--quiet"]) == 0
    _csv(at / "old.csv", y=y, p=np.round(1 - first, 4))
    _csv(at / "new.csv", y=y, p=first)
    (at / "release.toml").write_text(
        'requirements = ["auc no worse than production by 0.05"]\ncolumns = { actual = "y", score = "p" }\n',
        encoding="utf-8",
    )
    assert main(["seal", str(at / "release.toml"), "--test-set", str(at / "new.csv"), "--quiet"]) == 0
    with assay.ledger(at / ".assay" / "ledger.db") as book:
        book.record(assay.evaluate(actual=y, score=first, name="first"), tags=["nightly"])
    (at / "parts").mkdir()
    for number in (1, 2):
        words_of = ["tally", str(at / "shards" / f"{number}.parquet"), "--actual", "y", "--predicted", "yhat"]
        assert main([*words_of, "--labels", "0,1", "--output", str(at / f"{number}.assay"), "--quiet"]) == 0
    _ledger(at)
    return at


def _ledger(at):
    """Record an evaluation in the default ledger, and write its entry to a file."""
    with assay.ledger(at / ".assay" / "ledger.db") as book:
        columns = {"actual": "y", "score": "p", "by": "region", "key": "id"}
        assay.evaluate(at / "preds.parquet", **columns, name="old", ledger=book)
        assert book.export(at / "runs.jsonl") >= 1


@pytest.fixture
def here(_files, tmp_path, monkeypatch):
    """Return a folder with the files in it, which is the current one."""
    at = tmp_path / "here"
    shutil.copytree(_files, at)
    monkeypatch.chdir(at)
    return at
