"""A metric with its options as a user writes it, read in one way by every function and the command line."""

from __future__ import annotations

import ast
import dataclasses
import functools
import math
import numbers
import re
from collections.abc import Iterable, Mapping
from typing import Any

from assay.errors import AssayError, MetricError
from assay.hints import param, passed
from assay.metrics.metric import Metric, Needs
from assay.metrics.registry import catalogue, find, peer_spec, specs_by_name, split_average, split_averaged
from assay.metrics.undefined import Undefined, Value
from assay.tallies import Confusion, Scores, Tally

__all__ = [
    "MetricSpec",
    "is_pair",
    "listed_metrics",
    "metric_title",
    "metric_titles",
    "read_values",
    "requested_metrics",
    "value_of",
    "values_of",
    "with_positive",
]

_WITH_OPTIONS = re.compile(r"([^()]+)\((.*)\)", re.DOTALL)
_AT_DEPTH = re.compile(r"(.+?)\s*@\s*(\d+)")  # "ndcg@10"
_WORDS = {"true": True, "false": False, "none": None, "inf": math.inf, "nan": math.nan}
_EXAMPLE = '"f_beta(beta=2)" or ("f_beta", {"beta": 2})'


@dataclasses.dataclass(frozen=True, eq=False)
class MetricSpec:
    """A metric of the catalogue and its options; two of them are equal where both are.

    >>> MetricSpec.of("macro F1").options, MetricSpec.of("macro F1").name
    ({'average': 'macro'}, 'macro_f1')
    >>> MetricSpec.of("f_beta(beta=2)") == MetricSpec.of(("f_beta", {"beta": 2.0}))
    True
    >>> spec = MetricSpec.of("macro f_beta(beta=0.5)")
    >>> spec.base, spec.name, spec.label
    ('macro_f_beta', 'macro_f_beta_beta_0.5', 'macro F-beta (beta=0.5)')
    >>> spec.options, spec.others
    ({'average': 'macro', 'beta': 0.5}, {'beta': 0.5})
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

    def __post_init__(self) -> None:
        if len(self.options) <= 1:
            return
        order = ["average", *self.metric.options]  # as declared, whatever order they were written in
        ranks = {name: rank for rank, name in enumerate(dict.fromkeys(order))}
        ordered = sorted(self.options, key=lambda name: ranks.get(name, len(ranks)))
        object.__setattr__(self, "options", {name: self.options[name] for name in ordered})

    @classmethod
    def of(cls, metric: Any) -> MetricSpec:
        """Return the spec of a metric, of its name, or of a pair of either and options.

        A name may state an average over the classes (``"macro f1"``, scikit-learn's ``"f1_macro"``) and have
        options behind it (``"ndcg(k=10)"``, ``"ndcg@10"``); a metric whose own name begins with an average,
        such as weighted kappa, comes first.

        >>> [MetricSpec.of(text).name for text in ("weighted kappa", "f1_macro", "precision@5", "ndcg(k=10)")]
        ['weighted_kappa', 'macro_f1', 'precision_at_k_k_5', 'ndcg_k_10']

        The key of a metric in a result, such as ``"ndcg_k_10"``, is a name of it, too.
        """
        if isinstance(metric, MetricSpec):
            return metric
        if isinstance(metric, str) and "(" not in metric:  # a name, whose facts are then computed once
            if metric not in specs_by_name:
                specs_by_name[metric] = cls(*_parsed(metric))
            return specs_by_name[metric]  # type: ignore[no-any-return]
        options: dict[str, Any] = {}
        if isinstance(metric, tuple):
            if not is_pair(metric):
                raise MetricError(
                    f"{metric!r} is no metric with options: say it as a pair, such as {_EXAMPLE}."
                )
            metric, options = metric[0], dict(metric[1])
        if is_pair(metric):  # which has options of its own
            metric = cls.of(metric)
        if isinstance(metric, MetricSpec):
            return cls(metric.metric, _joined(metric.metric.name, metric.options, options))
        if isinstance(metric, Metric):
            return cls(metric, options)
        known, own = _parsed(metric)
        return cls(known, _joined(metric, own, options))

    # The facts are read for every row of a report, and each is computed once.

    @functools.cached_property
    def average(self) -> str | None:
        """The average over the classes, None where there is none."""
        return self.options.get("average")

    @functools.cached_property
    def base(self) -> str:
        """The metric's name with its average: ``"macro_f1"``."""
        return "_".join(filter(None, [self.average, self.metric.name]))

    @functools.cached_property
    def name(self) -> str:
        """The alias, or the metric's name with its average and all other options, in one word: a key."""
        words = [f"{key}_{_word(value)}" for key, value in self.others.items()]
        return self.alias or "_".join([self.base, *words])

    @functools.cached_property
    def label(self) -> str:
        """The metric's name as reports print it, with its options in brackets: ``"NDCG (k=10)"``."""
        if self.alias:
            return metric_title(self.alias)
        title = self.metric.title
        if self.average:
            title = f"{self.average.replace('_', '-')} {title.partition(' (')[0]}"
        if not self.others:
            return title
        text = ", ".join(f"{key}={_shown(value)}" for key, value in self.others.items())
        return f"{title[:-1]}, {text})" if title.endswith(")") else f"{title} ({text})"

    @functools.cached_property
    def others(self) -> dict[str, Any]:
        """The options beside the average."""
        return {key: value for key, value in self.options.items() if key != "average"}

    @functools.cached_property
    def needs(self) -> Needs:
        """What a model must predict: as the metric's, but an average over classes needs all their scores."""
        averaged = self.average and "average" not in self.metric.parameters
        return "class scores" if averaged and self.metric.needs == "score" else self.metric.needs

    @functools.cached_property
    def tally_key(self) -> Any:
        """A key that two metrics share if they are read from the same tally of the same rows."""
        metric = self.metric
        if self.average == "samples":  # a mean over rows of this metric alone
            return (self.name,)
        if metric.loss is not None:
            if metric.of_scores:  # a score tally holds all that such a loss needs
                return Scores.kind
            own = {name: self.options.get(name) for name in metric.loss_parameters}
            return (metric.name, *sorted((name, repr(value)) for name, value in own.items()))
        if self.average and hasattr(metric.reads, "of_classes"):
            return metric.reads.of_classes
        tally = metric.reads.tally
        return tally.kind if tally in (Confusion, Scores) else tally

    @functools.cached_property
    def tally_options(self) -> dict[str, Any]:
        """The options beside the tally of ``tally_key``: those of a row's loss are in it already."""
        if self.metric.loss is None or self.metric.of_scores:
            return self.options
        return {k: v for k, v in self.options.items() if k not in self.metric.loss_parameters}

    def check(self) -> MetricSpec:
        """Return itself, or raise for an option that the metric does not take."""
        self.metric.check_options(self.options)
        return self

    def __str__(self) -> str:
        text = ", ".join(f"{key}={_plain(value)!r}" for key, value in self.others.items())
        name = " ".join(filter(None, [self.average, self.metric.name]))
        return f"{name}({text})" if text else name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MetricSpec) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Any, ...]:
        return (self.metric.name, *sorted((key, repr(_plain(value))) for key, value in self.options.items()))


