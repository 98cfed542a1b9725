"""Choose or evaluate a threshold by one criterion, and show it beside a baseline."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, Unpack

from assay.decisions.costs import bayes_threshold, shifted_threshold
from assay.decisions.criteria import ROWS_PREDICTED, interpolated_error, parse_criterion
from assay.decisions.criterion_options import CriterionOptions, criterion_keywords
from assay.decisions.selection_optimism import CrossFit, Optimism, cross_fit_of, optimism_of
from assay.decisions.sweep import Sample, cells, checked_threshold
from assay.decisions.threshold_intervals import IN_GROUPS, SAME_ROWS, estimate_outcome
from assay.formatting.json_values import json_safe
from assay.formatting.numbers import (
    counts_dict,
    format_amount,
    format_four_digits,
    format_scaled_interval,
    format_threshold,
    indented_lines,
    p_text,
    printed_measure,
)
from assay.formatting.result import Result, ResultTable
from assay.formatting.result_table import IntervalCell
from assay.formatting.table import align_columns
from assay.formatting.width import right
from assay.hints import param, render
from assay.metrics import Binary, Undefined, find
from assay.metrics.curves.cutoffs import of_counts
from assay.metrics.probability.calibration_tests import spiegelhalter_test

if TYPE_CHECKING:
    from assay.decisions.criterion import Criterion
    from assay.decisions.sweep import Outcome, Sweep
    from assay.inference.estimate import Estimate

__all__ = ["Source", "Threshold", "ThresholdOutcome", "choose_threshold", "evaluate_threshold"]

Source: TypeAlias = Literal["fixed", "cost", "validation", "same-data"]
_SOURCES: Final[dict[str, str]] = {
    "same-data": "Chosen and evaluated on the same rows, so that it looks better than it will be",
    "cost": "The threshold follows from the costs; no rows were used to choose it.",
    "validation": "The threshold was chosen on other rows.",
    "fixed": "The threshold was given.",
}
_CALIBRATION_LEVEL = 0.05


@dataclasses.dataclass(frozen=True, slots=True)
class ThresholdOutcome:
    """A threshold with its measure, NaN where undefined, and its counts."""

    threshold: float
    value: float
    counts: Binary
    companions: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data = {"threshold": self.threshold, "value": self.value, "counts": counts_dict(self.counts)}
        return dict(json_safe(data | self.companions))


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Threshold(Result):
    """A threshold, its criterion, and the measure and counts on the rows that evaluate it.

    A row is predicted positive when its score is at or above the threshold; at infinity none is. `ties` says
    how many cutoffs are equally good; this is the highest of them. The estimate has an interval only where
    the threshold was not chosen on the same rows: otherwise `cross_fit` and `optimism`, if requested,
    estimate how it performs on unseen data. `counts` are sums of weights where the rows have weights.
    """

    threshold: float
    criterion: str
    measure: str
    estimate: Estimate
    counts: Binary
    ties: int
    threshold_source: Source
    baseline: ThresholdOutcome | None
    companions: dict[str, float]
    note: str = ""
    cross_fit: CrossFit | None = None
    optimism: Optimism | None = None
    title: str = "threshold"
    criterion_options: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def value(self) -> float:
        """The measure at the threshold, NaN where it is undefined."""
        return float(self.estimate)

    @criterion_keywords
    def on(self, data: Any, **changed: Unpack[CriterionOptions]) -> Threshold:
        """Return the same threshold evaluated on other rows, with an interval.

        Costs of each row, or another confidence, are passed again.
        """
        return _evaluated(data, self.threshold, {**self.criterion_options, **changed}, source="validation")

    def __repr__(self) -> str:
        return f"<{self.title} {format_threshold(self.threshold)}: {self.criterion}>"

    @property
    def _outcomes(self) -> list[ThresholdOutcome]:
        """The baseline, where there is one, and the threshold itself."""
        own = ThresholdOutcome(self.threshold, self.value, self.counts, self.companions)
        return [outcome for outcome in (self.baseline, own) if outcome is not None]

    def tables(self) -> list[ResultTable]:
        """Return the counts and the measure at the baseline and at the threshold, a row each."""
        outcomes = self._outcomes
        columns: dict[str, list[Any]] = {
            "threshold": [outcome.threshold for outcome in outcomes],
            "false_positives": [outcome.counts.fp for outcome in outcomes],
            "false_negatives": [outcome.counts.fn for outcome in outcomes],
        }
        for name in self.companions:
            columns[name] = [outcome.companions[name] for outcome in outcomes]
        cells = [IntervalCell(outcome.value) for outcome in outcomes]
        cells[-1] = IntervalCell(self.value, self.estimate.low, self.estimate.high)
        columns[self.measure] = cells
        return [ResultTable(columns)]

    def text(self, *, width: int = 80) -> str:
        """Return the threshold with its counts and its measure, in lines of at most so many columns."""
        title = f"{self.title} {format_threshold(self.threshold)} ({self.criterion})"
        return "\n".join([*indented_lines(title, width), *self._table(), *self._foot(width)])

    def _table(self) -> list[str]:
        outcomes = self._outcomes
        heads = [f"at {format_threshold(outcome.threshold)}" for outcome in outcomes]
        if len({f"{outcome.threshold:.4g}" for outcome in outcomes}) < len(outcomes):  # equal to four digits
            heads = [f"at {outcome.threshold!r}" for outcome in outcomes]
        lines = [
            ("", heads),
            ("false positives", [format_amount(outcome.counts.fp) for outcome in outcomes]),
            ("false negatives", [format_amount(outcome.counts.fn) for outcome in outcomes]),
            *(
                (name, [format_four_digits(outcome.companions[name]) for outcome in outcomes])
                for name in self.companions
            ),
        ]
        name, times = printed_measure(self.measure)
        lines.append((name, [format_four_digits(outcome.value * times) for outcome in outcomes]))
        width = max(len(text) for _, texts in lines for text in texts)
        rows = [[name, *(right(text, width) for text in texts)] for name, texts in lines]
        table = [f" {line}" for line in align_columns(rows, "l" + "r" * len(outcomes), gap=3)]
        table[-1] = f"{table[-1]}   {format_scaled_interval(self.estimate, times)}".rstrip()
        return table

    def _foot(self, width: int) -> list[str]:
        ties = f"{self.ties:,} cutoffs are equally good: this is the highest." if self.ties > 1 else ""
        cross_fit = "" if self.cross_fit is None else self.cross_fit.summary
        sentences = [self._source(), ties, str(self.optimism or ""), cross_fit, self.note]
        return [line for sentence in sentences if sentence for line in indented_lines(sentence, width)]

    def _source(self) -> str:
        """Return where the threshold comes from, and what would estimate its optimism where nothing has."""
        text = _SOURCES[self.threshold_source]
        if self.threshold_source != "same-data":
            return text
        if self.cross_fit is not None or self.optimism is not None:
            return f"{text}."
        bootstrap = param("replicates", 200)
        ways = bootstrap if self.measure == ROWS_PREDICTED else f"{param('folds', 10)} or {bootstrap}"
        return render(f"{text}: {ways} estimates by how much.")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: null where there is no number, never NaN."""
        own = ThresholdOutcome(self.threshold, self.value, self.counts, self.companions)
        data = own.to_dict() | {
            "criterion": self.criterion,
            "measure": self.measure,
            "estimate": self.estimate.to_dict(),
            "ties": self.ties,
            "threshold_source": self.threshold_source,
            "baseline": None if self.baseline is None else self.baseline.to_dict(),
        }
        more = {"cross_fit": self.cross_fit, "optimism": self.optimism}
        data |= {name: result.to_dict() for name, result in more.items() if result is not None}
        return data | ({"note": self.note} if self.note else {})


