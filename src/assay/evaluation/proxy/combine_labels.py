"""Join the evaluation of labelled rows with those of all rows by proxies."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

from assay.errors import LabelError
from assay.evaluation.proxy.balance import balance_tests
from assay.evaluation.proxy.powered_evaluation import PoweredEvaluation
from assay.formatting.numbers import count_of
from assay.formatting.width import clean
from assay.hints import param

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from assay.evaluation.evaluation import Evaluation
    from assay.evaluation.task import Task
    from assay.inputs import Column

__all__ = ["chosen_task", "explain_other_labels", "powered"]


def chosen_task(task: Task, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with the task of the labelled rows stated, for all rows with a proxy as truth."""
    chosen = options | {"task": task.name}
    if task.labels and task.name != "multiclass":  # people may not have met every class
        chosen |= {"labels": list(task.labels)}
    if task.name == "binary":
        chosen |= {"positive": task.positive, "threshold": task.threshold}
    return chosen


@contextlib.contextmanager
def explain_other_labels(task: Task, options: dict[str, Any]) -> Iterator[None]:
    """Say what to do where a proxy or predictions have other labels than people."""
    try:
        yield
    except LabelError as error:
        if not task.labels or options.get("labels") is not None:
            raise
        raise LabelError(
            f"{error.message} These are people's labels, and a proxy and predictions must have the same "
            f'ones: recode an answer like "unsure", or make it missing and leave such rows out with '
            f"{param('missing', 'drop')}."
        ) from None


def powered(
    human: Evaluation,
    proxies: Sequence[Evaluation],
    stand_ins: Sequence[Column],
    *,
    labelled: NDArray[Any] | None = None,
    selected: bool = False,
    remarks: Sequence[str] = (),
) -> PoweredEvaluation:
    """Return the evaluation that uses labels and proxies; it says how many labels there are."""
    tests: dict[str, float] = {}
    if human.source_rows is not None and not selected:
        tests = balance_tests(human.source_rows, stand_ins, proxies)
    fields = {field.name: getattr(human, field.name) for field in dataclasses.fields(human)}
    inferred = human.task.inferred
    stated = [*inferred, _remark(human, proxies, stand_ins), *remarks]
    fields["task"] = dataclasses.replace(human.task, inferred=tuple(stated))
    return PoweredEvaluation(
        **fields, proxies=tuple(proxies), stand_ins=tuple(stand_ins), labelled=labelled, selected=selected,
        balance=tests, inferred_from_labels=inferred,
    )  # fmt: skip


def _remark(human: Evaluation, proxies: Sequence[Evaluation], stand_ins: Sequence[Column]) -> str:
    labelled = 0 if human.source_rows is None else len(human.source_rows)
    total = proxies[0].tallies.n if proxies[0].source_rows is None else len(proxies[0].source_rows)
    names = " and ".join(clean(column.name) for column in stand_ins)
    if labelled == total:
        return f"all {total:,} rows have a label: {names} adds nothing"
    if not labelled:
        return f"none of {count_of(total, 'row')} has a label in {clean(human.settings.actual)}"
    have = "has" if labelled == 1 else "have"
    share = f"{labelled:,} of {count_of(total, 'row')} {have} a label in {clean(human.settings.actual)}"
    return f"{share}; the others are used through {names}"
