"""Errors and warnings of the tracer: they name the caller's source line and the spelling that can be traced."""

from __future__ import annotations

import linecache
import logging
import sys
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from ..error_roots import UnmooredError, UnmooredWarning, warn

_OWN_FOLDER = str(Path(__file__).parent)
_PACKAGE = str(Path(__file__).parents[1])
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


def caller_line() -> str:
    """`file:line: source` of the innermost frame outside the tracer and NumPy."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        own = path.startswith((_OWN_FOLDER, "<unmoored"))
        if not own and "/numpy/" not in path.replace("\\", "/"):
            return _line(path, frame.f_lineno)
        frame = frame.f_back
    return "unknown line"


def failing_line(error: BaseException) -> str:
    """`file:line: source` of the innermost line of the user's that an error came through."""
    found, step = "unknown line", error.__traceback__
    while isinstance(step, TracebackType):
        path = step.tb_frame.f_code.co_filename
        if not path.startswith((_PACKAGE, "<unmoored")) and "/numpy/" not in path.replace("\\", "/"):
            found = _line(path, step.tb_lineno)
        step = step.tb_next
    return found


def misuse(what: str, instead: str, symbol: Any = None) -> TracingError:
    """The error for `what` done to a symbol, with the traceable spelling `instead`."""
    why = "the value of a symbol is not known while a function is traced"
    error = TracingError(f"{what}: {why}; {instead}. At {caller_line()}")
    error.symbol = symbol
    return error


def _line(path: str, number: int) -> str:
    source = linecache.getline(path, number).strip()
    return f"{path}:{number}: {source}" if source else f"{path}:{number}"
