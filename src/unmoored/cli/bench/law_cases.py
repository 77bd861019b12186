"""Laws in batches and in a loop: task priority against PlaCo and Pink and against real time, allocation against SciPy.

Peers that are not installed leave their rows out. Times are of the processor, peer and ours in turn, five times; the
ratio that is told is the worst of the five.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ... import kernels
from ...control import (
    Allocated,
    DirectionTask,
    PoseTask,
    PostureTask,
    SpeedLimitTask,
    StationKeeping,
    TaskPriority,
)
from ...model import Free, Inertia, Pose, files
from ...simulation import simulate
from ...system import System, SystemBuilder, load
from ...worlds import Ocean, Plant, Thruster
from . import priority_peer
from .measure import best_time
from .peers import measured_by

#: names the interpreter that has placo and pink, if this one has not
INTERPRETER = "UNMOORED_PLACO_PYTHON"
_ROUNDS, _BATCH, _SECONDS = 5, 4096, 10.0
_SYSTEM = "BlueROV2 + Bravo 7"


def three_levels() -> list[Any]:
    """The tool at a pose (6 rows), the vehicle level (2), a posture of the arm (6)."""
    return [
        [PoseTask("tool", Pose(xyz=(0.8, 0.1, -0.5)))],
        [DirectionTask("rov", axis=(0, 0, 1), direction=(0, 0.02, 1))],
        [PostureTask(dict.fromkeys(priority_peer.ARM, 0.3))],
    ]


def _worst(pairs: list[tuple[float, float]]) -> tuple[float, float]:
    """The pair (ours, peer's) with the smallest ratio."""
    return min(pairs, key=lambda pair: pair[1] / pair[0])


def _row(what: str, system: str, pair: tuple[float, float], peer: str, bar: float | None) -> dict[str, Any]:
    ours, theirs = pair
    return {
        "what": what, "system": system, "ours_us": ours * 1e6, "peer": peer, "peer_us": theirs * 1e6,
        "ratio": theirs / ours, "bar": bar,
    }  # fmt: skip


def priority_rows() -> list[dict[str, Any]]:
    """Three levels of tasks against PlaCo and Pink, none where they are not installed."""
    interpreter = os.environ.get(INTERPRETER) or (sys.executable if find_spec("placo") else None)
    if interpreter is None:
        return []
    plant = Plant(load("bluerov2_bravo7"), world=Ocean())
    call, found = _evaluation(plant, three_levels()), {}
    for _ in range(_ROUNDS):
        theirs, ours = their_times(plant.system, interpreter), best_time(call, seconds=0.2) / _BATCH
        for name, seconds in theirs.items():
            found.setdefault(name, []).append((ours, seconds))
    return [
        _row("three levels of tasks, batch", _SYSTEM, _worst(pairs), name, 2.0 if "alone" in name else None)
        for name, pairs in found.items()
    ]


def _evaluation(plant: Plant, levels: list[Any]) -> Callable[[], object]:
    """The law's speeds for a batch, from configurations alone."""
    law, system = TaskPriority(plant, levels), plant.system
    kernel = kernels.compile(
        lambda q: law.wanted(0.0, q, np.zeros(system.nv)).motion, [(system.nq,)], exact_zeros=False
    )
    rng = np.random.default_rng(0)
    q = np.stack([system.retract(system.neutral(), 0.5 * rng.normal(size=system.nv)) for _ in range(_BATCH)])
    return lambda: kernel(q)


def their_times(system: System, interpreter: str) -> dict[str, float]:
    """Seconds of an evaluation of the peers on the same three tasks, by name."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "robot.urdf")
        _write_dry_urdf(system, path)
        return measured_by(interpreter, priority_peer.__file__, path, "0.3")


def _write_dry_urdf(system: System, path: str) -> None:
    """The system without water and looks, with the vehicle as its root."""
    bodies = tuple(replace(body, fluid=None, visuals=()) for body in system.tree.bodies)
    files.write(replace(system.tree, bodies=bodies), path)
    text = Path(path).read_text(encoding="utf-8")
    text = re.sub(r'  <link name="world" />\n', "", text)
    text = re.sub(r'  <joint name="[^"]*" type="floating">.*?</joint>\n', "", text, flags=re.S)
    limit = '<limit lower="-3" upper="3" effort="100" velocity="10" />'
    text = text.replace('type="continuous">', f'type="revolute">\n    {limit}')
    Path(path).write_text(text, encoding="utf-8")


def loop_rows() -> list[dict[str, Any]]:
    """One trajectory with computed torque at 100 Hz, RKMK4 steps of 1 ms: time per second of it."""
    plant = Plant(load("bluerov2_bravo7"), world=Ocean())
    limits = [[SpeedLimitTask(["rov", *priority_peer.ARM], highest=0.5)]]
    options = {"duration": _SECONDS, "step": 1e-3, "control_step": 0.01, "record_every": 100}
    q0, found = plant.system.neutral(), []
    for name, levels in (("", three_levels()), (", speed limits", limits + three_levels())):
        law = TaskPriority(plant, levels, order="acceleration")
        times = [
            best_time(lambda law=law: simulate(plant, q0, controller=law, **options)) for _ in range(_ROUNDS)
        ]
        pair = max(times) / _SECONDS, 1.0
        found.append(_row(f"one trajectory, 100 Hz{name}", _SYSTEM, pair, "real time, of one second", 120.0))
    return found


def eight_thrusters() -> Plant:
    """A box with four level thrusters at its corners and four upright ones."""
    b = SystemBuilder("box")
    b.vehicle("box", Free(), inertia=Inertia.box(mass=10.0, size=(0.5, 0.4, 0.3)))
    thrusters = []
    for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)]):
        at, along = (0.2 * x, 0.15 * y, 0), (1, -x * y, 0)
        thrusters.append(Thruster("box", at=at, direction=along, name=f"level{k}", limits=(-5, 5)))
        at = (0.15 * x, 0.2 * y, 0)
        thrusters.append(Thruster("box", at=at, direction=(0, 0, 1), name=f"up{k}", limits=(-5, 5)))
    return Plant(b.build(), actuators=thrusters)


def allocation_rows() -> list[dict[str, Any]]:
    """Bounded least squares of random wrenches, most beyond what the thrusters can give; the bar is 2 µs."""
    if find_spec("scipy") is None:
        return []
    plant = eight_thrusters()
    q, law = plant.system.neutral(), Allocated(plant, StationKeeping(plant, "box", np.eye(4), 1.0, 1.0))
    kernel = kernels.compile(lambda forces: law.shared_out(q, forces).thrusts, [(6,)], exact_zeros=False)
    rng = np.random.default_rng(0)
    wanted = 25.0 ** rng.random((_BATCH, 1)) * rng.normal(size=(_BATCH, 6)) * [2, 2, 2, 0.4, 0.4, 0.4]
    B = plant.allocation_matrix(q)
    solve = import_module("scipy.optimize").lsq_linear
    A = np.vstack([B, 1e-3 * np.eye(8)])

    def theirs() -> None:
        for τ in wanted[:20]:
            solve(A, np.r_[τ, np.zeros(8)], (-5.0, 5.0), method="bvls")

    pairs = [
        (best_time(lambda: kernel(wanted), seconds=0.2) / _BATCH, best_time(theirs, seconds=0.2) / 20)
        for _ in range(_ROUNDS)
    ]
    pair = max(ours for ours, _ in pairs), min(theirs for _, theirs in pairs)
    return [_row("bounded allocation, batch", "8 thrusters", pair, "scipy lsq_linear, bvls", pair[1] / 2e-6)]
