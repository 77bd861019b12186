"""The Lagrange–Poincaré equations: a vehicle's momentum and the shape, block-diagonal in inertia (theory.md
§8, §18).

    Ṗ = ad_uᵀ P + F_u,     M̂ ẇ + Ĉ w + N̂ = F_w − Aᵀ F_u,     u = M₀⁻¹ P − A w.

F holds all generalised forces, those of a potential too: one that breaks the symmetry (gravity on a free
vehicle) has a part F_u = −f_U like any other force. Armature Ia on the vehicle's own joint is in M₀ and so
in P, not in the bracket: there P stands for P − Ia u (theory.md §12). Armature elsewhere is in M̂.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie.arrays import apply, transpose
from ...model import Tree
from ...model.errors import unknown_name
from ..closed_form.coriolis import coriolis_matrix
from ..closed_form.mass_matrix_from_jacobians import armature
from ..derivatives.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from ..mass_matrix import mass_matrix
from ..recursive.inverse_dynamics import inverse_dynamics
from ..vehicle_frame.velocity_pairs import own_brackets
from .connection import Reduction, reduction
from .vehicle_split import Split, shape_bracket, split

FORMS = ("skew", "papers")


class LagrangePoincare(NamedTuple):
    """All terms of the equations at a state. m DoFs of the vehicle, n others; momenta are those of v.

    locked_inertia: M₀ (..., m, m).  connection: A (..., m, n).  shape_inertia: M̂ (..., n, n).
    locked_velocity: Ω = u + A w (..., m).  momentum: P = M₀ Ω (..., m), at the vehicle's origin in its axes.
    coriolis: Ĉ (..., n, n).  momentum_forces: N̂ (..., n), zero when P is.
    """

    locked_inertia: np.ndarray
    connection: np.ndarray
    shape_inertia: np.ndarray
    locked_velocity: np.ndarray
    momentum: np.ndarray
    coriolis: np.ndarray
    momentum_forces: np.ndarray


def lagrange_poincare(
    tree: Tree, q: np.ndarray, v: np.ndarray, vehicle: str, form: str = "skew"
) -> LagrangePoincare:
    """The terms at q (..., nq), v (..., nv) for one vehicle.

    form: "skew" for the Ĉ with Ṁ̂ − 2Ĉ skew, "papers" for Ĉ = Ṁ̂ − ½[wᵀ∂_kM̂]_k; Ĉw is the same.
    """
    at, M = split(tree, vehicle), mass_matrix(tree, q)
    return terms(tree, at, q, reduction(M, at), momentum_of(at, M, v), at.others(v), form)


def terms(
    tree: Tree, at: Split, q: np.ndarray, r: Reduction, P: np.ndarray, w: np.ndarray, form: str = "skew"
) -> LagrangePoincare:
    """The terms at q (..., nq) from the blocks of M, momentum P (..., m) and shape velocity w (..., n)."""
    if form not in FORMS:
        raise unknown_name("lagrange_poincare", "form of the Coriolis matrix", form, FORMS)
    Ω, H_T = apply(r.locked_inverse, P), lifts(at, r)
    C = coriolis_matrix(tree, q, apply(transpose(H_T), w))
    shape_coriolis = _skew if form == "skew" else _papers
    C_hat = shape_coriolis(tree, at, q, r, H_T @ C @ transpose(H_T), w)
    N = momentum_forces(tree, at, q, r, C, Ω, w)
    return LagrangePoincare(r.locked_inertia, r.connection, r.shape_inertia, Ω, P, C_hat, N)


def velocity_forces(
    tree: Tree, at: Split, q: np.ndarray, r: Reduction, Ω: np.ndarray, w: np.ndarray
) -> np.ndarray:
    """C(v) v (..., nv) at the velocity v = Hw + (Ω, 0), from the matrix C(Hw) that `terms` needs as well.

    C(Hw) (Hw + 2ω) + C(ω) ω + (ad_Ω u, 0) taken by the bodies' inertia, u = −Aw; see `momentum_forces`.
    """
    Hw = apply(transpose(lifts(at, r)), w)
    ω, turned = at.joined(Ω, np.zeros(len(at.shape))), apply(at.joint.group.ad(Ω), at.vehicle(Hw))
    by_bodies = apply(r.locked_inertia, turned) - armature(tree)[..., at.group] * turned
    by_shape = apply(transpose(r.locked_inertia @ r.connection), turned)
    forces = apply(coriolis_matrix(tree, q, Hw), Hw + 2.0 * ω) + _as_one(tree, q, ω)
    return forces + at.joined(by_bodies, by_shape)


def lifts(at: Split, r: Reduction) -> np.ndarray:
    """Hᵀ (..., n, nv): row k is the velocity (−A_k, e_k), which moves along the shape k without momentum."""
    return at.joined(-transpose(r.connection), np.eye(len(at.shape)))


def momentum_of(at: Split, M: np.ndarray, v: np.ndarray) -> np.ndarray:
    """P (..., m): the vehicle's rows of M v, for M (..., nv, nv), v (..., nv)."""
    return apply(M[..., at.group, :], v)


