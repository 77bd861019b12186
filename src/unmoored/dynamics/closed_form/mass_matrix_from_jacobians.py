"""Mass matrix from body Jacobians, and its derivatives by the adjoint rule (theory.md §4, §18)."""

from __future__ import annotations

import numpy as np

from ...lie import se3
from ...lie.arrays import diagonal, join, mirrored, transpose
from ...model import Tree
from ..economy.cheap_frames import in_cheap_frames
from ..jacobians import body_jacobians
from ..joint_crossing import crossings
from ..tree_scans import split_configuration, total
from ..vehicle_frame.mass_matrix_in_vehicle_frame import composites
from ..vehicle_frame.moving_bodies import Moving, seen
from ..vehicle_frame.velocity_pairs import inboard, on_or_inboard


def mass_matrix(tree: Tree, q: np.ndarray) -> np.ndarray:
    """M = Σ B_iᵀ I_i B_i + Ia (..., nv, nv) at q (..., nq): ½ vᵀ M v is the kinetic energy."""
    return mass_matrix_of_bodies(tree, body_jacobians(tree, crossings(tree, q))) + diagonal(armature(tree))


def mass_matrix_of_bodies(tree: Tree, Bs: list[np.ndarray]) -> np.ndarray:
    """Σ B_iᵀ I_i B_i (..., nv, nv), without armature, from the Jacobians B_i (..., 6, nv) of all bodies."""
    return total(transpose(B) @ (link.inertia @ B) for link, B in zip(tree.links, Bs, strict=True))


def mass_matrix_derivatives(tree: Tree, q: np.ndarray) -> np.ndarray:
    """∂M (..., nv, nv, nv) at q (..., nq): [..., m, j, k] is the derivative of M_jk along retract(q, ε e_m).

    M_jk = b_jᵀ Y_k b_k for j on or inboard of k, Y the composite inertia. Moving joint m turns everything on
    or beyond it by ad_{b_m} (the adjoint rule: From et al. 2010, eq. (63)), hence ∂_m M_jk is

        −b_jᵀ ad_{b_m}ᵀ Y_k b_k                     for j inboard of m, and m on or inboard of k,
        −b_jᵀ (ad_{b_m}ᵀ Y_m + Y_m ad_{b_m}) b_k    for j and k inboard of m,

    and zero if j and k both turn with m: so for a joint on the world with a constant basis.
    """
    tree, _ = in_cheap_frames(tree, q)
    bodies, b, Y = composites(tree, q)
    F = (Y @ b[..., None])[..., 0]
    ad = se3.ad(b)
    first = _turned_with_m(tree, b, ad, F)
    dM = first + transpose(first) + _between(tree, b, ad, Y)
    if not all(link.joint.constant_basis for link in tree.links):
        extra = _varying_bases(tree, q, bodies, b, Y, F)
        dM = dM + extra + transpose(extra)
    return dM


def _turned_with_m(tree: Tree, b: np.ndarray, ad: np.ndarray, F: np.ndarray) -> np.ndarray:
    """−b_jᵀ ad_{b_m}ᵀ F_k as [..., m, j, k], j inboard of m, m on or inboard of k; F_k = Y_k b_k."""
    related, before = on_or_inboard(tree), inboard(tree)
    turned = related[..., None, :] * (transpose(ad) @ transpose(F)[..., None, :, :])
    return -(before.T[:, :, None] * (b[..., None, :, :] @ turned))


def _between(tree: Tree, b: np.ndarray, ad: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """−b_jᵀ (ad_{b_m}ᵀ Y_m + Y_m ad_{b_m}) b_k as [..., m, j, k], j and k inboard of m."""
    half = Y @ ad
    columns = inboard(tree).T[:, None, :] * transpose(b)[..., None, :, :]
    return mirrored(-(transpose(columns) @ ((half + transpose(half)) @ columns)))


def _varying_bases(
    tree: Tree, q: np.ndarray, bodies: list[Moving], b: np.ndarray, Y: np.ndarray, F: np.ndarray
) -> np.ndarray:
    """b_jᵀ Y ∂_m b_k as [..., m, j, k], of twists that vary with their joint (From et al. 2010, appendix B).

    Y is the composite inertia at the outer of the joints of j and k.
    """
    related, beyond = on_or_inboard(tree), inboard(tree).T
    db = _basis_derivatives(tree, q, bodies)  # [..., m, k, :]
    G = (Y[..., None, :, :, :] @ db[..., None])[..., 0]
    inner = b[..., None, :, :] @ transpose(G)
    outer = F[..., None, :, :] @ transpose(db)
    return related * inner + beyond * outer


def _basis_derivatives(tree: Tree, q: np.ndarray, bodies: list[Moving]) -> np.ndarray:
    """Ad_g ∂_m S e_k (..., nv, nv, 6), what ∂_m b_k has beside the turning, for m and k of one joint."""
    nv = tree.nv
    parts = []
    for link, body, q_i in zip(tree.links, bodies, split_configuration(tree, q), strict=True):
        dS = link.joint.basis_derivatives(q_i)
        if dS is not None:
            own = np.eye(nv)[link.v]
            rows = seen(body.pose[..., None, :, :], dS)  # [..., a, c, :]
            parts.append(np.einsum("am,...acx,ck->...mkx", own, rows, own))
    return total(parts)


def armature(tree: Tree) -> np.ndarray:
    """Inertia of the drives (..., nv), which adds to the diagonal of M only (theory.md §12)."""
    return join(link.armature for link in tree.links)
