"""What leaves an evaluation: plain data by its schema, frames, files, and merged shards."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from support.evaluations import EDGES, MAKERS

import assay
from assay.evaluation.storage import from_bytes, to_bytes
from assay.tallies import serialization

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/reference/evaluation.schema.json").read_text(encoding="utf-8")
)
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def problems(value, schema, where="$"):
    """Yield where a value does not fit a schema: the few words of JSON Schema that ours uses."""
    if "$ref" in schema:
        yield from problems(value, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], where)
    if "anyOf" in schema and all(any(True for _ in problems(value, one, where)) for one in schema["anyOf"]):
        yield f"{where}: {value!r} is none of what it may be"
    if "const" in schema and value != schema["const"]:
        yield f"{where}: {value!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {value!r}"
    kind = schema.get("type")
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    fits = (
        {
            "number": number,
            "integer": number and isinstance(value, int),
            None: True,
        }.get(kind)
        if kind not in TYPES
        else isinstance(value, TYPES[kind])
    )
    if not fits:
        yield f"{where}: {value!r} is no {kind}"
        return
    if kind == "object":
        known = schema.get("properties", {})
        yield from (f"{where}: {name} is lacking" for name in schema.get("required", ()) if name not in value)
        for name, one in value.items():
            rest = schema.get("additionalProperties", True)
            if name in known or isinstance(rest, dict):
                yield from problems(one, known.get(name, rest), f"{where}.{name}")
            elif not rest:
                yield f"{where}: {name} is not known"
    if kind == "array":
        for place, one in enumerate(value):
            yield from problems(one, schema["items"], f"{where}[{place}]")


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def test_plain_data_follows_its_schema(make):
    """What to_dict returns fits the schema, and JSON has no NaN."""
    ev = make(slice(None))
    assert list(problems(ev.to_dict(), SCHEMA)) == []
    assert list(problems(ev.to_dict(full=True), SCHEMA)) == []
    for full in (False, True):
        strict = json.loads(ev.to_json(full=full), parse_constant=pytest.fail)
        assert strict == ev.to_dict(full=full)


def test_full_data_has_what_the_full_text_has(make):
    """The figures of an evaluation and more, each as the evaluation has it; tests only of counted rows."""
    ev = make(slice(None))
    data, full = ev.to_dict(), ev.to_dict(full=True)
    assert data["metrics"].items() <= full["metrics"].items()
    assert set(full) - set(data) == {"tests"}
    counted = data["confusion"] is not None and not ev.settings.weight and not ev.settings.group
    assert bool(full["tests"]) == counted


def test_the_validator_sees_what_does_not_fit():
    """A field too many, one too few and a wrong type are found."""
    data = MAKERS["labels"](slice(None)).to_dict()
    assert list(problems(data | {"more": 1}, SCHEMA))
    assert list(problems(data | {"n": "many"}, SCHEMA))
    assert list(problems(data | {"kind": "other"}, SCHEMA))
    assert list(problems({name: one for name, one in data.items() if name != "metrics"}, SCHEMA))


def test_an_evaluation_comes_back_from_its_file(make, tmp_path):
    """JSON, text and bytes are the same after saving and loading, whatever the rows were."""
    ev = make(slice(None))
    ev.save(tmp_path / "one.assay")
    again = assay.load(tmp_path / "one.assay")
    assert again.to_json() == ev.to_json()
    assert str(again) == str(ev)
    assert to_bytes(again) == to_bytes(ev)
    assert [path.name for path in tmp_path.iterdir()] == ["one.assay"]


def test_shards_merge_in_any_order_to_the_values_of_the_whole(make):
    """Every order gives the same JSON, and every value is that of all rows at once, to the bit."""
    shards = [make(slice(start, stop)) for start, stop in itertools.pairwise(EDGES)]
    merged = {assay.merge([shards[i] for i in order]).to_json() for order in itertools.permutations(range(3))}
    assert len(merged) == 1
    found, whole = json.loads(merged.pop()), make(slice(None)).to_dict()
    assert {name: one["value"] for name, one in found["metrics"].items()} == {
        name: one["value"] for name, one in whole["metrics"].items()
    }
    assert (found["n"], found["confusion"]) == (whole["n"], whole["confusion"])


def limits(ev):
    return {name: (one.value, one.low, one.high, one.method) for name, one in ev.items()}


def test_merged_shards_of_plain_rows_have_the_intervals_of_the_whole():
    """Where a tally tells all, intervals are the same too; where few rows are kept, up to rounding."""
    for name in ("labels", "probabilities", "scores", "weighted", "classes", "ordinal", "ranking"):
        first, second = (MAKERS[name](part) for part in (slice(EDGES[1]), slice(EDGES[1], None)))
        assert limits(first.merge(second)) == limits(MAKERS[name](slice(None)))
    for name in ("grouped", "class probabilities", "regression"):
        parts = (slice(EDGES[1]), slice(EDGES[1], None))
        first, second = (MAKERS[name](part) for part in parts)
        for figure, one in first.merge(second).items():
            whole = MAKERS[name](slice(None))[figure]
            assert one.method == whole.method, figure
            if whole.method:
                assert (one.low, one.high) == pytest.approx((whole.low, whole.high), rel=1e-12), figure


def test_groups_that_no_tally_keeps_leave_figures_without_intervals(monkeypatch):
    """Where the rows outgrow what is kept of them, figures stay and say why they have no interval."""
    monkeypatch.setattr("assay.evaluation.merge._MAX_STORED_BYTES", 100)
    first, second = (MAKERS["grouped"](part) for part in (slice(EDGES[1]), slice(EDGES[1], None)))
    accuracy = first.merge(second)["accuracy"]
    assert (accuracy.low, accuracy.high) == (None, None)
    assert "come in groups" in accuracy.note


def test_weighted_rows_are_counted_with_their_weights_at_a_threshold():
    """The table of cut scores holds sums of weights."""
    ev = assay.evaluate(actual=[0, 0, 1, 1], score=[0.1, 0.9, 0.8, 0.2], weight=[1, 2, 3, 4.5])
    assert float(ev["accuracy"]) == 4 / 10.5
    assert ev.confusion.counts.tolist() == [[1, 2], [4.5, 3]]


def test_numbers_of_numpy_are_kept_as_plain_ones():
    """A confidence, a threshold or a beta out of an array saves as any other."""
    numbers = np.array([0.9, 0.4, 2.0])
    said = {"confidence": numbers[0], "threshold": numbers[1], "beta": numbers[2], "k": np.int64(3)}
    ev = assay.evaluate(actual=np.array([0, 1, 1, 0]), score=np.float32([0.1, 0.5, 0.3, 0.2]), **said)
    assert from_bytes(to_bytes(ev)).to_json() == ev.to_json()


def test_shards_without_a_class_join_their_labels():
    """Undeclared classes that one side lacks are those of both together."""
    first = assay.evaluate(actual=list("aab"), predicted=list("aba"), task="multiclass")
    second = assay.evaluate(actual=list("ccb"), predicted=list("cbc"), task="multiclass")
    assert first.merge(second).task.labels == ("a", "b", "c")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_are_those_of_the_callers_library(library):
    """A table in gives a table of the same library out, with nulls where there is nothing."""
    home = pytest.importorskip(library)
    columns = {"y": [0, 1, 1, 0], "yhat": [0, 0, 0, 0]}
    table = home.table(columns) if library == "pyarrow" else home.DataFrame(columns)
    ev = assay.evaluate(table, actual="y", predicted="yhat")
    frame = ev.to_frame()
    assert type(frame) is type(table)
    plain = {
        "pandas": lambda: frame.astype(object).where(frame.notna(), None).to_dict("list"),
        "polars": lambda: frame.to_dict(as_series=False),
        "pyarrow": getattr(frame, "to_pydict", None),
    }[library]()
    assert plain["metric"] == list(ev)
    assert plain["value"][plain["metric"].index("recall")] == 0
    assert plain["value"][plain["metric"].index("precision")] is None
    assert plain["note"][plain["metric"].index("precision")] == "nothing was predicted positive"
    assert type(ev.classes.to_frame()) is type(table)


def test_arrays_give_a_dict_of_columns():
    """Where no frame came in, none comes out, unless one is asked for."""
    ev = MAKERS["labels"](slice(None))
    assert ev.to_frame()["value"][0] == float(ev["accuracy"])
    assert type(ev.to_frame("pandas")).__name__ == "DataFrame"


def test_damaged_files_are_refused(tmp_path):
    """Every cut and a changed byte are found, and nothing runs."""
    data = to_bytes(MAKERS["labels"](slice(40)))
    for size in range(0, len(data), 97):
        with pytest.raises(assay.FormatError):
            from_bytes(data[:size])
    changed = bytearray(data)
    changed[len(data) // 2] ^= 1
    (tmp_path / "bad.assay").write_bytes(changed)
    with pytest.raises(assay.FormatError, match=r"bad\.assay: .*checksum"):
        assay.load(tmp_path / "bad.assay")
    tally = assay.Sums.of([1.0]).to_bytes()
    with pytest.raises(assay.FormatError, match="not an evaluation"):
        from_bytes(tally)


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state[:-1],
        lambda state: (2, *state[1:]),
        lambda state: (*state[:1], (("kind", "guesswork"),), *state[2:]),
        lambda state: (*state[:2], (("confidence",),), *state[3:]),
        lambda state: (*state[:4], ((("f1",), (("low", 0.0),)),), *state[5:]),
        lambda state: (*state[:5], ("sums", state[5][1])),
        lambda state: (*state[:5], 7),
    ],
)
def test_a_state_that_is_none_is_refused(change):
    """Bytes with a right checksum and a wrong content are refused as well."""
    kind, state = serialization.unpack(to_bytes(MAKERS["labels"](slice(40))))
    with pytest.raises(assay.FormatError):
        from_bytes(serialization.pack(kind, change(state)))


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    """The new bytes get the name only when they are all there."""
    ev = MAKERS["labels"](slice(None))
    path = tmp_path / "one.assay"
    ev.save(path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(assay.FileError, match="No space left"):
        MAKERS["classes"](slice(None)).save(path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1
