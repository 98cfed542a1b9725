"""A comparison as text: the table of differences, and in plain words what it says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.formatting.numbers import decimals_for, format_number, format_p, span
from assay.formatting.table import JOINED, grid, listed, paragraph
from assay.formatting.width import clean
from assay.formatting.width import width as columns
from assay.inference.test_result import p_text
from assay.metrics import Undefined
from assay.metrics.spec import metric_title
from assay.reports.text.leaderboard import (
    MAX_MODELS_IN_PAIRS,
    leaderboard_conclusions,
    leaderboard_lines,
    overall_tests,
)
from assay.tallies import Collection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.comparison.compare import Comparison
    from assay.inference.differences.difference import Difference
    from assay.metrics import Value

__all__ = ["conclusions", "draw"]

_TWO = 2
_MAX_ROW_FACTOR = 10_000  # times as many rows: beyond, a number says no more than that
_CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg"}


def draw(comparison: Comparison, *, width: int = 80) -> str:
    """Return the comparison as lines of at most so many columns."""
    parts = [paragraph(_title(comparison), max_width=width)]
    if _many(comparison):
        parts.append(leaderboard_lines(comparison, width))
        blocks = (overall_tests(comparison), 2), (_notes(comparison), 2), (conclusions(comparison), 0)
        return _joined(parts, blocks, width)
    side_by_side = _two(comparison, width) if len(comparison.names) == _TWO else []
    if side_by_side and max(map(columns, side_by_side)) <= width:
        parts.append(side_by_side)
    else:
        parts += [*_values(comparison, width), _pairs(comparison, width)]
    blocks = (_overall(comparison), 2), (_notes(comparison), 2), (conclusions(comparison), 0)
    return _joined(parts, blocks, width)


def _many(comparison: Comparison) -> bool:
    """Tell whether there are more models than pairs of them can be read, and all pairs were compared."""
    names = comparison.names
    pairs = {(diff.first, diff.second) for diff in comparison.differences}
    if any(diff.margin is not None for diff in comparison.differences):  # claims are about single pairs
        return False
    return len(names) > MAX_MODELS_IN_PAIRS and 2 * len(pairs) == len(names) * (len(names) - 1)


def _joined(parts: list[list[str]], blocks: Sequence[tuple[list[str], int]], width: int) -> str:
    """Return the parts and the blocks of sentences below them as one text."""
    for sentences, indent in blocks:
        parts.append(
            [line for sentence in sentences for line in paragraph(sentence, max_width=width, indent=indent)]
        )
    return "\n\n".join("\n".join(part) for part in parts if part)


def conclusions(comparison: Comparison) -> list[str]:
    """Return in sentences, pair by pair, what the differences show and what they do not.

    Of many models: who is best on which metrics, and who cannot be told from it.
    """
    if _many(comparison):
        return [*leaderboard_conclusions(comparison), *_detected(comparison)]
    sentences = []
    pairs = list(dict.fromkeys((diff.first, diff.second) for diff in comparison.differences))
    for first, second in pairs:
        of_pair = [diff for diff in comparison.differences if (diff.first, diff.second) == (first, second)]
        sentences.append(_verdict(comparison, clean(first), clean(second), of_pair))
        against = [diff for diff in of_pair if diff.margin is not None]
        if against:
            sentences.append(_margins(clean(first), clean(second), against))
    sentences += _detected(comparison)
    return [*sentences, *_ranks(comparison)]


def _ranks(comparison: Comparison) -> Iterator[str]:
    """Yield the ranks of more than two models on each metric, and which may be the best."""
    if not comparison.leaderboard:
        return
    for metric, ranks in comparison.leaderboard.items():
        order = sorted(ranks, key=lambda name: (*ranks[name], name))
        spans = ", ".join(f"{clean(name)}{JOINED}{span(*ranks[name]).replace(' ', JOINED)}" for name in order)
        best = listed((name for name in order if ranks[name][0] == 1), last=" or ")
        yield f"Ranks on {metric_title(metric)}: {spans}; the best is {best}."


def _title(comparison: Comparison) -> str:
    unit = "queries" if comparison.of_queries else "rows"
    sizes = comparison.sizes
    if comparison.paired:
        rows = f"paired on {sizes[0]:,} {unit}"
        rows += " matched by their actual values" if comparison.models.matched else ""
    else:
        each = listed(f"{size:,}" for size in sizes)
        tallies_only = any(isinstance(data, Collection) for data in comparison.models.data)
        why = f"tallies keep no pairs of {unit}" if tallies_only else f"different {unit}"
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


def _two(comparison: Comparison, max_width: int) -> list[str]:
    first, second = map(clean, comparison.names)
    head = ["", first, second, f"{second} - {first}", "p", *_adjusted_head(comparison)]
    body = []
    for diff in comparison.differences:
        spec = _spec(diff)
        values = [format_number(value, spec) for value in diff.values]
        body.append([_metric(diff), *values, *_difference_cells(comparison, diff)])
    return grid(head, body, max_width=max_width)


def _values(comparison: Comparison, max_width: int) -> list[list[str]]:
    """Return the models' values, in as many blocks of models as the width needs."""
    metrics = list(dict.fromkeys(diff.metric for diff in comparison.differences))
    values: dict[tuple[str, str], str] = {}
    for diff in comparison.differences:
        for name, value in zip((diff.first, diff.second), diff.values, strict=True):
            values[diff.metric, name] = format_number(value, _spec(diff))
    names = list(comparison.names)
    blocks = []
    while names:
        for taken in range(len(names), 0, -1):
            body = [[_words(metric), *(values[metric, name] for name in names[:taken])] for metric in metrics]
            lines = grid(["", *map(clean, names[:taken])], body, max_width=max_width)
            if taken == 1 or max(map(columns, lines)) <= max_width:
                break
        blocks.append(lines)
        names = names[taken:]
    return blocks


