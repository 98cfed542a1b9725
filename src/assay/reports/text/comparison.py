"""A comparison as text: the table of differences, and in plain words what it says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.formatting.table import JOINED, grid, listed, paragraph
from assay.formatting.width import clean
from assay.formatting.width import width as columns
from assay.inference.test_result import p_text
from assay.metrics import Undefined
from assay.reports.summary import shown_name
from assay.tallies import Collection

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from assay.comparison.compare import Comparison
    from assay.inference.differences.difference import Difference
    from assay.metrics import Value

__all__ = ["conclusions", "draw"]

_TWO = 2
_MANY = 10_000  # times as many rows, beyond which a number says no more than that
_SMALL, _LARGE = 1e-5, 1e9  # values between which numbers are written out
_DECIMALS = 8
_CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg"}


def draw(comparison: Comparison, *, width: int = 80) -> str:
    """Return the comparison as lines of at most so many columns."""
    parts = [paragraph(_title(comparison), room=width)]
    if len(comparison.names) == _TWO:
        parts.append(_two(comparison, width))
    else:
        parts += [*_values(comparison, width), _pairs(comparison, width)]
    for block, indent in ((_overall(comparison), 2), (_notes(comparison), 2), (conclusions(comparison), 0)):
        parts.append([line for one in block for line in paragraph(one, room=width, indent=indent)])
    return "\n\n".join("\n".join(part) for part in parts if part)


def conclusions(comparison: Comparison) -> list[str]:
    """Return in plain words, pair by pair, what the differences show and what they do not."""
    sentences = []
    pairs = list(dict.fromkeys((one.first, one.second) for one in comparison.differences))
    for first, second in pairs:
        mine = [one for one in comparison.differences if (one.first, one.second) == (first, second)]
        sentences.append(_verdict(comparison, clean(first), clean(second), mine))
        against = [one for one in mine if one.margin is not None]
        if against:
            sentences.append(_margins(clean(first), clean(second), against))
    sentences += _detected(comparison)
    return sentences


def _title(comparison: Comparison) -> str:
    unit = "queries" if comparison.of_queries else "rows"
    sizes = comparison.sizes
    if comparison.paired:
        rows = f"paired on {sizes[0]:,} {unit}"
    else:
        each = listed(f"{size:,}" for size in sizes)
        held = any(isinstance(one, Collection) for one in comparison.models.data)
        why = f"tallies keep no pairs of {unit}" if held else f"different {unit}"
        rows = f"not paired: {why}, {each}"
    if comparison.dropped:
        rows += f" ({comparison.dropped:,} left out for missing values)"
    parts = [rows]
    if comparison.empty_lists:
        parts.append(f"{comparison.empty_lists:,} without a relevant item")
    if comparison.groups:
        parts.append(f"in {comparison.groups:,} group{'s' if comparison.groups > 1 else ''}")
    parts.append(f"{100 * comparison.confidence:g}% intervals")
    if comparison.correction and comparison.family > 1:
        parts.append(f"p corrected by {_CORRECTIONS[comparison.correction]} over {comparison.family} tests")
    return " · ".join(parts)


def _two(comparison: Comparison, room: int) -> list[str]:
    first, second = map(clean, comparison.names)
    head = ["", first, second, f"{second} - {first}", "p", *_adjusted_head(comparison)]
    body = []
    for one in comparison.differences:
        form = _form(one)
        values = [_number(value, form) for value in one.values]
        body.append([_metric(one), *values, *_difference_cells(comparison, one)])
    return grid(head, body, room=room)


def _values(comparison: Comparison, room: int) -> list[list[str]]:
    """Return the models' values, in as many blocks of models as the room asks for."""
    metrics = list(dict.fromkeys(one.metric for one in comparison.differences))
    found: dict[tuple[str, str], str] = {}
    for one in comparison.differences:
        for name, value in zip((one.first, one.second), one.values, strict=True):
            found[one.metric, name] = _number(value, _form(one))
    names = list(comparison.names)
    blocks = []
    while names:
        for taken in range(len(names), 0, -1):
            body = [[_words(metric), *(found[metric, name] for name in names[:taken])] for metric in metrics]
            lines = grid(["", *map(clean, names[:taken])], body, room=room)
            if taken == 1 or max(map(columns, lines)) <= room:
                break
        blocks.append(lines)
        names = names[taken:]
    return blocks


def _pairs(comparison: Comparison, room: int) -> list[str]:
    head = ["", "", "difference", "p", *_adjusted_head(comparison)]
    body, before = [], None
    for one in comparison.differences:
        name = "" if one.metric == before else _metric(one)
        pair = f"{clean(one.second)} - {clean(one.first)}"
        body.append([name, pair, *_difference_cells(comparison, one)])
        before = one.metric
    return grid(head, body, room=room, words=2)


def _adjusted_head(comparison: Comparison) -> list[str]:
    name = {"holm": "Holm p", "bh": "BH p"}.get(comparison.correction or "")
    return [name] if name and comparison.family > 1 else []


