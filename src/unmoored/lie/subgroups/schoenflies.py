"""X(z), Schönflies motions: translations in space and rotations about one direction. Cranes, SCARA robots."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .. import se3
from ..arrays import Array, vector
from .one_axis import (
    E1,
    E2,
    E3,
    E6,
    angle,
    placed,
    planar_position,
    planar_velocity,
    standard_position,
    turn,
)
from .subgroup import Subgroup, columns


class Schoenflies(Subgroup):
    """X(z): x = (vx, vy, vz, wz)."""

    name = "X(z)"
    dof_names: ClassVar[tuple[str, ...]] = ("vx", "vy", "vz", "wz")

    @property
    def standard_basis(self) -> np.ndarray:
        """e₁ e₂ e₃ e₆ (6, 4)."""
        return columns(E1, E2, E3, E6)

    def exp(self, x: Array) -> Array:
        """Helix with the body velocity x (..., 4) [m, m, m, rad] over unit time, (..., 4, 4)."""
        θ = x[..., 3]
        px, py = planar_position(x[..., 0], x[..., 1], θ)
        return placed(self.frame, θ, vector([px, py, x[..., 2]]))

    def log(self, g: Array) -> Array:
        """Body velocity (..., 4) [m, m, m, rad] that reaches g (..., 4, 4) in unit time, angle in [−π, π]."""
        θ = angle(self.frame, se3.rotation(g))
        p = standard_position(self.frame, g, θ)
        return vector([*planar_velocity(p[..., 0], p[..., 1], θ), p[..., 2], θ])

    def project_standard(self, g: np.ndarray) -> np.ndarray:
        """The nearest turn about z at the position of g (..., 4, 4)."""
        return se3.pose(turn(np.eye(4), angle(np.eye(4), se3.rotation(g))), se3.position(g))
