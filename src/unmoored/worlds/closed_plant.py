"""A plant's closures: accelerations with them, the state put back on them, and their loads (theory.md §29)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..dynamics import recursive
from ..dynamics.configuration import retract
from ..dynamics.joint_crossing import crossings
from ..dynamics.mass_matrix import mass_matrix as composite_mass_matrix
from ..lie.arrays import apply
from .closures.closed_loops import (
    Factors,
    Loops,
    accelerated,
    factors,
    gaps,
    gaps_across,
    loops_at,
    rates_left,
)
from .closures.independent_rows import independent_rows
from .loads import Loads, Setting, setting
from .scene import Scene

if TYPE_CHECKING:
    from .plant import Plant

#: gap (m, rad) above which a step has not come back to the closures, by number format
CLOSED = {"float64": 1e-9, "float32": 1e-4}
#: how often a step's end is moved towards the closure
SWEEPS = 2


class ClosedMotion(NamedTuple):
    """ẇ (..., nw), a (..., nv), multipliers λ (..., c), and what they came from."""

    w_dot: np.ndarray
    acceleration: np.ndarray
    multipliers: np.ndarray
    loops: Loops
    kept: np.ndarray


def kept_rows(plant: Plant, t: Any, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Which rows (..., c) of the closures are independent at time t (...), q (..., nq): 1 or 0."""
    now = setting(plant, p)
    q = now.velocities.configuration(t, q)
    loops = loops_at(now.tree, now.dry, now.closures, crossings(now.tree, q))
    return independent_rows(now.velocities.projected_rows(q, loops.J))


def closed_motion(
    now: Setting, scene: Scene, w: np.ndarray, acting: Loads, kept: np.ndarray | None
) -> ClosedMotion:
    """Accelerations under the loads, with the rows that are kept (..., c); they are chosen here if None."""
    velocities, q, v = now.velocities, scene.q, scene.v
    drift = velocities.accelerations(scene.t)
    if velocities.constraints:
        drift = drift + apply(velocities.embedding_rate(q, v), w)
    bias = recursive.inverse_dynamics(now.tree, q, v, drift, acting.gravity, acting.named(now.tree))
    M, f = composite_mass_matrix(now.tree, q), acting.forces - bias
    loops = loops_at(now.tree, now.dry, now.closures, scene.crossings)
    J = velocities.projected_rows(q, loops.J)
    if not velocities.is_plain:
        M, f = velocities.projected_matrix(q, M), velocities.projected(q, f)
    kept = independent_rows(J) if kept is None else kept
    free, found = factors(M, f, J, kept)
    γ = rates_left(now.tree, loops, scene.crossings, q, v, drift)
    w_dot, λ = accelerated(free, found, γ)
    a = w_dot if velocities.is_plain else velocities.along(q, w_dot) + drift
    return ClosedMotion(w_dot, a, λ, loops, kept)


class ClosedState(NamedTuple):
    """q (..., nq), w (..., nw) on the closures, and how far q is still off them, φ (..., c) [m, rad]."""

    q: np.ndarray
    w: np.ndarray
    gap: np.ndarray


def closed_state(
    plant: Plant,
    t: Any,
    q: np.ndarray,
    w: np.ndarray,
    p: np.ndarray,
    kept: np.ndarray,
    sweeps: int = SWEEPS,
) -> ClosedState:
    """The state next to q, w on the closures: q ← q exp(−M⁻¹Jᵀ(JM⁻¹Jᵀ)⁻¹φ), then w less M⁻¹Jᵀ(JM⁻¹Jᵀ)⁻¹Jv."""
    now = setting(plant, p)
    velocities, tree = now.velocities, now.tree
    q = velocities.configuration(t, q)
    loops = loops_at(tree, now.dry, now.closures, crossings(tree, q))
    found = mobility(now, q, loops.J, kept)
    φ, xs, start = gaps(loops), None, q
    for _ in range(sweeps):
        δ = -apply(found.Y, found.multipliers(φ))
        q = retract(tree, q, δ if velocities.is_plain else velocities.along(start, δ))
        q = velocities.joints.configuration(q)
        xs = crossings(tree, q)
        φ = gaps_across(now.dry, now.closures, xs)
    J = loops.J if xs is None else loops_at(tree, now.dry, now.closures, xs).J
    for _ in range(2):  # the second time because M⁻¹Jᵀ is that of the first q
        w = w - apply(found.Y, found.multipliers(apply(J, velocities.full(t, q, w))))
    return ClosedState(q, w, φ)


def mobility(now: Setting, q: np.ndarray, J: np.ndarray, kept: np.ndarray) -> Factors:
    """M⁻¹Jᵀ and JM⁻¹Jᵀ of rows J (..., c, nv) at q (..., nq), along the independent velocities."""
    velocities = now.velocities
    M = composite_mass_matrix(now.tree, q)
    if not velocities.is_plain:
        M = velocities.projected_matrix(q, M)
    return factors(M, np.zeros(M.shape[-1]), velocities.projected_rows(q, J), kept)[1]
