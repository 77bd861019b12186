"""The operators that know kinematics and inertias only: 𝓔_φ, φ, H and M (Jain & Rodriguez 1993, (3.4))."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ....lie import se3
from ....model import ModelError, Tree
from ....trace import is_zero
from ...joint_crossing import columns_inward, crossings


class Stack(NamedTuple):
    """Operators of a tree of n bodies and N DoFs, bodies and joints stacked from the tips to the vehicle.

    shift: 𝓔_φ (..., 6n, 6n), with X̃ᵀ of each body in its parent's row and its own column.
    phi: φ = (1 − 𝓔_φ)⁻¹ (..., 6n, 6n): wrenches on bodies to the wrenches across their joints.
    H: (..., N, 6n), the joint bases Sᵀ on the diagonal.  M: (6n, 6n), the bodies' inertias on the diagonal.
    order: body index of every 6-block.  dofs: velocity index of every row of H.
    """

    shift: np.ndarray
    phi: np.ndarray
    H: np.ndarray
    M: np.ndarray
    order: np.ndarray
    dofs: np.ndarray


def stack(tree: Tree, q: np.ndarray) -> Stack:
    """The operators at q (..., nq). V = φᵀHᵀv, and the mass matrix is HφMφᵀHᵀ. Numbers only.

    Refuses joints with armature, which is no inertia of any body: H G = 1 would not hold.
    """
    _refuse_armature(tree)
    xs, order = crossings(tree, q), np.arange(len(tree.links))[::-1]
    place = {int(body): slice(6 * k, 6 * k + 6) for k, body in enumerate(order)}
    dofs = np.concatenate([np.arange(tree.nv)[tree.links[i].v] for i in order])
    batch, size = q.shape[:-1], 6 * len(order)
    shift, H, M = np.zeros((*batch, size, size)), np.zeros((*batch, tree.nv, size)), np.zeros((size, size))
    for link, x in zip(tree.links, xs, strict=True):
        own = place[link.index]
        M[own, own] = link.inertia
        H[..., np.isin(dofs, np.arange(tree.nv)[link.v]), own] = np.swapaxes(x.basis, -1, -2)
        if link.parent >= 0:
            shift[..., place[link.parent], own] = columns_inward(x, np.eye(6))
    return Stack(shift, one_minus_inverse(shift), H, M, order, dofs)


def one_minus_inverse(E: np.ndarray) -> np.ndarray:
    """(1 − E)⁻¹ = 1 + E + E² + … (..., m, m) of a nilpotent E; its zeros stay exact."""
    total = np.eye(E.shape[-1]) + E
    power = E @ E
    while not is_zero(power):
        total, power = total + power, power @ E
    return total


def stacked(ops: Stack, per_body: Sequence[np.ndarray]) -> np.ndarray:
    """Vectors (..., 6), one per body in the tree's order, as one (..., 6n) in the operators' order."""
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in per_body))
    return np.concatenate([np.broadcast_to(per_body[i], (*batch, 6)) for i in ops.order], axis=-1)


def frame_operator(tree: Tree, ops: Stack, frame: str) -> np.ndarray:
    """B (6n, 6) of a frame: its twist is Bᵀ V for the stacked twists V of all bodies."""
    index, on_body = tree.locate(frame)
    B = np.zeros((6 * len(ops.order), 6))
    if index >= 0:
        k = int(np.flatnonzero(ops.order == index)[0])
        B[6 * k : 6 * k + 6] = se3.Ad(se3.inverse(on_body)).T
    return B


def _refuse_armature(tree: Tree) -> None:
    for link in tree.links:
        if not is_zero(link.armature):
            expected = "no armature: the operator identities hold for the inertia of bodies only"
            raise ModelError.single(
                link.name, "spatial operators", expected=expected, given=str(link.armature)
            )
