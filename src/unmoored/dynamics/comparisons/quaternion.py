"""The same dynamics with a quaternion for the vehicle's attitude.

theory.md §15; From et al. 2010, sections 4.1, 4.2. Only the kinematics differ. An ordinary integrator does
not keep |Q| = 1, and the state lets that drift be seen: y = (p, Q, q_arm, ν) (..., 7 + n + nv), that is
position in the world [m], Q = (η, ε) = (w, x, y, z), coordinates of the arm, velocities.
"""

from __future__ import annotations

import numpy as np

from ...lie import se3, so3
from ...model import Tree
from ..recursive import forward_dynamics
from .free_vehicle import configuration_at, free_vehicle, vehicle_pose


def quaternion_rate(Q: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Q̇ (..., 4): η̇ = −½ εᵀω, ε̇ = ½(η ω + ε × ω), with the rate ω (..., 3) in body axes."""
    η, ε = Q[..., :1], Q[..., 1:]
    η_dot = -(ε * omega).sum(axis=-1, keepdims=True)
    return 0.5 * np.concatenate([η_dot, η * omega + so3.cross(ε, omega)], axis=-1)


def quaternion_state(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """y = (p, Q, q_arm, ν) of a configuration q (..., nq) and velocity v (..., nv)."""
    free_vehicle(tree)
    g = vehicle_pose(tree, q)
    return np.concatenate([se3.position(g), so3.quaternion_wxyz(se3.rotation(g)), q[..., 12:], v], axis=-1)


def quaternion_configuration(tree: Tree, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(q (..., nq), v (..., nv)) of a state y; the quaternion may have any length but zero."""
    free_vehicle(tree)
    R = so3.from_quaternion_wxyz(y[..., 3:7])
    return configuration_at(tree, R, y[..., :3], y[..., 7 : -tree.nv]), y[..., -tree.nv :]


def quaternion_rates(tree: Tree, y: np.ndarray, tau: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """ẏ (like y) under forces tau (..., nv) on ν and gravity (..., 3) in world axes [m/s²]."""
    q, v = quaternion_configuration(tree, y)
    R = so3.from_quaternion_wxyz(y[..., 3:7])
    p_dot = (R @ v[..., :3, None])[..., 0]
    Q_dot = quaternion_rate(y[..., 3:7], v[..., 3:6])
    return np.concatenate([p_dot, Q_dot, v[..., 6:], forward_dynamics(tree, q, v, tau, gravity)], axis=-1)


def quaternion_drift(y: np.ndarray) -> np.ndarray:
    """|Q| − 1 (...): how far the state has left the unit quaternions."""
    Q = y[..., 3:7]
    return np.sqrt((Q * Q).sum(axis=-1)) - 1.0
