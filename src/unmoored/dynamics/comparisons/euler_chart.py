"""Euler-angle charts of SO(3): three turns about coordinate axes, and their rates (theory.md §15)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...lie import so3
from ...trace import arctan2

_AXES = "xyz"


@dataclass(frozen=True)
class EulerChart:
    """R = R_a(Θ_a) R_b(Θ_b) R_c(Θ_c) with the sequence "abc" of the axes, for example "zyx".

    Θ = (φ, θ, ψ) (..., 3) [rad] are always the angles about x, y, z: roll, pitch, yaw. The chart is singular
    where the middle angle is ±π/2.
    """

    sequence: str

    def __post_init__(self):
        if sorted(self.sequence) != list(_AXES):
            raise ValueError(
                f"EulerChart: sequence must be x, y and z in some order, given {self.sequence!r}"
            )

    @property
    def axes(self) -> tuple[int, int, int]:
        """Indices (a, b, c) of the axes, outermost turn first."""
        a, b, c = (_AXES.index(letter) for letter in self.sequence)
        return a, b, c

    @property
    def middle(self) -> int:
        """Index of the angle whose cosine vanishes at the singularity."""
        return self.axes[1]

    def rotation(self, angles: np.ndarray) -> np.ndarray:
        """R (..., 3, 3) from body to world axes."""
        a, b, c = (_turn(axis, angles[..., axis]) for axis in self.axes)
        return a @ b @ c

    def angles(self, R: np.ndarray) -> np.ndarray:
        """Θ (..., 3) of R (..., 3, 3), the middle angle in [−π/2, π/2]; they jump at the singularity."""
        a, b, c = self.axes
        s = 1.0 if (b - a) % 3 == 1 else -1.0  # even or odd order of the axes
        outer = arctan2(-s * R[..., b, c], R[..., c, c])
        middle = arctan2(s * R[..., a, c], np.sqrt(R[..., a, a] ** 2 + R[..., a, b] ** 2))
        inner = arctan2(-s * R[..., a, b], R[..., a, a])
        return np.stack([{a: outer, b: middle, c: inner}[axis] for axis in range(3)], axis=-1)

    def distance(self, R: np.ndarray) -> np.ndarray:
        """cos of the middle angle (...): 1 farthest from the singularity, 0 at it."""
        a, b, _ = self.axes
        return np.sqrt(R[..., a, a] ** 2 + R[..., a, b] ** 2)

    def inverse_rates(self, angles: np.ndarray) -> np.ndarray:
        """T⁻¹ (..., 3, 3) with ω = T⁻¹ Θ̇, ω in body axes. Not invertible at the singularity."""
        columns = self._columns(angles)
        return np.stack([columns[axis] for axis in range(3)], axis=-1)

    def rates(self, angles: np.ndarray) -> np.ndarray:
        """T (..., 3, 3) with Θ̇ = T ω, ω in body axes; its entries grow like 1/cos of the middle angle."""
        x, y, z = (self._columns(angles)[axis] for axis in range(3))
        volume = (x * so3.cross(y, z)).sum(axis=-1, keepdims=True)
        return np.stack(
            [so3.cross(y, z) / volume, so3.cross(z, x) / volume, so3.cross(x, y) / volume], axis=-2
        )

    def inverse_rates_derivative(self, angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """d/dt T⁻¹ (..., 3, 3) at the rates Θ̇ (..., 3).

        Column k is a vector at rest in the frame outboard of turn k; the inner turns move it in body axes.
        """
        columns = self._columns(angles)
        a, b, c = self.axes
        ω_c = rates[..., c, None] * columns[c]
        ω_bc = ω_c + rates[..., b, None] * columns[b]
        derivatives = {c: 0.0 * columns[c], b: so3.cross(columns[b], ω_c), a: so3.cross(columns[a], ω_bc)}
        return np.stack([derivatives[axis] for axis in range(3)], axis=-1)

    def _columns(self, angles: np.ndarray) -> dict[int, np.ndarray]:
        """Axis of each turn (..., 3) in body axes."""
        a, b, c = self.axes
        C = np.swapaxes(_turn(c, angles[..., c]), -1, -2)
        B = np.swapaxes(_turn(b, angles[..., b]), -1, -2)
        return {a: (C @ B)[..., :, a], b: C[..., :, b], c: np.broadcast_to(np.eye(3)[c], C.shape[:-1])}


#: Roll, pitch and yaw as usual; singular with the nose straight up or down (pitch ±π/2).
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
