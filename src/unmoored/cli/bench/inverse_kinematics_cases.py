"""Inverse kinematics of a 7R arm with limits against TRAC-IK, one core both, on the same random reachable poses."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ...model import Fixed, Inertia, Pose, Revolute
from ...planning import solve_ik
from ...system import System, SystemBuilder
from . import tracik_peer
from .peers import measured_by

#: names the interpreter that has pytracik, if this one has not
INTERPRETER = "UNMOORED_TRACIK_PYTHON"
_BAR, _SOLVED = 30.0, 0.999
_POSES, _TOLERANCE = 1000, 1e-6
#: Franka Emika's FCI documentation: places and tilts about x of the joints on their parents (m, rad), limits (rad)
_JOINTS = (
    ((0.0, 0.0, 0.333), 0.0, (-2.8973, 2.8973)),
    ((0.0, 0.0, 0.0), -0.5, (-1.7628, 1.7628)),
    ((0.0, -0.316, 0.0), 0.5, (-2.8973, 2.8973)),
    ((0.0825, 0.0, 0.0), 0.5, (-3.0718, -0.0698)),
    ((-0.0825, 0.384, 0.0), -0.5, (-2.8973, 2.8973)),
    ((0.0, 0.0, 0.0), 0.5, (-0.0175, 3.7525)),
    ((0.088, 0.0, 0.0), 0.5, (-2.8973, 2.8973)),
)


def seven_revolute_arm() -> System:
    """The arm of the Franka Emika Panda as far as kinematics go; masses are round numbers."""
    builder = SystemBuilder("arm7")
    parent = builder.vehicle("base", Fixed(), inertia=Inertia.box(1.0, (0.1, 0.1, 0.1)))
    for k, (place, tilt, limits) in enumerate(_JOINTS, start=1):
        parent = builder.link(
            f"link{k}", parent=parent, joint=Revolute((0, 0, 1), limits=limits, effort=50.0, velocity=2.0),
            at=Pose(xyz=place, rpy=(np.pi * tilt, 0.0, 0.0)), inertia=Inertia.box(1.0, (0.1, 0.1, 0.1)),
        )  # fmt: skip
    flange = builder.link(
        "flange",
        parent=parent,
        joint=Fixed(),
        at=Pose(xyz=(0, 0, 0.107)),
        inertia=Inertia.box(0.1, (0.1, 0.1, 0.1)),
    )
    builder.frame("tool", parent=flange, at=Pose())
    return builder.build()


def reachable_poses(system: System, number: int, seed: int) -> np.ndarray:
    """Poses (number, 4, 4) of the flange in random configurations within the limits."""
    rng = np.random.default_rng(seed)
    return system.pose(np.stack([system.random_configuration(rng) for _ in range(number)]), "flange")


def rows() -> list[dict[str, Any]]:
    """One row, none where pytracik is not installed."""
    interpreter = os.environ.get(INTERPRETER) or (sys.executable if find_spec("trac_ik") else None)
    if interpreter is None:
        return []
    system = seven_revolute_arm()
    poses = reachable_poses(system, _POSES, 0)
    theirs = their_time(interpreter, system, poses)
    ours, solved = our_time(system, poses)
    name = f"pytracik {theirs['version']}, {100 * theirs['solved']:.1f} % solved"
    return [
        {
            "what": f"solve_ik, 1,000 poses, 1e-6, {100 * solved:.1f} % solved", "system": "7R with limits",
            "ours_us": ours * 1e6, "peer": name, "peer_us": theirs["seconds"] * 1e6, "ratio": theirs["seconds"] / ours,
            "bar": _BAR if solved >= _SOLVED else np.inf, "solved": solved, "peer_solved": theirs["solved"],
        }
    ]  # fmt: skip


def our_time(system: System, poses: np.ndarray) -> tuple[float, float]:
    """(seconds per pose, best of some rounds; share solved). All poses count, solved or not, and all checks."""
    best, solved = np.inf, 0.0
    for _ in range(12):
        started = time.perf_counter()
        found = solve_ik(system, {"flange": poses}, tolerance=_TOLERANCE)
        best, solved = min(best, (time.perf_counter() - started) / len(poses)), float(np.mean(found.solved))
    return best, solved


def their_time(interpreter: str, system: System, poses: np.ndarray, rounds: int = 3) -> dict[str, Any]:
    """Seconds per pose of TRAC-IK from the middle of the limits, and the share that it solves."""
    limits = np.array([limits for _, _, limits in _JOINTS])
    with tempfile.TemporaryDirectory() as folder:
        urdf, path = Path(folder) / "arm7.urdf", Path(folder) / "problem.json"
        system.save(urdf)
        problem = {
            "urdf": str(urdf), "base": "base", "tip": "flange", "tolerance": _TOLERANCE, "timeout": 0.1,
            "poses": poses.tolist(), "seed": limits.mean(1).tolist(), "rounds": rounds,
        }  # fmt: skip
        path.write_text(json.dumps(problem), encoding="utf-8")
        return measured_by(interpreter, tracik_peer.__file__, str(path))
