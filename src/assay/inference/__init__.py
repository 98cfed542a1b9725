"""How sure: intervals and tests from the same tallies the metrics read."""
