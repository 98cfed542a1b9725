"""The influence of each row on a metric: the source of standard errors.

The modules below register their functions with :func:`assay.inference.influence.influence.influence`.
"""

from assay.inference.influence import (
    confusion,
    multiclass_ranking,
    multilabel,
    multioutput,
    probability,
    rank_correlation,
    ranking,
    regression,
    row_means,
)

__all__ = [
    "confusion",
    "multiclass_ranking",
    "multilabel",
    "multioutput",
    "probability",
    "rank_correlation",
    "ranking",
    "regression",
    "row_means",
]
