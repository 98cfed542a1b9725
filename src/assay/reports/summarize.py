"""Summarize an evaluation: headings, metrics and remarks as plain data, which renderers draw."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from assay.errors import shown
from assay.evaluation.default_metrics import brief_groups, default_groups
from assay.evaluation.multioutput import MULTIOUTPUT_TASKS
from assay.evaluation.per_class import class_metrics
from assay.evaluation.proxy.balance import balance_warning
from assay.evaluation.proxy.powered_evaluation import PoweredEvaluation
from assay.formatting.numbers import count_of, format_interval, format_value, p_text
from assay.formatting.table import listed
from assay.formatting.width import clean, short
from assay.hints import hint, param, render
from assay.inference.hypothesis_tests.contingency import bowker, mcnemar, no_information
from assay.inference.proxy_estimate import ProxyEstimate
from assay.metrics import Undefined
from assay.metrics.interpretation import SCALES, band
from assay.metrics.spec import metric_title
from assay.reports.look_lines import intervals_for_all_looks, optimism_remarks
from assay.reports.metric_remarks import auc_remarks, calibration_remarks
from assay.reports.summary import Line, Summary
from assay.tallies import Confusion, Queries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.evaluation.evaluation import Evaluation
    from assay.evaluation.per_class import ClassRow
    from assay.inference.estimate import Estimate
    from assay.metrics import Value
    from assay.metrics.spec import MetricSpec
    from assay.tallies import BinnedScores

__all__ = ["MAX_HIGHLIGHTS", "PAGE", "WHY_NO_INTERVAL", "default_highlights", "one_line", "summarize"]

PAGE = hint('ev.report("report.html")', "--report report.html") + " writes the interactive page."
WHY_NO_INTERVAL = f"Why a metric has no interval: {hint('ev.text(full=True)', '--full')}."

MAX_HIGHLIGHTS = 3
_HIGHLIGHTS = {
    "binary": ("auc", "mcc", "precision", "recall"),
    "multiclass": ("accuracy", "balanced_accuracy", "macro_f1"),
    "ordinal": ("quadratic_weighted_kappa", "mean_absolute_rank_error", "accuracy"),
    "multilabel": ("subset_accuracy", "micro_f1", "macro_f1", "macro_auc"),
    "multioutput": ("macro_mae", "macro_rmse", "macro_r2"),
    "regression": ("mae", "rmse", "r2"),
    "ranking": ("ndcg", "mean_average_precision", "mean_reciprocal_rank"),
}
_CALIBRATION = "observed_expected_ratio"
_PERCENT = 100
_MAX_CLASSES = 8  # whose metrics fit a screen
_SCREEN_LINES = 18  # of metrics and classes together
_LABEL_WIDTH = 32  # of a name or a label within a sentence


def summarize(ev: Evaluation, *, full: bool = False, brief: bool = False, advice: bool = True) -> Summary:
    """Return the summary of an evaluation; with `full`, further metrics too; `brief`, what fits a screen.

    Without `advice` the remarks name no call or option that shows more: their readers have the report alone.
    """
    groups = ev.groups
    if brief:  # calibration of scores in bins would be biased
        calibrated = ev.task.name == "binary" and ev.are_probabilities and ev.binned is None
        groups = brief_groups(groups, calibration=calibrated)
    if full:
        there = {name: name in ev.by_name for name in ("confusion", "scores")}
        there["confusion"] |= "label_sets" in ev.by_name
        groups = [
            *groups,
            *default_groups(
                ev.task.name,
                "full report",
                labels=there["confusion"],
                scores=there["scores"],
                probabilities=there["scores"] and ev.are_probabilities,
            ),
        ]
    specs = [spec for group in groups for spec in group]
    estimates = iter(ev.estimate_all(specs))
    all_looks = iter(intervals_for_all_looks(ev, specs))
    rate = _no_information_rate(ev)
    lines = tuple(
        tuple(_line(ev, spec, next(estimates), rate, next(all_looks)) for spec in group)
        for group in groups
        if group
    )
    table = ev.by_name.get("confusion")
    counts: tuple[tuple[Any, ...], ...] = ()
    labels: tuple[Any, ...] = ()
    few = isinstance(table, Confusion) and len(table.labels) <= _MAX_CLASSES
    if brief and isinstance(table, Confusion):
        few = sum(map(len, groups)) + 2 * len(table.labels) <= _SCREEN_LINES or ev.task.name == "binary"
    if isinstance(table, Confusion) and (full or few):
        labels = ev.task.labels if set(ev.task.labels) == set(table.labels) else table.labels
        order = [table.labels.index(label) for label in labels]
        cells = table.table() if table.weights is None else table.table(table.weight())
        counts = tuple(tuple(cells[i, j].item() for j in order) for i in order)
    drawn = bool(counts) or not advice
    remarks = [*_remarks(ev, lines, rate, full=full, drawn=drawn, advice=advice)]
    if brief and sum(map(len, groups)) < _SCREEN_LINES - 1:
        remarks.append(PAGE)
    return Summary(
        _title(ev), tuple(_heading(ev)), lines, labels, counts, tuple(map(render, remarks)),
        _classes(ev, full=full),
    )  # fmt: skip


def default_highlights(ev: Evaluation, names: Sequence[str]) -> list[str]:
    """Return the few of some metrics that say most of the task."""
    usual = [name for name in _HIGHLIGHTS[ev.task.name] if name in names]
    if ev.task.name == "binary" and "auc" in usual:
        usual = [name for name in usual if name != "mcc"]
    if ev.settings.beta is not None and (stated := f"f_{ev.settings.beta:g}") in names:
        usual = [stated, *usual]
    return (usual or list(names))[:MAX_HIGHLIGHTS]


def one_line(ev: Evaluation) -> str:
    """Return the task, the number of rows and the main metrics in one line.

    >>> import assay
    >>> one_line(assay.evaluate(actual=[1.0, 2.0, 4.0], predicted=[1.5, 2.0, 3.0])).split(" · ")[:3]
    ['Regression', '3 rows', 'MAE 0.5000 [0.0000, 1.7421]']
    """
    values = []
    for name in default_highlights(ev, list(ev)):
        value = "undefined" if not ev[name].defined else format_value(ev[name].value)
        values.append(f"{metric_title(name)} {value} {format_interval(ev[name])}".rstrip())
    return " · ".join([_title(ev), *values])


def _classes(ev: Evaluation, *, full: bool) -> tuple[ClassRow, ...]:
    """Return the metrics of every class where there are several and few enough for a screen."""
    if ev.task.name not in ("multiclass", "ordinal", *MULTIOUTPUT_TASKS) or not class_metrics(ev):
        return ()
    few = len(ev.task.labels) <= _MAX_CLASSES
    return ev.classes.rows if full or few else ()


def _title(ev: Evaluation) -> str:
    name = f"{_short_label(ev.settings.name)}: " if ev.settings.name else ""
    lists = isinstance(ev.by_name.get("queries"), Queries)
    parts = [f"{name}{ev.task.title}", count_of(ev.n, "list" if lists else "row")]
    if ev.task.positive is not None:
        parts.append(f"positive class: {_short_label(ev.task.positive)}{_positive_share(ev)}")
    return " · ".join(parts)


def _short_label(label: Any) -> str:
    return short(label, _LABEL_WIDTH)


def _positive_share(ev: Evaluation) -> str:
    """Return how many rows are positive, in brackets; of weighted rows their share."""
    table, scores, positive = ev.by_name.get("confusion"), ev.scores, ev.task.positive
    if ev.settings.weight:
        defined = "prevalence" in ev and ev["prevalence"].defined
        return f" ({_percent(float(ev['prevalence']))})" if defined else ""
    if isinstance(table, Confusion) and positive in table.labels:
        count = int(table.actual_totals[table.labels.index(positive)])
    elif scores is not None:
        count = int(scores.positives.sum(dtype="int64"))
    else:
        return ""
    return f" ({count:,}, {_percent(count / ev.n)})" if ev.n else ""


def _percent(share: float) -> str:
    """Return a share in per cent, with one decimal or as many as it needs not to look like none or all.

    >>> _percent(0.282), _percent(0.00004), _percent(0.99998), _percent(0.0)
    ('28.2%', '0.004%', '99.998%', '0.0%')
    """
    nearest = min(share, 1 - share)
    if not 0 < nearest < 0.0005:  # noqa: PLR2004 - what one decimal shows
        return f"{share:.1%}"
    return f"{share:.{-math.floor(math.log10(nearest)) - 2}%}"


def _heading(ev: Evaluation) -> list[str]:
    parts = []
    if ev.task.threshold is not None:
        parts.append(f"threshold {ev.task.threshold:g} on {_short_label(ev.settings.score)}")
    elif ev.task.name == "binary" and "scores" in ev.by_name and "confusion" in ev.by_name:
        parts.append(f"predicted: column `{_short_label(ev.settings.predicted)}`")
        parts.append(f"score: column `{_short_label(ev.settings.score)}`")
    parts.append(f"{ev.settings.confidence:.0%} intervals".replace(".0%", "%"))
    if ev.task.name == "ranking" and ev.settings.k is not None:
        parts.append(f"the first {ev.settings.k:,} of each list")
    if ev.settings.weight:
        parts.append(f"weighted by {_short_label(ev.settings.weight)}")
    if ev.settings.group:
        parts.append(f"rows grouped by {_short_label(ev.settings.group)}")
    lines = [" · ".join(parts)]
    if ev.empty_lists:
        how = {"one": "counted as 1", "skip": "left out"}.get(ev.settings.empty or "", "counted as 0")
        lines.append(f"{count_of(ev.empty_lists, 'list')} without a relevant item, {how}")
    if ev.dropped:
        were = "was" if ev.dropped == 1 else "were"
        lines.append(f"{count_of(ev.dropped, 'row')} with a missing value {were} left out")
    if ev.task.inferred:
        lines.append(f"inferred: {'; '.join(ev.task.inferred)}")
    if ev.looks is not None:
        lines.append(clean(ev.looks))
    return lines


def _line(
    ev: Evaluation, spec: MetricSpec, estimate: Estimate, rate: Value | None, all_looks: Estimate | None
) -> Line:
    name = spec.name
    remarks: list[str] = []
    notes: list[str] = []
    value = estimate.value
    if name == "accuracy" and not isinstance(value, Undefined):
        remarks += _no_information(ev, estimate, rate)
    if name == "kappa":
        word = band(value, "altman", low=estimate.low, high=estimate.high)
        remarks += [f'a hint: "{word}", by {SCALES["altman"].source}'] if word else []
    if name == "auc" and not isinstance(value, Undefined):
        remarks += auc_remarks(value, estimate)
    if name == "average_precision" and "prevalence" in ev and (prevalence := ev["prevalence"]).defined:
        remarks.append(f"chance alone has {prevalence.value:.4f}, the share of positives")
    if name == _CALIBRATION and not isinstance(value, Undefined):
        remarks += calibration_remarks(value, estimate)
    if name in ("precision_at_prevalence", "npv_at_prevalence"):
        notes.append(
            f"where {ev.settings.prevalence:g} of the rows are positive, recall and specificity as here"
        )
    if name == "misclassification_cost":
        costs = ev.settings.costs
        remarks.append(f"a false positive costs {costs['cost_fp']:g}, a false negative {costs['cost_fn']:g}")
    if isinstance(estimate, ProxyEstimate):
        remarks.append(render(_proxy_remark(estimate)))
    elif estimate.defined and estimate.note:
        notes.append(estimate.note if estimate.method else f"no interval: {estimate.note}")
    return Line(name, spec.label, estimate, tuple(remarks), tuple(notes), all_looks)


def _proxy_remark(estimate: ProxyEstimate) -> str:
    """Return what the labels and the proxy say alone, and what the labels are worth with the proxy."""
    alone = estimate.labels_alone
    if not estimate.powered or alone is None:
        return estimate.note
    proxy = ", ".join(format_value(value) for value in estimate.proxy_alone)
    worth_of_labels = f"{estimate.n:,} labels are worth {estimate.effective_labels:,.0f}"
    remark = f"labels {format_value(alone.value)} {format_interval(alone)}, proxy {proxy}; {worth_of_labels}"
    return f"{remark}; {estimate.note}" if estimate.note else remark


def _no_information_rate(ev: Evaluation) -> Value | None:
    """Return the share of the largest class, which guessing it would get right; None without counts."""
    counted = isinstance(ev.by_name.get("confusion"), Confusion)
    return ev["no_information_rate"].value if counted else None


def _no_information(ev: Evaluation, estimate: Estimate, rate: Value | None) -> list[str]:
    """Return the no-information rate, and whether accuracy is higher; with a proxy by the interval."""
    accuracy = float(estimate)
    if isinstance(estimate, ProxyEstimate) and estimate.powered and isinstance(rate, float):
        higher = estimate.low is not None and estimate.low > rate
        shown = "accuracy is higher" if higher else "not shown to be better than guessing"
        return [f"no-information rate {rate:.4f}: {'accuracy is no higher' if accuracy <= rate else shown}"]
    table = ev.by_name.get("confusion")
    if not isinstance(table, Confusion) or table.weights is not None or ev.settings.group:
        return []
    test = no_information(table)
    if isinstance(test.p_value, Undefined) or not isinstance(rate, float):
        return []
    p = p_text(test.p_value)
    if accuracy <= rate:
        return [f"no-information rate {rate:.4f}: accuracy is no higher"]
    if test.p_value < 1 - ev.settings.confidence:
        return [f"no-information rate {rate:.4f}: accuracy is higher, {p}"]
    return [f"no-information rate {rate:.4f}: not shown to be better than guessing, {p}"]


def _remarks(
    ev: Evaluation,
    lines: tuple[tuple[Line, ...], ...],
    rate: Value | None,
    *,
    full: bool,
    drawn: bool,
    advice: bool,
) -> Iterator[str]:
    table = ev.by_name.get("confusion")
    if isinstance(ev, PoweredEvaluation) and (warning := balance_warning(ev.balance)):
        yield warning
    if isinstance(table, Confusion):
        yield from _count_remarks(ev, table, rate, advice=advice)
        if full and table.weights is None:
            yield from _marginal_test(table)
        if not drawn:
            classes = (
                "" if len(table.labels) <= _MAX_CLASSES else f", each class in {hint('ev.classes', '--full')}"
            )
            whole = hint("ev.confusion", "shown by assay crosstab")
            yield f"{len(table.labels)} classes: the whole table is {whole}{classes}."
    if ev.task.name in MULTIOUTPUT_TASKS and len(ev.task.labels) > _MAX_CLASSES and not full and advice:
        unit = "labels" if ev.task.name == "multilabel" else "outputs"
        yield f"{len(ev.task.labels)} {unit}: the metrics of each are in {hint('ev.classes', '--full')}."
    yield from optimism_remarks(ev, default_highlights(ev, list(ev)))
    if ev.binned is not None:
        yield from _bin_remarks(ev.binned, advice=advice)
    if ev.task.name == "binary" and "scores" in ev.by_name and not ev.are_probabilities:
        lost = "log loss, Brier score and calibration are left out"
        yield f"The scores are not probabilities{_score_range(ev)}: {lost}."
    if ev.task.name == "binary" and not isinstance(table, Confusion):
        ways = hint("pass threshold=, or use ev.at(threshold)", "say --threshold")
        yield (
            f"Counts need a threshold: {ways}." if advice else "There are no counts: no threshold was given."
        )
    if "class_scores" in ev.by_name and not ev.are_probabilities:
        yield "The scores of a row do not add up to 1: log loss, Brier score and calibration are left out."
    without_interval = any(
        line.estimate.defined and not line.estimate.method for group in lines for line in group
    )
    if without_interval and not full and advice:
        yield WHY_NO_INTERVAL


def _marginal_test(table: Confusion) -> Iterator[str]:
    """Yield the test that caret prints: whether classes are predicted as often as they occur."""
    counts = table.table()
    two = len(counts) == 2  # noqa: PLR2004 - of more classes it is Bowker's
    test = mcnemar(counts, "corrected") if two else bowker(counts)
    if isinstance(test.p_value, Undefined) or test.note:
        return
    p = p_text(test.p_value)
    yield (f"{test.method} against the truth, of whether each class is predicted as often as it occurs: {p}.")


def _bin_remarks(binned: BinnedScores, *, advice: bool) -> Iterator[str]:
    """Yield that scores are in bins, and the bounds that hold for certain."""
    exact = f": more {param('memory')} keeps them exactly" if advice else ""
    yield f"The scores were counted in {len(binned.cells):,} bins{exact}."
    areas = (("AUC", binned.auc_bounds()), ("average precision", binned.average_precision_bounds()))
    known = " and ".join(
        f"{name} between {math.floor(low * 1e6) / 1e6:.6f} and {math.ceil(high * 1e6) / 1e6:.6f}"
        for name, (low, high) in areas
        if math.isfinite(low)
    )
    if known:
        yield f"For certain: {known}."


def _score_range(ev: Evaluation) -> str:
    scores = ev.scores
    if scores is None or not len(scores.scores):
        return ""
    low, high = float(scores.scores[0]), float(scores.scores[-1])
    percent = low >= 0 and _PERCENT / 2 < high <= _PERCENT
    return f" (they reach {high if high > 1 else low:g}{'; divide percentages by 100' if percent else ''})"


def _criterion_advice(ev: Evaluation) -> str:
    """Return how choose_threshold() weighs the two errors: as stated, or by costs yet to be stated."""
    if ev.settings.costs:
        return f"{hint('ev.choose_threshold()', 'assay threshold')} weighs the two by their costs."
    if ev.settings.beta is not None:
        return f"{hint('ev.choose_threshold()', 'assay threshold')} weighs the two by F{ev.settings.beta:g}."
    call = hint(
        "ev.choose_threshold(cost_fp=..., cost_fn=...)", "assay threshold with --cost-fp and --cost-fn"
    )
    return f"{call} weighs the two."


def _count_remarks(ev: Evaluation, table: Confusion, rate: Value | None, *, advice: bool) -> Iterator[str]:
    plain, accuracy = table.weights is None, ev["accuracy"].value
    if plain and isinstance(rate, float) and isinstance(accuracy, float) and accuracy <= rate:
        largest = _short_label(table.labels[int(table.actual_totals.argmax())])
        if rate == 1:
            yield f"All rows are {largest}: they cannot tell a model from always guessing it."
        else:
            yield (
                f"Always guessing {largest} would be right at least as often: accuracy says little here. "
                "Look at balanced accuracy, MCC or kappa."
            )
    if ev.task.name == "binary" and plain:
        yield from _error_kinds(ev, table, advice=advice)
    if ev.task.name in ("multiclass", "ordinal"):
        absent = [label for label, rows in zip(table.labels, table.actual_totals, strict=True) if not rows]
        if absent:
            yield f"No row is {shown(map(_named, absent))}: {_undefined_metrics(ev)}."


def _undefined_metrics(ev: Evaluation) -> str:
    """Return which metrics have no value where a class has no row: its recall, and averages that need it."""
    names = [metric_title(name) for name in ev if not ev[name].defined]
    if not names:
        return "its recall is undefined"
    return f"its recall is undefined, and with it {listed(names)}"


def _named(label: Any) -> Any:
    return _short_label(label) if isinstance(label, str) else label


def _error_kinds(ev: Evaluation, table: Confusion, *, advice: bool) -> Iterator[str]:
    """Yield which of the two kinds of error is more frequent, and how to weigh them."""
    index = table.labels.index(ev.task.positive)
    counts = table.table()
    false_negatives = int(counts[index].sum() - counts[index, index])
    false_positives = int(counts[:, index].sum() - counts[index, index])
    errors = false_negatives + false_positives
    if not errors:
        return
    negative, positive = map(_short_label, ev.task.labels)
    kinds = (
        (false_negatives, f"actual {positive}, predicted {negative}"),
        (false_positives, f"actual {negative}, predicted {positive}"),
    )
    larger, which = max(kinds, key=lambda kind: kind[0])
    name = "false negative" if larger == false_negatives else "false positive"
    if errors == 1:
        sentence = f"The only error is a {name} ({which})."
    elif larger == errors:
        sentence = f"All {errors:,} errors are {name}s ({which})."
    elif false_negatives == false_positives:
        sentence = f"{count_of(false_negatives, 'error')} of each kind."
    else:
        sentence = f"{larger:,} of {errors:,} errors are {name}s ({which})."
    yield sentence + (f" {_criterion_advice(ev)}" if advice and "scores" in ev.by_name else "")
