"""What a formula sees of a tally: one view for each family of metrics."""
