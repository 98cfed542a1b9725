"""The keywords that state a threshold's criterion, declared once for every function that takes them."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, ParamSpec, TypedDict, TypeVar

from assay.errors import suggest_keywords

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CriterionOptions", "criterion_keywords"]

P = ParamSpec("P")
T = TypeVar("T")


class CriterionOptions(TypedDict, total=False):
    """Keywords of a criterion; :func:`assay.decisions.choose_threshold` explains each."""

    best: Any
    beta: float | None
    cost_fp: Any
    cost_fn: Any
    cost_tp: float | None
    cost_tn: float | None
    prevalence: float | None
    calibrated: bool
    min_recall: float | None
    min_precision: float | None
    min_specificity: float | None
    capacity: float | None
    max_positive_rate: float | None
    equal_error: bool
    confidence: float | None
    method: str | None


_DEFAULTS = {
    name: False if name in ("calibrated", "equal_error") else None
    for name in CriterionOptions.__annotations__
}


def criterion_keywords(function: Callable[P, T]) -> Callable[P, T]:
    """Show a criterion's keywords in ``help()`` in place of ``**criterion``, and refuse unknown ones.

    >>> @criterion_keywords
    ... def chosen(data, *, folds=None, **criterion): ...
    >>> list(inspect.signature(chosen).parameters)[:4]
    ['data', 'folds', 'best', 'beta']
    >>> chosen([], rate=0.1)
    Traceback (most recent call last):
        ...
    TypeError: chosen() has no rate=: it is called max_positive_rate= here.
    """
    signature = inspect.signature(function)
    own = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    stated = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_DEFAULTS[name],
            # A forward reference: shown as text, as the annotations of the other parameters are.
            annotation=getattr(annotation, "__forward_arg__", annotation),
        )
        for name, annotation in CriterionOptions.__annotations__.items()
    ]
    function.__signature__ = signature.replace(parameters=[*own, *stated])  # type: ignore[attr-defined]
    return suggest_keywords(function)
