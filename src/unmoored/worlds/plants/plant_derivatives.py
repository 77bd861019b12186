"""Derivatives of a plant's equations: of the acceleration, and of the whole right-hand side (theory.md §25).

Tangents are along retract. The derivatives of the acceleration are −M⁻¹ times those of the forces that it takes, the
acceleration held, less those of the loads: one solve, and no derivative goes through the recursion of the forward
dynamics. Those of the bodies' own forces are the analytic ones of the tree, those of the loads are the graph's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...dynamics import recursive
from ...dynamics.configuration import retract
from ...dynamics.derivatives.force_derivatives import (
    LOOPS_FROM,
    configuration_slope,
    mass_matrix,
    state,
    velocity_slope,
)
from ...dynamics.mass_matrix import inverse_tips_first
from ...dynamics.tree_scans import split_velocity
from ...integrators import Rate
from ...lie.arrays import blocks, stacked_rows
from ...model import Tree
from ...model.joints import SubgroupJoint
from ...trace import is_symbolic, loops_from, matmul
from ..depletion import depletes
from ..loads import gravity_by_recursion, inertia_by_place, setting
from .closed_plant import kept_rows
from .closed_slopes import held_loops
from .closed_tangents import closure_projection
from .plant_equations import Rates, all_forces, forward_dynamics, rates, state_rates_at
from .slopes_at_zero import at_zero, shifted, written_out_jacobian

if TYPE_CHECKING:
    from .plant import Plant

#: products with at most the multiplications of matrices with so many rows are no loops in kernels
_WRITTEN_OUT = 24


class PlantDerivatives(NamedTuple):
    """Derivatives of the acceleration (..., nv): dq (..., nv, nv) along retract(q, ε e_k), dv (..., nv, nv),
    dx (..., nv, nx), du (..., nv, nu), dp (..., nv, n)."""

    dq: np.ndarray
    dv: np.ndarray
    dx: np.ndarray
    du: np.ndarray
    dp: np.ndarray


def forward_dynamics_jacobian(
    plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """The derivatives (..., nv, 2 nv + nx + nu + n) of the acceleration by (δq, v, x, u, p), side by side.

    With closures, of the acceleration with the rows that count at q.
    """
    if _as_a_whole(plant):
        sizes = _sizes(plant, plant.nv)

        def acceleration(z: np.ndarray, t: Any, q: np.ndarray, *rest: np.ndarray) -> np.ndarray:
            return forward_dynamics(plant, t, *_moved(plant, z, sizes, q, rest))

        return at_zero(acceleration, sum(sizes), t, q, v, x, u, p, *_rows(plant, t, q, p))
    return _acceleration_with_slopes(plant, t, q, v, x, u, p, *_rows(plant, t, q, p))[1]


def _acceleration_with_slopes(
    plant: Plant,
    t: Any,
    q: np.ndarray,
    v: np.ndarray,
    x: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    *rows: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The acceleration (..., nv) of a plant that is not tied, and its derivatives (..., nv, 2 nv + nx + nu + n).

    rows: those (..., c) of the closures that count, if there are any.
    """
    sizes = _sizes(plant, plant.nv)
    held = held_loops(plant, t, q, v, x, u, p, *rows) if rows else None
    a = forward_dynamics(plant, t, q, v, x, u, p) if held is None else held.acceleration

    def acting(z: np.ndarray, t: Any, q: np.ndarray, *rest: np.ndarray) -> np.ndarray:
        return all_forces(plant, t, *_moved(plant, z, sizes, q, rest))

    depleted = plant.nx if depletes(plant) else 0

    def taken(
        z: np.ndarray, t: Any, q: np.ndarray, v: np.ndarray, x: np.ndarray, p: np.ndarray, a: np.ndarray
    ) -> np.ndarray:
        now = setting(plant, shifted(p, z[..., depleted:]), x + z[..., :depleted] if depleted else x)
        return recursive.inverse_dynamics(now.tree, q, v, a, gravity_by_recursion(plant, now))

    now = setting(plant, p, x)
    with loops_from(LOOPS_FROM, q, v, a):
        s = state(now.tree, q, v, gravity_by_recursion(plant, now))
        M_inverse = inverse_tips_first(mass_matrix(now.tree, s))
        by_q, by_v = configuration_slope(now.tree, s, q, v, a, None), velocity_slope(now.tree, s, v)
    if is_symbolic(t, q, v, x, u, p) and len(now.tree.links) < LOOPS_FROM:
        forces = written_out_jacobian(acting, (np.zeros(sum(sizes)), t, q, v, x, u, p))
    else:
        forces = at_zero(acting, sum(sizes), t, q, v, x, u, p)
    many = depleted + sizes[-1]
    by_inertia = at_zero(taken, many, t, q, v, x, p, a) if many else np.zeros((plant.nv, 0))
    by_x, by_p = by_inertia[..., :depleted], by_inertia[..., depleted:]
    others = np.zeros((plant.nv, plant.nx - depleted + plant.nu))
    by_q_rest = by_q.rest
    if held is not None:
        by_q_rest, by_p = by_q.rest - held.pulled[..., : plant.nv], by_p - held.pulled[..., plant.nv :]
    rest = blocks([[by_q_rest, by_v.rest, by_x, others, by_p]]) - forces
    shift = blocks([[by_q.shift, by_v.shift, np.zeros((plant.nv, sum(sizes[2:])))]])
    X = matmul(M_inverse, rest, written_out=_WRITTEN_OUT**3, negative=True) - shift
    return a, X if held is None else held.closed(M_inverse, X)


