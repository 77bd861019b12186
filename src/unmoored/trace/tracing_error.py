"""Errors of the tracer: they name the caller's source line and the spelling that can be traced."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path

_OWN_FOLDER = str(Path(__file__).parent)


class TracingError(TypeError):
    """A symbol was used where Python needs a number."""


def caller_line() -> str:
    """`file:line: source` of the innermost frame outside the tracer and NumPy."""
    frame = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        if not path.startswith(_OWN_FOLDER) and "/numpy/" not in path.replace("\\", "/"):
            source = linecache.getline(path, frame.f_lineno).strip()
            return f"{path}:{frame.f_lineno}: {source}" if source else f"{path}:{frame.f_lineno}"
        frame = frame.f_back
    return "unknown line"


def misuse(what: str, instead: str) -> TracingError:
    """The error for `what` done to a symbol, with the traceable spelling `instead`."""
    why = "the value of a symbol is not known while a function is traced"
    return TracingError(f"{what}: {why}; {instead}. At {caller_line()}")
