"""Added mass of simple shapes in ideal fluid (docs/theory.md §32; Lamb 1932; DNV-RP-C205).

All as six numbers along the shape's own axes at its middle: three masses (kg), three moments of inertia (kg m²).
"""

from __future__ import annotations

import numpy as np

_DUPLICATIONS = 16
#: of a prism with a square face a×a and depth b, moving along b: mass over ρa³ by b/a. The first is a thin disc of
#: equal area, the others are DNV's
_PRISM = (np.array([0.0, 1.0, 2.0, 5.0]), np.array([8.0 / (3.0 * np.pi**1.5), 0.68, 0.72, 0.75]))


def lamb_integrals(semi_axes: np.ndarray) -> np.ndarray:
    """α_i = abc ∫ dλ/((a_i²+λ)Δ) (3,) of an ellipsoid, their sum is 2; by duplication of their arguments (Carlson)."""
    squares = np.asarray(semi_axes) ** 2
    product = float(np.prod(semi_axes))
    return np.array([2.0 / 3.0 * product * _carlson_d(np.roll(squares, -1 - i)) for i in range(3)])


def ellipsoid(semi_axes: np.ndarray, density: float) -> np.ndarray:
    """Of an ellipsoid (Lamb, art. 114 and 115)."""
    volume = 4.0 / 3.0 * np.pi * float(np.prod(semi_axes))
    return density * volume * ellipsoid_factors(semi_axes)


def ellipsoid_factors(semi_axes: np.ndarray) -> np.ndarray:
    """The same for a displaced mass of 1 kg: shares of it, and squares of lengths (m²)."""
    α, squares = lamb_integrals(semi_axes), np.asarray(semi_axes) ** 2
    turning = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        difference, total = squares[j] - squares[k], squares[j] + squares[k]
        slope = α[k] - α[j]
        even = abs(difference) <= 1e-14 * total
        turning.append(0.0 if even else difference**2 * slope / (2 * difference - total * slope) / 5.0)
    return np.array([*(α / (2.0 - α)), *turning])


def box(size: np.ndarray, density: float) -> np.ndarray:
    """Of a box: along each edge the prism with a square face of the same area; turning as the ellipsoid inside it.

    The ellipsoid's squares of lengths count with the box's displaced mass.
    """
    masses = []
    for i in range(3):
        face = float(np.sqrt(size[(i + 1) % 3] * size[(i + 2) % 3]))
        masses.append(density * face**3 * np.interp(size[i] / face, *_PRISM))
    displaced = density * float(np.prod(size))
    return np.array([*masses, *(displaced * ellipsoid_factors(0.5 * size)[3:])])


def _carlson_d(x: np.ndarray) -> float:
    """R_D(x, y, z) = (3/2) ∫ dλ/(√(x+λ)√(y+λ)(z+λ)^{3/2}) from 0 on."""
    total, scale = 0.0, 1.0
    for _ in range(_DUPLICATIONS):
        a, b, c = np.sqrt(x)
        shift = a * b + b * c + c * a
        total += 3.0 * scale / (c * (x[2] + shift))
        x, scale = (x + shift) / 4.0, scale / 4.0
    return float(total + scale * x[2] ** -1.5)  # all three are one number by now
