"""Columns from every kind of array, tensor and frame give the same labels and the same numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.inputs import encode

WORDS = [
    "ham",
    "spam",
    "ham",
    "",
    "naïve",
    "🛳 ship",
    "spam",
    "a rather long label, longer than 16 bytes",
]
NUMBERS = [3, -1, 3, 0, 7, 7, -1, 0]


def pandas():
    return pytest.importorskip("pandas", reason="pandas is not installed")


def polars():
    return pytest.importorskip("polars", reason="Polars is not installed")


def pyarrow():
    return pytest.importorskip("pyarrow", reason="pyarrow is not installed")


TEXT_FORMS = {
    "list": lambda: WORDS,
    "tuple": lambda: tuple(WORDS),
    "generator": lambda: (word for word in WORDS),
    "numpy U": lambda: np.array(WORDS),
    "numpy U, big-endian": lambda: np.array(WORDS).astype(np.array(WORDS).dtype.newbyteorder(">")),
    "numpy U, strided": lambda: np.array([w for word in WORDS for w in (word, "x")])[::2],
    "numpy object": lambda: np.array(WORDS, dtype=object),
    "numpy object, strided": lambda: np.array([w for w in WORDS for _ in "12"], dtype=object)[::2],
    "numpy StringDType": lambda: np.array(WORDS, dtype=np.dtypes.StringDType()),
    "numpy column vector": lambda: np.array(WORDS).reshape(-1, 1),
    "pandas str": lambda: pandas().Series(WORDS),
    "pandas object": lambda: pandas().Series(WORDS, dtype=object),
    "pandas string": lambda: pandas().Series(WORDS, dtype="string"),
    "pandas string python": lambda: pandas().Series(WORDS, dtype="string[python]"),
    "pandas categorical": lambda: pandas().Series(WORDS, dtype="category"),
    "pandas Categorical": lambda: pandas().Categorical(WORDS, categories=[*WORDS[::-1][:2], *sorted({"unused", *WORDS} - set(WORDS[::-1][:2]))]),
    "pandas arrow": lambda: pandas().Series(WORDS, dtype=pandas().ArrowDtype(pyarrow().string())),
    "pandas index": lambda: pandas().Index(WORDS),
    "polars": lambda: polars().Series(WORDS),
    "polars categorical": lambda: polars().Series(WORDS, dtype=polars().Categorical),
    "polars enum": lambda: polars().Series(WORDS, dtype=polars().Enum([*sorted(set(WORDS)), "unused"])),
    "pyarrow": lambda: pyarrow().array(WORDS),
    "pyarrow large": lambda: pyarrow().array(WORDS, type=pyarrow().large_string()),
    "pyarrow view": lambda: pyarrow().array(WORDS, type=pyarrow().string_view()),
    "pyarrow chunked": lambda: pyarrow().chunked_array([WORDS[:3], [], WORDS[3:]]),
    "pyarrow dictionary": lambda: pyarrow().array(WORDS).dictionary_encode(),
    "pyarrow sliced": lambda: pyarrow().array(["x", *WORDS, "y"]).slice(1, len(WORDS)),
}  # fmt: skip


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_text_of_every_form_gives_the_same_labels(form):
    """Labels are sorted by code point and every row finds its own, whatever holds the text."""
    codes, labels = encode(assay.column(TEXT_FORMS[form]()))
    assert labels == tuple(sorted(set(WORDS)))
    assert [labels[code] for code in codes] == WORDS


NUMBER_FORMS = {
    "list": lambda: NUMBERS,
    "range": lambda: range(8),
    **{
        f"numpy {name}": lambda name=name: np.array(NUMBERS).astype(name)
        for name in ("i1", "i2", "i4", "i8", ">i2", ">i8", "f2", "f4", "f8", ">f4", ">f8", "g", "O")
    },
    **{f"numpy {name}": lambda name=name: np.abs(NUMBERS).astype(name) for name in ("u1", "u2", "u4", "u8", ">u4")},
    "numpy bool": lambda: np.array(NUMBERS) > 0,
    "numpy strided": lambda: np.arange(20)[::-3],
    "numpy read-only": lambda: np.frombuffer(np.array(NUMBERS).tobytes(), dtype=np.int64),
    "pandas": lambda: pandas().Series(NUMBERS),
    "pandas Int64": lambda: pandas().Series(NUMBERS, dtype="Int64"),
    "pandas Float64": lambda: pandas().Series(NUMBERS, dtype="Float64"),
    "pandas boolean": lambda: pandas().Series([n > 0 for n in NUMBERS], dtype="boolean"),
    "pandas arrow": lambda: pandas().Series(NUMBERS, dtype="int64[pyarrow]"),
    "pandas categorical": lambda: pandas().Series(NUMBERS, dtype="category"),
    "polars": lambda: polars().Series(NUMBERS),
    "polars bool": lambda: polars().Series([n > 0 for n in NUMBERS]),
    "polars float32": lambda: polars().Series(NUMBERS, dtype=polars().Float32),
    "pyarrow": lambda: pyarrow().array(NUMBERS),
    "pyarrow bool": lambda: pyarrow().array([n > 0 for n in NUMBERS]),
    "pyarrow chunked": lambda: pyarrow().chunked_array([NUMBERS[:5], NUMBERS[5:]]),
    "pyarrow dictionary": lambda: pyarrow().array(NUMBERS).dictionary_encode(),
}  # fmt: skip


@pytest.mark.parametrize("form", NUMBER_FORMS)
def test_whole_numbers_of_every_form_give_the_same_labels(form):
    """Whole numbers of any type, order and layout are labels in ascending order."""
    made = NUMBER_FORMS[form]()
    expected = made.to_pylist() if hasattr(made, "to_pylist") else list(made)
    expected = [value.item() if isinstance(value, np.generic) else value for value in expected]
    codes, labels = encode(assay.column(made))
    assert labels == tuple(sorted(set(expected)))
    assert [labels[code] for code in codes] == expected


def test_tensors_enter_without_a_copy():
    """A CPU tensor's memory is used as it is; one that is being trained is detached first."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    tensor = torch.tensor([0.1, 0.5, 0.9], dtype=torch.float64)
    assert assay.column(tensor).values.ctypes.data == tensor.data_ptr()
    trained = torch.tensor([0.1, 0.5], requires_grad=True)
    assert assay.column(trained).values.tolist() == trained.detach().tolist()
    with pytest.raises(assay.ColumnError, match="device"):
        assay.column(torch.empty(3, device="meta"))


