import ctypes
import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import programs

from assay._kernels import import_arrow, set_threads, threads

pa = pytest.importorskip("pyarrow")

TEXT_TYPES = [pa.string(), pa.large_string(), pa.string_view()]
HOSTILE = [
    "",
    "a",
    "a\0",
    "a\0b",
    "ab",
    "é",
    "e\u0301",
    "\uffff",
    "\U00010000",
    "x" * 7,
    "x" * 8,
    "x" * 9,
    "x" * 11,
    "x" * 12,
    "x" * 13,
    "x" * 15,
    "x" * 16,
    "x" * 17,
    "x" * 31 + "a",
    "x" * 31 + "b",
    "x" * 700,
]


@pytest.fixture(autouse=True)
def restore_threads():
    before = threads()
    yield
    set_threads(before)


def check_text(column, rows, **options):
    """Compare an import with sorted(set(...)) of the rows it should hold."""
    tag, codes, labels, missing = import_arrow(column, **options)
    expected = sorted({row for row in rows if row is not None})
    index = {label: code for code, label in enumerate(expected)}
    assert tag == "text"
    assert labels == expected
    smallest = np.uint8 if len(labels) <= 256 else np.uint16 if len(labels) <= 65536 else np.uint32
    assert codes.dtype == smallest
    assert codes.tolist() == [0 if row is None else index[row] for row in rows]
    check_missing(missing, rows)


def check_numbers(column, rows, dtype):
    tag, array, missing = import_arrow(column)
    assert tag == "numbers"
    assert array.dtype == dtype
    assert len(array) == len(rows)
    assert [None if row is None else got for got, row in zip(array.tolist(), rows, strict=True)] == [*rows]
    check_missing(missing, rows)


def check_missing(missing, rows):
    is_missing = [row is None for row in rows]
    if any(is_missing):
        assert missing.dtype == bool
        assert missing.tolist() == is_missing
    else:
        assert missing is None


NUMBER_TYPES = [
    *((getattr(pa, f"int{bits}")(), f"int{bits}") for bits in (8, 16, 32, 64)),
    *((getattr(pa, f"uint{bits}")(), f"uint{bits}") for bits in (8, 16, 32, 64)),
    *((getattr(pa, f"float{bits}")(), f"float{bits}") for bits in (16, 32, 64)),
]


@pytest.mark.parametrize(("arrow_type", "dtype"), NUMBER_TYPES)
def test_numbers_of_every_width(arrow_type, dtype):
    """Integers and floats keep their type, with and without nulls, sliced and chunked."""
    rows = [1, 2, None, 4, 5, 6, 7, None, 9, 10, 11, 12]
    array = pa.array(rows, arrow_type)
    check_numbers(array, rows, dtype)
    check_numbers(array.slice(3, 7), rows[3:10], dtype)
    check_numbers(array.slice(3, 4), rows[3:7], dtype)
    empty = array.slice(0, 0)
    chunked = pa.chunked_array([array.slice(5), empty, array.slice(1, 3), empty], arrow_type)
    check_numbers(chunked, rows[5:] + rows[1:4], dtype)
    check_numbers(pa.chunked_array([], arrow_type), [], dtype)
    check_numbers(empty, [], dtype)


@pytest.mark.parametrize(
    ("arrow_type", "dtype", "format_string"),
    [
        (pa.date32(), "int32", "tdD"),
        (pa.date64(), "int64", "tdm"),
        (pa.time32("ms"), "int32", "ttm"),
        (pa.timestamp("ns", "Europe/Berlin"), "int64", "tsn:Europe/Berlin"),
        (pa.duration("us"), "int64", "tDu"),
    ],
)
def test_times_are_refused(arrow_type, dtype, format_string):
    """A date without its unit is a bare number: it is refused, as NumPy's dates are."""
    stored = pa.array([0, 86_400_000, None], dtype)
    with pytest.raises(ValueError, match=format_string):
        import_arrow(stored.view(arrow_type))


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 63, 64, 65, 1000, 65_536, 65_537, 200_001])
def test_booleans_and_nulls_at_any_bit_offset(rows):
    """Bitmaps are expanded the same at every offset and on every number of threads."""
    rng = np.random.default_rng(rows)
    values, null = rng.random(rows + 20) < 0.5, rng.random(rows + 20) < 0.3
    array = pa.array(values, mask=null)
    for offset in (0, 1, 7, 8, 13):
        expected = values[offset : offset + rows]
        expected_null = null[offset : offset + rows]
        for count in (1, 2, 3):
            set_threads(count)
            _, got, missing = import_arrow(array.slice(offset, rows))
            assert got.dtype == bool
            if missing is None:
                missing = np.zeros(rows, bool)
            assert np.array_equal(missing, expected_null)
            assert np.array_equal(got[~missing], expected[~expected_null])


