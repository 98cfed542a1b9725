"""assay.read_log: files of our own making in the documented formats of Inspect and lm-evaluation-harness."""

import contextlib
import json
import zipfile

import pytest

import assay

SAMPLES = [
    {
        "id": "q1",
        "epoch": 1,
        "input": "2 + 2?",
        "target": "4",
        "scores": {"match": {"value": "C", "answer": "4"}},
    },
    {
        "id": "q1",
        "epoch": 2,
        "input": "2 + 2?",
        "target": "4",
        "scores": {"match": {"value": "I", "answer": "5"}},
    },
    {"id": "q2", "epoch": 1, "target": ["6", "six"], "scores": {"match": {"value": "P", "answer": None}}},
    {"id": "q2", "epoch": 2, "target": ["6", "six"], "scores": {"match": {"value": True, "answer": "6"}}},
    {"id": "q3", "epoch": 1, "target": "x", "scores": None},
]
LOG = {"version": 2, "status": "success", "eval": {"task": "sums", "model": "mock/model"}, "samples": SAMPLES}


def test_inspect_json_and_archive_are_one(tmp_path):
    """A JSON log and an .eval archive with the same samples give the same rows, which repeats() takes."""
    (tmp_path / "log.json").write_text(json.dumps(LOG), encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr(
            "header.json", json.dumps({key: value for key, value in LOG.items() if key != "samples"})
        )
        for sample in SAMPLES:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
    rows = assay.read_log(tmp_path / "log.json")
    assert rows == assay.read_log(tmp_path / "log.eval")
    assert rows["question"] == ["q1", "q1", "q2", "q2"]
    assert rows["correct"] == [1.0, 0.0, 0.5, 1.0]
    assert rows["run"] == [1, 2, 1, 2]
    assert set(rows["model"]) == {"mock/model"}
    assert rows["target"][2] == '["6", "six"]'
    result = assay.repeats(rows, question="question", correct="correct", run="run")
    assert result["mean"].value == pytest.approx((0.5 + 0.75) / 2)


def test_harness_samples(tmp_path):
    """Lines of lm-evaluation-harness, with and without the list of metrics, with filters."""
    folder = tmp_path / "some__model"
    folder.mkdir()
    lines = [
        {"doc_id": 0, "doc": {"q": "?"}, "target": "4", "arguments": {}, "resps": [["4"]], "filtered_resps": ["4"],
         "filter": "strict", "metrics": ["exact_match"], "doc_hash": "x", "exact_match": 1.0},
        {"doc_id": 0, "doc": {"q": "?"}, "target": "4", "resps": [["four"]], "filtered_resps": ["four"],
         "filter": "loose", "metrics": ["exact_match"], "exact_match": 0.0},
        {"doc_id": 1, "doc": {}, "target": 2, "resps": [["a"], ["b"]], "filtered_resps": ["a", "b"],
         "filter": "strict", "exact_match": 0},
    ]  # fmt: skip
    file = folder / "samples_sums_2025-01-01T00-00-00.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n\n", encoding="utf-8")
    rows = assay.read_log(file, scorer="exact_match,strict")
    assert rows["question"] == [0, 1]
    assert rows["correct"] == [1.0, 0.0]
    assert rows["task"] == ["sums", "sums"]
    assert rows["model"] == ["some__model"] * 2
    assert rows["answer"] == ["4", '["a", "b"]']
    with pytest.raises(assay.FileError, match="choose one with scorer="):
        assay.read_log(tmp_path)
    frame = assay.read_log(tmp_path, scorer="exact_match,strict", library="pyarrow")
    assert frame.column_names[:2] == ["question", "run"]


def test_a_table_with_named_columns(tmp_path):
    """Any CSV or JSON lines whose columns are named."""
    csv = tmp_path / "runs.csv"
    csv.write_text("id,ok,who\na,1,m\na,0,m\nb,1,n\n", encoding="utf-8")
    rows = assay.read_log(csv, question="id", correct="ok", model="who")
    assert rows == {"question": ["a", "a", "b"], "correct": [1, 0, 1], "model": ["m", "m", "n"]}


