"""The classic Runge–Kutta method of order four for ordinary differential equations ẏ = f(y)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def rk4_step(rates: Callable[[np.ndarray], np.ndarray], y: np.ndarray, step: float) -> np.ndarray:
    """y (..., n) one step of `step` seconds later, rates(y) being ẏ (..., n)."""
    k1 = rates(y)
    k2 = rates(y + 0.5 * step * k1)
    k3 = rates(y + 0.5 * step * k2)
    k4 = rates(y + step * k3)
    return y + (step / 6.0) * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def rk4(rates: Callable[[np.ndarray], np.ndarray], y: np.ndarray, step: float, steps: int) -> np.ndarray:
    """y (..., n) after a number of steps of `step` seconds each."""
    for _ in range(steps):
        y = rk4_step(rates, y, step)
    return y
