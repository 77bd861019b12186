"""Generalized and disturbance Jacobians of an under-actuated system by the recursion (theory.md §11, §12).

With velocities, gravity and passive forces at zero, accelerations a of the active DoFs move a frame by J_G a
and the passive DoFs by J_D a. One inward and one outward sweep give the product with one a, or with all unit
vectors at once. Jain & Rodriguez 1993, sections 6.1 and 6.3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import apply, join
from ...model import Tree
from ..jacobians import in_world_axes
from ..joint_crossing import crossings, joint_twist
from ..kinematics import AT_REST, acceleration, at_frame, pose, velocity
from ..recursive import hybrid_dynamics
from ..recursive.articulated_bodies import hinges, residuals, responses
from ..tree_scans import split_velocity, with_inner_axis
from ..wrenches import Wrenches
from .passive_dofs import active_dofs, passive_dofs, passive_mask


def generalized_jacobian(tree: Tree, q: np.ndarray, frame: str, passive: Sequence[int]) -> np.ndarray:
    """J_G (..., 6, n_active): V̇ of the frame, in its own axes, per acceleration of the active DoFs."""
    return generalized_and_disturbance_jacobians(tree, q, frame, passive)[0]


def mixed_generalized_jacobian(tree: Tree, q: np.ndarray, frame: str, passive: Sequence[int]) -> np.ndarray:
    """J_G (..., 6, n_active) in world axes: accelerations of the frame's origin and of its angular velocity.

    As in `mixed_jacobian`, (p̈, d/dt ω) = J_G a_active + `mixed_acceleration_bias`.
    """
    return in_world_axes(pose(tree, q, frame)) @ generalized_jacobian(tree, q, frame, passive)


def disturbance_jacobian(tree: Tree, q: np.ndarray, passive: Sequence[int]) -> np.ndarray:
    """J_D (..., n_passive, n_active): accelerations of passive DoFs per acceleration of active ones."""
    return generalized_and_disturbance_jacobians(tree, q, "world", passive)[1]


def generalized_and_disturbance_jacobians(
    tree: Tree, q: np.ndarray, frame: str, passive: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """(J_G (..., 6, n_active), J_D (..., n_passive, n_active)) from one pass, all unit accelerations at once."""
    units = np.eye(tree.nv)[active_dofs(tree, passive)]
    rows = _pass(with_inner_axis(tree), q[..., None, :], units, frame, passive)
    batch = np.broadcast_shapes((*q.shape[:-1], len(units)), *(row.shape[:-1] for row in rows))
    J_G, J_D = (np.swapaxes(np.broadcast_to(row, (*batch, row.shape[-1])), -1, -2) for row in rows)
    return J_G, J_D


def generalized_jacobian_product(
    tree: Tree, q: np.ndarray, a: np.ndarray, frame: str, passive: Sequence[int]
) -> np.ndarray:
    """J_G a_active (..., 6) in one O(N) pass; a (..., nv), passive entries are ignored."""
    return _pass(tree, q, a, frame, passive)[0]


def disturbance_jacobian_product(
    tree: Tree, q: np.ndarray, a: np.ndarray, passive: Sequence[int]
) -> np.ndarray:
    """J_D a_active (..., n_passive) in one O(N) pass; a (..., nv), passive entries are ignored."""
    return _pass(tree, q, a, "world", passive)[1]


def acceleration_bias(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None,
    frame: str,
    passive: Sequence[int],
) -> np.ndarray:
    """b (..., 6) in V̇_frame = J_G a_active + b, at v and forces tau (..., nv) of the passive DoFs."""
    a = _at_zero_active_acceleration(tree, q, v, tau, gravity, wrenches, passive)
    return acceleration(tree, q, v, a, frame)


def mixed_acceleration_bias(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None,
    frame: str,
    passive: Sequence[int],
) -> np.ndarray:
    """b (..., 6) in (p̈, d/dt ω) = J_G a_active + b, in world axes; arguments as in `acceleration_bias`.

    p̈ = R (v̇ + ω × v): the turning of the frame adds to the rate of its twist (v, ω).
    """
    b = acceleration_bias(tree, q, v, tau, gravity, wrenches, frame, passive)
    V = velocity(tree, q, v, frame)
    turning = join([so3.cross(V[..., 3:], V[..., :3]), np.zeros(3)])
    return apply(in_world_axes(pose(tree, q, frame)), b + turning)


def disturbance_bias(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None,
    passive: Sequence[int],
) -> np.ndarray:
    """b (..., n_passive) in a_passive = J_D a_active + b; tau (..., nv) holds the passive forces."""
    a = _at_zero_active_acceleration(tree, q, v, tau, gravity, wrenches, passive)
    return a[..., passive_dofs(tree, passive)]


def _at_zero_active_acceleration(tree, q, v, tau, gravity, wrenches, passive) -> np.ndarray:
    still, mask = np.zeros(tree.nv), passive_mask(tree, passive)
    return hybrid_dynamics(tree, q, v, tau, still, mask, gravity, wrenches)[0]


def _pass(
    tree: Tree, q: np.ndarray, a: np.ndarray, frame: str, passive: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """(V̇ of the frame (..., 6), accelerations of the passive DoFs (..., n_passive)) that a causes alone."""
    mask = passive_mask(tree, passive)
    index, on_body = tree.locate(frame)
    xs = crossings(tree, q)
    driven = split_velocity(tree, (1.0 - mask) * a)
    products = [joint_twist(x, a_i) for x, a_i in zip(xs, driven, strict=True)]
    hinged = hinges(tree, xs, mask)
    at_rest = [AT_REST] * len(xs)
    left = residuals(tree, xs, hinged, mask, np.zeros(tree.nv), at_rest, products)
    moved = responses(tree, xs, hinged, left, products, AT_REST)
    V_dot = se3.Ad_inv_apply(on_body, at_frame([response.body for response in moved], index, AT_REST, q))
    return V_dot, join(response.passive for response in moved)[..., passive_dofs(tree, passive)]
