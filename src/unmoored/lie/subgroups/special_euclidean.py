"""SE(3): all rigid motions. Free-flying and free-swimming vehicles."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .. import se3, so3
from ..arrays import Array
from .subgroup import Subgroup, columns


class SpecialEuclidean(Subgroup):
    """SE(3): x = (vx, vy, vz, wx, wy, wz)."""

    name = "SE(3)"
    dof_names: ClassVar[tuple[str, ...]] = ("vx", "vy", "vz", "wx", "wy", "wz")

    @property
    def standard_basis(self) -> np.ndarray:
        """The identity (6, 6)."""
        return columns(*np.eye(6))

    def exp(self, x: Array) -> Array:
        """Rigid motion with the body twist Ad_A x (..., 6) [m, rad] over unit time, (..., 4, 4)."""
        return se3.exp(se3.Ad_apply(self.frame, x))

    def log(self, g: Array) -> Array:
        """Twist (..., 6) [m, rad] that reaches g (..., 4, 4) in unit time, |ω| ≤ π."""
        return se3.Ad_inv_apply(self.frame, se3.log(g))

    def angle_squared(self, x: Array) -> Array:
        """|ω|² (...) [rad²] for x = (v, ω) (..., 6)."""
        return so3.angle_squared(x[..., 3:])

    def dexp(self, x: Array) -> Array:
        """Left-trivialised differential of exp (..., 6, 6); here ad³ ≠ −θ² ad, see `se3.dexp`."""
        return se3.dexp(x)

    def dexp_rate(self, x: Array, x_dot: Array) -> Array:
        """d/dt dexp(x) (..., 6, 6); see `se3.dexp_rate`."""
        return se3.dexp_rate(x, x_dot)

    def dexp_inv(self, x: Array) -> Array:
        """Inverse of `dexp` (..., 6, 6), |ω| < 2π."""
        return se3.dexp_inv(x)

    def project_standard(self, g: np.ndarray) -> np.ndarray:
        """The rotation nearest to g's (..., 4, 4), at its position."""
        return se3.pose(so3.project(se3.rotation(g)), se3.position(g))
