"""Which changes of a state stay on the closures: their tangent space, and coordinates of it (theory.md §29)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...dynamics.configuration import retract
from ...lie.arrays import apply, blocks, diagonal, mirrored, stacked_rows, transpose
from ...trace import solve_spd as solve
from ..closures.closed_loops import loops_at, small_gaps
from ..closures.independent_rows import independent_rows
from ..closures.row_slopes import has_row_slopes, row_slopes
from ..loads import setting
from .slopes_at_zero import at_zero, shifted

if TYPE_CHECKING:
    from .plant import Plant


def closure_projection(plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Π (..., n, n): of tangents (δq, δw, δx) the part next to them, entry by entry, that keeps φ = 0 and Jv = 0.

    At time t (...), q (..., nq), v (..., nv) on the closures. 1 without closures.
    """
    sizes, n = (plant.nv, plant.nw), plant.nv + plant.nw + plant.nx
    if not plant.closures:
        batch = np.broadcast_shapes(np.shape(t), q.shape[:-1], v.shape[:-1], p.shape[:-1])
        return np.broadcast_to(np.eye(n), (*batch, n, n))

    C = _slopes_in_closed_form(plant, t, q, v, p)

    def kept_up(z: np.ndarray, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray) -> np.ndarray:
        """(φ, J v) (2 c,) of the state moved along z."""
        δq, δw = np.split(z, [sizes[0]])
        now = setting(plant, p)
        at = now.velocities.configuration(t, retract(plant.tree, q, δq))
        loops = loops_at(now.tree, now.dry, now.closures, at)
        return np.concatenate([small_gaps(loops), apply(loops.J, now.velocities.full(t, at, shifted(w, δw)))])

    if C is None:
        C = at_zero(kept_up, sum(sizes), t, q, plant.velocities.independent(q, v), p)
    kept = independent_rows(C)
    G = kept[..., :, None] * mirrored(C @ transpose(C)) * kept[..., None, :] + diagonal(1.0 - kept)
    off = transpose(C) @ solve(G, kept[..., :, None] * C)
    rest = np.zeros((*off.shape[:-2], sum(sizes), plant.nx))
    upper = np.concatenate([np.eye(sum(sizes)) - off, rest], axis=-1)
    below = np.broadcast_to(np.eye(n)[sum(sizes) :], (*off.shape[:-2], plant.nx, n))
    return stacked_rows([upper, below])


def _slopes_in_closed_form(
    plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, p: np.ndarray
) -> np.ndarray | None:
    """Derivatives (..., 2 c, nv + nw) of (φ, J v) by (δq, δw) on the closures; None if there is no such form."""
    now = setting(plant, p)
    loops = loops_at(now.tree, now.dry, now.closures, q)
    if not plant.velocities.is_plain or not has_row_slopes(loops):
        return None
    J, turned = loops.J, row_slopes(loops, v, 0.0 * v).velocity_by_q
    return blocks([[J, np.zeros(J.shape[-2:])], [turned, J]])


class Tangents(NamedTuple):
    """Tangents that stay on the closures as z = Z ξ, Z (n, m); ξ are the entries `chosen` (m,) of z themselves."""

    Z: np.ndarray
    chosen: np.ndarray


def independent_tangents(plant: Plant, Π: np.ndarray) -> Tangents:
    """Coordinates of the range of Π (n, n) of one state: of δq those entries that the loops leave most free, of δw the
    same where there are as many, all of δx."""
    nv, nw = plant.nv, plant.nw
    of_q = _most_free(Π[:nv] @ Π[:nv].T)
    still = Π[nv : nv + nw, nv : nv + nw]
    still = still - Π[nv : nv + nw, :nv] @ np.linalg.pinv(Π[:nv, :nv], rcond=1e-8) @ Π[:nv, nv : nv + nw]
    of_w = _most_free(still)
    if nw == nv and len(of_w) == len(of_q):
        of_w = of_q
    chosen = np.concatenate([of_q, nv + of_w, np.arange(nv + nw, nv + nw + plant.nx)])
    return Tangents(np.linalg.solve(Π[np.ix_(chosen, chosen)], Π[chosen]).T, chosen)


def _most_free(A: np.ndarray) -> np.ndarray:
    """Indices (rank of A,), in order, by elimination of A (n, n), positive semidefinite, the largest pivot first."""
    A, found = A.copy(), []
    for _ in range(len(A)):
        k = int(np.argmax(np.diag(A) - 1e-9 * np.arange(len(A))))  # of equal ones the first
        if A[k, k] < 1e-6:
            break
        found.append(k)
        A = A - np.outer(A[:, k], A[k]) / A[k, k]
    return np.array(sorted(found), dtype=int)