def test_mistakes_are_named(tmp_path):
    """Files that are no logs, several scores, no scores."""

    def write(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    two = {
        "eval": {},
        "samples": [{"id": 1, "scores": {"a": {"value": 1}, "b": {"value": {"x": 0, "y": "C"}}}}],
    }
    cases = [
        (tmp_path / "nothing.json", "there is no file"),
        (write("bad.json", "{"), "no valid JSON"),
        (write("other.json", "{}"), "no log of Inspect"),
        (write("other.jsonl", '{"id": 1}'), "no log of lm-evaluation-harness"),
        (write("zip.eval", "no archive"), "convert it"),
        (write("empty.json", '{"eval": {}, "samples": []}'), "no scored runs"),
        (write("two.json", json.dumps(two)), "several scores of each run"),
    ]
    for path, message in cases:
        with pytest.raises(assay.FileError, match=message):
            assay.read_log(path)
    assert assay.read_log(tmp_path / "two.json", scorer="b/y")["correct"] == [1.0]
    with pytest.raises(assay.FileError, match="both question= and correct="):
        assay.read_log(tmp_path / "two.json", question="id")


def test_a_table_without_named_columns_and_what_is_no_path(tmp_path):
    file = tmp_path / "runs.csv"
    file.write_text("question,correct\n1,1\n")
    with pytest.raises(
        assay.errors.FileError, match="Name the columns of a table with question= and correct="
    ):
        assay.read_log(file)
    with pytest.raises(assay.errors.FileError, match="3 is no path"):
        assay.read_log(3)


def test_tasks_of_a_folder_have_questions_of_their_own(tmp_path):
    """Each task numbers its questions from 0: those of two tasks are not two runs of one question."""
    for task, right in (("sums", [1, 0]), ("words", [1, 1])):
        lines = [json.dumps({"doc_id": index, "acc": value}) for index, value in enumerate(right)]
        (tmp_path / f"samples_{task}_2025-01-01.jsonl").write_text("\n".join(lines), encoding="utf-8")
    rows = assay.read_log(tmp_path)
    assert rows["question"] == ["sums/0", "sums/1", "words/0", "words/1"]
    result = assay.repeats(rows, question="question", correct="correct", run="run", group="task")
    assert (result.questions, result.groups, result["mean"].value) == (4, 2, 0.75)
    assert assay.read_log(tmp_path / "samples_sums_2025-01-01.jsonl")["question"] == [0, 1]


@pytest.mark.parametrize(
    "log",
    [
        {"eval": [], "samples": [1]},
        {"eval": {}, "samples": [{"id": 1, "scores": {"match": 1}}]},
        {"eval": {}, "samples": [{"id": 1, "scores": [1]}]},
    ],
)
def test_a_log_of_another_form_is_named(log, tmp_path):
    """Not by an error of Python."""
    (tmp_path / "log.json").write_text(json.dumps(log), encoding="utf-8")
    with pytest.raises(assay.FileError, match="has another form than the logs of Inspect"):
        assay.read_log(tmp_path / "log.json")


def test_a_damaged_archive_is_named(tmp_path):
    """Whatever byte of it has changed, it is read or refused."""
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"eval": LOG["eval"]}))
        for index, sample in enumerate(SAMPLES):
            archive.writestr(f"samples/{index}.json", json.dumps(sample))
    whole = (tmp_path / "log.eval").read_bytes()
    for index in range(len(whole)):
        damaged = bytearray(whole)
        damaged[index] ^= 0x55
        (tmp_path / "log.eval").write_bytes(damaged)
        with contextlib.suppress(assay.FileError):
            assert len(assay.read_log(tmp_path / "log.eval")["question"]) <= len(SAMPLES)