def is_pair(metric: Any) -> bool:
    """Tell whether something is a pair of a metric and its options."""
    return isinstance(metric, tuple) and len(metric) == 2 and isinstance(metric[1], Mapping)  # noqa: PLR2004


def requested_metrics(metrics: Any, positive: Any = None) -> list[MetricSpec]:
    """Return the specs of a ``metrics=`` argument: one metric, or several, in their order.

    A positive label is added to the options of metrics that take one; it does not change their names.

    >>> [spec.name for spec in requested_metrics(["acc", ("f_beta", {"beta": 2})], positive=1)]
    ['accuracy', 'f_beta_beta_2']
    """
    return [_with_positive(MetricSpec.of(metric), positive) for metric in listed_metrics(metrics)]


def _with_positive(spec: MetricSpec, positive: Any) -> MetricSpec:
    options = spec.metric.with_positive(spec.options, positive)
    if options is not spec.options:
        spec = dataclasses.replace(spec, options=options, alias=spec.name)
    return spec.check()


def listed_metrics(metrics: Any) -> list[Any]:
    """Return a ``metrics=`` argument as a list, of one metric or of several, as they were named."""
    if isinstance(metrics, (str, Metric, MetricSpec)) or is_pair(metrics):
        return [metrics]
    if not isinstance(metrics, Iterable):
        raise MetricError(f"{passed('metrics', metrics)} is neither a metric nor a list of them.")
    listed = list(metrics)
    if not listed:
        raise MetricError(f"{param('metrics')} is empty: name at least one, or leave it out.")
    return listed


