"""Plans: what a model must reach on which test set, fixed before any result is seen."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from assay.errors import FileError, PlanError, suggest_keywords
from assay.formatting.numbers import count_of
from assay.formatting.result import Result
from assay.formatting.result_table import ResultTable
from assay.formatting.table import paragraph, paragraphs
from assay.formatting.width import clean
from assay.hints import hint, param, render
from assay.inference.hypothesis_tests.multiple_testing import spent_level
from assay.plans.plan_checks import (
    check_assumptions,
    check_columns,
    check_numbers,
    check_values_of_settings,
    refuse_contradictions,
    refuse_unknown,
    refuse_unknown_slices,
    table_of,
)
from assay.plans.plan_power import ASSUMED, RequirementPower, requirement_power
from assay.plans.requirement import EXAMPLES, Requirement, parse_requirement
from assay.plans.test_set import TestSet

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from assay.evaluation.evaluation import Evaluation

__all__ = ["Plan", "canonical_bytes", "plan", "plan_of", "read_plan"]

Spending = Literal["even", "summable"]
_COLUMNS = ("actual", "predicted", "score", "weight", "group", "query", "key", "by")
_SETTINGS = (
    "task", "labels", "positive", "threshold", "missing", "edges", "beta", "cost_fp", "cost_fn",
    "prevalence", "k", "empty",
)  # fmt: skip
_KEYS = (
    "name", "requirements", "confidence", "looks", "spending", "correction", "power", "columns", "settings",
    "assume", "test_set",
)  # fmt: skip


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Plan(Result):
    """Requirements, the columns and settings they are tested with, the test set, and the looks allowed.

    Made by :func:`assay.plan`. Its ``sha256`` is that of its content in one canonical form: comments, order
    and spelling of the file do not change it, and any change of what is tested does.
    """

    name: str
    requirements: tuple[Requirement, ...]
    columns: Mapping[str, Any]
    settings: Mapping[str, Any]
    confidence: float = 0.95
    looks: int = 1
    spending: Spending = "even"
    correction: Literal["holm", "none"] = "holm"
    power: float = 0.8
    assume: Mapping[str, float] = dataclasses.field(default_factory=dict)
    test_set: TestSet | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the content as plain data; requirements as texts."""
        return {
            "name": self.name,
            "requirements": [requirement.canonical for requirement in self.requirements],
            "confidence": self.confidence,
            "looks": self.looks,
            "spending": self.spending,
            "correction": self.correction,
            "power": self.power,
            "columns": dict(self.columns),
            "settings": dict(self.settings),
            "assume": {**ASSUMED, **self.assume},
            "test_set": None if self.test_set is None else self.test_set.to_dict(),
        }

    @functools.cached_property
    def canonical(self) -> bytes:
        """The content as bytes: JSON with sorted keys and without spaces."""
        return canonical_bytes(self.to_dict())

    @functools.cached_property
    def sha256(self) -> str:
        """The SHA-256 of the canonical bytes."""
        return hashlib.sha256(self.canonical).hexdigest()

    def error_rate(self, look: int) -> float:
        """Return how often a requirement that is not truly met may pass at this look, all looks together.

        What the confidence leaves on one side of an interval, shared out evenly over all looks, or as
        ``1 / (j (j + 1))`` of it at look j, which never runs out (methods: ``"even"``, ``"summable"``).
        """
        one_sided = (1 - self.confidence) / 2
        return one_sided / self.looks if self.spending == "even" else spent_level(one_sided, look)

    def confidence_at(self, look: int, remaining: int = 1) -> float:
        """Return the confidence of two-sided intervals at a look, with so many requirements yet to be met."""
        return 1 - 2 * self.error_rate(look) / remaining

    @property
    def baselines(self) -> tuple[str, ...]:
        """The models that requirements compare with."""
        named = (requirement.baseline for requirement in self.requirements if requirement.baseline)
        return tuple(dict.fromkeys(named))

    @functools.cached_property
    def powers(self) -> tuple[RequirementPower, ...]:
        """What the test set can show of each requirement at the first look; empty without a test set.

        By the strictest level that Holm's correction may ask for. Of slices, that of the smallest one.
        """
        if self.test_set is None:
            return ()
        tested = sum(not requirement.point for requirement in self.requirements)
        strictest = 1 if self.correction == "none" else max(tested, 1)
        confidence = self.confidence_at(1, strictest)
        return tuple(self._power(requirement, confidence) for requirement in self.requirements)

    def _power(self, requirement: Requirement, confidence: float) -> RequirementPower:
        assert self.test_set is not None  # noqa: S101 - for the type checker
        parts = [(self.test_set.rows, self.test_set.labels)]
        if requirement.column:
            slices = self.test_set.slices.get(requirement.column, {})
            chosen = [slices[requirement.part]] if requirement.part in slices else list(slices.values())
            parts = [(sum(counts.values()), {k: v for k, v in counts.items() if k}) for counts in chosen]
        positive = self.settings.get("positive")
        powers = [
            requirement_power(
                requirement,
                rows,
                labels,
                _positive_of(positive, labels),
                confidence=confidence,
                target=self.power,
                assume={**ASSUMED, **self.assume},
            )
            for rows, labels in parts
        ]
        if powers:
            return min(powers, key=lambda each: each.rows)
        why = f"the test set is not sliced by {requirement.column}"
        return RequirementPower(requirement, 0, self.power, known=False, reason=why)

    def tables(self) -> list[ResultTable]:
        """Return the requirements, a row each, with what the test set can show."""
        powers = self.powers or (None,) * len(self.requirements)
        columns: dict[str, list[Any]] = {
            "requirement": [requirement.canonical for requirement in self.requirements],
            "rows": [None if power is None else power.rows for power in powers],
            "needed": [None if power is None else power.needed for power in powers],
        }
        return [ResultTable(columns)]

    def text(self, *, width: int = 80) -> str:
        """Return the plan in words: each requirement, and what so many rows can show of it."""
        looks = "one look" if self.looks == 1 else f"{self.looks} looks"
        share = f"{100 * self.confidence:g}% confidence"
        heads = [f"plan {clean(self.name)} · {looks} · {share} · sha256 {self.sha256[:12]}"]
        if self.test_set is not None:
            of_label = self.test_set.labels.items()
            counts = ", ".join(f"{count:,} of {clean(label)}" for label, count in of_label)
            heads.append(f"test set: {count_of(self.test_set.rows, 'row')}{f' ({counts})' if counts else ''}")
            if self.test_set.fingerprint and not self.tells_rows_apart:
                how = hint("key=", "key under [columns]")
                note = f"known by its labels alone: name the rows by {how}, and changed rows are noticed too"
                heads.append(render(note))
        lines = [*paragraphs(heads, max_width=width, indent=2), ""]
        for index, requirement in enumerate(self.requirements):
            lines += paragraph(f"{index + 1}. {requirement.canonical}", max_width=width)
            if self.powers:
                lines += [
                    f"   {line}" for line in paragraph(self.powers[index].sentence, max_width=width - 3)
                ]
        if self.baselines and self.powers:
            assumed = {**ASSUMED, **self.assume}
            note = (
                "Against a baseline it is assumed that the two models disagree on "
                f"{100 * assumed['disagreement']:g}% of rows, and that areas near {assumed['area']:g} "
                f"correlate by {assumed['correlation']:g}: state others in [assume]."
            )
            lines += ["", *paragraph(note, max_width=width)]
        return "\n".join(lines)

    __repr__ = Result.__str__

    def with_test_set(self, data: Any) -> Self:
        """Return the plan for a test set: an evaluation, or data whose actual values alone are read."""
        from assay.plans.plan_rows import test_set_of  # noqa: PLC0415 - circular import

        test_set = test_set_of(self, data)
        refuse_unknown_slices(self.requirements, test_set.slices)
        return dataclasses.replace(self, test_set=test_set)

    def replace_test_set(self, test_set: TestSet | None) -> Self:
        """Return the plan for a test set that is known already."""
        return dataclasses.replace(self, test_set=test_set)

    def evaluate(self, data: Any, *, name: str = "") -> Evaluation:
        """Return the evaluation of predictions with the plan's columns and settings."""
        from assay.plans.plan_rows import evaluate_plan, plan_rows  # noqa: PLC0415 - circular import

        return evaluate_plan(self, plan_rows(self, data), name=name)

    @property
    def tells_rows_apart(self) -> bool:
        """Whether other rows of the same labels would be noticed: rows have names, or numbers."""
        named = any(role in self.columns for role in ("key", "group", "query"))
        return named or self.test_set is None or not self.test_set.labels

    def to_toml(self) -> str:
        """Return the plan as the text of a ``plan.toml``."""
        from assay.plans.plan_file import toml_text  # noqa: PLC0415

        return toml_text(self)


