"""Metrics of predicted probabilities: proper scores and calibration."""
