"""Memory of large results, which the next results take over when nobody holds them any longer.

Fresh memory comes page by page, each filled with zeros, when it is first written: for large matrices that takes two to
three times as long as to compute them. Results also begin with a cache line here, which suits those that go past the
caches.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np

#: bytes of a result from which on its memory is kept, and most bytes that are kept while no result is in them
LEAST, _MOST = 1 << 20, 1 << 28
#: bytes of a cache line, and lines of a page
_LINE, _LINES = 64, 64


class _Block(NamedTuple):
    """Memory, the address of the line in it where results begin, and for how many bytes there is room."""

    memory: np.ndarray
    start: int
    size: int


#: blocks of memory that are free, by their size; the sizes that were given back last are the last
_free: dict[int, list[_Block]] = {}
_numbers = itertools.count()


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


def _taken(size: int) -> _Block:
    try:
        return _free[size].pop()
    except (KeyError, IndexError):
        return _fresh(size)


def _fresh(size: int) -> _Block:
    """A new block. Each begins elsewhere in a page: results that are written side by side then do not get into the
    way of each other, which they do at the same place of several pages."""
    memory = np.empty(size + _LINE * (_LINES + 1), np.uint8)
    address = memory.ctypes.data
    line = next(_numbers) * 19 % _LINES
    return _Block(memory, address + -address % _LINE + _LINE * line, size)


def _give_back(block: _Block, free: dict[int, list[_Block]] = _free) -> None:
    """Keep a block; what was given back before it goes if there is too much.

    Any thread may come here, at any time, where an array ends; if two do at once, a block may be lost to NumPy, which
    is all right. (Its names are its own: it is called even while Python ends.)
    """
    own = free.pop(block.size, [])
    own.append(block)
    free[block.size] = own
    for blocks in list(free.values()):
        while blocks and sum(key * len(kept) for key, kept in list(free.items())) > _MOST:
            del blocks[:1]


class _Lease:
    """A block of memory, for as long as an array lies in it; then it is free again."""

    __slots__ = ("__array_interface__", "_block")

    def __init__(self, size: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self._block = _taken(size)
        self.__array_interface__ = {
            "shape": shape,
            "typestr": dtype.str,
            "data": (self._block.start, False),
            "version": 3,
        }

    def __del__(self, give_back: Any = _give_back) -> None:
        give_back(self._block)
