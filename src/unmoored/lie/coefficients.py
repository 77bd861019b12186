"""The scalar functions behind exp, log and dexp, as functions of t = θ²: all that knows small angles.

All of them come from the Stumpff functions c_k(t) = Σ_j (−t)^j / (2j+k)!, which are entire:

    c₀ = cos θ,  c₁ = sin θ / θ,  c₂ = (1 − cos θ)/θ²,  c₃ = (θ − sin θ)/θ³,  c_k = 1/k! − t c_{k+2},
    dc_k/dt = (k c_{k+2} − c_{k+1}) / 2.

Below `SWITCH` the two highest come from their series and the rest by the recurrence downward; above it the
lowest come from sin and cos of the half angle and the rest by the recurrence upward. Each direction is stable
on its side. t = θ² may underflow to zero: every function is flat there to far below rounding. It must not
overflow: angles stay below 1e150 rad.
"""

from __future__ import annotations

from math import factorial

import numpy as np

from .. import trace
from .arrays import Array

SWITCH = 4.0
_TERMS = 10  # the first term left out is below 1e-17 of the sum for t ≤ SWITCH


def _series(k: int, t: Array) -> Array:
    """c_k(t) for 0 ≤ t ≤ SWITCH by Horner's rule; shapes (...) to (...), dimensionless."""
    total = (-1.0) ** (_TERMS - 1) / factorial(2 * (_TERMS - 1) + k)
    for j in reversed(range(_TERMS - 1)):
        total = total * t + (-1.0) ** j / factorial(2 * j + k)
    return total


def _below_switch(t: Array) -> tuple[Array, ...]:
    c5, c6 = _series(5, t), _series(6, t)
    c3, c4 = 1 / 6 - t * c5, 1 / 24 - t * c6
    return 1.0 - t * c3, 0.5 - t * c4, c3, c4, c5, c6


def _above_switch(t: Array) -> tuple[Array, ...]:
    θ = np.sqrt(t)
    s, c = np.sin(0.5 * θ), np.cos(0.5 * θ)
    c1, c2 = 2.0 * s * c / θ, 2.0 * s * s / t
    c3, c4 = (1.0 - c1) / t, (0.5 - c2) / t
    return c1, c2, c3, c4, (1 / 6 - c3) / t, (1 / 24 - c4) / t


def stumpff(t: Array) -> tuple[Array, ...]:
    """(c₁, …, c₆) at t = θ² ≥ 0 [rad²], each of the shape of t, dimensionless."""
    small = trace.less(t, SWITCH)
    below = _below_switch(trace.minimum(t, SWITCH))
    above = _above_switch(trace.maximum(t, SWITCH))
    return tuple(trace.where(small, b, a) for b, a in zip(below, above, strict=True))


def exp_coefficients(t: Array) -> tuple[Array, Array, Array]:
    """A = sin θ/θ, B = (1 − cos θ)/θ², C = (θ − sin θ)/θ³ at t = θ² [rad²], docs/theory.md §1."""
    A, B, C, *_ = stumpff(t)
    return A, B, C


def dexp_coefficients(t: Array) -> tuple[Array, Array, Array, Array]:
    """B, C and their derivatives dB/dt, dC/dt at t = θ² [rad²]; shapes as t."""
    _, B, C, c4, c5, _ = stumpff(t)
    return B, C, c4 - 0.5 * C, 1.5 * c5 - 0.5 * c4


def dexp_curvatures(t: Array) -> tuple[Array, Array]:
    """d²B/dt² and d²C/dt² at t = θ² [rad²]; shapes as t."""
    *_, c4, c5, c6 = stumpff(t)
    above = (1 / 120 - c5) / trace.maximum(t, SWITCH)
    c7 = trace.where(trace.less(t, SWITCH), _series(7, trace.minimum(t, SWITCH)), above)
    return 2.0 * c6 - 1.25 * c5 + 0.25 * c4, 3.75 * c7 - 1.75 * c6 + 0.25 * c5


def dexp_inv_coefficients(t: Array) -> tuple[Array, Array]:
    """E = (1 − (θ/2) cot(θ/2))/θ² and dE/dt at t = θ² [rad²], 0 ≤ θ < 2π; shapes as t.

    E = −B'/B, because (θ/2) cot(θ/2) = A/(2B) and B' = (A − 2B)/(2t); B has no zero before 2π.
    """
    _, B, C, c4, c5, c6 = stumpff(t)
    E = (0.5 * C - c4) / B
    d2B = 2.0 * c6 - 1.25 * c5 + 0.25 * c4
    return E, E * E - d2B / B


def half_angle_factor(vector_squared: Array, scalar: Array) -> Array:
    """2 atan2(s, w)/s from s² ≥ 0 and w ≥ 0, not both zero; shapes (...), in rad per unit of s.

    Turns the vector part (of length s) of a quaternion with scalar part w, of any length, into a rotation
    vector. s² may underflow to zero.
    """
    ss, w = vector_squared, scalar
    small = trace.less(ss, 1e-6 * (w * w))
    w_small = trace.where(small, w, 1.0)
    ρ = trace.where(small, ss, 0.0) / (w_small * w_small)
    s = np.sqrt(trace.where(small, 1.0, ss))
    return trace.where(small, 2.0 * (1.0 - ρ / 3.0 + ρ * ρ / 5.0) / w_small, 2.0 * trace.arctan2(s, w) / s)
