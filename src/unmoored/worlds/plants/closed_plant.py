"""A plant's closures: accelerations with them, the state put back on them, and their loads (theory.md §29)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...dynamics import recursive
from ...dynamics.configuration import retract
from ...dynamics.mass_matrix import mass_matrix as composite_mass_matrix
from ...lie.arrays import apply, diagonal, mirrored, transpose
from ...trace import solve_spd as solve
from ..closures.closed_loops import Loops, bends, loops_at, rates_left, small_gaps
from ..closures.independent_rows import independent_rows
from ..closures.mobility import Mobility, along_kept, mobility
from ..loads import Loads, Setting, at_place, setting
from ..scene import Scene

if TYPE_CHECKING:
    from .plant import Plant

#: gap (m, rad) above which a step has not come back to the closures, by number format
CLOSED = {"float64": 1e-9, "float32": 1e-4}


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
    loops = loops_at(now.tree, now.dry, now.closures, q)
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
    loops = loops_at(now.tree, now.dry, now.closures, q)
    J = velocities.projected_rows(q, loops.J)
    if not velocities.is_plain:
        M, f = velocities.projected_matrix(q, M), velocities.projected(q, f)
    kept = independent_rows(J) if kept is None else kept
    felt, γ = mobility(M, f, J), rates_left(loops, q, v, drift, acting.gravity)
    λ = felt.multipliers(kept, -(γ + felt.pushed))
    w_dot = felt.moved(λ)
    a = w_dot if velocities.is_plain else velocities.along(q, w_dot) + drift
    return ClosedMotion(w_dot, a, λ, loops, kept)


class ClosedState(NamedTuple):
    """q (..., nq), w (..., nw) on the closures, and how far q is still off them, φ (..., c) [m, rad]."""

    q: np.ndarray
    w: np.ndarray
    gap: np.ndarray


def closed_state(
    plant: Plant, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray, kept: np.ndarray
) -> ClosedState:
    """The state next to q, w on the closures: q ← q exp(−P Jᵀ(JJᵀ)⁻¹φ), then w ← w − Jᵀ(JJᵀ)⁻¹Jv, J of w.

    What is corrected is the error of one step, so that the metric does not matter to its order; this one needs no M.
    """
    now = setting(plant, p)
    velocities, tree = now.velocities, now.tree
    q = velocities.configuration(t, q)
    loops, start = loops_at(tree, now.dry, now.closures, q), q
    J = velocities.projected_rows(q, loops.J)
    G, back = mirrored(J @ transpose(J)), transpose(J)

    def correction(φ: np.ndarray) -> np.ndarray:
        δ = -apply(back, along_kept(G, kept, φ))
        return δ if velocities.is_plain else velocities.along(start, δ)

    δ = correction(small_gaps(loops))
    if velocities.couplings:  # followers bend the way, too
        q = velocities.joints.configuration(retract(tree, q, δ))
        δ = correction(small_gaps(loops_at(tree, now.dry, now.closures, q)))
    else:
        δ = δ + correction(bends(loops, q, δ))
    q = velocities.joints.configuration(retract(tree, q, δ))
    loops = loops_at(tree, now.dry, now.closures, q)
    for _ in range(2):  # the second time because G is that of the first q
        w = w - apply(back, along_kept(G, kept, apply(loops.J, velocities.full(t, q, w))))
    return ClosedState(q, w, small_gaps(loops))


def jump(
    plant: Plant, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray, kept: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(w (..., nw) after the impulse of the closures, its multipliers (..., c)): w − M⁻¹Jᵀ(JM⁻¹Jᵀ)⁻¹Jv.

    M has added mass in it; reaction wheels keep their momentum.
    """
    now = setting(plant, p)
    q = now.velocities.configuration(t, q)
    loops = loops_at(now.tree, now.dry, now.closures, q)
    felt = inertial(at_place(now, t, q), q, loops.J)
    λ = felt.multipliers(kept, -apply(loops.J, now.velocities.full(t, q, w)))
    return w + felt.moved(λ), λ


def inertial(now: Setting, q: np.ndarray, J: np.ndarray) -> Mobility:
    """What rows J (..., c, nv) feel of M at q (..., nq), along the independent velocities."""
    velocities = now.velocities
    M = composite_mass_matrix(now.tree, q)
    if not velocities.is_plain:
        M = velocities.projected_matrix(q, M)
    return mobility(M, np.zeros(M.shape[-1]), velocities.projected_rows(q, J))


def working_part(plant: Plant, q: np.ndarray, x: np.ndarray) -> np.ndarray:
    """x − Jᵀ(JJᵀ)⁻¹Jx: of forces x (..., nv, k) along the DoFs what does work in motions that the closures allow.

    The rest only strains the loops. J at q (..., nq) as the plant was built: of closures that are on, without the
    columns of prescribed DoFs, along which nothing is to be moved.
    """
    tree = plant.tree
    J = loops_at(tree, plant.system.tree, plant.closures, q).J
    moved = np.ones(plant.nv)
    moved[plant.velocities.driven] = 0.0
    J = J * moved
    kept, G = independent_rows(J), mirrored(J @ transpose(J))
    left = kept[..., :, None] * G * kept[..., None, :] + diagonal(1.0 - kept)
    right = kept[..., :, None] * (J @ x)  # one q may have many x
    return x - transpose(J) @ solve(np.broadcast_to(left, (*right.shape[:-2], *left.shape[-2:])), right)
