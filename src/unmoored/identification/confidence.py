"""How far the truth may be from what was found: quantiles where the noise is told, and where it is estimated.

Errors of n numbers in units of their covariance: eᵀC⁻¹e is χ² with n degrees of freedom if the noise in C is known. If
its size comes from the residuals, with ν degrees of freedom, eᵀC⁻¹e / n has Fisher's distribution F(n, ν) instead: its
tails are longer, the more so the fewer rows there are.
"""

from __future__ import annotations

import math

from ..sensing.consistency import chi_square_quantile
from .recording import is_number, wrong

_ITERATIONS = 200
#: degrees of freedom beyond which the noise is as good as told
_MANY = 1e7


def squared_radius(n: int, freedom: float | None, probability: float) -> float:
    """The number that eᵀC⁻¹e of n errors does not exceed with this probability.

    freedom: ν of the estimated size of the noise; None where it is told.
    """
    if not (is_number(probability, above=0.0) and probability < 1.0):
        raise wrong("Identified", "probability", "between 0 and 1", repr(probability))
    if freedom is None or freedom > _MANY:
        return chi_square_quantile(n, probability)
    low, high = 0.0, 1.0  # of x = nF / (nF + ν), which is Beta(n/2, ν/2)
    for _ in range(_ITERATIONS):
        middle = 0.5 * (low + high)
        if beta_ratio(0.5 * n, 0.5 * freedom, middle) < probability:
            low = middle
        else:
            high = middle
    x = 0.5 * (low + high)
    return freedom * x / (1.0 - x) if x < 1.0 else math.inf


def beta_ratio(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by its continued fraction (modified Lentz)."""
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - beta_ratio(b, a, 1.0 - x)
    front = a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    total, c, d = 1.0, 1.0, 0.0
    for j in range(1, 100_000):
        m = j // 2
        term = m * (b - m) * x if j % 2 == 0 else -(a + m) * (a + b + m) * x
        term /= (a + j - 1) * (a + j)
        d = 1.0 / (1.0 + term * d)
        c = 1.0 + term / c
        total *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return math.exp(front) / (a * total)
