"""Differences between models on the same rows or on other rows, with tests and intervals."""
