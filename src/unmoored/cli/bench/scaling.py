"""How time grows: with the length of a chain, and with the points of prescribed motions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...control import Sampled
from ...simulation import simulate
from ...system import System, load
from ...worlds import Plant
from .bench_systems import free_flyer
from .cases import States
from .measure import best_time, first_time, one_core

_CHAIN_BATCH = 64
_STEP, _STEPS = 1e-3, 10_000


def rows() -> list[dict[str, Any]]:
    """Rows of the table: ratio of time per joint in short and long chains, and of the time of a run along few points
    and along many."""
    return [*_chains(), *_points()]


def _chains() -> list[dict[str, Any]]:
    written_out, _ = _time_per_joint(30)
    short, _ = _time_per_joint(50)
    middle, _ = _time_per_joint(200)
    long, compile_seconds = _time_per_joint(1000)
    return [
        row("chain of 50 joints, time per joint", "6+50", short, written_out, "ours at 30 joints", 1 / 1.5),
        row(
            "chain of 200 joints, time per joint", "6+200", middle, written_out, "ours at 30 joints", 1 / 1.5
        ),
        row("chain of 1,000 joints, time per joint", "6+1000", long, short, "ours at 50 joints", 1 / 1.5),
        row("chain of 1,000 joints, compiling", "6+1000", compile_seconds, 5.0, "5 s", 1.0),
    ]


def _time_per_joint(joints: int) -> tuple[float, float]:
    """Seconds per joint and sample, and seconds that the first call took."""
    system: System = free_flyer([joints])
    s, out = States.random(system, _CHAIN_BATCH), np.empty((_CHAIN_BATCH, system.nv))
    first = first_time(lambda: system.forward_dynamics(s.q, s.v, s.tau, out=out))
    with one_core():
        best = best_time(lambda: system.forward_dynamics(s.q, s.v, s.tau, out=out))
    return best / _CHAIN_BATCH / joints, first


def _points() -> list[dict[str, Any]]:
    few, many = (_along_points(count) for count in (10, 10_000))
    words, bar = "prescribed along 10,000 points", 1 / 1.2
    return [
        row(f"{words}, compiling", "6+7 right", many[0], few[0], "ours along 10", bar),
        row(f"{words}, RKMK4 steps", "6+7 right", many[1], few[1], "ours along 10", bar),
    ]


def _along_points(count: int) -> tuple[float, float]:
    """Seconds of the first compile, and of a step, of a free flyer whose seven joints go through so many points."""
    system = load("free_flyer_arm7")
    times = np.linspace(0.0, 60.0, count)
    arm = [link.name for link in system.tree.links if link.joint.nv == 1]
    paths = {name: Sampled(times, 0.3 * np.sin(0.1 * times + k)) for k, name in enumerate(arm)}
    plant = Plant(system, prescribed=paths)
    q = plant.configuration(0.0, system.neutral())
    v = plant.full_velocity(0.0, q, np.zeros(plant.nw))

    def run(steps: int) -> object:
        options = {"step": _STEP, "record_every": steps, "progress": False}
        return simulate(plant, q, v, duration=steps * _STEP, **options)

    with one_core():
        first = first_time(lambda: run(10))
        seconds = best_time(lambda: run(_STEPS), seconds=1.0) - best_time(lambda: run(10))
    return first, seconds / (_STEPS - 10)


def row(
    what: str, system: str, ours: float, peer: float, peer_name: str, bar: float | None
) -> dict[str, Any]:
    """A row of the table; times in seconds."""
    return {
        "what": what, "system": system, "ours_us": ours * 1e6, "peer": peer_name, "peer_us": peer * 1e6,
        "ratio": peer / ours, "bar": bar,
    }  # fmt: skip
