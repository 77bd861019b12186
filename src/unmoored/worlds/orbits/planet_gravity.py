"""A planet's gravity beside a falling reference point: exact, without losing digits (theory.md §19).

Of a place ρ beside the reference R count the differences of the field; q = ρ·(ρ + 2R)/R² (Battin).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...lie.arrays import scale_vector

if TYPE_CHECKING:
    from .orbit import Orbit


def dot(a: Any, b: Any) -> Any:
    """Σ a_i b_i (...) of vectors (..., 3)."""
    return (a * b).sum(axis=-1)


def relative_acceleration(orbit: Orbit, R: Any, ρ: Any) -> Any:
    """a(R + ρ) − a(R) (..., 3): of free fall at R + ρ, beside that of the reference point."""
    square = dot(R, R)
    q = dot(ρ, ρ + 2.0 * R) / square
    s = np.sqrt(1.0 + q)
    f = q * (3.0 + 3.0 * q + q * q) / (1.0 + s**3)
    pull = orbit.gravitational_parameter / (square * np.sqrt(square))
    near = scale_vector(-pull, ρ - scale_vector(f / s**3, R + ρ))
    if not orbit.j2:
        return near
    return near + flattening_acceleration(orbit, R + ρ) - flattening_acceleration(orbit, R)


def relative_potential(orbit: Orbit, R: Any, ρ: Any) -> Any:
    """Energy per mass (...) [J/kg] whose slope is −`relative_acceleration`; zero with its slope at ρ = 0."""
    square = dot(R, R)
    q = dot(ρ, ρ + 2.0 * R) / square
    s = np.sqrt(1.0 + q)
    part = q * q * (s + 2.0) / (2.0 * s * (1.0 + s) ** 2) - dot(ρ, ρ) / (2.0 * square)
    near = -orbit.gravitational_parameter / np.sqrt(square) * part
    if not orbit.j2:
        return near
    flat = flattening_potential(orbit, R + ρ) - flattening_potential(orbit, R)
    return near + flat + dot(ρ, flattening_acceleration(orbit, R))


def relative_potential_rate(orbit: Orbit, R: Any, V: Any, ρ: Any) -> Any:
    """∂/∂t (...) [W/kg] of `relative_potential` at a fixed ρ, while the reference moves with V (..., 3)."""
    square = dot(R, R)
    pull = orbit.gravitational_parameter / (square * np.sqrt(square))
    linear = scale_vector(pull, scale_vector(3.0 * dot(R, ρ) / square, R) - ρ)
    if orbit.j2:
        linear = linear + flattening_gradient(orbit, R, ρ)
    return dot(linear - relative_acceleration(orbit, R, ρ), V)


def flattening_acceleration(orbit: Orbit, r: Any) -> Any:
    """−(3/2) J₂ μ R_e²/r⁵ ((1 − 5w²/r²) r + 2w k) (..., 3), w = r·k along the pole k."""
    if not orbit.j2:
        return 0.0 * r
    square, w = dot(r, r), dot(r, orbit.pole)
    along = scale_vector(1.0 - 5.0 * w * w / square, r) + scale_vector(2.0 * w, orbit.pole)
    return scale_vector(-_strength(orbit) / (square * square * np.sqrt(square)), along)


def flattening_potential(orbit: Orbit, r: Any) -> Any:
    """½ J₂ μ R_e² (3w²/r² − 1)/r³ (...) [J/kg]."""
    square, w = dot(r, r), dot(r, orbit.pole)
    return _strength(orbit) / 3.0 * (3.0 * w * w / square - 1.0) / (square * np.sqrt(square))


def flattening_gradient(orbit: Orbit, r: Any, δ: Any) -> Any:
    """Change (..., 3) of `flattening_acceleration` along a small δ (..., 3): its rate, if δ is a velocity."""
    square, w, w_δ, along = dot(r, r), dot(r, orbit.pole), dot(δ, orbit.pole), dot(r, δ)
    ratio = w / square
    turned = scale_vector(10.0 * ratio * (ratio * along - w_δ), r)
    turned = turned + scale_vector(1.0 - 5.0 * w * ratio, δ) + scale_vector(2.0 * w_δ, orbit.pole)
    first = scale_vector(-_strength(orbit) / (square * square * np.sqrt(square)), turned)
    return first - scale_vector(5.0 * along / square, flattening_acceleration(orbit, r))


def _strength(orbit: Orbit) -> float:
    return 1.5 * orbit.j2 * orbit.gravitational_parameter * orbit.equatorial_radius**2
