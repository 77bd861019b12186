"""Timing: the best of many, on one core."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def best_time(call: Callable[[], object], *, seconds: float = 0.4) -> float:
    """Shortest time (s) of one call, from repetitions that take about `seconds` in all."""
    call()
    started = time.perf_counter()
    call()
    once = max(time.perf_counter() - started, 1e-7)
    inner = max(1, int(2e-3 / once))
    best = float("inf")
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or best == float("inf"):
        started = time.perf_counter()
        for _ in range(inner):
            call()
        best = min(best, (time.perf_counter() - started) / inner)
    return best


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
