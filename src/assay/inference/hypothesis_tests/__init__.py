"""Hypothesis tests of tables, paired models and many data sets, and corrections for many tests."""