def test_one_plain_chunk_is_borrowed_and_kept_alive():
    """Numbers of one chunk are not copied, are read-only, and outlive the Arrow object."""
    source = np.arange(100_000, dtype=np.float64)
    array = pa.array(source)
    address = array.buffers()[1].address
    _, got, _ = import_arrow(array.slice(10))
    assert got.__array_interface__["data"] == (address + 80, True)
    expected = source[10:].copy()
    allocated = pa.total_allocated_bytes()
    del array, source
    gc.collect()
    assert np.array_equal(got, expected)
    assert pa.total_allocated_bytes() <= allocated


def test_borrowed_memory_is_given_back():
    """The Arrow memory is released with the last view of the array."""
    before = pa.total_allocated_bytes()
    array = pa.array(range(100_000), pa.int64())
    _, got, _ = import_arrow(array)
    part = got[5:10]
    del array, got
    gc.collect()
    assert pa.total_allocated_bytes() > before
    del part
    gc.collect()
    assert pa.total_allocated_bytes() == before
    for column in (
        pa.chunked_array([[1, 2], [3]]),
        pa.array(["a", None]),
        pa.array(["a"]).dictionary_encode(),
    ):
        import_arrow(column)
    with pytest.raises(ValueError, match="z"):
        import_arrow(pa.array([b"x" * 1000]))
    del column
    gc.collect()
    assert pa.total_allocated_bytes() == before


@pytest.mark.parametrize("arrow_type", TEXT_TYPES)
def test_hostile_text_in_every_layout(arrow_type):
    """Every layout tells hostile texts apart: alone, sliced, chunked, with nulls."""
    rng = np.random.default_rng(3)
    pool = [*HOSTILE, None]
    rows = [pool[i] for i in rng.integers(0, len(pool), 3000)]
    array = pa.array(rows, arrow_type)
    check_text(array, rows)
    check_text(array.slice(11, 500), rows[11:511])
    full = [row or "" for row in rows]
    check_text(pa.array(full, arrow_type), full)
    for last in HOSTILE:  # the last text ends where the buffer ends
        check_text(pa.array(["", last], arrow_type), ["", last])
        check_text(pa.array([last], arrow_type), [last])
    empty = array.slice(3, 0)
    chunks = [empty, array.slice(100, 1), array.slice(5, 700), empty, array.slice(2000)]
    expected = rows[100:101] + rows[5:705] + rows[2000:]
    check_text(pa.chunked_array(chunks, arrow_type), expected)


@pytest.mark.parametrize("arrow_type", TEXT_TYPES)
def test_text_without_rows_or_without_values(arrow_type):
    """No rows, only nulls and only empty texts are three different things."""
    check_text(pa.array([], arrow_type), [])
    check_text(pa.chunked_array([], arrow_type), [])
    check_text(pa.array([None] * 20_000, arrow_type), [None] * 20_000)
    check_text(pa.array([""] * 3, arrow_type), [""] * 3)
    check_text(pa.array([""] * 20_000, arrow_type), [""] * 20_000)


