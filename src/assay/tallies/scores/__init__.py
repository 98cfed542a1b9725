"""Tallies of scores: exact, in bins, streaming, and of several classes."""
