"""Errors and warnings of the tracer: they name the caller's source line and the spelling that can be traced."""

from __future__ import annotations

import logging
from typing import Any

from ..error_roots import UnmooredError, UnmooredWarning, warn
from .users_line import caller_line

_announced: set[tuple[type, str]] = set()


class TracingError(UnmooredError, TypeError):
    """A symbol was used where Python needs a number. symbol: which one, if that is known."""

    symbol: Any = None


class FallbackWarning(UnmooredWarning):
    """A function that cannot be traced is called by Python, which is slow."""


class RetraceWarning(UnmooredWarning):
    """A function uses what cannot be seen into, so that it is traced again at every call, or is called in vain."""


class SharedMemoryWarning(UnmooredWarning):
    """A function that remembers something is called for several samples, which share what it remembers."""


def announce(message: str, category: type[Warning]) -> None:
    """Warn once in the life of the process, at the user's line."""
    if (category, message) not in _announced:
        _announced.add((category, message))
        logging.getLogger("unmoored").info("%s: %s", category.__name__, message)
        warn(message, category)


def misuse(what: str, instead: str, symbol: Any = None) -> TracingError:
    """The error for `what` done to a symbol, with the traceable spelling `instead`."""
    why = "the value of a symbol is not known while a function is traced"
    error = TracingError(f"{what}: {why}; {instead}. At {caller_line()}")
    error.symbol = symbol
    return error
