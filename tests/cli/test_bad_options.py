"""Bad files and options, as people have them: exit code 2, one line, no traceback, nothing written."""

import gzip
import re
import shlex

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.cli import main

GOOD = "y,score,region\n0,0.1,north\n1,0.9,south\n1,0.8,north\n0,0.3,south\n"


def parquet(**columns):
    out = pa.BufferOutputStream()
    pq.write_table(pa.table({"y": [0, 1, 1], "score": [0.1, 0.9, 0.8], **columns}), out)
    return out.getvalue().to_pybytes()


# Bad files: their name, what they hold, what is asked of them beyond the roles, and the words of the message.
FILES = [
    ("a.csv", "", "", r"a\.csv is empty"),
    ("a.csv", "y,score\n", "", r"a\.csv holds no rows"),
    ("a.csv", GOOD.replace("score", "scroe"), "", r'no column "score" in a\.csv\. Did you mean "scroe"\?'),
    ("a.csv", GOOD.replace("y,", "target,"), "", r'no column "y".*Columns: "target", "score", "region"'),
    ("a.csv", GOOD, "--by regoin", r'Did you mean "region"\?'),
    ("a.csv", GOOD, "--weight region", r"region holds text where numbers are needed"),
    ("a.csv", GOOD.replace("0.9", "high"), "", r'score holds text where numbers are needed, such as "high" .line 3 of a\.csv'),
    ("a.csv", GOOD + "1,NA,n\n", "", r"say what stands for a missing value, as --null NA"),
    ("a.csv", GOOD + "1,0.5\n", "", r"line 6 of a\.csv has 2 values where the header has 3.*--delimiter, --quote"),
    ("a.csv", GOOD + "1,0.5,n,x\n", "", r"line 6 of a\.csv has 4 values"),
    ("a.csv", GOOD + '1,0.5,"open\n', "", r"opens a quote that is never closed"),
    ("a.csv", GOOD + "1,,n\n", "", r"1 value is missing in score .first at row 4 of a\.csv.*--missing drop leaves such rows out"),
    ("a.csv", GOOD + "1,nan,n\n", "", r"missing in score"),
    ("a.csv", GOOD + ",0.5,n\n", "", r"missing in y"),
    ("a.csv", GOOD + "1,0.5,\n", "--by region", r"missing in region"),
    ("a.csv", GOOD + "2,0.5,n\n", "--labels 0,1", r"y holds the label 2 .*not among the declared"),
    ("a.csv", GOOD, "--positive 7", r"7"),
    ("a.csv", GOOD.replace("\n0,", "\nno,").replace("\n1,", "\nyes,"), "", r"say which one is positive with --positive"),
    ("a.csv", GOOD.replace("\n0,", "\nno,").replace("\n1,", "\nyes,"), "--positive yse", r"yse"),
    ("a.csv", GOOD + "0.5,0.5,n\n", "--task binary", r"0\.5"),
    ("a.csv", "y,y,score\n0,1,0.5\n", "", r'two columns of a\.csv are named "y"'),
    ("a.csv", "y,score,region\n0,0.1,café\n1,0.2,x\n".encode("latin-1"), "--by region", r"say its encoding, as --encoding latin-1"),
    ("a.csv", GOOD, "--encoding klingon", r"--encoding klingon is not known"),
    ("a.csv", b"y,score\n\x81,1\n", "--encoding cp1252", r"is not text in cp1252"),
    ("a.csv", GOOD, "--delimiter ::", r"a delimiter is one character"),
    ("a.csv", GOOD, "--delimiter tab", r'no column "y"'),
    ("a.csv", GOOD, "--names a,b", r"--names has 2 names, but a\.csv has 3 columns"),
    ("a.csv", GOOD.replace("0.9", "-1"), "--weight score", r"score is negative"),
    ("a.csv", GOOD.replace("0.9", "inf"), "--weight score", r"."),
    ("a.csv", GOOD, "--edges region=1 --by region", r"region holds text"),
    ("a.csv", GOOD, "--edges age=30", r"cuts \"age\", which is not sliced by"),
    ("a.csv", "y,score\n0,0.5\n0,0.6\n", "--confidence 0.95 --positive 1 --labels 0,0", r"declared twice"),
    ("a.csv", "y,score\n1,0.5\n", "--threshold high", r"--threshold: 'high' is no number"),
    ("a.csv.gz", gzip.compress(GOOD.encode())[:-20], "", r"a\.csv\.gz cannot be read"),
    ("a.csv.gz", GOOD, "", r"a\.csv\.gz cannot be read"),
    ("a.csv", gzip.compress(GOOD.encode()), "", r"a\.csv"),
    ("a.parquet", b"", "", r"a\.parquet cannot be read"),
    ("a.parquet", b"hello", "", r"too small to be a Parquet file"),
    ("a.parquet", parquet()[:-30], "", r"a\.parquet cannot be read"),
    ("a.parquet", parquet()[:300] + parquet()[-200:], "", r"a\.parquet cannot be read"),
    ("a.parquet", parquet(score=["0.1", "0.9", "0.8"]), "", r"score holds text, such as .* where scores are needed"),
    ("a.parquet", parquet(score=[[1.0], [2.0], [3.0]]), "", r"of type DOUBLE\[\]"),
    ("a.parquet", parquet(score=[b"a", b"b", b"c"]), "", r"of type BLOB"),
    ("a.parquet", parquet(score=[None, None, None]), "", r"3 values are missing"),
    ("a.parquet", parquet(), "--delimiter ;", r"--delimiter says how a CSV is written, but a\.parquet is none"),
    ("a.parquet", parquet(), "--memory lots", r"--memory lots is no amount of memory"),
    ("a.parquet", parquet(), "--memory 1kB", r"too little to read files with"),
    ("a.parquet", parquet(), "--threads 0", r"--threads 0: at least one"),
    ("a.arrow", b"", "", r"a\.arrow cannot be read as an Arrow file"),
    ("a.jsonl", '{"y": 1, "score": 0.5}\n{"y": 0, \n', "", r"Malformed JSON"),
    ("a.jsonl", '{"y": 1}\n', "", r'no column "score"'),
    ("a.jsonl", '{"y": 1, "score": {"a": 1}}\n', "", r"of type STRUCT"),
    ("a.duckdb", "no database", "", r"say which rows of it are meant, with --table or --sql"),
    ("a.csv", GOOD, "--table preds", r"a\.csv cannot be read: it is no database"),
    ("a.csv", GOOD, "--format parquet", r"a\.csv cannot be read"),
    ("a.csv", GOOD, '--require "recall"', r'--require "recall" cannot be read: write it as "recall >= 0\.9"'),
    ("a.csv", GOOD, '--require "recall >= lots"', r"cannot be read"),
    ("a.csv", GOOD, '--require "reacll >= 0.9"', r"reacll"),
    ("a.csv", GOOD, '--require-point "f1 = 0.9"', r"--require-point"),
    ("a.csv", GOOD, "--confidence 95", r"95"),
    ("a.csv", GOOD, "--prevalence 2", r"2"),
    ("a.csv", GOOD, "--beta -1", r"-1"),
    ("a.csv", GOOD, "--k many", r"'many' is no whole number"),
    ("a.csv", GOOD, "--task regression", r"a regression needs --predicted numbers"),
    ("a.csv", GOOD, "--task multilabel", r"--task multilabel needs several columns of actual values"),
    ("a.csv", GOOD, "--json --markdown", r"--markdown: not allowed with argument --json"),
    ("a.csv", GOOD, "--like excel", r"invalid choice: 'excel'"),
    ("a.csv", GOOD, "--actual y", r"--actual is given twice"),
    ("a.csv", GOOD, "--acutal y", r"there is no option --acutal: did you mean --actual\?"),
    ("a.csv", GOOD, "--jsno", r"did you mean --json\?"),
    ("a.csv", GOOD, "--missing guess", r"invalid choice: 'guess'"),
    ("a.csv", GOOD, "--labels ,", r"is no list: write it as a,b,c"),
    ("a.csv", GOOD, "--edges age", r"should be written as COLUMN=30,50"),
    ("a.csv", GOOD, "--output gone/out.json", r"there is no folder gone"),
    ("a.csv", GOOD, "--output a.csv", r"a\.csv is read from"),
    ("a.csv", GOOD, "--report empty", r"empty is a folder"),
    ("a.csv", GOOD, "--report out.html --output out.html", r"would be written twice"),
    ("a.csv", GOOD, "--threshold", r"--threshold: expected one argument"),
]  # fmt: skip


