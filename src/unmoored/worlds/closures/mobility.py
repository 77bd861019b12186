"""What rows J feel of M⁻¹: one factorisation M = L D Lᵀ, of whose solves only halves are needed (theory.md §29)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...lie.arrays import apply, diagonal, mirrored, solved, transpose
from ...trace import greater, is_symbolic, where
from ...trace import solve_spd as solve

#: larger systems are solved whole, by loops in kernels
_UNROLLED = 24


class Mobility(NamedTuple):
    """A = J M⁻¹ Jᵀ (..., c, c) and J M⁻¹ f (..., c); moved(λ): M⁻¹(f + Jᵀλ) (..., n) of multipliers λ (..., c)."""

    A: np.ndarray
    pushed: np.ndarray
    moved: Callable[[np.ndarray], np.ndarray]

    def multipliers(self, kept: np.ndarray, b: np.ndarray) -> np.ndarray:
        """λ (..., c) with A λ = b (..., c) along the rows that are kept (..., c; 1 or 0), zero along the others."""
        return along_kept(self.A, kept, b)


def along_kept(A: np.ndarray, kept: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x (..., c) with A x = b along the rows that are kept (..., c; 1 or 0), zero along the others."""
    if is_symbolic(A, b) and A.shape[-1] <= _UNROLLED:
        return _pivots_kept(A, kept, b)
    left = kept[..., :, None] * A * kept[..., None, :] + diagonal(1.0 - kept)
    return solved(left, kept * b)


def _pivots_kept(A: np.ndarray, kept: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The same for one traced sample: in A = L D Lᵀ the inverse of a pivot that is not kept is zero."""
    c = A.shape[-1]
    rest, x = A.astype(object), b.astype(object)
    L = np.zeros((c, c), dtype=object)
    for k in range(c):
        inverse = kept[k] / where(greater(kept[k], 0.5), rest[k, k], 1.0)
        for i in range(k + 1, c):
            L[i, k] = rest[i, k] * inverse
            for j in range(k + 1, i + 1):
                rest[i, j] = rest[i, j] - L[i, k] * rest[j, k]
            x[i] = x[i] - L[i, k] * x[k]
        x[k] = x[k] * inverse
    for i in reversed(range(c)):
        for k in reversed(range(i + 1, c)):
            x[i] = x[i] - L[k, i] * x[k]
    return x


def mobility(M: np.ndarray, f: np.ndarray, J: np.ndarray) -> Mobility:
    """That of M (..., n, n), f (..., n) and rows J (..., c, n).

    The last DoFs are eliminated first, tips before vehicles: branches that do not couple stay uncoupled.
    """
    M, f, J = M[..., ::-1, ::-1], f[..., ::-1], J[..., ::-1]
    if is_symbolic(M, J) and M.shape[-1] <= _UNROLLED:
        return _by_halves(M, f, J)
    batch = np.broadcast_shapes(M.shape[:-2], f.shape[:-1], J.shape[:-2])
    n, c = M.shape[-1], J.shape[-2]
    sides = [np.broadcast_to(f[..., None], (*batch, n, 1)), np.broadcast_to(transpose(J), (*batch, n, c))]
    X = solve(np.broadcast_to(M, (*batch, n, n)), np.concatenate(sides, axis=-1))
    free, Y = X[..., 0], X[..., 1:]
    return Mobility(mirrored(J @ Y), apply(J, free), lambda λ: (free + apply(Y, λ))[..., ::-1])


def _by_halves(M: np.ndarray, f: np.ndarray, J: np.ndarray) -> Mobility:
    """The same for one traced sample: Z = L⁻¹Jᵀ, z = L⁻¹f, A = ZᵀD⁻¹Z, and L⁻ᵀD⁻¹(z + Zλ) at the end."""
    n = M.shape[-1]
    rest, sides = M.astype(object), np.concatenate([f[:, None], transpose(J)], axis=1).astype(object)
    L = np.zeros((n, n), dtype=object)
    inverse: list[Any] = []
    for k in range(n):
        inverse.append(1.0 / rest[k, k])
        for i in range(k + 1, n):
            L[i, k] = rest[i, k] * inverse[k]
            for j in range(k + 1, i + 1):
                rest[i, j] = rest[i, j] - L[i, k] * rest[j, k]
            sides[i] = sides[i] - L[i, k] * sides[k]
    z, Z, weighted = sides[:, 0], sides[:, 1:], np.array(inverse)[:, None] * sides

    def moved(λ: np.ndarray) -> np.ndarray:
        x = (weighted[:, 0] + apply(weighted[:, 1:], λ)).astype(object)
        for i in reversed(range(n)):
            for k in range(i + 1, n):
                x[i] = x[i] - L[k, i] * x[k]
        return x[::-1]

    return Mobility(mirrored(transpose(Z) @ weighted[:, 1:]), apply(transpose(weighted[:, 1:]), z), moved)
