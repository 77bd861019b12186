"""Derivatives of a step with closures: of all of it, with the rows that count and the way back on the closures.

Where rows are redundant those that are chosen at the start of the step count, there and beside it. The derivatives are
those of the map (q, w, x, u, p) → state on the closures: changes that leave the closures are put back by it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics.configuration import retract
from ...dynamics.configuration_derivatives import tangent_of_numbers
from ...integrators import State
from ...lie.arrays import stacked_rows
from ...trace import matmul
from .slopes_at_zero import at_zero, shifted

if TYPE_CHECKING:
    from .plant import Plant


def closed_step_with_derivatives(
    plant: Plant, take: Callable[..., State]
) -> Callable[..., tuple[State, np.ndarray]]:
    """An explicit step as a function (t, y, h, u, p) → (state, derivatives (..., n, n + nu + np)); take: the step."""
    sizes = (plant.nv, plant.nw, plant.nx, plant.nu, len(plant.nominal_parameters))

    def ended(
        z: np.ndarray,
        t: Any,
        h: np.ndarray,
        q: np.ndarray,
        w: np.ndarray,
        x: np.ndarray,
        u: np.ndarray,
        p: np.ndarray,
    ) -> np.ndarray:
        δq, δw, δx, δu, δp = np.split(z, np.cumsum(sizes)[:-1])
        y = State(retract(plant.tree, q, δq), w + δw, x + δx)
        after = take(t, y, h[..., 0], u + δu, shifted(p, δp))
        return np.concatenate([part for part in after if part.shape[-1]])

    def with_slopes(t: Any, y: State, h: Any, u: np.ndarray, p: np.ndarray) -> tuple[State, np.ndarray]:
        after = take(t, y, h, u, p)
        J = at_zero(ended, sum(sizes), t, np.asarray(h)[..., None], *y, u, p)
        return after, _of_tangents(plant, after, J)

    return with_slopes


def put_back_with_derivatives(
    plant: Plant,
    put_back: Callable[..., State],
    t: Any,
    y: State,
    p: np.ndarray,
    kept: np.ndarray,
    D: np.ndarray,
) -> tuple[State, np.ndarray]:
    """The state y at time t (...) on the closures, and its derivatives where those of y are D (..., n, n + nu + np)."""
    sizes = (plant.nv, plant.nw, plant.nx, len(plant.nominal_parameters))

    def ended(
        z: np.ndarray, t: Any, q: np.ndarray, w: np.ndarray, x: np.ndarray, p: np.ndarray, kept: np.ndarray
    ) -> np.ndarray:
        δq, δw, δx, δp = np.split(z, np.cumsum(sizes)[:-1])
        after = put_back(plant, t, State(retract(plant.tree, q, δq), w + δw, x + δx), shifted(p, δp), kept)
        return np.concatenate([part for part in after if part.shape[-1]])

    after, n = put_back(plant, t, y, p, kept), sum(sizes[:3])
    J = _of_tangents(plant, after, at_zero(ended, sum(sizes), t, *y, p, kept))
    moved = matmul(J[..., :n], D)
    many = D.shape[-1] - sizes[-1]
    return after, np.concatenate([moved[..., :many], moved[..., many:] + J[..., n:]], axis=-1)


def _of_tangents(plant: Plant, after: State, J: np.ndarray) -> np.ndarray:
    """Derivatives (..., n, k) of the tangent of the state `after`, from those J of its numbers."""
    nq = plant.nq
    columns = [tangent_of_numbers(plant.tree, after.q, J[..., :nq, k]) for k in range(J.shape[-1])]
    return stacked_rows([np.stack(columns, axis=-1), J[..., nq:, :]])