@pytest.mark.parametrize("arrow_type", TEXT_TYPES)
@pytest.mark.parametrize("labels", [2, 300, 70_000])
def test_text_is_the_same_on_any_number_of_threads(arrow_type, labels):
    """Large columns, few and many labels: np.unique's codes on 1, 2 and 3 threads."""
    rng = np.random.default_rng(labels)
    names = np.array([f"{i}-{'y' * (i % 23)}" for i in range(labels)])
    rows = names[rng.integers(0, labels, 120_000)]
    null = rng.random(len(rows)) < 0.1
    expected, codes = np.unique(rows[~null], return_inverse=True)
    plain = pa.array(rows, pa.string(), mask=null).cast(arrow_type)
    chunked = pa.chunked_array([plain.slice(0, 50_001), plain.slice(50_001)])
    for column in (plain, chunked, chunked.dictionary_encode() if labels < 1000 else plain):
        for count in (1, 2, 3):
            set_threads(count)
            _, got, got_labels, missing = import_arrow(column)
            assert got_labels == expected.tolist()
            assert np.array_equal(missing, null)
            assert np.array_equal(got[~null], codes)
            assert not got[null].any()


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.none() | st.sampled_from(HOSTILE) | st.text(), max_size=40),
    st.sampled_from(TEXT_TYPES),
    st.integers(0, 40),
    st.booleans(),
)
def test_any_text_round_trips(rows, arrow_type, cut, as_dictionary):
    """Any text, any layout, any cut into chunks, as a dictionary or not."""
    rows = [None if row is None else row.encode("utf-8", "replace").decode() for row in rows]
    pieces = [pa.array(part, arrow_type) for part in (rows[:cut], rows[cut:])]
    if as_dictionary:
        pieces = [piece.cast(pa.string()).dictionary_encode() for piece in pieces]
    check_text(pa.chunked_array(pieces), rows)


INDEX_TYPES = [getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)]


@pytest.mark.parametrize("index_type", INDEX_TYPES)
@pytest.mark.parametrize("value_type", TEXT_TYPES)
def test_dictionaries_of_every_index_and_value_type(index_type, value_type):
    """Dictionary codes become codes of sorted labels; unused values count when asked for."""
    values = pa.array(["q", "b", "never", "a"], value_type)
    indices = pa.array([0, 1, None, 3, 0, 1], index_type)
    column = pa.DictionaryArray.from_arrays(indices, values)
    rows = ["q", "b", None, "a", "q", "b"]
    check_text(column, rows)
    check_text(column.slice(1, 3), rows[1:4])
    _, codes, labels, missing = import_arrow(column, keep_unused=True)
    assert labels == ["a", "b", "never", "q"]
    assert codes.tolist() == [3, 1, 0, 0, 3, 1]
    assert missing.tolist() == [False, False, True, False, False, False]


def test_chunks_with_different_dictionaries_are_unified():
    """The same text has the same code whatever its index in each chunk's dictionary."""
    first = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1], pa.int8()), ["b", "a"])
    second = pa.DictionaryArray.from_arrays(pa.array([2, 0, None], pa.int8()), ["a", "x", "c"])
    column = pa.chunked_array([first, second, first])
    rows = ["b", "a", "a", "c", "a", None, "b", "a", "a"]
    check_text(column, rows)
    _, _, labels, _ = import_arrow(column, keep_unused=True)
    assert labels == ["a", "b", "c", "x"]
    _, _, labels, _ = import_arrow(second.slice(0, 0), keep_unused=True)
    assert labels == ["a", "c", "x"]


def test_null_and_repeated_dictionary_values():
    """A null among the values makes its rows missing; a repeated value is one label."""
    values = pa.array(["b", None, "a", "b"])
    indices = pa.array([0, 1, 2, 3, None, 1], pa.int16())
    column = pa.DictionaryArray.from_arrays(indices, values)
    check_text(column, ["b", None, "a", "b", None, None])
    check_text(column.slice(1, 2), [None, "a"])
    check_text(column.slice(2, 2), ["a", "b"])
    whole = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int16()), ["b", "c"])
    check_text(pa.chunked_array([whole, column.slice(1, 2), whole]), ["c", "b", None, "a", "c", "b"])
    nothing = pa.DictionaryArray.from_arrays(pa.array([0, None], pa.int8()), pa.nulls(1))
    check_text(nothing, [None, None])


def test_many_unused_dictionary_values_leave_small_codes():
    """Dropping unused values also narrows the codes."""
    values = pa.array([f"v{i:05d}" for i in range(1000)])
    indices = pa.array([999, 3, None, 3] * 10_000, pa.int32())
    column = pa.DictionaryArray.from_arrays(indices, values)
    for count in (1, 2, 3):
        set_threads(count)
        check_text(column, ["v00999", "v00003", None, "v00003"] * 10_000)
    _, codes, labels, _ = import_arrow(column, keep_unused=True)
    assert codes.dtype == np.uint16
    assert len(labels) == 1000


