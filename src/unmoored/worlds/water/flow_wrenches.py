"""Drag and lift of the parts of a hull (docs/theory.md §32), in body axes at the body's origin.

Every drag here is −D(V) V with a symmetric D ≥ 0: it takes energy, whatever the flow. Lift is at right angles to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics.tree_scans import total
from ...lie import se3, so3
from ...lie.arrays import join, scale, transpose
from ...model.flow_parts import BoxDrag, FlowPart, Lift, SphereDrag, StripDrag
from ...trace import arctan2, clip

_NO_SPEED = 1e-24  # (m/s)², so that the slope of a speed is finite at rest
_STILL = 1e-12  # m/s
_STEEPEST = 40.0  # of exponents: e⁴⁰ squared is finite in single precision
_GAUSS = 1.0 / (2.0 * np.sqrt(3.0))


def part_wrench(part: FlowPart, V: np.ndarray) -> np.ndarray:
    """Wrench (..., 6) on the body, of a part, at the body's twist V (..., 6) relative to the water."""
    own = se3.Ad_inv_apply(part.at.matrix, V)
    return se3.Ad_inv_transpose_apply(part.at.matrix, _OWN[type(part)](part, own))


def part_drag_matrix(part: FlowPart, V: np.ndarray) -> np.ndarray | None:
    """D (..., 6, 6) of a part that drags: its wrench is −D V. None of one that lifts."""
    if type(part) not in _MATRICES:
        return None
    X = se3.Ad(se3.inverse(part.at.matrix))
    return X.T @ _MATRICES[type(part)](part, se3.Ad_inv_apply(part.at.matrix, V)) @ X


def _sphere(part: SphereDrag, V: np.ndarray) -> np.ndarray:
    v = V[..., :3]
    return join([-part.coefficient * _speed(v) * v, np.zeros(3)])


def _strips(part: StripDrag, V: np.ndarray) -> np.ndarray:
    """−Σ c|u_n|u_n of the strips and its moment (0, 0, z)×f, by the sums of their drags; −k|u_z|u_z along the axis."""
    s0, s1, s2 = _strip_sums(part, V, -part.across)
    u, v, w, p, q = (V[..., k] for k in range(5))
    along = -part.along * np.abs(w) * w
    force = [s0 * u + s1 * q, s0 * v - s1 * p, along]
    return np.stack([*force, s2 * p - s1 * v, s1 * u + s2 * q, 0.0 * w], axis=-1)


