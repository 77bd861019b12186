"""Whether a function of the user's takes what it will be given."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def misfit(function: Callable[..., Any], *names: str) -> str:
    """Why a function cannot be called with these arguments; "" if it can, or if it is a builtin that does not tell."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    try:
        signature.bind(*names)
    except TypeError as why:
        return str(why)
    return ""
