"""Steps of a Kalman filter whose matrices are given by their 3×3 blocks: what is zero is left out, not multiplied.

Covariances P (n, n) are symmetric; only their upper triangles are computed. filters.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..lie.arrays import Array, mirrored, transpose
from ..trace import matmul, solve_spd

#: {number of a block of three columns: block (m, 3)}: rows of a sparse matrix
Row = Mapping[int, Array]


def block(P: Array, r: int, c: int) -> Array:
    """Block (3, 3) of a matrix."""
    return P[3 * r : 3 * r + 3, 3 * c : 3 * c + 3]


def row_times(row: Row, P: Array) -> Array:
    """A row of blocks times P (n, k): (m, k)."""
    return sum(part @ P[3 * c : 3 * c + 3] for c, part in row.items())


def times_row(P: Array, row: Row) -> Array:
    """P (k, n) times the transpose of a row of blocks: (k, m)."""
    return sum(P[:, 3 * c : 3 * c + 3] @ transpose(part) for c, part in row.items())


def propagated(P: Array, rows: Mapping[int, Row], noise: Mapping[tuple[int, int], Array]) -> Array:
    """F P Fᵀ + Q (n, n): F has the given rows of blocks, the others are those of the identity.

    noise: blocks (r, c) of Q with r ≤ c.
    """
    n = P.shape[0] // 3
    half = [row_times(rows[r], P) if r in rows else P[3 * r : 3 * r + 3] for r in range(n)]
    found = np.zeros((3 * n, 3 * n), dtype=object if P.dtype == object else float)
    for r in range(n):
        for c in range(r, n):
            part = times_row(half[r], rows[c]) if c in rows else half[r][:, 3 * c : 3 * c + 3]
            part = part + noise[r, c] if (r, c) in noise else part
            found[3 * r : 3 * r + 3, 3 * c : 3 * c + 3] = part
    return mirrored(found)


class Correction(NamedTuple):
    """δ (n,): by how much the error's mean moves.  P (n, n): its covariance afterwards.  nis: νᵀS⁻¹ν, zero if there
    was no reading."""

    δ: Array
    P: Array
    nis: Any


def corrected(P: Array, H: Row, N: Array, ν: Array, fresh: Any) -> Correction:
    """The update by an innovation ν (m,) with rows H and covariance N (m, m); fresh: 1, or 0: nothing changes.

    (1 − KH)P(1 − KH)ᵀ + K N Kᵀ, Joseph's form, in the order ((1 − KH)P)(1 − KH)ᵀ.
    """
    A = row_times(H, P)
    S = times_row(A, H) + N
    S = 0.5 * (S + transpose(S))
    both = solve_spd(S, np.concatenate([A, ν[:, None]], axis=-1))
    K = fresh * transpose(both[:, :-1])
    half = P - K @ A
    new = half - (times_row(half, H) - K @ N) @ transpose(K)
    return Correction(K @ ν, mirrored(new), fresh * (ν @ both[:, -1]))


def corrected_whole(P: Array, H: Array, N: Array, ν: Array, fresh: Any) -> Correction:
    """The same for H (m, n) as a whole, with products as loops where they are large."""
    A = matmul(H, P)
    S = matmul(A, transpose(H)) + N
    S = 0.5 * (S + transpose(S))
    both = solve_spd(S, np.concatenate([A, ν[:, None]], axis=-1))
    K = fresh * transpose(both[:, :-1])
    half = P - matmul(K, A)
    new = half - matmul(matmul(half, transpose(H)) - matmul(K, N), transpose(K))
    return Correction(matmul(K, ν), 0.5 * (new + transpose(new)), fresh * (ν @ both[:, -1]))
