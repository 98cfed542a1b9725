"""The one call that walks the whole way: from rows to every figure with its interval."""

from assay.evaluation.evaluation import Evaluation
from assay.evaluation.gathered import evaluate
from assay.evaluation.stored import load

__all__ = ["Evaluation", "evaluate", "load"]