def canonical_bytes(content: Any) -> bytes:
    """Return plain data as JSON with sorted keys and without spaces, the same bytes for the same data."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _positive_of(positive: Any, labels: Mapping[str, int]) -> str:
    """Return the positive label as the test set's counts name it: the stated one, else the last of two."""
    return str(positive) if positive is not None else next(reversed(list(labels)), "")


@suggest_keywords
def plan(
    data: Any = None,
    *,
    name: str = "plan",
    requirements: Iterable[str] | str = (),
    actual: Any = None,
    predicted: Any = None,
    score: Any = None,
    weight: Any = None,
    group: Any = None,
    query: Any = None,
    key: Any = None,
    by: Any = None,
    confidence: float = 0.95,
    looks: int = 1,
    spending: Spending = "even",
    correction: Literal["holm", "none"] = "holm",
    power: float = 0.8,
    assume: Mapping[str, float] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Plan:
    """Write down what a model must reach, before any result is seen, and what the test set can show of it.

    Parameters
    ----------
    data
        The test set: a table or a file, of which the actual values and the columns of `by` are read. Or the
        path of a ``plan.toml``, and nothing else.
    name
        What the plan is called; a ledger knows it by this name.
    requirements
        Texts such as ``"recall >= 0.9"``, ``"recall >= 0.85 in every region"``, ``"auc no worse than
        production by 0.01"``, ``"accuracy better than production"``, ``"calibration_slope within 0.2"``.
        The worse end of the interval counts; ``"... on the point"`` tests the value alone.
    actual, predicted, score, weight, group, query, key, by
        The columns of predictions that will be checked, by name. With `key`, the name of each row, a row that
        has changed is noticed, and a baseline's rows may come in another order.
    confidence
        Of two-sided intervals. A requirement that is not truly met passes with at most half of what it
        leaves: 2.5% at 0.95.
    looks, spending
        How many models may be checked on the test set, and how that chance is shared out: ``"even"``, or
        ``"summable"`` where later looks are to cost more.
    correction
        Over the requirements: ``"holm"``, so that all lines hold together, or ``"none"``.
    power
        For which power to say how good a model must be.
    assume
        ``disagreement``, ``correlation`` and ``area`` of candidate and baseline, for the power.
    settings
        Further settings of :func:`assay.evaluate`: ``task``, ``positive``, ``threshold`` and the like.

    Returns
    -------
    Plan
        To print, to seal with ``save``, and to check models by.

    Raises
    ------
    PlanError
        A requirement cannot be read, or a setting does not fit.
    ColumnError
        A column is not there, or is none.
    LengthError
        Columns have different numbers of values.

    Examples
    --------
    >>> import assay
    >>> test = {"id": list(range(2000)), "y": [0] * 1700 + [1] * 300}
    >>> print(assay.plan(test, requirements=["recall >= 0.9"], key="id", actual="y", score="p", name="churn"))
    plan churn · one look · 95% confidence · sha256 68fc234cc192
    test set: 2,000 rows (1,700 of 0, 300 of 1)
    <BLANKLINE>
    1. recall >= 0.9
       300 rows show it if it is truly 0.9459 or better (80% power).
    """
    if isinstance(data, (str, Path)) and str(data).endswith(".toml"):
        return read_plan(data)
    columns = {
        "actual": actual, "predicted": predicted, "score": score, "weight": weight, "group": group,
        "query": query, "key": key, "by": by,
    }  # fmt: skip
    made = plan_of({
        "name": name, "requirements": [requirements] if isinstance(requirements, str) else list(requirements),
        "confidence": confidence, "looks": looks, "spending": spending, "correction": correction,
        "power": power, "assume": dict(assume or {}), "settings": dict(settings or {}),
        "columns": {role: column for role, column in columns.items() if column is not None},
    })  # fmt: skip
    return made if data is None else made.with_test_set(data)


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """Return the plan of a TOML file; raises with the line where it is no TOML."""
    import tomllib  # noqa: PLC0415 - only files need it

    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"{path} is no TOML: {error}.") from None
    try:
        made = plan_of(data)
    except PlanError as error:
        raise type(error)(f"{path}: {error.message}") from None
    file = (data.get("test_set") or {}).get("file")
    if file is not None and "rows" not in data["test_set"]:
        return made.with_test_set(str(Path(path).parent / file))
    return made


