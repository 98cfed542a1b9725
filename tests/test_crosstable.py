import math
from fractions import Fraction

import numpy as np
import pytest
from support.reference_figures import oracle

import assay
from assay import CrossTable
from assay.formatting.width import width

SMS = [[1202, 5], [29, 154]]
EDITIONS = ["ed1", "ed2to4"]


@pytest.fixture
def sms():
    return CrossTable(SMS, ["ham", "spam"])


def gmodels(edition):
    return oracle("sms_crosstable_gmodels")[edition]


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(
    ("attribute", "name"),
    [
        ("row_shares", "prop.row"),
        ("column_shares", "prop.col"),
        ("table_shares", "prop.tbl"),
        ("expected", "expected"),
        ("contributions", "chisq_contribution"),
        ("residuals", "residual_raw"),
        ("pearson_residuals", "residual_pearson"),
        ("adjusted_residuals", "residual_adjusted_standardized"),
    ],
)
def test_every_cell_is_that_of_gmodels(edition, attribute, name):
    """Shares, expected counts, contributions and the three residuals, to thirteen digits."""
    r = gmodels(edition)
    table = CrossTable(r["inputs"]["table"]["values"], r["inputs"]["table"]["rows"])
    np.testing.assert_allclose(getattr(table, attribute), r[name]["values"], rtol=1e-13)


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_total_is_that_of_gmodels(edition):
    """Row and column totals by their labels."""
    r = gmodels(edition)
    table = CrossTable(r["inputs"]["table"]["values"], r["inputs"]["table"]["rows"])
    assert dict(zip(table.labels, table.row_totals.tolist(), strict=True)) == r["row.totals"]
    assert dict(zip(table.column_labels, table.column_totals.tolist(), strict=True)) == r["col.totals"]


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_test_is_that_of_gmodels(edition):
    """Chi-square, Fisher and McNemar asked of the table itself."""
    r = gmodels(edition)
    table = CrossTable(r["inputs"]["table"]["values"], r["inputs"]["table"]["rows"])
    found = {
        "chisq": table.chi_square(),
        "chisq_yates": table.chi_square(correction=True),
        "fisher": table.fisher(),
        "fisher_less": table.fisher(alternative="less"),
        "fisher_greater": table.fisher(alternative="greater"),
        "mcnemar": table.mcnemar("uncorrected"),
        "mcnemar_corrected": table.mcnemar("corrected"),
    }
    for name, test in found.items():
        assert test.p_value == pytest.approx(r[name]["p.value"], rel=1e-11, abs=0)
        if "statistic" in r[name]:
            assert test.statistic == pytest.approx(next(iter(r[name]["statistic"].values())), rel=1e-13)
    assert table.contributions.sum() == pytest.approx(table.chi_square().statistic, rel=1e-14)


def test_the_cross_table_of_the_spam_filter(sms):
    """It looks as R's does, cell by cell."""
    assert (
        str(sms)
        == """\
   Cell Contents
┌─────────────────────────┐
│                       N │
│ Chi-square contribution │
│           N / Row Total │
│           N / Col Total │
│         N / Table Total │
└─────────────────────────┘

Total Observations in Table: 1390

┌──────────────┬───────────────────┬───────────┐
│              │     predicted     │           │
│       actual │     ham │    spam │ Row Total │
├──────────────┼─────────┼─────────┼───────────┤
│          ham │    1202 │       5 │      1207 │
│              │  16.565 │ 128.248 │           │
│              │   0.996 │   0.004 │     0.868 │
│              │   0.976 │   0.031 │           │
│              │   0.865 │   0.004 │           │
├──────────────┼─────────┼─────────┼───────────┤
│         spam │      29 │     154 │       183 │
│              │ 109.256 │ 845.876 │           │
│              │   0.158 │   0.842 │     0.132 │
│              │   0.024 │   0.969 │           │
│              │   0.021 │   0.111 │           │
├──────────────┼─────────┼─────────┼───────────┤
│ Column Total │    1231 │     159 │      1390 │
│              │   0.886 │   0.114 │           │
└──────────────┴─────────┴─────────┴───────────┘

Accuracy: 0.976 (1356 of 1390 correct)"""
    )


