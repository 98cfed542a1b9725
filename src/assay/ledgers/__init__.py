"""Ledgers: stores of evaluations that count every look at a test set."""
