"""A free-flying arm brings its tool to a point in space while its bus reacts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...system import load
from ...trace import minimum
from ...worlds import JointMotor, Plant, Space
from ..distributions import InBall, Uniform
from ..learning_task import Instant, Task

_TORQUES = {  # N m, of the joints from the bus outwards
    "shoulder_yaw": 20.0, "shoulder_pitch": 20.0, "upper_arm_roll": 10.0, "elbow_pitch": 10.0, "forearm_roll": 2.0,
    "wrist_pitch": 2.0, "wrist_roll": 0.5,
}  # fmt: skip
_BENT = np.array([0.0, 0.8, 0.0, 1.2, 0.0, 0.6, 0.0])  # rad, where the arm starts, more or less


def reaching(
    *, spread: float = 0.2, duration: float = 10.0, control_step: float = 0.05, step: float = 0.01
) -> Task:
    """Bring the tool of `free_flyer_arm7` to a point within 0.5 m of where it starts, and keep it there, at rest.

    The bus floats: nothing holds it, so that it turns as the arm moves. spread: masses of bus and wrist differ from the
    nominal ones by up to this part. Actions are the torques of the 7 joints (N m). A bus that turns by more than a
    right angle ends the episode.

    The observation: `error` (3), from the tool to the point in axes of the bus (m); `tool` (3), its velocity in its own
    axes (m/s); `joints` (7) and `speeds` (7) of the arm (rad, rad/s); `bus` (6), its velocity (m/s, rad/s).
    """
    motors = [JointMotor(joint, limits=(-most, most)) for joint, most in _TORQUES.items()]
    plant = Plant(load("free_flyer_arm7"), Space(), motors, free=["bus.inertia_scale", "wrist_roll.mass"])
    system, wrist = plant.system, plant.available_parameters()["wrist_roll.mass"]
    limits = np.array(list(_TORQUES.values()))

    def start(drawn: Any, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        moved = np.concatenate([np.zeros(6), _BENT + drawn["joints"]])
        return system.retract(system.neutral(), moved), np.zeros(system.nv)

    rest = system.retract(system.neutral(), np.concatenate([np.zeros(6), _BENT]))
    middle = system.pose(rest, "tool")[:3, 3]

    def error(now: Instant) -> np.ndarray:
        """From the tool to the point, in world axes."""
        return middle + now.drawn["point"] - system.pose(now.q, "tool")[:3, 3]

    def observe(now: Instant) -> dict[str, Any]:
        R = now.q[:9].reshape(3, 3)
        return {
            "error": R.T @ error(now),
            "tool": system.velocity(now.q, now.v, "tool")[:3],
            "joints": now.q[12:],
            "speeds": now.v[6:],
            "bus": now.v[:6],
        }

    def reward(now: Instant) -> Any:
        e, joints, u = error(now), now.v[6:], now.u / limits
        far, fast = np.sqrt(e @ e + 1e-6), minimum(joints @ joints, 20.0)
        near = np.exp(-far / 0.05) + np.exp(-far / 0.3)
        return 0.05 * (1.0 + near - far - 0.05 * fast - 0.02 * (u @ u))

    scale = np.ones(1)
    return Task(
        plant,
        observe,
        reward,
        duration,
        control_step,
        step,
        name="reaching",
        terminated={"the bus has turned by a right angle": lambda now: now.q[0] + now.q[4] + now.q[8] < 1.0},
        vary={
            "bus.inertia_scale": Uniform((1.0 - spread) * scale, (1.0 + spread) * scale),
            "wrist_roll.mass": Uniform((1.0 - spread) * wrist, (1.0 + spread) * wrist),
        },
        draw={"joints": Uniform(np.full(7, -0.2), np.full(7, 0.2)), "point": InBall(0.5)},
        start=start,
    )
