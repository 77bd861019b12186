"""H_h: screw motions of pitch h along one line. Helical joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .. import se3
from ..arrays import Array, vector
from ..checked_frames import checked_pitch
from .one_axis import E3, E6, angle, shift, travel, turn, unwrapped_angle
from .subgroup import AbelianSubgroup, columns


@dataclass(frozen=True, eq=False)
class Screw(AbelianSubgroup):
    """H_h: x = (wz), the angle; the travel is pitch · angle, pitch in m/rad."""

    pitch: float

    name = "H_h"
    dof_names: ClassVar[tuple[str, ...]] = ("wz",)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "pitch", checked_pitch(self.pitch, "screw", "rotation (a revolute joint)"))

    @property
    def standard_basis(self) -> np.ndarray:
        """e₆ + h e₃ (6, 1)."""
        return columns(E6 + self.pitch * E3)

    def exp(self, x: Array) -> Array:
        """Turn by θ and travel h θ along the line: (..., 1) [rad] to (..., 4, 4)."""
        θ = x[..., 0]
        a = self.frame[:3, 2]
        return se3.pose(turn(self.frame, θ), np.asarray(self.pitch * θ)[..., None] * a + shift(self.frame, θ))

    def log(self, g: Array) -> Array:
        """Angle (..., 1) [rad] of g (..., 4, 4): θ = z/h from the travel z, right beyond π too."""
        return vector([travel(self.frame, g) / self.pitch])

    def project_standard(self, g: np.ndarray) -> np.ndarray:
        """The screw motion nearest to g (..., 4, 4), in rotation and travel together."""
        return Screw(self.pitch).exp(nearest_screw_angle(g, self.pitch)[..., None])


def nearest_screw_angle(g: np.ndarray, h: float) -> np.ndarray:
    """Angle θ (...) [rad] that minimises |R − Rz(θ)|²_F + (z − h θ)² for g (..., 4, 4), pitch h [m/rad].

    That is −2 ρ cos(θ − α) + (z − h θ)², ρ and α the size and angle of R's part about z. Newton's iteration
    starts at the turn of α nearest to z/h, with the curvature kept positive.
    """
    R, z = g[..., :3, :3], g[..., 2, 3]
    ρ = np.hypot(R[..., 0, 0] + R[..., 1, 1], R[..., 1, 0] - R[..., 0, 1])
    α = angle(np.eye(4), R)
    θ = unwrapped_angle(np.eye(4), g, h)
    for _ in range(30):
        slope = ρ * np.sin(θ - α) + h * (h * θ - z)
        curvature = ρ * np.maximum(np.cos(θ - α), 0.0) + h * h
        θ = θ - slope / curvature
    return θ
