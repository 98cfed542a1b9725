"""Laws of every result: one interface, whatever was computed, and labels of any script in it."""

import html.parser
import importlib
import json
import re
import tempfile

import numpy as np
import pytest

import assay
from assay.formatting.result import Result
from assay.formatting.result_table import ResultTable
from assay.formatting.width import width

METHODS = ("text", "to_dict", "to_json", "to_markdown", "to_frame", "to_latex", "tables", "_repr_html_")
LABELS = ["a_b & 50% #1 $x", "<b>垃圾邮件</b> | {y}", "c\\d ^ ~"]
WIDTHS = (60, 80, 120)


def _labels(n=120, classes=3):
    draw = np.random.default_rng(5)
    actual = draw.integers(0, classes, n)
    predicted = np.where(draw.random(n) < 0.7, actual, draw.integers(0, classes, n))
    return [[LABELS[code] for code in codes] for codes in (actual, predicted)]


def _scores(n=120, seed=3):
    draw = np.random.default_rng(seed)
    actual = draw.integers(0, 2, n)
    return actual.tolist(), np.clip(actual * 0.3 + draw.random(n) * 0.7, 0, 1).round(3).tolist()


def _multiclass():
    actual, predicted = _labels()
    region = [LABELS[index % 2] for index in range(len(actual))]
    table = {"y": actual, "p": predicted, "region": region}
    return assay.evaluate(table, actual="y", predicted="p", by="region", name=LABELS[1])


def _binary():
    actual, score = _scores()
    return assay.evaluate(actual=actual, score=score)


def _compared():
    actual, first = _labels()
    second = first[30:] + first[:30]
    rows = [assay.rows(actual=actual, predicted=predicted) for predicted in (first, second)]
    return assay.compare(*rows, names=LABELS[:2], metrics=["accuracy", "macro f1"])


def _several_compared():
    actual, first = _labels()
    rows = [assay.rows(actual=actual, predicted=first[shift:] + first[:shift]) for shift in (0, 20, 40)]
    return assay.compare(*rows, names=LABELS, metrics=["accuracy", "kappa"])


def _resamples():
    draw = np.random.default_rng(1)
    first = 0.8 + draw.normal(0, 0.01, 10)
    return assay.compare_resamples(first, first + draw.normal(0.02, 0.01, 10), names=LABELS[:2], metric="f1")


def _datasets():
    draw = np.random.default_rng(2)
    return assay.compare_datasets(dict(zip(LABELS, draw.random((3, 12)), strict=True)))


class Shares:
    """A model that predicts the shares of the classes, a little moved by the first feature."""

    def fit(self, _, y):
        """Keep the classes and their shares."""
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares = counts / counts.sum()

    def predict_proba(self, features):
        """Return a column of probabilities for each class."""
        moved = self.shares + 0.2 * np.outer(np.asarray(features)[:, 0], np.linspace(-1, 1, len(self.shares)))
        moved = np.clip(moved, 0.01, None)
        return moved / moved.sum(axis=1, keepdims=True)

    def predict(self, features):
        """Return the likeliest class."""
        return self.classes_[self.predict_proba(features).argmax(axis=1)]


def _features():
    actual, _ = _labels()
    draw = np.random.default_rng(8)
    features = np.array([[LABELS.index(label) - 1.0] for label in actual]) + draw.normal(
        0, 1, (len(actual), 1)
    )
    return features, np.array(actual)


def _crossval(name=LABELS[1], **options):
    return assay.crossval(
        Shares(), *_features(), metrics=["accuracy", "kappa"], split=5, name=name, **options
    )


def _threshold(**options):
    actual, score = _scores()
    return assay.decisions.choose_threshold(assay.rows(actual=actual, score=score), best="f1", **options)


def _agreement(**options):
    draw = np.random.default_rng(4)
    truth = draw.integers(0, 3, 40)
    votes = {
        rater: [LABELS[code] for code in np.where(draw.random(40) < 0.8, truth, draw.integers(0, 3, 40))]
        for rater in (*LABELS, "judge")
    }
    return assay.agreement(votes, raters=list(votes), **options)


def _repeats(**options):
    draw = np.random.default_rng(6)
    columns = {
        "question": np.repeat(np.arange(30), 8),
        "model": np.tile(np.repeat(LABELS[:2], 4), 30),
        "ok": (draw.random(240) < np.repeat(draw.random(30), 8)).astype(int),
        "score": draw.normal(size=240),
    }
    return assay.repeats(columns, **{"question": "question", "correct": "ok", **options})


def _arena(**options):
    draw = np.random.default_rng(7)
    first = draw.integers(0, 3, 90)
    second = (first + draw.integers(1, 3, 90)) % 3
    columns = {
        "left": [LABELS[index] for index in first],
        "right": [LABELS[index] for index in second],
        "winner": draw.choice(["left", "right", "tie"], 90),
        "prompt": np.arange(90) // 3,
        "length": draw.normal(size=90),
    }
    return assay.arena(columns, left="left", right="right", winner="winner", **options)


