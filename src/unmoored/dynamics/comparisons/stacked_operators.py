"""A second way to the blocks of the reduction and their derivatives: stacked operators of a serial arm
(theory.md §8).

For a vehicle with one serial arm of 1-DoF subgroup joints, from home poses and home twists only (Moghaddam &
Chhabra, eq. (55)–(67), (114)–(120), corrected). It shares nothing with the Jacobians of trees.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...lie.arrays import blocks, transpose
from ...model import Link, ModelError, Tree
from ...model.joints import SubgroupJoint
from ..configuration import neutral
from ..kinematics import body_poses
from ..lagrange_poincare.vehicle_split import split


class StackedOperators(NamedTuple):
    """What the blocks are made of; n links of the arm, 6 rows each, everything in the vehicle's axes at home.

    base_inertia: I_b (6, 6).  inclusion: H (6, m).  twists: Ξ = blockdiag(ξ_i) (6n, n).
    inertias: 𝔐 = blockdiag(𝔐_i) (6n, 6n).  to_base: 𝔏_m0 (..., 6n, 6).  between: 𝔏_m (..., 6n, 6n).
    """

    base_inertia: np.ndarray
    inclusion: np.ndarray
    twists: np.ndarray
    inertias: np.ndarray
    to_base: np.ndarray
    between: np.ndarray

    def mass_blocks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M₀ (..., m, m), M₀ₘ (..., m, n), Mₘ (..., n, n), without armature."""
        H, Ξ, L0, Lm = self.inclusion, self.twists, self.to_base, self.between
        weighted0, weighted = self.inertias @ L0 @ H, self.inertias @ Lm @ Ξ
        locked = H.T @ self.base_inertia @ H + transpose(L0 @ H) @ weighted0
        return locked, transpose(L0 @ H) @ weighted, transpose(Lm @ Ξ) @ weighted


def stacked_operators(tree: Tree, q: np.ndarray) -> StackedOperators:
    """The operators at q (..., nq) of a tree that is one vehicle with a serial arm of 1-DoF joints."""
    base, arm = serial_arm(tree)
    ξ, n = _home_twists(tree), len(arm)
    transport = _transports(arm, ξ, q)
    identity = np.eye(6)
    to_base = blocks([[transport[i, 0]] for i in range(n)])
    between = blocks(
        [[transport[i, j + 1] if j < i else identity * (i == j) for j in range(n)] for i in range(n)]
    )
    return StackedOperators(
        base.inertia, base.joint.basis(q), _diagonal(ξ), _diagonal(_home_inertias(tree)), to_base, between
    )


