"""Crossing a joint: twists go outward, wrenches and inertias inward (theory.md §1, §18).

The constant placement A and the joint's own pose h are kept apart, X̃ = Ad_{h⁻¹} Ad_{A⁻¹}: turning by a joint angle
first and by a constant (often right-angle) placement second costs half of what the product A h does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..lie import se3, so3
from ..model import Link, Tree
from .scans import split_configuration


class Crossing(NamedTuple):
    """From the parent's frame to the body's: placement A (4, 4), joint pose h (..., 4, 4), basis S (..., 6, nv_i)."""

    placement: np.ndarray
    pose: np.ndarray
    basis: np.ndarray


def crossings(tree: Tree, q: np.ndarray) -> list[Crossing]:
    """The crossing of every joint at the configuration q (..., nq)."""
    return [_crossing(link, q_i) for link, q_i in zip(tree.links, split_configuration(tree, q), strict=True)]


def _crossing(link: Link, q: np.ndarray) -> Crossing:
    return Crossing(link.placement, link.joint.transform(q), link.joint.basis(q))


def relative_pose(x: Crossing) -> np.ndarray:
    """g_parent,body = A h (..., 4, 4)."""
    return x.placement @ x.pose


def twist_outward(x: Crossing, V: np.ndarray) -> np.ndarray:
    """X̃ V (..., 6): a twist in the parent's frame, seen in the body's."""
    return se3.Ad_inv_apply(x.pose, se3.Ad_inv_apply(x.placement, V))


def wrench_inward(x: Crossing, F: np.ndarray) -> np.ndarray:
    """X̃ᵀ F (..., 6): a wrench in the body's frame, seen in the parent's."""
    return se3.Ad_inv_transpose_apply(x.placement, se3.Ad_inv_transpose_apply(x.pose, F))


def inertia_inward(x: Crossing, I: np.ndarray) -> np.ndarray:
    """X̃ᵀ I X̃ (..., 6, 6): an inertia in the body's frame, seen in the parent's."""
    return _carried(x.placement, _carried(x.pose, I))


def columns_outward(x: Crossing, B: np.ndarray) -> np.ndarray:
    """X̃ B (..., 6, n): twists as columns, seen in the body's frame."""
    rows = se3.Ad_inv_apply(x.placement, np.swapaxes(B, -1, -2))
    return np.swapaxes(se3.Ad_inv_apply(x.pose[..., None, :, :], rows), -1, -2)


def columns_inward(x: Crossing, F: np.ndarray) -> np.ndarray:
    """X̃ᵀ F (..., 6, n): wrenches as columns, seen in the parent's frame."""
    rows = se3.Ad_inv_transpose_apply(x.pose[..., None, :, :], np.swapaxes(F, -1, -2))
    return np.swapaxes(se3.Ad_inv_transpose_apply(x.placement, rows), -1, -2)


def joint_twist(x: Crossing, u: np.ndarray) -> np.ndarray:
    """S u (..., 6): the joint's own velocity as a twist of the body."""
    return (x.basis @ u[..., None])[..., 0]


def joint_force(x: Crossing, F: np.ndarray) -> np.ndarray:
    """Sᵀ F (..., nv_i): the part of a wrench that works on the joint."""
    return (np.swapaxes(x.basis, -1, -2) @ F[..., None])[..., 0]


def mirrored(A: np.ndarray) -> np.ndarray:
    """The symmetric matrix (..., n, n) with the upper triangle of A: when traced, the lower half is never computed."""
    n = A.shape[-1]
    rows, columns = np.indices((n, n))
    return A[..., np.minimum(rows, columns), np.maximum(rows, columns)]


def _carried(g: np.ndarray, I: np.ndarray) -> np.ndarray:
    """Ad_{g⁻¹}ᵀ I Ad_{g⁻¹} by 3×3 blocks I = [[M, H], [Hᵀ, J]]: turn, then shift by p."""
    R, p_hat = se3.rotation(g), so3.hat(se3.position(g))
    R_T = np.swapaxes(R, -1, -2)
    M = mirrored(R @ I[..., :3, :3] @ R_T)
    H = R @ I[..., :3, 3:] @ R_T
    J = mirrored(R @ I[..., 3:, 3:] @ R_T)
    shifted = H - M @ p_hat
    J = mirrored(J + p_hat @ shifted - np.swapaxes(H, -1, -2) @ p_hat)
    upper = np.concatenate([M, shifted], axis=-1)
    lower = np.concatenate([np.swapaxes(shifted, -1, -2), J], axis=-1)
    return np.concatenate([upper, lower], axis=-2)