def right_hand_side_with_slopes(
    plant: Plant,
    t: Any,
    q: np.ndarray,
    w: np.ndarray,
    x: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    *rows: np.ndarray,
) -> tuple[Rate, np.ndarray, np.ndarray]:
    """The rates (v, ẇ, ẋ) with their derivatives J (..., m, n) by the tangent (δq, δw, δx) and B (..., m, nu + np) by
    (u, p); m = n, or nw + nx without the rows of v where v is w: no constraints, no prescribed joints.

    rows: those (..., c) of the closures that count, if there are any.
    """
    sizes = _sizes(plant, plant.nw)
    n = sum(sizes[:3])

    def all_rates(z: np.ndarray, t: Any, q: np.ndarray, *rest: np.ndarray) -> np.ndarray:
        q, w, x, u, p, *kept = _moved(plant, z, sizes, q, rest)
        found: Rates = rates(plant, t, q, w, x, u, p, *kept)
        velocities = plant._velocities(p)
        v = velocities.full(t, velocities.configuration(t, q), w)
        return np.concatenate([v, found.w_dot, found.x_dot])

    def of_actuators(z: np.ndarray, t: Any, q: np.ndarray, *rest: np.ndarray) -> np.ndarray:
        return state_rates_at(plant, t, *_moved(plant, z, sizes, q, rest))

    if _as_a_whole(plant):
        found = rates(plant, t, q, w, x, u, p, *rows)
        velocities = plant._velocities(p)
        v = velocities.full(t, velocities.configuration(t, q), w)
        J = at_zero(all_rates, sum(sizes), t, q, w, x, u, p, *rows)
        J = J if is_tied(plant) else J[..., plant.nv :, :]
        return Rate(v, found.w_dot, found.x_dot), J[..., :n], J[..., n:]
    a, J = _acceleration_with_slopes(plant, t, q, w, x, u, p, *rows)
    x_dot = state_rates_at(plant, t, q, w, x, u, p)
    if plant.nx:
        J = stacked_rows([J, at_zero(of_actuators, sum(sizes), t, q, w, x, u, p)])
    return Rate(w, a, x_dot), J[..., :n], J[..., n:]


def _sizes(plant: Plant, speeds: int) -> tuple[int, ...]:
    """Sizes of (δq, speeds, x, u, p)."""
    return plant.nv, speeds, plant.nx, plant.nu, len(plant.nominal_parameters)


