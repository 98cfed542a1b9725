"""Agreement of raters as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.formatting.numbers import count_of, format_amount
from assay.metrics import Undefined
from assay.raters.agreement_result import TITLES
from assay.reports.text.result_text import ResultParts, draw_result, missing_notes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.raters.agreement_result import RaterAgreement
    from assay.raters.judge import JudgeComparison

__all__ = ["draw", "parts_of"]

_MAX_ROWS = 20  # of raters, categories or pairs; the rest is in `tables()`


def draw(result: RaterAgreement, *, width: int = 80) -> str:
    """Return an agreement of raters as lines of at most so many columns."""
    return draw_result(parts_of(result), width=width)


def parts_of(result: RaterAgreement) -> ResultParts:
    """Return what an agreement of raters says: title, tables, notes and conclusions."""
    missing = result.items * len(result.raters) - result.ratings
    absent = f"{format_amount(missing)} missing" if missing else "none missing"
    weights = "" if result.weights == "none" else f", {result.weights} weights"
    title = (
        f"{count_of(result.items, 'item')}, {count_of(len(result.raters), 'rater')}, "
        f"{count_of(result.ratings, 'rating')}, {absent}; "
        f"{count_of(len(result.categories), 'category', 'categories')}, {result.level}{weights}"
    )
    main, *rest = result.tables()
    tables = [main, *(table for table in rest if len(table) <= _MAX_ROWS)]
    notes = [*missing_notes({TITLES[name]: item for name, item in result.estimates.items()}), *result.notes]
    notes += [f"{table.title}: {len(table)} rows, see tables()." for table in rest if len(table) > _MAX_ROWS]
    return ResultParts(title, tables, notes, [*_conclusions(result)])


def _conclusions(result: RaterAgreement) -> Iterator[str]:
    odd = result.odd_one_out
    if odd is not None:
        yield f"{odd} agrees with the others less than they agree with each other."
    if result.against is not None:
        yield _against(result.against)


def _against(judge: JudgeComparison) -> str:
    difference = judge.difference
    if isinstance(difference.value, Undefined):
        return f"{judge.judge} cannot be compared with people: {difference.value.reason}."
    if difference.low is None or difference.high is None:
        return (
            f"{judge.judge} agrees with a person on {judge.agreement:.3f} of items, people with each other "
            f"on {judge.people_agreement:.3f}: the difference has no interval, since {difference.note}."
        )
    interval = f"{difference.value:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]"
    verdict = {
        "better": "agrees with people more than they agree with each other",
        "not worse": f"is as good as one more person, within a margin of {judge.margin:g}",
        "worse": "agrees with people less than they agree with each other",
        "not shown": f"is not shown to be as good as one more person, within a margin of {judge.margin:g}",
    }[judge.verdict]
    return (
        f"{judge.judge} {verdict}: it agrees with a person on {judge.agreement:.3f} of items, people with "
        f"each other on {judge.people_agreement:.3f}, difference {interval}."
    )
