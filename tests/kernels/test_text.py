import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import programs

from assay._kernels import encode_fixed_text, encode_objects, set_threads, threads

THREADS = (1, 2, 3)
HOSTILE = [
    "",
    "a",
    "a\0b",
    "\0a",
    "ab",
    "b",
    "é",
    "e\u0301",  # the same letter by a combining accent: another label
    "\ufffd",
    "\uffff",
    "\U00010000",  # above \uffff by code point, below it in UTF-16
    "\U0010ffff",
    "😀",
    "x" * 15,
    "x" * 16,
    "x" * 17,
    "x" * 31 + "a",
    "x" * 31 + "b",
    "x" * 33,
    "x" * 1000,
    "é" * 8,
    "é" * 8 + "a",
]


@pytest.fixture(autouse=True)
def restore_threads():
    before = threads()
    yield
    set_threads(before)


def view(array):
    """View a U array as the kernel wants it."""
    width = array.dtype.itemsize // 4
    return np.frombuffer(array.tobytes(), np.uint32).reshape(len(array), width)


def fixed(array):
    return encode_fixed_text(view(array))


def expected_type(labels):
    return np.uint8 if labels <= 256 else np.uint16 if labels <= 65536 else np.uint32


def check_objects(rows, *, as_list=False):
    """Compare with sorted(set(...)), for rows of str and None."""
    given_rows = list(rows) if as_list else np.array([*rows, ""], object)[:-1]
    codes, labels, missing_row, missing_count, missing, bad_row = encode_objects(given_rows)
    expected = sorted({row for row in rows if row is not None})
    index = {label: code for code, label in enumerate(expected)}
    is_missing = [row is None for row in rows]
    assert bad_row == -1
    assert labels == expected
    assert all(type(label) is str for label in labels)
    assert codes.dtype == expected_type(len(labels))
    assert codes.tolist() == [0 if row is None else index[row] for row in rows]
    assert missing_count == sum(is_missing)
    if missing_count:
        assert missing.dtype == bool
        assert missing.tolist() == is_missing
        assert missing_row == is_missing.index(True)
    else:
        assert missing is None
        assert missing_row == -1


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 40])
def test_fixed_text_agrees_with_unique(width):
    """Codes and labels are np.unique's, for every width of key."""
    rng = np.random.default_rng(width)
    letters = rng.choice([0, 97, 98, 0x1F600], size=(500, width)).astype(np.uint32)
    array = letters.view(f"U{width}").ravel()
    labels, codes = np.unique(array, return_inverse=True)
    got = fixed(array)
    assert got[1] == labels.tolist()
    assert np.array_equal(got[0], codes)
    assert got[0].dtype == expected_type(len(labels))
    assert got[2:] == (-1, 0, None)


@pytest.mark.parametrize("rows", [0, 1, 2, 16383, 16384, 16385, 32768, 50001, 200_003])
def test_sizes_around_a_block_are_the_same_on_any_number_of_threads(rows):
    """Every row count gives the codes of np.unique on 1, 2 and 3 threads."""
    rng = np.random.default_rng(rows)
    names = np.array([f"name-{i}" for i in range(300)])
    array = names[rng.integers(0, 300, rows)]
    labels, codes = np.unique(array, return_inverse=True)
    for count in THREADS:
        set_threads(count)
        got = fixed(array)
        assert got[1] == labels.tolist()
        assert np.array_equal(got[0], codes)
        assert got[0].dtype == expected_type(len(labels))
        by_object = encode_objects(array.astype(object))
        assert by_object[1] == labels.tolist()
        assert np.array_equal(by_object[0], codes)


@pytest.mark.parametrize("late", [1, 200, 300, 70_000])
def test_labels_that_the_sample_misses_are_found(late):
    """Labels that first appear late, and outgrow the type of the early codes, get their codes."""
    rows = 200_000
    array = np.full(rows, "m", "U8")
    # A clump that no evenly spread sample of 128 runs is likely to hold whole.
    array[100_100 : 100_100 + late] = [f"{chr(97 + i % 26)}{i}" for i in range(late)]
    labels, codes = np.unique(array, return_inverse=True)
    for count in THREADS:
        set_threads(count)
        got = fixed(array)
        assert got[1] == labels.tolist()
        assert np.array_equal(got[0], codes)
        assert got[0].dtype == expected_type(len(labels))


