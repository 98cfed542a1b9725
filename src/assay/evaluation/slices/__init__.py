"""The evaluation of each slice of the rows, and its test against the rest."""
