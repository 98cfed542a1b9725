"""PlanCheck: which requirements of a plan a model meets, at which look at the test set."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from assay.formatting.numbers import (
    count_of,
    decimals_for,
    format_number,
    format_value,
    number_or_none,
)
from assay.formatting.result import Result
from assay.formatting.result_table import IntervalCell, ResultTable, escape_markdown
from assay.formatting.table import grid, paragraphs
from assay.formatting.width import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.comparison.flips import Flips
    from assay.evaluation.looks import Looks
    from assay.plans.plan import Plan
    from assay.plans.requirement_result import RequirementResult

__all__ = ["PlanCheck", "requirement_table"]

_MET, _NOT_MET = "met", "NOT met"


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PlanCheck(Result):
    """The requirements of a plan, each with the interval it was tested by. Made by :func:`assay.check`.

    ``met`` tells whether all are. ``look`` is which look at the test set it was, ``looks`` what the ledger
    knows of the others, None without one. ``flips`` tell which rows are right that a baseline has wrong, and
    the other way.
    """

    plan: Plan
    model: str
    results: tuple[RequirementResult, ...]
    n: int
    looks: Looks | None = None
    flips: tuple[Flips, ...] = ()

    @property
    def met(self) -> bool:
        """Whether all requirements are met."""
        return all(result.met for result in self.results)

    @property
    def failures(self) -> tuple[RequirementResult, ...]:
        """The requirements that are not met."""
        return tuple(result for result in self.results if not result.met)

    @property
    def look(self) -> int:
        """Which look at the test set this was; the first one where no ledger counts them."""
        return 1 if self.looks is None else self.looks.number

    def __iter__(self) -> Iterator[RequirementResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    __repr__ = Result.__str__

    @property
    def verdict(self) -> str:
        """Whether the plan is met, in a few words.

        >>> from types import SimpleNamespace as Some
        >>> PlanCheck(Some(name="churn"), "new", (Some(met=True), Some(met=False)), 100).verdict
        'churn: 1 of 2 requirements is NOT met'
        """
        name, size, failed = clean(self.plan.name), len(self.results), len(self.failures)
        if not failed:
            return f"{name}: {'the requirement is' if size == 1 else f'all {size} requirements are'} met"
        if size == 1:
            return f"{name}: the requirement is NOT met"
        return f"{name}: {failed} of {size} requirements {'is' if failed == 1 else 'are'} NOT met"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "plan": self.plan.name, "sha256": self.plan.sha256, "model": self.model, "met": self.met,
            "n": self.n, "look": self.look, "looks_allowed": self.plan.looks,
            "looks_counted": self.looks is not None,
            "models_before": [] if self.looks is None else list(self.looks.models),
            "requirements": [result.to_dict() for result in self.results],
            "flips": [flips.to_dict() for flips in self.flips],
        }  # fmt: skip

    def tables(self) -> list[ResultTable]:
        """Return the requirements, a row each."""
        results = self.results
        cells = [
            IntervalCell(
                number_or_none(each.estimate.value),
                *((None, None) if each.level is None else (each.estimate.low, each.estimate.high)),
            )
            for each in results
        ]
        columns: dict[str, list[Any]] = {
            "requirement": [each.requirement.canonical for each in results],
            "met": [each.met for each in results],
            "value": cells,
            "confidence": [None if each.level is None else each.estimate.confidence for each in results],
            "slice": [each.part for each in results],
            "reason": [each.reason for each in results],
        }
        without = tuple(name for name in ("slice", "reason") if not any(columns[name]))
        return [ResultTable(columns, frame_only=(*without, "reason"))]

    def text(self, *, width: int = 80) -> str:
        """Return the table of requirements, and in plain words why those are not met that are not."""
        parts = [paragraphs([self.verdict, *self._heads()], max_width=width, indent=2)]
        parts += [
            requirement_table(self.results, width),
            paragraphs(self._reasons(), max_width=width, indent=2),
        ]
        parts.append(paragraphs(self._remarks(), max_width=width, indent=2))
        return "\n\n".join("\n".join(part) for part in parts if part)

    def _heads(self) -> list[str]:
        against = ", ".join(self.plan.baselines)
        model = f"{self.model} against {against}" if against else self.model
        sealed = self.plan.test_set is not None
        rows = f"{count_of(self.n, 'row')}{', the test set of the plan' if sealed else ''}"
        return [f"{clean(model)} · {rows} · {self._look_text}"]

    @property
    def _look_text(self) -> str:
        if self.looks is None:
            return "looks are not counted without a ledger"
        again = ", the same predictions again" if self.looks.repeated else ""
        return f"look {self.look} of {self.plan.looks}{again}"

    def _reasons(self) -> list[str]:
        return [f"{clean(each.requirement.canonical)}: {clean(each.reason)}." for each in self.failures]

    def _remarks(self) -> list[str]:
        notes: dict[str, list[str]] = {}
        for each in self.results:
            if each.note:
                notes.setdefault(clean(each.note), []).append(clean(each.requirement.canonical))
        remarks = [f"{', '.join(texts)}: {note}." for note, texts in notes.items()]
        if any(each.requirement.baseline for each in self.results):
            remarks.append("Against a baseline, a value above 0 says that the candidate is better.")
        if any(each.level is not None for each in self.results) and len(self.results) > 1:
            holm = self.plan.correction == "holm"
            share = f"{100 * self.plan.error_rate(self.look):.3g}%"
            remarks.append(
                f"A requirement that is not truly met passes in at most {share} of such checks"
                f"{', all of them together (Holm)' if holm else ', each by itself'}."
            )
        return [*remarks, *(_flips_text(flips) for flips in self.flips)]

    def to_markdown(self) -> str:
        """Return the check as Markdown, to be read in a pull request."""
        head = f"### {_mark(self.met)} {escape_markdown(self.verdict)}"
        rows = [
            f"| {_mark(each.met)} | {escape_markdown(clean(each.requirement.canonical))} | "
            f"{' | '.join(map(escape_markdown, _numbers(each)))} |"
            for each in self.results
        ]
        table = ["| | requirement | value | interval | confidence |", "|---|---|---:|---:|---:|", *rows]
        reasons = [f"- {escape_markdown(reason)}" for reason in self._reasons()]
        remarks = [f"<sub>{escape_markdown(remark)}</sub>" for remark in self._remarks()]
        sealed = f"plan `{self.plan.sha256[:12]}`"
        heads = [f"{escape_markdown(' · '.join(self._heads()))} · {sealed}"]
        parts = [[head], heads, table, reasons, ["<br>\n".join(remarks)] if remarks else []]
        return "\n\n".join("\n".join(part) for part in parts if part)


def requirement_table(results: Sequence[RequirementResult], width: int = 80) -> list[str]:
    """Return the lines of a table of requirements: whether each is met, by which interval."""
    body = [
        [_MET if each.met else _NOT_MET, clean(each.requirement.canonical), *_numbers(each)]
        for each in results
    ]
    return grid(["", "requirement", "value", "interval", "confidence"], body, max_width=width, words=2)


def _mark(met: bool) -> str:  # noqa: FBT001 - a cell of a table
    return "✅" if met else "❌"


def _flips_text(flips: Flips) -> str:
    named = dataclasses.replace(flips, first=clean(flips.first), second=clean(flips.second))
    return named.sentence


def _numbers(result: RequirementResult) -> list[str]:
    """Return the value, the interval and its confidence as text; differences have their sign."""
    estimate = result.estimate
    if not estimate.defined:
        return ["undefined", "", ""]
    value, low, high = float(estimate), estimate.low, estimate.high
    spec = decimals_for(result.values or (value,), [end for end in (value, low, high) if end is not None])

    def number(each: float) -> str:
        return format_number(each, spec, sign=True) if result.requirement.baseline else format_value(each)

    if result.level is None or low is None or high is None:
        return [number(value), "", ""]
    return [number(value), f"[{number(low)}, {number(high)}]", f"{100 * estimate.confidence:.4g}%"]