def test_the_tests_are_printed_when_asked_for(sms):
    """Each under its name, with the note on small expected counts."""
    text = sms.text(expected=True, residuals=True, chisq=True, fisher=True, mcnemar=True)
    for line in (
        "│              │ 1068.933 │  138.067 │           │",
        "│              │  -10.453 │   29.084 │           │",
        "Minimum expected count: 20.933",
        "Chi^2 = 1099.945     d.f. = 1     p < 2.2e-16",
        "Chi^2 = 1091.694     d.f. = 1     p < 2.2e-16",
        "Chi^2 = 16.941     d.f. = 1     p = 3.856e-05",
        "Chi^2 = 15.559     d.f. = 1     p = 7.998e-05",
        "Sample estimate odds ratio: 1240.978",
        "p < 2.2e-16",
        "Alternative hypothesis: true odds ratio is greater than 1",
    ):
        assert line in text.splitlines()


def test_a_percentage_is_a_way_to_print(sms):
    """The tutorial's accuracy of 80% is 0.8 printed otherwise, and the values stay what they are."""
    rows = assay.rows(actual=[0] * 5 + [1] * 5, predicted=[0, 1, 0, 0, 0, 1, 0, 1, 1, 1])
    table = CrossTable.of(rows)
    assert "Accuracy: 80.0% (8 of 10 correct)" in table.text(percent=True)
    assert "Accuracy: 80% (8 of 10 correct)" in table.text(percent=True, digits=2)
    assert "Accuracy: 0.800 (8 of 10 correct)" in table.text()
    assert "│              │   99.6% │    0.4% │     86.8% │" in sms.text(percent=True)


def test_either_orientation_is_labelled():
    """The tutorial prints the transpose: rows="predicted" does too, and says so."""
    rows = assay.rows(actual=[0] * 5 + [1] * 5, predicted=[0, 1, 1, 0, 0, 1, 0, 1, 1, 1])
    actual, predicted = CrossTable.of(rows), CrossTable.of(rows, rows="predicted")
    assert actual.counts.tolist() == [[3, 2], [1, 4]]
    assert predicted.counts.tolist() == [[3, 1], [2, 4]]
    assert (actual.rows, actual.columns) == ("actual", "predicted")
    assert (predicted.rows, predicted.columns) == ("predicted", "actual")
    assert "│       actual │      0 │      1 │ Row Total │" in str(actual)
    assert "│    predicted │      0 │      1 │ Row Total │" in str(predicted)
    assert str(actual.transposed()) == str(predicted)
    assert predicted.no_information() == actual.no_information()


def test_it_is_made_of_rows_of_a_tally_or_of_a_table():
    """Three ways to the same table."""
    rows = assay.rows(actual=["b", "a", "b"], predicted=["b", "b", "a"])
    tables = [
        CrossTable.of(rows),
        CrossTable.of(assay.Confusion.of(rows)),
        CrossTable([[0, 1], [1, 1]], ["a", "b"]),
    ]
    assert len({str(table) for table in tables}) == 1
    assert [table.to_dict() for table in tables] == 3 * [
        {
            "rows": "actual",
            "columns": "predicted",
            "row_labels": ["a", "b"],
            "column_labels": ["a", "b"],
            "counts": [[0, 1], [1, 1]],
            "row_totals": [1, 2],
            "column_totals": [1, 2],
            "total": 3,
        }
    ]


LABELS = {
    "plain": ["a", "b", "c"],
    "long": ["x" * 60, "needs a second look by somebody who knows", "ok"],
    "wide": ["垃圾邮件", "正常邮件", "不确定的邮件需要人工检查再决定是否投递"],
    "emoji": ["👍🏽", "👎", "👩\u200d🚀 astronaut"],
    "joined": ["cafe\u0301", "nai\u0308ve", "e\u0301" * 30],
    "hostile": ["a\nb", "", "\x1b[31mred"],
    "right to left": ["نعم", "לא", "ربما"],
    "numbers": [-1, 0, 10**18],
}


