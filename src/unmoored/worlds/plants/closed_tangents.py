"""Which changes of a state stay on the closures: their tangent space, and coordinates of it (theory.md §29)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...dynamics.configuration import retract
from ...lie.arrays import apply, blocks, diagonal, mirrored, transpose
from ...trace import matmul
from ...trace import solve_spd as solve
from ..closures.closed_loops import loops_at, small_gaps
from ..closures.independent_rows import independent_rows
from ..closures.row_slopes import has_row_slopes, integrable, row_slopes
from ..loads import setting
from .slopes_at_zero import at_zero

if TYPE_CHECKING:
    from .plant import Plant


def closure_projection(plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Π (..., n, n): what becomes of changes (δq, δw, δx) of a state on the closures that is put back on them.

    At time t (...), q (..., nq), v (..., nv). 1 without closures.
    """
    nv, nw, nx = plant.nv, plant.nw, plant.nx
    if not plant.closures:
        batch = np.broadcast_shapes(np.shape(t), q.shape[:-1], v.shape[:-1], p.shape[:-1])
        return np.broadcast_to(np.eye(nv + nw + nx), (*batch, nv + nw + nx, nv + nw + nx))
    C = _row_slopes(plant, t, q, v, p)
    of_w = _pseudo_inverse(C.rate_by_w)
    of_q = of_w if plant.velocities.is_plain else matmul(plant._velocities(p).embedding(q), of_w)
    q_by_q = np.eye(nv) - matmul(of_q, C.gap_by_q)
    w_by_q, w_by_w = -matmul(of_w, matmul(C.rate_by_q, q_by_q)), np.eye(nw) - matmul(of_w, C.rate_by_w)
    rows = [[q_by_q, np.zeros((nv, nw + nx))], [w_by_q, w_by_w, np.zeros((nw, nx))]]
    return blocks([*rows, [np.zeros((nx, nv + nw)), np.eye(nx)]] if nx else rows)


class _Slopes(NamedTuple):
    """Derivatives (..., c, nv) of φ by δq, (..., c, nv) of J v by δq, and (..., c, nw) of it by δw."""

    gap_by_q: np.ndarray
    rate_by_q: np.ndarray
    rate_by_w: np.ndarray


def _row_slopes(plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> _Slopes:
    """Of a state on the closures; in closed form where there is one."""
    now, nv = setting(plant, p), plant.nv
    loops = loops_at(now.tree, now.dry, now.closures, q)
    if plant.velocities.is_plain and has_row_slopes(loops):
        of_gaps = integrable(loops)[:, None] * loops.J
        return _Slopes(of_gaps, row_slopes(loops, v, 0.0 * v).velocity_by_q, loops.J)

    def kept_up(z: np.ndarray, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray) -> np.ndarray:
        """(φ, J v) (2 c,) of the state moved along z."""
        now = setting(plant, p)
        at = now.velocities.configuration(t, retract(plant.tree, q, z[:nv]))
        loops = loops_at(now.tree, now.dry, now.closures, at)
        return np.concatenate([small_gaps(loops), apply(loops.J, now.velocities.full(t, at, w + z[nv:]))])

    C = at_zero(kept_up, nv + plant.nw, t, q, plant.velocities.independent(q, v), p)
    c = C.shape[-2] // 2
    return _Slopes(C[..., :c, :nv], C[..., c:, :nv], C[..., c:, nv:])


def _pseudo_inverse(J: np.ndarray) -> np.ndarray:
    """Jᵀ(JJᵀ)⁻¹ (..., n, c) of the rows of J (..., c, n) that are independent, zero for the others."""
    kept = independent_rows(J)
    J = kept[..., :, None] * J
    G = mirrored(J @ transpose(J)) + diagonal(1.0 - kept)
    return transpose(solve(G, J))


class Tangents(NamedTuple):
    """Tangents that stay on the closures as z = Z ξ, Z (n, m); ξ are the entries `chosen` (m,) of z themselves."""

    Z: np.ndarray
    chosen: np.ndarray


def independent_tangents(plant: Plant, Π: np.ndarray) -> Tangents:
    """Coordinates of the range of Π (n, n) of one state: of δq those entries that the loops leave most free, of δw the
    same where there are as many, all of δx."""
    nv, nw = plant.nv, plant.nw
    of_q, of_w = _most_free(Π[:nv, :nv]), _most_free(Π[nv : nv + nw, nv : nv + nw])
    if nw == nv and len(of_w) == len(of_q):
        of_w = of_q
    chosen = np.concatenate([of_q, nv + of_w, np.arange(nv + nw, nv + nw + plant.nx)])
    return Tangents(Π[:, chosen] @ np.linalg.inv(Π[np.ix_(chosen, chosen)]), chosen)


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
