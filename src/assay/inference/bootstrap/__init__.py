"""The bootstrap: resampled tallies and rows, and limits from replicates."""