@criterion_keywords
def choose_threshold(
    data: Any,
    *,
    baseline: float | None = None,
    folds: int | None = None,
    replicates: int | None = None,
    seed: int = 0,
    **options: Unpack[CriterionOptions],
) -> Threshold:
    """Return the best threshold for one criterion, searched over infinity and every distinct score.

    `data` are rows or a score tally. State exactly one criterion; of cutoffs that are equally good the
    highest is taken.

    Parameters
    ----------
    data
        Rows or a score tally.
    cost_fp, cost_fn, cost_tp, cost_tn, prevalence, calibrated
        Lowest mean cost: what each outcome costs, as a number, or as a column with a cost for each row.
        With ``prevalence`` the cost is that of rows of which another share is positive; with
        ``calibrated=True`` the threshold follows from the costs alone, for calibrated probabilities.
    best, beta
        The best value of a metric of counts: its name (``"f1"``, ``"youden"``, ``"f_beta"`` with ``beta=2``),
        a metric, a pair of either with options, or ``"closest_corner"`` of the ROC curve.
    min_recall
        Fewest false positives with at least this recall.
    min_precision, min_specificity
        Most true positives with at least this precision or specificity.
    capacity, max_positive_rate
        As many rows predicted positive as possible, up to this number or this share of the rows.
    equal_error
        False positive rate and false negative rate as equal as possible.
    confidence, method
        With ``min_recall``, ``min_precision`` or ``min_specificity``: the confidence with which unseen rows
        reach it, by ``method`` "clopper-pearson" or "wilson". The lower limit of recall or specificity must
        reach it; for precision, cutoffs are tested in sequence. Elsewhere the confidence of intervals.
    baseline
        Another threshold to show beside it; 0.5 by default where the scores are probabilities.
    folds, replicates, seed
        How optimistic the result is: see :func:`cross_fitted` (folds) and :func:`optimism` (replicates).

    Returns
    -------
    Threshold
        The threshold, the counts it gives, and the measure with its interval.

    Raises
    ------
    MetricError
        Not exactly one criterion is stated, or it cannot be reached; or an option does not belong to it.
    ColumnError
        A column of costs is none.
    LengthError
        A column of costs has not one value per row.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> print(choose_threshold(rows, cost_fp=1, cost_fn=4))
     cost-optimal threshold 0.35 (a false positive costs 1, a false negative 4)
                            at 0.5   at 0.35
     false positives             0         1
     false negatives             1         0
     cost per 1,000 rows     666.7     166.7
     Chosen and evaluated on the same rows, so that it looks better than it will be:
     folds=10 or replicates=200 estimates by how much.
     For calibrated probabilities the costs alone imply 0.2.
    """
    criterion = parse_criterion(**options)
    sample = Sample.of(data, criterion.amounts)
    sweep = sample.sweep()
    threshold, index, ties = criterion.choose(sample, sweep)
    source: Source = "same-data" if criterion.fixed is None else "cost"
    notes = _notes(criterion, sample, sweep, index)
    result = _threshold(
        sample, sweep, criterion, threshold, source=source, baseline=baseline, ties=ties, note=notes
    )
    return dataclasses.replace(
        result,
        criterion_options=dict(options),
        cross_fit=None if folds is None else cross_fit_of(sample, criterion, folds, seed),
        optimism=None if replicates is None else optimism_of(sample, criterion, replicates, seed),
    )


