"""Rigid motions SE(3): poses 4×4, twists (v, ω) [m, rad], wrenches and momenta (linear, angular) in the same frame.

Shapes carry leading batch dimensions (...); every function runs on traced symbols.
Equations: docs/theory.md §1.
"""

from __future__ import annotations

import numpy as np

from . import so3
from .arrays import Array, apply, blocks, join, matrix, scale, transpose
from .coefficients import dexp_coefficients, dexp_curvatures, dexp_inv_coefficients, exp_coefficients
from .so3 import cross

ZERO = np.zeros((3, 3))
BOTTOM_ROW = np.array([[0.0, 0.0, 0.0, 1.0]])


def pose(R: Array, p: Array) -> Array:
    """Pose (..., 4, 4) with rotation R (..., 3, 3) and position p (..., 3) [m]."""
    return blocks([[R, p[..., None]], [BOTTOM_ROW[:, :3], BOTTOM_ROW[:, 3:]]])


def rotation(g: Array) -> Array:
    """Rotation matrix (..., 3, 3) of a pose (..., 4, 4)."""
    return g[..., :3, :3]


def position(g: Array) -> Array:
    """Position (..., 3) [m] of a pose (..., 4, 4)."""
    return g[..., :3, 3]


def inverse(g: Array) -> Array:
    """Inverse pose g⁻¹ (..., 4, 4): g_ba of g_ab."""
    Rt = transpose(rotation(g))
    return pose(Rt, -apply(Rt, position(g)))


def hat(V: Array) -> Array:
    """4×4 matrix [[ω̂, v], [0, 0]] (..., 4, 4) of a twist V = (v, ω) (..., 6)."""
    v, ω = V[..., :3], V[..., 3:]
    return blocks([[so3.hat(ω), v[..., None]], [np.zeros((1, 4))]])


def vee(W: Array) -> Array:
    """Twist (v, ω) (..., 6) of a matrix (..., 4, 4), the inverse of `hat`."""
    return join([W[..., :3, 3], so3.vee(W[..., :3, :3])])


def exp(V: Array) -> Array:
    """Pose (..., 4, 4) of exponential coordinates V = (v, ω) (..., 6) [m, rad]."""
    v, ω = V[..., :3], V[..., 3:]
    A, B, C = exp_coefficients(so3.angle_squared(ω))
    R = so3.IDENTITY + (scale(A, so3.hat(ω)) + scale(B, so3.hat_squared(ω)))
    ωv = cross(ω, v)
    p = v + (np.asarray(B)[..., None] * ωv + np.asarray(C)[..., None] * cross(ω, ωv))
    return pose(R, p)


def log(g: Array) -> Array:
    """Exponential coordinates (v, ω) (..., 6) [m, rad] of a pose (..., 4, 4), |ω| ≤ π."""
    ω, p = so3.log(rotation(g)), position(g)
    E, _ = dexp_inv_coefficients(so3.angle_squared(ω))
    ωp = cross(ω, p)
    return join([p + (np.asarray(E)[..., None] * cross(ω, ωp) - 0.5 * ωp), ω])


def Ad(g: Array) -> Array:
    """Adjoint matrix (..., 6, 6) of a pose: V_a = Ad(g_ab) V_b, one body's twist in two frames."""
    R = rotation(g)
    return blocks([[R, so3.hat(position(g)) @ R], [ZERO, R]])


def ad(V: Array) -> Array:
    """Bracket matrix (..., 6, 6) of a twist (..., 6): ad(V) W = [V, W]."""
    v_hat, ω_hat = so3.hat(V[..., :3]), so3.hat(V[..., 3:])
    return blocks([[ω_hat, v_hat], [ZERO, ω_hat]])


def momentum_bracket(p: Array) -> Array:
    """K6(p) (..., 6, 6), skew, of a momentum p = (p_v, p_ω) (..., 6): K6(p) V = −ad(V)ᵀ p."""
    pv_hat, pω_hat = so3.hat(p[..., :3]), so3.hat(p[..., 3:])
    return blocks([[ZERO, -pv_hat], [-pv_hat, -pω_hat]])


def dexp(V: Array) -> Array:
    """Left-trivialised differential of exp (..., 6, 6): g⁻¹ġ = hat(dexp(V) V̇) for g = exp(V), V (..., 6)."""
    B, C, dB, dC = dexp_coefficients(so3.angle_squared(V[..., 3:]))
    return _function_of_ad(V, -B, C, -dB, dC)


def dexp_rate(V: Array, V_dot: Array) -> Array:
    """d/dt dexp(V) (..., 6, 6) where V = (v, ω) (..., 6) changes by V̇ (..., 6).

    The blocks f and Df of `_function_of_ad`, differentiated once more.
    """
    v, ω, v_dot, ω_dot = V[..., :3], V[..., 3:], V_dot[..., :3], V_dot[..., 3:]
    t = so3.angle_squared(ω)
    B, C, dB, dC = dexp_coefficients(t)
    d2B, d2C = dexp_curvatures(t)
    t_dot, ε = 2.0 * _dot(ω, ω_dot), 2.0 * _dot(ω, v)
    ε_dot = 2.0 * (_dot(ω_dot, v) + _dot(ω, v_dot))
    ω_hat, ω_hat2, v_hat = so3.hat(ω), so3.hat_squared(ω), so3.hat(v)
    turning = _anticommutator(ω, ω_dot)
    f = scale(C, turning) - scale(B, so3.hat(ω_dot)) + scale(t_dot * dC, ω_hat2) - scale(t_dot * dB, ω_hat)
    Df = (
        scale(C, _anticommutator(ω_dot, v) + _anticommutator(ω, v_dot))
        - scale(B, so3.hat(v_dot))
        + (scale(t_dot * dC, _anticommutator(ω, v)) - scale(t_dot * dB, v_hat))
        + (scale(ε * dC, turning) - scale(ε * dB, so3.hat(ω_dot)))
        + scale(ε_dot * dC + ε * t_dot * d2C, ω_hat2)
        - scale(ε_dot * dB + ε * t_dot * d2B, ω_hat)
    )
    return blocks([[f, Df], [ZERO, f]])


