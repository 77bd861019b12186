"""Where a segment is nearest to a box or a cylinder, or deepest in it (theory.md §30)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...lie.arrays import scale_vector, vector
from ...model import Box, Cylinder
from ...trace import clip, greater, greater_equal, maximum, repeat, where
from .signed_distance import Signed, signed_distance

#: halvings, and the longest last step (shares of the half length) that is no jump; rates (1) that are two walls'
_HALVINGS, _SMALL, _CROSSING = 42, 1e-9, 1e-9


class _Wall(NamedTuple):
    """How far a point is over a wall (...) [m], the first two derivatives of that along a line, gradient (..., 3)."""

    over: Any
    rate: Any
    bend: Any
    gradient: np.ndarray


class OnSegment(NamedTuple):
    """The place t (...) along a segment [m], and the signed distance of that point to the shape."""

    t: Any
    signed: Signed


def nearest_on_segment(shape: Box | Cylinder, p: np.ndarray, u: np.ndarray, half: float) -> OnSegment:
    """Of p + t u, |t| ≤ half, where the signed distance is least: p, u (..., 3), |u| = 1, in the shape's axes.

    The distance is convex along a line, so halving by the sign of its slope finds t, whatever edges there are. A last
    step of Newton's method gives t its derivatives. Inside t is as a rule where two walls are equally near: the
    gradient is then that mean of theirs that has nothing along the segment (zero between two opposite ones).
    """

    def walls(t: Any) -> list[_Wall]:
        return _walls(shape, p + scale_vector(t, u), u)

    def halved(_: Any, ends: tuple[Any, Any]) -> tuple[Any, Any]:
        t = 0.5 * (ends[0] + ends[1])
        rising = greater(_slope(walls(t)), 0.0)
        return where(rising, ends[0], t), where(rising, t, ends[1])

    zero = 0.0 * (p * u).sum(axis=-1)
    low, high = repeat(halved, (zero - half, zero + half), _HALVINGS)
    t, first, second = 0.5 * (low + high), _nearest(walls(low)), _nearest(walls(high))
    there = walls(t)
    one, other = _chosen(there, first), _chosen(there, second)
    inside = greater_equal(0.0, one.over)
    crossing = greater(abs(other.rate - one.rate), _CROSSING)
    between = where(crossing, other.rate - one.rate, 1.0)
    step = where(
        inside,
        where(crossing, (one.over - other.over) / between, -_divided(one.rate, one.bend)),
        -_divided(_slope(there), _bend(there)),
    )
    t = clip(t + where(greater(_SMALL * half, abs(step)), step, 0.0), -half, half)
    there = walls(t)
    one, other = _chosen(there, first), _chosen(there, second)
    between = where(crossing, other.rate - one.rate, 1.0)
    share = where(crossing, other.rate / between, 1.0)
    outside = signed_distance(shape, p + scale_vector(t, u))
    mean = scale_vector(share, one.gradient) + scale_vector(1.0 - share, other.gradient)
    gradient = [where(inside, mean[..., k], outside.gradient[..., k]) for k in range(3)]
    distance = where(inside, share * one.over + (1.0 - share) * other.over, outside.distance)
    return OnSegment(t, Signed(distance, vector(gradient)))


def _divided(slope: Any, bend: Any) -> Any:
    curved = greater(bend, 0.0)
    return where(curved, slope / where(curved, bend, 1.0), 0.0)


def _walls(shape: Box | Cylinder, x: np.ndarray, u: np.ndarray) -> list[_Wall]:
    """Of the shape at x (..., 3) along u (..., 3)."""
    zero = 0.0 * x[..., 0]

    def flat(i: int, half: float) -> list[_Wall]:
        outwards = np.eye(3)[i] + 0.0 * x
        return [
            _Wall(side * x[..., i] - half, side * u[..., i], zero, side * outwards) for side in (1.0, -1.0)
        ]

    if isinstance(shape, Box):
        return [wall for i in range(3) for wall in flat(i, 0.5 * float(shape.size[i]))]
    squared = (x[..., :2] * x[..., :2]).sum(axis=-1)
    off = greater(squared, 0.0)
    ρ = np.sqrt(where(off, squared, 1.0))
    rate = where(off, (x[..., :2] * u[..., :2]).sum(axis=-1) / ρ, 0.0)
    bend = where(off, ((u[..., :2] * u[..., :2]).sum(axis=-1) - rate * rate) / ρ, 0.0)
    outwards = vector([where(off, x[..., 0] / ρ, 1.0), where(off, x[..., 1] / ρ, 0.0), zero])
    return [_Wall(where(off, ρ, 0.0) - shape.radius, rate, bend, outwards), *flat(2, 0.5 * shape.length)]


def _nearest(walls: list[_Wall]) -> list[Any]:
    """1 for the wall that the point is over most, or least deep behind, 0 for the others."""
    over, found = walls[0].over, [1.0 + 0.0 * walls[0].over]
    for wall in walls[1:]:
        more = greater(wall.over, over)
        over = where(more, wall.over, over)
        found = [*(where(more, 0.0, x) for x in found), where(more, 1.0, 0.0)]
    return found


def _chosen(walls: list[_Wall], chosen: list[Any]) -> _Wall:
    over, rate, bend = (sum(x * wall[i] for x, wall in zip(chosen, walls, strict=True)) for i in range(3))
    gradient = np.zeros(3)
    for x, wall in zip(chosen, walls, strict=True):
        gradient = gradient + scale_vector(x, wall.gradient)
    return _Wall(over, rate, bend, gradient)


def _slope(walls: list[_Wall]) -> Any:
    """Of the signed distance along the line: outside times that distance."""
    nearest = _chosen(walls, _nearest(walls))
    outside = sum(maximum(wall.over, 0.0) * wall.rate for wall in walls)
    return where(greater(nearest.over, 0.0), outside, nearest.rate)


def _bend(walls: list[_Wall]) -> Any:
    """The derivative of `_slope` outside."""
    return sum(
        where(greater(wall.over, 0.0), wall.rate * wall.rate + wall.over * wall.bend, 0.0) for wall in walls
    )
