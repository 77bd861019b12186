"""SE(2): motions in a plane. Rovers, planar joints."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .. import se3
from ..arrays import Array, vector
from .one_axis import E1, E2, E6, angle, placed, planar_position, planar_velocity, standard_position, turn
from .subgroup import Subgroup, columns


class Planar(Subgroup):
    """SE(2): x = (vx, vy, wz)."""

    name = "SE(2)"
    dof_names: ClassVar[tuple[str, ...]] = ("vx", "vy", "wz")

    @property
    def standard_basis(self) -> np.ndarray:
        """e₁ e₂ e₆ (6, 3)."""
        return columns(E1, E2, E6)

    def exp(self, x: Array) -> Array:
        """Arc of the plane with the body velocity x (..., 3) [m, m, rad] over unit time, (..., 4, 4)."""
        θ = x[..., 2]
        px, py = planar_position(x[..., 0], x[..., 1], θ)
        return placed(self.frame, θ, vector([px, py, 0.0]))

    def log(self, g: Array) -> Array:
        """Body velocity (..., 3) [m, m, rad] that reaches g (..., 4, 4) in unit time, angle in [−π, π]."""
        θ = angle(self.frame, se3.rotation(g))
        p = standard_position(self.frame, g, θ)
        return vector([*planar_velocity(p[..., 0], p[..., 1], θ), θ])

    def project_standard(self, g: np.ndarray) -> np.ndarray:
        """The nearest turn about z with the x and y of g (..., 4, 4)."""
        p = se3.position(g)
        θ = angle(np.eye(4), se3.rotation(g))
        return se3.pose(turn(np.eye(4), θ), vector([p[..., 0], p[..., 1], 0.0]))
