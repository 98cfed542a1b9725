"""The registry of metrics: every metric by its name, its aliases and the names that other packages use."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any

from assay.errors import MetricError
from assay.metrics.peer_names import AMBIGUOUS, PEER_NAMES, PEER_SPECS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.metrics.metric import Metric

__all__ = [
    "catalogue",
    "find",
    "nearest",
    "options_near",
    "peer_spec",
    "register",
    "specs_by_name",
    "split_average",
    "split_averaged",
    "unregister",
]

_registry: dict[str, Metric] = {}
_names: dict[str, Metric] = {}  # with the aliases
_titles: dict[str, Metric] = {}  # as reports print them
specs_by_name: dict[str, Any] = {}  # the MetricSpec of each name that was read
_MIN_SIMILARITY = 0.7  # of two words, of 1, where one may be a misspelling of the other
_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # in CamelCase
_AVERAGES = r"(macro|micro|variance[\s_-]weighted|weighted|samples)"
_AVERAGE_FIRST = re.compile(_AVERAGES + r"[\s_:-]+(\S.*)", re.IGNORECASE)
_AVERAGE_LAST = re.compile(r"(\S.*?)[\s_:-]+" + _AVERAGES, re.IGNORECASE)  # scikit-learn's scorers
_MEAN_FIRST = re.compile(r"(mean)[\s_]+(\S.*)", re.IGNORECASE)  # caret's multiClassSummary


def register(metric: Metric) -> None:
    """Add a metric; one that is declared again in the same module replaces the former."""
    former = _registry.get(metric.name)
    if former is not None and former.home == metric.home:
        unregister(former)
    for name in (metric.name, *metric.aliases):
        if name in _names:
            raise MetricError(f"two metrics are called {name!r}: {_names[name].name} and {metric.name}.")
        _names[name] = metric
    _titles.setdefault(_plain(metric.title), metric)
    _registry[metric.name] = metric
    specs_by_name.clear()  # some may now mean this metric


def unregister(metric: Metric) -> None:
    """Take a metric out again, with its aliases."""
    for names in (_registry, _names, _titles):
        for name in [name for name, known in names.items() if known is metric]:
            del names[name]
    specs_by_name.clear()


def catalogue() -> tuple[Metric, ...]:
    """Return every metric there is, in the order of declaration.

    Returns
    -------
    tuple[Metric, ...]
        All metrics.

    Examples
    --------
    >>> [metric.name for metric in catalogue()[:3]]
    ['recall', 'specificity', 'precision']
    """
    return tuple(_registry.values())


def find(name: str) -> Metric:
    """Return the metric of a name, an alias, a printed title, or a name that another package uses.

    Capitals, spaces, hyphens, CamelCase and a final ``_score`` do not matter.

    Parameters
    ----------
    name
        A name, in whatever spelling.

    Returns
    -------
    Metric
        The metric.

    Raises
    ------
    MetricError
        There is none of that name: near ones are named.

    Examples
    --------
    >>> [find(name).name for name in ("PPV", "F1Score", "recall (TPR)", "Pos Pred Value", "mn_log_loss")]
    ['precision', 'f1', 'recall', 'precision', 'log_loss']
    """
    if not isinstance(name, str):
        raise MetricError(f"a metric is found by its name, not by {name!r}.")
    if name in _names:
        return _names[name]
    spellings = list(_spellings(name.strip()))
    for spelling in spellings:
        if known := _names.get(spelling) or _titles.get(spelling):
            return known
        if spelling in AMBIGUOUS:
            raise MetricError(f'"{name}" has several meanings: say {AMBIGUOUS[spelling]}.')
        if spelling in PEER_NAMES:
            return _names[PEER_NAMES[spelling]]
    words = {spelling.replace("_", "") for spelling in spellings}  # "logloss", "f1score"
    words |= {word.removesuffix("score") for word in words}
    same = {known for word, known in _names.items() if word.replace("_", "") in words}
    if len(same) == 1:
        return same.pop()
    raise MetricError(_unknown(name))


def peer_spec(name: str) -> tuple[str, dict[str, Any]] | None:
    """Return our metric and the options that another package's name stands for, where it needs options."""
    return next((PEER_SPECS[spelling] for spelling in _spellings(name) if spelling in PEER_SPECS), None)


