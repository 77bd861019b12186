"""SO(2): rotations about one line. Revolute joints."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .. import se3
from ..arrays import Array, vector
from .one_axis import E6, angle, shift, turn
from .subgroup import AbelianSubgroup, columns


class Rotation(AbelianSubgroup):
    """SO(2): x = (wz)."""

    name = "SO(2)"
    dof_names: ClassVar[tuple[str, ...]] = ("wz",)

    @property
    def standard_basis(self) -> np.ndarray:
        """e₆ (6, 1)."""
        return columns(E6)

    def exp(self, x: Array) -> Array:
        """Turn by θ about the line: (..., 1) [rad] to (..., 4, 4)."""
        θ = x[..., 0]
        return se3.pose(turn(self.frame, θ), shift(self.frame, θ))

    def log(self, g: Array) -> Array:
        """Angle (..., 1) [rad] in [−π, π] of g (..., 4, 4)."""
        return vector([angle(self.frame, se3.rotation(g))])

    def project_standard(self, g: np.ndarray) -> np.ndarray:
        """The turn about z nearest to the rotation of g (..., 4, 4), at the origin."""
        return Rotation().exp(Rotation().log(g))
