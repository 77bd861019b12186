"""Mass matrix from body Jacobians, and its derivatives by the adjoint rule (theory.md §4, §18)."""

from __future__ import annotations

import numpy as np

from ...lie import se3
from ...model import Link, Tree
from ..crossing import Crossing, columns_outward, crossings
from ..jacobians import body_jacobians, selector
from ..scans import outward, split_configuration, total


def mass_matrix(tree: Tree, q: np.ndarray) -> np.ndarray:
    """M = Σ B_iᵀ I_i B_i + Ia (..., nv, nv) at q (..., nq): ½ vᵀ M v is the kinetic energy."""
    return mass_matrix_of_bodies(tree, body_jacobians(tree, crossings(tree, q))) + np.diag(armature(tree))


def mass_matrix_of_bodies(tree: Tree, Bs: list[np.ndarray]) -> np.ndarray:
    """Σ B_iᵀ I_i B_i (..., nv, nv), without armature, from the Jacobians B_i (..., 6, nv) of all bodies."""
    return total(transposed(B) @ (link.inertia @ B) for link, B in zip(tree.links, Bs, strict=True))


def mass_matrix_derivatives(tree: Tree, q: np.ndarray) -> np.ndarray:
    """∂M (..., nv, nv, nv) at q (..., nq): [..., k, i, j] is the derivative of M_ij along retract(q, ε e_k).

    ∂_k M = Σ_i (D_ikᵀ I_i B_i + B_iᵀ I_i D_ik) with D_ik = ∂_k B_i. Zero for the joints on the world with a
    constant basis: the kinetic energy does not know where the whole system is.
    """
    halves = total(
        transposed(D) @ (link.inertia @ B)[..., None, :, :]
        for link, (B, D) in zip(tree.links, jacobian_derivatives(tree, q), strict=True)
    )
    return halves + transposed(halves)


def jacobian_derivatives(tree: Tree, q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """For every body B_i (..., 6, nv) and D_i (..., nv, 6, nv), D_i[k] = ∂B_i along retract(q, ε e_k)."""
    nv = tree.nv

    def step(link, carry, x, q_i):
        B, D = carry
        moved = columns_outward(x, B)
        own = np.einsum(
            "ak,...aij->...kij", selector(tree, link), _own_derivatives(tree, link, x, q_i, moved)
        )
        return moved + x.basis @ selector(tree, link), columns_outward(_one_more_dimension(x), D) + own

    start = np.zeros((6, nv)), np.zeros((nv, 6, nv))
    return outward(tree, step, start, crossings(tree, q), split_configuration(tree, q))


def _own_derivatives(tree: Tree, link: Link, x: Crossing, q: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """∂B_i (..., nv_i, 6, nv) along joint i's own directions: −ad_{S e_a} X̃ B_parent + ∂_a S·selector.

    The first term is the adjoint rule, From et al. 2010, eq. (63). The second, of their appendix B, is there
    only for twists that depend on the configuration.
    """
    turning = se3.ad(transposed(x.basis)) @ moved[..., None, :, :]
    dS = link.joint.basis_derivatives(q)
    return -turning if dS is None else dS @ selector(tree, link) - turning


def _one_more_dimension(x: Crossing) -> Crossing:
    """The crossing with a dimension for the direction of differentiation after the batch."""
    return Crossing(x.placement, x.pose[..., None, :, :], x.basis)


def armature(tree: Tree) -> np.ndarray:
    """Inertia of the drives (nv,), which adds to the diagonal of M only (theory.md §12)."""
    return np.concatenate([link.armature for link in tree.links])


def transposed(A: np.ndarray) -> np.ndarray:
    """Transpose of the last two dimensions."""
    return np.swapaxes(A, -1, -2)