@pytest.mark.parametrize("scale", [1, 10**6, 10**15])
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize(
    "options", [{}, {"expected": True, "residuals": True, "percent": True}, {"ascii": True}]
)
def test_bars_stand_below_each_other(labels, scale, options):
    """Labels of any length and script and counts of any size line up, within 80 columns."""
    counts = np.array([[7, 1, 0], [2, 900, 3], [0, 4, 6]]) * scale
    text = CrossTable(counts, labels).text(**options)
    bar = "|" if "ascii" in options else "│"
    for block in text.split("\n\n"):
        boxed = [line for line in block.splitlines() if line.startswith(bar)]
        assert len({width(line) for line in boxed}) <= 1
        full = [line for line in boxed if line.count(bar) == max(one.count(bar) for one in boxed)]
        places = {
            tuple(width(line[:place]) for place, char in enumerate(line) if char == bar) for line in full
        }
        assert len(places) <= 1
    assert max(map(width, text.splitlines())) <= 80


@pytest.mark.parametrize("size", [1, 2, 5, 9, 30])
@pytest.mark.parametrize("room", [40, 80, 120])
def test_a_wide_table_is_cut_into_blocks(size, room):
    """No line is wider than asked for, and every column is in exactly one block."""
    labels = [f"class {number}" for number in range(size)]
    text = CrossTable(np.arange(size * size).reshape(size, size), labels).text(width=room)
    assert max(map(width, text.splitlines())) <= room
    heads = [line for line in text.splitlines() if "actual │" in line]
    named = [cell.strip() for line in heads for cell in line.split("│")[2:-1]]
    assert named == [*labels, "Row Total"]
    assert text.count("(continued)") in (len(heads) - 1, len(heads) - 2)  # the last may hold totals only


def test_a_table_of_counts_alone_has_no_rules_between_its_rows(sms):
    """Rules would only stretch it."""
    plain = sms.text(contributions=False, row_shares=False, column_shares=False, table_shares=False)
    assert (
        plain.split("\n\n")[2]
        == """\
┌──────────────┬─────────────────┬───────────┐
│              │    predicted    │           │
│       actual │    ham │   spam │ Row Total │
├──────────────┼────────┼────────┼───────────┤
│          ham │   1202 │      5 │      1207 │
│         spam │     29 │    154 │       183 │
├──────────────┼────────┼────────┼───────────┤
│ Column Total │   1231 │    159 │      1390 │
└──────────────┴────────┴────────┴───────────┘"""
    )


def test_small_expected_counts_are_pointed_out():
    """The large-sample test is inexact where few are expected."""
    text = CrossTable([[3, 1], [1, 3]], ["milk", "tea"]).text(chisq=True)
    assert "Minimum expected count: 2.000\nExpected counts below 5: 4 of 4 (100.0%)" in text


def test_no_rows_and_no_labels():
    """An empty table says that it is."""
    assert str(CrossTable.of(assay.Confusion.empty())).endswith(
        "Total Observations in Table: 0\n\nThere are no rows."
    )
    none = CrossTable([[0, 0], [0, 0]], ["a", "b"])
    assert np.isnan(none.expected).all()
    assert np.isnan(none.row_shares).all()
    text = none.text(chisq=True, fisher=True, mcnemar=True, expected=True)
    assert "undefined: the table has fewer than two rows or columns with counts" in text
    assert "nan" not in text
    assert "\n\n\n" not in text


def test_one_class_only():
    """A single cell is a table; what it cannot tell is undefined."""
    table = CrossTable([[5]], ["only"])
    assert table.row_shares.tolist() == table.expected.tolist() == [[1.0]] or table.expected.tolist() == [
        [5.0]
    ]
    assert math.isnan(table.adjusted_residuals[0, 0])
    text = table.text(chisq=True, fisher=True, mcnemar=True)
    assert "Accuracy: 1.000 (5 of 5 correct)" in text
    assert text.count("undefined:") == 2


