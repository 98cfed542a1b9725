"""A cross-validation as text: metrics with intervals, values fold by fold, and warnings."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.formatting.numbers import count_of, format_interval, format_value
from assay.formatting.table import grid, grid_blocks, listed, paragraph
from assay.formatting.width import clean
from assay.metrics import Undefined
from assay.metrics.interpretation import hint
from assay.metrics.spec import metric_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.crossvalidation.crossvalidation import CrossValidation
    from assay.crossvalidation.diagnostics import Diagnostic

__all__ = ["draw"]

_MAX_LISTED_FOLDS = 20  # beyond, their quantiles are printed
_COLUMN = 11  # the width of a value in the list of folds
_HEADS = {
    "failure": "failed",
    "undefined": "have an undefined metric",
    "classes": "lack a class",
    "groups": "split groups",
    "time": "reverse time",
    "copies": "share rows",
}


def draw(result: CrossValidation, *, width: int = 80) -> str:
    """Return a cross-validation as lines of at most so many columns."""
    parts = [_title(result, width), _metrics(result, width)]
    parts += [list(notes)] if (notes := list(_notes(result, width))) else []
    parts += [_bootstrap(result, width)] if result.bootstrap else []
    parts += list(_folds(result, width)) if len(result.folds) > 1 else []
    parts += [list(_problems(result.problems, len(result.folds), width))] if result.problems else []
    return "\n\n".join("\n".join(part) for part in parts)


def _title(result: CrossValidation, max_width: int) -> list[str]:
    sizes = [_range([getattr(fold, size) for fold in result.folds]) for size in ("n_train", "n_test")]
    drawn = "draws" if result.how.startswith("bootstrap") else "rows"
    lines = paragraph(
        f"{clean(result.name)}: {result.how} of {count_of(result.n, 'row')}", max_width=max_width
    )
    others = "other" if sizes[1] == "1" else "others"
    return lines + paragraph(
        f"each model is trained on {sizes[0]} {drawn} and tested on {sizes[1]} {others}", max_width=max_width
    )


def _range(sizes: Sequence[int]) -> str:
    low, high = min(sizes), max(sizes)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _metrics(result: CrossValidation, max_width: int) -> list[str]:
    single = len(result.folds) == 1
    head = ["", "estimate", f"{100 * result.confidence:g}% interval"]
    head += [] if single else ["folds", "fold mean", "sd"]
    head += ["training"] if result.training else []
    body = []
    for name in result:
        estimate = result[name]
        line = [metric_title(name), _number(estimate.value), format_interval(estimate) or "-"]
        if not single:
            line += [
                "nested" if name in result.nested else result.combination(name),
                _number(result.averaged(name).value),
                _number(result.spread(name)),
            ]
        body.append(line + ([_number(result.training.get(name))] if result.training else []))
    return grid_blocks(head, body, max_width=max_width)


def _number(value: Any) -> str:
    return "-" if value is None or isinstance(value, Undefined) else format_value(value)


def _notes(result: CrossValidation, max_width: int) -> Iterator[str]:
    """Yield notes: the band of kappa, methods of intervals, naive intervals, what the estimates are of."""
    for name in result:
        estimate = result[name]
        if result.metric_spec(name).metric.name == "kappa":
            words = hint(estimate.value, "altman", low=estimate.low, high=estimate.high)
            if words:
                yield from paragraph(f"{metric_title(name)}: {words}.", max_width=max_width, indent=2)
        if estimate.defined and estimate.note:
            yield from paragraph(f"{metric_title(name)}: {estimate.note}.", max_width=max_width, indent=2)
    methods: dict[str, list[str]] = {}
    for name in result:
        if result[name].method:
            methods.setdefault(result[name].method, []).append(metric_title(name))
    for method, names in methods.items():
        whose = "Intervals" if len(methods) == 1 else f"{listed(names)}: intervals"
        yield from paragraph(f"{whose} by {method}{_ABOUT.get(method, '')}.", max_width=max_width, indent=2)
    if len(result.folds) > 1:
        narrow = [
            f"{metric_title(name)} {interval}".replace(" ", "\xa0")
            for name in result
            if (interval := format_interval(result.naive(name)))
        ]
        if narrow:
            yield from paragraph(
                f"Optimistic, as if folds were independent: {', '.join(narrow)}.",
                max_width=max_width,
                indent=2,
            )
    whose = "models trained this way on other rows" if len(result.folds) > 1 else "this one model"
    yield from paragraph(f"Estimates are for {whose}, on unseen data.", max_width=max_width, indent=2)
    if result.training:
        yield from paragraph(
            "Training: a model trained on all rows, evaluated on the same rows, which is optimistic.",
            max_width=max_width,
            indent=2,
        )


_ABOUT = {
    "corrected resampled t": " (Nadeau and Bengio), for folds that share training rows",
    "influence curves": " (LeDell, Petersen and van der Laan), for the mean of these very models",
}


def _bootstrap(result: CrossValidation, max_width: int) -> list[str]:
    head = ["", "training", "out of bag", ".632", ".632+", "by chance", "overfit", "weight"]
    body = []
    for name, bag in result.bootstrap.items():
        values = [bag.apparent, bag.out_of_bag, bag.err632, bag.err632plus, bag.no_information]
        values += [bag.relative_overfitting, bag.weight]
        body.append([metric_title(name), *map(_number, values)])
    lines = grid_blocks(head, body, max_width=max_width)
    note = (
        "Out of bag: mean over the replicates that left a row out, then over rows; of metrics that are no "
        "mean of rows, over replicates. Overfit: 0 not at all, 1 as far as chance; weight: of the "
        "out-of-bag value in .632+."
    )
    return [*lines, *paragraph(note, max_width=max_width, indent=2)]


def _folds(result: CrossValidation, max_width: int) -> Iterator[list[str]]:
    """Yield the tables of the folds' values, or of how they lie where there are many."""
    names = list(result)
    count = max((max_width - _COLUMN) // _COLUMN, 1)
    for start in range(0, len(names), count):
        chosen = names[start : start + count]
        values = [result.per_fold(name) for name in chosen]
        if len(result.folds) <= _MAX_LISTED_FOLDS:
            labels = [
                f"{fold.repeat + 1}.{fold.fold + 1}" if result.repeats > 1 else str(fold.fold + 1)
                for fold in result.folds
            ]
            body = [
                [label, *map(_number, line)]
                for label, line in zip(labels, zip(*values, strict=True), strict=True)
            ]
            first = "repeat.fold" if result.repeats > 1 else "fold"
        else:
            body, first = _quantiles(values), f"of {len(result.folds):,}"
        yield grid([first, *map(metric_title, chosen)], body, max_width=max_width)


def _quantiles(values: Sequence[Sequence[Any]]) -> list[list[str]]:
    words = ("minimum", "lower quarter", "median", "upper quarter", "maximum")
    columns = []
    for of_metric in values:
        known = [float(value) for value in of_metric if not isinstance(value, Undefined)]
        finite = bool(known) and all(map(math.isfinite, known))
        columns.append(
            [format_value(float(cut)) for cut in np.quantile(known, (0, 0.25, 0.5, 0.75, 1))]
            if finite
            else ["-"] * len(words)
        )
    return [[word, *line] for word, line in zip(words, zip(*columns, strict=True), strict=True)]


def _problems(problems: Sequence[Diagnostic], total: int, max_width: int) -> Iterator[str]:
    """Yield one diagnostic of each kind, with how many folds have it."""
    for kind, several in itertools.groupby(
        sorted(problems, key=_order), key=lambda diagnostic: diagnostic.kind
    ):
        alike = list(several)
        folds = list(dict.fromkeys(diagnostic.where for diagnostic in alike))
        if alike[0].where is None:
            for diagnostic in alike:
                yield from paragraph(f"! {_capital(diagnostic.what)}", max_width=max_width, indent=2)
            continue
        if len(folds) == 1:
            yield from paragraph(
                f"! {_capital(folds[0] or '')}: {alike[0].what}", max_width=max_width, indent=2
            )
            continue
        yield from paragraph(
            f"! {len(folds):,} of {total:,} folds {_HEADS[kind]}, such as {folds[0]}: {alike[0].what}",
            max_width=max_width, indent=2,
        )  # fmt: skip


def _order(problem: Diagnostic) -> int:
    return [*_HEADS, "preprocessing"].index(problem.kind)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
