"""Trajectory optimisation: an iteration against Crocoddyl's, one thread both, on the same problem."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ...planning import Effort, NotConvergedWarning, Optimum, Speed, ToolPose, optimize
from ...system import load
from ...worlds import Plant
from . import crocoddyl_peer
from .peers import measured_by, pinocchio_configuration

#: names the interpreter that has Crocoddyl, if this one has not
INTERPRETER = "UNMOORED_CROCODDYL_PYTHON"
_BAR = 3.0
_PROBLEM = {
    "nodes": 100, "period": 0.01, "effort": 1e-2, "speed": 0.1, "pose": 100.0, "final_speed": 1.0, "iterations": 10,
    "most": 200, "repeats": 8,
}  # fmt: skip


def rows() -> list[dict[str, Any]]:
    """A row for each integrator, none where Crocoddyl is not installed."""
    interpreter = os.environ.get(INTERPRETER) or (sys.executable if find_spec("crocoddyl") else None)
    return [] if interpreter is None else [_row(interpreter, method) for method in ("rkmk4", "euler")]


def _row(interpreter: str, method: str) -> dict[str, Any]:
    plant = Plant(load("free_flyer_arm7"))
    rng = np.random.default_rng(1)
    q0 = plant.system.retract(plant.system.neutral(), 0.3 * rng.normal(size=plant.nv))
    there = plant.system.retract(q0, np.concatenate([np.zeros(6), 0.4 * rng.normal(size=7)]))
    target = plant.system.pose(there, plant.system.names[-1])
    with _one_thread():
        ours, found = our_time(plant, q0, target, method, _PROBLEM["iterations"])
        whole, optimum = our_time(plant, q0, target, method, _PROBLEM["most"])
    theirs = _their_time(interpreter, plant, q0, target, "euler" if method == "euler" else "rk4")
    return {
        "what": f"optimize, an iteration, 100 nodes, {method}", "system": "6+7 right", "ours_us": ours * 1e6,
        "peer": f"crocoddyl {theirs['version']} FDDP", "peer_us": theirs["seconds"] * 1e6,
        "ratio": theirs["seconds"] / ours, "bar": _BAR, "cost": float(found.cost), "peer_cost": theirs["cost"],
        "whole_ms": whole * 1e3 * int(optimum.iterations), "iterations": int(optimum.iterations),
        "peer_whole_ms": theirs["whole_seconds"] * 1e3, "peer_iterations": theirs["whole_iterations"],
    }  # fmt: skip


@contextmanager
def _one_thread() -> Iterator[None]:
    """Batches are not shared while it lasts."""
    before = os.environ.get("UNMOORED_THREADS")
    os.environ["UNMOORED_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["UNMOORED_THREADS"]
        else:
            os.environ["UNMOORED_THREADS"] = before


def our_time(
    plant: Plant, q0: np.ndarray, target: np.ndarray, method: str, iterations: float
) -> tuple[float, Optimum]:
    """Processor seconds of an iteration, best of some solves; checks of arguments are in it."""
    given = _PROBLEM
    running = [Effort(plant, given["effort"]), Speed(plant, given["speed"])]
    final = [
        ToolPose(plant, plant.system.names[-1], target, given["pose"]),
        Speed(plant, given["final_speed"]),
    ]
    best, found = np.inf, None
    for _ in range(int(given["repeats"]) + 1):
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConvergedWarning)
            found = optimize(
                plant, q0, duration=given["nodes"] * given["period"], control_step=given["period"], method=method,
                running=running, final=final, iterations=int(iterations),
            )  # fmt: skip
        best = min(best, (time.process_time() - start) / max(1, int(found.iterations)))
    assert found is not None
    return best, found


def _their_time(
    interpreter: str, plant: Plant, q0: np.ndarray, target: np.ndarray, integrator: str
) -> dict[str, Any]:
    tree = plant.system.tree
    bodies = [
        {
            "name": link.name, "parent": link.parent, "free": link.joint.nv == 6, "at": link.placement.tolist(),
            "mass": float(body.inertia.mass), "com": list(body.inertia.com),
            "tensor": np.array(body.inertia.tensor).tolist(),
        }
        for link, body in zip(tree.links, tree.bodies, strict=True)
    ]  # fmt: skip
    more = {
        "bodies": bodies, "target": target.tolist(),
        "q0": pinocchio_configuration(tree, q0).tolist(), "integrator": integrator,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.json"
        path.write_text(json.dumps(_PROBLEM | more), encoding="utf-8")
        return measured_by(interpreter, crocoddyl_peer.__file__, str(path), OMP_NUM_THREADS="1")
