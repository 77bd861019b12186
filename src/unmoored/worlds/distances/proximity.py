"""Where two shapes are nearest to each other: pairs of them, as balls of one against the other (theory.md §30)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...lie import se3
from ...lie.arrays import apply, scale_vector, transpose
from ...model import Box, Capsule, Cylinder, ModelError, Sphere
from ...trace import clip, greater, where
from .along_segment import nearest_on_segment
from .shapes import HalfSpace, Points
from .signed_distance import length_and_direction, signed_distance


class Near(NamedTuple):
    """gap (...) [m], negative if they overlap; normal (..., 3) away from a, and the nearest point (..., 3) of b's
    surface, both in the axes of b."""

    gap: Any
    normal: np.ndarray
    point: np.ndarray


#: shapes of which the distance to a point is known
OBSTACLES = (HalfSpace, Sphere, Capsule, Box, Cylinder)
_PARALLEL = 1e-12


def check_pair(where_: str, a: Any, b: Any) -> None:
    """Refuse pairs for which there is no distance."""
    balls = isinstance(b, Sphere | Points)
    flat = isinstance(a, HalfSpace) and type(b) in (Capsule, Box)
    if not (type(a) in OBSTACLES and (balls or flat or type(b) is Capsule)):
        expected = (
            "HalfSpace, Sphere, Capsule, Box or Cylinder at frame a, Sphere, Capsule or Points at frame b; a Box at"
            " frame b against a HalfSpace (else: Points on its surface)"
        )
        raise ModelError.single(
            where_, "shapes", expected=expected, given=f"{type(a).__name__} and {type(b).__name__}"
        )


def proximity(a: Any, b: Any) -> Callable[[np.ndarray], list[Near]]:
    """The function of g_ab (..., 4, 4) that gives where shapes a and b are near each other, always as many."""
    A, B = a.at.matrix, b.at.matrix
    if type(b) is Capsule and type(a) in (Sphere, Capsule):
        return lambda g: [_segments(a, b, se3.inverse(A) @ g @ B)._placed(B)]
    if type(b) is Capsule and type(a) in (Box, Cylinder):
        return lambda g: [_segment_and_edges(a, b, se3.inverse(A) @ g @ B)._placed(B)]
    centres, radius = _balls(b)

    def near(g: np.ndarray) -> list[Near]:
        g = se3.inverse(A) @ g
        found = []
        for c in centres:
            signed = signed_distance(a, se3.position(g) + apply(se3.rotation(g), c))
            n = apply(transpose(se3.rotation(g)), signed.gradient)
            found.append(Near(signed.distance - radius, n, c - radius * n))
        return found

    return near


def _balls(b: Any) -> tuple[np.ndarray, float]:
    """Centres (n, 3) in the axes of b's frame, and radius (m), of the balls that stand for a shape."""
    own: np.ndarray = np.zeros((1, 3))
    radius = getattr(b, "radius", 0.0)
    if isinstance(b, Points):
        own = b.points
    elif type(b) is Capsule:
        own = np.array([[0, 0, s * 0.5 * b.length] for s in (-1, 1)])
    elif type(b) is Box:
        own = (
            0.5
            * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
            * np.asarray(b.size)
        )
    g = b.at.matrix
    return own @ g[:3, :3].T + g[:3, 3], radius


class _OnShape(NamedTuple):
    gap: Any
    normal: np.ndarray
    point: np.ndarray

    def _placed(self, B: np.ndarray) -> Near:
        """From the axes of the shape b to those of its frame."""
        R = B[:3, :3]
        return Near(self.gap, apply(R, self.normal), B[:3, 3] + apply(R, self.point))


def _segments(a: Any, b: Capsule, g: np.ndarray) -> _OnShape:
    """A sphere or capsule along z of a against a capsule along z of b, whose pose in a is g (..., 4, 4)."""
    p, u = se3.position(g), se3.rotation(g)[..., :, 2]
    half_a, half_b = 0.5 * getattr(a, "length", 0.0), 0.5 * b.length
    # on the axes: s e_z of a, p + t u of b; least |p + t u − s e_z|
    c, d, e = u[..., 2], (u * p).sum(axis=-1), p[..., 2]
    det = 1.0 - c * c
    slanted = greater(det, _PARALLEL)
    s = where(slanted, (e - c * d) / where(slanted, det, 1.0), e)
    s = clip(s, -half_a, half_a)
    t = clip(c * s - d, -half_b, half_b)
    s = clip(e + c * t, -half_a, half_a)
    t = clip(c * s - d, -half_b, half_b)
    zero = 0.0 * s
    from_a = np.stack(np.broadcast_arrays(zero, zero, s), axis=-1)
    gap, n = length_and_direction(p + scale_vector(t, u) - from_a)
    normal = apply(transpose(se3.rotation(g)), n)
    on_axis = np.stack(np.broadcast_arrays(zero, zero, t), axis=-1)
    return _OnShape(gap - a.radius - b.radius, normal, on_axis - b.radius * normal)


def _segment_and_edges(a: Box | Cylinder, b: Capsule, g: np.ndarray) -> _OnShape:
    """A box or cylinder a against a capsule along z of b, whose pose in a is g (..., 4, 4)."""
    p, u = se3.position(g), se3.rotation(g)[..., :, 2]
    t, signed = nearest_on_segment(a, p, u, 0.5 * b.length)
    normal = apply(transpose(se3.rotation(g)), signed.gradient)
    on_axis = np.stack(np.broadcast_arrays(0.0 * t, 0.0 * t, t), axis=-1)
    return _OnShape(signed.distance - b.radius, normal, on_axis - b.radius * normal)
