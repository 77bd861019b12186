"""A connected subgroup G of SE(3), as the theory has it (docs/theory.md §2).

The algebra is spanned by the columns of a constant H (6×m): members are exp(H x). With the structure
constants [h_i, h_j] = Σ_k c^k_ij h_k everything on the algebra is an m×m matrix:

    ad_x = Σ_i x_i c^k_ij,   K(p)_ij = Σ_k c^k_ij p_k,   K(p) u = −ad_uᵀ p,   Ad_g = L Ad(g) H with L H = 1.

G may stand anywhere: conjugation by a constant pose A (its `frame`) gives H = Ad_A H_standard and
exp(x) = A exp_standard(x) A⁻¹, and leaves the structure constants, ad, K and dexp as they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...error_roots import ArrayError
from .. import se3
from ..arrays import Array, apply, scale
from ..checked_frames import checked_pose
from ..coefficients import dexp_coefficients, dexp_inv_coefficients


@dataclass(frozen=True, eq=False)
class Subgroup(ABC):
    """One subgroup in one place. Frozen; its arrays are read-only. Leading dimensions (...) are a batch.

    Coordinates x (..., m) are in metres and radians in the order of `dof_names`; poses are (..., 4, 4).
    """

    name: ClassVar[str]
    dof_names: ClassVar[tuple[str, ...]]

    frame: np.ndarray = field(default_factory=lambda: np.eye(4), kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", _constant(checked_pose(self.frame)))

    @property
    @abstractmethod
    def standard_basis(self) -> np.ndarray:
        """H (6, m) in the standard position: axis z through the origin."""

    @abstractmethod
    def exp(self, x: Array) -> Array:
        """Member exp(H x) (..., 4, 4) with exponential coordinates x (..., m)."""

    @abstractmethod
    def log(self, g: Array) -> Array:
        """Exponential coordinates x (..., m) of a member g (..., 4, 4)."""

    @abstractmethod
    def project_standard(self, g: np.ndarray) -> np.ndarray:
        """Nearest member (..., 4, 4), in the Frobenius norm, for the group in its standard position."""

    @property
    def dim(self) -> int:
        """Dimension m."""
        return len(self.dof_names)

    @cached_property
    def basis(self) -> np.ndarray:
        """Twist basis H (6, m): the body twist is H u for velocities u (m,)."""
        return _constant(se3.Ad(self.frame) @ self.standard_basis)

    @cached_property
    def standard_coordinates(self) -> np.ndarray:
        """L (m, 6) with L H = 1 in the standard position: picks each DoF's own row, exactly."""
        rows = ("vx", "vy", "vz", "wx", "wy", "wz")
        return _constant(np.eye(6)[[rows.index(name) for name in self.dof_names]].reshape(self.dim, 6))

    @cached_property
    def coordinates(self) -> np.ndarray:
        """L (m, 6) with L H = 1: coordinates L V (m,) of a twist V (6,) in the algebra."""
        return _constant(self.standard_coordinates @ se3.Ad(se3.inverse(self.frame)))

    @cached_property
    def structure_constants(self) -> np.ndarray:
        """c (m, m, m), c[k, i, j] = c^k_ij, with [h_i, h_j] = Σ_k c^k_ij h_k."""
        H = self.standard_basis
        brackets = np.einsum("iab,bj->aij", se3.ad(H.T), H)
        return _constant(np.einsum("ka,aij->kij", self.standard_coordinates, brackets))

    def bracket(self, x: Array, y: Array) -> Array:
        """Coordinates (..., m) of [H x, H y] for x, y (..., m)."""
        return apply(self.ad(x), y)

    def ad(self, x: Array) -> Array:
        """ad_x (..., m, m): ad_x y = bracket(x, y), x (..., m)."""
        return np.einsum("kij,...i->...kj", self.structure_constants, x)

    def Ad(self, g: Array) -> Array:
        """Ad_g on the algebra (..., m, m) for a member g (..., 4, 4): Ad(g) H = H Ad_g."""
        return self.coordinates @ (se3.Ad(g) @ self.basis)

    def momentum_bracket(self, p: Array) -> Array:
        """K(p) (..., m, m), skew, of a momentum p (..., m): K(p) u = −ad_uᵀ p."""
        return np.einsum("kij,...k->...ij", self.structure_constants, p)

    def angle_squared(self, x: Array) -> Array:
        """θ² (...) [rad²] of the rotation in exp(x), for x (..., m)."""
        return x[..., -1] * x[..., -1]

    def dexp(self, x: Array) -> Array:
        """Left-trivialised differential of exp (..., m, m): g⁻¹ġ = hat(H dexp(x) ẋ) for g = exp(x).

        1 − B ad + C ad², because ad³ = −θ² ad in every proper subgroup of SE(3).
        """
        B, C, *_ = dexp_coefficients(self.angle_squared(x))
        ad = self.ad(x)
        return np.eye(self.dim) + (scale(C, ad @ ad) - scale(B, ad))

    def angle_squared_rate(self, x: Array, x_dot: Array) -> Array:
        """Rate (...) [rad²/s] of `angle_squared` where x (..., m) changes by ẋ (..., m)."""
        return 2.0 * (x[..., -1] * x_dot[..., -1])

    def dexp_rate(self, x: Array, x_dot: Array) -> Array:
        """d/dt dexp(x) (..., m, m) where x (..., m) changes by ẋ (..., m)."""
        B, C, dB, dC = dexp_coefficients(self.angle_squared(x))
        t_dot = self.angle_squared_rate(x, x_dot)
        ad, ad_dot = self.ad(x), self.ad(x_dot)
        turned = scale(C, ad @ ad_dot + ad_dot @ ad) - scale(B, ad_dot)
        return turned + (scale(t_dot * dC, ad @ ad) - scale(t_dot * dB, ad))

    def dexp_inv(self, x: Array) -> Array:
        """Inverse of `dexp` (..., m, m), for rotations of less than 2π: 1 + ½ad + E ad²."""
        E, _ = dexp_inv_coefficients(self.angle_squared(x))
        ad = self.ad(x)
        return np.eye(self.dim) + (0.5 * ad + scale(E, ad @ ad))

    def project(self, g: Any) -> np.ndarray:
        """Member (..., 4, 4) nearest to g (..., 4, 4), in the Frobenius norm of the 4×4 seen from `frame`.

        Metres and radians weigh the same. Numbers only.
        """
        g = _finite_poses(g, self.name)
        A, A_inv = self.frame, se3.inverse(self.frame)
        return A @ self.project_standard(A_inv @ g @ A) @ A_inv

    def contains(self, g: Any, tolerance: float = 1e-9) -> np.ndarray:
        """Whether each g (..., 4, 4) is a member: no entry is off `project(g)` by more than the tolerance."""
        g = _finite_poses(g, self.name)
        return np.abs(g - self.project(g)).max(axis=(-2, -1)) <= tolerance

    def conjugated(self, A: Any) -> Subgroup:
        """The subgroup A G A⁻¹ for a constant pose A (4, 4): H becomes Ad_A H."""
        return replace(self, frame=checked_pose(A) @ self.frame)