def test_jax_arrays_enter():
    """A JAX array is read through DLPack."""
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    assert assay.column(jax.numpy.array([1, 2, 3])).values.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.array([0.1, 0.2]),
        lambda: np.array([1, 2]),
        lambda: pandas().Series([0.1, 0.2]),
        lambda: polars().Series([0.1, 0.2]),
        lambda: pyarrow().array([0.1, 0.2]),
    ],
    ids=["numpy float", "numpy int", "pandas", "polars", "pyarrow"],
)
def test_plain_numbers_are_not_copied(make):
    """Two columns of one array share its memory: nothing was copied on the way."""
    made = make()
    assert np.shares_memory(assay.column(made).values, assay.column(made).values)


def test_integers_of_any_size_are_labels():
    """Beyond 64 bits integers still sort and match as integers."""
    values = [2**63, -1, 2**70, -(2**70), 5, 2**63]
    codes, labels = encode(assay.column(values))
    assert labels == (-(2**70), -1, 5, 2**63, 2**70)
    assert [labels[code] for code in codes] == values
    assert encode(assay.column([2**64 - 1, 0]))[1] == (0, 2**64 - 1)
    assert encode(assay.column(np.array([2**64 - 1, 2**63], dtype=np.uint64)))[1] == (
        2**63,
        2**64 - 1,
    )


def test_labels_sort_as_scikit_learn_sorts_them():
    """The label order is that of numpy.unique, which scikit-learn uses."""
    for values in (["b", "a", "B", "é", "z", "10", "9"], [10, 9, -1], [True, False], [2.0, 1.0]):
        assert list(encode(assay.column(values))[1]) == np.unique(values).tolist()


MISSING_FORMS = {
    "None in text": lambda: ["a", None, "b"],
    "NaN in text": lambda: ["a", float("nan"), "b"],
    "None in numbers": lambda: [1, None, 2],
    "None in truth": lambda: [True, None, False],
    "NaN": lambda: np.array([1.0, np.nan, 2.0]),
    "float32 NaN": lambda: np.array([1.0, np.nan, 2.0], dtype=np.float32),
    "masked": lambda: np.ma.masked_array([1, 5, 2], mask=[False, True, False]),
    "pandas text": lambda: pandas().Series(["a", None, "b"]),
    "pandas string": lambda: pandas().Series(["a", None, "b"], dtype="string"),
    "pandas object": lambda: pandas().Series(["a", pandas().NA, "b"], dtype=object),
    "pandas Int64": lambda: pandas().Series([1, None, 2], dtype="Int64"),
    "pandas boolean": lambda: pandas().Series([True, None, False], dtype="boolean"),
    "pandas categorical": lambda: pandas().Series(["a", None, "b"], dtype="category"),
    "pandas arrow": lambda: pandas().Series([1, None, 2], dtype="int64[pyarrow]"),
    "polars text": lambda: polars().Series(["a", None, "b"]),
    "polars numbers": lambda: polars().Series([1, None, 2]),
    "polars enum": lambda: polars().Series(["a", None, "b"], dtype=polars().Enum(["a", "b"])),
    "pyarrow": lambda: pyarrow().array([1, None, 2]),
    "pyarrow dictionary": lambda: pyarrow().array(["a", None, "b"]).dictionary_encode(),
    "pyarrow bool": lambda: pyarrow().array([True, None, False]),
}


