r"""The formula of a metric, as its declaration has it in plain text, as LaTeX for the site.

>>> print(typeset("2 tp / (2 tp + fn + fp)"))
\frac{2\,\mathrm{tp}}{2\,\mathrm{tp}+\mathrm{fn}+\mathrm{fp}}
>>> print(typeset("sqrt(mean(error²))"))
\sqrt{\mathrm{mean}\left({\mathrm{error}}^{2}\right)}
>>> typeset("fpr = fnr if tied") is None
True
"""

from __future__ import annotations

import re

__all__ = ["typeset"]

_TOKENS = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?%?)|(?P<word>Δ?[A-Za-z_][A-Za-z0-9_']*)|(?P<sign><=|>=|[-+*/^²!|()=,]))"
)
_GREEK = {"beta", "alpha", "delta", "mu", "pi"}
_FUNCTIONS = {"log": r"\log", "log2": r"\log_2", "max": r"\max", "min": r"\min", "cosh": r"\cosh"}
_SIGNS = {"<=": r"\le ", ">=": r"\ge ", "=": "="}
_PROSE = {"if", "else", "where"}

# Formulas with cases, or in more symbols than the plain text can have.
_BY_HAND = {
    "hit_rate": r"[\mathrm{hits} > 0]",
    "huber": (
        r"\mathrm{mean}\begin{cases} \frac{1}{2}e^{2} & |e| \le \delta \\"
        r" \delta\left(|e|-\frac{\delta}{2}\right) & \mathrm{else} \end{cases}"
    ),
    "pinball": r"\mathrm{mean}\begin{cases} \alpha e & e \ge 0 \\ (\alpha-1) e & \mathrm{else} \end{cases}",
    "tweedie_deviance": (
        r"\mathrm{mean}\;2\left(\frac{\max(a,0)^{2-p}}{(1-p)(2-p)}-\frac{a\,\mu^{1-p}}{1-p}+\frac{\mu^{2-p}}{2-p}\right)"
    ),
    "expected_reciprocal_rank": (
        r"\sum_{r}\frac{1}{r}\,\mathrm{stop}(r)\prod_{i<r}\left(1-\mathrm{stop}(i)\right)"
    ),
    "mean_average_precision": (
        r"\frac{\sum_{i\;\mathrm{relevant}}\mathrm{P@}i}{\min(k,\;\mathrm{relevant})}"
    ),
    "rank_biased_precision": (
        r"(1-p)\sum_{r\;\mathrm{relevant}}p^{r-1},\quad p=\mathrm{persistence}"
    ),
    "average_precision": r"\sum_{i}\left(R_i-R_{i-1}\right)P_i,\quad R=\mathrm{recall},\;P=\mathrm{precision}",
    "auc": (
        r"\frac{\mathrm{concordant}\;\mathrm{pairs}+\frac{1}{2}\;\mathrm{tied}\;\mathrm{pairs}}"
        r"{\mathrm{positives}\cdot\mathrm{negatives}}"
    ),
    "max_f1": r"\max\frac{2\,\mathrm{tp}}{2\,\mathrm{tp}+\mathrm{fn}+\mathrm{fp}}",
    "max_informedness": r"\max\left(\mathrm{recall}+\mathrm{specificity}-1\right)",
    "brier": r"\frac{1}{n}\sum_{i=1}^{n}\left(p_i-y_i\right)^{2}",
    "log_loss": r"-\frac{1}{n}\sum_{i=1}^{n}\left[y_i\log p_i+(1-y_i)\log(1-p_i)\right]",
}  # fmt: skip


def typeset(expression: str, name: str = "") -> str | None:
    """Return a formula as LaTeX, or None where it is a sentence rather than a formula."""
    if name in _BY_HAND:
        return _BY_HAND[name]
    try:
        return _Parser(expression).whole()
    except ValueError:
        return None


class _Parser:
    """Reads a formula from left to right: sums of products of powers."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str, bool]] = []  # kind, text, whether a blank is before it
        at = 0
        while at < len(text.rstrip()):
            match = _TOKENS.match(text, at)
            if match is None:
                raise ValueError(text)
            kind = match.lastgroup or ""
            if match[kind] in _PROSE:
                raise ValueError(text)
            self.tokens.append((kind, match[kind], match[0][:1].isspace()))
            at = match.end()
        self.at = 0
        self.in_bars = 0

    def whole(self) -> str:
        """Read all of it: a formula, and definitions behind commas."""
        parts = [self.relation()]
        while self._next() == ",":
            self.at += 1
            parts.append(self.relation())
        if self.at < len(self.tokens):
            raise ValueError("more than a formula")
        return r",\quad ".join(parts)

    def relation(self) -> str:
        """Read sums on both sides of = or an inequality."""
        left = self.sum()
        while self._next() in _SIGNS:
            sign = _SIGNS[self._take()]
            left = f"{left}{sign}{self.sum()}"
        return left

    def sum(self) -> str:
        """Read terms that are added or subtracted."""
        text = ""
        if self._next() == "-":
            text = self._take()
        text += self.product()
        while self._next() in ("+", "-"):
            text += self._take() + self.product()
        return text

    def product(self) -> str:
        """Read factors side by side; a division takes all that is left of it above its line."""
        text = self.power()
        while True:
            sign = self._next()
            if sign == "/":
                self.at += 1
                text = rf"\frac{{{_unwrapped(text)}}}{{{_unwrapped(self.power())}}}"
            elif sign == "*":
                self.at += 1
                text += r"\cdot " + self.power()
            elif sign is not None and self._begins_factor():
                factor = self.power()
                words = text.endswith("}") and factor.startswith(r"\mathrm")
                text += (r"\;" if words else r"\,") + factor
            else:
                return text

    def power(self) -> str:
        """Read an atom with its exponent."""
        text = self.atom()
        while self._next() in ("²", "^", "!"):
            sign = self._take()
            if sign == "!":
                text += "!"
            else:
                exponent = "2" if sign == "²" else _unwrapped(self.atom())
                text = rf"{{{text}}}^{{{exponent}}}"
        return text

    def atom(self) -> str:
        """Read a number, a name, a function, or what is in brackets."""
        if self.at >= len(self.tokens):
            raise ValueError("ends early")
        kind, text, _ = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return text.replace("%", r"\%")
        if kind == "word":
            return self._name(text)
        if text == "(":
            return rf"\left({self._until(')')}\right)"
        if text == "|":
            self.in_bars += 1
            inner = self.relation()
            self.in_bars -= 1
            if self._take() != "|":
                raise ValueError("no second bar")
            return rf"\left|{inner}\right|"
        raise ValueError(f"{text} begins nothing")

    def _name(self, name: str) -> str:
        """Return a name, or a function with what it is applied to."""
        applied = self._next() == "(" and not self.tokens[self.at][2]
        if name == "sqrt" and applied:
            self.at += 1
            return rf"\sqrt{{{self._until(')')}}}"
        if name == "abs" and applied:
            self.at += 1
            return rf"\left|{self._until(')')}\right|"
        if name == "sum" and applied:
            self.at += 1
            return rf"\sum\left({self._until(')')}\right)"
        if applied:
            self.at += 1
            return rf"{_FUNCTIONS.get(name) or _symbol(name)}\left({self._until(')')}\right)"
        return _FUNCTIONS.get(name) or _symbol(name)

    def _until(self, close: str) -> str:
        """Read what is in brackets, with commas, and the closing one."""
        bars, self.in_bars = self.in_bars, 0
        text = self.relation()
        while self._next() == ",":
            self.at += 1
            text += r",\," + self.relation()
        if self._next() != close:
            raise ValueError("a bracket is open")
        self.at += 1
        self.in_bars = bars
        return text

    def _next(self) -> str | None:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else None

    def _take(self) -> str:
        if self.at >= len(self.tokens):
            raise ValueError("ends early")
        self.at += 1
        return self.tokens[self.at - 1][1]

    def _begins_factor(self) -> bool:
        kind, text, _ = self.tokens[self.at]
        return kind in ("word", "number") or text == "(" or (text == "|" and not self.in_bars)


def _symbol(name: str) -> str:
    if name.startswith("Δ"):
        return r"\Delta " + _symbol(name[1:])
    if name == "chi":
        return r"\chi "
    if name in _GREEK:
        return rf"\{name} "
    bare = name.rstrip("'")
    primes = "'" * (len(name) - len(bare))
    if len(bare) == 1:
        return bare + primes
    if re.fullmatch(r"[A-Za-z]\d", bare):
        return rf"{bare[0]}_{{{bare[1]}}}"
    words = r"\;".join(rf"\mathrm{{{word}}}" for word in bare.split("_") if word)
    return words + primes


def _unwrapped(text: str) -> str:
    """Return what one pair of brackets holds that is around everything, or the text."""
    if not (text.startswith(r"\left(") and text.endswith(r"\right)")):
        return text
    depth = 0
    for match in re.finditer(r"\\left\(|\\right\)", text):
        depth += 1 if match[0] == r"\left(" else -1
        if depth == 0 and match.end() < len(text):
            return text
    return text[len(r"\left(") : -len(r"\right)")]
