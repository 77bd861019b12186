"""The equations of motion of a plant, as pure functions of it (theory.md §12–§14)."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...dynamics import recursive
from ...dynamics.mass_matrix import mass_matrix as composite_mass_matrix
from ...dynamics.wrenches import forces_across
from ...lie.arrays import apply, diagonal, solved
from ...trace import greater, less, minimum, where
from ..actuators.actuator import Effort, working
from ..closures.closed_loops import by_closure, on_frames, spread
from ..element_loads import spanned
from ..loads import (
    Loads,
    Setting,
    actuator_effort,
    at_place,
    loads,
    refuse_closed,
    refuse_tied,
    scene_at,
    setting,
    state_rates,
)
from ..prescribed_motion import UntilFailure
from ..scene import Scene
from .closed_plant import closed_motion

if TYPE_CHECKING:
    from .plant import Plant

#: a multiplier's share that is nearer to one than this is its own
_ALONE = 1e-8


class Rates(NamedTuple):
    """w_dot (..., nw) of the independent velocities, x_dot (..., nx) of the actuators, a (..., nv) complete."""

    w_dot: np.ndarray
    x_dot: np.ndarray
    acceleration: np.ndarray


def rates(
    plant: Plant,
    t: np.ndarray,
    q: np.ndarray,
    w: np.ndarray,
    x: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    kept: np.ndarray | None = None,
) -> Rates:
    """All rates at time t (...), q (..., nq), w (..., nw), x (..., nx), inputs u (..., nu), parameters p (..., n).

    kept: rows (..., c) of the closures that count in all stages of a step; they are chosen here if None.
    """
    now = setting(plant, p, x)
    q = now.velocities.configuration(t, q)
    v = now.velocities.full(t, q, w)
    now = at_place(now, t, q)
    scene = scene_at(now, t, q, v)
    acting = loads(plant, now, scene, x, u)
    w_dot, a = _accelerations(plant, now, scene, w, acting, kept)
    return Rates(w_dot, state_rates(plant, now, scene, x, u), a)


def _accelerations(
    plant: Plant,
    now: Setting,
    scene: Scene,
    w: np.ndarray,
    acting: Loads,
    kept: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """(ẇ, a): by the recursions where all velocities are independent or prescribed, else by projection."""
    if now.closures:
        return closed_motion(now, scene, w, acting, kept)[:2]
    tree, q, v, velocities = now.tree, scene.q, scene.v, now.velocities
    pushed = (acting.gravity, acting.named(tree))
    if velocities.is_projected:
        return _projected(plant, now, scene, w, acting)
    if not velocities.prescribed:
        a = recursive.forward_dynamics(tree, q, v, acting.forces, *pushed)
        return a, a
    given, passive = velocities.accelerations(scene.t), passive_mask(plant, scene.t)
    a, _ = recursive.hybrid_dynamics(tree, q, v, acting.forces, given, passive, *pushed)
    return velocities.independent(q, a), a


def _projected(
    plant: Plant, now: Setting, scene: Scene, w: np.ndarray, acting: Loads
) -> tuple[np.ndarray, np.ndarray]:
    """PᵀMP ẇ = Pᵀ(τ − bias(P̈-free acceleration)): constraint forces drop out (theory.md §13)."""
    velocities, q, v = now.velocities, scene.q, scene.v
    drift = velocities.accelerations(scene.t)
    if velocities.constraints:
        drift = drift + apply(velocities.embedding_rate(q, v), w)
    bias = recursive.inverse_dynamics(now.tree, q, v, drift, acting.gravity, acting.named(now.tree))
    M = composite_mass_matrix(now.tree, q)
    w_dot = solved(velocities.projected_matrix(q, M), velocities.projected(q, acting.forces - bias))
    return w_dot, velocities.along(q, w_dot) + drift


def passive_mask(plant: Plant, t: np.ndarray) -> np.ndarray:
    """1 (..., nv) where the force is given at time t (...), 0 where the motion is: failed joints become passive."""
    mask = np.ones(plant.nv)
    for name, trajectory in plant.velocities.prescribed:
        own = np.zeros(plant.nv)
        own[plant.tree.link(name).v] = 1.0
        failing = isinstance(trajectory, UntilFailure)
        mask = mask - own * (working(t, trajectory.fails_at)[..., None] if failing else 1.0)
    return mask


def right_hand_side(
    plant: Plant,
    t: np.ndarray,
    q: np.ndarray,
    w: np.ndarray,
    x: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    kept: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """(ẇ (..., nw), ẋ (..., nx)); kept: see `rates`."""
    return rates(plant, t, q, w, x, u, p, kept)[:2]


def first_rates(
    plant: Plant, t: np.ndarray, q: np.ndarray, w: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(ẇ (..., nw), ẋ (..., nx)) at the start of a step, and the closures' rows (..., c) that are kept in all of it."""
    now = setting(plant, p, x)
    q = now.velocities.configuration(t, q)
    now = at_place(now, t, q)
    scene = scene_at(now, t, q, now.velocities.full(t, q, w))
    found = closed_motion(now, scene, w, loads(plant, now, scene, x, u), None)
    return found.w_dot, state_rates(plant, now, scene, x, u), found.kept


