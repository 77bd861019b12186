"""Equations of motion with closed loops: rows, reactions, and the way back to the closure (theory.md §29).

    M ẇ = f + Jᵀλ ,    J ẇ + γ = 0 ,    (J M⁻¹ Jᵀ) λ = −(γ + J M⁻¹ f)

Of redundant rows a set that is independent is kept, the same in all stages of a step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...dynamics.joint_crossing import Crossing
from ...dynamics.relative_motion import (
    Between,
    Place,
    Walk,
    acceleration_between,
    between,
    jacobian_between,
    twist_between,
    walk,
)
from ...dynamics.tree_scans import split_configuration, split_velocity
from ...lie import se3
from ...lie.arrays import (
    apply,
    diagonal,
    join,
    scale,
    scale_vector,
    solved,
    stacked_rows,
    transpose,
)
from ...model import Tree
from ...trace import is_zero
from ...trace import solve_spd as solve
from .closure import Closure
from .rolling_disc import RollingDisc

#: what closes a loop
Closing = Closure | RollingDisc


def ways(tree: Tree, closures: tuple[Closing, ...]) -> list[Between]:
    """The ways between the frames of closures, both in the standard position of the closing joint."""
    return [_way(tree, closure) for closure in closures]


def _way(tree: Tree, closure: Closing) -> Between:
    a, b = Place(*tree.locate(closure.frame_a)), Place(*tree.locate(closure.frame_b))
    at = a.at if is_zero(closure.offset) else a.at @ se3.exp(closure.offset)
    return between(tree, Place(a.index, at @ closure.frame), Place(b.index, b.at @ closure.frame))


def offset_as_it_is(frames: Tree, closure: Closure, xs: list[Crossing]) -> np.ndarray:
    """The offset (..., 6) with which the closure holds its frames as they are across the crossings xs."""
    A = closure.frame
    a, b = Place(*frames.locate(closure.frame_a)), Place(*frames.locate(closure.frame_b))
    way = between(frames, Place(a.index, a.at @ A), Place(b.index, b.at @ A))
    g = walk(way, xs).pose
    return se3.log(A @ (g @ se3.inverse(closure.nearest(g))) @ se3.inverse(A))


class Loops(NamedTuple):
    """All closures at one configuration: walks around them, and rows J (..., c, nv), zero while open."""

    closures: tuple[Closing, ...]
    walks: list[Walk]
    J: np.ndarray


def loops_at(tree: Tree, frames: Tree, closures: tuple[Closing, ...], xs: list[Crossing]) -> Loops:
    """The closures across the crossings xs; frames: the tree that has the frames."""
    found = [walk(way, xs) for way in ways(frames, closures)]
    rows = [
        scale(closure.active, closure.rows_of(walked.pose) @ jacobian_between(tree, walked))
        for closure, walked in zip(closures, found, strict=True)
    ]
    return Loops(closures, found, stacked_rows(rows))


def gaps(loops: Loops) -> np.ndarray:
    """φ (..., c) [m, rad]: how far the frames are from what their joints allow, zero while open."""
    parts = zip(loops.closures, loops.walks, strict=True)
    return join([scale_vector(closure.active, closure.gap(walked.pose)) for closure, walked in parts])


def rates_left(tree: Tree, loops: Loops, q: np.ndarray, v: np.ndarray, drift: np.ndarray) -> np.ndarray:
    """γ (..., c): the rows' accelerations at q (..., nq), v (..., nv) where v̇ is the drift (..., nv)."""
    qs, us, ds = split_configuration(tree, q), split_velocity(tree, v), split_velocity(tree, drift)
    found = []
    for closure, walked in zip(loops.closures, loops.walks, strict=True):
        left = apply(closure.rows_of(walked.pose), acceleration_between(tree, walked, qs, us, ds))
        turning = closure.turning(walked.pose, twist_between(walked, us))
        found.append(scale_vector(closure.active, left if turning is None else left + turning))
    return join(found)


class Spread(NamedTuple):
    """λ (..., c) of least norm among those with the same Jᵀλ, and whether each is the only one (..., c): 1 or 0."""

    multipliers: np.ndarray
    unique: np.ndarray


def spread(J: np.ndarray, λ: np.ndarray, kept: np.ndarray) -> Spread:
    """Loads shared out over redundant rows: rows left out are T times those kept, λ ↦ K(KᵀK)⁻¹λ with K = [1; T]."""
    m, G = kept, J @ transpose(J)
    inner = m[..., :, None] * G * m[..., None, :] + diagonal(1.0 - m)
    across = (1.0 - m)[..., :, None] * G * m[..., None, :]
    c = J.shape[-2]
    batch = np.broadcast_shapes(inner.shape[:-2], across.shape[:-2])
    inner, across = (np.broadcast_to(x, (*batch, c, c)) for x in (inner, across))
    T = transpose(solve(inner, transpose(across)))
    K = diagonal(m) + T * m[..., None, :]
    square = transpose(K) @ K + diagonal(1.0 - m)
    y = solved(square, m * λ)
    P = K @ solve(square, transpose(K))
    own = np.stack([P[..., i, i] for i in range(c)], axis=-1)
    return Spread(apply(K, y), own)


def on_frames(loops: Loops, λ: np.ndarray) -> list[np.ndarray]:
    """Wrenches (..., 6) on frames b, at their origins in their axes, of multipliers λ (..., c)."""
    found, first = [], 0
    for closure, walked in zip(loops.closures, loops.walks, strict=True):
        own = λ[..., first : first + closure.rows]
        first += closure.rows
        found.append(closure.wrench(walked.pose, own))
    return found


def by_closure(loops: Loops, x: np.ndarray) -> list[Any]:
    """Rows x (..., c) in parts, one (..., rows) of every closure."""
    ends = np.cumsum([closure.rows for closure in loops.closures])[:-1]
    return np.split(x, ends, axis=-1)
