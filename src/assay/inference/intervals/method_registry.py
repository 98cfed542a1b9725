"""Registry of interval methods: each method states, where it is defined, which metrics it is the default for.

A method takes an :class:`~assay.inference.intervals.interval_request.IntervalRequest` and returns an
interval, the reason why it fails on these rows, or None where it does not apply to such rows. Unless it
returned an interval, the next method of the same rule is tried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.inference.intervals.interval_request import IntervalResult
    from assay.metrics import Metric

    Method = Callable[..., IntervalResult | str | None]

__all__ = [
    "DELTA",
    "RATES",
    "Default",
    "Rule",
    "interval_method",
    "method_named",
    "no_interval",
    "rule_for",
    "selectable_methods",
]

# Fallbacks shared by many metrics, in the order in which they are tried (`then=` of Default).
DELTA = ("delta", "dirichlet")  # of smooth functions of means or counts
RATES = ("mover-rates", "mover-accuracy", *DELTA)  # of functions of a confusion table

_AnyMethod = TypeVar("_AnyMethod", bound="Method")


class Rule(NamedTuple):
    """The names of the methods tried for a metric, in their order, or the reason why it has no interval."""

    methods: tuple[str, ...]
    reason: str = ""


class Default(NamedTuple):
    """Metrics for which a method is the first that is tried, and the names of those tried next.

    `metrics` are names (``"macro recall"`` for one average), `averages` kinds of metrics whose averages over
    classes are meant, `kinds` kinds of metrics: those of `views` alone where views are given.
    """

    metrics: tuple[str, ...] = ()
    averages: tuple[str, ...] = ()
    views: tuple[type, ...] = ()
    kinds: tuple[str, ...] = ()
    then: tuple[str, ...] = ()

    @property
    def keys(self) -> list[Any]:
        """What the rules of these metrics are filed under."""
        by_kind: list[Any] = [(view, kind) for view in self.views for kind in self.kinds]
        if not self.views:
            by_kind = [("kind", kind) for kind in self.kinds]
        return [*self.metrics, *(("average", kind) for kind in self.averages), *by_kind]


_methods: dict[str, Method] = {}
_selectable: list[str] = []
_rules: dict[Any, Rule] = {}


def interval_method(
    name: str, *defaults: Default, selectable: bool = False
) -> Callable[[_AnyMethod], _AnyMethod]:
    """Register a method under a name; a `selectable` one is offered to callers as ``method=name``."""

    def register(method: _AnyMethod) -> _AnyMethod:
        if name in _methods:
            raise ValueError(f"two interval methods are named {name!r}")
        for default in defaults:
            _add_rule(default.keys, Rule((name, *default.then)))
        _methods[name] = method
        if selectable:
            _selectable.append(name)
        return method

    return register


def no_interval(
    reason: str,
    *,
    metrics: tuple[str, ...] = (),
    views: tuple[type, ...] = (),
    kinds: tuple[str, ...] = (),
) -> None:
    """State why some metrics have no interval."""
    _add_rule(Default(metrics=metrics, views=views, kinds=kinds).keys, Rule((), reason))


def rule_for(metric: Metric, average: str | None = None) -> Rule | None:
    """Return the most specific rule of a metric, or of its average over classes; None if there is none.

    Searched in this order: the average of this metric, averages of its kind, the metric by its name, its view
    and kind, its kind.
    """
    return next((_rules[key] for key in _searched(metric, average) if key in _rules), None)


def method_named(name: str) -> Method:
    """Return a registered method by its name."""
    return _methods[name]


def selectable_methods() -> tuple[str, ...]:
    """Return the names that a caller may pass as ``method=``, beside those of proportions."""
    return tuple(sorted(_selectable))


def _searched(metric: Metric, average: str | None) -> Iterator[Any]:
    if average:
        yield f"{average} {metric.name}"
        yield ("average", metric.kind)
    yield metric.name
    yield (metric.reads, metric.kind)
    yield ("kind", metric.kind)


def _add_rule(keys: list[Any], rule: Rule) -> None:
    for key in keys:
        if key in _rules:
            raise ValueError(f"two defaults are registered for {key}: {_rules[key]} and {rule}")
        _rules[key] = rule
