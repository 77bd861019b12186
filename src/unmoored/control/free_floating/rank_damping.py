"""Damping that begins where a Jacobian nears a loss of rank: continuous in the configuration, without eigenvalues."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lie.arrays import transpose
from ...trace import maximum


def least_square_bound(J: np.ndarray) -> Any:
    """A lower bound (...) of the square of the smallest singular value of J (..., k, n), k ≤ n; zero where that is.

    det JJᵀ = λ_1 … λ_k ≤ λ_1 ((λ_2 + … + λ_k)/(k − 1))^(k−1) ≤ λ_1 (tr/(k − 1))^(k−1), so λ_1 ≥ det ((k − 1)/tr)^(k−1).
    """
    k = J.shape[-2]
    square = J @ transpose(J)
    if k == 1:
        return square[..., 0, 0]
    trace = sum(square[..., i, i] for i in range(k))
    mean = trace / (k - 1)
    bound: Any = 1.0
    for pivot in _pivots(square):
        bound = bound * pivot
    for _ in range(k - 1):
        bound = bound / maximum(mean, 1e-300)
    return bound


def rank_damping(J: np.ndarray, threshold: Any, largest: Any) -> Any:
    """λ (...): zero while the bound of σ_min(J)² is above threshold², growing to `largest` where J loses rank."""
    return largest * maximum(0.0, 1.0 - least_square_bound(J) / (threshold * threshold))


def _pivots(A: np.ndarray) -> list[Any]:
    """Pivots of the elimination of a positive semidefinite A (..., k, k), not below zero."""
    A, k, found = np.array(A, copy=True), A.shape[-1], []
    for i in range(k):
        pivot = maximum(A[..., i, i], 0.0)
        found.append(pivot)
        inverse = 1.0 / maximum(pivot, 1e-300)
        for r in range(i + 1, k):
            share = np.asarray(A[..., r, i] * inverse)[..., None]
            A[..., r, i + 1 :] = A[..., r, i + 1 :] - share * A[..., i, i + 1 :]
    return found
