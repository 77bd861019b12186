"""Inertia of one body: a rigid body's, or any symmetric 6×6 with mass and centre of mass kept beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .errors import ModelError
from .value import Value, frozen_array, replace_arrays, shape_of

_SYMMETRY_TOLERANCE = 1e-9
_EIGENVALUE_TOLERANCE = 1e-9
_ROUNDING_RADIUS = 1e-8  # m: radii of gyration below it are rounding errors of whoever made the model
_UNIT_TOLERANCE = 8 * np.finfo(float).eps
_WHERE = "Inertia"


@dataclass(frozen=True, eq=False, repr=False)
class Inertia(Value):
    """Mass (kg), centre of mass (m, body axes) and rotational tensor (kg m², about the centre of mass, body axes).

    `tensor` is 3×3, or the three diagonal entries. `full` replaces the rigid 6×6 (theory.md §7: added mass is not
    a rigid body's inertia); weight still acts with `mass` at `com`.
    """

    mass: float
    com: Any = (0.0, 0.0, 0.0)
    tensor: Any = (0.0, 0.0, 0.0)
    full: Any = None

    def __post_init__(self) -> None:
        mass = float(frozen_array(self.mass, (), where=_WHERE, what="mass"))
        if mass < 0:
            raise ModelError.single(_WHERE, "mass", expected="mass ≥ 0", given=repr(mass))
        com = frozen_array(self.com, (3,), where=_WHERE, what="com")
        diagonal = shape_of(self.tensor, where=_WHERE, what="tensor") == (3,)
        tensor = (
            np.diag(frozen_array(self.tensor, (3,), where=_WHERE, what="tensor")) if diagonal else self.tensor
        )
        tensor = frozen_array(tensor, (3, 3), where=_WHERE, what="tensor")
        tensor = positive_semidefinite(tensor, "tensor", rounding=mass * _ROUNDING_RADIUS**2)
        full = self.full
        if full is not None:
            full = positive_semidefinite(
                frozen_array(full, (6, 6), where=_WHERE, what="full"), "full 6×6 inertia"
            )
        replace_arrays(self, mass=mass, com=com, tensor=tensor, full=full)

    @cached_property
    def matrix(self) -> np.ndarray:
        """The symmetric 6×6 inertia (6, 6) at the body-frame origin in body axes, twists ordered (v, ω)."""
        if self.full is not None:
            return self.full
        m, (x, y, z) = self.mass, self.com
        c = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
        matrix = np.empty((6, 6))
        matrix[:3, :3], matrix[:3, 3:] = m * np.eye(3), -m * c
        matrix[3:, :3], matrix[3:, 3:] = m * c, self.tensor - m * c @ c
        matrix = (matrix + matrix.T) / 2 + 0.0
        matrix.setflags(write=False)
        return matrix

    @property
    def is_rigid(self) -> bool:
        """Whether the 6×6 is that of a rigid body (no full matrix was given)."""
        return self.full is None

    def triangle_defect(self) -> float:
        """Largest principal moment minus the sum of the other two (kg m²): positive for no real mass distribution."""
        a, b, c = _eigenvalues(self.tensor)
        return float(c - a - b)

    @classmethod
    def box(cls, mass: float, size: Sequence[float], com: Sequence[float] = (0, 0, 0)) -> Inertia:
        """Solid box, `size` (3,) in metres along the body axes, centred at `com`."""
        x, y, z = _dimensions(size, (3,), "size") ** 2
        return cls(mass, com, mass / 12.0 * np.array([y + z, x + z, x + y]))

    @classmethod
    def cylinder(
        cls,
        mass: float,
        radius: float,
        length: float,
        axis: Sequence[float] = (0, 0, 1),
        com: Sequence[float] = (0, 0, 0),
    ) -> Inertia:
        """Solid cylinder along `axis` (body axes), `radius` and `length` in metres, centred at `com`."""
        r, l = _dimensions((radius, length), (2,), "radius, length")
        return cls(mass, com, _axial(mass * r**2 / 2, mass * (3 * r**2 + l**2) / 12, axis))

    @classmethod
    def sphere(cls, mass: float, radius: float, com: Sequence[float] = (0, 0, 0)) -> Inertia:
        """Solid sphere of `radius` metres, centred at `com`."""
        (r,) = _dimensions((radius,), (1,), "radius")
        return cls(mass, com, np.full(3, 0.4 * mass * r**2))

    @classmethod
    def rod(
        cls, mass: float, length: float, axis: Sequence[float] = (0, 0, 1), com: Sequence[float] = (0, 0, 0)
    ) -> Inertia:
        """Thin rod of `length` metres along `axis` (body axes), centred at `com`."""
        (l,) = _dimensions((length,), (1,), "length")
        return cls(mass, com, _axial(0.0, mass * l**2 / 12, axis))

    @classmethod
    def point(cls, mass: float, com: Sequence[float] = (0, 0, 0)) -> Inertia:
        """Point mass at `com` (m, body axes)."""
        return cls(mass, com)

    @classmethod
    def zero(cls) -> Inertia:
        """No mass at all: for intermediate bodies that only carry others."""
        return cls(0.0)


def _dimensions(x: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    array = frozen_array(x, shape, where=_WHERE, what=what)
    if np.any(array < 0):
        raise ModelError.single(_WHERE, what, expected="lengths ≥ 0", given=str(array.tolist()))
    return array


def _axial(along: float, across: float, axis: Any) -> np.ndarray:
    """Tensor of a body of revolution about `axis`."""
    a = unit_axis(axis, where=_WHERE)
    return along * np.outer(a, a) + across * (np.eye(3) - np.outer(a, a))


def unit_axis(axis: Any, *, where: str) -> np.ndarray:
    """`axis` (3,) normalised; exactly parallel to a coordinate axis it stays exact. Zero is refused."""
    a = frozen_array(axis, (3,), where=where, what="axis")
    if abs(a @ a - 1.0) <= _UNIT_TOLERANCE:
        return a  # normalising again would change its last bits, and a saved axis must load bit for bit
    largest = np.abs(a).max()
    if largest == 0:
        raise ModelError.single(where, "axis", expected="a non-zero vector", given=str(a.tolist()))
    a = a / largest
    a = a / np.sqrt(a @ a) + 0.0
    a.setflags(write=False)
    return a


def positive_semidefinite(
    matrix: np.ndarray, what: str, *, where: str = _WHERE, rounding: float = 0.0
) -> np.ndarray:
    """The matrix (n, n) made exactly symmetric; refused if it is not symmetric or has a negative eigenvalue.

    Eigenvalues down to −1e-9 of the largest entry, or to −`rounding`, pass for zero.
    """
    scale = np.abs(matrix).max() or 1.0
    if np.abs(matrix - matrix.T).max() > _SYMMETRY_TOLERANCE * scale:
        raise ModelError.single(where, what, expected="a symmetric matrix", given=str(matrix.tolist()))
    matrix = matrix / 2 + matrix.T / 2
    smallest = float(_eigenvalues(matrix)[0])
    if smallest < -max(_EIGENVALUE_TOLERANCE * scale, rounding):
        raise ModelError.single(
            where, what, expected="no negative eigenvalue", given=f"smallest eigenvalue {smallest:.3g}"
        )
    matrix.setflags(write=False)
    return matrix


def _eigenvalues(matrix: np.ndarray) -> np.ndarray:
    """Of a symmetric matrix (n, n), in ascending order."""
    diagonal = matrix.diagonal()
    if np.count_nonzero(matrix) == np.count_nonzero(diagonal):
        return np.sort(diagonal)
    return np.linalg.eigvalsh(matrix)


def nearest_tensor(tensor: np.ndarray) -> np.ndarray:
    """The rotational inertia (3, 3) of a real body that is nearest (Frobenius) to a symmetric matrix (3, 3).

    Real ones are tr(Σ) 1 − Σ with Σ the second moments of mass, positive semidefinite: principal moments B s with
    s ≥ 0. The nearest one has the same axes; s solves a least-squares problem with bounds, by its active set.
    A tensor that is real up to rounding is returned as it is.
    """
    moments, axes = np.linalg.eigh((tensor + tensor.T) / 2)
    s = moments.sum() / 2 - moments
    if s.min() >= -_EIGENVALUE_TOLERANCE * np.abs(moments).max(initial=0.0):
        return tensor
    B = np.ones((3, 3)) - np.eye(3)
    best, least = np.zeros(3), float(moments @ moments)
    for kept in ([0], [1], [2], [0, 1], [0, 2], [1, 2]):
        found = np.linalg.lstsq(B[:, kept], moments, rcond=None)[0]
        candidate = B[:, kept] @ found
        off = float(np.sum((candidate - moments) ** 2))
        if found.min() >= 0 and off < least:
            best, least = candidate, off
    return axes @ np.diag(best) @ axes.T
