"""Exact, mergeable state: what is kept of the rows once they have been read."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.tallies.binned import BinnedScores
    from assay.tallies.cases import Cases
    from assay.tallies.class_scores import ClassScores
    from assay.tallies.collection import Collection
    from assay.tallies.confidences import Confidences
    from assay.tallies.confusion import Confusion
    from assay.tallies.grouped import Grouped
    from assay.tallies.label_sets import LabelSets
    from assay.tallies.losses import Losses
    from assay.tallies.moments import Moments, Sums
    from assay.tallies.number_pairs import NumberPairs
    from assay.tallies.paired import PairedLabels, PairedScores
    from assay.tallies.perhaps import Perhaps
    from assay.tallies.queries import Queries
    from assay.tallies.scores import Scores
    from assay.tallies.tally import Tally, from_bytes, merge
    from assay.tallies.traits import Traits
    from assay.tallies.values import Values

# Each tally is loaded when first used: a caller of one need not wait for all of them.
_HOMES = {
    "binned": ("BinnedScores",),
    "cases": ("Cases",),
    "class_scores": ("ClassScores",),
    "collection": ("Collection",),
    "confidences": ("Confidences",),
    "confusion": ("Confusion",),
    "grouped": ("Grouped",),
    "label_sets": ("LabelSets",),
    "losses": ("Losses",),
    "moments": ("Moments", "Sums"),
    "number_pairs": ("NumberPairs",),
    "paired": ("PairedLabels", "PairedScores"),
    "perhaps": ("Perhaps",),
    "queries": ("Queries",),
    "scores": ("Scores",),
    "tally": ("Tally", "from_bytes", "merge"),
    "traits": ("Traits",),
    "values": ("Values",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BinnedScores",
    "Cases",
    "ClassScores",
    "Collection",
    "Confidences",
    "Confusion",
    "Grouped",
    "LabelSets",
    "Losses",
    "Moments",
    "NumberPairs",
    "PairedLabels",
    "PairedScores",
    "Perhaps",
    "Queries",
    "Scores",
    "Sums",
    "Tally",
    "Traits",
    "Values",
    "from_bytes",
    "merge",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'assay.tallies' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"assay.tallies.{home}"), name)
    globals()[name] = value
    return value


def load_all() -> None:
    """Load every kind of tally, so that bytes of any of them can be read."""
    for home in _HOMES:
        importlib.import_module(f"assay.tallies.{home}")