def _pairs(comparison: Comparison, max_width: int) -> list[str]:
    head = ["", "", "difference", "p", *_adjusted_head(comparison)]
    body, before = [], None
    for diff in comparison.differences:
        name = "" if diff.metric == before else _metric(diff)
        pair = f"{clean(diff.second)} - {clean(diff.first)}"
        body.append([name, pair, *_difference_cells(comparison, diff)])
        before = diff.metric
    return grid(head, body, max_width=max_width, words=2)


def _adjusted_head(comparison: Comparison) -> list[str]:
    name = {"holm": "Holm p", "bh": "BH p"}.get(comparison.correction or "")
    return [name] if name and comparison.family > 1 else []


def _difference_cells(comparison: Comparison, diff: Difference) -> list[str]:
    more = [""] if _adjusted_head(comparison) else []
    if isinstance(diff.difference, Undefined):
        return ["undefined", "", *more]
    spec = _spec(diff)
    shown = format_number(diff.difference, spec, sign=True)
    if diff.low is not None and diff.high is not None:
        low, high = (format_number(limit, spec, sign=True) for limit in (diff.low, diff.high))
        shown += f" [{low},{JOINED}{high}]"
    adjusted = [format_p(diff.adjusted)] if more else []
    return [shown, format_p(diff.p_value), *adjusted]


def _overall(comparison: Comparison) -> list[str]:
    """Return the tests of all models at once."""
    lines = []
    for metric, test in comparison.overall.items():
        outcome = (
            f"undefined: {test.p_value.reason}"
            if isinstance(test.p_value, Undefined)
            else p_text(test.p_value)
        )
        lines.append(
            f"All {len(comparison.names)} models alike on {_words(metric)}? {test.method}: {outcome}."
        )
    return lines


