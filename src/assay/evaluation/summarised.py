"""What there is to say of an evaluation: headings, figures and remarks, as a summary to be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import shown
from assay.evaluation.figures import more_figures
from assay.inference.tables import no_information
from assay.inference.test_result import p_text
from assay.metrics import Undefined
from assay.metrics.scales import SCALES, band
from assay.reports.summary import Line, Summary
from assay.reports.widths import clean
from assay.tallies import Confusion, Queries, Scores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.evaluation.evaluation import Evaluation
    from assay.inference.estimate import Estimate
    from assay.reports.class_text import Row

__all__ = ["summarised"]

_HALF = 0.5
_HUNDRED = 100
_FEW_CLASSES = 8  # of which the whole table and each class's figures fit a screen


def summarised(ev: Evaluation, *, full: bool = False) -> Summary:
    """Return the summary of an evaluation; with `full`, further figures too."""
    groups = ev.groups
    if full:
        there = {name: name in ev.tallies for name in ("confusion", "scores")}
        groups = [
            *groups,
            *more_figures(
                ev.kind, counts=there["confusion"], scores=there["scores"], probabilities=ev.are_probabilities
            ),
        ]
    lines = tuple(
        tuple(_line(ev, figure.name, ev.estimate(figure.metric, **figure.options)) for figure in group)
        for group in groups
        if group
    )
    table = ev.tallies.get("confusion")
    counts: tuple[tuple[Any, ...], ...] = ()
    labels: tuple[Any, ...] = ()
    if isinstance(table, Confusion) and (full or len(table.labels) <= _FEW_CLASSES):
        labels = ev.problem.labels if set(ev.problem.labels) == set(table.labels) else table.labels
        order = [table.labels.index(label) for label in labels]
        cells = table.table() if table.weights is None else table.table(table.weight())
        counts = tuple(tuple(cells[i, j].item() for j in order) for i in order)
    return Summary(
        _title(ev), tuple(_heading(ev)), lines, labels, counts, tuple(_remarks(ev, lines, full=full)),
        _classes(ev, full=full),
    )  # fmt: skip


def _classes(ev: Evaluation, *, full: bool) -> tuple[Row, ...]:
    """Return the figures of every class where they are several and few enough for a screen."""
    if ev.kind not in ("multiclass", "ordinal", "multilabel") or not {"confusion", "label_sets"} & set(
        ev.tallies
    ):
        return ()
    few = len(ev.problem.labels) <= _FEW_CLASSES
    return ev.classes.rows if full or few else ()


def _title(ev: Evaluation) -> str:
    name = f"{clean(ev.settings.name)}: " if ev.settings.name else ""
    lists = isinstance(ev.tallies.get("queries"), Queries)
    parts = [f"{name}{ev.problem.title}", f"{ev.n:,} {'lists' if lists else 'rows'}"]
    if ev.positive is not None:
        parts.append(f"positive class: {clean(ev.positive)}{_share(ev)}")
    return " · ".join(parts)


def _share(ev: Evaluation) -> str:
    """Return how many rows are positive, in brackets; of weighted rows their share."""
    table, scores = ev.tallies.get("confusion"), ev.tallies.get("scores")
    if ev.settings.weight:
        return f" ({ev['prevalence'].value:.1%})" if "prevalence" in ev and ev["prevalence"].defined else ""
    if isinstance(table, Confusion) and ev.positive in table.labels:
        count = int(table.actual_totals[table.labels.index(ev.positive)])
    elif isinstance(scores, Scores):
        count = int(scores.positives.sum(dtype="int64"))
    else:
        return ""
    return f" ({count:,}, {count / ev.n:.1%})" if ev.n else ""


def _heading(ev: Evaluation) -> list[str]:
    said = []
    if ev.problem.threshold is not None:
        said.append(f"threshold {ev.problem.threshold:g} on {clean(ev.settings.score)}")
    elif ev.kind == "binary" and "scores" in ev.tallies and "confusion" in ev.tallies:
        said.append(f"predictions of {clean(ev.settings.predicted)}, scores of {clean(ev.settings.score)}")
    said.append(f"{ev.settings.confidence:.0%} intervals".replace(".0%", "%"))
    if ev.kind == "ranking" and ev.settings.k is not None:
        said.append(f"the first {ev.settings.k:,} of each list")
    if ev.settings.weight:
        said.append(f"weighted by {clean(ev.settings.weight)}")
    if ev.settings.group:
        said.append(f"rows grouped by {clean(ev.settings.group)}")
    lines = [" · ".join(said)]
    if ev.dropped:
        rows = (
            "1 row with a missing value was"
            if ev.dropped == 1
            else f"{ev.dropped:,} rows with a missing value were"
        )
        lines.append(f"{rows} left out")
    if ev.problem.inferred:
        lines.append(f"inferred: {'; '.join(ev.problem.inferred)}")
    return lines


def _line(ev: Evaluation, name: str, estimate: Estimate) -> Line:
    remarks: list[str] = []
    notes: list[str] = []
    value = estimate.value
    if name == "accuracy" and estimate.defined:
        remarks += _against_chance(ev)
    if name == "kappa":
        word = band(value, "altman", low=estimate.low, high=estimate.high)
        remarks += [f'a hint: "{word}", by {SCALES["altman"].source}'] if word else []
    if name == "auc" and not isinstance(value, Undefined):
        remarks.append(_ranked(value, estimate))
    if name == "average_precision" and "prevalence" in ev and ev["prevalence"].defined:
        remarks.append(f"chance alone has {ev['prevalence'].value:.4f}, the share of positives")
    if name in ("precision_at_prevalence", "npv_at_prevalence"):
        notes.append(
            f"where {ev.settings.prevalence:g} of the rows are positive, recall and specificity as here"
        )
    if name == "misclassification_cost":
        notes.append(
            f"a false positive costs {ev.settings.cost_fp:g}, a false negative {ev.settings.cost_fn:g}"
        )
    if estimate.defined and estimate.note:
        notes.append(estimate.note if estimate.method else f"no interval: {estimate.note}")
    if estimate.design_effect is not None and estimate.design_effect == estimate.design_effect:
        notes.append(f"{estimate.groups:,} groups, design effect {estimate.design_effect:.2f}")
    return Line(name, estimate, tuple(remarks), tuple(notes))


def _ranked(value: float, estimate: Estimate) -> str:
    """Return what an area under the curve means: backwards, chance, or a word of a scale."""
    if value < _HALF:
        return f"below 0.5: the scores rank backwards; turned round they have {1 - value:.4f}"
    if estimate.low is not None and estimate.low < _HALF:
        return "the interval reaches below 0.5: the ranking may be no better than chance"
    word = band(value, "hosmer-lemeshow", low=estimate.low, high=estimate.high)
    return f'a hint: "{word}", by {SCALES["hosmer-lemeshow"].source}'


def _against_chance(ev: Evaluation) -> list[str]:
    """Return what always guessing the commonest class would have, and whether this is better."""
    table = ev.tallies.get("confusion")
    if not isinstance(table, Confusion) or table.weights is not None or ev.settings.group:
        return []
    rate = ev["no_information_rate"].value
    test = no_information(table.table())
    if isinstance(test.p, Undefined) or isinstance(rate, Undefined):
        return []
    p = "p < 2.2e-16" if test.p < 2.2e-16 else p_text(test.p)  # noqa: PLR2004 - as R prints what is smaller
    if ev["accuracy"].value <= rate:
        return [f"no-information rate {rate:.4f}: no better than always guessing one class"]
    if test.p < 1 - ev.settings.confidence:
        return [f"no-information rate {rate:.4f}: accuracy is higher, {p}"]
    return [f"no-information rate {rate:.4f}: not shown to be better than guessing, {p}"]


def _remarks(ev: Evaluation, lines: tuple[tuple[Line, ...], ...], *, full: bool) -> Iterator[str]:
    table = ev.tallies.get("confusion")
    if isinstance(table, Confusion):
        yield from _of_counts(ev, table)
    if ev.kind == "binary" and "scores" in ev.tallies and not ev.are_probabilities:
        lost = "log loss, Brier score and calibration are left out"
        yield f"The scores are not probabilities{_reach(ev)}: {lost}."
    if ev.kind == "binary" and not isinstance(table, Confusion):
        yield "Counts need a threshold: pass threshold=, or ask for ev.at(threshold)."
    if "class_scores" in ev.tallies and not ev.are_probabilities:
        yield "The scores of a row do not add up to 1: log loss, Brier score and calibration are left out."
    silent = any(line.estimate.defined and not line.estimate.method for group in lines for line in group)
    if silent and not full:
        yield "Why a figure has no interval: ev.text(full=True)."


def _reach(ev: Evaluation) -> str:
    scores = ev.tallies.get("scores")
    if not isinstance(scores, Scores) or not len(scores.scores):
        return ""
    low, high = float(scores.scores[0]), float(scores.scores[-1])
    percent = low >= 0 and _HUNDRED / 2 < high <= _HUNDRED
    return f" (they reach {high if high > 1 else low:g}{'; divide percentages by 100' if percent else ''})"


def _of_counts(ev: Evaluation, table: Confusion) -> Iterator[str]:
    plain = table.weights is None
    rate, accuracy = (ev[name].value for name in ("no_information_rate", "accuracy"))
    if plain and not isinstance(rate, Undefined) and not isinstance(accuracy, Undefined) and accuracy <= rate:
        largest = table.labels[int(table.actual_totals.argmax())]
        yield (
            f"Always guessing {clean(largest)} would be right at least as often: accuracy says little "
            "here. Look at balanced accuracy, MCC or kappa."
        )
    if ev.kind == "binary" and plain:
        place = table.labels.index(ev.positive)
        full = table.table()
        missed = int(full[place].sum() - full[place, place])
        alarms = int(full[:, place].sum() - full[place, place])
        if missed + alarms:
            kinds = (missed, f"missed {clean(ev.positive)}"), (alarms, f"false {clean(ev.positive)}")
            larger, of = max(kinds)
            scored = (
                " ev.choose_threshold(cost_fp=..., cost_fn=...) weighs the two."
                if "scores" in ev.tallies
                else ""
            )
            counted = (
                f"{larger:,} of {missed + alarms:,} errors are"
                if missed + alarms > 1
                else "The only error is"
            )
            yield f"{counted} {of}.{scored}"
    if ev.kind in ("multiclass", "ordinal"):
        if len(table.labels) > _FEW_CLASSES:
            yield f"{len(table.labels)} classes: the whole table is ev.confusion, each class in ev.classes."
        lacking = [label for label, rows in zip(table.labels, table.actual_totals, strict=True) if not rows]
        if lacking:
            yield f"No row is {shown(lacking)}: averages over classes are undefined."
