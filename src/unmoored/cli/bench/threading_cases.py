"""How much faster all cores are than one, and what the computer itself has to give: memory and arithmetic."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import kernels
from ...kernels.processors import processors
from ...simulation import simulate
from ...system import load
from ...worlds import Plant
from .cases import States
from .measure import best_time, one_core
from .scaling import row

#: samples of batches, and least speed-up that the project promises on so many cores
_BATCHES = {16_384: {16: 13.0}, 65_536: {2: 1.8}, 1_048_576: {16: 12.0}}
_SAMPLES, _STEPS = 16_384, 1_000
_RUN_BARS = {16: 12.0}
#: of the triad a[i] = b[i] + 3 c[i]: entries of a sample, and samples (three arrays of 256 MB)
_ENTRIES, _ROWS = 64, 1 << 19
_FUSED = 4_000


def rows() -> list[dict[str, Any]]:
    """Rows of the table: one core's time over that of all cores, by the clock; results go into pages that are there."""
    cores = processors()
    words = "two threads" if cores == 2 else f"{cores} threads"
    found = []
    system = load("free_flyer_arm7")
    for batch, bars in _BATCHES.items():
        s, out = States.random(system, batch), np.zeros((batch, system.nv))
        call = _forward_dynamics(system, s, out)
        found.append(_compared(f"{words}, batch of {batch:,}", "6+7 right", call, batch, bars.get(cores)))
    found.append(
        _compared(
            f"{words}, simulate, 2^14 × 1,000 steps",
            "6+7 right",
            _run(system),
            _SAMPLES * _STEPS,
            _RUN_BARS.get(cores),
        )
    )
    return [*found, *_ceilings(words)]


def _forward_dynamics(system: Any, s: States, out: np.ndarray) -> Callable[[], object]:
    return lambda: system.forward_dynamics(s.q, s.v, s.tau, out=out)


def _run(system: Any) -> Callable[[], object]:
    s, plant = States.random(system, _SAMPLES), Plant(system)
    options: dict[str, Any] = {"step": 1e-3, "record_every": _STEPS, "progress": False}
    return lambda: simulate(plant, s.q, 0.1 * s.v, duration=_STEPS * 1e-3, **options)


def _ceilings(words: str) -> list[dict[str, Any]]:
    """STREAM's triad, which memory bounds, and multiply-adds that stay in registers, which cores bound."""
    triad = kernels.compile(lambda b, c: b + 3.0 * c, [(_ENTRIES,)] * 2, name="triad")
    b, c, a = (np.full((_ROWS, _ENTRIES), x) for x in (1.0, 2.0, 0.0))

    def polynomial(x: np.ndarray) -> np.ndarray:
        y = x
        for _ in range(_FUSED // 8):
            y = y * x + 1.0
        return y

    fused = kernels.compile(polynomial, [(8,)], name="multiply_adds")
    x, y = np.full((4096, 8), 0.5), np.zeros((4096, 8))
    return [
        _compared(f"{words}, STREAM triad, per GB", "memory", lambda: triad(b, c, out=a), 3 * a.nbytes / 1e9),
        _compared(f"{words}, multiply-adds alone", "arithmetic", lambda: fused(x, out=y), 4096 * _FUSED),
    ]


def _compared(
    what: str, system: str, call: Callable[[], object], count: float, bar: float | None = None
) -> dict[str, Any]:
    with one_core():
        single = best_time(call, seconds=2, clock=time.perf_counter) / count
    several = best_time(call, seconds=2, clock=time.perf_counter) / count
    return row(what, system, several, single, "ours on one core", bar)
