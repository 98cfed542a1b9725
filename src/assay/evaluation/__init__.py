"""The one call that walks the whole way: from rows to every figure with its interval."""

from assay.evaluation.evaluate import evaluate
from assay.evaluation.evaluation import Evaluation

__all__ = ["Evaluation", "evaluate"]
