"""Comparing models: the functions people call, and their results."""