def _notes(comparison: Comparison) -> list[str]:
    """Return the methods of the intervals and tests, and notes on them."""
    methods: dict[str, list[str]] = {}
    notes: dict[str, list[str]] = {}
    for diff in comparison.differences:
        name = _words(diff.metric)
        if diff.method:
            how = diff.method if diff.test == diff.method else f"{diff.method}; {diff.test}"
            more = "".join(f"; {test.method}, {p_text(float(test.p_value))}" for test in diff.more)
            methods.setdefault(f"{how}{more}", []).append(name)
        reason = diff.difference.reason if isinstance(diff.difference, Undefined) else diff.note
        if reason and not diff.same:
            notes.setdefault(reason, []).append(name)
    lines = [f"{listed(dict.fromkeys(names))}: {how}." for how, names in methods.items()]
    lines += [f"Note on {listed(dict.fromkeys(names))}: {reason}." for reason, names in notes.items()]
    if any(diff.margin is not None for diff in comparison.differences):
        wide, narrow = (
            f"{100 * level:g}%" for level in (comparison.confidence, 2 * comparison.confidence - 1)
        )
        lines.append(
            f"Claims by the margin, each for itself: superior and non-inferior by the {wide} interval, "
            f"equivalent by the {narrow} one."
        )
    return lines


def _verdict(comparison: Comparison, first: str, second: str, of_pair: Sequence[Difference]) -> str:
    """Return what the differences of one pair show."""
    clauses = []
    for name in (first, second):
        won = [diff for diff in of_pair if diff.winner is not None and clean(diff.winner) == name]
        if won:
            loser = "" if len(comparison.names) == _TWO else f"than {second if name == first else first} "
            ahead = listed(_by_how_much(comparison, diff) for diff in won)
            clauses.append(f"{name} is better {loser}{ahead}")
    apart = [diff for diff in of_pair if diff.decided and not diff.direction]
    if apart:
        clauses.append(
            f"{first} and {second} differ {listed(_by_how_much(comparison, diff) for diff in apart)}"
        )
    same = [diff for diff in of_pair if diff.same]
    if same:
        everywhere = len(same) == len(of_pair)
        where = "" if everywhere else f" on {listed(_words(diff.metric) for diff in same)}"
        clauses.append(f"{first} and {second} never disagree{where}")
    undecided = [diff for diff in of_pair if not diff.decided and not diff.same and _tested(diff)]
    if undecided:
        sentence = _cannot_tell(comparison, first, second, undecided, alone=len(undecided) == len(of_pair))
        clauses.append(sentence if clauses else sentence[0].upper() + sentence[1:])
    untested = [diff for diff in of_pair if not _tested(diff)]
    if untested:
        start = "nothing" if clauses else "Nothing"
        clauses.append(f"{start} can be said on {listed(_words(diff.metric) for diff in untested)}")
    return f"{'; '.join(clauses)}."


def _by_how_much(comparison: Comparison, diff: Difference) -> str:
    """Return where and how far the better model is ahead: 'on auc by 0.012 [0.004, 0.020] (p = 0.003)'."""
    size, spec = float(diff.difference), _spec(diff)
    limits = ""
    if diff.low is not None and diff.high is not None:
        both = (diff.low, diff.high) if size > 0 else (-diff.high, -diff.low)
        limits = f" [{f',{JOINED}'.join(format_number(limit, spec) for limit in both)}]"
    word = " (lower)" if diff.direction < 0 else ""
    ahead = f"{format_number(abs(size), spec)}{limits} ({_p_words(comparison, diff)})"
    return f"on {_words(diff.metric)}{word} by {ahead}"


def _p_words(comparison: Comparison, diff: Difference) -> str:
    if diff.adjusted is None or comparison.family == 1:
        return _p_said("p", diff.p_value)
    return _p_said({"holm": "Holm p", "bh": "BH p"}[comparison.correction or ""], diff.adjusted)


