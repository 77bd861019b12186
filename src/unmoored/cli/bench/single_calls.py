"""What a plain public call costs: alone, and above the time of its kernel. Limits are in microseconds, not ratios."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...system import System, load
from ...worlds import Ocean, Plant
from .measure import best_time

#: at most this many microseconds above the kernel's own time
ABOVE_KERNEL = 0.7
#: at most this many microseconds for one call of the plant's forward dynamics
PLANT_CALL = 1.6


def rows() -> list[dict[str, Any]]:
    """Rows of the table: `ratio` is the limit over what was measured, so that 1 and more is good."""
    system = load("free_flyer_arm7")
    found = [_above(what, system, call, count) for what, call, count in _calls(system)]
    plant = Plant(load("bluerov2_heavy_alpha5"), Ocean())
    q, rng = plant.system.random_configuration(0), np.random.default_rng(1)
    v, u = rng.normal(size=(2, plant.nv))
    seconds = _repeated(lambda: plant.forward_dynamics(0.0, q, v, u))
    found.append(_row("plant.forward_dynamics, one call", "BlueROV2 + Alpha 5", seconds, PLANT_CALL))
    return found


def _calls(system: System) -> Iterator[tuple[str, Callable[[], Any], int]]:
    """(what, the public call, number of arrays that its kernel takes)."""
    q, dq = system.random_configuration(0), np.random.default_rng(2).normal(size=system.nv)
    other = system.retract(q, dq)
    yield "jacobian", lambda: system.jacobian(q, "tool"), 1
    yield "generalized_jacobian", lambda: system.generalized_jacobian(q, "tool", passive=["bus"]), 1
    yield "retract", lambda: system.retract(q, dq), 2
    yield "local", lambda: system.local(q, other), 2


def _above(what: str, system: System, call: Callable[[], Any], count: int) -> dict[str, Any]:
    call()
    kernel = next(k for place, k in system._kernels._kernels.items() if place[0] == what)
    arrays = [np.full(shape, 0.25) for shape in kernel.facts.input_shapes]  # type: ignore[attr-defined]
    assert len(arrays) == count
    direct = kernel.direct  # type: ignore[attr-defined]
    seconds = _repeated(call) - _repeated(lambda: direct(*arrays))
    return _row(f"{what}, one call, above the kernel", system.name, seconds, ABOVE_KERNEL)


def _repeated(call: Callable[[], Any], times: int = 1000) -> float:
    """Seconds of one call, out of many in a row."""

    def many() -> None:
        for _ in range(times):
            call()

    call()
    return best_time(many) / times


def _row(what: str, system: str, seconds: float, limit: float) -> dict[str, Any]:
    return {
        "what": what, "system": system, "ours_us": seconds * 1e6, "peer": f"at most {limit:g} µs", "peer_us": limit,
        "ratio": limit / (seconds * 1e6), "bar": 1.0,
    }  # fmt: skip
