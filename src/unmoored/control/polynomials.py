"""Polynomials between times: value and derivatives."""

from __future__ import annotations

from math import perm

import numpy as np

from ..dynamics.forced_base import PrescribedMotion


def evaluated(c: np.ndarray, s: np.ndarray) -> PrescribedMotion:
    """Value and two derivatives (..., n) of Σ_k c_k s^k, by Horner's rule; c (..., degree + 1, n), s (..., 1)."""
    x = v = a = 0.0
    for k in reversed(range(c.shape[-2])):
        a = a * s + (k * (k - 1) * c[..., k, :] if k >= 2 else 0.0) if k >= 2 else a
        v = v * s + k * c[..., k, :] if k >= 1 else v
        x = x * s + c[..., k, :]
    return PrescribedMotion(np.asarray(x), np.asarray(v), np.asarray(a))


def derivative(c: np.ndarray, s: np.ndarray, order: int) -> np.ndarray:
    """The derivative (..., n) of some order of Σ_k c_k s^k; c (..., degree + 1, n), s (..., 1)."""
    x = 0.0 * s * c[..., 0, :]
    for k in reversed(range(order, c.shape[-2])):
        x = x * s + perm(k, order) * c[..., k, :]
    return np.asarray(x)
