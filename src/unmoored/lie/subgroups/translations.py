"""T(1), T(2), T(3): translations along an axis, in a plane, in space. Prismatic joints, gantries."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .. import se3
from ..arrays import Array, apply
from .one_axis import E1, E2, E3
from .subgroup import AbelianSubgroup, columns


class Translations(AbelianSubgroup):
    """Translations N x, N = H's linear rows (3, m); a rotation-free pose turns none of them."""

    @property
    def _directions(self) -> np.ndarray:
        return self.basis[:3]

    def exp(self, x: Array) -> Array:
        """Translation by N x: (..., m) [m] to (..., 4, 4)."""
        return se3.pose(np.eye(3), apply(self._directions, x))

    def log(self, g: Array) -> Array:
        """Displacement Nᵀ p (..., m) [m] of g (..., 4, 4); N has orthonormal columns."""
        return apply(self._directions.T, se3.position(g))

    def project_standard(self, g: np.ndarray) -> np.ndarray:
        """The translation by the part of g's (..., 4, 4) position that the group can reach."""
        N = self.standard_basis[:3]
        return se3.pose(np.broadcast_to(np.eye(3), g[..., :3, :3].shape), se3.position(g) @ N @ N.T)


class Translation1(Translations):
    """T(1): x = (vz)."""

    name = "T(1)"
    dof_names: ClassVar[tuple[str, ...]] = ("vz",)

    @property
    def standard_basis(self) -> np.ndarray:
        """e₃ (6, 1)."""
        return columns(E3)


class Translation2(Translations):
    """T(2): x = (vx, vy)."""

    name = "T(2)"
    dof_names: ClassVar[tuple[str, ...]] = ("vx", "vy")

    @property
    def standard_basis(self) -> np.ndarray:
        """e₁ e₂ (6, 2)."""
        return columns(E1, E2)


class Translation3(Translations):
    """T(3): x = (vx, vy, vz)."""

    name = "T(3)"
    dof_names: ClassVar[tuple[str, ...]] = ("vx", "vy", "vz")

    @property
    def standard_basis(self) -> np.ndarray:
        """e₁ e₂ e₃ (6, 3)."""
        return columns(E1, E2, E3)
