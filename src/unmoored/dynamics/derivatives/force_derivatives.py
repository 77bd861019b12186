"""Derivatives of the forces that a motion takes, entry (j, k) from the outer of the joints j and k.

docs/derivatives.md §2 (accelerations and drifts, outward) and §4.

Everything is in the vehicles' frames, in rows: (..., nv, 6) and (..., nv, 6, 6) hold a row or a matrix for
each velocity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...lie.arrays import apply, stacked_rows, transpose
from ...model import Link, Tree
from ...model.joints import SubgroupJoint
from ..closed_form.mass_matrix_from_jacobians import armature
from ..kinematics import AT_REST
from ..tree_scans import inward, outward, split_configuration, split_velocity
from ..vehicle_frame.body_inertias import Inertias, body_inertias, outboard
from ..vehicle_frame.mass_matrix_in_vehicle_frame import mass_matrix_of
from ..vehicle_frame.moving_bodies import Moving, moving
from ..vehicle_frame.varying_basis import bend_rate, bent_forces
from ..vehicle_frame.velocity_pairs import (
    block_diagonal,
    for_each_velocity,
    inboard,
    on_or_inboard,
    own_brackets,
)
from ..wrenches import Wrenches, body_wrenches


class Slope(NamedTuple):
    """A derivative of τ = inverse dynamics as M shift + rest, both (..., nv, nv).

    Forward dynamics has the derivative −shift − M⁻¹ rest, and where `rest` vanishes nothing is to be solved.
    """

    shift: np.ndarray
    rest: np.ndarray


class State(NamedTuple):
    """A tree at one q and v: body by body, and for each velocity.

    inertia, excess and velocity (..., nv, 6, 6): the matrices I, E and B of everything on and beyond the joint.
    twists b, drift ψ̇, Ib = I b and Bb = Bᵀ b (..., nv, 6).
    """

    bodies: list[Moving]
    inertias: list[Inertias]
    inertia: np.ndarray
    excess: np.ndarray
    velocity: np.ndarray
    twists: np.ndarray
    drift: np.ndarray
    Ib: np.ndarray
    Bb: np.ndarray


def state(tree: Tree, q: np.ndarray, v: np.ndarray, gravity: np.ndarray) -> State:
    """The tree at q (..., nq), v (..., nv), gravity (..., 3) in world axes (m/s²)."""
    bodies = moving(tree, q, v, gravity)
    inertias = body_inertias(tree, bodies)
    composites = outboard(tree, inertias)
    b = stacked_rows([body.twists for body in bodies])
    I, E, B = (
        for_each_velocity(tree, list(matrices))
        for matrices in zip(*((x.inertia, x.excess, x.velocity) for x in composites), strict=True)
    )
    drift = stacked_rows([body.drift for body in bodies])
    return State(bodies, inertias, I, E, B, b, drift, apply(I, b), apply(transpose(B), b))


def mass_matrix(tree: Tree, s: State) -> np.ndarray:
    """M_jk = b_jᵀ I_k b_k (..., nv, nv) for j on or inboard of k, the rest by symmetry; armature is in."""
    return mass_matrix_of(tree, s.twists, s.Ib)


def velocity_slope(tree: Tree, s: State, v: np.ndarray) -> Slope:
    """∂τ/∂v at v (..., nv); ½ rest v are the Coriolis and centrifugal forces, since they are quadratic in v.

    rest_jk = b_jᵀ (2 I_k ψ̇_k + B_k b_k) for j on or inboard of k, b_jᵀ (2 I_j ψ̇_k + B_j b_k) beyond it.
    """
    twice_drift = 2.0 * s.drift
    inside = s.twists @ transpose(apply(s.inertia, twice_drift) + apply(s.velocity, s.twists))
    beyond = s.Ib @ transpose(twice_drift) + s.Bb @ transpose(s.twists)
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
    F = _outboard_wrenches(tree, s, [x.acceleration for x in accelerated], wrenches)
    shift, drift2 = _split_off(tree, s, [x.drift for x in accelerated])
    Γ = stacked_rows([se3.ad_apply(x.field[..., None, :], x.twists) for x in s.bodies])
    turned = for_each_velocity(tree, [se3.momentum_bracket(x) for x in F])

    columns = apply(s.inertia, drift2) + apply(s.velocity, s.drift) + apply(s.excess, Γ)
    inside = s.twists @ transpose(columns + apply(turned, s.twists))
    beyond = s.Ib @ transpose(drift2) + s.Bb @ transpose(s.drift)
    beyond = beyond + apply(s.excess, s.twists) @ transpose(Γ)
    rest = inboard(tree) * inside + transpose(on_or_inboard(tree)) * beyond
    return _corrected(tree, Slope(shift, rest + _bent_forces(tree, s, q, F)))


def batch_shape(
    q: np.ndarray, v: np.ndarray, x: np.ndarray, γ: np.ndarray, wrenches: Wrenches | None
) -> tuple:
    """The batch (...) of all arguments together, which every derivative gets, also one of only some of them."""
    arrays = (q, v, x, np.asarray(γ), *(wrenches or {}).values())
    return np.broadcast_shapes(*(array.shape[:-1] for array in arrays))


def outside_forces(tree: Tree, s: State, wrenches: Wrenches | None) -> np.ndarray:
    """Generalised forces (..., nv) of weight and wrenches."""
    weights = [apply(x.rigid, body.field) for x, body in zip(s.inertias, s.bodies, strict=True)]
    totals = [w + F for w, F in zip(weights, _outside_wrenches(tree, s, wrenches), strict=True)]
    return (s.twists * _rows(tree, _sums(tree, totals))).sum(axis=-1)


def _outboard_wrenches(
    tree: Tree, s: State, accelerations: list[np.ndarray], wrenches: Wrenches | None
) -> list[np.ndarray]:
    """Σ I A + ½ B V + E Γ − F_ext (..., 6) over the bodies on and beyond every joint."""
    outside = _outside_wrenches(tree, s, wrenches)
    own = [
        apply(x.inertia, A) + 0.5 * apply(x.velocity, body.twist) + apply(x.excess, body.field) - F
        for x, body, A, F in zip(s.inertias, s.bodies, accelerations, outside, strict=True)
    ]
    return _sums(tree, own)


def _outside_wrenches(tree: Tree, s: State, wrenches: Wrenches | None) -> list[np.ndarray]:
    """The wrench (..., 6) on every body, in the vehicle's frame."""
    given = zip(s.bodies, body_wrenches(tree, wrenches), strict=True)
    return [se3.Ad_inv_transpose_apply(body.pose, F) for body, F in given]


