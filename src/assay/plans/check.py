"""Check predictions by a plan: the gate between a model and its release."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.engines import Source
from assay.errors import NoLooksLeftError, PlanChangedError, PlanError, shown, suggest_keywords
from assay.evaluation.evaluation import Evaluation
from assay.hints import hint
from assay.ledgers.ledger import EVALUATION, Ledger
from assay.ledgers.ledger import ledger as open_ledger
from assay.ledgers.record import fingerprint_of
from assay.plans.baseline_rows import refuse_repeated_keys, same_order
from assay.plans.check_result import PlanCheck
from assay.plans.plan import Plan
from assay.plans.plan_rows import check_test_set, evaluate_plan, other_setting, plan_rows
from assay.plans.plan_seal import seal_in_ledger, sealed_plan
from assay.plans.requirement_result import Candidate, check_requirements

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Settings
    from assay.evaluation.looks import Looks

__all__ = ["CHECK", "check"]

CHECK = "check"  # the kind of a ledger's entry


@suggest_keywords
def check(
    plan: Plan | str | os.PathLike[str],
    data: Any,
    *,
    against: Any = None,
    against_ledger: str | Mapping[str, str] | None = None,
    ledger: Ledger | str | os.PathLike[str] | bool | None = None,
    name: str = "",
    memory: int | str = "1GiB",
    threads: int | None = None,
) -> PlanCheck:
    """Check predictions by a plan, and return which of its requirements are met.

    Parameters
    ----------
    plan
        The path of a ``plan.toml`` that is sealed, or a plan of :func:`assay.plan`, which is taken as it is.
    data
        The predictions on the test set: a table, a file, rows, or an evaluation.
    against
        The same of the baseline that requirements name, or a mapping from baselines to theirs. Its rows may
        come in another order where the plan names a key.
    against_ledger
        The model that is the baseline, by its name in the ledger, or a mapping from baselines to models. A
        ledger stores no rows, so that intervals are wider than with the baseline's predictions.
    ledger
        Where looks at the test set are counted and the check is recorded: a ledger, its path, or True for
        ``.assay/ledger.db``. Without it every check is taken for the first look.
    name
        The name of the model in the ledger and in reports; by default that of the file.
    memory, threads
        The memory that reading files may take beside the rows, and its number of threads.

    Raises
    ------
    PlanChangedError
        The plan is not the one that was sealed, or the rows are not those of its test set.
    NoLooksLeftError
        As many models as the plan allows have been evaluated on the test set.

    Returns
    -------
    PlanCheck
        Of each requirement whether it is met, with the estimate that shows it.

    Examples
    --------
    >>> import assay
    >>> y = [0] * 150 + [1] * 150
    >>> low, high = ([start + i / 200 for i in range(150)] for start in (0.1, 0.25))
    >>> new = {"y": y, "p": low + high}
    >>> wanted = ["recall >= 0.5", "auc >= 0.9"]
    >>> plan = assay.plan(new, name="churn", requirements=wanted, actual="y", score="p")
    >>> result = assay.check(plan, new)
    >>> result.met, [each.met for each in result]
    (False, [True, False])
    """
    plan = plan if isinstance(plan, Plan) else sealed_plan(plan)
    book = _ledger_of(ledger)
    if book is not None:
        seal_in_ledger(plan, book)
    named = _baselines(plan, against, against_ledger, book)
    limits: dict[str, Any] = {"memory": memory} | ({} if threads is None else {"threads": threads})
    ev = _evaluation(plan, data, name or _name_of(data) or "candidate", limits)
    if difference := check_test_set(plan, ev):
        raise PlanChangedError(
            f"the rows are not the test set of the plan {plan.name}: {difference}. Check predictions on the "
            "rows that were sealed."
        )
    if ev.gathered is not None:
        refuse_repeated_keys(ev.gathered)
    baselines = {key: _baseline(plan, value, ev, key, limits) for key, value in named.items()}
    candidate = Candidate(ev, baselines, ev.name)
    looks = None if book is None else _look(plan, candidate, book)
    look = 1 if looks is None else looks.number
    results = check_requirements(
        plan.requirements, candidate.test, functools.partial(plan.confidence_at, look),
        holm=plan.correction == "holm",
    )  # fmt: skip
    size = ev.n if ev.gathered is None else ev.gathered.n
    result = PlanCheck(plan, ev.name, tuple(results), size, looks, candidate.flips())
    if book is not None:
        fingerprint = fingerprint_of(ev)
        payload = {"model": ev.name, "test": fingerprint.test_set, "predictions": fingerprint.predictions}
        book.append(CHECK, payload | result.to_dict())
    return result


def _ledger_of(ledger: Any) -> Ledger | None:
    if ledger is None or ledger is False:
        return None
    if isinstance(ledger, Ledger):
        return ledger
    return open_ledger(None if ledger is True else ledger)


def _name_of(data: Any) -> str:
    """Return the name of a model by its file."""
    if isinstance(data, Evaluation):
        return data.name
    if isinstance(data, Source):
        return Path(data.name).name.partition(".")[0] if len(data.parts) == 1 else ""
    return Path(data).name.partition(".")[0] if isinstance(data, (str, os.PathLike)) else ""


def _evaluation(plan: Plan, data: Any, name: str, limits: Mapping[str, Any]) -> Evaluation:
    if not isinstance(data, Evaluation):
        return evaluate_plan(plan, plan_rows(plan, data, limits=limits), name=name)
    if different := other_setting(plan, data):
        raise PlanError(
            f"{name} was not evaluated as the plan says: {different}. Check its predictions themselves, or "
            "evaluate them with the plan's columns and settings."
        )
    settings: Settings = dataclasses.replace(data.settings, name=name)
    return dataclasses.replace(data, settings=settings, saved=data.estimates)


def _baselines(plan: Plan, against: Any, against_ledger: Any, book: Ledger | None) -> dict[str, Any]:
    """Return the data of each baseline of a plan, or the model in the ledger that it is."""
    baselines: dict[str, Any] = _by_name(plan, against)
    for name, model in _by_name(plan, against_ledger).items():
        if book is None:
            raise PlanError(f"{name} is to come from a ledger, but there is none: name it with {_LEDGER}.")
        if name in baselines:
            raise PlanError(f"{name} is given twice, by its predictions and by the ledger: leave one out.")
        baselines[name] = _InLedger(book, model)
    missing = [name for name in plan.baselines if name not in baselines]
    if missing:
        raise PlanError(
            f"the plan compares with {shown(missing)}: give the predictions of it with {_AGAINST}, or "
            f"its name in the ledger with {_AGAINST_LEDGER}."
        )
    return baselines


_LEDGER = hint("ledger=", "--ledger")
_AGAINST = hint("against=", "--against")
_AGAINST_LEDGER = hint("against_ledger=", "--against-ledger")


@dataclasses.dataclass(frozen=True)
class _InLedger:
    book: Ledger
    model: str


def _by_name(plan: Plan, against: Any) -> dict[str, Any]:
    if against is None:
        return {}
    if not plan.baselines:
        raise PlanError(f"no requirement of the plan compares with a baseline: leave {_AGAINST} out.")
    if isinstance(against, Mapping) and not isinstance(against, Evaluation) and against:
        if set(against) <= set(plan.baselines):
            return dict(against)
        if all(isinstance(value, str) for value in against.values()):
            raise PlanError(f"the plan compares with {shown(plan.baselines)}, not {shown(against)}.")
    if len(plan.baselines) > 1:
        raise PlanError(
            f"the plan compares with {shown(plan.baselines)}: say which one this is, as "
            f"{hint('against={name: ...}', '--against NAME=FILE')}."
        )
    return {plan.baselines[0]: against}


def _baseline(
    plan: Plan, data: Any, candidate: Evaluation, name: str, limits: Mapping[str, Any]
) -> Evaluation:
    """Return the evaluation of a baseline on the candidate's rows, in their order."""
    if isinstance(data, _InLedger):
        return _recorded(plan, data, candidate, name)
    if isinstance(data, Evaluation):
        if data.gathered is None or candidate.gathered is None:
            if different := other_setting(plan, data):
                raise PlanError(
                    f"{name} was not evaluated as the plan says: {different}. Give its predictions with "
                    f"{_AGAINST}."
                )
            _refuse_other_rows(data, candidate, name)
            return data
        data = data.gathered
    rows = plan_rows(plan, data, limits=limits)
    if candidate.gathered is not None:
        rows = same_order(rows, candidate.gathered, name)
    ev = evaluate_plan(plan, rows, name=name)
    if candidate.gathered is None:
        _refuse_other_rows(ev, candidate, name)
    return ev