def forward_dynamics(
    plant: Plant,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    x: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    kept: np.ndarray | None = None,
) -> np.ndarray:
    """Acceleration (..., nv) at velocity v (..., nv), of which only the independent part counts; kept: see `rates`."""
    return rates(plant, t, q, plant.velocities.independent(q, v), x, u, p, kept).acceleration


def inverse_dynamics(
    plant: Plant, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Forces (..., nv) beside the world's and the joints' own that give the acceleration a (..., nv)."""
    now = setting(plant, p)
    joints = now.velocities.joints
    q, v, a = joints.configuration(q), joints.velocity(v), joints.velocity(a)
    now = at_place(now, t, q)
    acting = passive_loads(plant, now, scene_at(now, t, q, v))
    needed = recursive.inverse_dynamics(now.tree, q, v, a, acting.gravity, acting.named(now.tree))
    return joints.forces(needed - acting.forces)


def state_rates_at(
    plant: Plant, t: np.ndarray, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """ẋ (..., nx) of the actuators' states."""
    now = setting(plant, p, x)
    joints = now.velocities.joints
    return state_rates(plant, now, scene_at(now, t, joints.configuration(q), joints.velocity(v)), x, u)


def all_forces(
    plant: Plant, t: np.ndarray, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Forces (..., nv) along the DoFs of all loads but the weight that the recursions take as an acceleration."""
    now = setting(plant, p, x)
    scene = scene_at(now, t, q, v)
    acting = loads(plant, now, scene, x, u)
    return generalised(scene, Effort(acting.wrenches, acting.forces))


def delivered_forces(
    plant: Plant, t: np.ndarray, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Forces (..., nv) along the DoFs that the actuators give at states x (..., nx) and inputs u (..., nu)."""
    now = setting(plant, p, x)
    joints = now.velocities.joints
    scene = scene_at(now, t, joints.configuration(q), joints.velocity(v))
    return joints.forces(generalised(scene, actuator_effort(plant, now, scene, x, u)))


def holding_forces(plant: Plant, t: np.ndarray, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Forces (..., nv) that hold the plant at rest at q (..., nq)."""
    still = np.zeros(plant.nv)
    return inverse_dynamics(plant, t, q, still, still, p)


def reactions(
    plant: Plant, t: np.ndarray, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Forces (..., nv) that keep constraints, closures and prescribed motions, beside all others that act."""
    now = setting(plant, p, x)
    w = plant.velocities.independent(q, v)
    q = now.velocities.configuration(t, q)
    v = now.velocities.full(t, q, w)
    now = at_place(now, t, q)
    scene = scene_at(now, t, q, v)
    acting = loads(plant, now, scene, x, u)
    _, a = _accelerations(plant, now, scene, w, acting)
    needed = recursive.inverse_dynamics(now.tree, q, v, a, acting.gravity, acting.named(now.tree))
    return needed - acting.forces


def allocation_matrix(plant: Plant, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """B (..., nv, n): the columns are the forces along the DoFs of unit efforts, at q (..., nq)."""
    now = setting(plant, p, np.zeros(plant.nx))  # masses do not count
    joints = now.velocities.joints
    scene = scene_at(now, np.zeros(()), joints.configuration(q), np.zeros(plant.nv))
    efforts = [effort for actuator in now.actuators for effort in actuator.unit_efforts(scene)]
    columns = [generalised(scene, effort) for effort in efforts]
    if not columns:
        return np.zeros((*q.shape[:-1], plant.nv, 0))
    B = np.stack([np.broadcast_to(column, (*q.shape[:-1], plant.nv)) for column in columns], axis=-1)
    return joints.columns(B)


def generalised(scene: Scene, effort: Effort) -> np.ndarray:
    """Forces (..., nv) along the DoFs of an effort."""
    forces = np.zeros(scene.tree.nv) if effort.forces is None else effort.forces
    if not effort.wrenches:
        return forces
    Fs = [effort.wrenches.get(link.index, np.zeros(6)) for link in scene.tree.links]
    return forces + forces_across(scene.tree, scene.crossings, Fs)


def passive_loads(plant: Plant, now: Setting, scene: Scene) -> Loads:
    """The loads with every actuator at rest and no state of its own."""
    return loads(plant, now, scene, np.zeros(plant.nx), np.zeros(plant.nu))


def hybrid_dynamics(
    plant: Plant,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    acceleration: np.ndarray,
    passive: np.ndarray,
    p: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """(acceleration, tau), both complete (..., nv); passive (..., nv): 1 where tau is given, 0 where acceleration is.

    tau: forces beside those of the world and the joints. Prescribed joints move as prescribed, whatever is given.
    """
    refuse_closed(plant, "hybrid_dynamics")
    refuse_tied(plant, "hybrid_dynamics", prescribed=False, coupled=False)
    now = setting(plant, p)
    if now.velocities.prescribed:
        w, q = plant.velocities.independent(q, v), now.velocities.configuration(t, q)
        v, free = now.velocities.full(t, q, w), passive_mask(plant, t)
        acceleration = acceleration * free + now.velocities.accelerations(t) * (1.0 - free)
        passive = passive * free
    if now.velocities.couplings:
        return _coupled_hybrid(plant, now, t, q, v, tau, acceleration, passive)
    now = at_place(now, t, q)
    acting = passive_loads(plant, now, scene_at(now, t, q, v))
    pushed = (acting.gravity, acting.named(now.tree))
    total = tau + acting.forces
    a, forces = recursive.hybrid_dynamics(now.tree, q, v, total, acceleration, passive, *pushed)
    return a, forces - acting.forces


def _coupled_hybrid(
    plant: Plant,
    now: Setting,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    acceleration: np.ndarray,
    passive: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The same where joints follow others: with m the mask of leaders and free joints, and M, h those of KᵀMK,

    (m M m + (1 − m)) ẇ = m (τ − h − M (1 − m) a) + (1 − m) a; entries of followers in tau, a and the mask do not count.
    """
    joints = now.velocities.joints
    q, v = joints.configuration(q), joints.velocity(v)
    now = at_place(now, t, q)
    leading = np.ones(plant.nv)
    leading[list(joints.dofs)] = 0.0
    acting = passive_loads(plant, now, scene_at(now, t, q, v))
    still = np.zeros(plant.nv)
    bias = recursive.inverse_dynamics(now.tree, q, v, still, acting.gravity, acting.named(now.tree))
    h, M = joints.forces(bias - acting.forces), joints.square(composite_mass_matrix(now.tree, q))
    m, given = leading * passive, leading * (1.0 - passive) * acceleration
    left = m[..., :, None] * M * m[..., None, :] + diagonal(1.0 - m)
    a = solved(left, m * (leading * tau - h - apply(M, given)) + given)
    return joints.velocity(a), apply(M, a) + h


def element_loads(plant: Plant, t: np.ndarray, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Wrenches (..., n, 6) of the plant's n elements on their frames b, at their origins in their axes."""
    now = setting(plant, p, np.zeros(plant.nx))  # masses do not count
    w = now.velocities.independent(q, v)
    q = now.velocities.configuration(t, q)
    v = now.velocities.full(t, q, w)
    found = [at.elastic + at.dissipative for at in spanned(now.elements, scene_at(now, t, q, v))]
    return as_table(found, np.broadcast_shapes(np.shape(t), q.shape[:-1], v.shape[:-1]))


class ClosureLoads(NamedTuple):
    """wrench (..., n, 6) of the plant's n closures on their frames b, at their origins in their axes (N, N m).

    unique (..., n): 1 where that is the only one, 0 where the loop is redundant: then it is the one of least norm among
    those that give the same motion, and bodies that give way would share the load otherwise.
    """

    wrench: np.ndarray
    unique: np.ndarray


def closure_loads(
    plant: Plant, t: np.ndarray, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> ClosureLoads:
    """Reactions of the closures at t (...), q (..., nq), v (..., nv), x (..., nx), u (..., nu), p (..., n)."""
    now = setting(plant, p, x)
    w = now.velocities.independent(q, v)
    q = now.velocities.configuration(t, q)
    v = now.velocities.full(t, q, w)
    now = at_place(now, t, q)
    scene = scene_at(now, t, q, v)
    batch = np.broadcast_shapes(np.shape(t), *(a.shape[:-1] for a in (q, v, x, u, p)))
    if not plant.closures:
        return ClosureLoads(np.zeros((*batch, 0, 6)), np.zeros((*batch, 0)))
    found = closed_motion(now, scene, w, loads(plant, now, scene, x, u), None)
    J = now.velocities.projected_rows(q, found.loops.J)
    shared = spread(J, found.multipliers, found.kept)
    alone = []
    for closure, own in zip(now.closures, by_closure(found.loops, shared.unique), strict=True):
        least = reduce(minimum, [own[..., i] for i in range(closure.rows)])
        off = less(closure.active, 0.5)
        alone.append(np.broadcast_to(where(off | greater(least, 1.0 - _ALONE), 1.0, 0.0), batch))
    wrenches = on_frames(found.loops, shared.multipliers)
    return ClosureLoads(as_table(wrenches, batch), np.stack(alone, axis=-1))


def as_table(wrenches: list[np.ndarray], batch: tuple[int, ...]) -> np.ndarray:
    """Wrenches (..., 6), n of them, as (*batch, n, 6)."""
    rows = [np.broadcast_to(F, (*batch, 6)) for F in wrenches]
    return np.stack(rows, axis=-2) if rows else np.zeros((*batch, 0, 6))
