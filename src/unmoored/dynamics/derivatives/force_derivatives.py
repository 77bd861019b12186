"""Derivatives of the forces that a motion takes, entry (j, k) from the outer of the joints j and k.

docs/derivatives.md §2 (accelerations and drifts, outward) and §4.

Everything is in the vehicles' frames, twists in rows: (..., nv, 6) hold a row for each velocity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...lie.arrays import apply, join, stacked_rows, transpose
from ...model import Link, Tree
from ...model.joints import SubgroupJoint
from ..closed_form.mass_matrix_from_jacobians import armature
from ..kinematics import AT_REST
from ..tree_scans import each, inward, outward, split_configuration, split_velocity
from ..vehicle_frame.body_inertias import Inertias, body_inertias, outboard
from ..vehicle_frame.mass_matrix_in_vehicle_frame import mass_matrix_of
from ..vehicle_frame.moving_bodies import Moving, moving
from ..vehicle_frame.varying_basis import bend_rate, bent_forces
from ..vehicle_frame.velocity_pairs import (
    block_diagonal,
    inboard,
    on_or_inboard,
    own_brackets,
    products_of_rows,
)
from ..wrenches import Wrenches, body_wrenches

#: bodies from which on these recursions are loops in kernels: their matrices are, too, and take most of the time
LOOPS_FROM = 25


class Slope(NamedTuple):
    """A derivative of τ = inverse dynamics as M shift + rest, both (..., nv, nv).

    Forward dynamics has the derivative −shift − M⁻¹ rest, and where `rest` vanishes nothing is to be solved.
    """

    shift: np.ndarray
    rest: np.ndarray


class State(NamedTuple):
    """A tree at one q and v: bodies as they move, their matrices, and those of everything on and beyond each joint.

    twists b, drift ψ̇, Ib = I b and Bb = Bᵀ b (..., nv, 6), a row for each velocity.
    """

    bodies: list[Moving]
    inertias: list[Inertias]
    composites: list[Inertias]
    twists: np.ndarray
    drift: np.ndarray
    Ib: np.ndarray
    Bb: np.ndarray


def state(tree: Tree, q: np.ndarray, v: np.ndarray, gravity: np.ndarray) -> State:
    """The tree at q (..., nq), v (..., nv), gravity (..., 3) in world axes (m/s²)."""
    bodies = moving(tree, q, v, gravity)
    inertias = body_inertias(tree, bodies)
    composites = outboard(tree, inertias)

    def rows(_, body, all_beyond):
        return body.twists @ all_beyond.inertia, body.twists @ all_beyond.velocity

    Ib, Bb = zip(*each(tree, rows, bodies, composites), strict=True)
    b, drift = (stacked_rows(x) for x in zip(*((body.twists, body.drift) for body in bodies), strict=True))
    return State(bodies, inertias, composites, b, drift, stacked_rows(Ib), stacked_rows(Bb))


def mass_matrix(tree: Tree, s: State) -> np.ndarray:
    """M_jk = b_jᵀ I_k b_k (..., nv, nv) for j on or inboard of k, the rest by symmetry; armature is in."""
    return mass_matrix_of(tree, s.twists, s.Ib)


def velocity_slope(tree: Tree, s: State, v: np.ndarray) -> Slope:
    """∂τ/∂v at v (..., nv); ½ rest v are the Coriolis and centrifugal forces, since they are quadratic in v.

    rest_jk = b_jᵀ (2 I_k ψ̇_k + B_k b_k) for j on or inboard of k, b_jᵀ (2 I_j ψ̇_k + B_j b_k) beyond it.
    """

    def columns(_, body, all_beyond):
        return _twice_drifting(_, body, all_beyond), 2.0 * body.drift

    inward_rows, twice_drift = zip(*each(tree, columns, s.bodies, s.composites), strict=True)
    inside = products_of_rows(s.twists, stacked_rows(inward_rows))
    beyond = products_of_rows(_side_by_side(s.Ib, s.Bb), _side_by_side(stacked_rows(twice_drift), s.twists))
    rest = on_or_inboard(tree) * inside + transpose(inboard(tree)) * beyond
    return _corrected(tree, Slope(own_brackets(tree, v), rest))


def configuration_slope(
    tree: Tree, s: State, q: np.ndarray, v: np.ndarray, a: np.ndarray, wrenches: Wrenches | None
) -> Slope:
    """∂τ/∂q along retract(q, ε e_k), q (..., nq), at fixed v, a (..., nv) and wrenches in their frames' axes.

    rest_jk = b_jᵀ (I_j ψ̈_k + B_j ψ̇_k + E_j [Γ, b_k]) for j on or beyond k, and with I_k, B_k, E_k and the
    turning of the outboard wrench −ad_{b_k}ᵀ F_k for j inboard of k.
    """
    accelerated = accelerating(tree, q, v, a, s.bodies)
    F = _outboard_wrenches(tree, s, [x.arriving for x in accelerated], v, a, wrenches)
    shift, drifts = _split_off(tree, [x.drift for x in accelerated])

    def columns(_, body, all_beyond, drift2, F_i):
        Γ = se3.ad_apply(body.field[..., None, :], body.twists)
        rows = drift2 @ all_beyond.inertia + body.drift @ transpose(all_beyond.velocity)
        rows = rows + Γ @ all_beyond.excess + body.twists @ transpose(se3.momentum_bracket(F_i))
        return rows, Γ, body.twists @ all_beyond.excess

    found = zip(*each(tree, columns, s.bodies, s.composites, drifts, F), strict=True)
    inward_rows, Γ, Eb = (stacked_rows(x) for x in found)
    inside = products_of_rows(s.twists, inward_rows)
    beyond = products_of_rows(_side_by_side(s.Ib, s.Bb, Eb), _side_by_side(stacked_rows(drifts), s.drift, Γ))
    rest = inboard(tree) * inside + transpose(on_or_inboard(tree)) * beyond
    return _corrected(tree, Slope(shift, rest + _bent_forces(tree, s, q, F)))


def _side_by_side(*rows: np.ndarray) -> np.ndarray:
    """Rows (..., n, m) of several arrays as longer rows."""
    return np.concatenate(np.broadcast_arrays(*rows), axis=-1)


def batch_shape(
    q: np.ndarray, v: np.ndarray, x: np.ndarray, γ: np.ndarray, wrenches: Wrenches | None
) -> tuple:
    """The batch (...) of all arguments together, which every derivative gets, also one of only some of them."""
    arrays = (q, v, x, np.asarray(γ), *(wrenches or {}).values())
    return np.broadcast_shapes(*(array.shape[:-1] for array in arrays))


def outside_forces(tree: Tree, s: State, wrenches: Wrenches | None) -> np.ndarray:
    """Generalised forces (..., nv) of weight and wrenches."""

    def total(_, x, body, F):
        return apply(x.rigid, body.field) + F

    totals = each(tree, total, s.inertias, s.bodies, _outside_wrenches(tree, s, wrenches))
    return join(each(tree, lambda _, body, F: apply(body.twists, F), s.bodies, _sums(tree, totals)))


def _outboard_wrenches(
    tree: Tree, s: State, arriving: list[np.ndarray], v: np.ndarray, a: np.ndarray, wrenches: Wrenches | None
) -> list[np.ndarray]:
    """F_k = Σ I A + ½ B V + E Γ − F_ext (..., 6) over the bodies on and beyond every joint k.

    With the motion that arrives at the joint and those of the joints j from there on it is
    I_k A_λ + ½ B_k V_λ + E_k Γ + Σ (I_j b_j a_j + ½ (2 I_j ψ̇_j + B_j b_j) u_j − F_ext).

    arriving: A_λ (..., 6) of every joint.
    """

    def beyond(_, arriving, Ib, rows, u, a_i, F):
        total = arriving[0] + apply(transpose(Ib), a_i) + apply(transpose(rows), 0.5 * u) - F
        return (total,), total

    def total(_, x, body, A, sums):
        moved = apply(x.inertia, A) + 0.5 * apply(x.velocity, body.parent_twist)
        return moved + apply(x.excess, body.field) + sums

    outside = _outside_wrenches(tree, s, wrenches)
    Ib = [s.Ib[..., link.v, :] for link in tree.links]
    rows = each(tree, _twice_drifting, s.bodies, s.composites)
    parts = split_velocity(tree, v), split_velocity(tree, a)
    sums, _ = inward(tree, beyond, (AT_REST,), Ib, rows, *parts, outside)
    return each(tree, total, s.composites, s.bodies, arriving, sums)


def _twice_drifting(_: Link, body: Moving, all_beyond: Inertias) -> np.ndarray:
    """Rows 2 I ψ̇ + B b (..., nv_i, 6) of a joint."""
    return 2.0 * body.drift @ all_beyond.inertia + body.twists @ transpose(all_beyond.velocity)


def _outside_wrenches(tree: Tree, s: State, wrenches: Wrenches | None) -> list[np.ndarray]:
    """The wrench (..., 6) on every body, in the vehicle's frame."""
    given = body_wrenches(tree, wrenches)
    return each(tree, lambda _, body, F: se3.Ad_inv_transpose_apply(body.pose, F), s.bodies, given)