def _sums(tree: Tree, wrenches: list[np.ndarray]) -> list[np.ndarray]:
    def step(_, arriving, F):
        return (arriving[0] + F,), arriving[0] + F

    return inward(tree, step, (AT_REST,), wrenches)[0]


def _rows(tree: Tree, wrenches: list[np.ndarray]) -> np.ndarray:
    """One wrench (..., 6) per body as a row for each velocity (..., nv, 6)."""
    return for_each_velocity(tree, [F[..., None] for F in wrenches])[..., 0]


def _split_off(tree: Tree, s: State, drifts: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The second drift as S·shift + rest: (..., nv, nv) and rows (..., nv, 6).

    Free vehicles can move along all of it, [b, Γ], so that nothing is left.
    """
    free = [link.parent < 0 and _moves_freely(link) for link in tree.links]
    shifts = [
        _coordinates(link) @ transpose(x) if all_of_it else np.zeros((link.joint.nv, link.joint.nv))
        for link, x, all_of_it in zip(tree.links, drifts, free, strict=True)
    ]
    rest = [np.zeros((6, 6)) if all_of_it else x for x, all_of_it in zip(drifts, free, strict=True)]
    return block_diagonal(tree, shifts), stacked_rows(rest)


def _coordinates(link: Link) -> np.ndarray:
    return link.joint.group.coordinates  # type: ignore[attr-defined]


def _moves_freely(link: Link) -> bool:
    return isinstance(link.joint, SubgroupJoint) and link.joint.nv == 6


def _corrected(tree: Tree, slope: Slope) -> Slope:
    """The shift was made with the inertia of the bodies alone; M has the drives' too."""
    return Slope(slope.shift, slope.rest - armature(tree)[..., :, None] * slope.shift)


def _bent_forces(tree: Tree, s: State, q: np.ndarray, F: list[np.ndarray]) -> np.ndarray:
    """blockdiag of (∂_aS)ᵀ F (..., nv, nv)."""
    blocks = [
        bent_forces(link.joint, q[..., link.q], se3.Ad_transpose_apply(body.pose, F_i))
        for link, body, F_i in zip(tree.links, s.bodies, F, strict=True)
    ]
    return block_diagonal(tree, blocks)


class Accelerating(NamedTuple):
    """A body's acceleration A (..., 6), gravity's −Γ in it, and second drift ψ̈ (..., nv_i, 6) of its joint."""

    acceleration: np.ndarray
    drift: np.ndarray


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
        return Accelerating(A + apply(transpose(body.twists), a_i) + apply(transpose(body.drift), u), drift)

    still = Accelerating(AT_REST, np.zeros((0, 6)))
    parts = split_configuration(tree, q), split_velocity(tree, v), split_velocity(tree, a)
    return outward(tree, step, still, bodies, *parts)


def _brackets(V: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """[V, row] (..., n, 6) of a twist V (..., 6) and twists as rows (..., n, 6)."""
    return se3.ad_apply(V[..., None, :], rows)
