"""The exit codes of the program."""

from __future__ import annotations

__all__ = ["CHANGED", "FINE", "INTERNAL", "NOT_MET", "NO_LOOKS", "WRONG", "of_signal"]

FINE = 0
NOT_MET = 1  # a requirement
WRONG = 2  # what was typed, a file, or the system: a full disk, say
CHANGED = 3  # the plan or its test set, since the plan was sealed
NO_LOOKS = 4  # of those that the plan allows are left
INTERNAL = 70  # an error of ours, as sysexits.h has it


def of_signal(number: int) -> int:
    """Return the code of a program that a signal ended, as shells report it.

    >>> of_signal(2), of_signal(15)
    (130, 143)
    """
    return 128 + number
