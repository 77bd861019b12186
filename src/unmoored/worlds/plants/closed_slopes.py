"""Derivatives of accelerations with closures, from those without (theory.md §29).

With the acceleration a and the multipliers λ held, M a − f − Jᵀλ and J a + γ change by R and S where the state changes;

    M δa − Jᵀ δλ = −R ,    J δa = −S ,    δa = X − M⁻¹Jᵀ (JM⁻¹Jᵀ)⁻¹ (J X + S) ,    X = −M⁻¹R .

So nothing is differentiated but what the loads, and the rows times λ and a, are themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...dynamics.configuration import retract
from ...lie.arrays import apply, blocks, diagonal, mirrored, transpose
from ...trace import matmul
from ...trace import solve_spd as solve
from ..closures.closed_loops import loops_at, rates_left
from ..closures.row_slopes import has_row_slopes, pulled_slopes, row_slopes
from ..loads import loads, scene_at, setting
from .closed_plant import closed_motion
from .slopes_at_zero import at_zero, shifted

if TYPE_CHECKING:
    from .plant import Plant

#: products with at most the multiplications of matrices with so many rows are no loops in kernels
_WRITTEN_OUT = 24


class HeldLoops(NamedTuple):
    """a (..., nv); pulled (..., nv, nv + n): derivatives of Jᵀλ by (δq, p); closed(M⁻¹, X (..., nv, k)): those of a by
    (δq, v, x, u, p), from those without closures and with Jᵀλ as a load."""

    acceleration: np.ndarray
    pulled: np.ndarray
    closed: Callable[[np.ndarray, np.ndarray], np.ndarray]


def held_loops(
    plant: Plant,
    t: Any,
    q: np.ndarray,
    v: np.ndarray,
    x: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    kept: np.ndarray,
) -> HeldLoops:
    """The closures of a plant whose velocities are all independent, at a state beside them, rows `kept` (..., c)."""
    nv, count = plant.nv, len(plant.nominal_parameters)
    now = setting(plant, p, x)
    scene = scene_at(now, t, q, v)
    found = closed_motion(now, scene, v, loads(plant, now, scene, x, u), kept)
    a, λ, J = found.acceleration, found.multipliers, kept[..., :, None] * found.loops.J

    known = nv if has_row_slopes(found.loops) else 0  # DoFs by which the derivatives are known in closed form
    unknown = nv - known

    def rows_at(z: np.ndarray, q: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, Any]:
        moved = retract(plant.tree, q, z[:nv]) if unknown else q
        own = setting(plant, shifted(p, z[z.shape[-1] - count :]))
        return moved, loops_at(own.tree, own.dry, own.closures, moved)

    def pull(z: np.ndarray, t: Any, q: np.ndarray, p: np.ndarray, λ: np.ndarray) -> np.ndarray:
        return apply(transpose(rows_at(z, q, p)[1].J), λ)

    def left(z: np.ndarray, t: Any, q: np.ndarray, v: np.ndarray, p: np.ndarray, a: np.ndarray) -> np.ndarray:
        moved, loops = rows_at(z, q, p)
        return rates_left(loops, moved, v + z[nv : 2 * nv] if unknown else v, a)

    pulled, S = np.zeros((nv, 0)), np.zeros((J.shape[-2], 0))
    if unknown + count:
        pulled, S = (
            at_zero(pull, unknown + count, t, q, p, λ),
            at_zero(left, 2 * unknown + count, t, q, v, p, a),
        )
    if known:
        slopes = row_slopes(found.loops, v, a)
        pulled = blocks([[pulled_slopes(found.loops, λ), pulled]])
        S = blocks([[slopes.by_q, slopes.by_v, S]])
    none = np.zeros((J.shape[-2], plant.nx + plant.nu))
    S = blocks([[S[..., : 2 * nv], none, S[..., 2 * nv :]]])

    def closed(M_inverse: np.ndarray, X: np.ndarray) -> np.ndarray:
        Y = matmul(M_inverse, transpose(J))
        A = mirrored(matmul(J, Y)) + diagonal(1.0 - kept)
        off = matmul(J, X) + kept[..., :, None] * S
        batch = np.broadcast_shapes(A.shape[:-2], off.shape[:-2])
        pushed = solve(*(np.broadcast_to(B, (*batch, *B.shape[-2:])) for B in (A, off)))
        return X - matmul(Y, pushed)

    return HeldLoops(a, pulled, closed)
