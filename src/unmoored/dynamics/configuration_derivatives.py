"""Derivatives on the manifold of configurations, joint by joint (docs/step.md).

    q⁺ = retract(q, x):   δq⁺ = Ad_{exp(−x)} δq + dexp(x) δx
    d = local(q0, q1):    δd  = dexp⁻¹(d) δq1 − dexp⁻¹(−d) δq0

Tangents δq (nv) are along retract. Ad and dexp are the group's own matrices; joints whose motions commute (one DoF,
translations) and joints with true coordinates have the identity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import apply, join, transpose
from ..model import Link, Tree
from ..model.joints import SubgroupJoint, pose_from_numbers
from ..trace import is_zero, matmul
from .configuration import local
from .tree_scans import split_configuration, split_velocity
from .vehicle_frame.velocity_pairs import block_diagonal


class RetractDerivatives(NamedTuple):
    """Derivatives of retract(q, dq), (..., nv, nv) each: by the tangent at q, and by dq."""

    q: np.ndarray
    dq: np.ndarray


class LocalDerivatives(NamedTuple):
    """Derivatives of local(q0, q1), (..., nv, nv) each: by the tangents at q0 and at q1."""

    q0: np.ndarray
    q1: np.ndarray


def retract_derivatives(tree: Tree, q: np.ndarray, dq: np.ndarray) -> RetractDerivatives:
    """Derivatives of retract(q, dq) at dq (..., nv), along the tangent at the result; they do not depend on q."""
    batch = np.broadcast_shapes(q.shape[:-1], dq.shape[:-1])
    dq = np.broadcast_to(dq, (*batch, tree.nv))
    parts = zip(tree.links, split_velocity(tree, dq), strict=True)
    slope = block_diagonal(tree, [dexp(link, x) for link, x in parts])
    return RetractDerivatives(turned_identity(tree, dq), _full(slope, batch))


def local_derivatives(tree: Tree, q0: np.ndarray, q1: np.ndarray) -> LocalDerivatives:
    """Derivatives of local(q0, q1) at q0, q1 (..., nq)."""
    d = local(tree, q0, q1)
    parts = split_velocity(tree, d)
    by_q1 = block_diagonal(tree, [dexp_inv(link, x) for link, x in zip(tree.links, parts, strict=True)])
    by_q0 = block_diagonal(tree, [dexp_inv(link, -x) for link, x in zip(tree.links, parts, strict=True)])
    return LocalDerivatives(-_full(by_q0, d.shape[:-1]), _full(by_q1, d.shape[:-1]))


def pull_back(tree: Tree, q: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """The gradient (..., nv) along retract of one (..., nq) by the stored numbers of q (..., nq).

    A pose with gradients (G_R, g_p) gives Hᵀ (Rᵀ g_p ; vee(E − Eᵀ)), E = Rᵀ G_R.
    """

    def of_pose(link: Link, q: np.ndarray, g: np.ndarray) -> np.ndarray:
        R = se3.rotation(pose_from_numbers(q))
        E = transpose(R) @ g[..., :9].reshape(*g.shape[:-1], 3, 3)
        turning = so3.vee(E - transpose(E))
        return apply(link.joint.group.basis.T, join([apply(transpose(R), g[..., 9:]), turning]))  # type: ignore[attr-defined]

    return _by_joint(tree, of_pose, q, gradient)


def push_weights(tree: Tree, q: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weights (..., nq) on the stored numbers of q (..., nq) that count as weights (..., nv) on its tangent.

    Of a pose they are (½ R hat(w_ω), R w_v), (w_v; w_ω) = Lᵀ w, L the coordinates of the group.
    """

    def of_pose(link: Link, q: np.ndarray, w: np.ndarray) -> np.ndarray:
        R = se3.rotation(pose_from_numbers(q))
        F = apply(link.joint.group.coordinates.T, w)  # type: ignore[attr-defined]
        turning = 0.5 * (R @ so3.hat(F[..., 3:]))
        return join([turning.reshape(*turning.shape[:-2], 9), apply(R, F[..., :3])])

    return _by_joint(tree, of_pose, q, weights)


def tangent_of_numbers(tree: Tree, q: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """The tangent (..., nv) of a change (..., nq) of the stored numbers of q (..., nq)."""

    def of_pose(link: Link, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        R = se3.rotation(pose_from_numbers(q))
        turning = so3.vee(transpose(R) @ dq[..., :9].reshape(*dq.shape[:-1], 3, 3))
        return apply(link.joint.group.coordinates, join([apply(transpose(R), dq[..., 9:]), turning]))  # type: ignore[attr-defined]

    return _by_joint(tree, of_pose, q, rate)


def _by_joint(
    tree: Tree, of_pose: Callable[[Link, np.ndarray, np.ndarray], np.ndarray], q: np.ndarray, x: np.ndarray
) -> np.ndarray:
    """Poses by the function, all other joints as they are; x has the parts of q, or of v."""
    split = split_configuration if x.shape[-1] == tree.nq else split_velocity
    parts = zip(tree.links, split_configuration(tree, q), split(tree, x), strict=True)
    return join([of_pose(link, a, b) if link.joint.nq > link.joint.nv else b for link, a, b in parts])


def commutes(link: Link) -> bool:
    """Whether the motions of a joint commute, or it has true coordinates."""
    return not isinstance(link.joint, SubgroupJoint) or is_zero(link.joint.group.structure_constants)


def dexp(link: Link, x: np.ndarray) -> np.ndarray:
    """dexp(x) (..., m, m) of a joint, x (..., m)."""
    return np.eye(link.joint.nv) if commutes(link) else link.joint.group.dexp(x)  # type: ignore[attr-defined]


def dexp_inv(link: Link, x: np.ndarray) -> np.ndarray:
    """dexp⁻¹(x) (..., m, m) of a joint, x (..., m)."""
    return np.eye(link.joint.nv) if commutes(link) else link.joint.group.dexp_inv(x)  # type: ignore[attr-defined]


def Ad_exp_inverse(link: Link, x: np.ndarray) -> np.ndarray:
    """Ad_{exp(−x)} (..., m, m) of a joint, x (..., m)."""
    if commutes(link):
        return np.eye(link.joint.nv)
    group = link.joint.group  # type: ignore[attr-defined]
    return group.Ad(group.exp(-x))


def times_blocks(tree: Tree, blocks: Sequence[np.ndarray | None], X: np.ndarray) -> np.ndarray:
    """The block diagonal matrix of blocks (..., m, m), None for the identity, times X (..., nv, k)."""
    rows = [
        X[..., link.v, :] if block is None else matmul(block, X[..., link.v, :])
        for link, block in zip(tree.links, blocks, strict=True)
        if link.joint.nv
    ]
    batch = np.broadcast_shapes(*(row.shape[:-2] for row in rows))
    return np.concatenate([np.broadcast_to(row, (*batch, *row.shape[-2:])) for row in rows], axis=-2)


def turned_identity(tree: Tree, x: np.ndarray) -> np.ndarray:
    """blockdiag Ad_{exp(−x)} (..., nv, nv), x (..., nv)."""
    parts = zip(tree.links, split_velocity(tree, x), strict=True)
    return _full(block_diagonal(tree, [Ad_exp_inverse(link, part) for link, part in parts]), x.shape[:-1])


def _full(A: np.ndarray, batch: tuple[int, ...]) -> np.ndarray:
    return np.broadcast_to(A, (*batch, *A.shape[-2:]))
