"""Seals: a plan's canonical content and its SHA-256, in a file beside the plan."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import PlanChangedError, PlanError
from assay.output_files import write_file
from assay.plans.plan import Plan, canonical_bytes, plan_of, read_plan

if TYPE_CHECKING:
    import os

__all__ = ["read_seal", "seal_path", "sealed_plan", "write_seal"]


def seal_path(path: str | os.PathLike[str]) -> Path:
    """Return where the seal of a plan's file is: ``plan.toml.sealed``."""
    return Path(f"{path}.sealed")


def write_seal(path: str | os.PathLike[str], test_set: Any = None) -> Plan:
    """Seal the plan of a file, for a test set where the file describes none, and return it as it is sealed.

    Sealing again is allowed while nothing has changed; another plan or test set is refused.
    """
    made = read_plan(path)
    if test_set is not None:
        made = made.with_test_set(test_set)
    if seal_path(path).exists():
        sealed = read_seal(path)
        if made.test_set is None:
            made = made.replace_test_set(sealed.test_set)
        _refuse_other(made, sealed, path)
        return sealed
    content = {"plan": made.to_dict(), "sha256": made.sha256}
    write_file(seal_path(path), canonical_bytes(content) + b"\n")
    return made


def read_seal(path: str | os.PathLike[str]) -> Plan:
    """Return the plan that was sealed beside a plan's file; raises where the seal is damaged or edited."""
    where = seal_path(path)
    try:
        content = json.loads(where.read_bytes())
        plan, stated = content["plan"], content["sha256"]
    except FileNotFoundError:
        raise PlanError(f"{path} is not sealed: run assay seal {path} before any result is seen.") from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise PlanChangedError(f"{where} cannot be read as a seal ({error}).") from None
    if hashlib.sha256(canonical_bytes(plan)).hexdigest() != stated:
        raise PlanChangedError(f"{where} was edited: its content does not have the SHA-256 that it states.")
    return plan_of(plan)


def sealed_plan(path: str | os.PathLike[str]) -> Plan:
    """Return the sealed plan of a file; raises :class:`PlanChangedError` where the file is another by now."""
    sealed, made = read_seal(path), read_plan(path)
    _refuse_other(made if made.test_set else made.replace_test_set(sealed.test_set), sealed, path)
    return sealed


def _refuse_other(made: Plan, sealed: Plan, path: str | os.PathLike[str]) -> None:
    if made.sha256 == sealed.sha256:
        return
    before, now = sealed.to_dict(), made.to_dict()
    changed = [key for key in before if before[key] != now[key]]
    raise PlanChangedError(
        f"{path} is not the plan that was sealed: {' and '.join(changed)} changed. Restore it, or make a new "
        "plan, with a test set that no model has been tested on."
    )
