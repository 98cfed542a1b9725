"""A comparison as text: the table of differences, and in plain words what it says."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, NamedTuple

from assay.formatting.numbers import JOINED, DifferenceCells, format_differences, p_text, span
from assay.formatting.table import grid, listed, paragraph_blocks
from assay.formatting.width import clean_all, widest
from assay.metrics import Undefined
from assay.metrics.spec import metric_titles
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
    from assay.comparison.flips import Flips
    from assay.inference.differences.difference import Difference

__all__ = ["conclusions", "draw", "pair_lines"]

_TWO = 2
_MAX_ROW_FACTOR = 10_000  # times as many rows: beyond, a number says no more than that
_CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg"}


class _Row(NamedTuple):
    """A difference, and as text: the metric, both models, and the numbers."""

    diff: Difference
    metric: str
    first: str
    second: str
    cells: DifferenceCells


def draw(comparison: Comparison, *, width: int = 80) -> str:
    """Return the comparison as lines of at most so many columns."""
    rows = _rows(comparison)
    many = _many(comparison)
    overall = overall_tests(comparison) if many else _overall(comparison, rows)
    flips = [] if many else [_flips(flips) for flips in comparison.flips]
    texts = [
        ([_title(comparison)], 0), (overall, 2), (_notes(comparison, rows), 2),
        (_conclusions(comparison, rows), 0), (flips, 0),
    ]  # fmt: skip
    title, *below = paragraph_blocks(texts, max_width=width)
    parts = [title]
    if many:
        parts.append(leaderboard_lines(comparison, width))
    else:
        side_by_side = _two(comparison, rows, width) if len(comparison.models.names) == _TWO else []
        if side_by_side and widest(side_by_side) <= width:
            parts.append(side_by_side)
        else:
            parts += [*_values(comparison, rows, width), _pairs(comparison, rows, width)]
    return "\n\n".join("\n".join(part) for part in [*parts, *below] if part)


def _flips(flips: Flips) -> str:
    first, second = clean_all([flips.first, flips.second])
    return dataclasses.replace(flips, first=first, second=second).sentence


def conclusions(comparison: Comparison) -> list[str]:
    """Return in sentences, pair by pair, what the differences show and what they do not.

    Of many models: who is best on which metrics, and who cannot be told from it.
    """
    return _conclusions(comparison, _rows(comparison))


def pair_lines(comparison: Comparison) -> list[str]:
    """Return for each pair of models, in a line, who is better on which metrics.

    They hold no numbers: they stand beside a table that does.
    """
    rows = _rows(comparison)
    return [*_pair_sentences(comparison, rows, numbers=False), *_detected(comparison, rows)]


def _many(comparison: Comparison) -> bool:
    """Tell whether there are more models than pairs of them can be read, and all pairs were compared."""
    names = comparison.models.names
    pairs = {(diff.first, diff.second) for diff in comparison.differences}
    if any(diff.margin is not None for diff in comparison.differences):  # claims are about single pairs
        return False
    return len(names) > MAX_MODELS_IN_PAIRS and 2 * len(pairs) == len(names) * (len(names) - 1)


def _rows(comparison: Comparison) -> list[_Row]:
    differences, names = comparison.differences, comparison.models.names
    metrics = list(dict.fromkeys(diff.metric for diff in differences))
    # "recall (TPR)" is too much within a sentence; options in brackets stay.
    titles = [
        title if "(" in name else title.partition(" (")[0]
        for name, title in zip(metrics, metric_titles(metrics), strict=True)
    ]
    shown = clean_all([*titles, *names])
    metric_words = dict(zip(metrics, shown, strict=False))
    model_words = dict(zip(names, shown[len(metrics) :], strict=True))
    return [
        _Row(diff, metric_words[diff.metric], model_words[diff.first], model_words[diff.second], cells)
        for diff, cells in zip(differences, format_differences(differences), strict=True)
    ]


def _conclusions(comparison: Comparison, rows: list[_Row]) -> list[str]:
    if _many(comparison):
        return [*leaderboard_conclusions(comparison), *_detected(comparison, rows)]
    sentences = _pair_sentences(comparison, rows, numbers=True)
    return [*sentences, *_detected(comparison, rows), *_ranks(comparison)]


def _pair_sentences(comparison: Comparison, rows: list[_Row], *, numbers: bool) -> list[str]:
    """Return what is known of each pair of models, and what their margins allow to claim."""
    sentences = []
    for pair in dict.fromkeys((row.diff.first, row.diff.second) for row in rows):
        of_pair = [row for row in rows if (row.diff.first, row.diff.second) == pair]
        sentences.append(_verdict(comparison, of_pair, numbers=numbers))
        if any(row.diff.margin is not None for row in of_pair):
            sentences.append(_margins(of_pair))
    return sentences


def _ranks(comparison: Comparison) -> Iterator[str]:
    """Yield the ranks of more than two models on each metric, and which may be the best."""
    leaderboard = comparison.leaderboard
    if not leaderboard:
        return
    words = dict(zip(comparison.names, clean_all(comparison.names), strict=True))
    for title, ranks in zip(metric_titles(leaderboard), leaderboard.values(), strict=True):
        order = sorted(ranks, key=lambda name: (*ranks[name], name))
        spans = ", ".join(f"{words[name]}{JOINED}{span(*ranks[name]).replace(' ', JOINED)}" for name in order)
        best = listed([words[name] for name in order if ranks[name][0] == 1], last=" or ")
        yield f"Ranks on {title}: {spans}; the best is {best}."


def _title(comparison: Comparison) -> str:
    unit = "queries" if comparison.of_queries else "rows"
    sizes, dropped, empty, groups = (
        comparison.sizes, comparison.dropped, comparison.empty_lists, comparison.groups
    )  # fmt: skip
    if comparison.models.paired:
        rows = f"paired on {sizes[0]:,} {unit}"
        rows += " matched by their actual values" if comparison.models.matched else ""
    else:
        each = listed([f"{size:,}" for size in sizes])
        tallies_only = any(isinstance(data, Collection) for data in comparison.models.data)
        why = f"tallies keep no pairs of {unit}" if tallies_only else f"different {unit}"
        rows = f"not paired: {why}, {each}"
    if dropped:
        rows += f" ({dropped:,} left out for missing values)"
    parts = [rows]
    if empty:
        parts.append(f"{empty:,} without a relevant item")
    if groups:
        parts.append(f"in {groups:,} group{'s' if groups > 1 else ''}")
    parts.append(f"{100 * comparison.confidence:g}% intervals")
    if comparison.correction and comparison.family > 1:
        parts.append(f"p corrected by {_CORRECTIONS[comparison.correction]} over {comparison.family} tests")
    return " · ".join(parts)


def _two(comparison: Comparison, rows: list[_Row], max_width: int) -> list[str]:
    first, second = rows[0].first, rows[0].second
    head = ["", first, second, f"{second} - {first}", "p", *_adjusted_head(comparison)]
    body = [[row.metric, *row.cells.values, *_difference_cells(comparison, row)] for row in rows]
    return grid(head, body, max_width=max_width)


def _values(comparison: Comparison, rows: list[_Row], max_width: int) -> list[list[str]]:
    """Return the models' values, in as many blocks of models as the width needs."""
    values: dict[tuple[str, str], str] = {}
    metrics, models = {}, {}
    for row in rows:
        metric, first, second = row.diff.metric, row.diff.first, row.diff.second
        metrics[metric], models[first], models[second] = row.metric, row.first, row.second
        values[metric, first], values[metric, second] = row.cells.values
    names = list(comparison.models.names)
    blocks = []
    while names:
        for taken in range(len(names), 0, -1):
            body = [
                [words, *(values[metric, name] for name in names[:taken])]
                for metric, words in metrics.items()
            ]
            lines = grid(["", *(models[name] for name in names[:taken])], body, max_width=max_width)
            if taken == 1 or widest(lines) <= max_width:
                break
        blocks.append(lines)
        names = names[taken:]
    return blocks


