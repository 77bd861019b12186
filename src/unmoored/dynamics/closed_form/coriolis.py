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
from ...model import Tree
from ...model.errors import unknown_name
from ...model.joints import SubgroupJoint
from ..crossing import crossings
from ..jacobians import body_jacobians, selector
from ..momentum import generalized_momentum
from ..scans import total
from .common_frame import (
    common_frame,
    common_velocities,
    for_each_velocity,
    inboard,
    on_or_inboard,
    outboard_sums,
    twist_rates,
)
from .mass_matrix import mass_matrix_derivatives, mass_matrix_of_bodies, transposed


def coriolis_matrix(tree: Tree, q: np.ndarray, v: np.ndarray, form: str = "skew") -> np.ndarray:
    """Coriolis and centrifugal matrix C (..., nv, nv) at q (..., nq), v (..., nv).

    form: "skew", "papers", "simple" or "bodies"; see the module's text.
    """
    if form not in FORMS:
        raise unknown_name("coriolis_matrix", "form", form, FORMS)
    return FORMS[form](tree, q, v)


def mass_matrix_rate(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Ṁ = Σ_i (Ḃ_iᵀ I_i B_i + B_iᵀ I_i Ḃ_i) (..., nv, nv) at q (..., nq), v (..., nv)."""
    half = _body_by_body(tree, q, v, lambda I, V: np.zeros((6, 6)))
    return half + transposed(half)


def bracket_matrix(tree: Tree, p: np.ndarray) -> np.ndarray:
    """K = blockdiag of K_k(p_k) (..., nv, nv), skew, of a generalised momentum p (..., nv) (theory.md §2)."""
    return block_diagonal(tree, [link.joint.momentum_bracket(p[..., link.v]) for link in tree.links])


def block_diagonal(tree: Tree, blocks: list[np.ndarray]) -> np.ndarray:
    """Matrix (..., nv, nv) with one block (..., nv_k, nv_k) for each joint."""
    rows = zip(tree.links, blocks, strict=True)
    return total(selector(tree, link).T @ block @ selector(tree, link) for link, block in rows)


def _levi_civita(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """C_LC = Σ B_iᵀ (I_i Ḃ_i + ½(I_i ad_{V_i} − ad_{V_i}ᵀ I_i + K6(I_i V_i)) B_i), without any ∂M.

    It is each body's own Levi-Civita connection on SE(3), pulled back. So it holds for any velocities, those
    of joints with a varying basis included.
    """

    def connection(I, V):
        turned = I @ se3.ad(V)
        return 0.5 * (turned - transposed(turned) + se3.momentum_bracket((I @ V[..., None])[..., 0]))

    return _body_by_body(tree, q, v, connection)


def _bodies(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """C_B = Σ B_iᵀ (I_i Ḃ_i + K6(I_i V_i) B_i)."""
    return _body_by_body(tree, q, v, lambda I, V: se3.momentum_bracket((I @ V[..., None])[..., 0]))


def _body_by_body(tree: Tree, q: np.ndarray, v: np.ndarray, gyroscopic: Callable) -> np.ndarray:
    """Σ B_iᵀ (I_i Ḃ_i + gyroscopic(I_i, V_i) B_i) (..., nv, nv), in the common frame.

    There Ḃ_i has the columns ḃ_k − ad_{V_i} b_k with ḃ_k the same for all bodies, so that only two sums over
    the bodies on and beyond the outer of the joints j and k are needed, Y = Σ I_i and N = Σ (gyroscopic −
    I_i ad_{V_i}): the entry (j, k) is b_jᵀ (Y ḃ_k + N b_k).
    """
    frame = common_frame(tree, q)
    Vs = common_velocities(tree, frame, v)
    Ns = [gyroscopic(I, V) - I @ se3.ad(V) for I, V in zip(frame.inertias, Vs, strict=True)]
    Y, N = (for_each_velocity(tree, outboard_sums(tree, A)) for A in (frame.inertias, Ns))
    b, b_dot = frame.twists, twist_rates(tree, q, v, frame, Vs)
    k_is_outer = b @ transposed(_rowwise(Y, b_dot) + _rowwise(N, b))
    j_is_outer = _rowwise(Y, b) @ transposed(b_dot) + _rowwise(transposed(N), b) @ transposed(b)
    return on_or_inboard(tree) * k_is_outer + inboard(tree).T * j_is_outer


def _rowwise(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A_k x_k (..., nv, 6) of one matrix (..., nv, 6, 6) and one row (..., nv, 6) for each velocity."""
    return (A @ x[..., None])[..., 0]


def _papers(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """C_P = Ṁ − ½ Wᵀ + K."""
    M_dot, W, K = _rate_and_brackets(tree, q, v)
    return M_dot - 0.5 * transposed(W) + K


def _simple(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """C_S = ½(Ṁ + W − Wᵀ) + K."""
    M_dot, W, K = _rate_and_brackets(tree, q, v)
    return 0.5 * (M_dot + W - transposed(W)) + K


def levi_civita_from_derivatives(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """C_LC = ½(Ṁ + W − Wᵀ + M Â − Âᵀ M + K) (..., nv, nv), as theory.md §5 defines it."""
    M_dot, W, K = _rate_and_brackets(tree, q, v)
    MA = mass_matrix_of_bodies(tree, body_jacobians(tree, crossings(tree, q))) @ _algebra(tree, v)
    return 0.5 * (M_dot + W - transposed(W) + MA - transposed(MA) + K)


def _rate_and_brackets(tree: Tree, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ṁ, W and K, each (..., nv, nv), from ∂M."""
    dM = mass_matrix_derivatives(tree, q)
    M_dot = np.einsum("...kij,...k->...ij", dM, v)
    W = np.einsum("...kij,...j->...ik", dM, v)
    return M_dot, W, bracket_matrix(tree, generalized_momentum(tree, q, v))


def _algebra(tree: Tree, v: np.ndarray) -> np.ndarray:
    """Â = blockdiag of ad_{u_k} (..., nv, nv); zero for joints with true coordinates."""
    blocks = [
        link.joint.group.ad(v[..., link.v])
        if isinstance(link.joint, SubgroupJoint)
        else np.zeros((link.joint.nv, link.joint.nv))
        for link in tree.links
    ]
    return block_diagonal(tree, blocks)


FORMS: dict[str, Callable[[Tree, np.ndarray, np.ndarray], np.ndarray]] = {
    "skew": _levi_civita,
    "papers": _papers,
    "simple": _simple,
    "bodies": _bodies,
}