def test_codes_use_the_smallest_type_at_the_limits():
    """256 labels fit uint8, 257 need uint16; 65,536 fit uint16, 65,537 need uint32."""
    for labels in (255, 256, 257, 65_535, 65_536, 65_537):
        array = np.array([f"{i:05d}" for i in range(labels)])[::-1]
        codes, got, *_ = fixed(np.ascontiguousarray(array))
        assert codes.dtype == expected_type(labels)
        assert np.array_equal(codes, np.arange(labels)[::-1])
        assert got == sorted(array.tolist())


def test_fixed_text_of_no_width_is_empty_text():
    """An array of dtype U0 holds the label '' in every row."""
    codes, labels, *_ = encode_fixed_text(np.empty((3, 0), np.uint32))
    assert codes.tolist() == [0, 0, 0]
    assert labels == [""]


def test_fixed_text_keeps_lone_surrogates_and_inner_nuls():
    """What NumPy can hold comes back, in Python's order."""
    rows = ["\ud800", "a\0b", "a", "\udfff", "\ufffd", "\0b"]
    array = np.array(rows)
    codes, labels, *_ = fixed(array)
    assert labels == sorted(rows)
    assert [labels[code] for code in codes] == rows


def test_fixed_text_refuses_numbers_that_are_no_characters():
    """A code point beyond Unicode raises; it never becomes a label."""
    with pytest.raises(UnicodeDecodeError):
        encode_fixed_text(np.array([[0x110000]], np.uint32))


def test_fixed_text_refuses_other_arrays():
    """The wrong type, shape or stride is a TypeError, not a guess."""
    for array in (
        np.zeros((2, 2), np.int64),
        np.zeros(4, np.uint32),
        np.zeros((4, 4), np.uint32)[:, ::2],
    ):
        with pytest.raises(TypeError):
            encode_fixed_text(array)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.text(st.characters(exclude_characters="\0"), max_size=20), max_size=60))
def test_any_fixed_text_round_trips(rows):
    """labels[codes] are the rows, and the labels are sorted and distinct."""
    array = np.array(rows, dtype=str) if rows else np.empty(0, "U3")
    codes, labels, *_ = fixed(array)
    assert labels == sorted(set(rows))
    assert [labels[code] for code in codes] == rows


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.none() | st.sampled_from(HOSTILE) | st.text(), max_size=60),
    st.booleans(),
)
def test_any_objects_round_trip(rows, as_list):
    """Objects agree with sorted(set()), from an array and from a list."""
    check_objects(rows, as_list=as_list)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text(st.characters(min_codepoint=0xD7F0, max_codepoint=0xE010))))
def test_lone_surrogates_are_labels(rows):
    """Text without a UTF-8 form is encoded and ordered like any other."""
    check_objects(rows)


@pytest.mark.parametrize("as_list", [False, True])
def test_hostile_objects(as_list):
    """Empty, NUL, astral, combining, long text and shared prefixes are all told apart."""
    rng = np.random.default_rng(1)
    rows = [HOSTILE[i] for i in rng.integers(0, len(HOSTILE), 40_000)]
    check_objects(rows, as_list=as_list)
    copies = ["".join([row[:1], row[1:]]) for row in rows]
    check_objects(copies, as_list=as_list)


def test_objects_with_many_labels_outgrow_the_cache_and_the_types():
    """100,000 distinct labels, most met after the cache was given up."""
    rng = np.random.default_rng(2)
    check_objects([f"user-{i:06d}" for i in rng.integers(0, 100_000, 150_000)])
    check_objects(["few"] * 20_000 + [f"user-{i:06d}" for i in rng.integers(0, 999, 50_000)])


def test_missing_objects():
    """None, NaN and anything of a type named NAType are missing; the empty string is not."""

    class NAType:
        pass

    rows = ["b", None, "", float("nan"), NAType(), np.float64("nan"), "b", NAType()]
    codes, labels, missing_row, missing_count, missing, bad_row = encode_objects(rows)
    assert labels == ["", "b"]
    assert codes.tolist() == [1, 0, 0, 0, 0, 0, 1, 0]
    assert missing.tolist() == [False, True, False, True, True, True, False, True]
    assert (missing_row, missing_count, bad_row) == (1, 5, -1)


