"""Signed distance from a shape to a point, and its gradient, in the shape's own axes; negative inside."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...lie.arrays import join, scale_vector, vector
from ...model import Box, Capsule, Cylinder, Sphere
from ...trace import clip, greater, greater_equal, maximum, where
from .shapes import HalfSpace


class Signed(NamedTuple):
    """distance (...) [m] and gradient (..., 3): a unit vector away from the shape, where it exists."""

    distance: Any
    gradient: np.ndarray


def signed_distance(shape: Any, x: np.ndarray) -> Signed:
    """From a HalfSpace, Sphere, Capsule, Box or Cylinder to the point x (..., 3) in its axes (m)."""
    if isinstance(shape, HalfSpace):
        return Signed(x[..., 2], np.array([0.0, 0.0, 1.0]) + 0.0 * x)
    if isinstance(shape, Sphere):
        return _ball(x, shape.radius)
    if isinstance(shape, Capsule):
        half = 0.5 * shape.length
        on_axis = vector([0.0 * x[..., 0], 0.0 * x[..., 0], clip(x[..., 2], -half, half)])
        return _ball(x - on_axis, shape.radius)
    if isinstance(shape, Cylinder):
        return _cylinder(shape, x)
    assert isinstance(shape, Box)
    half = 0.5 * np.asarray(shape.size)
    side = [where(greater_equal(x[..., i], 0.0), 1.0, -1.0) for i in range(3)]
    over = [side[i] * x[..., i] - half[i] for i in range(3)]
    found = _corner(over)
    return Signed(found.distance, vector([found.gradient[..., i] * side[i] for i in range(3)]))


def _ball(x: np.ndarray, radius: float) -> Signed:
    """A ball at the origin; in its very centre the gradient is zero."""
    size, unit = length_and_direction(x)
    return Signed(size - radius, unit)


def length_and_direction(x: np.ndarray) -> tuple[Any, np.ndarray]:
    """|x| (...) and x/|x| (..., 3), zero for x = 0."""
    squared = (x * x).sum(axis=-1)
    apart = greater(squared, 0.0)
    size = where(apart, np.sqrt(where(apart, squared, 1.0)), 0.0)
    return size, scale_vector(where(apart, 1.0 / where(apart, size, 1.0), 0.0), x)


def _corner(over: list[Any]) -> Signed:
    """How far a point is over walls that meet at right angles: outside the distance to the corner of those that it is
    over, inside that to the nearest wall. The gradient (..., n) jumps inside, where two walls are equally near."""
    outside = vector([maximum(y, 0.0) for y in over])
    size, unit = length_and_direction(outside)
    nearest, gradient = over[0], vector([0.0 * over[0] + float(k == 0) for k in range(len(over))])
    for i in range(1, len(over)):
        more = greater(over[i], nearest)
        nearest = where(more, over[i], nearest)
        gradient = vector([where(more, float(k == i), gradient[..., k]) for k in range(len(over))])
    is_out = greater(nearest, 0.0)
    return Signed(
        where(is_out, size, nearest),
        vector([where(is_out, unit[..., k], gradient[..., k]) for k in range(len(over))]),
    )


def _cylinder(shape: Cylinder, x: np.ndarray) -> Signed:
    """Along z: walls are the mantle and the two ends; on the axis the way out is along x if the mantle is nearest."""
    across, _ = x[..., :2], None
    squared = (across * across).sum(axis=-1)
    off = greater(squared, 0.0)
    ρ = where(off, np.sqrt(where(off, squared, 1.0)), 0.0)
    inverse = where(off, 1.0 / where(off, ρ, 1.0), 0.0)
    side = where(greater_equal(x[..., 2], 0.0), 1.0, -1.0)
    found = _corner([ρ - shape.radius, side * x[..., 2] - 0.5 * shape.length])
    radial = vector([where(off, x[..., 0] * inverse, 1.0), x[..., 1] * inverse])
    along = np.asarray(found.gradient[..., 1] * side)[..., None]
    return Signed(found.distance, join([scale_vector(found.gradient[..., 0], radial), along]))
