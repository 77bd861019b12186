"""How far Ṁ − 2C is from skew-symmetric (theory.md §5)."""

from __future__ import annotations

import numpy as np

from ...model import Tree
from ..closed_form.coriolis import coriolis_matrix, mass_matrix_rate


def skew_symmetry_defect(tree: Tree, q: np.ndarray, v: np.ndarray, form: str = "skew") -> np.ndarray:
    """Largest entry (...) of N + Nᵀ over the largest of Ṁ and 2C, for N = Ṁ − 2C and a form of C.

    Rounding size for every form but "papers" (theory.md §17).
    """
    M_dot, C = mass_matrix_rate(tree, q, v), coriolis_matrix(tree, q, v, form)
    N = M_dot - 2 * C
    size = np.maximum(np.abs(M_dot).max(axis=(-2, -1)), 2 * np.abs(C).max(axis=(-2, -1)))
    defect = np.abs(N + np.swapaxes(N, -1, -2)).max(axis=(-2, -1))
    return defect / np.where(size == 0, 1.0, size)
