"""Elementary functions made of others, accurate also where the textbook's formula cancels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .array_functions import copysign, equal, less, maximum, where


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


def arcsinh(x: Any) -> Any:
    """log(x + √(x² + 1)), without cancellation near zero and with its sign."""
    size = abs(x)
    return copysign(log1p(size + size * size / (1.0 + np.sqrt(1.0 + size * size))), x)


def arccosh(x: Any) -> Any:
    """log(x + √(x² − 1)), without cancellation near one."""
    beyond = x - 1.0
    return log1p(beyond + np.sqrt(beyond * (x + 1.0)))


def arctanh(x: Any) -> Any:
    """½ log((1 + x) / (1 − x)), without cancellation near zero."""
    return 0.5 * log1p(2.0 * x / (1.0 - x))


def cbrt(x: Any) -> Any:
    """The real cube root, by the logarithm and one step of Newton's."""
    size = abs(x)
    none = equal(size, 0.0)
    root = np.exp(np.log(where(none, 1.0, size)) * (1.0 / 3.0))
    root = root - (root * root * root - where(none, 1.0, size)) / (3.0 * root * root)
    return where(none, x, copysign(root, x))


def ceil(x: Any) -> Any:
    """The least whole number that is at least x."""
    return -np.floor(-x)


def trunc(x: Any) -> Any:
    """The whole number next to x towards zero."""
    return copysign(np.floor(abs(x)), x)


def fmod(x: Any, y: Any) -> Any:
    """x - y trunc(x / y), with the sign of x."""
    return x - y * trunc(x / y)


def heaviside(x: Any, at_zero: Any) -> Any:
    """0 below zero, 1 above, and the given number there; NaN of NaN."""
    return where(equal(x, x), where(less(x, 0.0), 0.0, where(equal(x, 0.0), at_zero, 1.0)), x)


def logaddexp(a: Any, b: Any) -> Any:
    """log(exp(a) + exp(b)), without overflow."""
    return maximum(a, b) + log1p(np.exp(-abs(a - b)))