@pytest.mark.parametrize(("arrow_type", "dtype"), NUMBER_TYPES)
def test_dictionaries_of_numbers_are_looked_up(arrow_type, dtype):
    """Categories that are numbers come as the numbers."""
    values = pa.array([7, None, 5], arrow_type)
    column = pa.DictionaryArray.from_arrays(pa.array([0, 2, 1, None, 0], pa.int8()), values)
    check_numbers(column, [7, 5, None, None, 7], dtype)
    check_numbers(pa.chunked_array([column, column.slice(1, 1)]), [7, 5, None, None, 7, 5], dtype)


def test_dictionaries_of_booleans_are_looked_up():
    """Categories False and True come as booleans."""
    values = pa.array([None, True, False, True]).slice(1)
    column = pa.DictionaryArray.from_arrays(pa.array([1, 0, None, 2], pa.uint8()), values)
    check_numbers(column, [False, True, None, True], "bool")


def test_the_null_type_is_text_without_labels():
    """A column of Arrow's null type is all missing."""
    check_text(pa.nulls(3), [None] * 3)
    check_text(pa.chunked_array([pa.nulls(2), pa.nulls(1)]), [None] * 3)
    check_text(pa.nulls(0), [])


def test_many_small_chunks():
    """Thousands of chunks of a few rows are one column."""
    rows = [f"name {i % 37}" for i in range(30_000)]
    array = pa.array(rows)
    check_text(pa.chunked_array([array.slice(i, 3) for i in range(0, 30_000, 3)]), rows)
    numbers = pa.array(range(30_000), pa.int32())
    chunked = pa.chunked_array([numbers.slice(i, 7) for i in range(0, 30_000, 7)])
    check_numbers(chunked, list(range(30_000)), "int32")


@pytest.mark.parametrize(
    ("column", "arrow_format"),
    [
        (pa.array([1], pa.decimal128(5, 2)), "d:5,2"),
        (pa.array([[1]]), "+l"),
        (pa.table({"a": [1]}), "+s"),
        (pa.array([b"x"]), "z"),
        (pa.array([b"x"]).dictionary_encode(), "z"),
    ],
)
def test_other_types_are_refused_by_their_format(column, arrow_format):
    """An unsupported type raises with Arrow's format string as the message."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared whole
        import_arrow(column)
    assert str(caught.value) == arrow_format


def test_objects_without_the_interface_are_refused():
    """Something that is not Arrow is a TypeError."""

    class Liar:
        def __arrow_c_array__(self):
            return 3

    class WrongCapsule:
        def __arrow_c_stream__(self):
            return pa.array([1]).__arrow_c_array__()[0]

    for source in (3, None, [1], Liar()):
        with pytest.raises(TypeError):
            import_arrow(source)
    with pytest.raises(ValueError, match="incorrect name"):
        import_arrow(WrongCapsule())


def test_polars_columns():
    """Polars' views, categories, enumerations, numbers, booleans and nulls."""
    pl = pytest.importorskip("polars")
    rows = ["b", "", None, "a text longer than twelve bytes", "a"] * 3
    check_text(pl.Series(rows), rows)
    check_text(pl.Series(rows)[2:9], rows[2:9])
    check_text(pl.concat([pl.Series(rows), pl.Series(rows)], rechunk=False), rows + rows)
    check_text(pl.Series(rows, dtype=pl.Categorical), rows)
    enum = pl.Series(["x", None, "z"], dtype=pl.Enum(["z", "x", "unused"]))
    check_text(enum, ["x", None, "z"])
    assert import_arrow(enum, keep_unused=True)[2] == ["unused", "x", "z"]
    check_numbers(pl.Series([1, None, 3]), [1, None, 3], "int64")
    check_numbers(pl.Series([1.5, 2.5], dtype=pl.Float32), [1.5, 2.5], "float32")
    check_numbers(pl.Series([True, None, False] * 5), [True, None, False] * 5, "bool")
    check_text(pl.Series([None, None]), [None, None])
    check_text(pl.Series([], dtype=pl.String), [])


