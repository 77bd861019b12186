"""The three tasks of `task_priority.py` in PlaCo and in Pink: seconds of one solution, on the processor.

Run by `task_priority.py` with an interpreter that has them: `python task_priority_peers.py robot.urdf seconds`.
"""

import json
import sys
import time

import numpy as np

ARM = ["base_yaw", "shoulder_pitch", "elbow_pitch", "forearm_roll", "wrist_pitch", "wrist_roll"]


def best(call, seconds):
    """Shortest time (s) of one call, from blocks of them."""
    call()
    shortest, end = np.inf, time.process_time() + seconds
    while time.process_time() < end:
        started = time.process_time()
        for _ in range(50):
            call()
        shortest = min(shortest, (time.process_time() - started) / 50)
    return shortest


def target():
    g = np.eye(4)
    g[:3, 3] = 0.8, 0.1, -0.5
    return g


def placo_times(urdf, seconds):
    import placo

    robot = placo.RobotWrapper(urdf, placo.Flags.ignore_collisions)
    solver = placo.KinematicsSolver(robot)
    solver.dt = 0.01
    for name in ARM:
        robot.set_joint(f"{name}_joint", 0.4)
    robot.update_kinematics()
    solver.add_frame_task("tool", target()).configure("tool", "hard", 1.0, 1.0)
    up = np.array([0.0, 0.02, 1.0])  # not quite: PlaCo divides by the angle
    level = solver.add_axisalign_task("rov", np.array([0.0, 0.0, 1.0]), up / np.linalg.norm(up))
    level.configure("level", "soft", 1.0)
    posture = solver.add_joints_task()
    posture.set_joints({f"{name}_joint": 0.3 for name in ARM})
    posture.configure("posture", "soft", 1e-3)
    solver.add_regularization_task(1e-6)  # without it what is left open is no number

    def whole():
        robot.update_kinematics()
        solver.solve(False)

    return {
        "PlaCo, solve": best(lambda: solver.solve(False), seconds),
        "PlaCo, with kinematics": best(whole, seconds),
    }


def pink_times(urdf, seconds):
    import pink
    import pinocchio as pin

    model = pin.buildModelFromUrdf(urdf, pin.JointModelFreeFlyer())
    data = model.createData()
    q = pin.neutral(model)
    q[7:] = 0.4
    state = pink.Configuration(model, data, q)
    tool = pink.tasks.FrameTask("tool", position_cost=1.0, orientation_cost=1.0)
    tool.set_target(pin.SE3(target()))
    base = pink.tasks.FrameTask("rov", position_cost=0.0, orientation_cost=[1.0, 1.0, 0.0])
    base.set_target(pin.SE3.Identity())
    posture = pink.tasks.PostureTask(cost=1e-3)
    posture.set_target(q)
    import qpsolvers

    solver = qpsolvers.available_solvers[0]

    def whole():
        state.update(q)
        pink.solve_ik(state, [tool, base, posture], 0.01, solver=solver, limits=[])

    return {f"Pink, {solver}": best(whole, seconds)}


if __name__ == "__main__":
    found = {}
    for name, measure in (("PlaCo", placo_times), ("Pink", pink_times)):
        try:
            found |= measure(sys.argv[1], float(sys.argv[2]))
        except Exception as why:  # told by name: it is not installed, or not as it was when this was written
            found[f"{name}: {type(why).__name__}: {why}"] = None
    print(json.dumps(found))
