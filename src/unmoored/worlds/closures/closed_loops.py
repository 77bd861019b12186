"""Equations of motion with closed loops: rows, reactions, and the way back to the closure (theory.md §29).

    M ẇ = f + Jᵀλ ,    J ẇ + γ = 0 ,    (J M⁻¹ Jᵀ) λ = −(γ + J M⁻¹ f)

Of redundant rows a set that is independent is kept, the same in all stages of a step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...dynamics.economy.cheap_frames import cheap_place, in_cheap_frames
from ...dynamics.joint_crossing import Crossing, crossings
from ...dynamics.recursive.bias_wrenches import accelerations, motions, start_acceleration
from ...dynamics.relative_motion import (
    Between,
    Place,
    Walk,
    acceleration_between,
    acceleration_by_ends,
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
#: over more joints than these, accelerations of all bodies, which the dynamics have found, are the cheaper way
_SHORT = 5


def _way(tree: Tree, frames: Tree, q: np.ndarray, closure: Closing) -> Between:
    """The way between the frames of a closure, both in the standard position of the closing joint, on bodies whose
    frames are those of `in_cheap_frames(tree, q)`; frames: the tree that has the frames."""
    ends = []
    for name, turned in ((closure.frame_a, closure.offset), (closure.frame_b, np.zeros(6))):
        index, at = frames.locate(name)
        at = at if is_zero(turned) else at @ se3.exp(turned)
        ends.append(Place(index, cheap_place(tree, q, index, at @ closure.frame)))
    return between(tree, *ends)


def offset_as_it_is(frames: Tree, closure: Closure, xs: list[Crossing]) -> np.ndarray:
    """The offset (..., 6) with which the closure holds its frames as they are across the crossings xs."""
    A = closure.frame
    a, b = Place(*frames.locate(closure.frame_a)), Place(*frames.locate(closure.frame_b))
    way = between(frames, Place(a.index, a.at @ A), Place(b.index, b.at @ A))
    g = walk(way, xs).pose
    return se3.log(A @ (g @ se3.inverse(closure.nearest(g))) @ se3.inverse(A))


class Loops(NamedTuple):
    """All closures at one configuration: walks around them, and rows J (..., c, nv), zero while open.

    tree, xs: those that the walks went over.
    """

    tree: Tree
    xs: list[Crossing]
    closures: tuple[Closing, ...]
    walks: list[Walk]
    J: np.ndarray


def loops_at(tree: Tree, frames: Tree, closures: tuple[Closing, ...], q: np.ndarray) -> Loops:
    """The closures at q (..., nq); frames: the tree that has the frames."""
    reframed, _ = in_cheap_frames(tree, q)
    xs = crossings(reframed, q)
    found = [walk(_way(tree, frames, q, closure), xs) for closure in closures]
    rows = [
        scale(closure.active, closure.rows_of(walked.pose) @ jacobian_between(tree, walked))
        for closure, walked in zip(closures, found, strict=True)
    ]
    return Loops(reframed, xs, closures, found, stacked_rows(rows))


def gaps(loops: Loops) -> np.ndarray:
    """φ (..., c) [m, rad]: how far the frames are from what their joints allow, zero while open."""
    parts = zip(loops.closures, loops.walks, strict=True)
    return join([scale_vector(closure.active, closure.gap(walked.pose)) for closure, walked in parts])


def small_gaps(loops: Loops) -> np.ndarray:
    """φ (..., c) but for terms of third order: what a step leaves open."""
    parts = zip(loops.closures, loops.walks, strict=True)
    return join([scale_vector(closure.active, closure.small_gap(walked.pose)) for closure, walked in parts])


def bends(loops: Loops, q: np.ndarray, δ: np.ndarray) -> np.ndarray:
    """By how much (..., c) the gaps are more than φ + Jδ where q (..., nq) is moved by δ (..., nv), to second order."""
    tree, found = loops.tree, []
    qs, us, zero = (
        f(tree, x) for f, x in ((split_configuration, q), (split_velocity, δ), (split_velocity, 0.0 * δ))
    )
    for closure, walked in zip(loops.closures, loops.walks, strict=True):
        V, V_dot = twist_between(walked, us), acceleration_between(tree, walked, qs, us, zero)
        found.append(scale_vector(closure.active, closure.bend(walked.pose, V, V_dot)))
    return join(found)


def rates_left(
    loops: Loops, q: np.ndarray, v: np.ndarray, drift: np.ndarray, gravity: np.ndarray | None = None
) -> np.ndarray:
    """γ (..., c): the rows' accelerations at q (..., nq), v (..., nv) where v̇ is the drift (..., nv).

    gravity (..., 3) drops out: with the one that the dynamics have, accelerations of bodies are those found there; None
    where there are no such dynamics.
    """
    tree, us, found = loops.tree, split_velocity(loops.tree, v), []
    for closure, walked in zip(loops.closures, loops.walks, strict=True):
        if gravity is None or len(walked.columns) <= _SHORT:
            parts = split_configuration(tree, q), us, split_velocity(tree, drift)
            V_dot = acceleration_between(tree, walked, *parts)
        else:
            moving = motions(tree, loops.xs, q, v)
            As = accelerations(tree, loops.xs, moving, drift, gravity)
            V_dot = acceleration_by_ends(walked, [m.twist for m in moving], As, start_acceleration(gravity))
        left, turning = (
            apply(closure.rows_of(walked.pose), V_dot),
            closure.turning(walked.pose, twist_between(walked, us)),
        )
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
