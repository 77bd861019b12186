"""What the subgroups with one axis of rotation share: the turn about a constant line, and its angle.

The line goes through the origin of a constant `frame` (4, 4) along its z axis a. Constants multiply cos and
sin directly, so that for the standard axis the turn is just [[c, −s], [s, c]].
"""

from __future__ import annotations

import numpy as np

from ...trace import arctan2, is_zero
from .. import se3, so3
from ..arrays import Array, apply, scale
from ..coefficients import dexp_inv_coefficients, exp_coefficients

E1, E2, E3 = np.eye(6)[:3]
E6 = np.eye(6)[5]


def turn(frame: np.ndarray, θ: Array) -> Array:
    """Rotation (..., 3, 3) by θ (...) [rad] about the frame's axis: aaᵀ + cos θ (1 − aaᵀ) + sin θ â.

    Off the diagonal 1 − cos θ is formed first, so that a small sin θ is not lost beside a constant.
    """
    a = frame[:3, 2]
    diagonal = np.diag(a * a)
    across = np.outer(a, a) - diagonal
    c = np.cos(θ)
    on_diagonal = diagonal + scale(c, np.eye(3) - diagonal)
    return on_diagonal + (scale(1.0 - c, across) + scale(np.sin(θ), so3.hat(a)))


def shift(frame: np.ndarray, θ: Array) -> Array:
    """Displacement (..., 3) [m] of the origin by the turn θ (...) [rad] about the frame's line: (1 − R) r.

    1 − cos θ is taken as 2 sin²(θ/2), which keeps the relative accuracy of small turns.
    """
    a, r = frame[:3, 2], frame[:3, 3]
    if is_zero(np.cross(a, r)):
        return np.zeros((*np.shape(θ), 3))
    half = np.sin(0.5 * θ)
    across, around = r - a * (a @ r), np.cross(r, a)
    return np.asarray(2.0 * half * half)[..., None] * across + np.asarray(np.sin(θ))[..., None] * around


def angle(frame: np.ndarray, R: Array) -> Array:
    """Angle (...) [rad] in [−π, π] of a rotation R (..., 3, 3) about the frame's axis."""
    a = frame[:3, 2]
    sine = 0.5 * _along(a, so3.vee(R) - so3.vee(np.swapaxes(R, -1, -2)))
    cosine = 0.5 * (R * (np.eye(3) - np.outer(a, a))).sum(axis=(-2, -1))
    return arctan2(sine, cosine)


def travel(frame: np.ndarray, g: Array) -> Array:
    """Displacement (...) [m] of a pose (..., 4, 4) along the frame's axis, which no turn about it changes."""
    return _along(frame[:3, 2], se3.position(g))


def unwrapped_angle(frame: np.ndarray, g: Array, pitch: float) -> Array:
    """Angle (...) [rad], beyond π too, of a pose (..., 4, 4) that advances by pitch · angle, pitch in m/rad.

    z/h tells the number of whole turns (atan2 alone would be wrong beyond π), the rotation the angle within
    one: z is known only to the rounding of the whole position, the rotation keeps small angles.
    """
    within = angle(frame, se3.rotation(g))
    turns = np.rint((travel(frame, g) / pitch - within) / (2.0 * np.pi))
    return within + 2.0 * np.pi * turns


def planar_position(x: Array, y: Array, θ: Array) -> tuple[Array, Array]:
    """Position (...), (...) [m] reached in the plane by the body velocity (x, y) [m], θ [rad] in unit time."""
    A, B, _ = exp_coefficients(θ * θ)
    D = θ * B
    return A * x - D * y, D * x + A * y


def planar_velocity(px: Array, py: Array, θ: Array) -> tuple[Array, Array]:
    """Inverse of `planar_position` (...) [m] at the angle θ [rad], not a multiple of 2π other than 0."""
    E, _ = dexp_inv_coefficients(θ * θ)
    c = 1.0 - θ * θ * E
    return c * px + 0.5 * θ * py, c * py - 0.5 * θ * px


def standard_position(frame: np.ndarray, g: Array, θ: Array) -> Array:
    """Position (..., 3) [m], in the frame, of A⁻¹ g A for a g (..., 4, 4) that turns by θ (...) [rad]."""
    return apply(frame[:3, :3].T, se3.position(g) - shift(frame, θ))


def placed(frame: np.ndarray, θ: Array, p: Array) -> Array:
    """A g A⁻¹ (..., 4, 4) for the pose g that turns by θ (...) [rad] about z and moves by p (..., 3) [m]."""
    return se3.pose(turn(frame, θ), apply(frame[:3, :3], p) + shift(frame, θ))


def _along(a: np.ndarray, b: Array) -> Array:
    """a·b (...) of a constant vector (3,) and vectors (..., 3)."""
    return a[0] * b[..., 0] + a[1] * b[..., 1] + a[2] * b[..., 2]
