"""Elementary functions made of others, accurate also where the textbook's formula cancels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .array_functions import equal, less, where


def expm1(x: Any) -> Any:
    """exp(x) - 1, by tanh(x/2) near zero."""
    t = np.tanh(0.5 * x)
    near = less(abs(x), 1.0)
    return where(near, 2.0 * t / where(near, 1.0 - t, 1.0), np.exp(x) - 1.0)


def log1p(x: Any) -> Any:
    """log(1 + x), with the rounding of 1 + x divided out."""
    u = 1.0 + x
    rounded = equal(u, 1.0)
    infinite = equal(u, math.inf)
    plain = rounded | infinite
    return where(plain, where(infinite, u, x), np.log(u) * (x / where(plain, 1.0, u - 1.0)))


def sinh(x: Any) -> Any:
    """(exp(x) - exp(-x)) / 2."""
    e = expm1(x)
    near = less(abs(x), 1.0)
    return where(near, 0.5 * (e + e / where(near, 1.0 + e, 1.0)), 0.5 * (np.exp(x) - np.exp(-x)))


def cosh(x: Any) -> Any:
    """(exp(x) + exp(-x)) / 2."""
    return 0.5 * (np.exp(x) + np.exp(-x))


def log10(x: Any) -> Any:
    """Logarithm to base 10."""
    return np.log(x) * (1.0 / math.log(10.0))


def log2(x: Any) -> Any:
    """Logarithm to base 2."""
    return np.log(x) * (1.0 / math.log(2.0))


def exp2(x: Any) -> Any:
    """2 to the power x."""
    return np.exp(math.log(2.0) * x)


def remainder(x: Any, y: Any) -> Any:
    """x - y floor(x / y), with the sign of y."""
    return x - y * np.floor(x / y)
