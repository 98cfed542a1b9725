"""Which runs a page is about: search, filters and order, as its address states them."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from assay.errors import MetricError
from assay.evaluation.default_metrics import default_metrics
from assay.formatting.width import short
from assay.inference.differences.difference import direction
from assay.metrics.spec import MetricSpec
from assay.server.run_index import key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assay.server.run_index import Run

__all__ = [
    "Selection",
    "better_direction",
    "choices",
    "confidence_text",
    "known_metrics",
    "main_metrics",
    "short_test",
    "shown_name",
    "sorted_runs",
]

_MAX_CHOICES: Final = 200  # of a list to choose from
_DATE: Final = re.compile(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?")
_NAMES: Final = ("q", "model", "test", "task", "tag", "since", "until")
_MAX_COLUMNS: Final = 3
_CONFIDENCE: Final = 0.95  # the usual one
_COLUMNS: Final[Mapping[str, Callable[[Run], Any]]] = {
    "run": lambda run: run.number,
    "time": lambda run: run.time,
    "model": lambda run: run.model.casefold(),
    "test": lambda run: run.test,
    "rows": lambda run: run.rows,
    "look": lambda run: run.look,
}


@dataclasses.dataclass(frozen=True)
class Selection:
    """A search and filters; what is "" filters nothing."""

    q: str = ""
    model: str = ""
    test: str = ""
    task: str = ""
    tag: str = ""
    since: str = ""
    until: str = ""

    @classmethod
    def of(cls, parameters: Mapping[str, Sequence[str]]) -> Selection:
        """Return the selection of an address; dates that are none are left out.

        >>> Selection.of({"q": ["forest"], "since": ["yesterday"]})
        Selection(q='forest', model='', test='', task='', tag='', since='', until='')
        """
        given = {name: parameters[name][0].strip() for name in _NAMES if parameters.get(name)}
        for name in ("since", "until"):
            if not _DATE.fullmatch(given.get(name, "")):
                given.pop(name, None)
        return cls(**given)

    def of_runs(self, runs: Sequence[Run]) -> list[Run]:
        """Return the runs that it selects, in their order."""
        found = list(runs)
        for word in self.q.casefold().split():
            found = [run for run in found if word in run.search]
        if self.model:
            found = [run for run in found if key_of(run.model) == self.model]
        if self.test:
            found = [run for run in found if run.test == self.test]
        if self.task:
            found = [run for run in found if run.task == self.task]
        if self.tag:
            found = [run for run in found if any(key_of(tag) == self.tag for tag in run.tags)]
        if self.since:
            found = [run for run in found if run.time >= self.since]
        if self.until:
            found = [run for run in found if run.time[: len(self.until)] <= self.until]
        return found

    def to_dict(self) -> dict[str, str]:
        """Return what it states, as an address has it."""
        return {name: value for name, value in dataclasses.asdict(self).items() if value}


def choices(counts: Counter[str]) -> list[dict[str, Any]]:
    """Return what runs can be filtered by, the most frequent first.

    >>> choices(Counter({"nightly": 3}))
    [{'key': 'nightly', 'name': 'nightly', 'runs': 3}]
    """
    found = counts.most_common(_MAX_CHOICES)
    return [{"key": key_of(name), "name": shown_name(name), "runs": number} for name, number in found]


def known_metrics(runs: Sequence[Run]) -> list[str]:
    """Return all metrics that runs have, those of most runs first."""
    counts: Counter[str] = Counter()
    for metrics, number in Counter(run.metrics for run in runs).items():
        for name in sorted(metrics):
            counts[name] += number
    return [name for name, _ in counts.most_common()]


def main_metrics(runs: Sequence[Run], known: Sequence[str]) -> list[str]:
    """Return the few metrics that say most of the tasks of runs."""
    tasks = [task for task, _ in Counter(run.task for run in runs).most_common()]
    found = [name for task in tasks for name in _highlights(task) if name in known]
    return list(dict.fromkeys(found))[:_MAX_COLUMNS] or list(known[:_MAX_COLUMNS])


def _highlights(task: str) -> list[str]:
    try:
        names = default_metrics(task, "highlight")
    except KeyError:  # of another version
        return []
    # The area under the ROC curve comes first where there is one: it needs no threshold.
    return sorted(names, key=lambda name: name != "auc")


def better_direction(metric: str) -> int:
    """Return 1 where more of a metric is better, -1 where less is, 0 where neither can be said."""
    try:
        return direction(MetricSpec.of(metric).metric)
    except MetricError:
        return 0


def sorted_runs(runs: Sequence[Run], by: str) -> list[Run]:
    """Return runs by a column, in falling order with a minus before its name; those without a value last."""
    name = by.removeprefix("-")
    value: Callable[[Run], Any] = _COLUMNS.get(name) or (lambda run: run.estimates.get(name, (None,))[0])
    newest = runs[::-1]  # first among runs of the same value
    there = sorted((run for run in newest if value(run) is not None), key=value, reverse=by.startswith("-"))
    return there + [run for run in newest if value(run) is None]


def shown_name(name: object, columns: int = 60) -> str:
    """Return a name as pages show it, cut in its middle where it is long; nothing where there is none.

    >>> shown_name("forest"), shown_name("")
    ('forest', '')
    """
    return short(name, columns) if name not in {None, ""} else ""


def confidence_text(runs: Sequence[Run]) -> str:
    """Return the confidence of the intervals of runs: "95%", or "90% to 95%" where they differ."""
    levels = sorted({run.confidence for run in runs if run.confidence is not None}) or [_CONFIDENCE]
    return " to ".join(f"{100 * level:.4g}%" for level in dict.fromkeys((levels[0], levels[-1])))


def short_test(test: str) -> str:
    """Return the first digits of a test set's identity, by which it is called."""
    return test[:8]
