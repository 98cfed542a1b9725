"""Interval formulas and standard errors of single quantities, each with its reference."""
