"""Crossing a joint: twists go outward, wrenches and inertias inward (theory.md §1, §18).

The constant placement A and the joint's own pose h are kept apart, X̃ = Ad_{h⁻¹} Ad_{A⁻¹}: turning by a joint
angle first and by a constant (often right-angle) placement second costs half of what the product A h does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import blocks, mirrored
from ..model import Link, Tree
from ..trace import is_symbolic
from .economy.axis_turns import Turn, axis_turns, turned, turning_axis
from .economy.split_placements import split_placement
from .tree_scans import each, split_configuration

_ROUNDING = 4e-15


class Crossing(NamedTuple):
    """From parent to body: placement A (..., 4, 4), joint pose h (..., 4, 4), basis S (..., 6, nv_i)."""

    placement: np.ndarray
    pose: np.ndarray
    basis: np.ndarray


def crossings(tree: Tree, q: np.ndarray) -> list[Crossing]:
    """The crossing of every joint at the configuration q (..., nq)."""

    def step(link, place, q_i):
        A, turn = place
        h = link.joint.transform(q_i)
        return Crossing(A, h if turn is None else turn @ h, link.joint.basis(q_i))

    return each(tree, step, [split_placement(link, q) for link in tree.links], split_configuration(tree, q))


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
    rows = se3.Ad_inv_apply(x.placement[..., None, :, :], np.swapaxes(B, -1, -2))
    return np.swapaxes(se3.Ad_inv_apply(x.pose[..., None, :, :], rows), -1, -2)


def columns_inward(x: Crossing, F: np.ndarray) -> np.ndarray:
    """X̃ᵀ F (..., 6, n): wrenches as columns, seen in the parent's frame."""
    rows = se3.Ad_inv_transpose_apply(x.pose[..., None, :, :], np.swapaxes(F, -1, -2))
    return np.swapaxes(se3.Ad_inv_transpose_apply(x.placement[..., None, :, :], rows), -1, -2)


def joint_twist(x: Crossing, u: np.ndarray) -> np.ndarray:
    """S u (..., 6): the joint's own velocity as a twist of the body."""
    return (x.basis @ u[..., None])[..., 0]


def joint_force(x: Crossing, F: np.ndarray) -> np.ndarray:
    """Sᵀ F (..., nv_i): the part of a wrench that works on the joint."""
    return (np.swapaxes(x.basis, -1, -2) @ F[..., None])[..., 0]


def carried(g: np.ndarray, I: np.ndarray, by: tuple[Turn, ...] | None = None) -> np.ndarray:
    """Ad_{g⁻¹}ᵀ I Ad_{g⁻¹} (..., 6, 6) by 3×3 blocks I = [[M, H], [Hᵀ, J]]: turn, then shift by p.

    by: the rotation of g as a product of turns; found here where g is constant and I is traced.
    """
    if by is None:
        R = se3.rotation(g)
        by = axis_turns(R) if is_symbolic(I) and not is_symbolic(g) else (Turn(None, R),)
    M, H, J = I[..., :3, :3], I[..., :3, 3:], I[..., 3:, 3:]
    for turn in reversed(by):
        M, H, J = mirrored(turned(turn, M)), turned(turn, H), mirrored(turned(turn, J))
    p_hat = so3.hat(se3.position(g))
    shifted = H - M @ p_hat
    J = mirrored(J + p_hat @ shifted - np.swapaxes(H, -1, -2) @ p_hat)
    return blocks([[M, shifted], [np.swapaxes(shifted, -1, -2), J]])