@criterion_keywords
def evaluate_threshold(
    data: Any, threshold: float, *, baseline: float | None = None, **options: Unpack[CriterionOptions]
) -> Threshold:
    """Evaluate a threshold that was not chosen on these rows, by the measure of one criterion.

    Parameters
    ----------
    data
        Rows or a score tally.
    threshold
        The threshold: scores at or above it are predicted positive.
    baseline
        Another threshold to show beside it.
    best, beta, min_recall, min_precision, min_specificity
        The criterion, as :func:`choose_threshold` takes it.
    cost_fp, cost_fn, cost_tp, cost_tn, prevalence, calibrated
        The criterion by costs, likewise.
    capacity, max_positive_rate, equal_error, confidence, method
        Other criteria, and the confidence of any, likewise.

    Returns
    -------
    Threshold
        The counts that the threshold gives, and the measure with its interval.

    Raises
    ------
    MetricError
        `data` are neither rows with scores nor a tally of scores; or not exactly one criterion is stated; or
        `threshold` or `baseline` is no number.

    Examples
    --------
    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> evaluate_threshold(rows, 0.5, best="f1").estimate
    0.8 [0.2384, 0.9915]
    """
    return _evaluated(data, threshold, dict(options), source="fixed", baseline=baseline)


def _evaluated(
    data: Any, threshold: float, options: dict[str, Any], *, source: Source, baseline: float | None = None
) -> Threshold:
    criterion = parse_criterion(**options)
    sample = Sample.of(data, criterion.amounts)
    result = _threshold(
        sample, sample.sweep(), criterion, checked_threshold(threshold), source=source, baseline=baseline
    )
    return dataclasses.replace(result, criterion_options=options)


