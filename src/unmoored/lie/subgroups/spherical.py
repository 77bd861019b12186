"""SO(3): rotations about one point. Ball joints, attitude."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .. import se3, so3
from ..arrays import Array, apply, scale
from ..coefficients import exp_coefficients
from .subgroup import Subgroup, columns


class Spherical(Subgroup):
    """SO(3): x = (wx, wy, wz)."""

    name = "SO(3)"
    dof_names: ClassVar[tuple[str, ...]] = ("wx", "wy", "wz")

    @property
    def standard_basis(self) -> np.ndarray:
        """e₄ e₅ e₆ (6, 3)."""
        return columns(*np.eye(6)[3:])

    def exp(self, x: Array) -> Array:
        """Turn by the rotation vector x about the point: (..., 3) [rad] to (..., 4, 4)."""
        ω, r = apply(self.frame[:3, :3], x), self.frame[:3, 3]
        A, B, _ = exp_coefficients(self.angle_squared(x))
        turned = scale(A, so3.hat(ω)) + scale(B, so3.hat_squared(ω))  # R − 1, exact for small turns
        return se3.pose(so3.IDENTITY + turned, apply(turned, -r))

    def log(self, g: Array) -> Array:
        """Rotation vector (..., 3) [rad], at most π long, of g (..., 4, 4)."""
        return apply(self.frame[:3, :3].T, so3.log(se3.rotation(g)))

    def angle_squared(self, x: Array) -> Array:
        """|x|² (...) [rad²] for x (..., 3)."""
        return so3.angle_squared(x)

    def angle_squared_rate(self, x: Array, x_dot: Array) -> Array:
        """2 x·ẋ (...) [rad²/s] for x, ẋ (..., 3)."""
        return 2.0 * (x * x_dot).sum(axis=-1)

    def project_standard(self, g: np.ndarray) -> np.ndarray:
        """The rotation nearest to g's (..., 4, 4), at the origin."""
        return se3.pose(so3.project(se3.rotation(g)), np.zeros(3))