def _difference_cells(comparison: Comparison, one: Difference) -> list[str]:
    more = [""] if _adjusted_head(comparison) else []
    if isinstance(one.difference, Undefined):
        return ["undefined", "", *more]
    form = _form(one)
    shown = _number(one.difference, form, sign=True)
    if one.low is not None and one.high is not None:
        low, high = (_number(limit, form, sign=True) for limit in (one.low, one.high))
        shown += f" [{low},{JOINED}{high}]"
    adjusted = [_p(one.adjusted)] if more else []
    return [shown, _p(one.p), *adjusted]


def _overall(comparison: Comparison) -> list[str]:
    """Return the tests of all models at once."""
    lines = []
    for metric, test in comparison.overall.items():
        outcome = f"undefined: {test.p.reason}" if isinstance(test.p, Undefined) else p_text(test.p)
        lines.append(
            f"All {len(comparison.names)} models alike on {_words(metric)}? {test.method}: {outcome}."
        )
    return lines


def _notes(comparison: Comparison) -> list[str]:
    """Return by which methods the differences were judged, and what to know of them."""
    methods: dict[str, list[str]] = {}
    notes: dict[str, list[str]] = {}
    for one in comparison.differences:
        name = _words(one.metric)
        if one.method:
            how = one.method if one.test == one.method else f"{one.method}; {one.test}"
            more = "".join(f"; {test.method}, {p_text(float(test.p))}" for test in one.more)
            methods.setdefault(f"{how}{more}", []).append(name)
        reason = one.difference.reason if isinstance(one.difference, Undefined) else one.note
        if reason and not one.same:
            notes.setdefault(reason, []).append(name)
    lines = [f"{listed(dict.fromkeys(names))}: {how}." for how, names in methods.items()]
    lines += [f"Note on {listed(dict.fromkeys(names))}: {reason}." for reason, names in notes.items()]
    if any(one.margin is not None for one in comparison.differences):
        wide, narrow = (
            f"{100 * level:g}%" for level in (comparison.confidence, 2 * comparison.confidence - 1)
        )
        lines.append(
            f"Claims by the margin, each for itself: superior and non-inferior by the {wide} interval, "
            f"equivalent by the {narrow} one."
        )
    return lines


def _verdict(comparison: Comparison, first: str, second: str, mine: Sequence[Difference]) -> str:
    """Return what the differences of one pair show."""
    clauses = []
    for name in (first, second):
        won = [one for one in mine if one.winner is not None and clean(one.winner) == name]
        if won:
            loser = "" if len(comparison.names) == _TWO else f"than {second if name == first else first} "
            ahead = listed(_by_how_much(comparison, one) for one in won)
            clauses.append(f"{name} is better {loser}{ahead}")
    apart = [one for one in mine if one.decided and not one.direction]
    if apart:
        clauses.append(
            f"{first} and {second} differ {listed(_by_how_much(comparison, one) for one in apart)}"
        )
    same = [one for one in mine if one.same]
    if same:
        everywhere = len(same) == len(mine)
        where = "" if everywhere else f" on {listed(_words(one.metric) for one in same)}"
        clauses.append(f"{first} and {second} never disagree{where}")
    open_ = [one for one in mine if not one.decided and not one.same and _tested(one)]
    if open_:
        told = _cannot_tell(comparison, first, second, open_, alone=len(open_) == len(mine))
        clauses.append(told if clauses else told[0].upper() + told[1:])
    lacking = [one for one in mine if not _tested(one)]
    if lacking:
        start = "nothing" if clauses else "Nothing"
        clauses.append(f"{start} can be said on {listed(_words(one.metric) for one in lacking)}")
    return f"{'; '.join(clauses)}."


def _by_how_much(comparison: Comparison, one: Difference) -> str:
    """Return where and how far the better model is ahead: 'on auc by 0.012 [0.004, 0.020] (p = 0.003)'."""
    size, form = float(one.difference), _form(one)
    limits = ""
    if one.low is not None and one.high is not None:
        both = (one.low, one.high) if size > 0 else (-one.high, -one.low)
        limits = f" [{f',{JOINED}'.join(_number(limit, form) for limit in both)}]"
    word = " (lower)" if one.direction < 0 else ""
    ahead = f"{_number(abs(size), form)}{limits} ({_p_words(comparison, one)})"
    return f"on {_words(one.metric)}{word} by {ahead}"


def _p_words(comparison: Comparison, one: Difference) -> str:
    if one.adjusted is None or comparison.family == 1:
        return _p_said("p", one.p)
    return _p_said({"holm": "Holm p", "bh": "BH p"}[comparison.correction or ""], one.adjusted)


def _p_said(name: str, p: Value) -> str:
    words = f"{name} < 5e-324" if not float(p) else f"{name} = {_p(p)}"
    return words.replace(" ", JOINED)


