"""The commands give the library's own answers, in the form and at the place that is asked for."""

import json
import shlex

import duckdb
import pyarrow.parquet as pq
import pytest

import assay
from assay.cli import main

SPAM = "preds.csv --actual type --score p_spam --positive spam"


def run(line, capfd, code=0):
    """Run a command; return what it prints."""
    assert main(shlex.split(line)) == code
    said = capfd.readouterr()
    if code == 0:
        assert not said.err
    return said.out if code == 0 else said


def as_library(here):
    table = assay.engines.read(here / "preds.csv", ["type", "p_spam", "region"])
    return assay.evaluate(table, actual="type", score="p_spam", positive="spam", by="region")


def test_evaluate_says_what_the_library_says(here, capfd):
    """Text, JSON and Markdown are those of assay.evaluate; slices come below."""
    ev = as_library(here)
    text = run(f"evaluate {SPAM} --by region", capfd)
    assert text.startswith(ev.text().split("\n errors")[0][:1200])
    assert str(ev.slices["region"]) in text
    found = json.loads(run(f"evaluate {SPAM} --by region --json", capfd))
    assert {name: value for name, value in found.items() if name != "slices"} == ev.to_dict()
    assert found["slices"]["region"] == ev.slices["region"].lines()
    assert "| ROC AUC" in run(f"evaluate {SPAM} --markdown", capfd)
    assert "ev." not in text
    assert run(f"evaluate {SPAM} --like sklearn", capfd).strip() == ev.text(like="sklearn").strip()
    assert len(run(f"evaluate {SPAM} --full", capfd)) > len(ev.text())


def test_every_way_to_the_same_rows_gives_the_same_json(here, capfd):
    """A file, its shards, a folder, a pattern, standard input, a query and a table are one and the same."""
    roles = "--actual y --score p --predicted yhat --positive 1 --json"
    with duckdb.connect(here / "some.duckdb") as opened:
        opened.execute("CREATE TABLE preds AS SELECT * FROM 'preds.parquet'")
        opened.execute("COPY preds TO 'again.csv.gz' (HEADER, DELIMITER ';')")
        opened.execute("COPY preds TO 'again.jsonl' (FORMAT json)")
    said = {
        run(f"evaluate {where} {roles}", capfd)
        for where in (
            "preds.parquet", "preds.feather", "shards", "'shards/*.parquet'", "shards/2.parquet shards/1.parquet",
            "some.duckdb --table preds", "--sql \"SELECT * FROM 'preds.parquet'\"", "again.csv.gz",
            "again.csv.gz --delimiter ';'", "again.jsonl",
            "again.jsonl --threads 1 --memory 256MB",
        )
    }  # fmt: skip
    assert len(said) == 1


