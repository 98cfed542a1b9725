"""A cross-validation as text: figures with intervals, fold by fold, and what is to be said against it."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.formatting.table import grid, listed, paragraph
from assay.formatting.width import clean
from assay.metrics import Undefined
from assay.metrics.interpretation import hint
from assay.reports.summary import shown_interval, shown_name, shown_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.crossvalidation.crossvalidation import CrossValidation
    from assay.crossvalidation.diagnostics import Diagnostic

__all__ = ["draw"]

_MOST_FOLDS = 20  # that are listed one by one
_COLUMN = 11  # columns of a figure in the list of folds
_HEADS = {
    "failure": "failed",
    "undefined": "have a figure without a value",
    "classes": "lack a class",
    "groups": "split groups",
    "time": "reverse time",
    "copies": "share rows",
}


def draw(found: CrossValidation, *, width: int = 80) -> str:
    """Return a cross-validation as lines of at most so many columns."""
    parts = [_title(found, width), _figures(found, width)]
    parts += [list(notes)] if (notes := list(_notes(found, width))) else []
    parts += [_bootstrap(found, width)] if found.drawn else []
    parts += list(_folds(found, width)) if len(found.folds) > 1 else []
    parts += [list(_problems(found.problems, len(found.folds), width))] if found.problems else []
    return "\n\n".join("\n".join(part) for part in parts)


def _title(found: CrossValidation, room: int) -> list[str]:
    sizes = [_range([getattr(fold, size) for fold in found.folds]) for size in ("n_train", "n_test")]
    learnt = "draws" if found.how.startswith("bootstrap") else "rows"
    lines = paragraph(f"{clean(found.name)}: {found.how} of {found.n:,} rows", room=room)
    others = "other" if sizes[1] == "1" else "others"
    return lines + paragraph(
        f"each model learns from {sizes[0]} {learnt} and is tested on {sizes[1]} {others}", room=room
    )


def _range(sizes: Sequence[int]) -> str:
    least, largest = min(sizes), max(sizes)
    return f"{least:,}" if least == largest else f"{least:,} to {largest:,}"


def _figures(found: CrossValidation, room: int) -> list[str]:
    single = len(found.folds) == 1
    head = ["", "estimate", f"{100 * found.confidence:g}% interval"]
    head += [] if single else ["folds", "fold mean", "sd"]
    head += ["training"] if found.training else []
    body = []
    for name in found:
        estimate = found[name]
        line = [shown_name(name), _number(estimate.value), shown_interval(estimate) or "-"]
        if not single:
            line += [
                "nested" if name in found.nested else found.combination(name),
                _number(found.averaged(name).value),
                _number(found.spread(name)),
            ]
        body.append(line + ([_number(found.training.get(name))] if found.training else []))
    return grid(head, body, room=room)


def _number(value: Any) -> str:
    return "-" if value is None or isinstance(value, Undefined) else shown_value(value)


def _notes(found: CrossValidation, room: int) -> Iterator[str]:
    """Yield the band of kappa, how intervals were made, which would be too narrow, whose the figures are."""
    for name in found:
        figure, estimate = found.figure(name), found[name]
        if figure.metric.name == "kappa":
            said = hint(estimate.value, "altman", low=estimate.low, high=estimate.high)
            if said:
                yield from paragraph(f"{shown_name(name)}: {said}.", room=room, indent=2)
        if estimate.defined and estimate.note:
            yield from paragraph(f"{shown_name(name)}: {estimate.note}.", room=room, indent=2)
    methods: dict[str, list[str]] = {}
    for name in found:
        if found[name].method:
            methods.setdefault(found[name].method, []).append(shown_name(name))
    for method, names in methods.items():
        whose = "Intervals" if len(methods) == 1 else f"{listed(names)}: intervals"
        yield from paragraph(f"{whose} by {method}{_ABOUT.get(method, '')}.", room=room, indent=2)
    if len(found.folds) > 1:
        narrow = [
            f"{shown_name(name)} {interval}".replace(" ", "\xa0")
            for name in found
            if (interval := shown_interval(found.naive(name)))
        ]
        if narrow:
            yield from paragraph(
                f"Optimistic, as if folds were independent: {', '.join(narrow)}.", room=room, indent=2
            )
    whose = "models learnt alike from other rows" if len(found.folds) > 1 else "this one model"
    yield from paragraph(f"Estimates are for {whose}, judged by rows to come.", room=room, indent=2)
    if found.training:
        yield from paragraph(
            "Training: of a model of all rows on these very rows, which is optimistic.", room=room, indent=2
        )


_ABOUT = {
    "corrected resampled t": " (Nadeau and Bengio), for folds that learn from the same rows",
    "influence curves": " (LeDell, Petersen and van der Laan), for the mean of these very models",
}


def _bootstrap(found: CrossValidation, room: int) -> list[str]:
    head = ["", "training", "out of bag", ".632", ".632+", "by chance", "overfit", "weight"]
    body = []
    for name, bag in found.drawn.items():
        figures = [bag.apparent, bag.out_of_bag, bag.err632, bag.err632plus, bag.no_information]
        figures += [bag.relative_overfitting, bag.weight]
        body.append([shown_name(name), *map(_number, figures)])
    lines = grid(head, body, room=room)
    note = (
        "Out of bag: mean over the replicates that left a row out, then over rows; of figures that are no "
        "mean of rows, over replicates. Overfit: 0 not at all, 1 as far as chance; weight: of the "
        "out-of-bag figure in .632+."
    )
    return [*lines, *paragraph(note, room=room, indent=2)]


def _folds(found: CrossValidation, room: int) -> Iterator[list[str]]:
    """Yield the tables of the folds' values, or of how they lie where there are many."""
    names = list(found)
    most = max((room - _COLUMN) // _COLUMN, 1)
    for start in range(0, len(names), most):
        chosen = names[start : start + most]
        values = [found.per_fold(name) for name in chosen]
        if len(found.folds) <= _MOST_FOLDS:
            labels = [
                f"{fold.repeat + 1}.{fold.fold + 1}" if found.repeats > 1 else str(fold.fold + 1)
                for fold in found.folds
            ]
            body = [
                [label, *map(_number, line)]
                for label, line in zip(labels, zip(*values, strict=True), strict=True)
            ]
            first = "repeat.fold" if found.repeats > 1 else "fold"
        else:
            body, first = _quantiles(values), f"of {len(found.folds):,}"
        yield grid([first, *map(shown_name, chosen)], body, room=room)


def _quantiles(values: Sequence[Sequence[Any]]) -> list[list[str]]:
    words = ("least", "lower quarter", "median", "upper quarter", "largest")
    columns = []
    for one in values:
        known = [float(value) for value in one if not isinstance(value, Undefined)]
        finite = bool(known) and all(map(math.isfinite, known))
        columns.append(
            [shown_value(float(cut)) for cut in np.quantile(known, (0, 0.25, 0.5, 0.75, 1))]
            if finite
            else ["-"] * len(words)
        )
    return [[word, *line] for word, line in zip(words, zip(*columns, strict=True), strict=True)]


def _problems(problems: Sequence[Diagnostic], total: int, room: int) -> Iterator[str]:
    """Yield what is to be said, one of each kind with how many folds have it."""
    for kind, several in itertools.groupby(sorted(problems, key=_order), key=lambda one: one.kind):
        alike = list(several)
        places = list(dict.fromkeys(one.where for one in alike))
        if alike[0].where is None:
            for one in alike:
                yield from paragraph(f"! {_capital(one.what)}", room=room, indent=2)
            continue
        if len(places) == 1:
            yield from paragraph(f"! {_capital(places[0] or '')}: {alike[0].what}", room=room, indent=2)
            continue
        yield from paragraph(
            f"! {len(places):,} of {total:,} folds {_HEADS[kind]}, such as {places[0]}: {alike[0].what}",
            room=room, indent=2,
        )  # fmt: skip


def _order(problem: Diagnostic) -> int:
    return [*_HEADS, "preprocessing", "looks"].index(problem.kind)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
