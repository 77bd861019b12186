"""Balance of power at an instant, and of energy and momentum along sampled motions (theory.md §17)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model import Tree
from ..closed_form.closed_form_dynamics import closed_form_inverse_dynamics
from ..closed_form.coriolis import mass_matrix_rate
from ..energy import energy
from ..gravity import gravity_forces
from ..mass_matrix import mass_matrix
from ..momentum import momentum
from ..wrenches import Wrenches, wrench_forces

NO_GRAVITY = np.zeros(3)


@dataclass(frozen=True)
class Balance:
    """A quantity along samples: residual = stored − stored at the start − supplied, which should vanish.

    stored, supplied, residual: (samples,) or (samples, 6).  worst: the largest magnitude of the residual.
    """

    stored: np.ndarray
    supplied: np.ndarray
    residual: np.ndarray
    worst: float


def power_balance(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    gravity: np.ndarray = NO_GRAVITY,
    wrenches: Wrenches | None = None,
) -> np.ndarray:
    """Passivity residual (...) [W]: power of τ and of the wrenches minus d/dt of the total energy.

    τ is what the closed form asks for at (q, v, a). d/dt T = vᵀMa + ½vᵀṀv and d/dt U = nᵀv are formed
    on their own, so the residual is ½ vᵀ(2C − Ṁ)v: zero for every right C.
    """
    τ = closed_form_inverse_dynamics(tree, q, v, a, gravity, wrenches)
    supplied = _dot(v, τ + wrench_forces(tree, q, wrenches))
    M, M_dot = mass_matrix(tree, q), mass_matrix_rate(tree, q, v)
    kinetic = _dot(v, (M @ a[..., None])[..., 0]) + 0.5 * _dot(v, (M_dot @ v[..., None])[..., 0])
    return supplied - kinetic - _dot(v, gravity_forces(tree, q, gravity))


def energy_balance(
    tree: Tree,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray | None = None,
    gravity: np.ndarray = NO_GRAVITY,
) -> Balance:
    """Total energy (J) along a motion t (samples,), q (samples, nq), v (samples, nv).

    tau: (samples, nv), all generalised forces but gravity's, none if not given. Their work is
    integrated over the samples to fourth order in an even time step.
    """
    E = energy(tree, q, v, gravity).total
    return _balance(E, np.zeros_like(E) if tau is None else cumulative_integral(t, _dot(v, tau)))


def momentum_balance(
    tree: Tree, t: np.ndarray, q: np.ndarray, v: np.ndarray, wrench: np.ndarray | None = None
) -> Balance:
    """Momentum (linear, angular) about the world origin in world axes, along a motion as in `energy_balance`.

    wrench: vectors (samples, 6), the total external wrench about the world origin, world axes; none if not
    given.
    """
    μ = momentum(tree, q, v)
    return _balance(μ, np.zeros_like(μ) if wrench is None else cumulative_integral(t, wrench))


def cumulative_integral(t: np.ndarray, f: np.ndarray) -> np.ndarray:
    """∫ f dt from t[0] on, shape (samples, ...) as f: trapezoids with the correction −h²(f′₁ − f′₀)/12."""
    h = np.diff(t).reshape(-1, *[1] * (f.ndim - 1))
    slope = np.gradient(f, t, axis=0, edge_order=2)
    steps = h / 2 * (f[1:] + f[:-1]) - h**2 / 12 * (slope[1:] - slope[:-1])
    return np.concatenate([np.zeros_like(f[:1]), np.cumsum(steps, axis=0)])


def _balance(stored: np.ndarray, supplied: np.ndarray) -> Balance:
    residual = stored - stored[0] - supplied
    return Balance(stored, supplied, residual, float(np.abs(residual).max()))


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b).sum(axis=-1)
