"""Coordinates in which every point is a physical body, water and joint: what a search moves in.

masses, lags, scales          logarithm: they stay positive
tensors                       log-Cholesky: ½ tr(J) 1 − J = L Lᵀ, L lower triangular, logarithms on its diagonal; with
                              mass > 0 that is the pseudo-inertia of a real body (Wensing et al. 2018; Rucker &
                              Wensing 2022), seen from its centre of mass: any numbers are a body
6×6 added mass, matrices      Cholesky: A = L Lᵀ, 21 numbers; a full linear drag adds a skew matrix, 15 more
drag, damping, volume, …      themselves, not below zero
all else                      themselves
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..dynamics.free_numbers import RULES, Parameter
from .recording import Array, wrong

_LOGARITHMIC = ("mass", "inertia_scale", "lag")
_REFUSED = ("active", "limits", "fails_at", "mimic.multiplier", "mimic.offset")
_TENSOR = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True, eq=False)
class Coordinates:
    """One parameter's coordinates θ (k,): where they start, their bounds, and the values (n,) with slopes (n, k).

    sizes (k,): changes that count as large.  reach (k,): how far one step may go; infinite where values are themselves.
    """

    name: str
    start: Array
    sizes: Array
    reach: Array
    lower: Array
    upper: Array
    values: Callable[[Array], Array]
    slopes: Callable[[Array], Array]


def coordinates_of(parameter: Parameter) -> Coordinates:
    """Coordinates of a free number or array, which start at its value as built."""
    field, value = parameter.field, parameter.nominal
    if field in _REFUSED:
        raise wrong(parameter.name, "free", "a number that motions depend on smoothly", repr(field))
    if field in _LOGARITHMIC:
        return _logarithmic(parameter.name, value)
    if field == "tensor":
        return _tensor(parameter.name, value)
    if parameter.value.ndim == 2 and field in (
        "fluid.added_mass",
        "fluid.linear_drag",
        "stiffness",
        "damping",
    ):
        return _semidefinite(parameter.name, parameter.value, skew=field == "fluid.linear_drag")
    lower = np.full(value.shape, -np.inf)
    if field == "fluid.quadratic_drag" and parameter.value.ndim == 2:
        lower[:: len(parameter.value) + 1] = 0.0
    elif field in RULES and RULES[field][0] != "lowest ≤ highest":
        lower[:] = 0.0
    one = np.eye(len(value))
    sizes = np.full(value.shape, float(np.abs(value).max(initial=0.0)) or 1.0)
    wide = np.full(value.shape, np.inf)
    return Coordinates(parameter.name, value.copy(), sizes, wide, lower, wide, lambda θ: θ, lambda θ: one)


def _free(name: str, start: Array, sizes: Array, values: Callable, slopes: Callable) -> Coordinates:
    """Without bounds. A step goes as far as sizes: a logarithm that goes further finds no slope to come back by."""
    wide = np.full(start.shape, np.inf)
    return Coordinates(name, start, sizes, sizes, -wide, wide, values, slopes)


def _logarithmic(name: str, value: Array) -> Coordinates:
    if np.any(value <= 0):
        expected = "> 0: give it a value to start from, or leave it out of free"
        if name.endswith(".mass"):
            expected += " (load(…, merge_fixed=True) leaves no bodies without mass)"
        raise wrong(name, "value as built", expected, repr(value.tolist()))
    return _free(name, np.log(value), np.ones(len(value)), np.exp, lambda θ: np.diag(np.exp(θ)))


def _tensor(name: str, six: Array) -> Coordinates:
    """J = tr(S) 1 − S, S = L Lᵀ the second moments of mass; θ = (log L₁₁, log L₂₂, log L₃₃, L₂₁, L₃₁, L₃₂)."""
    J = np.zeros((3, 3))
    for (i, j), x in zip(_TENSOR, six, strict=True):
        J[i, j] = J[j, i] = x
    S = 0.5 * np.trace(J) * np.eye(3) - J
    try:
        L = np.linalg.cholesky(S)
    except np.linalg.LinAlgError:
        expected = "the tensor of a real body: each principal moment less than the sum of the other two"
        raise wrong(name, "value as built", expected, repr(six.tolist())) from None

    def lower(θ: Array) -> Array:
        a, b, c = np.exp(θ[:3])
        return np.array([[a, 0.0, 0.0], [θ[3], b, 0.0], [θ[4], θ[5], c]])

    def packed(S: Array) -> Array:
        J = np.trace(S) * np.eye(3) - S
        return np.array([J[i, j] for i, j in _TENSOR])

    def slopes(θ: Array) -> Array:
        L, columns = lower(θ), []
        for k, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (1, 0), (2, 0), (2, 1))):
            E = np.zeros((3, 3))
            E[i, j] = L[i, i] if k < 3 else 1.0
            columns.append(packed(E @ L.T + L @ E.T))
        return np.stack(columns, axis=1)

    start = np.concatenate([np.log(np.diag(L)), [L[1, 0], L[2, 0], L[2, 1]]])
    sizes = np.append(np.ones(3), np.full(3, np.diag(L).max()))
    return _free(name, start, sizes, lambda θ: packed(lower(θ) @ lower(θ).T), slopes)


def _semidefinite(name: str, A: Array, *, skew: bool) -> Coordinates:
    """A = L Lᵀ, and a skew matrix beside it where A need not be symmetric."""
    n = len(A)
    rows, columns = np.tril_indices(n)
    above = np.triu_indices(n, 1)
    λ, V = np.linalg.eigh(0.5 * (A + A.T))
    L = np.asarray(np.linalg.qr((V * np.sqrt(np.maximum(λ, 0.0))).T, mode="r")).T
    L = L * np.where(np.diag(L) < 0, -1.0, 1.0)
    if np.any(np.diag(L) < 1e-9 * np.abs(A).max()):
        expected = "a positive definite matrix to start from"
        raise wrong(name, "value as built", expected, f"eigenvalues {λ.tolist()}")
    count = len(rows)

    def parts(θ: Array) -> tuple[Array, Array]:
        L, K = np.zeros((n, n)), np.zeros((n, n))
        L[rows, columns] = θ[:count]
        K[above] = θ[count:] if skew else 0.0
        return L, K - K.T

    def values(θ: Array) -> Array:
        L, K = parts(θ)
        return (L @ L.T + K).reshape(-1)

    def slopes(θ: Array) -> Array:
        L, _ = parts(θ)
        found = []
        for i, j in zip(rows, columns, strict=True):
            E = np.zeros((n, n))
            E[i, j] = 1.0
            found.append((E @ L.T + L @ E.T).reshape(-1))
        for i, j in zip(*above, strict=True) if skew else ():
            E = np.zeros((n, n))
            E[i, j], E[j, i] = 1.0, -1.0
            found.append(E.reshape(-1))
        return np.stack(found, axis=1)

    start = L[rows, columns]
    sizes = np.sqrt(np.outer(np.diag(L), np.diag(L)))[rows, columns]
    if skew:
        start = np.append(start, 0.5 * (A - A.T)[above])
        sizes = np.append(sizes, np.abs(A).max() * np.ones(len(above[0])))
    return _free(name, start, sizes, values, slopes)
