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
from ...integrators import TABLEAUS, State
from ...lie.arrays import stacked_rows
from ...model import ModelError
from .plant_derivatives import at_zero, shifted

if TYPE_CHECKING:
    from .plant import Plant


def closed_step_with_derivatives(
    plant: Plant, method: str, take: Callable[..., State]
) -> Callable[..., tuple[State, np.ndarray]]:
    """A step as a function (t, y, h, u, p) → (state, derivatives (..., n, n + nu + np)); take: the step alone."""
    if method not in TABLEAUS:
        expected = f"one of {', '.join(TABLEAUS)} with closures"
        raise ModelError.single(plant.name, "step_derivatives: method", expected=expected, given=method)
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
        nq = plant.nq
        columns = [tangent_of_numbers(plant.tree, after.q, J[..., :nq, k]) for k in range(sum(sizes))]
        return after, stacked_rows([np.stack(columns, axis=-1), J[..., nq:, :]])

    return with_slopes
