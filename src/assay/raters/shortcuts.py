"""Text and plot of an agreement of raters, each loaded when somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from assay.formatting.result import Result

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from assay.raters.agreement_result import RaterAgreement

__all__ = ["RaterAgreementShortcuts"]


class RaterAgreementShortcuts(Result):
    """The text and the plot of an agreement of raters."""

    def text(self, *, width: int = 80) -> str:
        """Return the coefficients, the raters and the categories, in lines of at most so many columns."""
        from assay.reports.text.agreement import draw  # noqa: PLC0415 - circular import

        return draw(cast("RaterAgreement", self), width=width)

    def to_html(self, *, title: str = "Agreement of raters") -> str:
        """Return a page with every interval drawn: one self-contained document, without scripts."""
        from assay.reports.page.result_page import result_html  # noqa: PLC0415 - circular import
        from assay.reports.text.agreement import parts_of  # noqa: PLC0415

        return result_html(parts_of(cast("RaterAgreement", self)), title)

    def report(self, path: str | os.PathLike[str], *, title: str = "Agreement of raters") -> Path:
        """Write the page of :meth:`to_html`, and return its path."""
        from assay.reports.page import write  # noqa: PLC0415 - circular import

        return write(self.to_html(title=title), path)

    def plot(self, **options: Any) -> Any:
        """Draw the coefficients with their intervals, and return the axes; options are those of `forest`."""
        from assay.plots.forest import forest  # noqa: PLC0415 - circular import

        result = cast("RaterAgreement", self)
        drawn = {name: estimate for name, estimate in result.estimates.items() if estimate.low is not None}
        return forest(drawn, **{"title": "Agreement of raters", "sizes": False, **options})
