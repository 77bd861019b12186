"""Joints with true coordinates and a twist basis that varies with them (theory.md §3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...lie import se3
from .joint import Joint


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CoordinateJoint(Joint):
    """A joint whose configuration is nv = nq ordinary coordinates; the algebra is abelian, so K(p) = 0."""

    constant_basis = False

    @property
    def nq(self) -> int:
        return self.nv

    def neutral(self) -> np.ndarray:
        return np.zeros(self.nv)

    def random(self, rng: np.random.Generator) -> np.ndarray:
        return self._random_coordinates(rng, np.ones(self.nv))

    def momentum_bracket(self, p: np.ndarray) -> np.ndarray:
        return np.zeros((*p.shape[:-1], self.nv, self.nv))

    def retract(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        return q + dq

    def local(self, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
        return q1 - q0

    def coordinates(self, q: np.ndarray) -> np.ndarray:
        return q

    def from_coordinates(self, x: np.ndarray) -> np.ndarray:
        return x


@dataclass(frozen=True, eq=False, repr=False)
class Universal(CoordinateJoint):
    """Two crossing axes: R = Rx(q₁) Ry(q₂). Velocity: (q̇₁, q̇₂) in rad/s. Singular nowhere as a joint."""

    @property
    def nv(self) -> int:
        return 2

    @property
    def dof_names(self) -> tuple[str, ...]:
        return ("rx", "ry")

    def transform(self, q: np.ndarray) -> np.ndarray:
        c1, s1, c2, s2 = np.cos(q[..., 0]), np.sin(q[..., 0]), np.cos(q[..., 1]), np.sin(q[..., 1])
        o, i = np.zeros_like(q[..., 0], dtype=float), np.ones_like(q[..., 0], dtype=float)
        rotation = _matrix([[c2, o, s2], [s1 * s2, c1, -s1 * c2], [-c1 * s2, s1, c1 * c2]])
        return se3.pose(rotation, np.stack([o, o, i - i], axis=-1))

    def basis(self, q: np.ndarray) -> np.ndarray:
        c2, s2 = np.cos(q[..., 1]), np.sin(q[..., 1])
        o, i = np.zeros_like(q[..., 0], dtype=float), np.ones_like(q[..., 0], dtype=float)
        return _matrix([[o, o], [o, o], [o, o], [c2, o], [o, i], [s2, o]])

    def basis_derivatives(self, q: np.ndarray) -> np.ndarray:
        c2, s2 = np.cos(q[..., 1]), np.sin(q[..., 1])
        o = np.zeros_like(q[..., 0], dtype=float)
        along_q2 = _matrix([[o, o], [o, o], [o, o], [-s2, o], [o, o], [c2, o]])
        return np.stack([np.zeros_like(along_q2, dtype=float), along_q2], axis=-3)


def _matrix(rows: list[list[np.ndarray]]) -> np.ndarray:
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
