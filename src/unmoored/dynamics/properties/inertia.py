"""Boundedness and conditioning of the mass matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model import Tree
from ..composite import mass_matrix


@dataclass(frozen=True)
class InertiaBounds:
    """λ_min |v|² ≤ vᵀ M(q) v ≤ λ_max |v|² over the samples, and the samples where the bounds are reached.

    Velocities in m/s and rad/s count alike, so the numbers depend on the units; the samples are flattened.
    """

    smallest: float
    largest: float
    smallest_at: int
    largest_at: int
    worst_condition: float


def inertia_bounds(tree: Tree, q: np.ndarray) -> InertiaBounds:
    """Eigenvalue bounds of M over samples of the configuration q (..., nq)."""
    λ = np.linalg.eigvalsh(mass_matrix(tree, q)).reshape(-1, tree.nv)
    low, high = int(λ[:, 0].argmin()), int(λ[:, -1].argmax())
    condition = float((λ[:, -1] / λ[:, 0]).max())
    return InertiaBounds(float(λ[low, 0]), float(λ[high, -1]), low, high, condition)


def conditioning(tree: Tree, q: np.ndarray, *, scaled: bool = True) -> np.ndarray:
    """Condition number (...) of the mass matrix at q (..., nq).

    scaled: of the matrix with unit diagonal, M_ij/√(M_ii M_jj), which no choice of units changes.
    """
    M = mass_matrix(tree, q)
    if scaled:
        d = 1.0 / np.sqrt(np.diagonal(M, axis1=-2, axis2=-1))
        M = d[..., :, None] * M * d[..., None, :]
    λ = np.linalg.eigvalsh(M)
    return λ[..., -1] / λ[..., 0]
