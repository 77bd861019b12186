"""Memory for the rows of runs. What a run leaves when it is gone is taken again: new pages cost a third of a run."""

from __future__ import annotations

import math
import os
import weakref
from typing import Any

import numpy as np

#: bytes that are kept at most when no run uses them, and bytes under which nothing is gained
MOST, LEAST = 1 << 28, 1 << 18
#: what nobody uses now: at most one piece
_free: list[np.ndarray] = []


def row_memory(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array with anything in it, like `np.empty`, that begins on a cache line."""
    count = math.prod(shape) * dtype.itemsize
    if count < LEAST:
        return np.empty(shape, dtype)
    block: Any = _taken(count)
    first = -block.ctypes.data % 64
    array = np.frombuffer(memoryview(block)[first : first + count], dtype).reshape(shape)
    if count <= MOST:
        # views of an array hold it as long as its own memory is not that of an array: it goes when the last one does
        owner = array if array.base is None or not isinstance(array.base, np.ndarray) else array.base
        weakref.finalize(owner, _give_back, block).atexit = False
    return array


def _taken(count: int) -> np.ndarray:
    """A block of at least so many bytes, and not of twice as many."""
    try:
        block = _free.pop()
    except IndexError:
        return np.empty(count + 64, np.uint8)
    if count + 64 <= block.nbytes <= 2 * count:
        return block
    _give_back(block)
    return np.empty(count + 64, np.uint8)


def _give_back(block: np.ndarray) -> None:
    """Keep a block, unless there is a larger one: that of the last large run is the one that will be wanted."""
    if not _free or _free[0].nbytes <= block.nbytes:
        _free[:] = [block]


def _forget() -> None:
    _free.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)  # pages that both would write are copied, which gains nothing
