"""How far lines are from each other: for curves that were simplified."""

import numpy as np


def distances(points, line):
    """Return how far each point is from the nearest place on a line of straight pieces."""
    start, piece = line[:-1], np.diff(line, axis=0)
    length = np.maximum((piece**2).sum(1), 1e-300)
    nearest = np.full(len(points), np.inf)
    for first in range(0, len(start), 400):
        part = slice(first, first + 400)
        away = points[:, None] - start[part]
        share = np.clip((away * piece[part]).sum(-1) / length[part], 0, 1)
        gap = np.hypot(*np.moveaxis(away - share[..., None] * piece[part], -1, 0))
        nearest = np.minimum(nearest, gap.min(1))
    return nearest


def in_between(line, pieces=9):
    """Return places along a line, its corners among them."""
    shares = np.linspace(0, 1, pieces)[:, None, None]
    return (line[:-1] * (1 - shares) + line[1:] * shares).reshape(-1, 2)