def _sums(tree: Tree, wrenches: list[np.ndarray]) -> list[np.ndarray]:
    def step(_, arriving, F):
        return (arriving[0] + F,), arriving[0] + F

    return inward(tree, step, (AT_REST,), wrenches)[0]


def _split_off(tree: Tree, drifts: list[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """The second drifts as S·shift + rest: (..., nv, nv), and rows (..., nv_i, 6) for every joint.

    Free vehicles can move along all of it, [b, Γ], so that nothing is left.
    """
    free = [link.parent < 0 and _moves_freely(link) for link in tree.links]
    shifts = [
        _coordinates(link) @ transpose(x) if all_of_it else np.zeros((link.joint.nv, link.joint.nv))
        for link, x, all_of_it in zip(tree.links, drifts, free, strict=True)
    ]
    rest = [np.zeros((6, 6)) if all_of_it else x for x, all_of_it in zip(drifts, free, strict=True)]
    return block_diagonal(tree, shifts), rest


def _coordinates(link: Link) -> np.ndarray:
    return link.joint.group.coordinates  # type: ignore[attr-defined]


def _moves_freely(link: Link) -> bool:
    return isinstance(link.joint, SubgroupJoint) and link.joint.nv == 6


def _corrected(tree: Tree, slope: Slope) -> Slope:
    """The shift was made with the inertia of the bodies alone; M has the drives' too."""
    return Slope(slope.shift, slope.rest - armature(tree)[..., :, None] * slope.shift)


def _bent_forces(tree: Tree, s: State, q: np.ndarray, F: list[np.ndarray]) -> np.ndarray:
    """blockdiag of (∂_aS)ᵀ F (..., nv, nv)."""

    def block(link, body, q_i, F_i):
        return bent_forces(link.joint, q_i, se3.Ad_transpose_apply(body.pose, F_i))

    return block_diagonal(tree, each(tree, block, s.bodies, split_configuration(tree, q), F))


class Accelerating(NamedTuple):
    """A body's acceleration A (..., 6), gravity's −Γ in it, second drift ψ̈ (..., nv_i, 6) of its joint, and A_λ."""

    acceleration: np.ndarray
    drift: np.ndarray
    arriving: np.ndarray


def accelerating(
    tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray, bodies: list[Moving]
) -> list[Accelerating]:
    """A = A_λ + S a + ψ̇ u and ψ̈ = [A_λ, b] + [V_λ, ψ̇] + [V, ∂S u] + ∂(S a + Ṡ u) of all bodies.

    q (..., nq), v and a (..., nv), and the bodies as they move at that q and v.
    """

    def step(link, parent, body, q_i, u, a_i):
        A = -body.field if link.parent < 0 else parent.acceleration
        bent = se3.Ad_apply(body.pose[..., None, :, :], bend_rate(link.joint, q_i, u, a_i))
        drift = _brackets(A, body.twists) + _brackets(body.parent_twist, body.drift)
        drift = drift + _brackets(body.twist, body.bend) + bent
        moved = A + apply(transpose(body.twists), a_i) + apply(transpose(body.drift), u)
        return Accelerating(moved, drift, A)

    still = Accelerating(AT_REST, np.zeros((0, 6)), AT_REST)
    parts = split_configuration(tree, q), split_velocity(tree, v), split_velocity(tree, a)
    return outward(tree, step, still, bodies, *parts)


def _brackets(V: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """[V, row] (..., n, 6) of a twist V (..., 6) and twists as rows (..., n, 6)."""
    return se3.ad_apply(V[..., None, :], rows)
