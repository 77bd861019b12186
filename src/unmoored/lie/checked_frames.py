"""Constant frames of the catalogue: checked axes and pitches, and the rotation that takes e_z to an axis.

These are numbers of the model, never symbols, and bad ones raise at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..error_roots import ArrayError
from . import se3

Z_AXIS = (0.0, 0.0, 1.0)


def unit_axis(axis: Any) -> np.ndarray:
    """The unit vector (3,) along a finite non-zero axis (3,) of any length."""
    a = np.asarray(axis, dtype=float)
    if a.shape != (3,):
        raise ArrayError(f"axis must have 3 numbers, given an array of shape {a.shape}: {axis}")
    if not np.all(np.isfinite(a)):
        raise ArrayError(f"axis must be finite, given {axis}")
    largest = np.max(np.abs(a))
    if largest == 0.0:
        raise ArrayError(f"axis must not be zero, given {axis}")
    a = a / largest  # first, so that no square under- or overflows
    return a / np.sqrt(a @ a)


def axis_rotation(axis: Any) -> np.ndarray:
    """The smallest rotation (3, 3) that takes e_z to the axis (3,); for −e_z half a turn about x."""
    x, y, z = unit_axis(axis)
    ρ = np.hypot(x, y)
    if z >= 0.0:
        k_xx, k_xy, k_yy = x * x / (1.0 + z), x * y / (1.0 + z), y * y / (1.0 + z)
    else:  # the same, with 1 + z = ρ²/(1 − z) free of cancellation
        c, s = (x / ρ, y / ρ) if ρ > 0.0 else (0.0, 1.0)
        k_xx, k_xy, k_yy = (1.0 - z) * c * c, (1.0 - z) * c * s, (1.0 - z) * s * s
    R = np.array([[1.0 - k_xx, -k_xy, x], [-k_xy, 1.0 - k_yy, y], [-x, -y, z]])
    return R + 0.0  # no negative zeros


def axis_frame(axis: Any) -> np.ndarray:
    """The pose (4, 4) at the origin that takes e_z to the axis (3,)."""
    return se3.pose(axis_rotation(axis), np.zeros(3))


def checked_pitch(pitch: Any, group: str, instead: str) -> float:
    """The pitch [m/rad] as a float, finite and not zero, or an error that names the group to use instead."""
    h = float(pitch)
    if not np.isfinite(h):
        raise ArrayError(f"{group}: pitch must be finite, given {pitch}")
    if h == 0.0:
        raise ArrayError(f"{group}: pitch must not be zero; use {instead}, which is this group without pitch")
    return h


def checked_pose(g: Any, tolerance: float = 1e-9) -> np.ndarray:
    """A constant pose (4, 4): finite, last row (0, 0, 0, 1), rotation orthonormal to the tolerance."""
    g = np.array(g, dtype=float)
    if g.shape != (4, 4) or not np.all(np.isfinite(g)):
        raise ArrayError(f"pose must be a finite 4×4 matrix, given shape {g.shape}: {g}")
    R = g[:3, :3]
    if np.any(g[3] != se3.BOTTOM_ROW[0]):
        raise ArrayError(f"pose: the last row must be (0, 0, 0, 1), given {g[3]}")
    defect = np.abs(R.T @ R - np.eye(3)).max()
    if defect > tolerance or np.linalg.det(R) < 0.0:
        raise ArrayError(
            f"pose: the 3×3 block must be a rotation (RᵀR = 1 to {tolerance}, det +1), given {R}"
        )
    return g
