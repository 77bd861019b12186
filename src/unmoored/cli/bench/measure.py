"""Timing: the best of many, on one core.

Time is the process's own on the processor, so that what else runs on the computer does not count; on a quiet one it is
the time on the clock.
"""

from __future__ import annotations

import gc
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def best_time(
    call: Callable[[], object], *, seconds: float = 0.4, clock: Callable[[], float] = time.process_time
) -> float:
    """Shortest time (s) of one call, from repetitions that take about `seconds` in all."""
    call()
    started = clock()
    call()
    once = max(clock() - started, 1e-7)
    inner = max(1, int(2e-3 / once))
    best = float("inf")
    end = clock() + seconds
    while clock() < end or best == float("inf"):
        started = clock()
        for _ in range(inner):
            call()
        best = min(best, (clock() - started) / inner)
    return best


def first_time(call: Callable[[], object]) -> float:
    """Seconds on the processor of a call whose kernels are in no cache on disk.

    What the benchmark has left in memory before is kept from the collector of garbage: it would be gone through again
    and again while graphs are made.
    """
    gc.collect()
    gc.freeze()
    before = os.environ.get("UNMOORED_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["UNMOORED_CACHE_DIR"] = folder
        try:
            started = time.process_time()
            call()
            return time.process_time() - started
        finally:
            del os.environ["UNMOORED_CACHE_DIR"]
            if before is not None:
                os.environ["UNMOORED_CACHE_DIR"] = before


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process on one core, where the system allows it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def processor_name() -> str:
    """Name of the processor, as the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        import platform

        return platform.processor() or platform.machine()
