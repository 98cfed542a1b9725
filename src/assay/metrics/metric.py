"""The metric: a named formula over a tally, with the facts that others need to know of it.

A formula takes a *view* of a tally (:class:`~assay.metrics.views.confusion.Binary` and its like) and returns
a number, NaN where there is none. It never sees rows. Documentation, reports, intervals, tests and the
command line read what they need to know of a metric here; :mod:`assay.metrics.registry` holds all metrics.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import math
import re
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from assay.errors import MetricError
from assay.metrics.registry import catalogue, find, options_near, register
from assay.metrics.undefined import NO_ROWS, Undefined, Value
from assay.tallies import ColumnTallies, Scores, Tally

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Kind", "Metric", "Needs", "View", "catalogue", "find", "metric", "tallied"]

Kind: TypeAlias = Literal[
    "proportion",  # x of n rows
    "counts",  # a smooth function of a table's cells
    "rank",  # of the order of scores
    "mean",  # of one loss per row, or per query
    "moments",  # a smooth function of means
    "order",  # a quantile
    "extreme",  # a largest value, for which no interval can be given
    "statistic",  # of a test: grows with the rows and is read through its p-value
]
Needs: TypeAlias = Literal["labels", "score", "class scores", "numbers", "lists", "label sets"]

_ACRONYMS = {"auc": "AUC", "f1": "F1", "npv": "NPV", "pr": "PR", "r2": "R²", "rmse": "RMSE", "mse": "MSE"}
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_SCORE_ARGUMENTS = {"positive", "score", "probability"}
_CLASS_SCORE_ARGUMENTS = {"codes", "scores", "probabilities"}


class View(Protocol):
    """What a formula reads: made of a tally, so that the metric knows which tally it needs.

    A view's class also has `tally`, `title` (what it reads, in words) and `needs`; ``takes_weights = False``
    where rows must have equal weights, and ``uses_probabilities = True`` where scores must lie in [0, 1].
    """

    @classmethod
    def of(cls, tally: Any, **options: Any) -> Any:
        """Return the view of a tally."""


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Metric:
    """A named formula over a tally, with what there is to know about it.

    Calling it with a tally, or with rows, gives a number, or :class:`Undefined` with the reason. Further
    keywords are the view's (``positive=``, ``average=``) or the formula's own parameters (``beta=``).

    Examples
    --------
    >>> import assay
    >>> from assay.metrics import precision
    >>> tally = assay.Confusion.of(assay.rows(actual=[0, 0, 1, 1, 1], predicted=[0, 1, 1, 1, 0]))
    >>> precision(tally), precision.bounds, precision.aliases
    (0.6666666666666666, (0, 1), ('ppv', 'prec', 'positive_predictive_value'))
    """

    name: str
    formula: Callable[..., Any]
    reads: Any
    kind: Kind
    bounds: tuple[float, float]
    best: float | None
    undefined: str | Callable[[Any], str]
    aliases: tuple[str, ...]
    loss: Any = None  # the function of a row, where the metric is a mean over rows
    each: Callable[..., Any] | None = None  # of a query, where the metric is a mean over queries
    title: str = ""  # as reports print the name
    row_mean: bool = False  # a mean of one value per row that has no `loss` of its own
    monotone: bool = False  # one more true positive, or one false positive less, never makes it worse
    depends_on_n: bool = False  # on the number of rows, not only on their shares
    probabilities: bool = False  # scores are read as probabilities, though the view does not ask for them

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or _default_title(self.name))
        object.__setattr__(self, "__doc__", inspect.getdoc(self.formula))  # what a notebook shows for help

    def __call__(self, data: Any = None, *more: Any, **options: Any) -> Value:
        """Return the metric's value for a tally, or for rows, which are then tallied."""
        if more or data is None:
            raise self._no_rows("columns")
        if options:
            self.check_options(options)
            data = self.of_class(data, options)
        tally = data if isinstance(data, Tally) else self._tallied(data, options)
        if options.get("average") == "samples" or (
            isinstance(tally, ColumnTallies) and self.needs != "class scores"
        ):
            from assay.metrics.multioutput import over_columns  # noqa: PLC0415 - circular import

            return over_columns(self, tally, options)
        parameters = {name: options.pop(name) for name in self.parameters if name in options}
        size = tally.n if hasattr(tally, "n") else len(tally)  # type: ignore[arg-type]
        if average := options.pop("average", None):
            if not self.averages_over_classes:
                raise self.no_average()
            return self.reads.averaged(self, tally, average, parameters, **options)  # type: ignore[no-any-return]
        if self.loss is not None:
            own = {name: options.pop(name) for name in self.loss_parameters if name in options}
            tally = self._of_losses(tally, own)
        view = self.reads.of(tally, **options)
        if not size:
            return Undefined(NO_ROWS)
        return self.value(self.formula(view, **parameters), view)

    def tallied(self, rows: Any, options: dict[str, Any]) -> tuple[Tally, dict[str, Any]]:
        """Return the tally of rows that the options require, and the options that remain for reading it."""
        if options:
            self.check_options(options)
        remaining = dict(options)
        return self._tallied(self.of_class(rows, remaining), remaining), remaining

    def of_class(self, data: Any, options: dict[str, Any]) -> Any:
        """Return rows or a tally as the metric reads them, where ``positive=`` names one of several classes.

        A metric of scores takes the label out of the options; others find it there.
        """
        if "positive" not in options:
            return data
        of_columns = isinstance(data, ColumnTallies) or (_are_rows(data) and data.multioutput)
        if not self.of_scores and not of_columns:
            return data
        label = options.pop("positive")
        if label is None or not (isinstance(data, Tally) or _are_rows(data)):
            return data
        if of_columns:
            return data.of_label(label)
        from assay.tallies.scores.one_vs_rest import of_class  # noqa: PLC0415 - few need it

        return of_class(data, label)

    def _tallied(self, rows: Any, options: dict[str, Any]) -> Tally:
        """Return the tally of rows; the positive label is the one that they state.

        An average over classes may need another tally than the metric of one class: the view's `of_classes`.
        """
        if not _are_rows(rows):
            raise self._no_rows(f"a {type(rows).__name__}")
        if rows.multioutput:
            from assay.metrics.multioutput import tally_columns  # noqa: PLC0415 - circular import

            return tally_columns(self, rows, options)
        if self._over_classes(options):
            if not self.averages_over_classes:
                raise self.no_average()
            return getattr(self.reads, "of_classes", self.reads.tally).of(rows)  # type: ignore[no-any-return]
        if rows.positive is not None and "positive" in self.view_options:
            options.setdefault("positive", rows.positive)
        own = () if self.loss is None else self.loss_parameters
        return self.tally(rows, **{name: options.pop(name) for name in own if name in options})

    def _no_rows(self, what: str) -> MetricError:
        return MetricError(
            f"{self.name} is read from rows or from a tally, not from {what}: gather the columns first with "
            "assay.rows(actual=..., and predicted=... or score=...). "
            "Functions of two columns are in assay.sklearn."
        )

    def _over_classes(self, options: dict[str, Any]) -> bool:
        return bool(options.get("average")) and "average" not in self.parameters

    def with_positive(self, options: dict[str, Any], positive: Any) -> dict[str, Any]:
        """Return options with a positive label, where there is one and the metric takes it."""
        if positive is None or "positive" not in self.view_options or self._over_classes(options):
            return options
        return {"positive": positive, **options}

    def check_options(self, options: dict[str, Any]) -> None:
        """Raise for an option that it does not take, with those that it does."""
        averaged = self._over_classes(options)
        if averaged and not (self.averages_over_classes or self.averages_over_columns):
            raise self.no_average()
        unused = {"positive", *self.view_options} if averaged else {"undefined"} - self.parameters.keys()
        known = [name for name in self.options if name not in unused]
        known += ["undefined"] if averaged and "undefined" not in known else []
        if unknown := options.keys() - {*known, "average"}:
            whose = f"an average of {self.name}" if averaged else self.name
            has = f"it takes {', '.join(known)}" if known else "it has no options"
            hint = options_near(unknown, known)
            raise MetricError(f"{whose} takes no {', '.join(sorted(unknown))}: {has}.{hint}")

    def no_average(self) -> MetricError:
        """Return the error of an average that the metric does not have."""
        if self.averages_over_columns:
            return MetricError(
                f"{self.name} is averaged over labels or outputs, and there is only one here: "
                "leave average= out."
            )
        return MetricError(
            f"{self.name} reads {self.reads.title}, so it has no average of classes: leave average= out."
        )

    def tally(self, rows: Any, **parameters: Any) -> Tally:
        """Return the tally of rows that the metric reads, with the row loss's own parameters."""
        if self.loss is not None:
            return self.reads.tally.of(rows, self.loss, **parameters)  # type: ignore[no-any-return]
        return self.reads.tally.of(rows)  # type: ignore[no-any-return]

    def value(self, number: Any, view: Any) -> Value:
        """Return a formula's number as a value: a float, or undefined with the reason for this view."""
        plain = float(number)
        if not math.isnan(plain):
            return plain
        reason = self.undefined if isinstance(self.undefined, str) else self.undefined(view)
        return Undefined(f"{reason}{getattr(view, 'missing_rows', '')}")

    def _of_losses(self, tally: Tally, own: dict[str, Any]) -> Tally:
        """Return the tally of the rows' losses, with the loss's own parameters."""
        if hasattr(tally, "losses"):  # it can still give the losses of its rows
            return tally.losses(self.loss, **own)  # type: ignore[no-any-return]
        if own:
            text = ", ".join(f"{name}={value!r}" for name, value in own.items())
            raise MetricError(
                f"{text} is needed where the losses are computed: {self.name}.tally(rows, {text})."
            )
        return tally

    @property
    def home(self) -> str:
        """The module that declares it."""
        return str((self.loss or self.each or self.formula).__module__)

    @property
    def is_custom(self) -> bool:
        """Whether it is a user's own, declared outside of this package."""
        return not self.home.startswith("assay.")

    @functools.cached_property
    def parameters(self) -> dict[str, Any]:
        """The formula's own parameters and their defaults."""
        return _keywords(self.each or self.formula)

    @functools.cached_property
    def loss_parameters(self) -> dict[str, Any]:
        """The row loss's own parameters and their defaults: they are needed where the losses are computed."""
        return _keywords(self.loss)

    @functools.cached_property
    def view_options(self) -> dict[str, Any]:
        """The view's options beside the tally (the positive label, a depth), with the defaults."""
        return _keywords(self.reads.of)

    @functools.cached_property
    def of_scores(self) -> bool:
        """Whether it evaluates the scores of one class: its tally is then made for that class alone."""
        if self.loss is not None:
            return {"positive"} < {*_positional(self.loss)} <= _SCORE_ARGUMENTS
        return getattr(self.reads, "tally", None) is Scores

    @functools.cached_property
    def needs(self) -> Needs:
        """What a model must predict: labels, the score of one class or of all, numbers, lists, label sets.

        >>> [find(name).needs for name in ("f1", "auc", "multiclass_log_loss", "rmse", "ndcg")]
        ['labels', 'score', 'class scores', 'numbers', 'lists']
        """
        if self.loss is None:
            return getattr(self.reads, "needs", "labels")
        arguments = {*_positional(self.loss)}
        if arguments & _CLASS_SCORE_ARGUMENTS:
            return "class scores"
        return "score" if arguments & _SCORE_ARGUMENTS and "predicted" not in arguments else "numbers"

    @functools.cached_property
    def uses_probabilities(self) -> bool:
        """Whether scores are read as probabilities, so that distances from a boundary will not do."""
        if self.loss is not None:
            return bool({"probability", "probabilities"} & {*_positional(self.loss)})
        return self.probabilities or getattr(self.reads, "uses_probabilities", False)

    @property
    def averages_over_classes(self) -> bool:
        """Whether ``average="macro"`` and its like average it over the classes."""
        return hasattr(self.reads, "averaged")

    @property
    def averages_over_columns(self) -> bool:
        """Whether it can be averaged over several labels or outputs, each with a column of its own."""
        return self.needs in ("numbers", "score")

    @property
    def takes_weights(self) -> bool:
        """Whether it is defined for rows of different weights."""
        return getattr(self.reads, "takes_weights", True)

    @property
    def is_row_mean(self) -> bool:
        """Whether it is the mean of one value per row."""
        return self.row_mean or (self.kind == "mean" and self.loss is not None)

    @property
    def higher_is_better(self) -> bool | None:
        """Whether more of it is better; None where no value is, or one between the bounds.

        >>> [find(name).higher_is_better for name in ("auc", "log_loss", "prevalence", "cox_slope")]
        [True, False, None, None]
        """
        if self.best is None or self.best not in self.bounds or self.bounds[0] == self.bounds[1]:
            return None
        return self.best == self.bounds[1]

    @functools.cached_property
    def options(self) -> dict[str, Any]:
        """All options of a call, with the defaults."""
        averages = {"average": None, "undefined": "strict"} if self.averages_over_classes else {}
        positive = {"positive": None} if self.of_scores else {}
        return {**positive, **self.view_options, **averages, **self.loss_parameters, **self.parameters}

    @property
    def meaning(self) -> str:
        """One sentence that explains it."""
        return _explanation(self.formula)[0]

    @property
    def expression(self) -> str:
        """The formula as one writes it down."""
        return _explanation(self.formula)[1]

    @property
    def notes(self) -> str:
        """Further explanation: paragraphs, or nothing."""
        paragraphs = (inspect.getdoc(self.formula) or "").split("\n\n")[1:]
        texts = [
            re.sub(r":\w+:`([^`]+)`", r"\1", text) for text in paragraphs if text[:2] + text[-2:] != "````"
        ]
        return "\n\n".join(" ".join(text.replace("``", "").replace("`", "").split()) for text in texts)

    def __repr__(self) -> str:
        return f"<metric {self.name}: {self.expression}>"

    def __reduce__(self) -> tuple[Callable[[str], Metric], tuple[str]]:
        return find, (self.name,)  # there is one of each: whoever reads a pickle has it, too