def test_an_unused_class_keeps_its_place():
    """A declared label without rows has a row of zeros, and shares of it are no numbers."""
    rows = assay.rows(actual=["a", "b"], predicted=["a", "a"], labels=["a", "b", "c"])
    table = CrossTable.of(rows)
    assert table.counts.shape == (3, 3)
    assert np.isnan(table.row_shares[2]).all()
    assert np.isnan(table.contributions[2]).all()
    assert " - │" in str(table)


def test_weights_are_shown_and_not_tested():
    """Sums of weights stand in the cells, and no test takes them for counts."""
    tally = assay.Confusion.of(assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0], weight=[0.5, 2, 1]))
    table = CrossTable.of(tally)
    assert table.weighted
    assert table.counts.tolist() == [[0.5, 0], [1, 2]]
    text = table.text(chisq=True)
    assert "│            0 │  0.500 │  0.000 │     0.500 │" in text
    assert "undefined: the rows are weighted" in text
    with pytest.raises(assay.MetricError, match="the rows are weighted"):
        table.fisher()


def test_counts_beyond_three_billion_keep_their_last_digit():
    """A residual of one row among 10^19 squared is one row."""
    many = 3_000_000_000
    table = CrossTable([[many, many], [many, many + 4]], ["a", "b"])
    n = 4 * many + 4
    exact = Fraction(many) - Fraction(2 * many * 2 * many, n)
    assert table.residuals[0, 0] == pytest.approx(float(exact), rel=1e-15)
    assert table.expected[0, 0] == float(Fraction(4 * many * many, n))
    assert table.contributions[0, 0] == pytest.approx(
        float(exact**2 / Fraction(4 * many * many, n)), rel=1e-14
    )


def test_rows_and_columns_may_be_of_different_kinds():
    """A table of other things has no accuracy, and its columns have their own labels."""
    table = CrossTable(
        [[3, 1, 0], [2, 2, 2]], ["x", "y"], ["no", "maybe", "yes"], rows="carrier", columns="answer"
    )
    text = table.text(chisq=True, mcnemar=True)
    assert "Accuracy" not in text
    assert "│      carrier │     no │  maybe │    yes │ Row Total │" in text
    assert "undefined: rows and columns are not the same classes" in text
    assert table.transposed().counts.tolist() == [[3, 2], [1, 2], [0, 2]]
    assert table.transposed().rows == "answer"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, 2], [3, 4]], ["a"]), "2 rows, but 1 label for"),
        (([[1, 2], [3, 4]], ["a", "b"], ["a"]), "2 columns, but 1 label for"),
        (([[1, 2], [3, -4]], ["a", "b"]), "not below 0"),
        (([[1, 2], [3, math.nan]], ["a", "b"]), "finite"),
        (([[1, 2], [3]], ["a", "b"]), "different lengths"),
        (([1, 2], ["a", "b"]), "rows and columns"),
        (([["x"]], ["a"]), "numbers"),
    ],
)
def test_a_table_that_is_none_is_refused(arguments, message):
    """What, and what to do."""
    with pytest.raises(assay.AssayError, match=message):
        CrossTable(*arguments)


def test_what_the_rows_are_is_never_guessed():
    """Another name for the rows needs one for the columns, and an orientation is one of two."""
    with pytest.raises(assay.LabelError, match="columns="):
        CrossTable([[1]], ["a"], rows="carrier")
    with pytest.raises(assay.MetricError, match='"actual" or "predicted"'):
        CrossTable.of(assay.rows(actual=[0], predicted=[0]), rows="truth")
    with pytest.raises(assay.MetricError, match="digits"):
        CrossTable([[1]], ["a"]).text(digits=-1)


def test_the_table_cannot_be_changed(sms):
    """It is a value: a change to what it was made of does not reach it."""
    given = np.array(SMS)
    table = CrossTable(given, ["ham", "spam"])
    given[0, 0] = 0
    assert table.counts[0, 0] == 1202
    with pytest.raises(ValueError, match="read-only"):
        table.counts[0, 0] = 1


@pytest.mark.parametrize("count", [2**62, 1e300])
def test_counts_beyond_64_bits_are_refused(count):
    """Their sums would wrap round below 0."""
    with pytest.raises(assay.MetricError, match="power of 63"):
        CrossTable([[count, count], [count, 1]], ["a", "b"])
