"""A metric with the options it is asked with, as a caller writes it: one reading for all functions."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from assay.errors import MetricError
from assay.metrics.metric import Metric, find

__all__ = ["MetricSpec", "is_pair"]

_AVERAGE = re.compile(r"\s*(macro|micro|weighted)[\s_:-]+(\S.*)", re.IGNORECASE)


@dataclasses.dataclass(frozen=True, eq=False)
class MetricSpec:
    """A metric of the catalogue and its options.

    >>> MetricSpec.of("macro F1").options, MetricSpec.of("macro F1").name
    ({'average': 'macro'}, 'macro_f1')
    >>> MetricSpec.of(("f_beta", {"beta": 2})).name, MetricSpec.of("weighted kappa").metric.name
    ('f_beta_beta_2', 'weighted_kappa')
    """

    metric: Metric
    options: dict[str, Any]
    alias: str = ""  # the name that a report shows it by, where that is not made of its options

    @classmethod
    def named(cls, alias: str, name: str, **options: Any) -> MetricSpec:
        """Return a metric with options under a name of its own.

        >>> MetricSpec.named("f_2", "f_beta", beta=2).name
        'f_2'
        """
        return cls(find(name), options, alias)

    @classmethod
    def of(cls, given: Any) -> MetricSpec:
        """Return what a metric, its name, or a pair of either and options asks for.

        A name may begin with an average over the classes, as in ``"macro f1"``; a metric that is called so
        itself (weighted kappa) comes first.
        """
        options: dict[str, Any] = {}
        if isinstance(given, tuple):
            if not is_pair(given):
                raise MetricError(
                    f"{given!r} is no metric with options: say it as a pair, such as "
                    '("f_beta", {"beta": 2}).'
                )
            given, options = given[0], dict(given[1])
        if isinstance(given, Metric):
            return cls(given, options)
        try:
            return cls(find(given), options)
        except MetricError:
            parts = _AVERAGE.fullmatch(given) if isinstance(given, str) else None
            if parts is None:
                raise
        average = parts[1].lower()
        if options.setdefault("average", average) != average:
            raise MetricError(f'"{given}" and average={options["average"]!r} are two averages: say one.')
        return cls(find(parts[2]), options)

    @property
    def average(self) -> str | None:
        """The average over the classes, None where there is none."""
        return self.options.get("average")

    @property
    def base(self) -> str:
        """The metric's name with its average: ``"macro_f1"``."""
        return "_".join(filter(None, [self.average, self.metric.name]))

    @property
    def name(self) -> str:
        """The alias, or the metric's name with its average and all other options in one word."""
        return self.alias or "_".join([self.base, *(f"{key}_{value}" for key, value in self.others.items())])

    @property
    def others(self) -> dict[str, Any]:
        """The options beside the average."""
        return {key: value for key, value in self.options.items() if key != "average"}


def is_pair(given: Any) -> bool:
    """Tell whether something is a pair of a metric and its options."""
    return isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], Mapping)  # noqa: PLR2004
