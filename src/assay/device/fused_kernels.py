"""Kernels in Triton: each reads its columns once and leaves counts, without waiting for the device.

Integers are passed so that Triton does not compile a kernel anew for other numbers of rows.
"""

# Triton reads no annotations but those of constants, and names these in capitals; NaN differs from itself.
# mypy: ignore-errors
# ruff: noqa: ANN001, ANN201, ANN202, N803, PLR0917, PLR0124, PLR2004

import triton
import triton.language as tl

__all__ = [
    "count_classes", "count_few_pairs", "count_negatives", "count_pairs", "count_scores", "pack_scores",
    "sum_ranks",
]  # fmt: skip

_NONE = tl.constexpr(0x7FFFFFFFFFFFFFFF)  # the number of no row


@triton.jit
def _note_row(first, strange, rows):
    """Keep the lowest row number that is strange."""
    lowest = tl.min(tl.where(strange, rows, _NONE))
    if lowest != _NONE:
        tl.atomic_min(first, lowest)


@triton.jit(do_not_specialize=["n", "start"])
def count_scores(actual, score, octaves, threshold, counts, table, first_bad, n, start, BLOCK: tl.constexpr):
    """Count rows by cell of their score and label, and by label and side of the threshold."""
    rows = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = rows < n
    y = tl.load(actual + rows, mask=inside, other=0).to(tl.int64)
    x = tl.load(score + rows, mask=inside, other=0.0).to(tl.float64) + 0.0  # -0.0 becomes 0.0
    not_number, no_label = inside & (x != x), inside & (y != 0) & (y != 1)
    _note_row(first_bad, not_number, start + rows)
    _note_row(first_bad + 1, no_label, start + rows)
    # The key and its cell as in cpp/kernel/binned_scores.cpp.
    below_one = (x >= 0.5) & (x < 1.0)
    magnitude = tl.where(below_one, 1.0 - x, tl.abs(x)).to(tl.int64, bitcast=True)
    key = tl.where((x < 0.0) | below_one, -magnitude, magnitude)
    octave = ((key >> 52) & 0xFFF) + tl.where(below_one, 1024, 0)
    good = inside & (x == x)
    packed = tl.load(octaves + octave, mask=good, other=0)
    place = key & 0xFFFFFFFFFFFFF
    cell = (packed & 0xFFFFFFFF) + (place >> ((packed >> 32) & 63)) + tl.minimum(place, packed >> 40)
    positive = (y & 1) == 1
    tl.atomic_add(counts + 2 * cell + (y & 1), 1, mask=good, sem="relaxed")
    above = x >= tl.load(threshold)
    one = tl.full([BLOCK], 1, tl.int64)
    tl.atomic_add(table, tl.sum(tl.where(good & (positive == 0) & (above == 0), one, 0)), sem="relaxed")
    tl.atomic_add(table + 1, tl.sum(tl.where(good & (positive == 0) & above, one, 0)), sem="relaxed")
    tl.atomic_add(table + 2, tl.sum(tl.where(good & positive & (above == 0), one, 0)), sem="relaxed")
    tl.atomic_add(table + 3, tl.sum(tl.where(good & positive & above, one, 0)), sem="relaxed")


