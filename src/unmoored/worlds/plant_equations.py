"""The equations of motion of a plant, as pure functions of it (theory.md §12–§14)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..dynamics import recursive
from ..dynamics.mass_matrix import mass_matrix as composite_mass_matrix
from ..dynamics.wrenches import forces_across
from ..lie.arrays import apply, solved, transpose
from .actuators.actuator import Effort, working
from .loads import Loads, Setting, loads, scene_at, setting, state_rates
from .prescribed_motion import UntilFailure
from .scene import Scene

if TYPE_CHECKING:
    from .plant import Plant


class Rates(NamedTuple):
    """w_dot (..., nw) of the independent velocities, x_dot (..., nx) of the actuators, a (..., nv) complete."""

    w_dot: np.ndarray
    x_dot: np.ndarray
    acceleration: np.ndarray


def rates(
    plant: Plant, t: np.ndarray, q: np.ndarray, w: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> Rates:
    """All rates at time t (...), q (..., nq), w (..., nw), x (..., nx), inputs u (..., nu), parameters p (..., n)."""
    now = setting(plant, p)
    q = now.velocities.configuration(t, q)
    v = now.velocities.full(t, q, w)
    scene = scene_at(now, t, q, v)
    acting = loads(plant, now, scene, x, u)
    w_dot, a = _accelerations(plant, now, scene, w, acting)
    return Rates(w_dot, state_rates(plant, now, scene, x, u), a)


def _accelerations(
    plant: Plant, now: Setting, scene: Scene, w: np.ndarray, acting: Loads
) -> tuple[np.ndarray, np.ndarray]:
    """(ẇ, a): by the recursions where all velocities are independent or prescribed, else by projection."""
    tree, q, v, velocities = now.tree, scene.q, scene.v, now.velocities
    pushed = (acting.gravity, acting.named(tree))
    if velocities.constraints:
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
    P = velocities.embedding(q)
    drift = apply(velocities.embedding_rate(q, v), w) + velocities.accelerations(scene.t)
    bias = recursive.inverse_dynamics(now.tree, q, v, drift, acting.gravity, acting.named(now.tree))
    M = composite_mass_matrix(now.tree, q)
    w_dot = solved(transpose(P) @ M @ P, apply(transpose(P), acting.forces - bias))
    return w_dot, apply(P, w_dot) + drift


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
    plant: Plant, t: np.ndarray, q: np.ndarray, w: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(ẇ (..., nw), ẋ (..., nx))."""
    return rates(plant, t, q, w, x, u, p)[:2]


def forward_dynamics(
    plant: Plant, t: np.ndarray, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Acceleration (..., nv) at velocity v (..., nv), of which only the independent part counts."""
    return rates(plant, t, q, plant.velocities.independent(q, v), x, u, p).acceleration


def inverse_dynamics(
    plant: Plant, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Forces (..., nv) beside the world's and the joints' own that give the acceleration a (..., nv)."""
    now = setting(plant, p)
    scene = scene_at(now, t, q, v)
    acting = passive_loads(plant, now, scene)
    return (
        recursive.inverse_dynamics(now.tree, q, v, a, acting.gravity, acting.named(now.tree)) - acting.forces
    )


def state_rates_at(
    plant: Plant, t: np.ndarray, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """ẋ (..., nx) of the actuators' states."""
    now = setting(plant, p)
    return state_rates(plant, now, scene_at(now, t, q, v), x, u)


def total_forces(
    plant: Plant,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    x: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    a: np.ndarray,
) -> np.ndarray:
    """Forces (..., nv) that the acceleration a (..., nv) takes beside all that act, inputs and actuators included."""
    now = setting(plant, p)
    acting = loads(plant, now, scene_at(now, t, q, v), x, u)
    needed = recursive.inverse_dynamics(now.tree, q, v, a, acting.gravity, acting.named(now.tree))
    return needed - acting.forces


def holding_forces(plant: Plant, t: np.ndarray, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Forces (..., nv) that hold the plant at rest at q (..., nq)."""
    still = np.zeros(plant.nv)
    return inverse_dynamics(plant, t, q, still, still, p)


def reactions(
    plant: Plant, t: np.ndarray, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Forces (..., nv) that keep constraints and prescribed motions, beside all others that act."""
    now = setting(plant, p)
    w = plant.velocities.independent(q, v)
    q = now.velocities.configuration(t, q)
    v = now.velocities.full(t, q, w)
    scene = scene_at(now, t, q, v)
    acting = loads(plant, now, scene, x, u)
    _, a = _accelerations(plant, now, scene, w, acting)
    needed = recursive.inverse_dynamics(now.tree, q, v, a, acting.gravity, acting.named(now.tree))
    return needed - acting.forces


def allocation_matrix(plant: Plant, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """B (..., nv, n): the columns are the forces along the DoFs of unit efforts, at q (..., nq)."""
    now = setting(plant, p)
    scene = scene_at(now, np.zeros(()), q, np.zeros(plant.nv))
    efforts = [effort for actuator in now.actuators for effort in actuator.unit_efforts(scene)]
    columns = [generalised(scene, effort) for effort in efforts]
    if not columns:
        return np.zeros((*q.shape[:-1], plant.nv, 0))
    return np.stack([np.broadcast_to(column, (*q.shape[:-1], plant.nv)) for column in columns], axis=-1)


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

    tau: forces beside those of the world and the joints.
    """
    now = setting(plant, p)
    acting = passive_loads(plant, now, scene_at(now, t, q, v))
    pushed = (acting.gravity, acting.named(now.tree))
    total = tau + acting.forces
    a, forces = recursive.hybrid_dynamics(now.tree, q, v, total, acceleration, passive, *pushed)
    return a, forces - acting.forces
