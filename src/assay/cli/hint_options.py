"""Advice in messages of the library, written as options of the command that runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from assay.hints import Hint

__all__ = ["shell_style"]

# Options that are named otherwise than the parameter; the first that a command has is meant.
_OTHER_NAMES = {"k": ("--folds",), "y": ("--stratify", "--target"), "names": ("--model-names",)}
# Parameters without an option, in words.
_IN_WORDS = {"average": "{} before the metric's name"}


def shell_style(options: Collection[str]) -> Callable[[Hint], str]:
    """Return how a hint is written for a command with these options; other parameters are named in words.

    >>> from assay.hints import hint_style, param, render
    >>> with hint_style(shell_style(["--task", "--cost-fp"])):
    ...     render(f"say {param('task', 'ordinal')} or {param('cost_fp')}, not {param('method', 'wald')}")
    'say --task ordinal or --cost-fp, not method wald'
    """

    def write(hint: Hint) -> str:
        if not hint.parameter:
            return hint.shell
        if hint.parameter in _IN_WORDS:
            return _IN_WORDS[hint.parameter].format(hint.shell or "macro")
        candidates = (f"--{hint.parameter.replace('_', '-')}", *_OTHER_NAMES.get(hint.parameter, ()))
        words = hint.parameter.replace("_", " ")
        name = next((option for option in candidates if option in options), words)
        return f"{name} {hint.shell}".rstrip()

    return write