def metric(
    *,
    reads: Any,
    kind: Kind,
    bounds: tuple[float, float],
    best: float | None,
    undefined: str | Callable[[Any], str],
    aliases: tuple[str, ...] = (),
    loss: Any = None,
    each: Callable[..., Any] | None = None,
    title: str = "",
    row_mean: bool = False,
    monotone: bool = False,
    depends_on_n: bool = False,
    probabilities: bool = False,
) -> Callable[[Callable[..., Any]], Metric]:
    """Declare a metric: the decorated function is its formula, its docstring says what it means.

    The docstring's first line is a sentence for a reader; what stands first in double backticks, there or
    below, is the formula. `best` is None where no value is better than another. What the other arguments say
    stands at the fields of :class:`Metric`.

    Parameters
    ----------
    reads
        The view of a tally that the formula takes.
    kind
        What kind of quantity it is, which chooses the interval.
    bounds, best
        The least and the greatest value, and the best one, or None.
    undefined
        Why there is no value, as text or as a function of the view.
    aliases
        Other names.
    loss, each
        The loss of a row, or the value of a query, of which the metric is the mean.
    title
        The name in reports.
    row_mean, monotone, depends_on_n, probabilities
        See the fields of :class:`Metric`.

    Returns
    -------
    Callable
        A decorator that makes a :class:`Metric` of the formula.

    Raises
    ------
    MetricError
        The declaration is not complete.

    Examples
    --------
    >>> import assay
    >>> from assay.metrics import Binary
    >>> @metric(reads=Binary, kind="counts", bounds=(0, 1), best=1, undefined="there are no rows")
    ... def share_of_hits(c: Binary):
    ...     'The share of rows that are true positives: ``tp / n``.'
    ...     return c.tp / (c.tp + c.fp + c.fn + c.tn)
    >>> share_of_hits(assay.rows(actual=[0, 1, 1, 1], predicted=[0, 1, 1, 0]))
    0.5
    """

    def declare(formula: Callable[..., Any]) -> Metric:
        if not formula.__module__.startswith("assay."):
            formula = _explained(formula)
        declared = Metric(
            formula.__name__, formula, reads, kind, bounds, best, undefined, aliases, loss, each,
            title, row_mean, monotone, depends_on_n, probabilities,
        )  # fmt: skip
        register(declared)
        return declared

    return declare