def _pairs(comparison: Comparison, rows: list[_Row], max_width: int) -> list[str]:
    head = ["", "", "difference", "p", *_adjusted_head(comparison)]
    body, before = [], None
    for row in rows:
        name = "" if row.diff.metric == before else row.metric
        body.append([name, f"{row.second} - {row.first}", *_difference_cells(comparison, row)])
        before = row.diff.metric
    return grid(head, body, max_width=max_width, words=2)


def _adjusted_head(comparison: Comparison) -> list[str]:
    name = {"holm": "Holm p", "bh": "BH p"}.get(comparison.correction or "")
    return [name] if name and comparison.family > 1 else []


def _difference_cells(comparison: Comparison, row: _Row) -> list[str]:
    adjusted = [row.cells.adjusted_p] if _adjusted_head(comparison) else []
    return [row.cells.difference, row.cells.p, *adjusted]


def _overall(comparison: Comparison, rows: list[_Row]) -> list[str]:
    """Return the tests of all models at once."""
    words = {row.diff.metric: row.metric for row in rows}
    lines = []
    for metric, test in comparison.overall.items():
        outcome = (
            f"undefined: {test.p_value.reason}"
            if isinstance(test.p_value, Undefined)
            else p_text(test.p_value)
        )
        lines.append(
            f"All {len(comparison.models.names)} models alike on {words[metric]}? {test.method}: {outcome}."
        )
    return lines


