"""Euler-angle charts of SO(3): three turns about coordinate axes, and their rates (theory.md §15)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...error_roots import ArrayError
from ...lie import so3
from ...trace import arctan2

_AXES = "xyz"


@dataclass(frozen=True)
class EulerChart:
    """R = R_a(Θ_a) R_b(Θ_b) R_c(Θ_c) with the sequence "abc" of the axes, for example "zyx".

    Θ = (Θ_a, Θ_b, Θ_c) (..., 3) [rad] in the order of the sequence, so (yaw, pitch, roll) for "zyx" as in
    `lie.so3.euler_zyx`. The chart is singular where the middle angle is ±π/2.
    """

    sequence: str

    def __post_init__(self) -> None:
        if sorted(self.sequence) != list(_AXES):
            raise ArrayError(
                f"EulerChart: sequence must be x, y and z in some order, given {self.sequence!r}"
            )

    @property
    def axes(self) -> tuple[int, int, int]:
        """Indices (a, b, c) of the axes, outermost turn first."""
        a, b, c = (_AXES.index(letter) for letter in self.sequence)
        return a, b, c

    def rotation(self, angles: np.ndarray) -> np.ndarray:
        """R (..., 3, 3) from body to world axes."""
        a, b, c = (_turn(axis, angles[..., k]) for k, axis in enumerate(self.axes))
        return a @ b @ c

    def angles(self, R: np.ndarray) -> np.ndarray:
        """Θ (..., 3) of R (..., 3, 3), the middle angle in [−π/2, π/2]; they jump at the singularity."""
        a, b, c = self.axes
        s = 1.0 if (b - a) % 3 == 1 else -1.0  # even or odd order of the axes
        outer = arctan2(-s * R[..., b, c], R[..., c, c])
        middle = arctan2(s * R[..., a, c], np.sqrt(R[..., a, a] ** 2 + R[..., a, b] ** 2))
        inner = arctan2(-s * R[..., a, b], R[..., a, a])
        return np.stack([outer, middle, inner], axis=-1)

    def distance(self, R: np.ndarray) -> np.ndarray:
        """cos of the middle angle (...): 1 farthest from the singularity, 0 at it."""
        a, b, _ = self.axes
        return np.sqrt(R[..., a, a] ** 2 + R[..., a, b] ** 2)

    def inverse_rates(self, angles: np.ndarray) -> np.ndarray:
        """T⁻¹ (..., 3, 3) with ω = T⁻¹ Θ̇, ω in body axes. Not invertible at the singularity."""
        return np.stack(self._turning_axes(angles), axis=-1)

    def rates(self, angles: np.ndarray) -> np.ndarray:
        """T (..., 3, 3) with Θ̇ = T ω, ω in body axes; its entries grow like 1/cos of the middle angle."""
        a, b, c = self._turning_axes(angles)
        volume = (a * so3.cross(b, c)).sum(axis=-1, keepdims=True)
        return np.stack(
            [so3.cross(b, c) / volume, so3.cross(c, a) / volume, so3.cross(a, b) / volume], axis=-2
        )

    def inverse_rates_derivative(self, angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """d/dt T⁻¹ (..., 3, 3) at the rates Θ̇ (..., 3).

        Column k is a vector at rest in the frame outboard of turn k; the inner turns move it in body axes.
        """
        a, b, c = self._turning_axes(angles)
        ω_c = rates[..., 2, None] * c
        ω_bc = ω_c + rates[..., 1, None] * b
        return np.stack([so3.cross(a, ω_bc), so3.cross(b, ω_c), 0.0 * c], axis=-1)

    def _turning_axes(self, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Axis of each turn (..., 3) in body axes, in the order of the sequence."""
        a, b, c = self.axes
        C = np.swapaxes(_turn(c, angles[..., 2]), -1, -2)
        B = np.swapaxes(_turn(b, angles[..., 1]), -1, -2)
        return (C @ B)[..., :, a], C[..., :, b], np.broadcast_to(np.eye(3)[c], C.shape[:-1])


#: Yaw, pitch and roll as usual; singular with the nose straight up or down (pitch ±π/2).
ZYX = EulerChart("zyx")
#: Singular on the side (roll ±π/2). Body x and y are never both vertical: one of the charts is always good.
ZXY = EulerChart("zxy")


def _turn(axis: int, angle: np.ndarray) -> np.ndarray:
    """Rotation (..., 3, 3) by an angle (...) about a coordinate axis."""
    c, s = np.cos(angle), np.sin(angle)
    o, i = np.zeros_like(angle, dtype=float), np.ones_like(angle, dtype=float)
    plane = {
        0: [[i, o, o], [o, c, -s], [o, s, c]],
        1: [[c, o, s], [o, i, o], [-s, o, c]],
        2: [[c, -s, o], [s, c, o], [o, o, i]],
    }
    return np.stack([np.stack(row, axis=-1) for row in plane[axis]], axis=-2)
