"""What there is to say of an evaluation: headings, figures and remarks, as a summary to be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import shown
from assay.inference.tables import no_information
from assay.inference.test_result import p_text
from assay.metrics import Undefined
from assay.metrics.scales import hint
from assay.reports.summary import Line, Summary
from assay.reports.widths import clean
from assay.tallies import Confusion, Queries

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Evaluation
    from assay.inference.estimate import Estimate

__all__ = ["summarised"]

_HALF = 0.5


def summarised(ev: Evaluation) -> Summary:
    """Return the summary of an evaluation."""
    groups = tuple(
        tuple(_line(ev, figure.name, ev[figure.name]) for figure in group) for group in ev.groups if group
    )
    table = ev.tallies.get("confusion")
    counts: tuple[tuple[Any, ...], ...] = ()
    labels: tuple[Any, ...] = ()
    if isinstance(table, Confusion):
        labels = ev.problem.labels if set(ev.problem.labels) == set(table.labels) else table.labels
        order = [table.labels.index(label) for label in labels]
        full = table.table() if table.weights is None else table.table(table.weight())
        counts = tuple(tuple(full[i, j].item() for j in order) for i in order)
    return Summary(_title(ev), tuple(_heading(ev)), groups, labels, counts, tuple(_remarks(ev)))


def _title(ev: Evaluation) -> str:
    name = f"{ev.settings.name}: " if ev.settings.name else ""
    lists = isinstance(ev.tallies.get("queries"), Queries)
    parts = [f"{name}{ev.problem.title}", f"{ev.n:,} {'lists' if lists else 'rows'}"]
    if ev.positive is not None and "prevalence" in ev:
        share = ev["prevalence"].value
        if not isinstance(share, Undefined):
            parts.append(f"positive class: {clean(ev.positive)} ({share:.1%})")
    elif ev.positive is not None:
        parts.append(f"positive class: {clean(ev.positive)}")
    return " · ".join(parts)


def _heading(ev: Evaluation) -> list[str]:
    said = []
    if ev.problem.threshold is not None:
        said.append(f"threshold {ev.problem.threshold:g} on {clean(ev.settings.score)}")
    elif ev.kind == "binary" and "scores" in ev.tallies and "confusion" in ev.tallies:
        said.append(f"predictions of {clean(ev.settings.predicted)}, scores of {clean(ev.settings.score)}")
    said.append(f"{ev.settings.confidence:.0%} intervals".replace(".0%", "%"))
    rows = ev.given
    if rows is not None and rows.weight is not None:
        said.append(f"weighted by {clean(rows.weight.name)}")
    if rows is not None and rows.group is not None:
        said.append(f"rows grouped by {clean(rows.group.name)}")
    lines = [" · ".join(said)]
    if ev.dropped:
        lines.append(f"{ev.dropped:,} rows with a missing value were left out")
    if ev.problem.inferred:
        lines.append(f"inferred: {'; '.join(ev.problem.inferred)}")
    return lines


def _line(ev: Evaluation, name: str, estimate: Estimate) -> Line:
    remarks: list[str] = []
    value = estimate.value
    if name == "accuracy" and estimate.defined:
        remarks += _against_chance(ev)
    if name == "kappa":
        remarks += filter(None, [hint(value, "altman", low=estimate.low, high=estimate.high)])
    if name == "auc" and not isinstance(value, Undefined):
        if value < _HALF:
            remarks.append(f"below 0.5: the scores rank backwards; turned round they have {1 - value:.4f}")
        else:
            remarks += filter(None, [hint(value, "hosmer-lemeshow", low=estimate.low, high=estimate.high)])
    if name == "average_precision" and "prevalence" in ev and ev["prevalence"].defined:
        remarks.append(f"chance alone has {ev['prevalence'].value:.4f}, the share of positives")
    if estimate.defined and estimate.note and estimate.method:
        remarks.append(estimate.note)
    if estimate.design_effect is not None and estimate.design_effect == estimate.design_effect:
        remarks.append(f"{estimate.groups:,} groups, design effect {estimate.design_effect:.2f}")
    return Line(name, estimate, tuple(remarks))


def _against_chance(ev: Evaluation) -> list[str]:
    """Return what always guessing the commonest class would have, and whether this is better."""
    table = ev.tallies.get("confusion")
    if (
        not isinstance(table, Confusion)
        or table.weights is not None
        or (ev.given is not None and ev.given.group)
    ):
        return []
    rate = ev["no_information_rate"].value
    test = no_information(table.table())
    if isinstance(test.p, Undefined) or isinstance(rate, Undefined):
        return []
    better = ev["accuracy"].value > rate
    p = "p < 2.2e-16" if test.p < 2.2e-16 else p_text(test.p)  # noqa: PLR2004 - as R prints what is smaller
    if better and test.p < 1 - ev.settings.confidence:
        return [f"no-information rate {rate:.4f}: accuracy is higher, {p}"]
    guessing = f"no-information rate {rate:.4f}: no better than always guessing the commonest class ({p})"
    return [f"{guessing}, so that accuracy says little here"]


def _remarks(ev: Evaluation) -> list[str]:
    table = ev.tallies.get("confusion")
    said: list[str] = []
    if ev.kind == "binary" and isinstance(table, Confusion) and table.weights is None:
        place = table.labels.index(ev.positive)
        full = table.table()
        missed = int(full[place].sum() - full[place, place])
        alarms = int(full[:, place].sum() - full[place, place])
        if missed + alarms:
            larger, of = max(
                (missed, f"missed {clean(ev.positive)}"), (alarms, f"false {clean(ev.positive)}")
            )
            said.append(f"{larger:,} of {missed + alarms:,} errors are {of}.")
            if "scores" in ev.tallies:
                said[-1] += " ev.choose_threshold(cost_fp=..., cost_fn=...) weighs the two."
    if ev.kind == "binary" and "scores" in ev.tallies and not ev.are_probabilities:
        said.append("The scores are not probabilities: log loss, Brier score and calibration are left out.")
    if ev.kind == "binary" and not isinstance(table, Confusion):
        said.append("Counts need a threshold: pass threshold=, or ask for ev.at(threshold).")
    if ev.kind in ("multiclass", "ordinal") and isinstance(table, Confusion):
        lacking = [label for label, rows in zip(table.labels, table.actual_totals, strict=True) if not rows]
        if lacking:
            said.append(f"No row is {shown(lacking)}: averages over classes are undefined.")
    return said
