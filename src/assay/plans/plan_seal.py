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

    from assay.ledgers.ledger import Ledger

__all__ = ["PLAN", "read_seal", "seal_in_ledger", "seal_path", "sealed_plan", "write_seal"]

PLAN = "plan"  # the kind of a ledger's entry


def seal_path(path: str | os.PathLike[str]) -> Path:
    """Return where the seal of a plan's file is: ``plan.toml.sealed``."""
    return Path(f"{path}.sealed")


def write_seal(path: str | os.PathLike[str], test_set: Any = None, ledger: Ledger | None = None) -> Plan:
    """Seal the plan of a file, for a test set where the file describes none, and return it as it is sealed.

    Sealing again is allowed while nothing has changed; another plan or test set is refused. In a ledger the
    seal is out of reach of whoever edits files.
    """
    made = read_plan(path)
    if test_set is not None:
        made = made.with_test_set(test_set)
    if seal_path(path).exists():
        sealed = read_seal(path)
        if made.test_set is None:
            made = made.replace_test_set(sealed.test_set)
        _refuse_other(made, sealed, path)
        made = sealed
    if ledger is not None:
        seal_in_ledger(made, ledger)
    content = {"plan": made.to_dict(), "sha256": made.sha256}
    if not seal_path(path).exists():
        write_file(seal_path(path), canonical_bytes(content) + b"\n")
    return made


def seal_in_ledger(plan: Plan, ledger: Ledger) -> None:
    """Seal a plan in a ledger; raise where another plan of its name is sealed there."""
    same_name = [entry for entry in ledger.entries(kind=PLAN) if entry.payload.get("name") == plan.name]
    if any(entry.payload.get("sha256") == plan.sha256 for entry in same_name):
        return
    if same_name:
        before = plan_of(same_name[-1].payload["plan"])
        raise PlanChangedError(
            f"the ledger has another plan {plan.name}, sealed {same_name[-1].time[:10]}: "
            f"{_changes(before, plan)} changed. Restore it, or give the new plan another name."
        )
    test = "" if plan.test_set is None else plan.test_set.fingerprint
    ledger.append(PLAN, {"name": plan.name, "sha256": plan.sha256, "test": test, "plan": plan.to_dict()})


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
    raise PlanChangedError(
        f"{path} is not the plan that was sealed: {_changes(sealed, made)} changed. Restore it, or make a "
        "new plan, with a test set that no model has been tested on."
    )


def _changes(before: Plan, now: Plan) -> str:
    """Return which parts of a plan are others, in words."""
    old, new = before.to_dict(), now.to_dict()
    return " and ".join(key for key in old if old[key] != new[key])