def _p_said(name: str, p: Value) -> str:
    words = f"{name} < 5e-324" if not float(p) else f"{name} = {format_p(p)}"
    return words.replace(" ", JOINED)


def _cannot_tell(
    comparison: Comparison, first: str, second: str, undecided: Sequence[Difference], *, alone: bool
) -> str:
    """Return that there are too few rows to decide, and how many would do."""
    names = listed(_words(diff.metric) for diff in undecided)
    if alone and len(undecided) > 1:
        start = f"the data cannot tell {first} and {second} apart on any of the {len(undecided)} metrics"
    else:
        start = f"on {names} the data cannot tell {'them' if not alone else f'{first} and {second}'} apart"
    known = [diff for diff in undecided if diff.rows_needed() is not None]
    if not known:
        return start
    unit = "queries" if comparison.of_queries else "rows"
    power = "80% power, if the difference is as large as it looks"
    if len(known) == 1:
        where = "" if len(undecided) == 1 else f" on {_words(known[0].metric)}"
        return f"{start}: {_more(known[0], unit)} would{where} ({power})"
    # Of many, the fewest and the most: the rest lies between.
    ordered = sorted(known, key=lambda diff: diff.rows_needed() or 0.0)
    fewest, largest = (f"{_more(diff, unit)} on {_words(diff.metric)}" for diff in (ordered[0], ordered[-1]))
    return f"{start}: {fewest} would, {'and' if len(known) == _TWO else 'up to'} {largest} ({power})"


def _more(diff: Difference, unit: str) -> str:
    needed = diff.rows_needed()
    assert needed is not None  # noqa: S101 - only such are passed
    if needed > _MAX_ROW_FACTOR * diff.n:
        return f"more than {_MAX_ROW_FACTOR:,} times as many {unit}"
    more = needed - diff.n
    return f"about {_about(more)} more {unit}"


def _about(count: float) -> str:
    """Return a number of rows to two digits, rounded up."""
    if count <= 1:
        return "1"
    step = 10.0 ** max(math.floor(math.log10(count)) - 1, 0)
    return f"{int(math.ceil(count / step - 1e-9) * step):,}"


def _margins(first: str, second: str, against: Sequence[Difference]) -> str:
    """Return what the margin allows to claim of the second model against the first."""
    by_claim: dict[tuple[str, ...], list[str]] = {}
    margins = {diff.margin.margin for diff in against if diff.margin is not None}
    for diff in against:
        assert diff.margin is not None  # noqa: S101 - for the type checker
        own = "" if len(margins) == 1 else f" ({diff.margin.margin:g})"
        by_claim.setdefault(diff.margin.claims, []).append(f"{_words(diff.metric)}{own}")
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
    """Return how many rows it takes to detect the differences that were stated."""
    sizes: dict[str, float] = {}
    for diff in comparison.differences:
        needed = None if diff.detect is None else diff.rows_needed(diff.detect)
        if needed is not None:
            name = f"{diff.detect:g} in {_words(diff.metric)}"
            sizes[name] = max(sizes.get(name, 0.0), needed)  # of several pairs, what suffices for all
    if not sizes:
        return []
    unit = "queries" if comparison.of_queries else "rows"
    each = listed(f"{name} about {_about(needed)} {unit}" for name, needed in sizes.items())
    pairs = "" if len(comparison.names) == _TWO else " between any two"
    return [f"To see a difference{pairs} with 80% power would take: of {each}."]


def _tested(diff: Difference) -> bool:
    return not isinstance(diff.p_value, Undefined)


def _metric(diff: Difference) -> str:
    return _words(diff.metric)


def _words(name: str) -> str:
    shown = metric_title(name)  # "recall (TPR)" is too much within a sentence; options in brackets stay
    return clean(shown if "(" in name else shown.partition(" (")[0])


def _spec(diff: Difference) -> str:
    return decimals_for(diff.values, (diff.difference, diff.low, diff.high))