def stacked_derivatives(tree: Tree, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """∂M₀ (..., n, m, m), ∂M₀ₘ (..., n, m, n), ∂Mₘ (..., n, n, n) by the joint angles, at q (..., nq)."""
    s = stacked_operators(tree, q)
    _, arm = serial_arm(tree)
    H, Ξ = s.inclusion, s.twists
    ξ = _home_twists(tree)
    transport = _transports(arm, ξ, q)
    dM0, dM0m, dMm = [], [], []
    for k in range(len(arm)):
        dL0, dLm = _operator_derivatives(ξ, transport, k)
        dM0.append(_symmetric_sum(transpose(dL0 @ H) @ s.inertias @ s.to_base @ H))
        left, right = transpose(dL0 @ H) @ s.inertias @ s.between, transpose(s.to_base @ H) @ s.inertias @ dLm
        dM0m.append((left + right) @ Ξ)
        dMm.append(_symmetric_sum(transpose(dLm @ Ξ) @ s.inertias @ s.between @ Ξ))
    return np.stack(dM0, axis=-3), np.stack(dM0m, axis=-3), np.stack(dMm, axis=-3)


def operator_derivatives(tree: Tree, q: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """∂𝔏_m0 (..., 6n, 6) and ∂𝔏_m (..., 6n, 6n) by the arm's joint coordinate k = 0 … n−1, at q (..., nq)."""
    _, arm = serial_arm(tree)
    ξ = _home_twists(tree)
    return _operator_derivatives(ξ, _transports(arm, ξ, q), k)


def serial_arm(tree: Tree) -> tuple[Link, tuple[Link, ...]]:
    """The vehicle and the links of its arm in order; refused unless a chain of 1-DoF subgroup joints."""
    base = split(tree, tree.vehicles[0]).link
    arm = tree.links[1:]
    for link in arm:
        if link.parent != link.index - 1:
            raise ModelError.single(link.name, "stacked operators", expected="a serial arm", given="a branch")
        if link.joint.nv != 1 or not isinstance(link.joint, SubgroupJoint):
            expected = "joints with one DoF and a constant twist"
            raise ModelError.single(link.name, "stacked operators", expected=expected, given=link.joint.kind)
    if not arm:
        raise ModelError.single(base.name, "stacked operators", expected="an arm", given="a vehicle alone")
    return base, arm


def _home_twists(tree: Tree) -> list[np.ndarray]:
    """ξ_i (6, 1) of the arm's joints, in the vehicle's axes at home."""
    return [se3.Ad(g) @ link.joint.basis(link.joint.neutral()) for link, g in _home(tree)]


def _home_inertias(tree: Tree) -> list[np.ndarray]:
    """𝔐_i = Ad_{g_bi(0)⁻¹}ᵀ I_i Ad_{g_bi(0)⁻¹} (6, 6)."""
    carried = [(link, se3.Ad(se3.inverse(g))) for link, g in _home(tree)]
    return [Ad.T @ link.inertia @ Ad for link, Ad in carried]


def _home(tree: Tree) -> list[tuple[Link, np.ndarray]]:
    """The arm's links with their home poses g_bi(0) (4, 4) in the vehicle's frame."""
    poses = body_poses(tree, neutral(tree))
    return [(link, se3.inverse(poses[0]) @ g) for link, g in zip(tree.links[1:], poses[1:], strict=True)]


def _transports(
    arm: tuple[Link, ...], ξ: list[np.ndarray], q: np.ndarray
) -> dict[tuple[int, int], np.ndarray]:
    """𝔄_i^j = Ad_{exp(−ξ_i q_i)…exp(−ξ_j q_j)} (..., 6, 6) for j ≤ i, identity for j = i + 1, from 0 on."""
    single = [se3.Ad(se3.exp(-ξ_i[:, 0] * q[..., link.q])) for link, ξ_i in zip(arm, ξ, strict=True)]
    transport = {(i, i + 1): np.eye(6) for i in range(-1, len(arm))}
    for i in range(len(arm)):
        for j in range(i + 1):
            transport[i, j] = single[i] @ transport[i - 1, j]
    return transport


def _operator_derivatives(ξ: list[np.ndarray], transport: dict[tuple[int, int], np.ndarray], k: int) -> tuple:
    """∂𝔄_i^j = −𝔄_i^{k+1} ad_{ξ_k} 𝔄_k^j for j ≤ k ≤ i, else 0: the diagonal blocks of ∂𝔏_m are zero."""
    n, zero = len(ξ), np.zeros((6, 6))

    def derivative(i: int, j: int) -> np.ndarray:
        return -transport[i, k + 1] @ se3.ad(ξ[k][:, 0]) @ transport[k, j] if j <= k <= i else zero

    to_base = blocks([[derivative(i, 0)] for i in range(n)])
    between = blocks([[derivative(i, j + 1) if j < i else zero for j in range(n)] for i in range(n)])
    return to_base, between


def _diagonal(parts: list[np.ndarray]) -> np.ndarray:
    """Constant block-diagonal matrix of parts (r, c) of one shape."""
    r, c = parts[0].shape
    rows = [[part if i == j else np.zeros((r, c)) for j in range(len(parts))] for i, part in enumerate(parts)]
    return np.block(rows)


def _symmetric_sum(X: np.ndarray) -> np.ndarray:
    return X + transpose(X)
