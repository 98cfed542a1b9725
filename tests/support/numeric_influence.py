"""What a row's weight does to a metric, found by moving it a little: the second way to every influence."""

import numpy as np

STEP = 1e-6


def nudged(value_of, weight):
    """The slope of a value by each row's weight; `value_of` takes all of them."""
    slopes = []
    for row in range(len(weight)):
        ends = []
        for step in (-STEP, STEP):
            moved = np.array(weight, dtype=np.float64)
            moved[row] += step
            ends.append(value_of(moved))
        slopes.append((ends[1] - ends[0]) / (2 * STEP))
    return np.array(slopes)