def _powered():
    draw = np.random.default_rng(9)
    truth = draw.integers(0, 2, 600)
    judge, predicted = (np.where(draw.random(600) < right, truth, 1 - truth) for right in (0.95, 0.8))
    human = [LABELS[code] if index < 120 else None for index, code in enumerate(truth)]
    names = np.array(LABELS)
    return assay.evaluate(
        actual=human, predicted=names[predicted], proxy=names[judge], positive=LABELS[1], name=LABELS[0]
    )


def _checked():
    actual, _ = _scores()
    regions = [LABELS[index % 3] for index in range(len(actual))]
    tables = [{"y": actual, "p": _scores(seed=seed)[1], "at": regions} for seed in (1, 2)]
    requirements = ["auc >= 0.99", "recall >= 0.2 in every at", f"auc no worse than {LABELS[1]} by 0.4"]
    plan = assay.plan(tables[0], name=LABELS[0], requirements=requirements, actual="y", score="p")
    return assay.check(plan, tables[1], against=tables[0], name=LABELS[2])


def _history(by=None):
    """Return the history of a ledger of a model whose name needs escapes."""
    with tempfile.TemporaryDirectory() as folder, assay.ledger(f"{folder}/ledger.db") as book:
        for _ in range(2):
            book.record(_multiclass())
            book.record(_binary(), model=LABELS[0])
        return book.history(by=by)


RESULTS = {
    "history": _history,
    "history of slices": lambda: _history(by="region"),
    "plan": lambda: assay.plan(
        {"y": [0, 1] * 200}, requirements=["recall >= 0.9"], actual="y", predicted="z", name="release"
    ),
    "check of a plan": _checked,
    "evaluation with a proxy": _powered,
    "plan of labels": lambda: assay.labels_needed(_powered(), "accuracy", half_width=0.05),
    "arena": lambda: _arena(group="prompt"),
    "arena with covariates": lambda: _arena(covariates=["length"], ties="rao-kupper"),
    "arena of one winner": lambda: assay.arena(left=["a", "a"], right=["b", "b"], winner=["a", "a"]),
    "repeated runs": _repeats,
    "repeated runs of two models": lambda: _repeats(model="model", selector="score", cost_question=5),
    "repeated runs of scores": lambda: _repeats(correct="score"),
    "a single run": lambda: assay.repeats(question=[1, 2], correct=[1, 0], k=3),
    "standings of compared models": lambda: _several_compared().standings("accuracy"),
    "agreement of raters": _agreement,
    "agreement with a judge": lambda: _agreement(against="judge", level="ordinal", labels=LABELS),
    "agreement without pairs": lambda: assay.agreement(raters={"a": [1, None], "b": [None, 1]}),
    "evaluation of several classes": _multiclass,
    "evaluation of two classes": _binary,
    "evaluation of numbers": lambda: assay.evaluate(
        actual=[1.0, 2.5, 4.0, 9.0], predicted=[1.5, 2.0, 4.5, 7.0]
    ),
    "evaluation of one row": lambda: assay.evaluate(actual=[0], predicted=[1], labels=[0, 1], positive=1),
    "metrics by group": lambda: assay.group_metrics(
        by=[LABELS[index % 3] for index in range(120)], actual=_scores()[0], score=_scores()[1]
    ),
    "classes": lambda: _multiclass().classes,
    "slices by column": lambda: _multiclass().slices,
    "slices": lambda: _multiclass().slices["region"],
    "error rows": lambda: _multiclass().errors(),
    "error rows of scores": lambda: _binary().errors(),
    "cross table": lambda: _multiclass().confusion,
    "cross table of weights": lambda: assay.CrossTable([[1.5, 0.0], [0.0, 0.0]], LABELS[:2]),
    "comparison of two": _compared,
    "comparison of three": _several_compared,
    "comparison over resamples": _resamples,
    "comparison over data sets": _datasets,
    "cross-validation": _crossval,
    "learning curve": lambda: assay.learning_curve(
        Shares(), *_features(), sizes=[30, 60], metrics=["accuracy", "kappa"], name=LABELS[0]
    ),
    "comparison of two on folds": lambda: _crossval("a").compare(_crossval(LABELS[1])),
    "comparison of three on folds": lambda: _crossval("a").compare(
        _crossval(LABELS[1]), _crossval(LABELS[0])
    ),
    "threshold": lambda: _threshold(replicates=20),
    "threshold of infinity": lambda: assay.decisions.choose_threshold(
        assay.rows(actual=[0, 1, 0], score=[3.0, 1.0, 2.0]), best="precision"
    ),
    "cross-fitted threshold": lambda: _threshold(folds=5).cross_fit,
}
EXAMPLES = {name: pytest.param(make, id=name) for name, make in RESULTS.items()}
every_result = pytest.mark.parametrize("make", EXAMPLES.values())


def _subclasses(kind):
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)


