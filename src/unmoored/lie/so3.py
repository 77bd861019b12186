"""Rotations SO(3): 3×3 matrices, rotation vectors ω [rad], and the left-trivialised differential of exp.

Shapes carry leading batch dimensions (...). All functions but `project` run on traced symbols.
Equations: docs/theory.md §1.
"""

from __future__ import annotations

import numpy as np

from ..error_roots import ArrayError
from .arrays import Array, matrix, scale, transpose, vector
from .coefficients import dexp_coefficients, dexp_inv_coefficients, exp_coefficients, half_angle_factor
from .conversions import (
    euler_zyx,
    from_euler_zyx,
    from_quaternion_wxyz,
    quaternion_direction,
    quaternion_wxyz,
)

__all__ = [
    "IDENTITY",
    "angle_squared",
    "cross",
    "dexp",
    "dexp_inv",
    "euler_zyx",
    "exp",
    "from_euler_zyx",
    "from_quaternion_wxyz",
    "hat",
    "hat_squared",
    "log",
    "project",
    "quaternion_wxyz",
    "renormalise",
    "vee",
]

IDENTITY = np.eye(3)


def cross(a: Array, b: Array) -> Array:
    """Cross product a × b of vectors (..., 3)."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return vector([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def hat(w: Array) -> Array:
    """Cross-product matrix (..., 3, 3) of a vector (..., 3): hat(w) x = w × x."""
    x, y, z = w[..., 0], w[..., 1], w[..., 2]
    return matrix([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def vee(W: Array) -> Array:
    """Vector (..., 3) of a skew matrix (..., 3, 3), the inverse of `hat`."""
    return vector([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]])


def hat_squared(w: Array) -> Array:
    """hat(w)² (..., 3, 3) = w wᵀ − |w|² 1 of a vector (..., 3), free of cancellation on the diagonal."""
    x, y, z = w[..., 0], w[..., 1], w[..., 2]
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return matrix([[-(yy + zz), xy, xz], [xy, -(xx + zz), yz], [xz, yz, -(xx + yy)]])


def angle_squared(w: Array) -> Array:
    """|w|² (...) [rad²] of a rotation vector w (..., 3)."""
    x, y, z = w[..., 0], w[..., 1], w[..., 2]
    return x * x + y * y + z * z


def exp(w: Array) -> Array:
    """Rotation matrix (..., 3, 3) of the rotation vector w (..., 3) [rad]: 1 + A ŵ + B ŵ²."""
    A, B, _ = exp_coefficients(angle_squared(w))
    return IDENTITY + (scale(A, hat(w)) + scale(B, hat_squared(w)))


def log(R: Array) -> Array:
    """Rotation vector (..., 3) [rad], of length at most π, of a rotation matrix (..., 3, 3).

    At half a turn both signs are right; one of them is returned.
    """
    u = quaternion_direction(R)
    v = u[..., 1:]
    return np.asarray(half_angle_factor(angle_squared(v), u[..., 0]))[..., None] * v


def dexp(w: Array) -> Array:
    """Left-trivialised differential of exp (..., 3, 3): Rᵀ Ṙ = hat(dexp(w) ẇ) for R = exp(w), w (..., 3)."""
    B, C, *_ = dexp_coefficients(angle_squared(w))
    return IDENTITY + (scale(C, hat_squared(w)) - scale(B, hat(w)))


def dexp_inv(w: Array) -> Array:
    """Inverse of `dexp` (..., 3, 3) at w (..., 3) [rad], |w| < 2π: 1 + ½ŵ + E ŵ²."""
    E, _ = dexp_inv_coefficients(angle_squared(w))
    return IDENTITY + (0.5 * hat(w) + scale(E, hat_squared(w)))


def renormalise(R: Array) -> Array:
    """One Newton step R (3·1 − RᵀR)/2 towards the nearest rotation, (..., 3, 3) to (..., 3, 3).

    Squares the distance to SO(3); for matrices already within rounding drift of a rotation.
    """
    return 0.5 * (R @ (3.0 * IDENTITY - transpose(R) @ R))


def project(R: np.ndarray) -> np.ndarray:
    """Nearest rotation (..., 3, 3), in the Frobenius norm, to any finite matrix (..., 3, 3). Numbers only."""
    R = np.asarray(R, dtype=float)
    if R.shape[-2:] != (3, 3) or not np.all(np.isfinite(R)):
        raise ArrayError(f"so3.project: R must be finite with shape (..., 3, 3), given shape {R.shape}: {R}")
    U, _, Vt = np.linalg.svd(R)
    signs = np.ones(R.shape[:-1])
    signs[..., 2] = np.where(np.linalg.det(U @ Vt) < 0.0, -1.0, 1.0)
    return (U * signs[..., None, :]) @ Vt
