"""Small array builders that work on numbers and on traced symbols alike, with leading batch dimensions.

Arrays are assembled from their entries instead of being allocated and filled, so that the dtype follows
the data and structural zeros stay exact constants, which the tracer folds away.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..trace import solve_spd as solve

Array = Any  # np.ndarray of floats, or of symbols while tracing


def vector(entries: Sequence[Array]) -> Array:
    """Vector (..., n) from n entries of broadcastable batch shapes (...)."""
    if all(np.ndim(entry) == 0 for entry in entries):  # the common case, much faster
        return np.array(entries)
    return np.stack(np.broadcast_arrays(*entries), axis=-1)


def matrix(rows: Sequence[Sequence[Array]]) -> Array:
    """Matrix (..., r, c) from r rows of c entries of broadcastable batch shapes (...)."""
    flat = vector([entry for row in rows for entry in row])
    return flat.reshape((*flat.shape[:-1], len(rows), len(rows[0])))


def join(parts: Iterable[Array]) -> Array:
    """Concatenate vectors (..., n_i), of broadcastable batch shapes, into one vector (..., Σn_i)."""
    return np.concatenate(_same_batch(list(parts), 1), axis=-1)


def blocks(rows: Sequence[Sequence[Array]]) -> Array:
    """Matrix (..., Σr_i, Σc_j) from blocks (..., r_i, c_j) of broadcastable batch shapes."""
    full = iter(_same_batch([block for row in rows for block in row], 2))
    return np.concatenate([np.concatenate([next(full) for _ in row], axis=-1) for row in rows], axis=-2)


def _same_batch(arrays: Sequence[Array], inner: int) -> Sequence[Array]:
    """The arrays with their batch dimensions, all but the last `inner`, broadcast together."""
    batches = {np.shape(array)[:-inner] for array in arrays}
    if len(batches) == 1:
        return arrays
    batch = np.broadcast_shapes(*batches)
    return [np.broadcast_to(array, batch + np.shape(array)[-inner:]) for array in arrays]


def stacked_rows(rows: Sequence[Array]) -> Array:
    """Row blocks (..., n_i, n) stacked into (..., Σ n_i, n), batches broadcast."""
    return np.concatenate(_same_batch(rows, 2), axis=-2)


def apply(matrix_: Array, vector_: Array) -> Array:
    """Matrix (..., r, c) times vector (..., c), giving (..., r)."""
    return (matrix_ @ vector_[..., None])[..., 0]


def scale(factor: Array, matrix_: Array) -> Array:
    """Scalar (...) times matrix (..., r, c)."""
    return np.asarray(factor)[..., None, None] * matrix_


def scale_vector(factor: Array, vector_: Array) -> Array:
    """Scalar (...) times vector (..., n)."""
    return np.asarray(factor)[..., None] * vector_


def diagonal(entries: Array) -> Array:
    """Diagonal matrix (..., n, n) of entries (..., n)."""
    return np.diag(entries) if np.ndim(entries) == 1 else entries[..., None] * np.eye(entries.shape[-1])


def transpose(matrix_: Array) -> Array:
    """Transpose of the last two dimensions, (..., r, c) to (..., c, r)."""
    return np.swapaxes(matrix_, -1, -2)


def mirrored(A: Array) -> Array:
    """The symmetric matrix (..., n, n) with the upper triangle of A; the lower half is never traced."""
    n = A.shape[-1]
    rows, columns = np.indices((n, n))
    return A[..., np.minimum(rows, columns), np.maximum(rows, columns)]


def solved(A: Array, b: Array) -> Array:
    """x (..., n) with A x = b: A (..., n, n) symmetric positive definite, b (..., n); batches broadcast."""
    batch = np.broadcast_shapes(A.shape[:-2], b.shape[:-1])
    return solve(np.broadcast_to(A, (*batch, *A.shape[-2:])), np.broadcast_to(b, (*batch, b.shape[-1])))
