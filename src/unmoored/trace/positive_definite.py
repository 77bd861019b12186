"""Dense symmetric positive definite systems, on numbers and on symbols; small ones are unrolled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .array_functions import is_symbolic
from .linear import entries_of, inverted, right_sides, solved, square_size

#: matrices with more rows than this are loops in kernels; unrolled, structural zeros cost nothing
_UNROLLED = 24


def solve_spd(A: Any, b: Any) -> Any:
    """Solution x of A x = b for symmetric positive definite A (only its lower triangle is read on symbols).

    A is (..., n, n); b is (..., n) if it has one dimension less than A, or (..., n, k) if it has as many.
    """
    A, b = entries_of(A), entries_of(b)
    n, right, vector = right_sides(A, b, "solve_spd")
    if is_symbolic(A, b):
        if n > _UNROLLED:
            return solved(A, right, vector, positive=True)
        x = _substitute(*_factor(A.astype(object)), right.astype(object))
    else:
        x = np.linalg.solve(A, right)
    return x[..., 0] if vector else x


def factored_spd(A: Any) -> Callable[[Any], Any]:
    """b (..., n) ↦ x with A x = b for a positive definite A (..., n, n), factored once for any number of b."""
    A = entries_of(A)
    if not is_symbolic(A):
        return lambda b: np.linalg.solve(A, np.asarray(b)[..., None])[..., 0]
    if square_size(A) > _UNROLLED:
        inverse = inverted(A)
        return lambda b: (inverse @ b[..., None])[..., 0]
    L, inverse_D = _factor(A.astype(object))
    return lambda b: _substitute(L, inverse_D, np.asarray(b, dtype=object)[..., None])[..., 0]


def inverse_spd(A: Any) -> Any:
    """Inverse of a symmetric positive definite A (..., n, n), exactly symmetric."""
    A = entries_of(A)
    n = square_size(A)
    if not is_symbolic(A):
        inverse = np.linalg.inv(A)
        return 0.5 * (inverse + np.swapaxes(inverse, -1, -2))
    if n > _UNROLLED:
        return inverted(A)
    L, inverse_D = _factor(A.astype(object))
    K = _inverse_lower(L)
    X = np.empty_like(K)
    for i in range(n):
        for j in range(i + 1):
            # (L⁻ᵀ D⁻¹ L⁻¹)_ij, whose terms k < i vanish because L⁻¹ is lower triangular
            X[..., i, j] = X[..., j, i] = sum(
                K[..., k, i] * (inverse_D[k] * K[..., k, j]) for k in range(i, n)
            )
    return X


def _factor(A: np.ndarray) -> tuple[np.ndarray, list[Any]]:
    """Unit lower triangular L and the list of 1/D_k with A = L D Lᵀ, right-looking."""
    n = A.shape[-1]
    A = A.copy()
    L = np.zeros_like(A)
    inverse_D: list[Any] = []
    for k in range(n):
        inverse_D.append(1.0 / A[..., k, k])
        L[..., k, k] = 1.0
        for i in range(k + 1, n):
            L[..., i, k] = A[..., i, k] * inverse_D[k]
            for j in range(k + 1, i + 1):
                A[..., i, j] = A[..., i, j] - L[..., i, k] * A[..., j, k]
    return L, inverse_D


def _substitute(L: np.ndarray, inverse_D: list[Any], right: np.ndarray) -> np.ndarray:
    n = L.shape[-1]
    x = np.broadcast_to(right, L.shape[:-2] + right.shape[-2:]).copy()
    for i in range(n):
        for k in range(i):
            x[..., i, :] = x[..., i, :] - _column(L[..., i, k]) * x[..., k, :]
    for i in reversed(range(n)):
        x[..., i, :] = x[..., i, :] * _column(inverse_D[i])
        for k in reversed(range(i + 1, n)):  # what was found last comes last: it is waited for
            x[..., i, :] = x[..., i, :] - _column(L[..., k, i]) * x[..., k, :]
    return x


def _column(entry: Any) -> Any:
    return entry[..., None] if isinstance(entry, np.ndarray) else entry


def _inverse_lower(L: np.ndarray) -> np.ndarray:
    """Inverse of a unit lower triangular matrix."""
    n = L.shape[-1]
    K = np.zeros_like(L)
    for j in range(n):
        K[..., j, j] = 1.0
        for i in range(j + 1, n):
            K[..., i, j] = -sum(L[..., i, k] * K[..., k, j] for k in range(j, i))
    return K
