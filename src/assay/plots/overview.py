"""One figure of an evaluation: the pictures that say most of its task, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import MetricError
from assay.evaluation.evaluation import Evaluation
from assay.plots.axes import close_on_error, new_subplots
from assay.plots.confusion import confusion
from assay.plots.forest import classes, metrics
from assay.plots.list_metrics import at_k, lists
from assay.plots.probability import calibration
from assay.plots.ranking import precision_recall, roc
from assay.plots.regression import predicted_actual, residual_distribution, residuals
from assay.plots.score_distributions import scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Picture = Callable[..., Any]

__all__ = ["overview"]

_MAX_CURVES = 6  # classes whose key fits a small picture
_MAX_CLASSES = 30  # classes that a small picture can name


@close_on_error
def overview(ev: Any, *, size: tuple[float, float] | None = None) -> NDArray[Any]:
    """Draw up to four pictures of an evaluation in one figure, as wide as a slide; return their axes.

    Two classes have ROC, precision and recall, calibration or scores, and the table of counts; several
    classes the table and each class; a regression its residuals; ranked lists their metrics over k; others
    than two classes also have the main metrics with their intervals.

    Parameters
    ----------
    ev
        An evaluation, from rows, a file, or loaded.
    size
        Of the figure, in inches.

    Returns
    -------
    NDArray
        The axes.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or `ev` is no evaluation.

    Examples
    --------
    >>> import assay
    >>> axes = assay.plots.overview(assay.evaluate(actual=[0, 0, 1, 1], score=[0.1, 0.6, 0.4, 0.9]))
    >>> [ax.get_ylabel() for ax in axes.flat]
    ['recall (sensitivity)', 'precision', 'share of positives', 'actual']
    """
    if not isinstance(ev, Evaluation):
        raise MetricError(f"an overview is drawn of an evaluation, not of a {type(ev).__name__}.")
    pictures = _pictures(ev)
    axes = new_subplots(len(pictures), size or (4.8 * len(pictures), 4.6))
    for ax, draw in zip(axes, pictures, strict=True):
        draw(ev, ax=ax)
    axes[0].figure.suptitle(f"{ev.name}: {ev.task.title}" if ev.name else ev.task.title, fontsize=11)
    return axes  # type: ignore[no-any-return]


def _pictures(ev: Evaluation) -> list[Picture]:
    """Return the pictures of a task, as far as the evaluation has what they draw."""
    task = ev.task.name
    if task == "regression":
        drawn: list[Picture] = (
            [predicted_actual, residuals, residual_distribution] if ev.stored_rows is not None else []
        )
        return [*drawn, _main_metrics]
    if task == "ranking":
        return [at_k, lists, _main_metrics]
    if task == "multilabel":
        return [*([classes] if len(ev.task.labels) <= _MAX_CLASSES else []), _main_metrics]
    table: list[Picture] = [confusion] if "confusion" in ev.tallies else []
    if task == "binary" and ev.scores is not None and not _both_classes(ev):
        return [scores, *table, _main_metrics]  # there are no curves without positives, or without negatives
    if task == "binary" and "scores" in ev.tallies:
        return [roc, precision_recall, calibration if ev.are_probabilities else scores, *table][:4]
    several: list[Picture] = []
    if "class_scores" in ev.tallies and len(ev.task.labels) <= _MAX_CURVES:
        several.append(roc)
    if task != "binary" and table and len(ev.task.labels) <= _MAX_CLASSES:
        several.append(classes)
    return [*table, *several, _main_metrics][:4]


def _both_classes(ev: Evaluation) -> bool:
    """Tell whether rows of both classes have scores."""
    tally: Any = ev.scores
    return bool(tally.positives.any() and tally.negatives.any())


def _main_metrics(ev: Evaluation, *, ax: Any) -> Any:
    """Draw the metrics of a report that lie between -1 and 1."""
    names = [name for name in ev if ev[name].defined and -1 <= float(ev[name]) <= 1 and name != "prevalence"]
    return metrics(ev, names[:12], ax=ax)