def with_positive(
    metrics: Iterable[tuple[Metric, dict[str, Any]]], positive: Any
) -> list[tuple[Metric, dict[str, Any]]]:
    """Return several metrics, each with its options and the positive label where it takes one."""
    return [(metric, metric.with_positive(options, positive)) for metric, options in metrics]


def value_of(metric: Metric, tally: Tally, options: dict[str, Any]) -> Value:
    """Return a metric's value for a tally; of tables and scores it is needed twice, and so cached."""
    if not isinstance(tally, (Confusion, Scores)):
        return metric(tally, **options)
    key = (metric, repr(options))
    if key not in tally.cache:
        tally.cache[key] = metric(tally, **options)
    return tally.cache[key]  # type: ignore[no-any-return]


def values_of(calls: Iterable[tuple[Metric, Tally, dict[str, Any]]]) -> list[Value]:
    """Return the values of several metrics, each from its tally and with its options."""
    return [value_of(*call) for call in calls]


def read_values(metrics: Iterable[tuple[MetricSpec, Tally]]) -> list[Value]:
    """Return the values of metrics, each read from a tally of its ``tally_key``.

    Where that raises an error, the value is undefined and the error its reason.
    """
    values: list[Value] = []
    for spec, tally in metrics:
        try:
            values.append(spec.metric(tally, **spec.tally_options))
        except AssayError as error:
            values.append(Undefined(str(error).rstrip(".")))
    return values


def metric_title(name: str) -> str:
    """Return the name or the key of a metric as reports print it; words that are no metric's are kept.

    >>> metric_title("macro_f1"), metric_title("recall"), metric_title("f_0.5"), metric_title("my_loss")
    ('macro F1', 'recall (TPR)', 'F0.5', 'my loss')
    """
    if name.startswith("f_") and (name[2:3].isdigit() or name == "f_inf"):  # an F-beta of evaluate(beta=)
        return f"F{name[2:]}".replace("inf", "∞")
    try:
        return MetricSpec.of(name).label
    except MetricError:
        return name.replace("_", " ")


def metric_titles(names: Iterable[str]) -> list[str]:
    """Return several names of metrics as reports print them."""
    return [metric_title(name) for name in names]


def _parsed(text: Any) -> tuple[Metric, dict[str, Any]]:
    """Return the metric that a text names, and the options in it, checked."""
    if isinstance(text, str) and (averaged := split_averaged(text)) is not None:
        return averaged[1], {"average": averaged[0]}
    try:
        return find(text), {}
    except MetricError:
        if not isinstance(text, str):
            raise
        if match := _WITH_OPTIONS.fullmatch(text.strip()):
            metric, options = _parsed(match[1])
            options = _joined(text, options, _options(metric, match[2], text))
        elif match := _AT_DEPTH.fullmatch(text.strip()):
            metric, options = _with_depth(match[1]), {"k": int(match[2])}
        elif (spec := peer_spec(text)) is not None:
            return find(spec[0]), dict(spec[1])
        elif (keyed := _of_key(text)) is not None:
            return keyed.metric, keyed.options
        elif (parts := split_average(text)) is not None:
            metric, options = find(parts[1]), {"average": parts[0]}
        else:
            raise
    metric.check_options(options)
    return metric, options


