"""Checks of a plan as it is read: what no file may say, and what no model could meet."""

from __future__ import annotations

import dataclasses
import difflib
import math
from typing import TYPE_CHECKING, Any, Final

from assay.errors import InputError, PlanError, shown
from assay.evaluation.validation import check_settings, check_task
from assay.hints import param

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.plans.requirement import Requirement

__all__ = [
    "check_assumptions",
    "check_columns",
    "check_numbers",
    "check_values_of_settings",
    "refuse_contradictions",
    "refuse_unknown",
    "refuse_unknown_slices",
    "table_of",
]

_CHOICES: Final = {"spending": ("even", "summable"), "correction": ("holm", "none")}
# Between which numbers an assumption lies, neither of them included.
_ASSUMED_BETWEEN: Final = {"disagreement": (0, 1), "correlation": (-1, 1), "area": (0, 1)}


def table_of(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a table of a plan's file, empty where there is none; raise where it is something else."""
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise PlanError(
            f"{name} is {table!r}, and must be a table: write [{name}] and a line for each entry."
        )
    return dict(table)


def refuse_unknown(data: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    """Raise for an entry that means nothing here."""
    for key in data:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            advice = f"did you mean {near[0]}?" if near else f"it may have {', '.join(known)}."
            raise PlanError(f"{what} has no {key}: {advice}")


def check_numbers(data: Mapping[str, Any]) -> None:
    """Raise for confidence, power, looks, spending and correction that mean nothing."""
    for key, default in (("confidence", 0.95), ("power", 0.8)):
        value = data.get(key, default)
        if not _is_number(value) or not 0 < value < 1:
            raise PlanError(f"{key} is {value!r}, and must be a number between 0 and 1, such as {default}.")
    looks = data.get("looks", 1)
    if isinstance(looks, bool) or not isinstance(looks, int) or looks < 1:
        raise PlanError(f"looks is {looks!r}, and must be a whole number of 1 or more.")
    for key, choices in _CHOICES.items():
        if data.get(key, choices[0]) not in choices:
            raise PlanError(f"{key} is {data[key]!r}: use {' or '.join(map(repr, choices))}.")
    if data.get("confidence", 0.95) <= 0.5:  # noqa: PLR2004
        raise PlanError(f"confidence is {data['confidence']!r}: requirements are tested by more than 0.5.")


def check_values_of_settings(settings: Mapping[str, Any]) -> None:
    """Raise for a setting that no evaluation takes, before the plan is sealed and can no longer be mended."""
    try:
        check_task(settings.get("task"))
        check_settings(**settings)
    except InputError as error:
        raise PlanError(f"[settings]: {error.message}") from None


def check_assumptions(assume: Mapping[str, Any]) -> None:
    """Raise for a share, a correlation or an area that is none."""
    for key, value in assume.items():
        low, high = _ASSUMED_BETWEEN[key]
        if not _is_number(value) or not low < value < high:
            raise PlanError(
                f"[assume] has {key} = {value!r}, and it must be a number between {low} and {high}."
            )


def check_columns(columns: Mapping[str, Any]) -> None:
    """Raise where the columns of actual values or predictions are not named, or not by names."""
    if "actual" not in columns:
        raise PlanError(
            f"the plan does not say which column holds the actual values: name {param('actual')}."
        )
    if "predicted" not in columns and "score" not in columns:
        raise PlanError(
            f"the plan does not say which column holds the predictions: name {param('predicted')} or "
            f"{param('score')}."
        )
    for role, named in columns.items():
        names = [named] if isinstance(named, str) else named
        if (
            not isinstance(names, (list, tuple))
            or not names
            or not all(isinstance(name, str) for name in names)
        ):
            raise PlanError(f"[columns] has {role} = {named!r}, where the name of a column is needed.")


def refuse_contradictions(requirements: Sequence[Requirement]) -> None:
    """Raise where a requirement stands twice, or no model could meet two of them at once.

    >>> from assay.plans.requirement import parse_requirement
    >>> refuse_contradictions([parse_requirement(text) for text in ("recall >= 0.9", "recall <= 0.5")])
    Traceback (most recent call last):
    ...
    assay.errors.PlanError: no model can meet both "recall >= 0.9" and "recall <= 0.5": correct one of them.
    """
    for index, later in enumerate(requirements):
        for earlier in requirements[:index]:
            if _by_metric(later) == _by_metric(earlier):
                raise PlanError(f'"{later.text}" is required twice: leave one out.')
            if _exclude_each_other(earlier, later):
                raise PlanError(
                    f'no model can meet both "{earlier.text}" and "{later.text}": correct one of them.'
                )


def _exclude_each_other(first: Requirement, second: Requirement) -> bool:
    if first.baseline or second.baseline or first.spec.name != second.spec.name:
        return False
    # What holds in every slice holds in each of them.
    if first.column != second.column or (first.part != second.part and first.part and second.part):
        return False
    limits = [requirement.limits() for requirement in (first, second)]
    lowest, highest = max(low for low, _ in limits), min(high for _, high in limits)
    strict = any(requirement.sign in {"<", ">"} for requirement in (first, second))
    return lowest > highest or (lowest == highest and strict)


def _by_metric(requirement: Requirement) -> Requirement:
    """Return a requirement with the name that its metric has beside all aliases."""
    return dataclasses.replace(requirement, metric=requirement.spec.name)


def refuse_unknown_slices(
    requirements: Iterable[Requirement], slices: Mapping[str, Mapping[str, Any]]
) -> None:
    """Raise where a requirement is about a slice that the test set does not have."""
    for requirement in requirements:
        parts = slices.get(requirement.column, {})
        if requirement.part and requirement.part not in parts:
            raise PlanError(
                f'"{requirement.text}" is about no slice of these rows: {requirement.column} has '
                f"{shown(parts)}."
            )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