def test_shards_tallied_apart_are_the_whole(here, capfd):
    """`tally` and `merge`, in whatever order, hold the tallies of all rows at once."""
    roles = "--actual y --score p --positive 1"
    for name in ("shards/1.parquet", "shards/2.parquet", "preds.parquet"):
        said = run(f"tally {name} {roles} --output {name}.assay", capfd)
        assert said.startswith(f"{name}.assay: binary classification")
    run("merge shards/1.parquet.assay shards/2.parquet.assay --output all.assay", capfd)
    run("merge shards/2.parquet.assay shards/1.parquet.assay --output lla.assay --quiet", capfd)
    whole, joined, turned = (
        assay.load(here / name) for name in ("preds.parquet.assay", "all.assay", "lla.assay")
    )
    assert joined.tallies == whole.tallies == turned.tallies
    assert (here / "all.assay").read_bytes() == (here / "lla.assay").read_bytes()
    assert "120 rows" in run("report all.assay", capfd)
    assert json.loads(run("report all.assay --json", capfd))["n"] == 120
    run("report all.assay --report page.html --output text.txt", capfd)
    assert "<!doctype html>" in (here / "page.html").read_text(encoding="utf-8").lower()
    assert "120 rows" in (here / "text.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["--json", "--markdown", ""])
def test_slices_are_kept_by_tally_and_shown_by_report(form, here, capfd):
    """What `evaluate --by` prints is what `report` prints of the merged shards."""
    roles = "--actual y --score p --positive 1 --by region"
    for number in (1, 2):
        run(f"tally shards/{number}.parquet {roles} --output {number}.by", capfd)
    run("merge 2.by 1.by --output all.by", capfd)
    assert run(f"report all.by {form}", capfd) == run(f"evaluate preds.parquet {roles} {form}", capfd)


def test_merge_says_which_file_does_not_fit(here, capfd):
    """Evaluations of other problems are refused by name, and nothing is written."""
    run(f"tally {SPAM} --output spam.assay", capfd)
    said = run("merge 1.assay spam.assay --output all.assay", capfd, code=2)
    assert said.err.startswith("assay: spam.assay does not go with 1.assay: ")
    assert not (here / "all.assay").exists()


@pytest.mark.parametrize(
    ("required", "code", "words"),
    [
        ('--require "auc > 0.5"', 0, ""),
        ('--require "auc >= 0.9999"', 1, "auc >= 0.9999 is not met: it is 0."),
        ('--require-point "recall >= 0.5" --require "recall >= 0.99"', 1, "recall >= 0.99 is not met"),
        ('--require "log_loss <= 5" --require "brier < 0.001"', 1, "brier < 0.001 is not met"),
        ('--require "tpr >= 0.01" --require "false_positive_rate <= 0.99"', 0, ""),
        ('--require "precision >= 0.1" --threshold 2', 1, "precision >= 0.1 is not met: precision is undefined: nothing was"),
        ('--require-point "log_loss >= 0"', 0, ""),
    ],
)  # fmt: skip
def test_requirements_decide_the_exit_code(required, code, words, here, capfd):
    """A requirement holds by the interval's worse end, --require-point by the value; each failure has a line."""
    said = run(f"evaluate {SPAM} {required}", capfd, code=code)
    if code:
        assert "Binary classification" in said.out
        assert words in said.err
        assert said.err.startswith("assay: ")
        assert said.err.count("\n") == 1


def test_a_requirement_is_of_the_bound_and_not_of_the_value(here, capfd):
    """Between the value and its bound, the point is met and the interval is not."""
    recall = as_library(here)["recall"]
    limit = (recall.low + recall.value) / 2
    run(f'evaluate {SPAM} --require-point "recall >= {limit}"', capfd)
    said = run(f'evaluate {SPAM} --require "recall >= {limit}"', capfd, code=1)
    assert f"but may be as low as {recall.low:.4g}" in said.err
    limit = (recall.high + recall.value) / 2
    said = run(
        f'report_of --require "recall <= {limit}"'.replace("report_of", f"evaluate {SPAM}"), capfd, code=1
    )
    assert f"but may be as high as {recall.high:.4g}" in said.err


def test_labels_are_as_the_column_has_them(here, capfd):
    """1 is a number where labels are, text where they are text; quotes say so."""
    (here / "text.csv").write_text("y,s\n1,0.9\n0,0.1\nx1,0.7\n")
    (here / "words.csv").write_text("y,s\n01,0.9\n02,0.1\n")
    (here / "truth.csv").write_text("y,s\ntrue,0.9\nfalse,0.1\n")
    assert (
        json.loads(run("evaluate two.csv --actual y --score a --positive 0 --json", capfd))["positive"] == 0
    )
    found = json.loads(run("evaluate words.csv --actual y --score s --positive 01 --json", capfd))
    assert found["positive"] == "01"
    found = json.loads(run("evaluate truth.csv --actual y --score s --positive false --json", capfd))
    assert found["positive"] is False
    found = json.loads(run("crosstab text.csv --actual y --predicted y --labels x1,1,0 --json", capfd))
    assert found["row_labels"] == ["x1", "1", "0"]


def test_threshold_is_chosen_as_by_the_library(here, capfd):
    """The same threshold, text and data; what was said to the evaluation counts."""
    chosen = as_library(here).choose_threshold(cost_fp=5, cost_fn=1)
    text = str(chosen).replace("folds=10 or replicates=200", "--folds 10 or --replicates 200")
    assert run(f"threshold {SPAM} --cost-fp 5 --cost-fn 1", capfd).rstrip() == text != str(chosen)
    found = json.loads(run(f"threshold {SPAM} --best f_beta --beta 2 --json", capfd))
    assert found == as_library(here).choose_threshold(best="f_beta", beta=2).to_dict()
    for criterion in ("--beta 2", "--max-positive-rate 0.2", "--capacity 10", "--equal-error", "--min-precision 0.6",
                      "--cost-fp 1 --cost-fn 2 --cost-tp 0 --calibrated", "--best youden --replicates 20 --seed 3"):  # fmt: skip
        assert "threshold" in run(f"threshold {SPAM} {criterion}", capfd)


def test_crosstab_is_the_library_s(here, capfd):
    """The table of all rows, with the tests and shares that are asked for."""
    rows = assay.engines.read(here / "preds.csv", ["type", "said"])
    table = assay.CrossTable.of(assay.rows(rows, actual="type", predicted="said"))
    assert run("crosstab preds.csv --actual type --predicted said", capfd).rstrip() == str(table)
    assert json.loads(run("crosstab preds.csv --actual type --predicted said --json", capfd))["total"] == 120
    said = run("crosstab preds.csv --actual type --predicted said --rows predicted --chisq --percent", capfd)
    assert said.rstrip() == assay.CrossTable.of(table_of(rows), rows="predicted").text(
        chisq=True, percent=True
    )


def table_of(rows):
    return assay.rows(rows, actual="type", predicted="said")


def test_compare_takes_columns_files_and_evaluations(here, capfd):
    """Columns of one file and files of one column each give the same differences."""
    columns = json.loads(run("compare two.csv --actual y --score a --score b --json", capfd))
    files = json.loads(run("compare a.csv b.csv --actual y --score p --json", capfd))
    assert columns == files
    assert columns["paired"]
    assert columns["models"] == ["a", "b"]
    unpaired = json.loads(run("compare a.csv b.csv --actual y --score p --unpaired --json", capfd))
    assert not unpaired["paired"]
    three = run(
        "compare two.csv --actual y --predicted yhat_a --predicted yhat_b --predicted y "
        "--model-names one,two,truth --metrics accuracy --against first --correction none",
        capfd,
    )
    assert "truth" in three
    assert "not paired" in run("compare 1.assay 2.assay --metrics accuracy", capfd)


def test_a_row_that_one_file_lacks_is_left_out_of_both(here, capfd):
    """With --missing drop, files of the same rows stay paired."""
    lines = (here / "b.csv").read_text().splitlines()
    (here / "b.csv").write_text("\n".join([lines[0], lines[1].split(",")[0] + ",", *lines[2:]]) + "\n")
    found = json.loads(run("compare a.csv b.csv --actual y --score p --missing drop --json", capfd))
    assert found["paired"]
    assert found["n"] == [119, 119]
    assert found["dropped"] == 1


def test_crossval_is_the_library_s(here, capfd):
    """Figures, folds and exit codes of a model on a file's rows; its tests are kept for a report."""
    model = "--target default --model sklearn.tree:DecisionTreeClassifier --without day"
    line = f"crossval data.csv {model} --positive yes --set max_depth=2 --folds 4 --repeats 2 --seed 5"
    found = json.loads(run(f"{line} --metrics accuracy,kappa --json", capfd))
    assert len(found["metrics"]["kappa"]["folds"]) == 8
    said = run(f'{line} --require "accuracy >= 0.999"', capfd, code=1)
    assert "accuracy >= 0.999 is not met" in said.err
    run(f"{line} --keep tests.assay --output text.txt", capfd)
    assert assay.load(here / "tests.assay").n == 240
    assert (
        "8 folds" in (here / "text.txt").read_text() or "2 times 4 folds" in (here / "text.txt").read_text()
    )
    assert ".632" in run(f"crossval data.csv {model} --positive yes --bootstrap 10 --metrics accuracy", capfd)
    assert "forward" in run(
        f"crossval data.csv {model} --positive yes --time day --folds 3 --metrics accuracy --gap 2d", capfd
    )


def test_a_model_of_one_s_own_is_found(here, capfd):
    """A module of the current folder can be named."""
    (here / "my_own_model.py").write_text(
        "class Always:\n"
        "    def __init__(self, answer='no'):\n        self.answer = answer\n"
        "    def fit(self, X, y):\n        return self\n"
        "    def predict(self, X):\n        return [self.answer] * len(X)\n"
    )
    found = json.loads(
        run("crossval data.csv --target default --model my_own_model:Always --set answer=yes --metrics accuracy "
            "--positive yes --folds 3 --json", capfd)
    )  # fmt: skip
    assert found["metrics"]["accuracy"]["value"] == pytest.approx(
        sum(line.endswith("yes") for line in (here / "data.csv").read_text().split()) / 120
    )


def test_output_goes_to_files_whole(here, capfd):
    """--output writes what would be printed; a file that is there is replaced; quiet says less."""
    printed = run("metrics ppv kappa", capfd)
    (here / "out.txt").write_text("old")
    assert not run("metrics ppv kappa --output out.txt", capfd)
    assert (here / "out.txt").read_text(encoding="utf-8") == printed
    assert not run(f"tally {SPAM} --output x.assay --quiet", capfd)
    assert not list(here.glob(".assay-*"))


def test_a_table_of_a_database_can_be_split_and_evaluated(here, capfd):
    """A query's rows are written as Parquet."""
    run(
        "split --sql \"SELECT * FROM 'preds.parquet' ORDER BY p\" --parts a=0.5,b=0.5 --seed 2 --into parts",
        capfd,
    )
    both = [pq.read_table(here / "parts" / f"rows-{name}.parquet") for name in "ab"]
    assert sum(len(one) for one in both) == 120


def test_raters_runs_and_preferences_are_the_library_s(here, capfd):
    """The commands print and write what the functions give."""
    ratings = assay.read_log(here / "votes.csv", question="item", correct="rating", model="rater")
    expected = assay.agreement(ratings, item="question", rater="model", rating="correct", level="ordinal")
    said = json.loads(
        run("agreement votes.csv --item item --rater rater --rating rating --level ordinal --json", capfd)
    )
    assert said["estimates"] == expected.to_dict()["estimates"]
    labels = json.loads(run("agreement ratings.csv --raters ann,bob --labels 1,2,3,4,5 --json", capfd))
    assert labels["categories"] == [1, 2, 3, 4, 5]
    runs = assay.read_log(here / "runs.csv", question="question", correct="correct", model="model")
    found = assay.repeats(runs, question="question", correct="correct", model="model", k=[1, 2])
    assert (
        json.loads(
            run("repeats runs.csv --question question --correct correct --model model --k 1,2 --json", capfd)
        )
        == found.to_dict()
    )
    assert "pass@3" not in run("repeats runs.csv --question question --correct correct --markdown", capfd)
    arena = json.loads(
        run("arena games.csv --left a --right b --winner winner --no-position --ties half --json", capfd)
    )
    assert arena["method"] == "half"
    assert arena["position"] is None
    line = "arena games.csv --left a --right b --winner winner --latex --report arena.html"
    assert run(line, capfd).startswith(r"\begin{tabular}")
    assert "Models ranked by preferences" in (here / "arena.html").read_text(encoding="utf-8")
    judged = json.loads(
        run("evaluate judged.csv --actual human --predicted said --proxy judge --json", capfd)
    )
    assert judged["metrics"]["accuracy"]["effective_labels"] > 100, judged["metrics"]["accuracy"]
    assert "labels are worth" in run(
        "evaluate judged.csv --actual human --predicted said --proxy judge", capfd
    )
