"""Memory of large results, which the next results take over when nobody holds them any longer.

Fresh memory comes page by page, each filled with zeros, when it is first written: for large matrices that takes two to
three times as long as to compute them. Results also begin with a cache line here, which suits those that go past the
caches.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

#: bytes of a result from which on its memory is kept, and most bytes that are kept while no result is in them
LEAST, _MOST = 1 << 20, 1 << 28
#: bytes of a cache line
_LINE = 64
#: blocks of memory that are free, by their size; the sizes that were given back last are the last
_free: dict[int, list[np.ndarray]] = {}


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """An array with any entries, as of `np.empty`; a large one in memory that was used before, if there is some."""
    size = math.prod(shape) * dtype.itemsize
    if size < LEAST or size > _MOST:
        return np.empty(shape, dtype)
    return np.asarray(_Lease(_rounded(size), shape, dtype))


def _rounded(size: int) -> int:
    """A size that results of about this size share: at most an eighth more."""
    step = 1 << (size.bit_length() - 4)
    return -(-size // step) * step


def _taken(size: int) -> np.ndarray:
    try:
        return _free[size].pop()
    except (KeyError, IndexError):
        return np.empty(size + _LINE, np.uint8)


def _give_back(block: np.ndarray, free: dict[int, list[np.ndarray]] = _free) -> None:
    """Keep a block; what was given back before it goes if there is too much.

    Any thread may come here, at any time, where an array ends; if two do at once, a block may be lost to NumPy, which
    is all right. (Its names are its own: it is called even while Python ends.)
    """
    size = block.size - _LINE
    own = free.pop(size, [])
    own.append(block)
    free[size] = own
    for blocks in list(free.values()):
        while blocks and sum(key * len(kept) for key, kept in list(free.items())) > _MOST:
            del blocks[:1]


class _Lease:
    """A block of memory, for as long as an array lies in it; then it is free again."""

    def __init__(self, size: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self._block = _taken(size)
        address = self._block.ctypes.data
        start = address + -address % _LINE
        self.__array_interface__ = {
            "shape": shape,
            "typestr": dtype.str,
            "data": (start, False),
            "version": 3,
        }

    def __del__(self, give_back: Any = _give_back) -> None:
        give_back(self._block)