def python_syntax(text, words):
    """Return what looks like a keyword argument or a call of Python's and was not typed."""
    plain = text
    for word in sorted(words, key=len, reverse=True):
        plain = plain.replace(word, " ")
    return re.findall(r"(?<![\w./-])[a-z_]+=(?!0\.[27]5|30,50|10,20)\S*|\b(?:ev|assay)\.[a-z_]+\(", plain)


def wrong(words, capfd, at):
    """Run a command that cannot be done; return the one line it says."""
    before = {path: path.read_bytes() for path in at.rglob("*") if path.is_file()}
    assert main(words) == 2
    said = capfd.readouterr()
    assert not said.out
    assert said.err.startswith("assay: ")
    assert said.err.count("\n") == 1
    assert said.err.endswith("\n")
    assert "Traceback" not in said.err
    assert "should not have happened" not in said.err
    assert len(said.err) < 480
    assert not python_syntax(said.err, words), said.err
    assert {path: path.read_bytes() for path in at.rglob("*") if path.is_file()} == before
    return said.err


@pytest.mark.parametrize(
    ("name", "content", "asked", "words"),
    FILES,
    ids=[f"{case[0]} {case[2]}: {case[3][:30]}" for case in FILES],
)
def test_a_bad_file_gets_one_line(name, content, asked, words, tmp_path, monkeypatch, capfd):  # noqa: PLR0917
    """What is wrong, where, and what to do, in the words of the command line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "empty").mkdir()
    roles = ["--actual", "y", "--score", "score"]
    more = (
        []
        if {"--output", "--report"} & set(asked.split())
        else ["--report", "page.html", "--output", "out.txt"]
    )
    more = [] if "--json --markdown" in asked else more
    said = wrong(["evaluate", name, *roles, *shlex.split(asked), *more], capfd, tmp_path)
    assert re.search(words, said), said


# Whole commands, in a folder with the small files of the examples.
COMMANDS = [
    ("evalute preds.csv", r"there is no command 'evalute': did you mean evaluate\?"),
    ("nonsense", r"there is no command 'nonsense'\. \(assay --help"),
    ("--verson", r"there is no option --verson: did you mean --version\?"),
    ("evaluate", r"--actual is needed"),
    ("evaluate two.csv --actual y --score a --by b", r"as --edges b=10,20\.$"),
    ("evaluate two.csv --actual y --score a --require 'mse < 1'", r"mse has nothing to read here: it is of another task"),
    ("evaluate two.csv --actual y --score a --output -", r"- is no file to write to"),
    ("tally two.csv --actual y --score a --output -", r"- is no file to write to"),
    ("evaluate preds.csv", r"--actual is needed"),
    ("evaluate --actual y --score p", r"no file was named"),
    ("evaluate preds.csv --actual type", r"needs --predicted"),
    ("evaluate perds.csv --actual y --score p", r"there is no file perds\.csv\. Did you mean preds\.csv\?"),
    ("evaluate '*.gone' --actual y --score p", r"no file matches \*\.gone"),
    ("evaluate parts --actual y --score p", r"the folder parts holds no file to read"),
    ("evaluate preds.csv two.csv --actual y --score p", r'no column "y" in preds\.csv'),
    ("evaluate --sql 'SELEC 1' --actual y --score p", r"syntax error"),
    ("evaluate --sql 'DROP TABLE x' --actual y --score p", r"--sql must be one SELECT"),
    ("evaluate --sql 'SELECT 1 AS y' --delimiter , --actual y --predicted y", r"--delimiter says how a CSV is written"),
    ("evaluate --sql 'SELECT 1 AS y' --table t --actual y --predicted y", r"either --sql or --table"),
    ("evaluate --table t --actual y --score p", r"no file was named"),
    ("evaluate preds.csv --actual type --predicted said --threshold 0.5", r"--threshold"),
    ("evaluate preds.csv --actual type --predicted p_spam", r"."),
    ("evaluate two.csv --actual y --score yhat_a --score a --score b", r"."),
    ("tally preds.csv --actual type --predicted said --positive spam", r"--output is needed"),
    ("tally preds.csv --actual type --predicted said --positive spam --output gone/x.assay", r"there is no folder gone"),
    ("tally preds.csv --actual type --predicted said --positive spam --output preds.csv", r"preds\.csv is read from"),
    ("merge 1.assay 2.assay", r"--output is needed"),
    ("merge --output all.assay", r"no file was named"),
    ("merge 1.assay 1.assay --output all.assay", r"1\.assay is named twice"),
    ("merge 1.assay preds.csv --output all.assay", r"preds\.csv: this is no evaluation that assay saved"),
    ("merge 1.assay gone.assay --output all.assay", r"there is no file gone\.assay"),
    ("merge '*.gone' --output all.assay", r"no file matches"),
    ("merge 1.assay 2.assay --output 1.assay", r"1\.assay is read from"),
    ("report", r"a report is of one file, and none was named"),
    ("report 1.assay 2.assay", r"2 were named: merge joins several"),
    ("report preds.csv", r"no evaluation that assay saved"),
    ("report parts", r"parts cannot be read"),
    ("report 1.assay --require 'auc >= 0.5'", r"auc"),
    ("threshold preds.csv --actual type --score p_spam --positive spam", r"name a criterion for the threshold"),
    ("threshold preds.csv --actual type --positive spam --best f1", r"--score is needed"),
    ("threshold preds.csv --actual type --score p_spam --positive spam --best f1 --min-recall 0.9", r"."),
    ("threshold preds.csv --actual type --score p_spam --positive spam --best f1 --cost-fp 5", r"."),
    ("threshold preds.csv --actual type --score p_spam --positive spam --best nonsense", r"nonsense"),
    ("threshold preds.csv --actual type --score p_spam --positive spam --min-recall 1.5", r"1\.5"),
    ("threshold preds.csv --actual type --score p_spam --positive spam --cost-fp -1 --cost-fn 1", r"-1"),
    ("threshold preds.csv --actual type --score p_spam --positive spam --best f1 --folds 1", r"folds"),
    ("threshold two.csv --actual y --score a --score b --best f1", r"--score is given twice"),
    ("crosstab preds.csv --actual type", r"--predicted is needed"),
    ("agreement ratings.csv", r"--raters is needed"),
    ("agreement ratings.csv --raters ann", r"two raters or more: --raters"),
    ("agreement ratings.csv --raters ann,bob --against cyn", r"--against cyn is not one of the raters"),
    ("repeats runs.csv --question question", r"--correct is needed"),
    ("repeats runs.csv --question question --correct correct --k 0", r"--k"),
    ("repeats runs.csv --question question --correct correct --k 2.5", r"--k: '2.5' is no whole number"),
    ("arena games.csv --left a --right b", r"--winner is needed"),
    ("arena games.csv --left a --right a --winner winner", r"compared with itself"),
    ("evaluate judged.csv --actual human --predicted said --selection judge", r"--proxy"),
    ("crosstab preds.csv --actual type --predicted p_spam", r"."),
    ("crosstab preds.csv --actual type --predicted sad", r'Did you mean "said"'),
    ("crosstab preds.csv --actual type --predicted said --positive spam", r"--positive has no use here"),
    ("crosstab preds.csv --actual type --predicted said --digits 99", r"from 0 to 15 digits"),
    ("crosstab preds.csv --actual type --predicted said --labels ham,eggs", r"not among the declared"),
    ("crosstab preds.csv --actual type --predicted said --threads 0", r"--threads 0|--threads=0"),
    ("compare two.csv --actual y --score a", r"--score is given once"),
    ("compare two.csv --actual y", r"--score or --predicted is needed"),
    ("compare two.csv --score a --score b", r"--actual is needed"),
    ("compare two.csv --actual y --score a --score bb", r'no column "bb"'),
    ("compare two.csv --actual y --score a --score a", r"two models have one name"),
    ("compare two.csv --actual y --score a --score b --predicted yhat_a", r"--predicted is given once"),
    ("compare two.csv --actual y --score a --score b --model-names old", r"2 columns, but 1 model "),
    ("compare two.csv --actual y --score a --score b --metrics acuracy", r"acuracy"),
    ("compare two.csv --actual y --score a --score b --confidence 2", r"2"),
    ("compare a.csv b.csv --actual y --score p --score q", r"--score is given twice"),
    ("compare 1.assay a.csv", r"holds an evaluation, a\.csv does not"),
    ("compare 1.assay 2.assay --actual y", r"--actual has no use here"),
    ("compare 1.assay", r"two models"),
    ("split data.csv", r"name the parts: --parts"),
    ("split data.csv --parts train=0.5,test=0.4", r"add up to 0\.9"),
    ("split data.csv --parts train=half", r"'half' is no number"),
    ("split data.csv --parts train", r"should be written as train=0\.75"),
    ("split data.csv --parts a=0.5,a=0.5", r"is there twice"),
    ("split data.csv --parts ../x=0.5,y=0.5", r"names no file"),
    ("split data.csv --parts a=0.5,b=0.5 --folds 5", r"not allowed with"),
    ("split data.csv --folds 1", r"--folds 1 should be a whole number of at least 2"),
    ("split data.csv --folds 500", r"more folds than rows"),
    ("split data.csv --folds 5 --stratify defualt", r'Did you mean "default"'),
    ("split data.csv --folds 5 --stratify amount", r"--bins"),
    ("split data.csv --folds 5 --time day --stratify default", r"--stratify has no use with --time"),
    ("split data.csv --parts a=0.5,b=0.5 --time housing", r"which is no date"),
    ("split data.csv --parts a=0.5,b=0.5 --gap 3d", r"add --time COLUMN"),
    ("split data.csv --parts a=0.5,b=0.5 --time day --gap 3", r"--gap 3.*duration, such as 7d"),
    ("split data.csv --parts a=0.5,b=0.5 --gap soon --time day", r"'soon' is no number"),
    ("split data.csv --parts a=0.5,b=0.5 --key housing", r"twice"),
    ("split data.csv --parts a=0.5,b=0.5 --seed -1", r"--seed -1"),
    ("split data.csv --parts a=0.5,b=0.5 --into gone", r"there is no folder gone"),
    ("split data.csv --parts a=0.5,b=0.5 --output x.csv", r"--output names one file, for --column"),
    ("split data.csv --folds 5 --column age", r'has a column "age" already'),
    ("split a.csv b.csv --folds 5", r"split deals out one file"),
    ("split gone.csv --folds 5", r"there is no file gone\.csv"),
    ("split data.csv --folds 5 --bins 3", r"add --stratify COLUMN"),
    ("split data.csv --folds 5 --repeats 0", r"--repeats 0"),
    ("crossval data.csv --target default", r"--model is needed"),
    ("crossval data.csv --model sklearn.tree:DecisionTreeClassifier", r"--target is needed"),
    ("crossval data.csv --target default --positive yes --model sklearn.tree", r"should be written as sklearn\.tree:"),
    ("crossval data.csv --target default --positive yes --model sklearn.tre:X", r"cannot be imported"),
    ("crossval data.csv --target default --positive yes --model sklearn.tree:DecisionTreClassifier", r"did you mean DecisionTreeClassifier"),
    ("crossval data.csv --target default --positive yes --model sklearn.tree:DecisionTreeClassifier --set depth=3", r"cannot be made"),
    ("crossval data.csv --target default --positive yes --model sklearn.tree:DecisionTreeClassifier --set depth", r"NAME=VALUE"),
    ("crossval data.csv --target default --positive yes --model sklearn.tree:DecisionTreeClassifier --set max_depth=-3", r"every fold failed"),
    ("crossval data.csv --target defualt --model sklearn.tree:DecisionTreeClassifier", r'Did you mean "default"'),
    ("crossval data.csv --target default --positive yes --model sklearn.tree:DecisionTreeClassifier --features default,age", r"would know the answer"),
    ("crossval data.csv --target default --positive yes --model sklearn.tree:DecisionTreeClassifier --features age --without day", r"use one of them"),
    ("crossval data.csv --target default --positive yes --model sklearn.tree:DecisionTreeClassifier --without dya", r"no column dya: did you mean day\?"),
    ("crossval data.csv --target default --positive yes --model sklearn.tree:DecisionTreeClassifier --metrics acuracy", r"acuracy"),
    ("crossval data.csv --target default --model sklearn.tree:DecisionTreeClassifier --positive maybe", r"maybe"),
    ("crossval data.csv --target default --positive yes --model sklearn.tree:DecisionTreeClassifier --folds 1", r"at least 2"),
    ("crossval data.csv --target default --positive yes --model sklearn.tree:DecisionTreeClassifier --folds 5 --bootstrap 5", r"not allowed with"),
    ("crossval data.csv --target default --positive yes --model sklearn.tree:DecisionTreeClassifier --time day --repeats 3", r"--repeats has no use"),
    ("crossval data.csv --target default --positive yes --model sklearn.tree:DecisionTreeClassifier --jobs 0", r"--jobs 0"),
    ("crossval data.csv --target default --positive yes --model sys:maxsize", r"which makes no model"),
    ("crossval data.csv --target default --positive yes --model decimal:Decimal", r"no model|has no"),
    ("metrics nonsense", r"nonsense"),
    ("metrics --json --markdown", r"not allowed with"),
    ("demo now", r"there is no use for 'now' here"),
    ("completion", r"name the shell: bash, zsh, fish"),
    ("completion tcsh", r"invalid choice: 'tcsh'"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "words"), COMMANDS, ids=[line for line, _ in COMMANDS])
def test_a_wrong_command_gets_one_line(line, words, here, capfd):
    """Options that contradict each other, are misspelt or mean nothing, and files that are no such files."""
    said = wrong(shlex.split(line), capfd, here)
    assert re.search(words, said), said


def test_a_table_that_is_not_there_has_a_near_name(here, capfd):
    """A database's tables are asked for by name."""
    with duckdb.connect(here / "some.duckdb") as opened:
        opened.execute("CREATE TABLE preds AS SELECT 1 AS y, 0.5 AS score")
    said = wrong(
        ["evaluate", "some.duckdb", "--table", "perds", "--actual", "y", "--score", "score"], capfd, here
    )
    assert 'Did you mean "preds"?' in said


