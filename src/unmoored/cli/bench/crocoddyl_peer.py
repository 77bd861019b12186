"""Crocoddyl on the problem of `optimizing`, in an interpreter of its own: `python crocoddyl_peer.py problem.json`.

It depends on a Pinocchio of its own, so that it may be installed apart; this file imports nothing of the package.
Prints one JSON object: seconds per iteration, the cost, and the same of a whole solution (`whole_…`).
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from typing import Any

import numpy as np


def model_of(pin: Any, bodies: list[dict[str, Any]]) -> Any:
    """The model of bodies on a free joint or on revolute joints about z, parents first, with a frame for each."""
    model = pin.Model()
    model.gravity.linear = np.zeros(3)

    def placed(matrix: Any) -> Any:
        g = np.array(matrix)
        return pin.SE3(g[:3, :3].copy(), g[:3, 3].copy())

    for body in bodies:
        joint = pin.JointModelFreeFlyer() if body["free"] else pin.JointModelRZ()
        index = model.addJoint(body["parent"] + 1, joint, placed(body["at"]), body["name"])
        inertia = pin.Inertia(body["mass"], np.array(body["com"]), np.array(body["tensor"]))
        model.appendBodyToJoint(index, inertia, pin.SE3.Identity())
        model.addJointFrame(index)
    return model


def main(problem_path: str) -> None:
    """Solve the problem in the file and print what it took."""
    crocoddyl, pin = import_module("crocoddyl"), import_module("pinocchio")
    with open(problem_path, encoding="utf-8") as file:
        given: dict[str, Any] = json.load(file)
    model = model_of(pin, given["bodies"])
    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFull(state)
    x0 = np.concatenate([given["q0"], np.zeros(model.nv)])
    target = np.array(given["target"])
    goal = pin.SE3(target[:3, :3].copy(), target[:3, 3].copy())
    nv = model.nv

    def weighted(weights: Any) -> Any:
        return crocoddyl.ActivationModelWeightedQuad(np.array(weights, dtype=float))

    def cost(final: bool) -> Any:
        costs = crocoddyl.CostModelSum(state, nv)
        speeds = crocoddyl.ResidualModelState(state, x0 * np.r_[np.ones(model.nq), np.zeros(nv)], nv)
        only_speeds = weighted([0.0] * nv + [1.0] * nv)
        weight = given["final_speed"] if final else given["speed"]
        costs.addCost("speed", crocoddyl.CostModelResidual(state, only_speeds, speeds), weight)
        if final:
            frame = model.getFrameId(given["bodies"][-1]["name"])
            placed = crocoddyl.ResidualModelFramePlacement(state, frame, goal, nv)
            costs.addCost("pose", crocoddyl.CostModelResidual(state, placed), given["pose"])
        else:
            effort = crocoddyl.ResidualModelControl(state, nv)
            costs.addCost("effort", crocoddyl.CostModelResidual(state, effort), given["effort"])
        return costs

    def node(final: bool) -> Any:
        model_ = crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, cost(final))
        if final or given["integrator"] == "euler":
            return crocoddyl.IntegratedActionModelEuler(model_, 0.0 if final else given["period"])
        return crocoddyl.IntegratedActionModelRK(model_, crocoddyl.RKType.four, given["period"])

    running = node(False)
    problem = crocoddyl.ShootingProblem(x0, [running] * given["nodes"], node(True))
    problem.nthreads = 1
    solver = crocoddyl.SolverFDDP(problem)
    xs, us = [x0] * (given["nodes"] + 1), [np.zeros(nv)] * given["nodes"]
    found: dict[str, Any] = {"version": crocoddyl.__version__}
    for name, most in (("", given["iterations"]), ("whole_", given["most"])):
        best = np.inf
        for _ in range(given["repeats"]):
            start = time.process_time()
            solver.solve(xs, us, most, False)
            best = min(best, time.process_time() - start)
        found |= {f"{name}seconds": best, f"{name}iterations": solver.iter, f"{name}cost": solver.cost}
    found["seconds"] /= max(1, found["iterations"])
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
