"""Questions that models answered several times."""
