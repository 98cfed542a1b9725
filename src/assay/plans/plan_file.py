"""A plan as TOML: what people edit, and what ``assay seal`` reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.plans.plan import Plan

__all__ = ["toml_text"]


def toml_text(plan: Plan) -> str:
    """Return a plan as TOML, which reads back as the same plan.

    >>> import assay
    >>> print(toml_text(assay.plan(name="spam", requirements=["auc >= 0.9"], actual="y", score="p")))
    name = "spam"
    requirements = [
        "auc >= 0.9",
    ]
    confidence = 0.95
    looks = 1
    spending = "even"
    correction = "holm"
    power = 0.8
    <BLANKLINE>
    [columns]
    actual = "y"
    score = "p"
    <BLANKLINE>
    """
    data = plan.to_dict()
    requirements = "".join(f"    {_value(text)},\n" for text in data["requirements"])
    lines = [f"name = {_value(data['name'])}", f"requirements = [\n{requirements}]"]
    lines += [
        f"{key} = {_value(data[key])}" for key in ("confidence", "looks", "spending", "correction", "power")
    ]
    for key, table in (("columns", plan.columns), ("settings", plan.settings), ("assume", plan.assume)):
        lines += ["", *_table(key, table)] if table else []
    if plan.test_set is not None:
        rows: dict[str, Any] = {"rows": plan.test_set.rows}
        if plan.test_set.fingerprint:
            rows["fingerprint"] = plan.test_set.fingerprint
        lines += ["", *_table("test_set", rows)]
        lines += ["", *_table("test_set.labels", plan.test_set.labels)] if plan.test_set.labels else []
        for column, parts in plan.test_set.slices.items():
            lines += ["", *_table(f"test_set.slices.{_key(column)}", parts)]
        moved = plan.test_set.slice_fingerprints
        lines += ["", *_table("test_set.slice_fingerprints", moved)] if moved else []
    return "\n".join(lines) + "\n"


def _table(name: str, values: Mapping[str, Any]) -> list[str]:
    return [f"[{name}]", *(f"{_key(key)} = {_value(value)}" for key, value in values.items())]


def _key(name: str) -> str:
    plain = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if plain else _value(name)


def _value(value: Any) -> str:
    """Return a value as TOML; its basic strings are those of JSON, but for the character DEL."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(str(key))} = {_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
