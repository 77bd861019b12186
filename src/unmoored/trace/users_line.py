"""Which line of the user's an error is about: not one of this package, of NumPy or of another installed package."""

from __future__ import annotations

import linecache
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FrameType, TracebackType

import numpy as np

#: whose lines are never the answer
_OURS = tuple(str(folder) + os.sep for folder in (Path(__file__).parents[1], Path(np.__file__).parent))
_STANDARD = tuple({sysconfig.get_paths()[name] + os.sep for name in ("stdlib", "platstdlib")})
#: written by dataclasses, under no file
_GENERATED = ("__init__", "__create_fn__", "__eq__", "__repr__")


def caller_line() -> str:
    """`file:line: source` of the innermost line of the user's that is running now."""
    return _users(_running(sys._getframe(1)))


def failing_line(error: BaseException) -> str:
    """`file:line: source` of the innermost line of the user's that an error came through, or that is running now."""
    return _users([*reversed(list(_passed(error))), *_running(sys._getframe(1))])


def _running(frame: FrameType | None) -> Iterator[tuple[FrameType, int]]:
    while frame is not None:
        yield frame, frame.f_lineno
        frame = frame.f_back


def _passed(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    step = error.__traceback__
    while isinstance(step, TracebackType):
        yield step.tb_frame, step.tb_lineno
        step = step.tb_next


def _users(places: Iterable[tuple[FrameType, int]]) -> str:
    """The first line that is the user's own; behind it the one of an installed package that it went through."""
    innermost = through = ""
    for frame, number in places:
        path = frame.f_code.co_filename
        place = f"{path}:{number}"
        innermost = innermost or place
        if _ours(path, frame.f_code.co_name):
            continue
        if not _installed(path):
            source = linecache.getline(path, number, frame.f_globals).strip()
            own = f"{place}: {source}" if source else place
            return f"{own} (through {through})" if through else own
        through = through or place
    return through or innermost


def _ours(path: str, name: str) -> bool:
    return path.startswith((*_OURS, "<unmoored", "<frozen")) or (path == "<string>" and name in _GENERATED)


def _installed(path: str) -> bool:
    parts = Path(path).parts
    return path.startswith(_STANDARD) or "site-packages" in parts or "dist-packages" in parts