def split_average(text: str) -> tuple[str, str] | None:
    """Return the average over classes that a name states, and the name without it; None without one.

    >>> split_average("macro f1"), split_average("f1_weighted"), split_average("f1")
    (('macro', 'f1'), ('weighted', 'f1'), None)
    """
    text = text.strip()
    if match := _AVERAGE_FIRST.fullmatch(text):
        return _plain(match[1]), match[2]
    if match := _AVERAGE_LAST.fullmatch(text):
        return _plain(match[2]), match[1]
    if (match := _MEAN_FIRST.fullmatch(text)) and _averaged(match[2]):
        return "macro", match[2]
    return None


def split_averaged(text: str) -> tuple[str, Metric] | None:
    """Return the average over classes that a name states, and the metric that is averaged; None without.

    A metric whose own name begins with an average, such as weighted_kappa, has none.
    """
    parts = None if _is_name(text) else split_average(text)
    if parts is None:
        return None
    if _averaged(parts[1]) or (_plain(text) not in _names and _averaged(parts[1], over_columns=True)):
        return parts[0], find(parts[1])
    return None


def nearest(word: str, known: Iterable[str], *, limit: int = 1) -> list[str]:
    """Return the words that another is likely to be a misspelling of, the likeliest first."""
    return difflib.get_close_matches(word.lower(), list(known), n=limit, cutoff=_MIN_SIMILARITY)


def _spellings(text: str) -> Iterator[str]:
    """Yield a name as it is written, then in our spelling, with and without other packages' additions."""
    yield text
    for plain in dict.fromkeys((_plain(_WORD_STARTS.sub("_", text)), _plain(text))):
        for whole in (plain, plain.removeprefix("binary_")):  # torchmetrics has BinaryF1Score
            yield whole
            yield whole.removesuffix("_score")  # scikit-learn has f1_score


def _plain(text: str) -> str:
    return re.sub(r"[\s\-_]+", "_", text.strip()).lower()


def _is_name(text: str) -> bool:
    """Tell whether a text is the name of a metric, as it is or in words, and not one of its aliases."""
    return _plain(text) in _registry


def _averaged(name: str, *, over_columns: bool = False) -> bool:
    """Tell whether a name is of a metric that can be averaged over classes, or over labels and outputs."""
    try:
        metric = find(name)
    except MetricError:
        return False
    return metric.averages_over_columns if over_columns else metric.averages_over_classes


def _unknown(name: str) -> str:
    """Return the message for a name that no metric has, with what may be meant."""
    plain = _plain(name)
    if plain.startswith("neg_"):  # scikit-learn's scorers
        try:
            meant = find(plain.removeprefix("neg_")).name
        except MetricError:
            pass
        else:
            return (
                f'there is no metric "{name}": losses are not negated here, and each metric says itself '
                f"whether less of it is better. Say {meant}."
            )
    if (spec := peer_spec(name)) is not None:
        ours, options = spec
        text = ", ".join(f"{key}={value!r}" for key, value in options.items())
        return f'there is no metric "{name}" without options: say {ours} with {text}.'
    if (averaged := split_averaged(name)) is not None:
        average, metric = averaged
        return f'"{name}" is an average over classes: say {metric.name} with average="{average}".'
    near: dict[str, str] = {}  # one name for each metric, the nearest
    for word in nearest(plain, _names, limit=3):
        near.setdefault(_names[word].name, word)
    advice = f"Did you mean {' or '.join(near.values())}?" if near else "The command assay metrics lists all."
    return f'there is no metric "{name}". {advice}'


def options_near(unknown: Iterable[str], known: Iterable[str]) -> str:
    """Return a hint at the options that misspelt ones are likely to mean, or nothing."""
    known = list(known)
    meant: dict[str, Any] = {near[0]: None for name in sorted(unknown) if (near := nearest(name, known))}
    return f" Did you mean {' and '.join(meant)}?" if meant else ""
