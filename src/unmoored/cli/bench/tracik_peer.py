"""TRAC-IK on poses of `inverse_kinematics_cases`, in its own interpreter: `python tracik_peer.py problem.json`.

It imports nothing of the package. Prints one JSON object: seconds per pose, best of some rounds, and the share solved.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from typing import Any

import numpy as np


def main(problem_path: str) -> None:
    """Solve the poses in the file and print what it took."""
    tracik = import_module("trac_ik")
    with open(problem_path, encoding="utf-8") as file:
        given: dict[str, Any] = json.load(file)
    solver = tracik.TracIK(
        given["base"], given["tip"], given["urdf"], timeout=given["timeout"], epsilon=given["tolerance"]
    )
    poses, seed = np.array(given["poses"]), np.array(given["seed"])
    best, solved = np.inf, 0
    for _ in range(given["rounds"]):
        solved, started = 0, time.perf_counter()
        for g in poses:
            q = solver.ik(g[:3, 3], g[:3, :3], seed_jnt_values=seed)
            solved += q is not None
        best = min(best, (time.perf_counter() - started) / len(poses))
    print(json.dumps({"seconds": best, "solved": solved / len(poses), "version": tracik.__version__}))


if __name__ == "__main__":
    main(*sys.argv[1:])