def test_empty_slots_of_an_object_array_are_missing():
    """An object array that was never filled holds None."""
    codes, labels, *_, missing, _ = encode_objects(np.empty(40_000, object))
    assert not codes.any()
    assert labels == []
    assert missing.all()


def test_pandas_missing_value():
    """pandas.NA is missing."""
    pandas = pytest.importorskip("pandas")
    codes, labels, *_, missing, bad_row = encode_objects(["a", pandas.NA])
    assert (codes.tolist(), labels, missing.tolist(), bad_row) == ([0, 0], ["a"], [False, True], -1)


def test_nothing_but_missing_and_nothing_at_all():
    """All rows missing leaves no label; no rows leave nothing."""
    codes, labels, missing_row, missing_count, missing, _ = encode_objects([None] * 20_000)
    assert not codes.any()
    assert codes.dtype == np.uint8
    assert labels == []
    assert (missing_row, missing_count) == (0, 20_000)
    assert missing.all()
    check_objects([])
    check_objects([], as_list=True)


@pytest.mark.parametrize("bad", [1, 1.5, b"a", ("a",), object(), True, np.int64(3)])
def test_other_objects_are_reported_by_row(bad):
    """The first object that is neither text nor missing is named by its row."""
    rows = ["a", None, "b"] * 6000
    rows[17_000] = bad
    rows[17_001] = bad
    for given_rows in (rows, tuple(rows), np.array([*rows, None], object)[:-1]):
        codes, labels, *_, bad_row = encode_objects(given_rows)
        assert bad_row == 17_000
        assert codes is None
        assert labels == []


def test_subclasses_of_str_become_plain_labels():
    """np.str_ and other subclasses count as the text they hold."""

    class Name(str):
        __slots__ = ()

        def __eq__(self, other):
            raise AssertionError  # pragma: no cover

        __hash__ = str.__hash__

    codes, labels, *_ = encode_objects([np.str_("a"), Name("a"), "a", Name("b")])
    assert codes.tolist() == [0, 0, 0, 1]
    assert labels == ["a", "b"]
    assert [type(label) for label in labels] == [str, str]


def test_strided_and_reversed_object_arrays():
    """An object array's stride is respected, negative ones too."""
    array = np.array([*"abcdefgh", None, None], object)
    for rows in (array[::2], array[::-1], array[1:-3:3], array.reshape(5, 2)[:, 1]):
        codes, labels, *_, missing, _ = encode_objects(rows)
        got = [None if missing is not None and missing[i] else labels[c] for i, c in enumerate(codes)]
        assert got == rows.tolist()


def test_objects_refuse_what_is_no_sequence_of_objects():
    """Other arrays and other objects are a TypeError."""
    for rows in (np.zeros(3), np.array([["a"]], object), 3, None, b"text"):
        with pytest.raises(TypeError):
            encode_objects(rows)


def test_objects_keep_their_reference_counts():
    """Encoding leaks no reference to rows or labels."""
    text, other = "something"[:-1] + str(1), "\ud800x" + str(1)
    rows = [text, other, None] * 1000
    before = sys.getrefcount(text), sys.getrefcount(other)
    for _ in range(3):
        encode_objects(rows)
        encode_objects([*rows, 3])
    assert (sys.getrefcount(text), sys.getrefcount(other)) == before


FINALISER = """
import gc
from assay._kernels import encode_objects

class Cycle:
    def __init__(self):
        self.me = self
    def __del__(self):
        rows.clear()
        texts.clear()
        texts.extend(str(i) * 5 for i in range(60_000))

for more in range(12):
    gc.disable()
    texts = []
    rows = [f"label {i}" for i in range(20_000)]
    rows[7] = "a lone surrogate \\ud800"
    Cycle()
    # The collector shall run at the next few objects it is to keep an eye on.
    gc.set_threshold(gc.get_count()[0] + more)
    gc.enable()
    try:
        encode_objects(rows)
    except IndexError:
        pass
    gc.collect()
"""


def test_a_finaliser_may_clear_the_rows():
    """Making the exception of a lone surrogate can run Python code that frees every row."""
    done = programs.run_script(FINALISER)
    assert done.returncode == 0, done.stderr
