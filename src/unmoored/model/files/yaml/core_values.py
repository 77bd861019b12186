"""What an unquoted word of a YAML file stands for, by YAML 1.2's core schema."""

from __future__ import annotations

import math
import re

from ...value import LARGEST

_NULL = re.compile(r"~|null|Null|NULL|")
_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
#: an integer with more digits is beyond every bound, and Python takes the square of their number to read it
_DIGITS = 40


def core_value(text: str) -> bool | int | float | str | None:
    """The value; numbers beyond all bounds are infinite, or not numbers: see `in_bounds`."""
    if _FLOAT.fullmatch(text) and not _INT.fullmatch(text):
        return float(text)
    if _INT.fullmatch(text):
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10)) if len(text) < _DIGITS else math.inf
    if _NULL.fullmatch(text):
        return None
    if _BOOL.fullmatch(text):
        return text.lower() == "true"
    return math.nan if _NOT_FINITE.fullmatch(text) else text


def in_bounds(value: bool | int | float | str | None) -> bool:
    """Whether a value is not a number, or one that files may hold."""
    return not isinstance(value, int | float) or abs(value) <= LARGEST
