"""The kinds of problem, and what is known of one."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from assay.inputs import Label, Labels

__all__ = ["Kind", "Problem"]

Kind: TypeAlias = Literal["binary", "multiclass", "ordinal", "multilabel", "regression", "ranking"]

_TITLES = {
    "binary": "Binary classification",
    "multiclass": "Classification into {size} classes",
    "ordinal": "Classification into {size} ordered classes",
    "multilabel": "Labels of {size} kinds, several a row",
    "regression": "Regression",
    "ranking": "Ranked lists",
}


@dataclasses.dataclass(frozen=True)
class Problem:
    """What rows pose: the kind, which label is positive, and what was inferred rather than said.

    ``labels`` are the classes in the order in which they are shown, the negative one first where there
    are two. ``threshold`` is that on the scores, or, where actual and predicted numbers were cut, on both.
    """

    kind: Kind
    labels: Labels = ()
    positive: Label | None = None
    threshold: float | None = None
    inferred: tuple[str, ...] = ()
    probabilities: bool = False  # whether the scores of several classes are probabilities

    @property
    def title(self) -> str:
        """What to call it in a heading."""
        return _TITLES[self.kind].format(size=len(self.labels))
