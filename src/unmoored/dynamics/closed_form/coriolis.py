"""Coriolis matrices: four that are in use, all with the same C v (theory.md §5, §18).

With Ṁ = Σ_k ∂_kM v_k, W with column k equal to ∂_kM v, K the block-diagonal matrix of the joints' bracket
matrices K_k(p_k), p = M v, and Â that of the joints' ad_{u_k}:

    "skew"     C_LC = ½(Ṁ + W − Wᵀ + M Â − Âᵀ M + K)   Christoffel symbols in the moving frame, Ṁ − 2C skew
    "papers"   C_P  = Ṁ − ½ Wᵀ + K                      From et al. 2010, corrected; Ṁ − 2C not skew
    "simple"   C_S  = ½(Ṁ + W − Wᵀ) + K                 the same sums arranged for Ṁ − 2C skew
    "bodies"   C_B  = Σ B_iᵀ (I_i Ḃ_i + K6(I_i V_i) B_i)  body by body, without any ∂M, Ṁ − 2C skew

"skew" is computed without ∂M too. Armature is constant and has no momentum: it is in none of these terms.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...lie import se3
from ...lie.arrays import apply, stacked_rows, transpose
from ...model import Tree
from ...model.errors import unknown_name
from ..economy.cheap_frames import in_cheap_frames
from ..jacobians import body_jacobians
from ..joint_crossing import crossings
from ..momentum import generalized_momentum
from ..tree_scans import each
from ..vehicle_frame.body_inertias import body_inertias, outboard
from ..vehicle_frame.moving_bodies import Moving, moving
from ..vehicle_frame.velocity_pairs import (
    block_diagonal,
    for_each_velocity,
    inboard,
    on_or_inboard,
    outboard_sums,
    own_brackets,
)
from .mass_matrix_from_jacobians import mass_matrix_derivatives, mass_matrix_of_bodies

NO_GRAVITY = np.zeros(3)


def coriolis_matrix(tree: Tree, q: np.ndarray, v: np.ndarray, form: str = "skew") -> np.ndarray:
    """Coriolis and centrifugal matrix C (..., nv, nv) at q (..., nq), v (..., nv).

    form: "skew", "papers", "simple" or "bodies"; see the module's text.
    """
    if form not in FORMS:
        raise unknown_name("coriolis_matrix", "form", form, FORMS)
    tree, _ = in_cheap_frames(tree, q)
    return FORMS[form](tree, q, v)


def mass_matrix_rate(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Ṁ = C + Cᵀ (..., nv, nv) at q (..., nq), v (..., nv), of the C with Ṁ − 2C skew."""
    tree, _ = in_cheap_frames(tree, q)
    C = _levi_civita(tree, q, v)
    return C + transpose(C)


def bracket_matrix(tree: Tree, p: np.ndarray) -> np.ndarray:
    """K = blockdiag of K_k(p_k) (..., nv, nv), skew, of a generalised momentum p (..., nv) (theory.md §2)."""
    return block_diagonal(tree, [link.joint.momentum_bracket(p[..., link.v]) for link in tree.links])


def _levi_civita(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """C_LC = Σ B_iᵀ (I_i Ḃ_i + ½(I_i ad_{V_i} − ad_{V_i}ᵀ I_i + K6(I_i V_i)) B_i), without any ∂M.

    It is each body's own Levi-Civita connection on SE(3), pulled back. So it holds for any velocities, those
    of joints with a varying basis included. In `_pairs` N = ½ B with B of docs/derivatives.md §3, which is
    linear in V and has few entries for a rigid body.
    """
    bodies = moving(tree, q, v, NO_GRAVITY)
    at_half_speed = each(tree, lambda _, body: body._replace(twist=0.5 * body.twist), bodies)
    sums = outboard(tree, body_inertias(tree, at_half_speed))
    return _pairs(tree, v, bodies, [x.inertia for x in sums], [x.velocity for x in sums])


def _bodies(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """C_B = Σ B_iᵀ (I_i Ḃ_i + K6(I_i V_i) B_i)."""
    return _body_by_body(tree, q, v, lambda I, V: se3.momentum_bracket(apply(I, V)))


def _body_by_body(tree: Tree, q: np.ndarray, v: np.ndarray, gyroscopic: Callable) -> np.ndarray:
    """Σ B_iᵀ (I_i Ḃ_i + gyroscopic(I_i, V_i) B_i) (..., nv, nv), in the vehicle's frame.

    There Ḃ_i has the columns ḃ_k − ad_{V_i} b_k with ḃ_k the same for all bodies.
    """
    bodies = moving(tree, q, v, NO_GRAVITY)
    Is = [x.inertia for x in body_inertias(tree, bodies)]
    Ns = each(tree, lambda _, I, body: gyroscopic(I, body.twist) - I @ se3.ad(body.twist), Is, bodies)
    return _pairs(tree, v, bodies, outboard_sums(tree, Is), outboard_sums(tree, Ns))


def _pairs(
    tree: Tree, v: np.ndarray, bodies: list[Moving], Ys: list[np.ndarray], Ns: list[np.ndarray]
) -> np.ndarray:
    """b_jᵀ (Y ḃ_k + N b_k) (..., nv, nv), with Y and N (..., 6, 6) at the outer of the joints j and k."""
    Y, N = for_each_velocity(tree, Ys), for_each_velocity(tree, Ns)
    b, drift = (stacked_rows(list(rows)) for rows in zip(*((x.twists, x.drift) for x in bodies), strict=True))
    b_dot = drift + transpose(own_brackets(tree, v)) @ b
    k_is_outer = b @ transpose(apply(Y, b_dot) + apply(N, b))
    j_is_outer = apply(Y, b) @ transpose(b_dot) + apply(transpose(N), b) @ transpose(b)
    return on_or_inboard(tree) * k_is_outer + inboard(tree).T * j_is_outer


def _papers(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """C_P = Ṁ − ½ Wᵀ + K."""
    M_dot, W, K = _rate_and_brackets(tree, q, v)
    return M_dot - 0.5 * transpose(W) + K


def _simple(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """C_S = ½(Ṁ + W − Wᵀ) + K."""
    M_dot, W, K = _rate_and_brackets(tree, q, v)
    return 0.5 * (M_dot + W - transpose(W)) + K


def levi_civita_from_derivatives(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """C_LC = ½(Ṁ + W − Wᵀ + M Â − Âᵀ M + K) (..., nv, nv), as theory.md §5 defines it."""
    M_dot, W, K = _rate_and_brackets(tree, q, v)
    MA = mass_matrix_of_bodies(tree, body_jacobians(tree, crossings(tree, q))) @ own_brackets(tree, v)
    return 0.5 * (M_dot + W - transpose(W) + MA - transpose(MA) + K)


def _rate_and_brackets(tree: Tree, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ṁ, W and K, each (..., nv, nv), from ∂M."""
    dM = mass_matrix_derivatives(tree, q)
    M_dot = np.einsum("...kij,...k->...ij", dM, v)
    W = np.einsum("...kij,...j->...ik", dM, v)
    return M_dot, W, bracket_matrix(tree, generalized_momentum(tree, q, v))


FORMS: dict[str, Callable[[Tree, np.ndarray, np.ndarray], np.ndarray]] = {
    "skew": _levi_civita,
    "papers": _papers,
    "simple": _simple,
    "bodies": _bodies,
}
