"""Exact, mergeable state: what is kept of the rows once they have been read."""

from assay.tallies.binned import BinnedScores
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
from assay.tallies.queries import Queries
from assay.tallies.scores import Scores
from assay.tallies.tally import Tally, from_bytes, merge
from assay.tallies.values import Values

__all__ = [
    "BinnedScores",
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
    "Queries",
    "Scores",
    "Sums",
    "Tally",
    "Values",
    "from_bytes",
    "merge",
]
