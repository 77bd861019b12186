"""Derivatives of a rolling wheel's rows by its pose and twist, in closed form (theory.md §34).

With m = P n, P = 1 − aaᵀ, e = m/|m| and c = −r e the lowest point, a turn θ of the wheel changes n by n×θ, and so

    c by Cθ ,    C = −(r/|m|) Q P n̂ ,    Q = 1 − eeᵀ ,
    Cω by −r Dθ ,    D = −(1/|m|) (Q P ω̂ n̂ + ((e·ṁ) Q + e (Qṁ)ᵀ + (Qṁ) eᵀ) P n̂/|m|) ,    ṁ = P n̂ ω .
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...lie import so3
from ...lie.arrays import apply, blocks, scale, stacked_rows, transpose


class DiscSlopes(NamedTuple):
    """Of G V by turns θ (..., 3, 3); of G V̇ + Ġ V by turns (..., 3, 3) and by V (..., 3, 6)."""

    velocity_by_turn: np.ndarray
    by_turn: np.ndarray
    by_twist: np.ndarray


class Lowest(NamedTuple):
    """The lowest point c (..., 3) from the middle, its direction −e, |m| (...), n (..., 3) and C (..., 3, 3)."""

    c: np.ndarray
    e: np.ndarray
    length: Any
    n: np.ndarray
    by_turn: np.ndarray


def lowest(R: np.ndarray, axis: np.ndarray, radius: Any, c: np.ndarray, e: np.ndarray, length: Any) -> Lowest:
    """The lowest point of a wheel that is turned by R (..., 3, 3), with its derivative."""
    n = R[..., 2, :]
    return Lowest(c, e, length, n, scale(-radius / length, _off(e) @ _off(axis) @ so3.hat(n)))


def disc_slopes(
    R: np.ndarray, axis: np.ndarray, radius: Any, at: Lowest, V: np.ndarray, V_dot: np.ndarray
) -> DiscSlopes:
    """At the relative twist V (..., 6) and its rate V̇ (..., 6)."""
    c, C = at.c, at.by_turn
    v, ω, v_dot, ω_dot = V[..., :3], V[..., 3:], V_dot[..., :3], V_dot[..., 3:]
    spin, drawn = so3.hat(ω), v + so3.cross(ω, c) + apply(C, ω)
    velocity = spin @ C - so3.hat(v + so3.cross(ω, c))
    held = so3.hat(ω_dot) @ C - so3.hat(v_dot + so3.cross(ω_dot, c))
    turning = spin @ (spin @ C + _second(axis, radius, at, ω)) - so3.hat(so3.cross(ω, drawn))
    by_ω = spin @ (C - so3.hat(c)) - so3.hat(drawn)
    return DiscSlopes(R @ velocity, R @ (held + turning), blocks([[R @ spin, R @ by_ω]]))


def wrench_by_turn(R: np.ndarray, at: Lowest, λ: np.ndarray) -> np.ndarray:
    """Derivatives (..., 6, 3) of the wrench (f, c×f), f = Rᵀλ, of a force λ (..., 3) in the plane's axes."""
    f = so3.hat(apply(transpose(R), λ))
    return stacked_rows([f, so3.hat(at.c) @ f - f @ at.by_turn])


def _second(axis: np.ndarray, radius: Any, at: Lowest, ω: np.ndarray) -> np.ndarray:
    """−r D (..., 3, 3): of Cω by turns, ω (..., 3) held."""
    e, length, Q, P, n = at.e, at.length, _off(at.e), _off(axis), so3.hat(at.n)
    m_dot = apply(P, so3.cross(at.n, ω))
    across = apply(Q, m_dot)
    mixed = e[..., :, None] * across[..., None, :]
    bent = scale((e * m_dot).sum(axis=-1), Q) + mixed + transpose(mixed)
    return scale(radius / length, Q @ P @ so3.hat(ω) @ n + scale(1.0 / length, bent @ P @ n))


def _off(unit: np.ndarray) -> np.ndarray:
    """1 − uuᵀ (..., 3, 3) of a unit vector u (..., 3)."""
    return np.eye(3) - unit[..., :, None] * unit[..., None, :]
