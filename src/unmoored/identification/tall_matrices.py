"""Triangles of tall matrices, piece by piece: small factorisations stay on one core, in cache."""

from __future__ import annotations

import numpy as np

from .recording import Array

_ROWS = 128


def triangle(A: Array) -> Array:
    """R (k, n) with RᵀR = AᵀA, upper triangular, k = min(m, n), of A (m, n)."""
    n = A.shape[1]
    while len(A) > max(_ROWS, 2 * n):
        step = max(_ROWS, 2 * n)
        A = np.concatenate([np.linalg.qr(A[k : k + step], mode="r") for k in range(0, len(A), step)])
    return np.asarray(np.linalg.qr(A, mode="r"))
