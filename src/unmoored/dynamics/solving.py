"""Linear systems whose two sides may have different batches."""

from __future__ import annotations

import numpy as np

from ..trace import solve


def solved(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x (..., n) with A x = b: A (..., n, n) symmetric positive definite, b (..., n); batches broadcast."""
    batch = np.broadcast_shapes(A.shape[:-2], b.shape[:-1])
    return solve(np.broadcast_to(A, (*batch, *A.shape[-2:])), np.broadcast_to(b, (*batch, b.shape[-1])))