def _threshold(
    sample: Sample,
    sweep: Sweep,
    criterion: Criterion,
    threshold: float,
    *,
    source: Source,
    baseline: float | None,
    ties: int = 1,
    note: str = "",
) -> Threshold:
    outcome = sweep.at(sweep.index_of(threshold))
    no_interval = SAME_ROWS if source == "same-data" else IN_GROUPS if sample.groups is not None else ""
    table = None if no_interval else sample.table_at(threshold)
    if baseline is None and sample.probabilities:
        baseline = 0.5
    other = None if baseline is None else checked_threshold(baseline, "baseline")
    return Threshold(
        threshold, criterion.words, criterion.measure,
        estimate=estimate_outcome(criterion, outcome, sample.tally.n, table=table, no_interval=no_interval),
        counts=_counts(outcome), ties=ties, threshold_source=source,
        baseline=None if other is None else _outcome_at(sweep, criterion, other),
        companions=_companions(criterion, outcome), note=note, title=criterion.title,
    )  # fmt: skip


def _outcome_at(sweep: Sweep, criterion: Criterion, threshold: float) -> ThresholdOutcome:
    outcome = sweep.at(sweep.index_of(threshold))
    return ThresholdOutcome(
        threshold, criterion.value(outcome), _counts(outcome), _companions(criterion, outcome)
    )


def _counts(outcome: Outcome) -> Binary:
    return Binary(*(x[0].item() for x in cells(outcome.counts)))


def _companions(criterion: Criterion, outcome: Outcome) -> dict[str, float]:
    return {name: float(of_counts(find(name), outcome.counts, {})[0]) for name in criterion.companions}


def _notes(criterion: Criterion, sample: Sample, sweep: Sweep, index: int) -> str:
    """Return a sentence on the limit, on calibration, or on the threshold that costs alone imply."""
    if criterion.guarantee is not None and criterion.guarantee.confidence is not None:
        return criterion.guarantee.limit_words(sweep, index)
    if criterion.measure.startswith("difference"):
        return f"Interpolated between cutoffs, both error rates are {interpolated_error(sweep, index):.4g}."
    if criterion.costs is None or not sample.probabilities or sample.weighted:
        return ""
    if criterion.fixed is not None:
        test = spiegelhalter_test(sample.tally)
        if isinstance(test, Undefined) or test.p_value >= _CALIBRATION_LEVEL:
            return ""
        return (
            f"These probabilities are not calibrated (Spiegelhalter's test, {p_text(test.p_value)}): "
            f"recalibrate them first, or leave {param('calibrated', True)} out to choose on the rows."
        )
    costs = criterion.costs
    by_costs: float = bayes_threshold(costs.fp, costs.fn, cost_tp=costs.tp, cost_tn=costs.tn)
    if criterion.prevalence is not None:
        totals = sweep.at(0).counts
        by_costs = shifted_threshold(by_costs, float(totals.positives[0] / totals.n[0]), criterion.prevalence)
    return f"For calibrated probabilities the costs alone imply {by_costs:.4g}."
