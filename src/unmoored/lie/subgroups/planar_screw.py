"""Y_h: motions in a plane that advance by the pitch h with every radian. Planar-helical joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import se3
from ..arrays import Array, vector
from ..checked_frames import checked_pitch
from .one_axis import (
    E1,
    E2,
    E3,
    E6,
    placed,
    planar_position,
    planar_velocity,
    standard_position,
    turn,
    unwrapped_angle,
)
from .screw import nearest_screw_angle
from .subgroup import Subgroup, columns


@dataclass(frozen=True, eq=False)
class PlanarScrew(Subgroup):
    """Y_h: x = (vx, vy, wz); the travel along the axis is pitch · angle, pitch in m/rad."""

    pitch: float

    name = "Y_h"
    dof_names: ClassVar[tuple[str, ...]] = ("vx", "vy", "wz")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(
            self, "pitch", checked_pitch(self.pitch, "planar_screw", "planar (a planar joint)")
        )

    @property
    def standard_basis(self) -> np.ndarray:
        """e₁ e₂ (e₆ + h e₃) (6, 3)."""
        return columns(E1, E2, E6 + self.pitch * E3)

    def exp(self, x: Array) -> Array:
        """Arc of the plane and travel h θ, with the body velocity x (..., 3) [m, m, rad], (..., 4, 4)."""
        θ = x[..., 2]
        px, py = planar_position(x[..., 0], x[..., 1], θ)
        return placed(self.frame, θ, vector([px, py, self.pitch * θ]))

    def log(self, g: Array) -> Array:
        """Body velocity (..., 3) [m, m, rad] that reaches g (..., 4, 4) in unit time.

        The travel tells the whole turns, so θ is right beyond π. At whole turns but zero log does not exist.
        """
        θ = unwrapped_angle(self.frame, g, self.pitch)
        p = standard_position(self.frame, g, θ)
        return vector([*planar_velocity(p[..., 0], p[..., 1], θ), θ])

    def project_standard(self, g: np.ndarray) -> np.ndarray:
        """The nearest screw motion along z with the x and y of g (..., 4, 4)."""
        p = se3.position(g)
        θ = nearest_screw_angle(g, self.pitch)
        return se3.pose(turn(np.eye(4), θ), vector([p[..., 0], p[..., 1], self.pitch * θ]))
