"""Eigenvalues and eigenvectors of small symmetric matrices in kernels: cyclic Jacobi rotations, a fixed number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lie.arrays import vector
from ...trace import copysign, is_symbolic, repeat

_TINY = 1e-300


def eigenvalues(G: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(λ (..., k), V (..., k, k)) with G = V diag(λ) Vᵀ for symmetric G (..., k, k); in no order on symbols."""
    if not is_symbolic(G):
        return np.linalg.eigh(G)
    k = len(G)
    lower = [(i, j) for i in range(k) for j in range(i + 1)]

    def sweep(_: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        a = {pair: state[0][n] for n, pair in enumerate(lower)}
        V = [[state[1][i, j] for j in range(k)] for i in range(k)]
        for p in range(k):
            for q in range(p + 1, k):
                _rotate(a, V, p, q)
        return vector([a[pair] for pair in lower]), np.array(V)

    start = vector([G[i, j] for i, j in lower]), np.eye(k)
    entries, V = repeat(sweep, start, _sweeps(k))
    return vector([entries[n] for n, (i, j) in enumerate(lower) if i == j]), V


def _sweeps(k: int) -> int:
    """Enough for rounding: convergence is quadratic, and slower at first the larger the matrix."""
    return (0, 0, 1, 5, 5, 6, 6)[k] if k <= 6 else 7 if k <= 9 else 8


def _rotate(a: dict[tuple[int, int], Any], V: list[list[Any]], p: int, q: int) -> None:
    """Turn rows and columns p < q so that entry (q, p) vanishes; a holds the lower triangle."""
    x, d = a[q, p], a[q, q] - a[p, p]
    t = 2.0 * x * copysign(1.0, d) / (np.abs(d) + np.sqrt(d * d + 4.0 * (x * x)) + _TINY)
    c = 1.0 / np.sqrt(1.0 + t * t)
    s = t * c
    a[p, p], a[q, q], a[q, p] = a[p, p] - t * x, a[q, q] + t * x, 0.0
    for i in range(len(V)):
        if i not in (p, q):
            ip, iq = (max(i, p), min(i, p)), (max(i, q), min(i, q))
            a[ip], a[iq] = c * a[ip] - s * a[iq], s * a[ip] + c * a[iq]
        V[i][p], V[i][q] = c * V[i][p] - s * V[i][q], s * V[i][p] + c * V[i][q]