def _refuse_other_rows(baseline: Evaluation, candidate: Evaluation, name: str) -> None:
    if fingerprint_of(baseline).test_set != fingerprint_of(candidate).test_set:
        raise PlanError(f"{name} was evaluated on other rows than the candidate: evaluate both on the same.")


def _recorded(plan: Plan, where: _InLedger, candidate: Evaluation, name: str) -> Evaluation:
    test = fingerprint_of(candidate).test_set
    entries = where.book.entries(kind=EVALUATION, model=where.model, test=test)
    if not entries:
        elsewhere = where.book.entries(kind=EVALUATION, model=where.model, limit=1)
        why = "only on other rows" if elsewhere else "under this name"
        raise PlanError(
            f"the ledger has no evaluation of {where.model} on this test set, {why}: give the predictions of "
            f"{name} with {_AGAINST}."
        )
    different = ""
    for entry in reversed(entries):  # the last one that was made as the plan says
        ev = where.book.load(entry)
        if not (difference := other_setting(plan, ev)):
            return ev
        different = different or difference
    raise PlanError(
        f"the ledger has no evaluation of {where.model} as the plan wants it: {different}. Give the "
        f"predictions of {name} with {_AGAINST}, or record {where.model} with the plan's settings."
    )


def _look(plan: Plan, candidate: Candidate, book: Ledger) -> Looks:
    """Spend a look at the test set, and return which one it is; raise where none is left.

    It is recorded before anything is computed by it: two checks at once do not share a look.
    """
    test = fingerprint_of(candidate.ev).test_set
    checked = {entry.predictions for entry in book.entries(kind=CHECK, test=test)}
    # A baseline is no look, unless it was a candidate on these rows before.
    besides = {fingerprint_of(ev).predictions for ev in candidate.baselines.values()} - checked
    looks = book.looks(candidate.ev, besides=besides)
    _refuse_spent(plan, looks)
    if not looks.repeated:
        book.record(candidate.ev, tags=(CHECK,))
        looks = dataclasses.replace(book.looks(candidate.ev, besides=besides), repeated=False)
        _refuse_spent(plan, looks)
    return looks


def _refuse_spent(plan: Plan, looks: Looks) -> None:
    if looks.number <= plan.looks:
        return
    allowed = "one model" if plan.looks == 1 else f"{plan.looks:,} models"
    raise NoLooksLeftError(
        f"the plan {plan.name} allows {allowed} on its test set, and this would be number {looks.number:,} "
        f"({shown(looks.models)} before): make a new plan, with rows that no model was tested on."
    )