def plan_of(data: Mapping[str, Any]) -> Plan:
    """Return the plan of plain data, as a file holds it; raises for what is wrong or unknown."""
    refuse_unknown(data, _KEYS, "a plan")
    columns, settings, assume = (table_of(data, name) for name in ("columns", "settings", "assume"))
    refuse_unknown(columns, _COLUMNS, "[columns]")
    refuse_unknown(settings, _SETTINGS, "[settings]")
    refuse_unknown(assume, tuple(ASSUMED), "[assume]")
    texts = data.get("requirements", [])
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not texts:
        raise PlanError(f"the plan requires nothing: list its {param('requirements')}, such as {EXAMPLES}.")
    requirements = tuple(parse_requirement(text) for text in texts)
    for requirement in requirements:
        requirement.check()
    refuse_contradictions(requirements)
    check_columns(columns)
    columns["by"] = _sliced_by(columns.get("by", []), requirements)
    if not columns["by"]:
        del columns["by"]
    check_numbers(data)
    check_values_of_settings(settings)
    check_assumptions(assume)
    described = table_of(data, "test_set") if data.get("test_set") is not None else None
    known = described is not None and ("rows" in described or "file" not in described)
    return Plan(
        str(data.get("name") or "plan"), requirements, columns, settings,
        **{key: data[key] for key in ("confidence", "looks", "spending", "correction", "power", "assume")
           if key in data},
        test_set=TestSet.of_dict(described) if known and described else None,
    )  # fmt: skip


def _sliced_by(by: Any, requirements: tuple[Requirement, ...]) -> list[str]:
    """Return the columns to slice by, with those that requirements name."""
    columns = [by] if isinstance(by, str) else list(by)
    return list(dict.fromkeys([*columns, *(each.column for each in requirements if each.column)]))
