"""How strongly an arm's motion and its vehicle's are coupled through the mass matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model import Tree
from ..closed_form.blocks import block, vehicle_and_arm
from ..composite import mass_matrix

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