@pytest.mark.parametrize("form", MISSING_FORMS)
def test_missing_values_are_refused_with_their_row_or_dropped_and_counted(form):
    """Every library's way of saying "nothing here" is seen: by default refused, on request dropped."""
    with pytest.raises(assay.MissingValueError, match=r"missing in actual \(first at row 1, "):
        assay.Confusion.of(assay.rows(actual=MISSING_FORMS[form](), predicted=MISSING_FORMS[form]()))
    kept = assay.rows(actual=MISSING_FORMS[form](), predicted=MISSING_FORMS[form](), missing="drop")
    assert (len(kept), kept.dropped) == (2, 1)
    assert assay.Confusion.of(kept).correct == 2
    assert len(assay.Confusion.of(kept).labels) == 2


def test_nan_beside_null_is_missing_too():
    """A column that knows both ways of saying nothing loses both rows when dropping."""
    forms = [
        polars().Series([None, float("nan"), 1.0]),
        pyarrow().array([None, float("nan"), 1.0]),
        np.ma.masked_array([0.0, np.nan, 1.0], mask=[True, False, False]),
        [None, float("nan"), 1.0],
    ]
    for form in forms:
        kept = assay.rows(actual=[0, 1, 1], score=form, missing="drop")
        assert (len(kept), kept.dropped) == (1, 2)


def test_integers_with_pandas_na_are_integers():
    """Object columns of integers or truth with pandas.NA drop it and keep their kind."""
    values = pandas().Series([1, pandas().NA, 2], dtype=object)
    kept = assay.rows(actual=values, predicted=[2**53 + 1, float("nan"), 2**53], missing="drop")
    assert assay.Confusion.of(kept).labels == (1, 2, 2**53, 2**53 + 1)


def test_a_frame_of_one_column_is_a_column():
    """A table of one column stands for it; one of two is refused, or slices by both."""
    frame = pandas().DataFrame({"y": [0, 1], "r": ["a", "b"]})
    for table in (frame[["y"]], polars().from_pandas(frame[["y"]]), pyarrow().table({"y": [0, 1]})):
        assert assay.column(table).values.tolist() == [0, 1]
    with pytest.raises(assay.ColumnError, match="a table of 2 columns"):
        assay.column(frame)
    both = assay.rows(actual=[0, 1], predicted=[0, 1], by=frame)
    assert assay.Grouped.of(both, assay.Confusion.of).index == ((0, "a"), (1, "b"))


def test_names_that_are_no_text_name_columns_too():
    """Integer and tuple names of a pandas frame, and duplicated names beside the one that is asked for."""
    numbered = pandas().DataFrame({0: [0, 1], 1: [1, 1]})
    assert assay.Confusion.of(assay.rows(numbered, actual=0, predicted=1)).n == 2
    levels = pandas().DataFrame({("a", "x"): [0, 1], ("b", "x"): [1, 1]})
    assert assay.Confusion.of(assay.rows(levels, actual=("a", "x"), predicted=("b", "x"))).n == 2
    repeated = pandas().DataFrame([[0, 1, 2], [1, 1, 2]], columns=["y", "p", "p"])
    assert assay.rows(repeated, actual="y").n == 2
    with pytest.raises(assay.ColumnError, match='two columns are named "p"'):
        assay.rows(repeated, actual="y", predicted="p")


def test_a_list_of_names_slices_by_each():
    """With a table, by=[...] of text names columns, however many rows there are."""
    frame = {"y": [0, 1], "p": [0, 1], "r": ["n", "s"], "q": [1, 1]}
    sliced = assay.rows(frame, actual="y", predicted="p", by=["r", "q"])
    assert assay.Grouped.of(sliced, assay.Confusion.of).index == (("n", 1), ("s", 1))


