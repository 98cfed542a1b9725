"""Curves over all thresholds: ROC, precision-recall and their kin."""
