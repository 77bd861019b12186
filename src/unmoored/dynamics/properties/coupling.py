"""How an arm and its vehicle are coupled through the mass matrix, and where that makes the tool lose a direction.

Dynamic singularities are configurations where the generalized Jacobian loses rank (theory.md §11).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...model import Tree
from ..closed_form.vehicle_arm_blocks import block, vehicle_and_arm
from ..mass_matrix import mass_matrix
from ..underactuated.schur_complements import generalized_jacobian_dense

_RANK_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Coupling:
    """Coupling of a vehicle (m velocities) and everything else (n velocities).

    disturbance: −M_VV⁻¹ M_Vq (..., m, n), the vehicle's acceleration per arm acceleration when it is
    left free.
    correlations: σ (..., min(m, n)), largest first, between 0 (no coupling) and 1, free of units:
    singular values of M_VV^(−½) M_Vq M_qq^(−½). An arm motion in the k-th direction feels 1 − σ_k² of
    its inertia when the vehicle floats freely.
    reaction_free: (...) number of independent arm motions that do not move the vehicle (reaction null space).
    """

    disturbance: np.ndarray
    correlations: np.ndarray
    reaction_free: np.ndarray


def coupling(tree: Tree, q: np.ndarray, vehicle: str) -> Coupling:
    """Inertial coupling between one vehicle and all other joints at q (..., nq)."""
    V, A = vehicle_and_arm(tree, vehicle)
    M = mass_matrix(tree, q)
    M_VV, M_Vq, M_qq = block(M, V, V), block(M, V, A), block(M, A, A)
    half = _whitened(M_VV, M_Vq)
    σ = np.linalg.svd(np.swapaxes(_whitened(M_qq, np.swapaxes(half, -1, -2)), -1, -2), compute_uv=False)
    rank = (σ > _RANK_TOLERANCE).sum(axis=-1)
    return Coupling(-np.linalg.solve(M_VV, M_Vq), σ, len(A) - rank)


def _whitened(M: np.ndarray, X: np.ndarray) -> np.ndarray:
    """L⁻¹ X with M = L Lᵀ."""
    return np.linalg.solve(np.linalg.cholesky(M), X)


@dataclass(frozen=True)
class DynamicSingularity:
    """How near the generalized Jacobian J_G (6, n_active) of a frame is to losing rank.

    singular_values: (..., min(r, n_active)), largest first, for the r rows (of six) that were asked for.
    smallest: (...), zero at a dynamic singularity.  manipulability: (...), product of the singular values.
    Twists in m/s and rad/s count alike; ask for linear or angular rows alone to compare like with like.
    """

    singular_values: np.ndarray
    smallest: np.ndarray
    manipulability: np.ndarray


def dynamic_singularity(
    tree: Tree, q: np.ndarray, frame: str, passive: Iterable[str], rows: Iterable[int] = range(6)
) -> DynamicSingularity:
    """Distance from a dynamic singularity at q (..., nq) when the `passive` joints are left free.

    rows: components of the frame's twist (v, ω) that the task needs, 0 to 5.
    """
    J_G = generalized_jacobian_dense(tree, q, frame, tree.dofs(passive).tolist())[..., list(rows), :]
    σ = np.linalg.svd(J_G, compute_uv=False)
    return DynamicSingularity(σ, σ[..., -1], σ.prod(axis=-1))
