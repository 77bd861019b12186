"""Boundedness and conditioning of the mass matrix; how far Ṁ − 2C is from skew-symmetric (theory.md §5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model import Tree
from ..closed_form.coriolis import coriolis_matrix, mass_matrix_rate
from ..mass_matrix import mass_matrix


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


def skew_symmetry_defect(tree: Tree, q: np.ndarray, v: np.ndarray, form: str = "skew") -> np.ndarray:
    """Largest entry (...) of N + Nᵀ over the largest of Ṁ and 2C, for N = Ṁ − 2C and a form of C.

    Rounding size for every form but "papers" (theory.md §17).
    """
    M_dot, C = mass_matrix_rate(tree, q, v), coriolis_matrix(tree, q, v, form)
    N = M_dot - 2 * C
    size = np.maximum(np.abs(M_dot).max(axis=(-2, -1)), 2 * np.abs(C).max(axis=(-2, -1)))
    defect = np.abs(N + np.swapaxes(N, -1, -2)).max(axis=(-2, -1))
    return defect / np.where(size == 0, 1.0, size)
