"""Jacobians of a frame's pose in chosen coordinates: position with Euler angles, a quaternion or a rotation vector."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..lie import se3, so3
from ..model import Tree
from ..model.errors import unknown_name
from .jacobians import jacobian
from .kinematics import pose


def analytic_jacobian(tree: Tree, q: np.ndarray, frame: str, coordinates: str = "euler_zyx") -> np.ndarray:
    """Jacobian (..., 3 + k, nv) of (world position, orientation coordinates) of a frame at q (..., nq).

    "euler_zyx": (yaw, pitch, roll), k = 3, singular at pitch = ±π/2. "quaternion_wxyz": k = 4.
    "rotation_vector": log of the rotation, k = 3, singular at 2π only.
    """
    if coordinates not in _RATES:
        raise unknown_name("analytic_jacobian", "coordinates", coordinates, _RATES)
    J, R = jacobian(tree, q, frame), se3.rotation(pose(tree, q, frame))
    return np.concatenate([R @ J[..., :3, :], _RATES[coordinates](R) @ J[..., 3:, :]], axis=-2)


def euler_zyx_rates(R: np.ndarray) -> np.ndarray:
    """T (..., 3, 3) with d/dt(yaw, pitch, roll) = T ω, ω in body axes (theory.md §15, rows in this order)."""
    angles = so3.euler_zyx(R)
    θ, φ = angles[..., 1], angles[..., 2]
    sφ, cφ, cθ, tθ = np.sin(φ), np.cos(φ), np.cos(θ), np.tan(θ)
    o, i = np.zeros_like(φ, dtype=float), np.ones_like(φ, dtype=float)
    return _matrix([[o, sφ / cθ, cφ / cθ], [o, cφ, -sφ], [i, sφ * tθ, cφ * tθ]])


def quaternion_rates(R: np.ndarray) -> np.ndarray:
    """Q (..., 4, 3) with d/dt(w, x, y, z) = Q ω, ω in body axes (theory.md §15)."""
    quaternion = so3.quaternion_wxyz(R)
    w, x, y, z = (quaternion[..., k] for k in range(4))
    return 0.5 * _matrix([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def rotation_vector_rates(R: np.ndarray) -> np.ndarray:
    """dexp⁻¹ (..., 3, 3): d/dt log R = dexp⁻¹ ω, ω in body axes (theory.md §1)."""
    return so3.dexp_inv(so3.log(R))


_RATES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "euler_zyx": euler_zyx_rates,
    "quaternion_wxyz": quaternion_rates,
    "rotation_vector": rotation_vector_rates,
}


def _matrix(rows: list[list[np.ndarray]]) -> np.ndarray:
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
