"""The result interface, by a result made for the purpose."""

import json
import math

import pytest

from assay.formatting.json_values import json_safe
from assay.formatting.result import Result
from assay.formatting.result_table import IntervalCell, ResultTable, escape_latex
from assay.formatting.width import terminal_width, width
from assay.metrics import Undefined


class Example(Result):
    """A result with awkward labels, a missing value and more columns than fit a terminal."""

    def to_dict(self):
        """Return numbers that JSON lacks."""
        return json_safe({"value": math.nan, "low": -math.inf})

    def tables(self):
        """Return labels that markup would misread."""
        labels = ["a|b_c & 50% #1 $x {y}", "<b>垃圾邮件</b>"]
        values = [IntervalCell(0.9, 0.8, 0.95), IntervalCell(None)]
        more = {f"column_{index}": [index, -0.5 * index] for index in range(12)}
        return [
            ResultTable({"label": labels, "value": values, "p": [3.4e-241, None], **more}, title="A_title")
        ]


def test_numbers_that_json_lacks_are_null_or_words():
    """NaN and undefined values are null, infinity is a word, arrays become lists."""
    np = pytest.importorskip("numpy")
    given = {"a": np.array([1.0, np.nan]), "b": Undefined("no rows"), "c": -math.inf, "d": np.int64(3)}
    assert json_safe(given) == {"a": [1.0, None], "b": None, "c": "-Infinity", "d": 3}


def test_json_parses_to_the_plain_data():
    """`to_json` is `to_dict` and nothing else."""
    assert json.loads(Example().to_json()) == Example().to_dict() == {"value": None, "low": "-Infinity"}


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_text_fits_the_width(columns):
    """A table with too many columns is printed in blocks, each under its first column."""
    lines = Example().text(width=columns).splitlines()
    assert max(map(width, lines)) <= columns
    assert "column 11" in Example().text(width=columns)


def test_an_interval_becomes_three_columns_of_a_frame():
    """A frame has the limits beside the value; a column named value gives them short names."""
    columns = ResultTable({"value": [IntervalCell(1.0, 0.0, 2.0)], "gap": [IntervalCell(1.0)]}).flat()
    assert columns == {
        "value": [1.0], "low": [0.0], "high": [2.0], "gap": [1.0], "gap_low": [None], "gap_high": [None],
    }  # fmt: skip


def test_latex_is_escaped_and_balanced():
    """What LaTeX would read as a command is printed; a row never begins with an option of the one before."""
    text = Example().to_latex()
    assert r"a|b\_c \& 50\% \#1 \$x \{y\}" in text
    assert r"$3.4\times10^{-241}$" in text
    assert text.count("{") == text.count("}")
    assert escape_latex("\\^~") == r"\textbackslash{}\textasciicircum{}\textasciitilde{}"
    assert "\n{}[a]" in "\n".join(ResultTable({"label": ["[a]"]}).to_latex())


def test_html_and_markdown_escape_labels():
    """Labels are text in HTML and in Markdown."""
    assert "<b>" not in Example()._repr_html_()
    assert r"a\|b\_c" in Example().to_markdown()


def test_printed_text_has_the_width_of_the_terminal(monkeypatch):
    """Within 60 and 120 columns where there is a terminal, else 80."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)
    assert terminal_width() == 80
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    for columns, expected in ((20, 60), (100, 100), (300, 120)):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert terminal_width() == expected