def test_every_result_class_has_an_example():
    """A result that is added without an example here is found."""
    for module in ("comparison.compare", "comparison.procedures", "crosstable", "evaluation.evaluation",
                   "evaluation.per_class", "crossvalidation.crossval", "crossvalidation.learning_curve", "decisions", "evaluation.error_rows", "evaluation.slices.slices",
                   "raters.agreement", "repeated_runs.repeats",
                   "evaluation.group_metrics", "preferences.arena", "evaluation.proxy.label_plan", "plans.check"):  # fmt: skip
        importlib.import_module(f"assay.{module}")
    # By name: a data class with slots leaves its first version behind.
    concrete = {
        each.__name__ for each in _subclasses(Result)
        if each.__module__.startswith("assay.") and not each.__name__.endswith("Shortcuts")
    }  # fmt: skip
    assert concrete <= {type(make()).__name__ for make in RESULTS.values()}


@every_result
def test_a_result_has_every_method(make):
    """One interface: whoever knows one result knows all."""
    result = make()
    assert isinstance(result, Result)
    for name in METHODS:
        assert callable(getattr(result, name)), name
    assert str(result) == result.text(width=80)
    assert " at 0x" not in repr(result)  # which a notebook or a prompt would show


@every_result
def test_json_is_the_plain_data(make):
    """`to_json` parses to `to_dict`, in which NaN is null and infinity a word."""
    result = make()
    assert isinstance(result.to_dict(), dict)
    assert json.loads(result.to_json()) == result.to_dict()
    assert json.loads(result.to_json(indent=2)) == result.to_dict()
    assert "NaN" not in result.to_json()


@every_result
def test_tables_are_rectangular(make):
    """The tables' columns are of equal length, and numbers in them are numbers."""
    tables = make().tables()
    assert tables
    for table in tables:
        assert isinstance(table, ResultTable)
        assert len({len(column) for column in table.columns.values()}) == 1
        assert len(table.heads) == len(table.numeric)


@every_result
@pytest.mark.parametrize("library", ["dict", "pandas", "polars", "pyarrow"])
def test_frames_of_every_library_have_the_same_columns(make, library):
    """The main table in each data-frame library."""
    result = make()
    plain = result.to_frame(library="dict")
    if library == "dict":
        assert isinstance(plain, dict)
        return
    pytest.importorskip(library)
    frame = result.to_frame(library=library)
    names = frame.column_names if library == "pyarrow" else list(frame.columns)
    assert names == list(plain)
    assert len(frame) == len(next(iter(plain.values())))


@every_result
@pytest.mark.parametrize("columns", WIDTHS)
def test_text_fits_the_width(make, columns):
    """No line is wider than asked for, letters of two columns and all."""
    for line in make().text(width=columns).splitlines():
        assert width(line) <= columns, line


@every_result
def test_markdown_has_pipe_tables(make):
    """Every row of a table has as many cells as its heading, and a rule below that."""
    rows = [line for line in make().to_markdown().splitlines() if line.startswith("|")]
    assert len(rows) > 2
    cells = [len(re.findall(r"(?<!\\)\|", row)) - 1 for row in rows]
    for index, row in enumerate(rows):
        if re.fullmatch(r"(\|:?-+:?)+\|", row):
            assert cells[index] == cells[index - 1]
            below = cells[index : index + 2]
            assert len(set(below)) == 1


@every_result
def test_latex_is_ruled_balanced_and_escaped(make):
    """Tables of booktabs with as many cells in each row, and no character that LaTeX would act on."""
    text = make().to_latex()
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == text.count(r"\toprule") > 0
    assert text.count(r"\midrule") == text.count(r"\bottomrule") == text.count(r"\toprule")
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert len(re.findall(r"(?<!\\)\$", text)) % 2 == 0
    for block in re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end\{tabular\}", text, flags=re.DOTALL):
        alignment, body = block
        for row in (line for line in body.splitlines() if line.endswith(r"\\")):
            assert len(re.findall(r"(?<!\\)&", row)) == len(alignment) - 1, row
            assert not row.startswith("[")
            without_math = re.sub(r"(?<!\\)\$[^$]*(?<!\\)\$", "", row)
            assert not re.search(r"(?<!\\)[%#_^~]", without_math), row


class _Elements(html.parser.HTMLParser):
    """The elements of a piece of HTML."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Note an element."""
        del attrs
        self.tags.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        """Check that elements close in order."""
        assert self.open.pop() == tag


@every_result
def test_html_is_tables_whose_labels_are_text(make):
    """A notebook shows tables, and no label becomes an element."""
    found = _Elements(make()._repr_html_())
    assert "table" in found.tags
    assert not found.open
    framed = {"iframe", "details", "summary"}  # the page of an evaluation, which is text in an attribute
    assert found.tags <= {"h3", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", *framed}


@pytest.mark.filterwarnings("ignore:Glyph")  # of a font that has no Chinese letters
@pytest.mark.parametrize(
    "name",
    [
        "agreement of raters",
        "repeated runs",
        "arena",
        "classes",
        "slices",
        "cross table",
        "comparison of two",
        "comparison of three",
    ],
)
def test_a_result_that_has_a_picture_draws_it(name):
    """`plot` returns Matplotlib's axes."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    result = RESULTS[name]()
    axes = result.plot("accuracy") if name == "slices" else result.plot()
    assert axes.get_title()
    pyplot.close("all")
