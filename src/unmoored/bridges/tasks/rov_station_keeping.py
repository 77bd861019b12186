"""A BlueROV2 keeps its place in an unknown current while its arm works."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...control import Sine
from ...lie.arrays import vector
from ...system import System, load
from ...trace import minimum
from ...worlds import Ocean, Plant, Thruster
from ..distributions import InBall, Uniform
from ..learning_task import Instant, Task

_THRUSTERS = tuple(f"thruster_{k}" for k in range(1, 9))
_LIMIT = 40.0  # N, of a thruster
_MOST_SUM = 2.0  # m s
_CURRENT = "ocean.current"
_MASS, _LINEAR, _QUADRATIC = "rov.mass", "rov.fluid.linear_drag", "rov.fluid.quadratic_drag"
#: the arm's work: mean and amplitude (rad), period (s) of each joint
_WORK = {
    "base_yaw": (0.0, 0.8, 11.0), "shoulder_pitch": (1.0, 0.6, 9.0), "elbow_pitch": (1.2, 0.8, 7.0),
    "wrist_roll": (0.0, 1.0, 5.0),
}  # fmt: skip


def station_keeping(
    *,
    current: float = 0.5,
    spread: float = 0.2,
    distance: float = 1.0,
    lag: float = 0.1,
    duration: float = 12.0,
    control_step: float = 0.05,
    step: float = 0.01,
) -> Task:
    """Hold the BlueROV2 at the origin, level and headed along x, while the Alpha 5 on it swings its joints.

    current: highest speed of the current (m/s), from anywhere.  spread: mass (half of it) and drag differ from the
    nominal ones by up to this part.  distance: of the start, up to this in each direction (m).  lag: of thrust (s).
    Each episode begins at another time of the arm's work. Actions are the 8 thrusts (N). Too far or overturned ends it.

    The observation: `error` (3) of position in axes of the vehicle (m), `sum` (3) of that error over time (m s),
    bounded, which tells the current; `attitude` (9), the rotation matrix; `velocity` (6) of the vehicle (m/s, rad/s);
    `thrust` (8) as part of the limit; `arm` (8), angles and speeds of the joints (rad, rad/s).
    """
    plant = _plant(lag)
    nominal = plant.available_parameters()
    return Task(
        plant,
        _observed,
        _reward,
        duration,
        control_step,
        step,
        name="station_keeping",
        terminated={
            "farther than 4 m": lambda now: now.q[9:12] @ now.q[9:12] > 16.0,
            "overturned": lambda now: now.q[8] < 0.0,
        },
        vary={
            _CURRENT: InBall(current),
            _MASS: _about(nominal[_MASS], 0.5 * spread),
            _LINEAR: _about(nominal[_LINEAR], spread),
            _QUADRATIC: _about(nominal[_QUADRATIC], spread),
        },
        draw={
            "place": Uniform(np.full(3, -distance), np.full(3, distance)),
            "tilt": Uniform(np.array([-0.2, -0.2, -0.8]), np.array([0.2, 0.2, 0.8])),
        },
        start=lambda drawn, p: _start(plant.system, drawn),
        start_time=Uniform(0.0, 60.0),
        memory={"sum": 3},
        remember=lambda now: {"sum": _summed(now, control_step)},
    )


def _plant(lag: float) -> Plant:
    """The vehicle in still water, its arm's joints prescribed, with what episodes vary as free parameters."""
    thrusters = [Thruster(frame, limits=(-_LIMIT, _LIMIT), lag=lag) for frame in _THRUSTERS]
    work = {name: Sine(amplitude, period, mean) for name, (mean, amplitude, period) in _WORK.items()}
    free = [_CURRENT, _MASS, _LINEAR, _QUADRATIC]
    water = Ocean(current=(0.0, 0.0, 0.0), density=1000.0)
    return Plant(load("bluerov2_heavy_alpha5"), water, thrusters, free=free, prescribed=work)


def _about(nominal: np.ndarray, part: float) -> Uniform:
    return Uniform((1.0 - part) * nominal, (1.0 + part) * nominal)


def _start(system: System, drawn: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(q, v): at rest, first shifted to its place, then turned there."""
    place, tilt = drawn["place"], drawn["tilt"]
    turn = np.concatenate([vector([0.0 * tilt[0]] * 3), tilt, np.zeros(4)])
    shift = np.concatenate([place, np.zeros(7)])
    return system.retract(system.retract(system.neutral(), shift), turn), np.zeros(system.nv)


def _error(now: Instant) -> np.ndarray:
    """Of position, in axes of the vehicle (m)."""
    R, place = now.q[:9].reshape(3, 3), now.q[9:12]
    return R.T @ place


def _summed(now: Instant, control_step: float) -> np.ndarray:
    """The error's sum over time in world axes (m s); far from the place it grows slowly."""
    place = now.q[9:12]
    rate = place / np.sqrt(1.0 + (place @ place) / 0.09)
    return np.clip(now.memory["sum"] + control_step * rate, np.full(3, -_MOST_SUM), np.full(3, _MOST_SUM))


def _observed(now: Instant) -> dict[str, Any]:
    R = now.q[:9].reshape(3, 3)
    return {
        "error": _error(now),
        "sum": R.T @ now.memory["sum"],
        "attitude": now.q[:9],
        "velocity": now.v[:6],
        "thrust": now.x / _LIMIT,
        "arm": np.concatenate([now.q[12:], now.v[6:]]),
    }


def _reward(now: Instant) -> Any:
    """Of a period: near its place, level and headed along x, slow, with little thrust."""
    e = _error(now)
    far, R = np.sqrt(e @ e + 1e-6), now.q[:9].reshape(3, 3)
    tilt = 3.0 - R[0, 0] - R[1, 1] - R[2, 2]
    speed, u = now.v[:6], now.u / _LIMIT
    near = np.exp(-far / 0.05) + np.exp(-far / 0.3)
    return 0.05 * (
        1.0 + near - 0.5 * minimum(far, 2.0) - 0.5 * tilt - 0.05 * (speed @ speed) - 0.01 * (u @ u)
    )
