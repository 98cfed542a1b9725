"""Text of cross-validations and learning curves, drawn by reports that are loaded when called for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from assay.formatting.result import Result
from assay.metrics.spec import metric_title

if TYPE_CHECKING:
    from assay.crossvalidation.compare_folds import FoldComparison
    from assay.crossvalidation.crossvalidation import CrossValidation
    from assay.crossvalidation.learning_curve import LearningCurve

__all__ = ["CrossValidationShortcuts", "FoldComparisonShortcuts", "LearningCurveShortcuts"]


class CrossValidationShortcuts(Result):
    """The text of a cross-validation."""

    def text(self, *, width: int = 80) -> str:
        """Return the metrics, the folds and the problems in lines of at most so many columns."""
        from assay.reports.text.crossval import draw  # noqa: PLC0415 - circular import

        return draw(cast("CrossValidation", self), width=width)

    def plot(self, **options: Any) -> Any:
        """Draw the metrics with their intervals; options are those of `assay.plots.forest`."""
        from assay.plots.forest import forest  # noqa: PLC0415 - circular import

        result = cast("CrossValidation", self)
        below = f"{result.how} · {100 * result.confidence:.3g}% intervals"
        estimates = {metric_title(name): result[name] for name in result}
        return forest(estimates, **{"title": "Cross-validation", "below": below, "sizes": False, **options})


class LearningCurveShortcuts(Result):
    """The text of a learning curve."""

    def text(self, *, width: int = 80) -> str:
        """Return the curve in lines of at most so many columns."""
        from assay.reports.text.learning_curve import draw  # noqa: PLC0415 - circular import

        return draw(cast("LearningCurve", self), width=width)


class FoldComparisonShortcuts(Result):
    """The text of a comparison of several models on the same folds."""

    def text(self, *, width: int = 80) -> str:
        """Return the means and the differences of all pairs in lines of at most so many columns."""
        from assay.reports.text.fold_comparison import draw  # noqa: PLC0415 - circular import

        return draw(cast("FoldComparison", self), width=width)