def _notes(comparison: Comparison, rows: list[_Row]) -> list[str]:
    """Return the methods of the intervals and tests, and notes on them."""
    methods: dict[str, list[str]] = {}
    notes: dict[str, list[str]] = {}
    for diff, name, *_ in rows:
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


def _verdict(comparison: Comparison, of_pair: Sequence[_Row], *, numbers: bool) -> str:
    """Return what the differences of one pair show, with or without their numbers."""
    clauses = []
    first, second = of_pair[0].first, of_pair[0].second
    for model, name, other in ((0, first, second), (1, second, first)):
        won = [row for row in of_pair if row.diff.winner == (row.diff.first, row.diff.second)[model]]
        if won:
            loser = "" if len(comparison.models.names) == _TWO else f"than {other} "
            clauses.append(f"{name} is better {loser}{_where(comparison, won, of_pair, numbers=numbers)}")
    apart = [row for row in of_pair if row.diff.decided and not row.diff.direction]
    if apart:
        clauses.append(f"{first} and {second} differ {_where(comparison, apart, of_pair, numbers=numbers)}")
    same = [row for row in of_pair if row.diff.same]
    if same:
        everywhere = len(same) == len(of_pair)
        where = "" if everywhere else f" on {listed([row.metric for row in same])}"
        clauses.append(f"{first} and {second} never disagree{where}")
    undecided = [row for row in of_pair if not row.diff.decided and not row.diff.same and _tested(row.diff)]
    if undecided:
        alone = len(undecided) == len(of_pair)
        sentence = _cannot_tell(comparison, undecided, alone=alone, numbers=numbers)
        clauses.append(sentence if clauses else sentence[0].upper() + sentence[1:])
    untested = [row for row in of_pair if not _tested(row.diff)]
    if untested:
        start = "nothing" if clauses else "Nothing"
        clauses.append(f"{start} can be said on {listed([row.metric for row in untested])}")
    return f"{'; '.join(clauses)}."


def _where(comparison: Comparison, rows: Sequence[_Row], of_pair: Sequence[_Row], *, numbers: bool) -> str:
    """Return where the better model is ahead, and how far: 'on auc by 0.012 [0.004, 0.020] (p = 0.003)'."""
    metrics = [f"{row.metric} (lower)" if row.diff.direction < 0 else row.metric for row in rows]
    if numbers:
        return listed(
            [
                f"on {metric} by {row.cells.ahead} ({_p_words(comparison, row)})"
                for metric, row in zip(metrics, rows, strict=True)
            ]
        )
    everywhere = len(rows) == len(of_pair) > _TWO
    return f"on all {len(rows)} metrics" if everywhere else f"on {listed(metrics)}"


