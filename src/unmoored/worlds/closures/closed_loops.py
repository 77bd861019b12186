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
    acceleration_between,
    between,
    jacobian_between,
    pose_between,
)
from ...dynamics.tree_scans import split_configuration, split_velocity
from ...lie import se3
from ...lie.arrays import (
    apply,
    diagonal,
    join,
    mirrored,
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


def ways(tree: Tree, closures: tuple[Closure, ...]) -> list[Between]:
    """The ways between the frames of closures, both in the standard position of the closing joint."""
    return [_way(tree, closure) for closure in closures]


def _way(tree: Tree, closure: Closure) -> Between:
    a, b = Place(*tree.locate(closure.frame_a)), Place(*tree.locate(closure.frame_b))
    at = a.at if is_zero(closure.offset) else a.at @ se3.exp(closure.offset)
    return between(tree, Place(a.index, at @ closure.frame), Place(b.index, b.at @ closure.frame))


class Loops(NamedTuple):
    """All closures at one configuration: ways, poses g_ab (..., 4, 4) and rows J (..., c, nv), zero while open."""

    closures: tuple[Closure, ...]
    ways: list[Between]
    poses: list[np.ndarray]
    J: np.ndarray


def loops_at(tree: Tree, frames: Tree, closures: tuple[Closure, ...], xs: list[Crossing]) -> Loops:
    """The closures across the crossings xs; frames: the tree that has the frames."""
    found = ways(frames, closures)
    poses = [pose_between(way, xs) for way in found]
    rows = [
        scale(closure.active, transpose(closure.across) @ jacobian_between(tree, way, xs, g))
        for closure, way, g in zip(closures, found, poses, strict=True)
    ]
    return Loops(closures, found, poses, stacked_rows(rows))


def gaps(loops: Loops) -> np.ndarray:
    """φ (..., c) [m, rad]: how far the frames are from what their joints allow, zero while open."""
    parts = zip(loops.closures, loops.poses, strict=True)
    return join([scale_vector(closure.active, closure.gap(g)) for closure, g in parts])


def gaps_across(frames: Tree, closures: tuple[Closure, ...], xs: list[Crossing]) -> np.ndarray:
    """φ (..., c) alone, across the crossings xs."""
    found = ways(frames, closures)
    parts = [(c, pose_between(way, xs)) for c, way in zip(closures, found, strict=True)]
    return join([scale_vector(closure.active, closure.gap(g)) for closure, g in parts])


def rates_left(
    tree: Tree, loops: Loops, xs: list[Crossing], q: np.ndarray, v: np.ndarray, drift: np.ndarray
) -> np.ndarray:
    """γ (..., c): the rows' accelerations at q (..., nq), v (..., nv) where v̇ is the drift (..., nv)."""
    qs, us, ds = split_configuration(tree, q), split_velocity(tree, v), split_velocity(tree, drift)
    found = []
    for closure, way, g in zip(loops.closures, loops.ways, loops.poses, strict=True):
        A = acceleration_between(tree, way, xs, g, qs, us, ds)
        found.append(scale_vector(closure.active, apply(transpose(closure.across), A)))
    return join(found)


class Factors(NamedTuple):
    """Rows J (..., c, nw) with Y = M⁻¹Jᵀ (..., nw, c), A = J Y (..., c, c), and which rows are kept (..., c)."""

    J: np.ndarray
    Y: np.ndarray
    A: np.ndarray
    kept: np.ndarray

    def multipliers(self, b: np.ndarray) -> np.ndarray:
        """λ (..., c) with A λ = b along the rows that are kept, zero along the others."""
        m = self.kept
        left = m[..., :, None] * self.A * m[..., None, :] + diagonal(1.0 - m)
        return solved(left, m * b)


def factors(M: np.ndarray, f: np.ndarray, J: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, Factors]:
    """(M⁻¹f (..., nw), the factors) of M (..., nw, nw), f (..., nw) and rows J (..., c, nw), by one factorisation.

    Tips are eliminated before vehicles: branches that do not couple stay uncoupled.
    """
    batch = np.broadcast_shapes(M.shape[:-2], f.shape[:-1], J.shape[:-2])
    n, c = M.shape[-1], J.shape[-2]
    columns = np.concatenate(
        [np.broadcast_to(f[..., None], (*batch, n, 1)), np.broadcast_to(transpose(J), (*batch, n, c))],
        axis=-1,
    )
    M = np.broadcast_to(M, (*batch, n, n))
    X = solve(M[..., ::-1, ::-1], columns[..., ::-1, :])[..., ::-1, :]
    Y = X[..., 1:]
    return X[..., 0], Factors(J, Y, mirrored(J @ Y), kept)


def accelerated(free: np.ndarray, found: Factors, γ: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(ẇ (..., nw), λ (..., c)) from the acceleration without closures (..., nw)."""
    λ = found.multipliers(-(γ + apply(found.J, free)))
    return free + apply(found.Y, λ), λ


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
    for closure in loops.closures:
        own = λ[..., first : first + closure.rows]
        first += closure.rows
        found.append(se3.Ad_inv_transpose_apply(closure.frame, apply(closure.across, own)))
    return found


def by_closure(loops: Loops, x: np.ndarray) -> list[Any]:
    """Rows x (..., c) in parts, one (..., rows) of every closure."""
    ends = np.cumsum([closure.rows for closure in loops.closures])[:-1]
    return np.split(x, ends, axis=-1)
