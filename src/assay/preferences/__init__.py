"""Models ranked by pairwise preferences."""
