"""What an unquoted word of a YAML file stands for, by YAML 1.2's core schema."""

from __future__ import annotations

import math
import re

from ...value import LARGEST

_WORDS: dict[str, bool | None] = dict.fromkeys(("", "~", "null", "Null", "NULL"))
_WORDS |= {word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
#: an integer with more digits is beyond every bound, and Python takes the square of their number to read it
_DIGITS = 40


def core_value(text: str) -> bool | int | float | str | None:
    """The value; numbers beyond all bounds are infinite, or not numbers: see `in_bounds`."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0].isalpha():  # no number begins so
        return text
    number = _FLOAT.fullmatch(text)
    if number:
        if number[2] is not None or number[3] is not None or number[1][0] == ".":
            return float(text)
        return int(text) if len(text) < _DIGITS else math.inf
    if _BASED.fullmatch(text):
        return int(text, {"0o": 8, "0x": 16}[text[:2]]) if len(text) < _DIGITS else math.inf
    return math.nan if _NOT_FINITE.fullmatch(text) else text


def in_bounds(value: bool | int | float | str | None) -> bool:
    """Whether a value is not a number, or one that files may hold."""
    return not isinstance(value, int | float) or abs(value) <= LARGEST
