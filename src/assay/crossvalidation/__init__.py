"""Cross-validation, learning curves and bootstrap estimates of error: models are fitted and evaluated."""
