"""How time grows: with threads, and with the length of a chain."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

from ...system import System, load
from .bench_systems import free_flyer
from .cases import States
from .measure import best_time, one_core

_LARGE_BATCH = 65_536
_CHAIN_BATCH = 64


def rows() -> list[dict[str, Any]]:
    """Rows of the table: ratio of one core's time to that of all, and of time per joint in short and long chains."""
    return [_threads(), *_chains()]


def _threads() -> dict[str, Any]:
    system = load("free_flyer_arm7")
    s, out = States.random(system, _LARGE_BATCH), np.empty((_LARGE_BATCH, system.nv))

    def call() -> object:
        return system.forward_dynamics(s.q, s.v, s.tau, out=out)

    with one_core():
        single = best_time(call, seconds=2, clock=time.perf_counter) / _LARGE_BATCH
    several = best_time(call, seconds=2, clock=time.perf_counter) / _LARGE_BATCH
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    words = "two threads" if cores == 2 else f"{cores} threads"
    return _row(
        f"{words}, batch of 65,536",
        "6+7 right",
        several,
        single,
        "ours on one core",
        1.8 if cores == 2 else None,
    )


def _chains() -> list[dict[str, Any]]:
    short, _ = _time_per_joint(50)
    long, compile_seconds = _time_per_joint(1000)
    return [
        _row("chain of 1,000 joints, time per joint", "6+1000", long, short, "ours at 50 joints", 1 / 1.5),
        _row("chain of 1,000 joints, compiling", "6+1000", compile_seconds, 5.0, "5 s", 1.0),
    ]


def _time_per_joint(joints: int) -> tuple[float, float]:
    """Seconds per joint and sample, and seconds that the first call took."""
    system: System = free_flyer([joints])
    s, out = States.random(system, _CHAIN_BATCH), np.empty((_CHAIN_BATCH, system.nv))
    started = time.process_time()
    system.forward_dynamics(s.q, s.v, s.tau, out=out)
    first = time.process_time() - started
    with one_core():
        best = best_time(lambda: system.forward_dynamics(s.q, s.v, s.tau, out=out))
    return best / _CHAIN_BATCH / joints, first


def _row(
    what: str, system: str, ours: float, peer: float, peer_name: str, bar: float | None
) -> dict[str, Any]:
    return {
        "what": what, "system": system, "ours_us": ours * 1e6, "peer": peer_name, "peer_us": peer * 1e6,
        "ratio": peer / ours, "bar": bar,
    }  # fmt: skip
