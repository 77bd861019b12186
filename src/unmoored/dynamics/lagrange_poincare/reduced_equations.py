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
from ..closed_form.mass_matrix_from_jacobians import armature, mass_matrix_derivatives
from ..closed_form.vehicle_arm_blocks import block
from ..mass_matrix import mass_matrix
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
    return terms(tree, at, M, mass_matrix_derivatives(tree, q), momentum_of(at, M, v), at.others(v), form)


def terms(
    tree: Tree, at: Split, M: np.ndarray, dM: np.ndarray, P: np.ndarray, w: np.ndarray, form: str = "papers"
) -> LagrangePoincare:
    """The terms from M (..., nv, nv), ∂M (..., nv, nv, nv), momentum P (..., m) and velocity w (..., n)."""
    r = reduction(M, at)
    d = shape_slopes(at, r, dM, P, w)
    C, N = shape_coriolis(tree, at, r, d, w, form), momentum_forces(tree, at, r, d, P, w)
    return LagrangePoincare(
        r.locked_inertia, r.connection, r.shape_inertia, apply(r.locked_inverse, P), P, C, N
    )


class ShapeSlopes(NamedTuple):
    """What the equations need of the derivatives ∂_kM along the shape velocities k.

    rate: Σ_k ∂_kM w_k (..., nv, nv).  swept: rows ∂_kM H w (..., n, nv), H w = (−A w, w) the horizontal velocity.
    locked: Ωᵀ ∂_kM₀ Ω (..., n), Ω = M₀⁻¹ P.
    """

    rate: np.ndarray
    swept: np.ndarray
    locked: np.ndarray


def shape_slopes(at: Split, r: Reduction, dM: np.ndarray, P: np.ndarray, w: np.ndarray) -> ShapeSlopes:
    """They, from ∂_kM = dM[..., k, :, :] (..., nv, nv, nv) at momentum P (..., m), shape velocity w (..., n)."""
    dM = dM[..., at.shape, :, :]
    Ω = apply(r.locked_inverse, P)[..., None, :]
    horizontal = at.joined(-apply(r.connection, w), w)
    locked = (apply(block(dM, at.group, at.group), Ω) * Ω).sum(axis=-1)
    return ShapeSlopes(along(dM, w), apply(dM, horizontal[..., None, :]), locked)


def momentum_of(at: Split, M: np.ndarray, v: np.ndarray) -> np.ndarray:
    """P (..., m): the vehicle's rows of M v, for M (..., nv, nv), v (..., nv)."""
    return apply(M[..., at.group, :], v)


def velocity_of(at: Split, r: Reduction, P: np.ndarray, w: np.ndarray) -> np.ndarray:
    """u = M₀⁻¹ P − A w (..., m): the vehicle's velocity recovered from P (..., m) and w (..., n)."""
    return apply(r.locked_inverse, P) - apply(r.connection, w)


def drift(at: Split, P: np.ndarray, u: np.ndarray) -> np.ndarray:
    """ad_uᵀ P (..., m): how a momentum at rest in the world turns in the vehicle's axes; P, u (..., m)."""
    return -apply(at.joint.momentum_bracket(P - at.link.armature * u), u)


def shape_coriolis(
    tree: Tree, at: Split, r: Reduction, d: ShapeSlopes, w: np.ndarray, form: str
) -> np.ndarray:
    """Ĉ (..., n, n) at shape velocity w (..., n), brackets of multi-DoF joints included (theory.md §18).

    M̂ = HᵀMH with the columns (−A, 1) of H, and the vehicle's rows of M H vanish, so that ∂_kM̂ = Hᵀ ∂_kM H.
    """
    if form not in FORMS:
        raise unknown_name("lagrange_poincare", "form of the Coriolis matrix", form, FORMS)
    A, coupling = r.connection, block(d.rate, at.group, at.shape)
    mixed = coupling - block(d.rate, at.group, at.group) @ A
    rate = block(d.rate, at.shape, at.shape) - transpose(A) @ mixed - transpose(coupling) @ A
    W_T = d.swept[..., at.shape] - d.swept[..., at.group] @ A  # row k: (∂_kM̂ w)ᵀ
    p = apply(r.shape_inertia, w) - armature(tree)[..., at.shape] * w
    K = shape_bracket(tree, at, p)
    return rate - 0.5 * W_T + K if form == "papers" else 0.5 * (rate + transpose(W_T) - W_T) + K


def momentum_forces(
    tree: Tree, at: Split, r: Reduction, d: ShapeSlopes, P: np.ndarray, w: np.ndarray
) -> np.ndarray:
    """N̂ = Aᵀad_uᵀP + ȦᵀP − [wᵀ(∂_kA)ᵀP]_k + ½[Pᵀ∂_k(M₀⁻¹)P]_k + K_s(AᵀP)w (..., n) at P (..., m), w (..., n)

    The last term is there for multi-DoF joints among the others (theory.md §18). With Ω = M₀⁻¹P and ∂_kA =
    M₀⁻¹(∂_kM₀ₘ − ∂_kM₀ A): ȦᵀP = (Ṁ₀ₘ − Ṁ₀A)ᵀ Ω, Pᵀ ∂_kA w = Ωᵀ (∂_kM H w)_vehicle, ∂_k(M₀⁻¹) = −M₀⁻¹ ∂_kM₀ M₀⁻¹.
    """
    A, Ω = r.connection, apply(r.locked_inverse, P)
    turning = apply(transpose(A), drift(at, P, velocity_of(at, r, P, w)))
    mixed = block(d.rate, at.group, at.shape) - block(d.rate, at.group, at.group) @ A
    moving = apply(transpose(mixed), Ω)
    swept = apply(d.swept[..., at.group], Ω)
    own = apply(shape_bracket(tree, at, apply(transpose(A), P)), w)
    return turning + moving - swept - 0.5 * d.locked + own


def along(derivatives: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Σ_k ∂_kX w_k (..., r, c): rate of a matrix from its derivatives (..., n, r, c) and w (..., n)."""
    return (derivatives * w[..., :, None, None]).sum(axis=-3)