def _strip_sums(part: StripDrag, V: np.ndarray, across: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Σ d, Σ z d, Σ z² d (...) over the strips, d = c|u_n| with c = `across` of their lengths, z their places.

    u_n is linear in z, so that these three tell force and moment. Strips lie in pairs ±z with equal shares: the sum and
    the difference of the two speeds count.
    """
    z, lengths = part.points()
    ux = V[..., 0, None] + z * V[..., 4, None]
    uy = V[..., 1, None] - z * V[..., 3, None]
    speed = np.sqrt(ux * ux + uy * uy + _NO_SPEED)
    pairs, c = len(z) // 2, across * lengths
    low, high = speed[..., :pairs], speed[..., ::-1][..., :pairs]
    both, apart, z, c_pair = high + low, high - low, -z[:pairs], c[:pairs]
    s0 = (c_pair * both).sum(axis=-1)
    if len(c) > 2 * pairs:
        s0 = s0 + c[pairs] * speed[..., pairs]
    return s0, (c_pair * z * apart).sum(axis=-1), (c_pair * z * z * both).sum(axis=-1)


def _box(part: BoxDrag, V: np.ndarray) -> np.ndarray:
    r, u, share = _corners(part, V)
    f = -share[..., None] * u
    return join([f.sum(axis=-2), so3.cross(r, f).sum(axis=-2)])


def _corners(part: BoxDrag, V: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The eight Gauss points (8, 3), their velocities (..., 8, 3) and drags per velocity (..., 8)."""
    size = np.asarray(part.size)
    r = np.array([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) * size * _GAUSS
    u = V[..., None, :3] + so3.cross(V[..., None, 3:], r)
    faces = np.prod(size) / size
    return r, u, part.coefficient / 8.0 * (faces * np.abs(u)).sum(axis=-1)


def _lift(part: Lift, V: np.ndarray) -> np.ndarray:
    """Lift (sin α, cos α) and drag (−cos α, sin α) in the plane of x and of the flow across it."""
    u, across = V[..., 0], V[..., 2]
    if part.round:
        across = np.sqrt(V[..., 1] ** 2 + V[..., 2] ** 2 + _NO_SPEED)
    square = u * u + across * across
    speed = np.sqrt(square + _NO_SPEED)
    s, c = -across / speed, u / speed
    lift, drag = _coefficients(part, arctan2(-across, u + _STILL), s, c)
    q = part.coefficient * square
    along, beside = q * (lift * s - drag * c), q * (lift * c + drag * s)
    if not part.round:
        return np.stack([along, 0.0 * u, beside, 0.0 * u, 0.0 * u, 0.0 * u], axis=-1)
    side = beside / across
    return np.stack([along, side * V[..., 1], side * V[..., 2], 0.0 * u, 0.0 * u, 0.0 * u], axis=-1)


def _coefficients(part: Lift, α: Any, s: Any, c: Any) -> tuple[Any, Any]:
    """Coefficients of lift and drag at the angle α (rad), with its sine and cosine: attached below stall, a
    plate beyond.
    """
    M, stall = part.sharpness, part.stall_rad
    below = np.exp(clip(-M * (α - stall), -_STEEPEST, _STEEPEST))
    above = np.exp(clip(M * (α + stall), -_STEEPEST, _STEEPEST))
    σ = (1.0 + below + above) / ((1.0 + below) * (1.0 + above))
    attached = part.slope * α
    lift = (1.0 - σ) * attached + σ * 2.0 * np.abs(s) * s * c
    drag = (1.0 - σ) * (part.drag + part.induced * attached * attached) + σ * 2.0 * np.abs(s) * s * s
    return lift, drag


def _sphere_matrix(part: SphereDrag, V: np.ndarray) -> np.ndarray:
    return (part.coefficient * _speed(V[..., :3]))[..., None] * np.diag([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])


def _strip_matrix(part: StripDrag, V: np.ndarray) -> np.ndarray:
    parts = [*_strip_sums(part, V, part.across), part.along * np.abs(V[..., 2])]
    return total(scale(x, G) for x, G in zip(parts, _STRIP_MATRICES, strict=True))


def _unit(row: int, column: int) -> np.ndarray:
    """A matrix (6, 6) of zeros with one 1."""
    return np.eye(6)[:, row, None] * np.eye(6)[column]


_TURNING = _unit(0, 4) - _unit(1, 3)
#: of the three sums and of the drag along the axis
_STRIP_MATRICES = [_unit(0, 0) + _unit(1, 1), _TURNING + _TURNING.T, _unit(3, 3) + _unit(4, 4), _unit(2, 2)]


def _box_matrix(part: BoxDrag, V: np.ndarray) -> np.ndarray:
    r, _, share = _corners(part, V)
    G = np.concatenate([np.broadcast_to(np.eye(3), (8, 3, 3)), -so3.hat(r)], axis=-1)
    return (share[..., None, None] * (transpose(G) @ G)).sum(axis=-3)


def _speed(v: np.ndarray) -> np.ndarray:
    return np.sqrt((v * v).sum(axis=-1, keepdims=True) + _NO_SPEED)


_OWN: dict[type, Any] = {SphereDrag: _sphere, StripDrag: _strips, BoxDrag: _box, Lift: _lift}
_MATRICES: dict[type, Any] = {SphereDrag: _sphere_matrix, StripDrag: _strip_matrix, BoxDrag: _box_matrix}