def dexp_inv(V: Array) -> Array:
    """Inverse of `dexp` (..., 6, 6) at V = (v, ω) (..., 6) [m, rad], |ω| < 2π."""
    E, dE = dexp_inv_coefficients(so3.angle_squared(V[..., 3:]))
    return _function_of_ad(V, 0.5, E, 0.0, dE)


def _function_of_ad(V: Array, f1: Array, f2: Array, df1: Array, df2: Array) -> Array:
    """f(ad_V) (..., 6, 6), where on so(3) f(ω̂) = 1 + f1(t) ω̂ + f2(t) ω̂², t = |ω|², and df = df/dt.

    ad_V = [[ω̂, v̂], [0, ω̂]] is the dual number ω̂ + ε v̂ written as a matrix, therefore
    f(ad_V) = [[f, Df·v̂], [0, f]] with Df·v̂ the derivative of f at ω̂ along v̂.
    """
    v, ω = V[..., :3], V[..., 3:]
    ω_hat, ω_hat2, v_hat = so3.hat(ω), so3.hat_squared(ω), so3.hat(v)
    f = so3.IDENTITY + (scale(f1, ω_hat) + scale(f2, ω_hat2))
    dt = 2.0 * _dot(ω, v)
    Df = (
        scale(f1, v_hat)
        + scale(f2, _anticommutator(ω, v))
        + (scale(dt * df1, ω_hat) + scale(dt * df2, ω_hat2))
    )
    return blocks([[f, Df], [ZERO, f]])


def _dot(a: Array, b: Array) -> Array:
    """a·b (...) of vectors (..., 3)."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


def _anticommutator(a: Array, b: Array) -> Array:
    """âb̂ + b̂â = a bᵀ + b aᵀ − 2 (a·b) 1 (..., 3, 3) of vectors (..., 3)."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    xx, yy, zz = ax * bx, ay * by, az * bz
    xy, xz, yz = ax * by + ay * bx, ax * bz + az * bx, ay * bz + az * by
    return matrix([[-2.0 * (yy + zz), xy, xz], [xy, -2.0 * (xx + zz), yz], [xz, yz, -2.0 * (xx + yy)]])


def Ad_apply(g: Array, V: Array) -> Array:
    """Ad(g) V (..., 6) of a pose (..., 4, 4) and a twist (..., 6), block by block."""
    R, p = rotation(g), position(g)
    Rω = apply(R, V[..., 3:])
    return join([apply(R, V[..., :3]) + cross(p, Rω), Rω])


def Ad_inv_apply(g: Array, V: Array) -> Array:
    """Ad(g⁻¹) V (..., 6) of a pose (..., 4, 4) and a twist (..., 6), block by block."""
    Rt, p = transpose(rotation(g)), position(g)
    v, ω = V[..., :3], V[..., 3:]
    return join([apply(Rt, v - cross(p, ω)), apply(Rt, ω)])


def Ad_transpose_apply(g: Array, F: Array) -> Array:
    """Ad(g)ᵀ F (..., 6): the wrench F_b = Ad(g_ab)ᵀ F_a of a pose (..., 4, 4) and a wrench (..., 6)."""
    Rt, p = transpose(rotation(g)), position(g)
    f, n = F[..., :3], F[..., 3:]
    return join([apply(Rt, f), apply(Rt, n - cross(p, f))])


def Ad_inv_transpose_apply(g: Array, F: Array) -> Array:
    """Ad(g⁻¹)ᵀ F (..., 6): the wrench F_a = Ad(g_ab⁻¹)ᵀ F_b of a pose (..., 4, 4) and a wrench (..., 6)."""
    R, p = rotation(g), position(g)
    Rf = apply(R, F[..., :3])
    return join([Rf, apply(R, F[..., 3:]) + cross(p, Rf)])


def ad_apply(V: Array, W: Array) -> Array:
    """ad(V) W = [V, W] (..., 6) of twists (..., 6), block by block."""
    v, ω = V[..., :3], V[..., 3:]
    return join([cross(ω, W[..., :3]) + cross(v, W[..., 3:]), cross(ω, W[..., 3:])])


def ad_transpose_apply(V: Array, p: Array) -> Array:
    """ad(V)ᵀ p (..., 6) of a twist and a momentum (..., 6), block by block."""
    v, ω = V[..., :3], V[..., 3:]
    p_v, p_ω = p[..., :3], p[..., 3:]
    return join([cross(p_v, ω), cross(p_v, v) + cross(p_ω, ω)])
