"""Exact, mergeable state: what is kept of the rows once they have been read."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.tallies.bounded import BoundedTally
    from assay.tallies.collection import Collection
    from assay.tallies.column_profile import ColumnProfile
    from assay.tallies.column_tallies import ColumnTallies
    from assay.tallies.confusion import Confusion
    from assay.tallies.distinct_values import Values
    from assay.tallies.fingerprint import Fingerprint
    from assay.tallies.grouped import Grouped
    from assay.tallies.losses import Losses
    from assay.tallies.moments import Moments, Sums
    from assay.tallies.multilabel import LabelSets
    from assay.tallies.paired import PairedLabels, PairedScores
    from assay.tallies.preferences import Preferences
    from assay.tallies.ranked_lists import Queries
    from assay.tallies.ratings import Ratings
    from assay.tallies.run_counts import RunCounts
    from assay.tallies.scores.binned import BinnedScores
    from assay.tallies.scores.multiclass_scores import ClassScores
    from assay.tallies.scores.scores import Scores
    from assay.tallies.scores.top_label import Confidences
    from assay.tallies.stored_rows import StoredRows
    from assay.tallies.tally import Tally, from_bytes, merge
    from assay.tallies.value_pairs import NumberPairs

# Each tally is loaded when first used: a caller of one need not wait for all of them.
_HOMES = {
    "scores.binned": ("BinnedScores",),
    "stored_rows": ("StoredRows",),
    "scores.multiclass_scores": ("ClassScores",),
    "collection": ("Collection",),
    "scores.top_label": ("Confidences",),
    "confusion": ("Confusion",),
    "fingerprint": ("Fingerprint",),
    "grouped": ("Grouped",),
    "multilabel": ("LabelSets",),
    "losses": ("Losses",),
    "moments": ("Moments", "Sums"),
    "value_pairs": ("NumberPairs",),
    "paired": ("PairedLabels", "PairedScores"),
    "preferences": ("Preferences",),
    "bounded": ("BoundedTally",),
    "ranked_lists": ("Queries",),
    "ratings": ("Ratings",),
    "run_counts": ("RunCounts",),
    "scores.scores": ("Scores",),
    "tally": ("Tally", "from_bytes", "merge"),
    "column_profile": ("ColumnProfile",),
    "column_tallies": ("ColumnTallies",),
    "distinct_values": ("Values",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BinnedScores",
    "BoundedTally",
    "ClassScores",
    "Collection",
    "ColumnProfile",
    "ColumnTallies",
    "Confidences",
    "Confusion",
    "Fingerprint",
    "Grouped",
    "LabelSets",
    "Losses",
    "Moments",
    "NumberPairs",
    "PairedLabels",
    "PairedScores",
    "Preferences",
    "Queries",
    "Ratings",
    "RunCounts",
    "Scores",
    "StoredRows",
    "Sums",
    "Tally",
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
