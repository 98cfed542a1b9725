"""Metrics of scores and of ranked lists."""