def test_an_unreadable_file_is_named(here, capfd, monkeypatch):
    """A file without permission is refused."""
    monkeypatch.setattr("os.access", lambda *_: False)  # root may read everything
    said = wrong(["evaluate", "preds.csv", "--actual", "type", "--predicted", "said"], capfd, here)
    assert "may not be read by this user" in said


def test_damaged_evaluations_are_refused(here, capfd):
    """A file that tally wrote and that lost some bytes is no evaluation."""
    data = (here / "1.assay").read_bytes()
    for damaged in (data[:-7], data[:40], data[:60] + b"\0" + data[61:]):
        (here / "bad.assay").write_bytes(damaged)
        assert "bad.assay: " in wrong(["report", "bad.assay"], capfd, here)
        assert "bad.assay: " in wrong(["merge", "1.assay", "bad.assay", "--output", "x.assay"], capfd, here)


def test_what_nobody_expected_gets_a_line_too(here, capfd, monkeypatch):
    """A mistake of ours says what it is and ends with 70, no other code; ASSAY_TRACEBACK shows where."""
    monkeypatch.setattr("assay.cli.demo.demo", lambda: 1 // 0)
    assert main(["demo"]) == 70
    said = capfd.readouterr().err
    assert said.startswith("assay: this should not have happened: ZeroDivisionError")
    assert "ASSAY_TRACEBACK=1" in said
    assert said.count("\n") == 1
    monkeypatch.setenv("ASSAY_TRACEBACK", "1")
    assert main(["demo"]) == 70
    assert "ZeroDivisionError: integer division or modulo by zero\n" in capfd.readouterr().err
    assert main(["report", "gone.assay"]) == 2
    assert "assay.errors.FileError: there is no file gone.assay.\n" in capfd.readouterr().err


def test_there_are_enough_cases():
    """The tables hold far more than sixty ways of getting it wrong."""
    assert len(FILES) + len(COMMANDS) >= 120