def _of_key(key: str) -> MetricSpec | None:
    """Return the metric with options whose :attr:`MetricSpec.name` a text is, None where there is none.

    >>> _of_key("macro_f_beta_beta_0.5").options
    {'average': 'macro', 'beta': 0.5}
    """
    average, _, name = key.partition("_")
    averaged = average in ("macro", "micro", "weighted")
    for metric in catalogue():
        for text, own in ((key, {}), (name, {"average": average}))[: 1 + averaged]:
            if text.startswith(f"{metric.name}_"):
                options = _options_of_key(metric, text.removeprefix(metric.name))
                parsed = MetricSpec(metric, {**own, **options})
                if parsed.name == key:
                    return parsed.check()
    return None


def _options_of_key(metric: Metric, text: str) -> dict[str, Any]:
    """Return the options that follow a metric's name in a key, as in ``"_k_10"``."""
    starts = sorted((start, name) for name in metric.options if (start := text.find(f"_{name}_")) >= 0)
    if not starts:  # what follows names no option, as in "f1_scores"
        return {}
    ends = [*(start for start, _ in starts[1:]), len(text)]
    return {
        name: _number_or_word(text[start + len(name) + 2 : end])
        for (start, name), end in zip(starts, ends, strict=True)
    }


def _number_or_word(text: str) -> Any:
    try:
        return _plain(float(text))
    except ValueError:
        return _WORDS.get(text.lower(), text)


def _with_depth(name: str) -> Metric:
    """Return the metric of ranked lists that a name such as the "precision" of precision@5 stands for."""
    try:
        metric = find(name)
    except MetricError:
        return find(f"{name}_at_k")
    return metric if "k" in metric.options else find(f"{name}_at_k")


def _options(metric: Metric, text: str, whole: str) -> dict[str, Any]:
    """Return the options that stand between brackets: numbers, words in quotes or bare, true, false, none."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
    except (SyntaxError, ValueError):
        call = None
    if not isinstance(call, ast.Call) or any(keyword.arg is None for keyword in call.keywords):
        raise MetricError(f'the options of "{whole}" cannot be read: write them as in {_EXAMPLE}.')
    if call.args:
        value = ast.unparse(call.args[0])
        takes = next(iter({**metric.view_options, **metric.loss_parameters, **metric.parameters}), None)
        hint = f": say which option {value} is, as in {metric.name}({takes}={value})" if takes else ""
        raise MetricError(f'"{whole}" has a value without a name{hint}.')
    return {str(keyword.arg): _value(keyword.value, whole) for keyword in call.keywords}


def _value(node: ast.expr, whole: str) -> Any:
    if isinstance(node, ast.Name):
        return _WORDS.get(node.id.lower(), node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Name):
        value = _WORDS.get(node.operand.id.lower())
        if isinstance(value, float):
            return -value
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise MetricError(
            f'"{whole}": {ast.unparse(node)} is no number, word, list, true, false or none. '
            "Put text with spaces or hyphens in quotes."
        ) from None


def _joined(text: Any, own: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a name and those beside it; both may state one only if they agree."""
    for key in own.keys() & more.keys():
        if repr(_plain(own[key])) != repr(_plain(more[key])):
            kind = "two averages" if key == "average" else f"two values of {key}"
            raise MetricError(f'"{text}" and {passed(key, more[key])} are {kind}: say one.')
    return {**own, **more}


def _plain(value: Any) -> Any:
    """Return a value such that equal ones have equal texts: 2 and 2.0, a list and an array."""
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, numbers.Real):
        number = float(value)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _word(value: Any) -> str:
    """Return an option's value as part of a key: one word."""
    return re.sub(r"[^\w.+-]+", "_", str(_plain(value))).strip("_")


def _shown(value: Any) -> str:
    """Return an option's value as a report prints it."""
    return f"{value:g}" if isinstance(value, float) else str(_plain(value))
