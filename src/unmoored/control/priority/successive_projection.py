"""Levels of equalities by successive projection (task-priority.md; Siciliano & Slotine 1991), smooth at singularities.

    A = J N,   z = A⁺(b − J x),   x ← x + α N z,   N ← N − α N A⁺A

A⁺ = Aᵀf(A Aᵀ) with f(λ) = 1/λ, below ε² continued by its tangent: exact along directions whose singular value is at
least ε, damped along the others, once continuously differentiable in between. α: how much of the level is in force.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...lie.arrays import apply, scale_vector, transpose
from ...trace import is_symbolic, less, maximum, where
from .symmetric_eigenvalues import eigenvalues


class Projected(NamedTuple):
    """Where a level wants to go from x: A (..., k, n) = J N, z (..., n), and A⁺A (..., n, n) of what it takes."""

    A: np.ndarray
    z: np.ndarray
    taken: np.ndarray


def is_whole(J: Any) -> bool:
    """Whether J is the identity, known when the code is made: a posture of all DoFs."""
    return not is_symbolic(J) and J.shape[-1] == J.shape[-2] and np.array_equal(J, np.eye(J.shape[-1]))


def projected(J: np.ndarray, r: np.ndarray, N: np.ndarray | None, ε: Any) -> Projected:
    """z = A⁺ r for r = b − J x (..., k), J (..., k, n), N (..., n, n) or None for the identity."""
    A = J if N is None else J @ N
    if is_whole(J):  # what is left of all: N is its own pseudo-inverse
        return Projected(A, r if N is None else apply(transpose(N), r), np.eye(J.shape[-1]))
    F = inverted_smoothly(A @ transpose(A), ε)
    return Projected(A, apply(transpose(A), apply(F, r)), transpose(A) @ (F @ A))


def inverted_smoothly(G: np.ndarray, ε: Any) -> np.ndarray:
    """f(G) (..., k, k) of symmetric positive semidefinite G."""
    λ, V = eigenvalues(G)
    square = np.asarray(ε * ε)[..., None]
    f = where(less(λ, square), (2.0 - λ / square) / square, 1.0 / maximum(λ, square))
    return (V * f[..., None, :]) @ transpose(V)


def moved(x: np.ndarray, N: np.ndarray | None, z: np.ndarray, share: Any) -> np.ndarray:
    """x + α N z."""
    step = z if N is None else apply(N, z)
    return x + (step if _is_one(share) else scale_vector(share, step))


def left_over(N: np.ndarray | None, taken: np.ndarray, share: Any) -> np.ndarray:
    """N − α N A⁺A (..., n, n)."""
    taken = taken if N is None else N @ taken
    taken = taken if _is_one(share) else np.asarray(share)[..., None, None] * taken
    return (np.eye(taken.shape[-1]) if N is None else N) - taken


def _is_one(share: Any) -> bool:
    return isinstance(share, float) and share == 1.0
