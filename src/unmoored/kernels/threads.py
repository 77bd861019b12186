"""Large batches over several threads: the batch is cut into pieces, one per processor."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

Shape = tuple[int, ...]
#: operations below which one thread is faster than handing work to others (a few hundred microseconds)
WORTH_SHARING = 8_000_000
_pool: ThreadPoolExecutor | None = None


def available() -> int:
    """Threads to use: $UNMOORED_THREADS, else the processors that this process may run on."""
    chosen = os.environ.get("UNMOORED_THREADS")
    if chosen:
        return max(1, int(chosen))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def batch_shape(arrays: Sequence[np.ndarray], cores: Sequence[Shape]) -> Shape | None:
    """The common leading shape, or None if the arrays do not fit their core shapes."""
    leading = []
    for array, core in zip(arrays, cores, strict=True):
        cut = array.ndim - len(core)
        if cut < 0 or array.shape[cut:] != core:
            return None
        leading.append(array.shape[:cut])
    if len(set(leading)) == 1:
        return leading[0]
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        return None


def shared(
    ufunc: Any,
    arrays: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
    cores: Sequence[Shape],
    batch: Shape,
    pieces: int,
) -> None:
    """Fill the outputs, with the longest batch axis cut into pieces that run side by side."""
    axis = int(np.argmax(batch)) - len(batch)
    edges = np.linspace(0, batch[axis], min(pieces, batch[axis]) + 1).astype(int)

    def run(low: int, high: int) -> None:
        cut = [
            _slice(a, axis - len(core), low, high) for a, core in zip([*arrays, *outputs], cores, strict=True)
        ]
        ufunc(*cut[: len(arrays)], out=tuple(cut[len(arrays) :]))

    side_by_side(run, list(pairwise(edges)))


def side_by_side(run: Callable[[int, int], None], spans: Sequence[tuple[int, int]]) -> None:
    """run(low, high) for every span, each in a thread of its own; this thread takes the first."""
    waiting = [_executor().submit(run, *span) for span in spans[1:]]
    run(*spans[0])
    for future in waiting:
        future.result()


def _slice(array: np.ndarray, axis: int, low: int, high: int) -> np.ndarray:
    """Entries low..high along an axis counted from the end, if the array varies along it."""
    if array.ndim < -axis or array.shape[axis] == 1:
        return array
    index = [slice(None)] * array.ndim
    index[axis] = slice(low, high)
    return array[tuple(index)]


def _executor() -> ThreadPoolExecutor:
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="unmoored")
    return _pool


def _forget_pool() -> None:
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)  # threads do not survive a fork
