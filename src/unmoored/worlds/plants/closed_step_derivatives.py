"""Derivatives of a step with closures: of all of it, with the rows that count and the way back on the closures.

Where rows are redundant those that are chosen at the start of the step count, there and beside it. The derivatives are
those of the map (q, w, x, u, p) → state on the closures: changes that leave the closures are put back by it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics.configuration import local, retract
from ...dynamics.configuration_derivatives import retract_derivatives, tangent_of_numbers
from ...integrators import State
from ...lie.arrays import apply, blocks, diagonal, mirrored, stacked_rows, transpose
from ...trace import matmul, solve
from ..closures.closed_loops import loops_at
from ..closures.mobility import along_kept
from ..closures.row_slopes import has_row_slopes, integrable, pulled_slopes, row_slopes
from ..loads import setting
from .slopes_at_zero import at_zero, shifted

if TYPE_CHECKING:
    from .plant import Plant


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
    after = put_back(plant, t, y, p, kept)
    nv, n, count = plant.nv, plant.nv + plant.nw, len(plant.nominal_parameters)
    slopes = projection_slopes(plant, y, after, p, kept)
    known = slopes is not None  # of the state; parameters are differentiated here as ever

    def ended(
        z: np.ndarray, t: Any, q: np.ndarray, w: np.ndarray, x: np.ndarray, p: np.ndarray, kept: np.ndarray
    ) -> np.ndarray:
        if not known:
            q, w = retract(plant.tree, q, z[:nv]), w + z[nv:n]
        end = put_back(plant, t, State(q, w, x), shifted(p, z[z.shape[-1] - count :]), kept)
        return np.concatenate([end.q, end.w])

    size = count if known else n + count
    if size:
        J = at_zero(ended, size, t, *y, p, kept)
        columns = [tangent_of_numbers(plant.tree, after.q, J[..., : plant.nq, k]) for k in range(size)]
        found = stacked_rows([np.stack(columns, axis=-1), J[..., plant.nq :, :]])
        slopes = found if slopes is None else blocks([[slopes, found]])
    assert slopes is not None
    moved, many = matmul(slopes[..., :n], D[..., :n, :]), D.shape[-1] - count
    moved = blocks([[moved[..., :many], moved[..., many:] + slopes[..., n:]]])
    return after, stacked_rows([moved, D[..., n:, :]])


def projection_slopes(
    plant: Plant, y: State, after: State, p: np.ndarray, kept: np.ndarray
) -> np.ndarray | None:
    """Derivatives (..., nv + nw, nv + nw) of the way back from y to the state `after`, in closed form; None if there is
    no such form.

    They are those of the projection that ends on the closures exactly: q⁺ = q exp(θ), θ = Jᵀμ, φ(q⁺) = 0, and
    w⁺ = w − Jᵀη, J⁺w⁺ = 0 (theory.md §29). Of rows that are no rate of a gap it is J θ = 0 instead.
    """
    now, tree = setting(plant, p), plant.tree
    start, end = (loops_at(now.tree, now.dry, now.closures, q) for q in (y.q, after.q))
    if not plant.velocities.is_plain or not has_row_slopes(start):
        return None
    θ, back = local(tree, y.q, after.q), transpose(start.J)
    G = mirrored(start.J @ back)
    μ, η = (along_kept(G, kept, apply(start.J, x)) for x in (θ, y.w - after.w))
    J, move = kept[..., :, None] * end.J, retract_derivatives(tree, y.q, θ)
    by_v = kept[..., :, None] * row_slopes(end, after.w, 0.0 * after.w).velocity_by_q

    def solved(left: np.ndarray, sides: np.ndarray) -> np.ndarray:
        """X (..., c, k) with left X = sides along the rows that are kept."""
        left = kept[..., None, :] * left + diagonal(1.0 - kept)
        batch = np.broadcast_shapes(left.shape[:-2], sides.shape[:-2])
        return solve(*(np.broadcast_to(A, (*batch, *A.shape[-2:])) for A in (left, sides)))

    pulled = pulled_slopes(start, μ)
    own, way = move.q + move.dq @ pulled, move.dq @ back  # blocks: mostly zeros
    left, sides = matmul(J, way), matmul(J, own)
    gaps = integrable(start)[:, None]
    if not np.all(gaps):
        held = kept[..., :, None] * row_slopes(start, θ, 0.0 * θ).velocity_by_q
        before = kept[..., :, None] * start.J
        left = gaps * left + (1.0 - gaps) * matmul(before, back)
        sides = gaps * sides + (1.0 - gaps) * (held + matmul(before, pulled))
    by_q = own - matmul(way, solved(left, sides))
    turned, across = pulled_slopes(start, η), matmul(J, back)
    w_by_q = matmul(back, solved(across, matmul(J, turned) - matmul(by_v, by_q))) - turned
    w_by_w = np.eye(plant.nw) - matmul(back, solved(across, J))
    return blocks([[by_q, np.zeros((plant.nv, plant.nw))], [w_by_q, w_by_w]])