def test_misaligned_and_foreign_memory():
    """Numbers at an odd address are copied to an even one."""
    raw = np.zeros(33, dtype=np.uint8)
    odd = raw[1:33].view(np.int64)
    odd[:] = [3, 1, 3, 2]
    assert encode(assay.column(odd))[1] == (1, 2, 3)


def test_cut_by_pandas_slices():
    """Intervals of pandas.cut are labels by their text."""
    ages = pandas().cut(pandas().Series([5, 20, 70]), [0, 18, 65, 99])
    sliced = assay.rows(actual=[0, 1, 1], predicted=[0, 1, 0], by=ages)
    assert assay.Grouped.of(sliced, assay.Confusion.of).index == (("(0, 18]",), ("(18, 65]",), ("(65, 99]",))


FRAMES = {
    "dict": lambda data: data,
    "pandas": lambda data: pandas().DataFrame(data),
    "polars": lambda data: polars().DataFrame(data),
    "polars lazy": lambda data: polars().LazyFrame(data),
    "pyarrow": lambda data: pyarrow().table(data),
    "structured": lambda data: np.rec.fromarrays(list(data.values()), names=list(data)).view(np.ndarray),
}


@pytest.fixture(params=FRAMES)
def frame(request):
    """A function that turns a dict of columns into a table of each library in turn."""
    return FRAMES[request.param]


def test_every_frame_library_gives_the_same_tallies(frame):
    """Columns named in a table of any library lead to the tallies of the plain lists."""
    data = {
        "y": ["ham", "spam", "spam", "ham"],
        "said": ["ham", "ham", "spam", "ham"],
        "p": [0.1, 0.4, 0.9, 0.2],
        "w": [1.0, 2.0, 0.5, 1.0],
        "where": ["n", "s", "s", "n"],
    }
    named = assay.rows(
        frame(data),
        actual="y",
        predicted="said",
        score="p",
        weight="w",
        by="where",
        positive="spam",
    )
    plain = assay.rows(
        actual=data["y"], predicted=data["said"], score=data["p"], weight=data["w"],
        by=[data["where"]], positive="spam",
    )  # fmt: skip
    for make in (assay.Confusion.of, assay.Scores.of):
        assert make(named) == make(plain)
        assert assay.Grouped.of(named, make) == assay.Grouped.of(plain, make)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.text(max_size=20), max_size=30))
def test_any_text_is_encoded_as_python_would(values):
    """Whatever Python can hold as text comes back from its code."""
    try:
        codes, labels = encode(assay.column(values))
    except assay.ColumnError as refused:
        assert any("\ud800" <= char <= "\udfff" for value in values for char in value), refused  # noqa: PT017
        return
    assert labels == tuple(sorted(set(values)))
    assert [labels[code] for code in codes] == values


@pytest.mark.parametrize(
    ("score", "labels"),
    [
        (np.array([[0.2, 0.8], [0.6, 0.4], [0.5, 0.5]]), ("a", "b")),
        ([[0.2, 0.8], [0.6, 0.4], [0.5, 0.5]], ("a", "b")),
        ({"b": [0.2, 0.6, 0.5], "a": [0.8, 0.4, 0.5]}, ("b", "a")),
        ({"p1": [0.2, 0.6, 0.5], "p2": [0.8, 0.4, 0.5]}, ("a", "b")),
    ],
    ids=["array", "lists", "mapping", "other names"],
)
def test_scores_of_several_classes_are_one_column_of_rows(score, labels):
    """A column per class: in the order of the labels, or by the names where the labels are among them."""
    declared = ["a", "b"] if "p1" in score else None
    r = assay.rows(actual=["a", "b", "a"], score=score, labels=declared)
    assert r.labels == labels
    np.testing.assert_array_equal(r.score.values[:, 0], [0.2, 0.6, 0.5])
    assert r.take(np.array([2, 0])).score.values[:, 0].tolist() == [0.5, 0.2]


def test_scores_of_several_classes_come_from_a_table_or_a_frame():
    """Column names of a table are taken in order; a frame's own names are labels where they can be."""
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"y": ["a", "b", None], "p_a": [0.2, 0.6, 1], "p_b": [0.8, 0.4, 0]})
    r = assay.rows(table, actual="y", score=["p_a", "p_b"], missing="drop")
    assert (r.labels, r.dropped) == (("a", "b"), 1)
    frame = pandas.DataFrame({"b": [0.2, 0.6], "a": [0.8, 0.4]})
    assert assay.rows(actual=["a", "b"], score=frame).labels == ("b", "a")