def _p_words(comparison: Comparison, row: _Row) -> str:
    if row.diff.adjusted is None or comparison.family == 1:
        words = f"p {row.cells.p_with_sign}"
    else:
        name = {"holm": "Holm p", "bh": "BH p"}[comparison.correction or ""]
        words = f"{name} {row.cells.adjusted_p_with_sign}"
    return words.replace(" ", JOINED)


def _cannot_tell(comparison: Comparison, undecided: Sequence[_Row], *, alone: bool, numbers: bool) -> str:
    """Return that there are too few rows to decide, and with numbers how many would do."""
    first, second = undecided[0].first, undecided[0].second
    if alone and len(undecided) > 1:
        start = f"the data cannot tell {first} and {second} apart on any of the {len(undecided)} metrics"
    else:
        names = listed([row.metric for row in undecided])
        start = f"on {names} the data cannot tell {'them' if not alone else f'{first} and {second}'} apart"
    needed = [(row.diff.rows_needed(), row) for row in undecided]
    known = [(rows, row) for rows, row in needed if rows is not None]
    if not known or not numbers:
        return start
    unit = "queries" if comparison.of_queries else "rows"
    power = "80% power, if the difference is as large as it looks"
    if len(known) == 1:
        rows, row = known[0]
        where = "" if len(undecided) == 1 else f" on {row.metric}"
        return f"{start}: {_more(rows, row.diff, unit)} would{where} ({power})"
    # Of many, the fewest and the most: the rest lies between.
    ordered = sorted(known, key=lambda each: each[0])
    fewest, largest = (
        f"{_more(rows, row.diff, unit)} on {row.metric}" for rows, row in (ordered[0], ordered[-1])
    )
    return f"{start}: {fewest} would, {'and' if len(known) == _TWO else 'up to'} {largest} ({power})"


def _more(needed: float, diff: Difference, unit: str) -> str:
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


def _margins(of_pair: Sequence[_Row]) -> str:
    """Return what the margin allows to claim of the second model against the first."""
    by_claim: dict[tuple[str, ...], list[str]] = {}
    first, second = of_pair[0].first, of_pair[0].second
    against = [(row.metric, row.diff.margin) for row in of_pair if row.diff.margin is not None]
    margins = {margin.margin for _, margin in against}
    for metric, margin in against:
        own = "" if len(margins) == 1 else f" ({margin.margin:g})"
        by_claim.setdefault(margin.claims, []).append(f"{metric}{own}")
    clauses = []
    for claims, metrics in by_claim.items():
        where = f"on {listed(metrics)}"
        clauses.append(
            f"{second} is {listed(claims)} to {first} {where}"
            if claims
            else f"{where} nothing can be claimed of {second} against {first}, not even that they are equal"
        )
    start = f"With a margin of {margins.pop():g}" if len(margins) == 1 else "With the margins"
    return f"{start}: {'; '.join(clauses)}."


def _detected(comparison: Comparison, rows: list[_Row]) -> list[str]:
    """Return how many rows it takes to detect the differences that were stated."""
    sizes: dict[str, float] = {}
    for diff, metric, *_ in rows:
        needed = None if diff.detect is None else diff.rows_needed(diff.detect)
        if needed is not None:
            name = f"{diff.detect:g} in {metric}"
            sizes[name] = max(sizes.get(name, 0.0), needed)  # of several pairs, what suffices for all
    if not sizes:
        return []
    unit = "queries" if comparison.of_queries else "rows"
    each = listed([f"{name} about {_about(needed)} {unit}" for name, needed in sizes.items()])
    pairs = "" if len(comparison.models.names) == _TWO else " between any two"
    return [f"To see a difference{pairs} with 80% power would take: of {each}."]


def _tested(diff: Difference) -> bool:
    return not isinstance(diff.p_value, Undefined)
