"""The three tasks of `law_cases` in PlaCo and Pink, by their own interpreter: `python priority_peer.py urdf seconds`.

It imports nothing of the package. Prints one JSON object: seconds of one evaluation by name; what is not there is left
out.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

import numpy as np

ARM = ("base_yaw", "shoulder_pitch", "elbow_pitch", "forearm_roll", "wrist_pitch", "wrist_roll")


def _best(call: Callable[[], object], seconds: float) -> float:
    """Shortest time (s) of one call, from blocks of them."""
    call()
    shortest, end = np.inf, time.process_time() + seconds
    while time.process_time() < end:
        started = time.process_time()
        for _ in range(50):
            call()
        shortest = min(shortest, (time.process_time() - started) / 50)
    return float(shortest)


def _target() -> np.ndarray:
    g = np.eye(4)
    g[:3, 3] = 0.8, 0.1, -0.5
    return g


def placo_times(urdf: str, seconds: float) -> dict[str, float]:
    """The solution alone, and with kinematics."""
    placo = import_module("placo")
    robot = placo.RobotWrapper(urdf, placo.Flags.ignore_collisions)
    solver = placo.KinematicsSolver(robot)
    solver.dt = 0.01
    for name in ARM:
        robot.set_joint(f"{name}_joint", 0.4)
    robot.update_kinematics()
    solver.add_frame_task("tool", _target()).configure("tool", "hard", 1.0, 1.0)
    up = np.array([0.0, 0.02, 1.0])  # not quite: PlaCo divides by the angle
    level = solver.add_axisalign_task("rov", np.array([0.0, 0.0, 1.0]), up / np.linalg.norm(up))
    level.configure("level", "soft", 1.0)
    posture = solver.add_joints_task()
    posture.set_joints({f"{name}_joint": 0.3 for name in ARM})
    posture.configure("posture", "soft", 1e-3)
    solver.add_regularization_task(1e-6)  # without it what is left open is no number

    def whole() -> None:
        robot.update_kinematics()
        solver.solve(False)

    return {
        "PlaCo, solution alone": _best(lambda: solver.solve(False), seconds),
        "PlaCo, with kinematics": _best(whole, seconds),
    }


def pink_times(urdf: str, seconds: float) -> dict[str, float]:
    """Kinematics and solution, with the first solver that is there."""
    pink, pin, qpsolvers = (import_module(name) for name in ("pink", "pinocchio", "qpsolvers"))
    model = pin.buildModelFromUrdf(urdf, pin.JointModelFreeFlyer())
    q = pin.neutral(model)
    q[7:] = 0.4
    state = pink.Configuration(model, model.createData(), q)
    tool = pink.tasks.FrameTask("tool", position_cost=1.0, orientation_cost=1.0)
    tool.set_target(pin.SE3(_target()))
    base = pink.tasks.FrameTask("rov", position_cost=0.0, orientation_cost=[1.0, 1.0, 0.0])
    base.set_target(pin.SE3.Identity())
    posture = pink.tasks.PostureTask(cost=1e-3)
    posture.set_target(q)
    if not qpsolvers.available_solvers:
        raise SystemExit("Pink is there without a solver: install daqp or quadprog beside it")
    solver = qpsolvers.available_solvers[0]

    def whole() -> None:
        state.update(q)
        pink.solve_ik(state, [tool, base, posture], 0.01, solver=solver, limits=[])

    return {f"Pink, {solver}": _best(whole, seconds)}


def main(urdf: str, seconds: str) -> None:
    """Measure both and print what it took."""
    found: dict[str, float] = {}
    for module, measure in (("placo", placo_times), ("pink", pink_times)):
        found |= measure(urdf, float(seconds)) if find_spec(module) else {}
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