class AbelianSubgroup(Subgroup):
    """A commutative subgroup: every bracket is zero and dexp is the identity."""

    def dexp(self, x: Array) -> Array:
        """Identity (..., m, m): in a commutative group g⁻¹ġ = hat(H ẋ)."""
        return np.broadcast_to(np.eye(self.dim), (*np.shape(x)[:-1], self.dim, self.dim)).copy()

    def dexp_rate(self, x: Array, x_dot: Array) -> Array:
        """Zero (..., m, m)."""
        return np.zeros((*np.shape(x)[:-1], self.dim, self.dim))

    def dexp_inv(self, x: Array) -> Array:
        """Identity (..., m, m), the inverse of `dexp`."""
        return self.dexp(x)


def columns(*twists: np.ndarray) -> np.ndarray:
    """Basis H (6, m) from its columns (vx, vy, vz, ωx, ωy, ωz)."""
    return _constant(np.array(twists, dtype=float).reshape(-1, 6).T)


def _constant(array: np.ndarray) -> np.ndarray:
    """A read-only copy without negative zeros."""
    array = np.array(array + 0.0)
    array.setflags(write=False)
    return array


def _finite_poses(g: Any, name: str) -> np.ndarray:
    g = np.asarray(g, dtype=float)
    if g.shape[-2:] != (4, 4) or not np.all(np.isfinite(g)):
        raise ArrayError(f"{name}: poses must be finite with shape (..., 4, 4), given shape {g.shape}: {g}")
    return g
