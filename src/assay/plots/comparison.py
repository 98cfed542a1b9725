"""Several models side by side: their curves in one figure, each with its figures in the key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import MetricError
from assay.plots import ranking
from assay.plots.axes import check_choice, close_on_error, legend_width, models, new_subplots
from assay.plots.probability import calibration

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["compare"]

_KINDS: dict[str, Callable[..., Any]] = {
    "roc": ranking.roc,
    "precision_recall": ranking.precision_recall,
    "det": ranking.det,
    "gain": ranking.gain,
    "lift": ranking.lift,
    "calibration": calibration,
}


@close_on_error
def compare(
    data: Mapping[Any, Any],
    *,
    axes: Sequence[Any] | None = None,
    kinds: Sequence[str] = ("roc", "precision_recall", "calibration"),
    **options: Any,
) -> NDArray[Any]:
    """Draw several models together, a picture for each kind of curve; return the axes.

    Each model keeps its colour. Calibration is left out where the scores are no probabilities.

    Parameters
    ----------
    data
        Rows or score tallies by the models' names.
    axes
        As many axes as there are kinds; those of a new figure unless given.
    kinds
        Of ``"roc"``, ``"precision_recall"``, ``"det"``, ``"gain"``, ``"lift"``, ``"calibration"``.
    options
        Further options of the pictures, for all of them: ``confidence=`` and the like.

    Returns
    -------
    NDArray
        The axes, one per kind of curve.

    Raises
    ------
    MetricError
        `ax` is no axes of Matplotlib; or a model's rows cannot be drawn; or a kind is not known.

    Examples
    --------
    >>> import assay
    >>> y = [0, 0, 1, 0, 1, 1]
    >>> models = {"a": [0.1, 0.3, 0.35, 0.4, 0.8, 0.9], "b": [0.2, 0.1, 0.6, 0.5, 0.4, 0.7]}
    >>> rows = {name: assay.rows(actual=y, score=score) for name, score in models.items()}
    >>> axes = assay.plots.compare(rows, kinds=["roc", "gain"])
    >>> [ax.get_ylabel() for ax in axes]
    ['recall (sensitivity)', 'share of positives found']
    """
    for kind in kinds:
        check_choice("kinds", kind, tuple(_KINDS))
    models_drawn = {model.name: model.tally for model in models(data)}
    if axes is None:
        kinds = [kind for kind in kinds if kind != "calibration" or _probabilities(models_drawn.values())]
        if not kinds:
            raise MetricError("there is nothing to draw: the scores are no probabilities.")
        size = ((4.6 + legend_width(len(models_drawn))) * len(kinds), 4.7)
        axes = new_subplots(len(kinds), size)
    if len(axes) != len(kinds):
        raise MetricError(f"{len(kinds)} pictures need as many axes, not {len(axes)}.")
    for ax, kind in zip(axes, kinds, strict=True):
        _KINDS[kind](data, ax=ax, **options)
    return np.asarray(axes)


def _probabilities(tallies: Any) -> bool:
    """Tell whether all scores are within 0 and 1."""
    return all(not len(model.scores) or (model.scores[0] >= 0 and model.scores[-1] <= 1) for model in tallies)