def test_pandas_columns():
    """Of pandas: str, Arrow-backed, nullable and categorical columns."""
    pd = pytest.importorskip("pandas")
    if not hasattr(pd.Series, "__arrow_c_stream__"):
        pytest.skip("this pandas has no Arrow stream for a Series")
    rows = ["b", "", None, "a text longer than sixteen bytes", "a"] * 3
    check_text(pd.Series(rows, dtype="str"), rows)
    check_text(pd.Series(rows, dtype="str")[3:11], rows[3:11])
    check_text(pd.Series(rows, dtype=pd.ArrowDtype(pa.string())), rows)
    check_text(pd.Series(rows, dtype="category"), rows)
    declared = pd.Series(["x", None], dtype=pd.CategoricalDtype(["z", "x"]))
    check_text(declared, ["x", None])
    assert import_arrow(declared, keep_unused=True)[2] == ["x", "z"]
    check_numbers(pd.Series([7, 5, 7], dtype="category"), [7, 5, 7], "int64")
    check_numbers(pd.Series([1, None], dtype="Int64"), [1, None], "int64")
    check_numbers(pd.Series([1, 2], dtype=pd.ArrowDtype(pa.int8())), [1, 2], "int8")
    check_numbers(pd.Series([True, False]), [True, False], "bool")


def test_other_libraries_by_the_same_protocol():
    """Columns of nanoarrow and arro3 enter by the same door."""
    na = pytest.importorskip("nanoarrow")
    arro3 = pytest.importorskip("arro3.core")
    check_text(na.Array(["b", "a", None], na.string()), ["b", "a", None])
    check_numbers(na.Array([1, 2, None], na.int32()), [1, 2, None], "int32")
    check_text(arro3.Array(pa.array(["q", None, "p"])), ["q", None, "p"])
    check_text(arro3.ChunkedArray(pa.chunked_array([["q", "p"], ["a"]])), ["q", "p", "a"])


# Structs made by hand, for what no library would send.


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", RELEASE_ARRAY),
    ("private_data", ctypes.c_void_p),
]


class Handmade:
    """An Arrow array of raw buffers that counts how often it is released."""

    def __init__(self, arrow_format, buffers, length, *, offset=0, null_count=0, dictionary=None):
        self.held = [None if data is None else np.frombuffer(data, np.uint8) for data in buffers]
        pointers = [None if data is None else data.ctypes.data for data in self.held]
        self.pointers = (ctypes.c_void_p * max(1, len(pointers)))(*pointers)
        self.released = []
        self.release_schema = RELEASE_SCHEMA(self._note_schema)
        self.release_array = RELEASE_ARRAY(self._note_array)
        self.schema = Schema(format=arrow_format, release=self.release_schema)
        self.array = Array(
            length=length,
            null_count=null_count,
            offset=offset,
            n_buffers=len(buffers),
            buffers=self.pointers,
            release=self.release_array,
        )
        self.values = dictionary
        if dictionary is not None:
            self.schema.dictionary = ctypes.pointer(dictionary.schema)
            self.array.dictionary = ctypes.pointer(dictionary.array)

    def _note_schema(self, schema):
        schema.contents.release = RELEASE_SCHEMA()
        self.released.append("schema")

    def _note_array(self, array):
        array.contents.release = RELEASE_ARRAY()
        self.released.append("array")

    def __arrow_c_array__(self):
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype = ctypes.py_object
        capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return (
            capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
            capsule(ctypes.addressof(self.array), b"arrow_array", None),
        )


def int32(*values):
    return np.array(values, np.int32).tobytes()


def test_handmade_arrays_are_read_and_released_once():
    """Unknown null counts, absent bitmaps and offsets are read right; release runs once."""
    numbers = Handmade(b"i", [b"\x05", int32(10, 11, 12, 13)], 3, offset=1, null_count=-1)
    _, array, missing = import_arrow(numbers)
    assert array.tolist() == [11, 12, 13]
    assert missing.tolist() == [True, False, True]
    assert "array" not in numbers.released
    del array
    gc.collect()
    assert sorted(numbers.released) == ["array", "schema"]

    all_valid = Handmade(b"i", [b"\xff", int32(10, 11)], 2, null_count=-1)
    check_numbers(all_valid, [10, 11], "int32")
    no_bitmap = Handmade(b"u", [None, int32(0, 1, 3), b"abb"], 2, null_count=-1)
    check_text(no_bitmap, ["a", "bb"])
    assert sorted(no_bitmap.released) == ["array", "schema"]


def test_misaligned_numbers_are_copied():
    """Numbers at an odd address are read without being borrowed."""
    odd = Handmade(b"l", [None, b"\0" * 17], 2)
    odd.pointers[1] += 1
    tag, array, _ = import_arrow(odd)
    assert tag == "numbers"
    assert array.flags.aligned
    assert array.tolist() == [0, 0]
    assert sorted(odd.released) == ["array", "schema"]


