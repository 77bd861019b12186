"""Crossing a joint: twists go outward, wrenches and inertias inward (theory.md §1, §18).

The constant placement A and the joint's own pose h are kept apart, X̃ = Ad_{h⁻¹} Ad_{A⁻¹}: turning by a joint
angle first and by a constant (often right-angle) placement second costs half of what the product A h does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import blocks, matrix
from ..model import Link, Tree
from ..trace import is_symbolic
from .scans import each, split_configuration
from .turns import Turn, product_of, turning_axis, turns

_ROUNDING = 4e-15


class Crossing(NamedTuple):
    """From parent to body: placement A (4, 4), joint pose h (..., 4, 4), basis S (..., 6, nv_i)."""

    placement: np.ndarray
    pose: np.ndarray
    basis: np.ndarray


def crossings(tree: Tree, q: np.ndarray) -> list[Crossing]:
    """The crossing of every joint at the configuration q (..., nq)."""

    def step(link, place, q_i):
        A, turn = place
        h = link.joint.transform(q_i)
        return Crossing(A, h if turn is None else turn @ h, link.joint.basis(q_i))

    return each(tree, step, [_place(link, q) for link in tree.links], split_configuration(tree, q))


def _place(link: Link, q: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """(A, T): the placement; while traced, without a constant turn about the joint's own axis, which is T."""
    if not is_symbolic(q) or is_symbolic(link.placement):
        return link.placement, None
    axis = turning_axis(link.joint)
    return (link.placement, None) if axis is None else _split_placement(link.placement, axis)


def _split_placement(A: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """(A', T) with A = A' T, T the part of A about and along the joint's axis, if A is simpler without it."""
    *others, last = turns(se3.rotation(A), axis)
    R, turn = (product_of(others), last.rotation) if last.axis == axis else (se3.rotation(A), np.eye(3))
    p, along = se3.position(A), R[:, axis]
    for k in np.flatnonzero(along):
        d = p[k] / along[k]
        rest = np.where(np.abs(p - d * along) <= _ROUNDING * np.abs(p).max(), 0.0, p - d * along)
        if np.count_nonzero(rest) <= np.count_nonzero(p) - 2:
            return se3.pose(R, rest), se3.pose(turn, d * np.eye(3)[axis])
    return se3.pose(R, p), se3.pose(turn, np.zeros(3))


def relative_pose(x: Crossing) -> np.ndarray:
    """g_parent,body = A h (..., 4, 4)."""
    return x.placement @ x.pose


def twist_outward(x: Crossing, V: np.ndarray) -> np.ndarray:
    """X̃ V (..., 6): a twist in the parent's frame, seen in the body's."""
    return se3.Ad_inv_apply(x.pose, se3.Ad_inv_apply(x.placement, V))


def wrench_inward(x: Crossing, F: np.ndarray) -> np.ndarray:
    """X̃ᵀ F (..., 6): a wrench in the body's frame, seen in the parent's."""
    return se3.Ad_inv_transpose_apply(x.placement, se3.Ad_inv_transpose_apply(x.pose, F))


def inertia_inward(link: Link, x: Crossing, I: np.ndarray) -> np.ndarray:
    """X̃ᵀ I X̃ (..., 6, 6): an inertia in the body's frame, seen in the parent's."""
    joint_turn = Turn(turning_axis(link.joint), se3.rotation(x.pose))
    return carried(x.placement, carried(x.pose, I, (joint_turn,)))


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
    """The symmetric matrix (..., n, n) with the upper triangle of A; the lower half is never traced."""
    n = A.shape[-1]
    rows, columns = np.indices((n, n))
    return A[..., np.minimum(rows, columns), np.maximum(rows, columns)]


def carried(g: np.ndarray, I: np.ndarray, by: tuple[Turn, ...] | None = None) -> np.ndarray:
    """Ad_{g⁻¹}ᵀ I Ad_{g⁻¹} (..., 6, 6) by 3×3 blocks I = [[M, H], [Hᵀ, J]]: turn, then shift by p.

    by: the rotation of g as a product of turns; found here where g is constant and I is traced.
    """
    if by is None:
        R = se3.rotation(g)
        by = turns(R) if is_symbolic(I) and not is_symbolic(g) else (Turn(None, R),)
    M, H, J = I[..., :3, :3], I[..., :3, 3:], I[..., 3:, 3:]
    for turn in reversed(by):
        M, H, J = mirrored(_turned(turn, M)), _turned(turn, H), mirrored(_turned(turn, J))
    p_hat = so3.hat(se3.position(g))
    shifted = H - M @ p_hat
    J = mirrored(J + p_hat @ shifted - np.swapaxes(H, -1, -2) @ p_hat)
    return blocks([[M, shifted], [np.swapaxes(shifted, -1, -2), J]])


def _turned(turn: Turn, A: np.ndarray) -> np.ndarray:
    """R A Rᵀ (..., 3, 3); about a coordinate axis at half the work."""
    k, R = turn
    if k is None:
        return R @ A @ np.swapaxes(R, -1, -2)
    i, j = (k + 1) % 3, (k + 2) % 3
    c, s = R[..., i, i], R[..., j, i]
    entry = {(row, column): A[..., row, column] for row in range(3) for column in range(3)}
    turned = {(k, k): entry[k, k]}
    for one, other in (((i, k), (j, k)), ((k, i), (k, j))):
        turned[one] = c * entry[one] - s * entry[other]
        turned[other] = s * entry[one] + c * entry[other]
    # the 2×2 block across the axis keeps its trace and its skew part; t turns the rest
    a, d, b, b_ = entry[i, i], entry[j, j], entry[i, j], entry[j, i]
    t = s * (d - a) - c * (b + b_)
    turned |= {(i, i): a + s * t, (j, j): d - s * t, (i, j): -(c * t + b_), (j, i): -(c * t + b)}
    return matrix([[turned[row, column] for column in range(3)] for row in range(3)])