def _cannot_tell(
    comparison: Comparison, first: str, second: str, open_: Sequence[Difference], *, alone: bool
) -> str:
    """Return that the rows do not suffice, and how many would."""
    names = listed(_words(one.metric) for one in open_)
    if alone and len(open_) > 1:
        start = f"the data cannot tell {first} and {second} apart on any of the {len(open_)} metrics"
    else:
        start = f"on {names} the data cannot tell {'them' if not alone else f'{first} and {second}'} apart"
    known = [one for one in open_ if one.rows_needed() is not None]
    if not known:
        return start
    unit = "queries" if comparison.of_queries else "rows"
    power = "80% power, if the difference is as large as it looks"
    if len(known) == 1:
        where = "" if len(open_) == 1 else f" on {_words(known[0].metric)}"
        return f"{start}: {_more(known[0], unit)} would{where} ({power})"
    # Of many, the fewest and the most: the rest lies between.
    ordered = sorted(known, key=lambda one: one.rows_needed() or 0.0)
    least, most = (f"{_more(one, unit)} on {_words(one.metric)}" for one in (ordered[0], ordered[-1]))
    return f"{start}: {least} would, {'and' if len(known) == _TWO else 'up to'} {most} ({power})"


def _more(one: Difference, unit: str) -> str:
    needed = one.rows_needed()
    assert needed is not None  # noqa: S101 - only such are asked
    if needed > _MANY * one.n:
        return f"more than {_MANY:,} times as many {unit}"
    more = needed - one.n
    return f"about {_about(more)} more {unit}"


def _about(count: float) -> str:
    """Return a number of rows to two digits, rounded up."""
    if count <= 1:
        return "1"
    step = 10.0 ** max(math.floor(math.log10(count)) - 1, 0)
    return f"{int(math.ceil(count / step - 1e-9) * step):,}"


def _margins(first: str, second: str, against: Sequence[Difference]) -> str:
    """Return what can be claimed of the second model against the first, with its margin."""
    by_claim: dict[tuple[str, ...], list[str]] = {}
    margins = {one.margin.margin for one in against if one.margin is not None}
    for one in against:
        assert one.margin is not None  # noqa: S101 - for the type checker
        own = "" if len(margins) == 1 else f" ({one.margin.margin:g})"
        by_claim.setdefault(one.margin.claims, []).append(f"{_words(one.metric)}{own}")
    clauses = []
    for claims, metrics in by_claim.items():
        where = f"on {listed(metrics)}"
        clauses.append(
            f"{second} is {listed(claims)} to {first} {where}"
            if claims
            else f"{where} nothing can be claimed of {second} against {first}, not even that they are equal"
        )
    margin = f"With a margin of {margins.pop():g}" if len(margins) == 1 else "With the margins"
    return f"{margin}: {'; '.join(clauses)}."


def _detected(comparison: Comparison) -> list[str]:
    """Return how many rows the differences that one wants to see would need."""
    sizes: dict[str, float] = {}
    for one in comparison.differences:
        needed = None if one.detect is None else one.rows_needed(one.detect)
        if needed is not None:
            name = f"{one.detect:g} in {_words(one.metric)}"
            sizes[name] = max(sizes.get(name, 0.0), needed)  # of several pairs, what suffices for all
    if not sizes:
        return []
    unit = "queries" if comparison.of_queries else "rows"
    each = listed(f"{name} about {_about(needed)} {unit}" for name, needed in sizes.items())
    pairs = "" if len(comparison.names) == _TWO else " between any two"
    return [f"To see a difference{pairs} with 80% power would take: of {each}."]


def _tested(one: Difference) -> bool:
    return not isinstance(one.p, Undefined)


def _metric(one: Difference) -> str:
    return _words(one.metric)


def _words(name: str) -> str:
    shown = shown_name(name)  # "recall (TPR)" is too much within a sentence; options in brackets stay
    return clean(shown if "(" in name else shown.partition(" (")[0])


def _form(one: Difference) -> str:
    """Return a format with four digits of the larger value, and two of the difference and its limits."""
    sizes = [_size(value) for value in one.values]
    largest = max(sizes)
    if not largest:
        return ",.4f"
    if not _SMALL <= largest < _LARGE:
        return ".3e"
    plain = 0.1 <= largest < 10  # noqa: PLR2004 - shares and the like have four decimals
    digits = 4 if plain else max(3 - math.floor(math.log10(largest)), 0)
    apart = max(map(_size, (one.difference, one.low, one.high)))
    if apart:  # of many rows a difference shows that is far smaller than the values
        digits = max(digits, 1 - math.floor(math.log10(apart)))
    return f",.{min(digits, _DECIMALS)}f"


def _size(value: Any) -> float:
    known = value is not None and not isinstance(value, Undefined) and math.isfinite(value)
    return abs(float(value)) if known else 0.0


def _number(value: Any, form: str, *, sign: bool = False) -> str:
    if isinstance(value, Undefined):
        return "undefined"
    if math.isinf(value):
        return "infinite"
    shown = format(float(value), f"{'+' if sign else ''}{form}")
    nothing = not any(digit in shown.partition("e")[0] for digit in "123456789")
    return format(0.0, f"{'+' if sign else ''}{form}") if nothing else shown  # no minus before a rounded 0


def _p(p: Value | None) -> str:
    if p is None or isinstance(p, Undefined):
        return "-"
    return f"{p:.3g}" if p > 0 else "<5e-324"
