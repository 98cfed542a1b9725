"""Requirements: figures that are demanded, tested against the interval's worse end or the value alone."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from assay.cli import exit_codes
from assay.cli.parser import Misuse
from assay.cli.printing import complain, finish_output

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["Requirement", "demanded", "exit_code"]

_SIGNS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
}  # fmt: skip


class Requirement(NamedTuple):
    """One demand: a figure, a sign and a number, of the value alone or of the interval."""

    metric: str
    sign: str
    limit: float
    point: bool

    @property
    def said(self) -> str:
        """The demand as it was made."""
        return f"{self.metric} {self.sign} {self.limit:g}"

    @property
    def figure(self) -> str:
        """The figure's name as results have it."""
        return re.sub(r"[\s-]+", "_", self.metric)

    def failure(self, figures: Mapping[str, Any]) -> str:
        """Return why the demand is not met, or nothing.

        >>> from assay.inference.estimate import Estimate
        >>> recall = {"recall": Estimate(0.9, 0.8, 0.95, 0.95, "Wilson", 100)}
        >>> Requirement("recall", ">=", 0.85, point=False).failure(recall)
        'recall >= 0.85 is not met: it is 0.9, but may be as low as 0.8 (95% confidence)'
        >>> Requirement("recall", ">=", 0.85, point=True).failure(recall)
        ''
        """
        found = figures[self.figure]
        if not found.defined:
            return f"{self.said} is not met: {self.metric} is {found.value}"
        holds = _SIGNS[self.sign]
        if self.point:
            return (
                "" if holds(found.value, self.limit) else f"{self.said} is not met: it is {found.value:.4g}"
            )
        end = found.low if self.sign[0] == ">" else found.high
        if end is None:
            why = f" ({found.note})" if found.note else ""
            return f"{self.said} is not met: it has no interval{why}; --require-point tests the value"
        if holds(end, self.limit):
            return ""
        word = "low" if self.sign[0] == ">" else "high"
        if not holds(found.value, self.limit):
            return f"{self.said} is not met: it is {found:.4g}"
        sure = f"{100 * found.confidence:g}% confidence"
        return f"{self.said} is not met: it is {found.value:.4g}, but may be as {word} as {end:.4g} ({sure})"


def demanded(arguments: argparse.Namespace) -> list[Requirement]:
    """Return what is demanded, or raise for what cannot be read."""
    both = [(said, False) for said in arguments.require] + [(said, True) for said in arguments.require_point]
    demands = [_read(said, point=point) for said, point in both]
    for one in demands:
        if not re.fullmatch(r"f_[0-9.e+]+", one.figure):  # what --beta is told
            _check_metric(one.metric)
    return demands


def _check_metric(name: str) -> None:
    """Raise unless there is a metric of a name, maybe averaged over classes: now, and not after all rows."""
    from assay.errors import MetricError
    from assay.metrics import find

    try:
        find(name)
    except MetricError:
        averaged = re.sub(r"^(macro|micro|weighted)[\s_-]+", "", name)
        if averaged == name:
            raise
        find(averaged)


def _read(said: str, *, point: bool) -> Requirement:
    found = re.fullmatch(r"\s*([A-Za-z][\w .-]*?)\s*(>=|<=|>|<)\s*(\S+)\s*", said)
    try:
        limit = float(found[3]) if found else None
    except ValueError:
        limit = None
    if found is None or limit is None or limit != limit:  # noqa: PLR0124 - NaN
        option = "--require-point" if point else "--require"
        raise Misuse(f'{option} "{said}" cannot be read: write it as "recall >= 0.9" or "log_loss < 0.2".')
    return Requirement(found[1], found[2], limit, point)


def exit_code(demands: Sequence[Requirement], figures: Mapping[str, Any]) -> tuple[int, list[str]]:
    """Return the exit code, and a line for each demand that is not met."""
    failed = [line for one in demands if (line := one.failure(figures))]
    return (exit_codes.NOT_MET if failed else exit_codes.FINE), failed


def told(failed: Sequence[str]) -> None:
    """Print why requirements are not met."""
    finish_output()
    for line in failed:
        complain(line)
