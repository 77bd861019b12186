"""The attitude with z along a force and x toward a heading, with its rates (Lee, Leok & McClamroch 2010)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..lie import so3
from ..lie.arrays import scale_vector, transpose, vector

#: a vector with its first and second time derivative, each (..., 3)
Moving = tuple[np.ndarray, np.ndarray, np.ndarray]


class Attitude(NamedTuple):
    """R (..., 3, 3), and ω, ω̇ (..., 3) in its own axes."""

    rotation: np.ndarray
    rate: np.ndarray
    rate_dot: np.ndarray


def thrust_attitude(force: Moving, heading: Sequence[np.ndarray]) -> Attitude:
    """z along the force F (..., 3), y across the heading ψ (...), x = y × z; F ≠ 0, not along the heading."""
    ψ, ψ_dot, ψ_ddot = heading
    c, s = np.cos(ψ), np.sin(ψ)
    zero = 0.0 * ψ
    ahead, left = vector([c, s, zero]), vector([-s, c, zero])
    first = scale_vector(ψ_dot, left)
    second = scale_vector(ψ_ddot, left) - scale_vector(ψ_dot * ψ_dot, ahead)
    z = _unit(force)
    y = _unit(_cross(z, (ahead, first, second)))
    x = _cross(y, z)
    R, R_dot, R_ddot = (
        np.stack(np.broadcast_arrays(*columns), axis=-1) for columns in zip(x, y, z, strict=True)
    )
    ω = so3.vee(transpose(R) @ R_dot)
    ω_hat = so3.hat(ω)
    return Attitude(R, ω, so3.vee(transpose(R) @ R_ddot - ω_hat @ ω_hat))


def _unit(F: Moving) -> Moving:
    """u = F/|F| and its derivatives: F = |F| u, differentiated twice."""
    f, f_dot, f_ddot = F
    size = np.sqrt((f * f).sum(axis=-1))
    u = scale_vector(1.0 / size, f)
    growth = (u * f_dot).sum(axis=-1)
    u_dot = scale_vector(1.0 / size, f_dot - scale_vector(growth, u))
    second = (u_dot * f_dot).sum(axis=-1) + (u * f_ddot).sum(axis=-1)
    left = f_ddot - scale_vector(second, u) - scale_vector(2.0 * growth, u_dot)
    return u, u_dot, scale_vector(1.0 / size, left)


def _cross(a: Moving, b: Moving) -> Moving:
    """a × b and its derivatives."""
    c = so3.cross
    return (
        c(a[0], b[0]),
        c(a[1], b[0]) + c(a[0], b[1]),
        c(a[2], b[0]) + 2.0 * c(a[1], b[1]) + c(a[0], b[2]),
    )
