"""The page of plans, as plain data: what each asks for, and which checks met it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from assay.formatting.numbers import format_value
from assay.formatting.width import LINE
from assay.plans.check import CHECK
from assay.plans.plan_seal import PLAN
from assay.server.list_pages import moment
from assay.server.selection import short_test, shown_name

if TYPE_CHECKING:
    from assay.ledgers.entry import Entry
    from assay.server.run_index import RunIndex

__all__ = ["plans_page"]

_MAX_PLANS: Final = 50
_MAX_CHECKS: Final = 100  # of a plan
_DIGITS: Final = 12  # of a SHA-256


def plans_page(index: RunIndex) -> dict[str, Any]:
    """Return the sealed plans, those that were checked last first, with their checks."""
    plans: dict[str, Entry] = {}
    checks: dict[str, list[Entry]] = {}
    for entry in index.others[::-1]:
        key = str(entry.payload.get("sha256"))
        if entry.kind == PLAN:
            plans[key] = entry
            checks.setdefault(key, [])
        elif entry.kind == CHECK:
            checks.setdefault(key, []).append(entry)
    shown = [_plan(plans.get(key), found) for key, found in list(checks.items())[:_MAX_PLANS]]
    return {"title": "Plans", "plans": shown, "left_out": len(checks) - len(shown)}


def _plan(sealed: Entry | None, checks: list[Entry]) -> dict[str, Any]:
    newest = checks[0] if checks else sealed
    payload = newest.payload if newest else {}
    plan = _mapping(sealed.payload.get("plan")) if sealed else {}
    asked = [str(one) for one in _list(plan.get("requirements"))]
    asked = asked or [str(_mapping(one).get("requirement")) for one in _list(payload.get("requirements"))]
    looks = [look for entry in checks if isinstance(look := entry.payload.get("look"), int)]
    return {
        "name": shown_name(payload.get("plan") if checks else payload.get("name"), LINE),
        "sha256": shown_name(payload.get("sha256"))[:_DIGITS],
        "sealed": moment(sealed.time) if sealed else None,
        "run": sealed.number if sealed else None,
        "test": newest.test if newest else "",
        "test_name": short_test(newest.test if newest else ""),
        "rows": _mapping(plan.get("test_set")).get("rows"),
        "used": max(looks, default=0),
        "allowed": plan.get("looks") or payload.get("looks_allowed"),
        "requirements": [shown_name(one, LINE) for one in asked],
        "checks": [_check(entry, asked) for entry in checks[:_MAX_CHECKS]],
        "left_out": max(0, len(checks) - _MAX_CHECKS),
    }


def _check(entry: Entry, asked: list[str]) -> dict[str, Any]:
    found = [_mapping(one) for one in _list(entry.payload.get("requirements"))]
    results = {str(one.get("requirement")): one for one in found}
    return {
        "run": entry.number,
        "time": moment(entry.time),
        "model": shown_name(entry.model),
        "look": entry.payload.get("look"),
        "met": entry.payload.get("met") is True,
        "results": [_result(results.get(one)) for one in asked],
    }


def _result(one: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a requirement's value and interval; against a baseline, the difference with its sign."""
    if one is None:
        return None
    signed = "baseline_value" in one
    texts = [_text(one.get(name), signed=signed) for name in ("value", "low", "high")]
    return {
        "met": one.get("met") is True,
        "text": texts,
        "reason": shown_name(one.get("reason"), LINE),
        "note": "not paired" if one.get("paired") is False else "paired" if one.get("paired") else "",
    }


def _text(value: Any, *, signed: bool) -> str | None:
    if not isinstance(value, (int, float)):
        return None
    return f"{'+' if signed and value > 0 else ''}{format_value(float(value))}"


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
