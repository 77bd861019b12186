"""C(1) = SO(2) × T(1): rotations about one line and translations along it. Cylindrical joints."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .. import se3
from ..arrays import Array, vector
from .one_axis import E3, E6, angle, shift, travel, turn
from .subgroup import AbelianSubgroup, columns


class Cylindrical(AbelianSubgroup):
    """C(1): x = (vz, wz)."""

    name = "C(1)"
    dof_names: ClassVar[tuple[str, ...]] = ("vz", "wz")

    @property
    def standard_basis(self) -> np.ndarray:
        """e₃ e₆ (6, 2)."""
        return columns(E3, E6)

    def exp(self, x: Array) -> Array:
        """Travel z and turn by θ: (..., 2) [m, rad] to (..., 4, 4)."""
        z, θ = x[..., 0], x[..., 1]
        a = self.frame[:3, 2]
        return se3.pose(turn(self.frame, θ), np.asarray(z)[..., None] * a + shift(self.frame, θ))

    def log(self, g: Array) -> Array:
        """Travel and angle in [−π, π] (..., 2) [m, rad] of g (..., 4, 4)."""
        return vector([travel(self.frame, g), angle(self.frame, se3.rotation(g))])

    def project_standard(self, g: np.ndarray) -> np.ndarray:
        """The nearest turn about z with g's (..., 4, 4) travel along z."""
        return Cylindrical().exp(Cylindrical().log(g))
