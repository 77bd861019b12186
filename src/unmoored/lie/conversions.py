"""Border conversions of rotations: unit quaternions (w, x, y, z) and Euler angles z-y-x. Traceable.

Inside the code attitudes are rotation matrices; these functions are for reading and writing data.
"""

from __future__ import annotations

import numpy as np

from .. import trace
from .arrays import Array, matrix, vector


def quaternion_direction(R: Array) -> Array:
    """A positive multiple (..., 4) of the unit quaternion (w, x, y, z), w ≥ 0, of a rotation R (..., 3, 3).

    The rows of 4 q qᵀ are linear in R; the one with the largest diagonal entry is taken, so its length is at
    least 2 and no entry suffers from cancellation. Small angles keep their relative accuracy.
    """
    (a, b, c), (d, e, f), (g, h, i) = ([R[..., r, k] for k in range(3)] for r in range(3))
    sx, sy, sz = h - f, c - g, d - b
    xy, xz, yz = b + d, c + g, f + h
    trace_ = a + e + i
    u = vector([1.0 + trace_, sx, sy, sz])
    largest = trace_
    for diagonal, row in (
        (a, [sx, 1.0 + (a - e - i), xy, xz]),
        (e, [sy, xy, 1.0 + (e - a - i), yz]),
        (i, [sz, xz, yz, 1.0 + (i - a - e)]),
    ):
        larger = trace.less(largest, diagonal)
        u = trace.where(np.asarray(larger)[..., None], vector(row), u)
        largest = trace.maximum(largest, diagonal)
    negative = trace.less(u[..., 0], 0.0)
    return trace.where(np.asarray(negative)[..., None], -u, u)


def quaternion_wxyz(R: Array) -> Array:
    """Unit quaternion (..., 4) = (w, x, y, z) with w ≥ 0 of a rotation matrix (..., 3, 3)."""
    u = quaternion_direction(R)
    length = np.sqrt((u * u).sum(axis=-1))
    return u / np.asarray(length)[..., None]


def from_quaternion_wxyz(q: Array) -> Array:
    """Rotation matrix (..., 3, 3) of a quaternion (..., 4) = (w, x, y, z), of any length but zero."""
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    k = 2.0 / (w * w + x * x + y * y + z * z)
    kx, ky, kz = k * x, k * y, k * z
    wx, wy, wz = w * kx, w * ky, w * kz
    xx, yy, zz, xy, xz, yz = x * kx, y * ky, z * kz, x * ky, x * kz, y * kz
    return matrix(
        [
            [1.0 - (yy + zz), xy - wz, xz + wy],
            [xy + wz, 1.0 - (xx + zz), yz - wx],
            [xz - wy, yz + wx, 1.0 - (xx + yy)],
        ]
    )


def euler_zyx(R: Array) -> Array:
    """Angles (..., 3) = (yaw, pitch, roll) [rad] with R = Rz(yaw) Ry(pitch) Rx(roll), R (..., 3, 3).

    yaw, roll ∈ (−π, π], pitch ∈ [−π/2, π/2]. Singular at pitch = ±π/2, where only yaw ∓ roll is
    determined: there the angles still give back R, but they jump, and their rates are unbounded nearby.
    """
    yaw = trace.arctan2(R[..., 1, 0], R[..., 0, 0])
    s, c = np.sin(yaw), np.cos(yaw)
    pitch = trace.arctan2(-R[..., 2, 0], c * R[..., 0, 0] + s * R[..., 1, 0])
    # Turning back by yaw first keeps roll right at the singularity, where yaw is arbitrary.
    roll = trace.arctan2(s * R[..., 0, 2] - c * R[..., 1, 2], c * R[..., 1, 1] - s * R[..., 0, 1])
    return vector([yaw, pitch, roll])


def from_euler_zyx(angles: Array) -> Array:
    """Rotation Rz(yaw) Ry(pitch) Rx(roll) (..., 3, 3) of the angles (yaw, pitch, roll) (..., 3) [rad]."""
    cy, cp, cr = (np.cos(angles[..., k]) for k in range(3))
    sy, sp, sr = (np.sin(angles[..., k]) for k in range(3))
    return matrix(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
