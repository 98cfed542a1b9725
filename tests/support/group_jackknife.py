"""Standard errors of rows in groups, the long way: groups are left out one by one."""

import math

import numpy as np


def jackknife_error(value_of, groups):
    """The error of a value by leaving out each group; `value_of` takes which rows stay.

    Groups without which nothing changes because they have no row that counts are for the caller to leave out.
    """
    everything = np.ones(len(groups), dtype=bool)
    labels = np.unique(groups)
    changes = [value_of(groups != label) - value_of(everything) for label in labels]
    return math.sqrt((len(labels) - 1) / len(labels) * math.fsum(change**2 for change in changes))


def leverage_error(slopes, weight, groups, labels):
    """The error of a metric that is no mean, by its slopes at the rows and columns of their labels.

    Each group's sum of slopes is divided by one less the group's share in the information. A row's is its
    weight times the mean squared slope of its label; of several columns of labels, the one by which the
    groups' squared weights count for the fewest groups of equal size is taken.
    """
    choices = []
    for column in labels:
        info, expected = {}, {}
        for label in np.unique(column):
            own = column == label
            mean = np.average(slopes[own] ** 2, weights=weight[own])
            for group in np.unique(groups):
                mine = weight[own & (groups == group)]
                info[group] = info.get(group, 0.0) + mean * mine.sum()
                expected[group] = expected.get(group, 0.0) + mean * (mine**2).sum()
        number = sum(expected.values()) ** 2 / sum(size**2 for size in expected.values())
        choices.append((number, info))
    _, info = min(choices, key=lambda choice: choice[0])
    total, some = sum(info.values()), [group for group, size in info.items() if size > 0]
    squares = []
    for group in np.unique(groups):
        mine = groups == group
        squares.append((weight[mine] @ slopes[mine] / (1 - info[group] / total)) ** 2)
    return math.sqrt((len(some) - 1) / len(some) * math.fsum(squares))
