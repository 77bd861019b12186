"""A wheel that rolls without slipping at any lean, behind any joints (docs/theory.md §34; Neimark & Fufaev 1972)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import apply, blocks, join, scale_vector, transpose
from ...model.field_types import Vector
from ...model.inertia import unit_axis
from ...model.value import replace_arrays
from ..elements.element import Tie, positive
from .disc_slopes import DiscSlopes, Lowest, disc_slopes, lowest, wrench_by_turn

_TINY = 1e-24


@dataclass(frozen=True, eq=False, repr=False)
class RollingDisc(Tie):
    """A thin wheel on frame_b that rolls on the plane of frame_a, without slipping: a disc, a bicycle's wheel.

    frame_a: its x and y axes span the plane, z is its normal; "world" for level ground.  frame_b: at the
    middle of the wheel.
    radius: (m).  axis: of the wheel, in the axes of frame_b.  It may lean and steer by any joints before it. The wheel
    never leaves the ground, also where that would pull; it must not lie flat, and is not switched by events.
    """

    kind: ClassVar[str] = "wheel"
    structure: ClassVar[tuple[str, ...]] = ("axis",)
    rows: ClassVar[int] = 3

    radius: float
    axis: Vector = (0.0, 1.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        replace_arrays(
            self,
            radius=positive(self.label, "radius", self.radius, "m", zero=False),
            axis=unit_axis(self.axis, where=f"{self.label}: axis"),
        )

    @property
    def integrable(self) -> np.ndarray:
        """(3,): 1 for rows that are the rate of a gap, 0 for those that tie velocities only."""
        return np.array([0.0, 0.0, 1.0])

    @property
    def frame(self) -> np.ndarray:
        """Pose (4, 4) of the rows' frame in both frames: their own."""
        return np.eye(4)

    @property
    def offset(self) -> np.ndarray:
        """Pose (6,) between frame_a and the plane: none."""
        return np.zeros(6)

    def rows_of(self, g: np.ndarray) -> np.ndarray:
        """G = [R  −Rĉ] (..., 3, 6): the velocity of the wheel's lowest point in the plane's axes is G V_ab."""
        R = se3.rotation(g)
        return blocks([[R, -R @ so3.hat(self._contact(R)[0])]])

    def turning(self, g: np.ndarray, V: np.ndarray) -> np.ndarray:
        """Ġ V (..., 3) at the relative twist V (..., 6): R(ω×(v + ω×c) + ω×ċ)."""
        R, v, ω = se3.rotation(g), V[..., :3], V[..., 3:]
        c, e, length = self._contact(R)
        n_dot = so3.cross(R[..., 2, :], ω)
        m_dot = n_dot - _along(n_dot, self.axis)
        c_dot = scale_vector(-self.radius / length, m_dot - _along(m_dot, e))
        return apply(R, so3.cross(ω, v + so3.cross(ω, c) + c_dot))

    def gap(self, g: np.ndarray) -> np.ndarray:
        """φ (..., 3): of the three rows only that along the normal is the rate of something, height − radius |m|."""
        _, _, length = self._contact(se3.rotation(g))
        height = g[..., 2, 3] - self.radius * length
        return np.stack([0.0 * height, 0.0 * height, height], axis=-1)

    def small_gap(self, g: np.ndarray) -> np.ndarray:
        """φ (..., 3)."""
        return self.gap(g)

    def bend(self, g: np.ndarray, V: np.ndarray, V_dot: np.ndarray) -> np.ndarray:
        """Half the second derivative (..., 3) of φ along a way where V_ab is V and its rate V̇ (..., 6)."""
        return 0.5 * self.integrable * (apply(self.rows_of(g), V_dot) + self.turning(g, V))

    def wrench(self, g: np.ndarray, λ: np.ndarray) -> np.ndarray:
        """Wrench (..., 6) on frame_b of the ground's force λ (..., 3), in the plane's axes."""
        R = se3.rotation(g)
        f = apply(transpose(R), λ)
        return join([f, so3.cross(self._contact(R)[0], f)])

    def slopes(self, g: np.ndarray, V: np.ndarray, V_dot: np.ndarray) -> DiscSlopes:
        """Of the rows' velocities and accelerations, where V_ab is V and its rate V̇ (..., 6)."""
        R = se3.rotation(g)
        return disc_slopes(R, self.axis, self.radius, self._lowest(R), V, V_dot)

    def wrench_slopes(self, g: np.ndarray, λ: np.ndarray) -> np.ndarray:
        """Of the wrench by turns (..., 6, 3), multipliers λ (..., 3) held."""
        R = se3.rotation(g)
        return wrench_by_turn(R, self._lowest(R), λ)

    def _lowest(self, R: np.ndarray) -> Lowest:
        return lowest(R, self.axis, self.radius, *self._contact(R))

    def _contact(self, R: np.ndarray) -> tuple[np.ndarray, np.ndarray, Any]:
        """Lowest point c = −r m/|m| (..., 3) from the middle, m/|m|, and |m|; m = n − (n·a)a, in the wheel's axes."""
        m = R[..., 2, :] - _along(R[..., 2, :], self.axis)
        length = np.sqrt((m * m).sum(axis=-1) + _TINY)
        e = scale_vector(1.0 / length, m)
        return -self.radius * e, e, length


def _along(x: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """The part of x (..., 3) along a unit vector."""
    return scale_vector((x * unit).sum(axis=-1), unit)