def velocity_of(at: Split, r: Reduction, P: np.ndarray, w: np.ndarray) -> np.ndarray:
    """u = M₀⁻¹ P − A w (..., m): the vehicle's velocity recovered from P (..., m) and w (..., n)."""
    return apply(r.locked_inverse, P) - apply(r.connection, w)


def drift(at: Split, P: np.ndarray, u: np.ndarray) -> np.ndarray:
    """ad_uᵀ P (..., m): how a momentum at rest in the world turns in the vehicle's axes; P, u (..., m)."""
    return -apply(at.joint.momentum_bracket(P - at.link.armature * u), u)


def _skew(
    tree: Tree, at: Split, q: np.ndarray, r: Reduction, lifted: np.ndarray, w: np.ndarray
) -> np.ndarray:
    """Ĉ = Hᵀ C(Hw) H (..., n, n) at shape velocity w (..., n), less what a multi-DoF joint's own bracket does.

    The vehicle's rows of M H vanish, so that HᵀMḢ = 0 and dM̂/dt = Hᵀ Ṁ H: Hᵀ C H is the Levi-Civita matrix of M̂ if C
    is that of M. Multi-DoF joints have K_s(p) in place of its ½(M̂Â − ÂᵀM̂ + K_s(p)) (theory.md §5, §18). Armature Ia on
    the vehicle is in M and not in C, which is that of the bodies: ½ Aᵀ(Ia ad_u − ad_uᵀIa + K(Ia u))A is added, u = −Aw.
    """
    own = own_brackets(tree, at.joined(np.zeros(len(at.group)), w))[..., at.shape, :][..., at.shape]
    half = r.shape_inertia @ own - armature(tree)[..., at.shape, None] * own
    u, A, Ia = -apply(r.connection, w), r.connection, armature(tree)[..., at.group]
    armed = Ia[..., None] * at.joint.group.ad(u)
    armed = armed - transpose(armed) + at.joint.momentum_bracket(Ia * u)
    return lifted + 0.5 * (transpose(half) - half + _bracket(tree, at, r, w) + transpose(A) @ armed @ A)


def _papers(
    tree: Tree, at: Split, q: np.ndarray, r: Reduction, lifted: np.ndarray, w: np.ndarray
) -> np.ndarray:
    """Ĉ = Ṁ̂ − ½[wᵀ∂_kM̂]_k + K_s (..., n, n) with ∂_kM̂ = Hᵀ ∂_kM H.

    At rest and without gravity the forces of an acceleration h are M h, and their derivatives by q are ∂_kM h.
    """
    H_T = lifts(at, r)
    h, rest = apply(transpose(H_T), w), np.zeros(tree.nv)
    swept = inverse_dynamics_derivatives(tree, q, rest, h, np.zeros(3)).dq[..., at.shape]
    return lifted + transpose(lifted) - 0.5 * transpose(H_T @ swept) + _bracket(tree, at, r, w)


def _bracket(tree: Tree, at: Split, r: Reduction, w: np.ndarray) -> np.ndarray:
    """K_s of the shape's momentum, brackets of multi-DoF joints, in which armature does not count (theory.md §12)."""
    return shape_bracket(tree, at, apply(r.shape_inertia, w) - armature(tree)[..., at.shape] * w)


def momentum_forces(
    tree: Tree, at: Split, q: np.ndarray, r: Reduction, C: np.ndarray, Ω: np.ndarray, w: np.ndarray
) -> np.ndarray:
    """N̂ = Hᵀ(2 C(Hw) ω + C(ω) ω), ω = (Ω, 0) (..., n): all velocity forces of Hw + ω on the shape, less Ĉw.

    C = C(Hw), the Levi-Civita matrix: C(ω) Hw and C(Hw) ω differ by M (ad_u Ω, 0), u = −Aw, which Hᵀ takes away.
    Armature on the vehicle is in M and not in C, and its bracket is in Ĉ: both are corrected. Term by term it is the
    N̂ of theory.md §8.
    """
    u, Ia = -apply(r.connection, w), armature(tree)[..., at.group]
    ω = at.joined(Ω, np.zeros(len(at.shape)))
    armed = apply(at.joint.momentum_bracket(Ia * u), u) - Ia * apply(at.joint.group.ad(u), Ω)
    return apply(lifts(at, r), 2.0 * apply(C, ω) + _as_one(tree, q, ω)) + apply(
        transpose(r.connection), armed
    )


def _as_one(tree: Tree, q: np.ndarray, ω: np.ndarray) -> np.ndarray:
    """C(ω) ω (..., nv) at a velocity ω (..., nv) that moves all bodies as one."""
    return inverse_dynamics(tree, q, ω, np.zeros(tree.nv), np.zeros(3))