def view(length, *, buffer=0, offset=0):
    return int32(length) + b"abcd" + int32(buffer, offset)


CORRUPT = {
    "unknown format": (b"?", [None, b"1234"], 1, {}),
    "no format": (None, [None, b"1234"], 1, {}),
    "empty format": (b"", [None, b"1234"], 1, {}),
    "negative length": (b"i", [None, b"1234"], -1, {}),
    "huge length": (b"i", [None, b"1234"], 2**62, {}),
    "negative offset": (b"i", [None, b"1234"], 1, {"offset": -1}),
    "too few buffers": (b"i", [None], 1, {}),
    "too many buffers": (b"i", [None, b"1234", b"1234"], 1, {}),
    "no values": (b"i", [None, None], 1, {}),
    "text without data": (b"u", [None, int32(0, 3), None], 1, {}),
    "decreasing offsets": (b"u", [None, int32(0, 3, 2), b"abc"], 2, {}),
    "negative offsets": (b"u", [None, int32(-4, 3), b"abc"], 1, {}),
    "offset beyond the end": (b"u", [None, int32(0, 90, 3), b"abc"], 2, {}),
    "negative end": (b"u", [None, int32(0, -3), b"abc"], 1, {}),
    "large offset beyond": (b"U", [None, np.array([0, 2**40, 3]).tobytes(), b"abc"], 2, {}),
    "view of no buffer": (b"vu", [None, view(13, buffer=1), b"x" * 20, int32(20, 0)], 1, {}),
    "view beyond buffer": (b"vu", [None, view(13, offset=9), b"x" * 20, int32(20, 0)], 1, {}),
    "negative view": (b"vu", [None, view(-1), b"x" * 20, int32(20, 0)], 1, {}),
    "view without sizes": (b"vu", [None, view(13), b"x" * 20, None], 1, {}),
    "ill-formed UTF-8": (b"u", [None, int32(0, 3), b"\xff\xfe\xfd"], 1, {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CORRUPT)
def test_corrupt_arrays_are_refused_and_released_once(case):
    """An array that cannot be what it says raises ValueError and is released exactly once."""
    arrow_format, buffers, length, options = CORRUPT[case]
    source = Handmade(arrow_format, buffers, length, **options)
    with pytest.raises(ValueError):  # noqa: PT011  the words differ by case
        import_arrow(source)
    gc.collect()
    assert sorted(source.released) == ["array", "schema"]


def test_released_arrays_are_refused():
    """What was handed over once is not there a second time."""
    source = Handmade(b"i", [None, int32(1)], 1)
    import_arrow(source)
    for _ in range(2):
        with pytest.raises(ValueError):  # noqa: PT011  the message is the absent format
            import_arrow(source)
    assert sorted(source.released) == ["array", "schema"]


@pytest.mark.slow
@pytest.mark.parametrize("index", [-1, 2, 100])
def test_dictionary_indices_out_of_range_are_refused(index):
    """An index that no value has raises, for text and for numbers."""
    for values in (
        Handmade(b"u", [None, int32(0, 1, 2), b"ab"], 2),
        Handmade(b"i", [None, int32(7, 8)], 2),
        Handmade(b"u", [b"\x01", int32(0, 1, 2), b"ab"], 2, null_count=1),
    ):
        source = Handmade(b"i", [None, int32(0, index)], 2, dictionary=values)
        with pytest.raises(ValueError, match="dictionary index"):
            import_arrow(source)
        gc.collect()
        assert sorted(source.released) == ["array", "schema"]


def test_dictionaries_that_cannot_be_are_refused():
    """Indices that are no integers, dictionaries of dictionaries, and absent dictionaries."""
    text = Handmade(b"u", [None, int32(0, 1), b"a"], 1)
    floats = Handmade(b"f", [None, int32(0)], 1, dictionary=text)
    with pytest.raises(ValueError, match="no integers"):
        import_arrow(floats)
    nested = Handmade(b"i", [None, int32(0)], 1, dictionary=text)
    with pytest.raises(ValueError, match="i"):
        import_arrow(Handmade(b"i", [None, int32(0)], 1, dictionary=nested))
    absent = Handmade(b"i", [None, int32(0)], 1, dictionary=text)
    absent.array.dictionary = ctypes.POINTER(Array)()
    with pytest.raises(ValueError, match="dictionary"):
        import_arrow(absent)


class Stream(ctypes.Structure):
    pass


GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
GET_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
Stream._fields_ = [
    ("get_schema", GET_SCHEMA),
    ("get_next", GET_NEXT),
    ("get_last_error", GET_ERROR),
    ("release", RELEASE_STREAM),
    ("private_data", ctypes.c_void_p),
]


class HandmadeStream:
    """A stream of handmade arrays that ends in an error when told to."""

    def __init__(self, arrays, *, words=b"the disk is gone", fails=False):
        self.arrays = arrays
        self.words = ctypes.create_string_buffer(words) if words is not None else None
        self.fails = fails
        self.given = 0
        self.released = 0
        self.callbacks = (
            GET_SCHEMA(self._schema),
            GET_NEXT(self._next),
            GET_ERROR(self._error),
            RELEASE_STREAM(self._release),
        )
        self.stream = Stream(*self.callbacks)

    def _schema(self, _, out):
        ctypes.memmove(out, ctypes.byref(self.arrays[0].schema), ctypes.sizeof(Schema))
        return 0

    def _next(self, _, out):
        if self.given == len(self.arrays):
            if self.fails:
                return 5
            ctypes.memset(out, 0, ctypes.sizeof(Array))
            return 0
        ctypes.memmove(out, ctypes.byref(self.arrays[self.given].array), ctypes.sizeof(Array))
        self.given += 1
        return 0

    def _error(self, _):
        return None if self.words is None else ctypes.addressof(self.words)

    def _release(self, stream):
        stream.contents.release = RELEASE_STREAM()
        self.released += 1

    def __arrow_c_stream__(self):
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype = ctypes.py_object
        capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return capsule(ctypes.addressof(self.stream), b"arrow_array_stream", None)


def test_streams_release_everything_once():
    """Stream, schema and each chunk are released once: at the end, on an error, on bad data."""

    def arrays():
        return [Handmade(b"i", [None, int32(1, 2)], 2), Handmade(b"i", [None, int32(3)], 1)]

    whole = HandmadeStream(arrays())
    check_numbers(whole, [1, 2, 3], "int32")
    failing = HandmadeStream(arrays(), fails=True)
    with pytest.raises(RuntimeError, match="the disk is gone"):
        import_arrow(failing)
    silent = HandmadeStream(arrays(), fails=True, words=None)
    with pytest.raises(RuntimeError, match="without a reason"):
        import_arrow(silent)
    corrupt = HandmadeStream([arrays()[0], Handmade(b"i", [None], 1)])
    with pytest.raises(ValueError, match="number of buffers"):
        import_arrow(corrupt)
    gc.collect()
    for stream in (whole, failing, silent, corrupt):
        assert stream.released == 1
        assert stream.arrays[0].released.count("schema") == 1
        assert [array.released.count("array") for array in stream.arrays] == [1, 1]
    with pytest.raises(ValueError, match="released stream"):
        import_arrow(whole)


def test_a_nested_dictionary_without_a_format_is_refused():
    """A dictionary's dictionary is not read, and an absent format is no string to complain with."""
    inner = Handmade(b"u", [None, int32(0, 1), b"a"], 1)
    values = Handmade(None, [None, int32(0)], 1, dictionary=inner)
    with pytest.raises(ValueError, match=r"^$"):
        import_arrow(Handmade(b"i", [None, int32(0)], 1, dictionary=values))


SHARED_DICTIONARY = """
import resource
import numpy as np, pyarrow as pa
from assay._kernels import import_arrow

values = pa.array(np.arange(1_000_000, dtype=np.int32), mask=np.arange(1_000_000) == 7)
chunk = pa.DictionaryArray.from_arrays(pa.array([1, 7, 3], pa.int32()), values)
column = pa.chunked_array([chunk] * 300)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
_, numbers, missing = import_arrow(column)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
assert missing.sum() == 300 and missing[1]
assert numbers[0] == 1 and numbers[-1] == 3
assert grown < 64 * 1024, grown
"""


def test_chunks_that_share_a_dictionary_share_its_memory():
    """A dictionary with nulls takes no memory again for each chunk."""
    pytest.importorskip("pyarrow")
    done = programs.run_script(SHARED_DICTIONARY)
    assert done.returncode == 0, done.stderr