def _explained(formula: Callable[..., Any]) -> Callable[..., Any]:
    """Return a user's formula, whose errors say that it must take arrays."""

    @functools.wraps(formula)
    def explained(view: Any, **parameters: Any) -> Any:
        try:
            return formula(view, **parameters)
        except (TypeError, ValueError) as error:
            raise MetricError(
                f"the formula of {formula.__name__} failed ({error}). It is called with numbers and with "
                "arrays of them, a class, cutoff or resample per entry: write it with NumPy, "
                "assay.metrics.ratio and assay.metrics.root, without if, float() and the math module."
            ) from error

    return explained


def need_tally(tally: Any, kind: type[Tally], more: str = "") -> None:
    """Raise unless a view got the tally it reads; `more` is added to the message."""
    if not isinstance(tally, kind):
        actual = getattr(tally, "kind", type(tally).__name__)
        raise MetricError(f"this metric reads a tally of {kind.kind}, not one of {actual}{more}.")


def tallied(data: Any, kind: Any) -> Any:
    """Return rows as a tally of a kind; anything else is returned as it is."""
    return kind.of(data) if _are_rows(data) else data


def _are_rows(data: Any) -> bool:
    return hasattr(data, "positive") and not isinstance(data, Tally)


def _keywords(function: Callable[..., Any] | None) -> dict[str, Any]:
    """Return a function's keyword-only parameters and their defaults."""
    if function is None:
        return {}
    parameters = inspect.signature(function).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters if parameter.kind is _KEYWORD}


def _positional(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of a function's positional parameters."""
    parameters = inspect.signature(function).parameters.values()
    return tuple(parameter.name for parameter in parameters if parameter.kind in _POSITIONAL)


def _explanation(formula: Callable[..., Any]) -> tuple[str, str]:
    """Return a docstring's first paragraph without the formula, and the first text in double backticks."""
    text = inspect.getdoc(formula) or ""
    match = re.search(r"``(.+?)``", text, re.DOTALL)
    expression = " ".join(match.group(1).split()) if match else ""
    return re.sub(r"[:,]?\s*``.+?``", "", text.split("\n\n")[0]).strip(), expression


def _default_title(name: str) -> str:
    """Return a metric's name in words, for want of a title."""
    return " ".join(_ACRONYMS.get(word, word) for word in name.split("_"))
