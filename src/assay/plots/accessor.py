"""The plots of one data set by their names, so that ``ev.plot.roc()`` is all there is to say."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from assay.errors import MetricError, shown
from assay.evaluation.evaluation import Evaluation
from assay.evaluation.multioutput import MULTIOUTPUT_TASKS
from assay.hints import param, passed
from assay.inputs import Rows
from assay.plots import decisions, list_metrics, ranking, regression, score_distributions
from assay.plots.confusion import confusion as draw_confusion
from assay.plots.evaluation_data import INSTEAD, drawn_data
from assay.plots.forest import classes as draw_classes
from assay.plots.forest import metrics as draw_metrics
from assay.plots.forest import slices as draw_slices
from assay.plots.overview import overview as draw_overview
from assay.plots.probability import calibration
from assay.tallies import ClassScores, Collection, Confusion, NumberPairs, Queries, Scores, Tally

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Plots"]


_OF_ONE_CLASS = (decisions.cost_curve, decisions.expected_cost, decisions.net_benefit)


def _has_several_classes(data: Any) -> bool:
    """Tell whether there is a column of scores for each class."""
    if isinstance(data, Rows):
        return data.score is not None and data.score.values.ndim > 1
    return isinstance(data, ClassScores)


def _one_output(ev: Evaluation, label: Any) -> Evaluation:
    """Return the evaluation of one of several labels or outputs."""
    outputs = ev.outputs
    if label not in outputs:
        raise MetricError(f"{passed('label', label)} is none of {shown(map(str, outputs))}.")
    return outputs[label]


def _bound(draw: Callable[..., Any], kind: type[Tally] | None, *, rows: bool = False) -> Callable[..., Any]:
    """Return a plot as a method that brings the data along: the tally of a kind, or all there is for None.

    With `rows` the rows themselves, where they are at hand.
    """

    @functools.wraps(draw)
    def method(self: Plots, *words: Any, **options: Any) -> Any:
        several = isinstance(self.data, Evaluation) and self.data.task.name in MULTIOUTPUT_TASKS
        label = options.pop("label", None) if kind is Scores or several else None
        if label is not None and several:
            return method(Plots(_one_output(self.data, label), costs=self.costs), *words, **options)
        if label is not None:
            data = self._against_rest(label)
        elif kind is None:
            data = self.data
        else:
            source = drawn_data(self.data, kind)
            data = source if rows and isinstance(source, Rows) else self.tally(kind)
        if draw in _OF_ONE_CLASS and _has_several_classes(data):
            raise MetricError(
                f"this plot draws one class at a time: name it with {param('label')}, as in "
                f"ev.plot.{draw.__name__}(label=...)."
            )
        if draw is decisions.expected_cost and not any(name.startswith("cost_") for name in options):
            options = {**self.costs, **options}
        return draw(data, *words, **options)

    signature = inspect.signature(draw)
    first, *rest = signature.parameters.values()
    own = first.replace(name="self", annotation=inspect.Parameter.empty)
    method.__signature__ = signature.replace(parameters=[own, *rest])  # type: ignore[attr-defined]
    return method


class Plots:
    """The plots of one data set: rows, a tally, a collection of tallies, or an evaluation.

    Rows are tallied once for all plots that read the same tally. Plots of scores take ``label=``, one of
    several classes, which is then drawn against the rest. Of several labels or outputs all plots take it.

    >>> import assay
    >>> rows = assay.rows(actual=[0, 0, 1, 0, 1, 1], score=[0.1, 0.3, 0.35, 0.4, 0.8, 0.9])
    >>> plot = assay.plots.Plots(rows)
    >>> plot.roc().get_title().splitlines()
    ['ROC curve', '6 rows · positive: 1 (3, 50.0%)']
    """

    def __init__(self, data: Any, *, costs: dict[str, float] | None = None) -> None:
        """Take the data, and what errors cost where a plot of costs is not told otherwise."""
        self.data = data
        self.costs = costs or {}
        self._tallies: dict[type[Tally], Tally] = {}

    def __repr__(self) -> str:
        names = ", ".join(
            name for name, attribute in vars(Plots).items() if hasattr(attribute, "__wrapped__")
        )
        return f"<plots: {names}>"

    def tally(self, kind: type[Tally]) -> Any:
        """Return the data's tally of a kind, made of the rows where it was not given."""
        if kind not in self._tallies:
            self._tallies[kind] = self._found(kind)
        return self._tallies[kind]

    def _found(self, kind: type[Tally]) -> Any:
        data = drawn_data(self.data, kind)
        if isinstance(data, Rows):
            # Rows in groups are passed on, so that intervals know of the groups; and rows with a column of
            # scores per class, which have another tally. Weighted numbers have no tally of pairs.
            several = kind is Scores and data.score is not None and data.score.values.ndim > 1
            weighted = kind is NumberPairs and data.weight is not None
            whole = several or weighted or data.group is not None
            return data if whole else kind.of(data)  # type: ignore[attr-defined]
        for tally in data.tallies if isinstance(data, Collection) else (data,):
            if isinstance(tally, (kind, *INSTEAD.get(kind, ()))):
                return tally
        raise MetricError(f"this plot is drawn of rows, or of a tally of {kind.kind}: there is none here.")

    def _against_rest(self, label: Any) -> Any:
        """Return the scores of one of several classes against the rest."""
        data = drawn_data(self.data, Scores)
        if isinstance(data, Rows) and data.score is not None and data.score.values.ndim > 1:
            data = ClassScores.of(data)
        for tally in data.tallies if isinstance(data, Collection) else (data,):
            if isinstance(tally, ClassScores):
                return tally.against_rest(label)
        raise MetricError(
            f"{param('label')} chooses one of several classes, each with scores: there are none here."
        )

    roc = _bound(ranking.roc, Scores)
    precision_recall = _bound(ranking.precision_recall, Scores)
    det = _bound(ranking.det, Scores)
    gain = _bound(ranking.gain, Scores)
    lift = _bound(ranking.lift, Scores)
    calibration = _bound(calibration, Scores)
    scores = _bound(score_distributions.scores, Scores)
    expected_cost = _bound(decisions.expected_cost, Scores, rows=True)  # which may have costs of their own
    cost_curve = _bound(decisions.cost_curve, Scores)
    net_benefit = _bound(decisions.net_benefit, Scores)
    confusion = _bound(draw_confusion, Confusion)
    residuals = _bound(regression.residuals, NumberPairs)
    predicted_actual = _bound(regression.predicted_actual, NumberPairs)
    residual_distribution = _bound(regression.residual_distribution, NumberPairs)
    at_k = _bound(list_metrics.at_k, Queries)
    lists = _bound(list_metrics.lists, Queries)
    metrics = _bound(draw_metrics, None)
    slices = _bound(draw_slices, None)
    classes = _bound(draw_classes, None)
    overview = _bound(draw_overview, None)
