"""Degrees of freedom of the cluster jackknife's variance by whole matrices."""

import numpy as np


def jackknife_df(shares, variances):
    """Return Satterthwaite's degrees of freedom of the sum of squared changes by leaving out each cluster."""
    shares = np.asarray(shares, dtype=float) / np.sum(shares)
    residual = np.eye(len(shares)) - np.outer(np.ones(len(shares)), shares)
    moved = np.diag(shares / (1 - shares)) @ residual
    form = moved @ np.diag(variances) @ moved.T
    return np.trace(form) ** 2 / np.trace(form @ form)
