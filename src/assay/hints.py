"""Advice in messages: parameters as data, written out for Python or for the command line.

A message names a parameter by :func:`param`, which returns a marked token. The message is written out when
it is shown: ``positive=`` in Python, ``--positive`` on the command line. Data that the same message quotes is
left as it is, even where it looks like a parameter.
"""

from __future__ import annotations

import contextlib
import contextvars
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Style = Callable[["Hint"], str]

__all__ = ["Hint", "hint", "hint_style", "hints_in", "param", "passed", "python_style", "render"]

# Noncharacters, which Unicode leaves to programs for their own use: no text that is exchanged holds them.
_START, _BETWEEN, _END = "\ufdd0", "\ufdd1", "\ufdd2"
_TOKEN = re.compile(f"{_START}([^{_END}]*){_BETWEEN}([^{_END}]*){_BETWEEN}([^{_END}]*){_END}")
_NO_MARKS = {ord(mark): None for mark in (_START, _BETWEEN, _END)}


class Hint(NamedTuple):
    """Advice in both languages; `shell` is the value alone where the advice is about a parameter."""

    python: str
    shell: str
    parameter: str = ""


def param(name: str, *values: Any) -> str:
    """Return the token of a parameter to set: without a value, with one, or with several to choose from.

    >>> render(f"say {param('positive')}, {param('task', 'binary', 'ordinal')}, or leave {param('k', 5)} out")
    'say positive=, task="binary" or "ordinal", or leave k=5 out'
    """
    python = _alternatives([f'"{value}"' if isinstance(value, str) else repr(value) for value in values])
    return _token(Hint(f"{name}={python}", _alternatives([_typed(value) for value in values]), name))


def passed(name: str, value: Any) -> str:
    r"""Return the token of a parameter with the value that was passed, which the message is about.

    >>> render(f"{passed('missing', 'guess')} is not known: use {param('missing', 'drop')}")
    'missing=\'guess\' is not known: use missing="drop"'
    """
    return _token(Hint(f"{name}={value!r}", _typed(value), name))


def hint(python: str, shell: str) -> str:
    """Return the token of advice that is worded differently on the command line.

    >>> render(hint("ev.text(full=True)", "--full"))
    'ev.text(full=True)'
    """
    return _token(Hint(python, shell))


def render(text: str) -> str:
    """Return a text with its hints written out in the current style: for Python, unless set otherwise."""
    if _START not in text:
        return text
    style = _style.get()
    return _TOKEN.sub(lambda token: style(_hint_of(token)), text)


def hints_in(text: str) -> list[Hint]:
    """Return the hints that a text holds, in order.

    >>> hints_in(f"say {param('threshold', 0.5)}")
    [Hint(python='threshold=0.5', shell='0.5', parameter='threshold')]
    """
    return [_hint_of(token) for token in _TOKEN.finditer(text)]


@contextlib.contextmanager
def hint_style(style: Style) -> Iterator[None]:
    """Write hints out in another style meanwhile.

    >>> with hint_style(lambda found: f"--{found.parameter} {found.shell}".rstrip()):
    ...     render(f"say {param('task', 'regression')} or {param('labels')}")
    'say --task regression or --labels'
    """
    before = _style.set(style)
    try:
        yield
    finally:
        _style.reset(before)


def python_style(advice: Hint) -> str:
    """Return a hint as Python has it."""
    return advice.python


_style: contextvars.ContextVar[Style] = contextvars.ContextVar("hint_style", default=python_style)


def _token(advice: Hint) -> str:
    parts = (part.translate(_NO_MARKS) for part in (advice.parameter, advice.python, advice.shell))
    return _START + _BETWEEN.join(parts) + _END


def _hint_of(token: re.Match[str]) -> Hint:
    return Hint(python=token[2], shell=token[3], parameter=token[1])


def _typed(value: Any) -> str:
    """Return a value as it is typed after an option; a switch takes none."""
    if value is True:
        return ""
    if isinstance(value, (list, tuple)):
        return ",".join(map(_typed, value))
    text = repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
    return f'"{text}"' if " " in text else text


def _alternatives(words: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