@triton.jit(do_not_specialize=["n", "start", "ignored"])
def count_classes(
    actual, score, counts, first_bad, n, start, ignored,
    CLASSES: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Count rows by actual class and by the class of the highest score, the first of equal ones."""
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    inside = rows < n
    y = tl.load(actual + rows, mask=inside, other=0).to(tl.int64)
    counted = inside & (y != ignored)
    best = tl.full([ROWS], float("-inf"), tl.float64)
    at = tl.zeros([ROWS], tl.int64)
    not_number = tl.zeros([ROWS], tl.int32)
    for begin in range(0, CLASSES, WIDTH):
        columns = begin + tl.arange(0, WIDTH)
        there = counted[:, None] & (columns < CLASSES)[None, :]
        x = tl.load(score + rows[:, None] * CLASSES + columns[None, :], mask=there, other=float("-inf"))
        x = x.to(tl.float64)
        not_number |= tl.max(tl.where(x != x, 1, 0), axis=1)
        x = tl.where(x != x, float("-inf"), x)
        highest = tl.max(x, axis=1)
        index = tl.argmax(x, axis=1, tie_break_left=True).to(tl.int64) + begin
        at = tl.where(highest > best, index, at)
        best = tl.maximum(best, highest)
    strange = counted & ((y < 0) | (y >= CLASSES))
    _note_row(first_bad, counted & (not_number != 0), start + rows)
    _note_row(first_bad + 1, strange, start + rows)
    tl.atomic_add(counts + y * CLASSES + at, 1, mask=counted & (strange == 0), sem="relaxed")


@triton.jit(do_not_specialize=["n", "start", "ignored"])
def count_pairs(
    actual, predicted, counts, first_bad, n, start, low, classes, ignored, copies, BLOCK: tl.constexpr
):
    """Count rows by two columns of classes that are numbered from `low` on, in one of several tables."""
    rows = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = rows < n
    y = tl.load(actual + rows, mask=inside, other=0).to(tl.int64)
    x = tl.load(predicted + rows, mask=inside, other=0).to(tl.int64)
    counted = inside & (y != ignored)
    y, x = y - low, x - low
    bad_predicted = counted & ((x < 0) | (x >= classes))
    bad_actual = counted & ((y < 0) | (y >= classes))
    _note_row(first_bad, bad_predicted, start + rows)
    _note_row(first_bad + 1, bad_actual, start + rows)
    good = counted & (bad_predicted == 0) & (bad_actual == 0)
    own = counts + (tl.program_id(0) % copies).to(tl.int64) * classes * classes
    tl.atomic_add(own + y * classes + x, 1, mask=good, sem="relaxed")


@triton.jit(do_not_specialize=["n", "low"])
def count_few_pairs(actual, predicted, counts, n, low, programs, CLASSES: tl.constexpr, BLOCK: tl.constexpr):
    """Count rows by two columns of 2 or 4 classes at the memory's speed; the last count is of all other rows.

    Every thread counts four pairs in the 16-bit fields of a word: enough for 65,535 blocks a program.
    """
    program = tl.program_id(0).to(tl.int64)
    one = tl.full([BLOCK], 1, tl.int64)
    none = tl.zeros([BLOCK], tl.int64)
    first, second, third, fourth, others = none, none, none, none, none
    begin = program * BLOCK
    while begin < n:
        rows = begin + tl.arange(0, BLOCK)
        inside = rows < n
        y = tl.load(actual + rows, mask=inside, other=low).to(tl.int64) - low
        x = tl.load(predicted + rows, mask=inside, other=low).to(tl.int64) - low
        known = inside & ((y | x) >= 0) & ((y | x) < CLASSES)
        pair = y * CLASSES + x
        field = tl.where(known, one << ((pair & 3) << 4), 0)
        if CLASSES == 2:
            first += field
        else:
            first += tl.where(y == 0, field, 0)
            second += tl.where(y == 1, field, 0)
            third += tl.where(y == 2, field, 0)
            fourth += tl.where(y == 3, field, 0)
        others += (inside & (known == 0)).to(tl.int64)
        begin += programs * BLOCK
    for place in tl.static_range(4):
        tl.atomic_add(counts + place, tl.sum((first >> (16 * place)) & 0xFFFF), sem="relaxed")
        if CLASSES == 4:
            tl.atomic_add(counts + 4 + place, tl.sum((second >> (16 * place)) & 0xFFFF), sem="relaxed")
            tl.atomic_add(counts + 8 + place, tl.sum((third >> (16 * place)) & 0xFFFF), sem="relaxed")
            tl.atomic_add(counts + 12 + place, tl.sum((fourth >> (16 * place)) & 0xFFFF), sem="relaxed")
    tl.atomic_add(counts + CLASSES * CLASSES, tl.sum(others), sem="relaxed")


@triton.jit(do_not_specialize=["n"])
def count_negatives(packed, counts, n, BLOCK: tl.constexpr):
    """Count the negatives of each block of packed scores."""
    program = tl.program_id(0).to(tl.int64)
    rows = program * BLOCK + tl.arange(0, BLOCK)
    key = tl.load(packed + rows, mask=rows < n, other=1)
    tl.store(counts + program, tl.sum(1 - (key & 1)).to(tl.int64))


@triton.jit(do_not_specialize=["n"])
def pack_scores(actual, score, packed, facts, positive, n, BLOCK: tl.constexpr):
    """Write float32 scores that are not negative with their label as the last bit, in the order of int32.

    `facts` counts positives, and the rows whose score is negative or not a number.
    """
    rows = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = rows < n
    y = (tl.load(actual + rows, mask=inside, other=0).to(tl.int64) == positive) & inside
    x = tl.load(score + rows, mask=inside, other=0.0).to(tl.float32) + 0.0
    refused = inside & ((x >= 0.0) == 0)
    key = ((x.to(tl.uint32, bitcast=True) << 1) | y.to(tl.uint32)) ^ 0x80000000
    tl.store(packed + rows, key.to(tl.int32, bitcast=True), mask=inside)
    tl.atomic_add(facts, tl.sum(y.to(tl.int32)).to(tl.int64), sem="relaxed")
    strange = tl.sum(refused.to(tl.int32)).to(tl.int64)
    if strange != 0:
        tl.atomic_add(facts + 1, strange, sem="relaxed")


@triton.jit
def _first_at_least(packed, n, key):
    """Return the index of the first packed score that is not below a key."""
    low = n * 0
    high = n
    while low < high:
        middle = (low + high) // 2
        if tl.load(packed + middle) < key:
            low = middle + 1
        else:
            high = middle
    return low


@triton.jit(do_not_specialize=["n"])
def sum_ranks(packed, before, sums, n, BLOCK: tl.constexpr):
    """Add up, over the positives, the negatives below them and those not above them: twice the concordance.

    `before` has the number of negatives before each block. Within a score negatives come first. A score that
    began in an earlier block is looked up by two searches.
    """
    program = tl.program_id(0).to(tl.int64)
    begin = program * BLOCK
    rows = begin + tl.arange(0, BLOCK)
    inside = rows < n
    key = tl.load(packed + rows, mask=inside, other=0)
    previous = tl.load(packed + rows - 1, mask=inside & (rows > 0), other=0)
    negative = (inside & ((key & 1) == 0)).to(tl.int64)
    total = tl.load(before + program)
    through = total + tl.cumsum(negative)
    fresh = (rows == 0) | ((key >> 1) != (previous >> 1))
    started = tl.associative_scan(tl.where(fresh, through - negative, -1), 0, _larger)
    head = tl.load(packed + begin) & -2
    first = _first_at_least(packed, begin, head)
    first_positive = _first_at_least(packed, begin, head | 1)
    started = tl.where(started < 0, total - (first_positive - first), started)
    positive = inside & ((key & 1) == 1)
    tl.store(sums + program, tl.sum(tl.where(positive, through + started, 0)))


@triton.jit
def _larger(x, y):
    return tl.maximum(x, y)
