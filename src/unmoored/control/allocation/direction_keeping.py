"""How much of the wanted forces can be given in the wanted proportion (allocation.md; Bodson 2002).

    max α ≤ 1 ,    B f = α τ ,    lowest ≤ f ≤ highest

τ: what the actuators could give without limits. It is solved as least squares in the box of (f, α) in which 1 − α is
cheap, κ|τ|²(1 − α)² beside |B f − α τ|²: exact, by the same active set, and off the proportion by about κ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lie.arrays import apply, blocks, join, scale, solved, transpose
from ...trace import clip, less, maximum, where
from ...worlds.bounded_allocation import least_in_box
from .least_squares import Weighting

#: how cheap it is to give less than all
_CHEAP = 1e-8
#: of thrusts, beside the mean square of the columns of B; of forces that are no direction at all
_FIRM, _NOTHING = 1e-13, 1e-12


def in_proportion(B: np.ndarray, forces: np.ndarray, low: Any, high: Any, by: Weighting) -> np.ndarray:
    """Forces (..., nv) that can be given, those of each level in the proportion of `forces` (..., nv).

    B (..., nv, n), low and high (..., n).  Levels above come first and are kept. Forces that no actuator can give,
    however strong, are left out of the proportion.
    """
    working = where(less(low, high), 1.0, 0.0)
    A = by.weights[..., None] * B * working[..., None, :]
    unit = sum((A * A)[..., i, j] for i in range(A.shape[-2]) for j in range(A.shape[-1])) / A.shape[-1]
    unit = maximum(unit, 1e-300)
    τ = _attainable(A, by.weights * forces, unit)
    done, given = np.zeros(A.shape[-2]), τ
    for level in by.levels:
        own = np.array([1.0 if i in level else 0.0 for i in range(A.shape[-2])])
        α = _share(A, own, done, τ, given, low, high, unit)
        given = where(own == 1.0, np.asarray(α)[..., None] * τ, given)
        done = done + own
    return given / by.weights


def _attainable(A: np.ndarray, τ: np.ndarray, unit: Any) -> np.ndarray:
    """The part (..., nv) of τ that thrusts without limits would give."""
    square = A @ transpose(A)
    return apply(square, solved(square + scale(_FIRM * unit, np.eye(A.shape[-2])), τ))


def _share(
    A: np.ndarray, own: np.ndarray, done: np.ndarray, τ: np.ndarray, given: np.ndarray, low: Any, high: Any, unit: Any
) -> Any:  # fmt: skip
    """α (...) of the DoFs marked in `own`, those in `done` getting `given` (..., nv)."""
    n, root = A.shape[-1], np.sqrt(unit)
    size = np.sqrt(((own * τ) ** 2).sum(axis=-1))
    whole = maximum(
        size / root, 1e-300
    )  # the unknown beside the thrusts is α times this: as large as they are
    rows = (own + done)[:, None] * A
    along = -(own * τ) / np.asarray(whole)[..., None]
    K = blocks([[rows, along[..., None]]])
    H = transpose(K) @ K
    soft = join([np.full(n, _FIRM), np.array([_CHEAP])])
    H = H + np.asarray(unit)[..., None, None] * (soft * np.eye(n + 1))
    g = (
        apply(transpose(K), done * given)
        + join([np.zeros(n), np.array([_CHEAP])]) * np.asarray(unit * whole)[..., None]
    )
    lowest, highest = (join([x, np.asarray(y)[..., None]]) for x, y in ((low, 0.0 * whole), (high, whole)))
    best = least_in_box(H, g, lowest, highest)
    return where(less(size, _NOTHING), 0.0, clip(best[..., n] / whole, 0.0, 1.0))
