"""The first sloshing mode of a liquid in a sphere, by Ritz's method with harmonic functions (theory.md §38).

φ = Σ c_l r^l P_l¹(cos θ) cos ψ fulfils Laplace's equation; λ ∫_S φ² = ∫ |∇φ|² = ∮ φ ∂φ/∂n over surface and wall
makes the wall and the surface's condition natural. All in the radius as unit of length.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

_TERMS = 14
_NODES = 80


@lru_cache(maxsize=64)
def first_mode(filling: float) -> tuple[float, float]:
    """(λR, share of the mass) at a filling height, in radii."""
    z_s = filling - 1.0  # the surface, from the centre
    edge = np.sqrt(1.0 - z_s**2)
    s, w = np.polynomial.legendre.leggauss(_NODES)
    # the surface: a disc
    ρ = 0.5 * edge * (s + 1.0)
    φ, _, φ_z = _functions(ρ, np.full_like(ρ, z_s))
    area = 0.5 * edge * w * ρ
    M = (φ * area) @ φ.T
    K = (φ * area) @ φ_z.T
    moment = (φ * area * ρ).sum(axis=1)
    # the wall, from the lowest point to the edge; its normal is the radius
    top = np.arccos(np.clip(-z_s, -1.0, 1.0))
    angle = 0.5 * top * (s + 1.0)
    ρ, z = np.sin(angle), -np.cos(angle)
    φ, φ_ρ, φ_z = _functions(ρ, z)
    K = K + (φ * (0.5 * top * w * ρ)) @ (φ_ρ * ρ + φ_z * z).T
    λ, c = _first(0.5 * (K + K.T), M)
    volume = np.pi * filling**2 * (1.0 - filling / 3.0)
    mass = λ * np.pi * (c @ moment) ** 2 / (c @ M @ c)
    return float(λ), float(mass / volume)


def _first(K: np.ndarray, M: np.ndarray) -> tuple[float, np.ndarray]:
    """The smallest λ of K c = λ M c and its c; K is positive definite and better conditioned than M."""
    scale = 1.0 / np.sqrt(np.diag(K))
    A, B = scale[:, None] * K * scale, scale[:, None] * M * scale
    e, U = np.linalg.eigh(A)
    keep = e > 1e-13 * e[-1]
    root = U[:, keep] / np.sqrt(e[keep])
    μ, Y = np.linalg.eigh(root.T @ B @ root)
    return 1.0 / μ[-1], scale * (root @ Y[:, -1])


def _functions(ρ: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """r^l P_l¹ (terms, n) for l = 1 … terms, of ρ and z (n,), and their slopes along both.

    By the recursion (l − 1) f_l = (2l − 1) z f_{l−1} − l r² f_{l−2}, f_1 = ρ, f_0 = 0.
    """
    r2 = ρ**2 + z**2
    o, i = np.zeros_like(ρ), np.ones_like(ρ)
    f, f_ρ, f_z = [o, ρ], [o, i], [o, o]
    for l in range(2, _TERMS + 1):
        a, b = (2 * l - 1) / (l - 1), l / (l - 1)
        f.append(a * z * f[-1] - b * r2 * f[-2])
        f_ρ.append(a * z * f_ρ[-1] - b * (r2 * f_ρ[-2] + 2.0 * ρ * f[-3]))
        f_z.append(a * (f[-2] + z * f_z[-1]) - b * (r2 * f_z[-2] + 2.0 * z * f[-3]))
    return np.array(f[1:]), np.array(f_ρ[1:]), np.array(f_z[1:])