def linear_system(
    plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """[A B] (..., n, n + nu) of d/dt (δq, δw, δx) = A (δq, δw, δx) + B δu, n = nv + nw + nx.

    With δq along retract, δq̇ = δv − ad_v δq, joint by joint. With closures this holds for tangents that stay on them,
    and of others for the part of them that does (`closure_projection`).
    """
    found = _linear_system_of_tied if is_tied(plant) else _linear_system_of_free
    AB = found(plant, t, q, v, x, u, p)
    if not plant.closures:
        return AB
    n = plant.nv + plant.nw + plant.nx
    A = matmul(AB[..., :n], closure_projection(plant, t, q, v, p), written_out=_WRITTEN_OUT**3)
    return np.concatenate([A, AB[..., n:]], axis=-1)


def _linear_system_of_free(
    plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """The same of a plant whose velocities are all independent."""
    n, width = plant.nv, 2 * plant.nv + plant.nx + plant.nu
    sizes = (n, n, plant.nx, plant.nu)

    def of_actuators(z: np.ndarray, t: Any, q: np.ndarray, *rest: np.ndarray) -> np.ndarray:
        *state, p = rest
        q, v, x, u = _moved(plant, z, sizes, q, tuple(state))
        return state_rates_at(plant, t, q, v, x, u, p)

    to_q = np.concatenate([np.zeros((n, n)), np.eye(n), np.zeros((n, plant.nx + plant.nu))], axis=1)
    turning = blocks([[_turning(plant, t, q, v, p), np.zeros((n, width - n))]])
    rows = [to_q - turning, forward_dynamics_jacobian(plant, t, q, v, x, u, p)[..., :width]]
    if plant.nx:
        rows.append(at_zero(of_actuators, width, t, q, v, x, u, p))
    batch = np.broadcast_shapes(*(row.shape[:-2] for row in rows))
    return np.concatenate([np.broadcast_to(row, (*batch, *row.shape[-2:])) for row in rows], axis=-2)


def _linear_system_of_tied(
    plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """The same where constraints or trajectories take some velocities: all of the right-hand side is differentiated."""
    w = plant.velocities.independent(q, v)
    sizes = (plant.nv, plant.nw, plant.nx, plant.nu)

    def right_hand_side(z: np.ndarray, t: Any, q: np.ndarray, *rest: np.ndarray) -> np.ndarray:
        q, w, x, u, p, *kept = _moved(plant, z, sizes, q, rest)
        found: Rates = rates(plant, t, q, w, x, u, p, *kept)
        return np.concatenate([plant._velocities(p).full(t, q, w), found.w_dot, found.x_dot])

    J = at_zero(right_hand_side, sum(sizes), t, q, w, x, u, p, *_rows(plant, t, q, p))
    rest = plant.nw + plant.nx
    turning = _turning(plant, t, q, plant._velocities(p).full(t, q, w), p)
    n = plant.nv
    padded = blocks(
        [[turning, np.zeros((n, rest + plant.nu))], [np.zeros((rest, n)), np.zeros((rest, rest + plant.nu))]]
    )
    return J - padded


def _rows(plant: Plant, t: Any, q: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, ...]:
    """The rows (..., c) of the closures that count at q (..., nq), if there are closures."""
    return (kept_rows(plant, t, q, p),) if plant.closures else ()


def is_tied(plant: Plant) -> bool:
    """Whether constraints, trajectories or couplings take some of the velocities."""
    return not plant.velocities.is_plain


def _as_a_whole(plant: Plant) -> bool:
    """Whether all of the right-hand side is differentiated: the analytic slopes are those of constant inertias."""
    return is_tied(plant) or inertia_by_place(plant)


def _turning(plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> np.ndarray:
    """blockdiag ad_v (..., nv, nv) of the joints that are stored as poses."""
    tree: Tree = plant.tree
    own = [
        link.joint.group.ad(u)
        if isinstance(link.joint, SubgroupJoint) and link.joint.nv > 1
        else np.zeros((link.joint.nv, link.joint.nv))
        for link, u in zip(tree.links, split_velocity(tree, v), strict=True)
    ]
    moving = [k for k, link in enumerate(tree.links) if link.joint.nv]
    sizes = {k: tree.links[k].joint.nv for k in moving}
    return blocks([[own[i] if i == j else np.zeros((sizes[i], sizes[j])) for j in moving] for i in moving])


def _moved(
    plant: Plant, z: np.ndarray, sizes: tuple[int, ...], q: np.ndarray, rest: tuple[np.ndarray, ...]
) -> list[np.ndarray]:
    """(q, …) moved along the stacked tangent z."""
    parts = np.split(z, np.cumsum(sizes)[:-1])
    moved = [shifted(y, dy) for y, dy in zip(rest, parts[1:], strict=False)]
    return [retract(plant.tree, q, parts[0]), *moved, *rest[len(parts) - 1 :]]
