"""Derivatives of a plant's step on the manifold (theory.md §25, docs/step.md)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics.configuration import local, retract
from ...dynamics.configuration_derivatives import tangent_of_numbers
from ...integrators import TABLEAUS, State, renormalised
from ...integrators.explicit_derivatives import Slopes, StageChain
from ...integrators.midpoint_derivatives import midpoint_derivatives
from ...integrators.variational_derivatives import equations, variational_derivatives
from ...lie.arrays import join, scale_vector, stacked_rows
from ...trace import Part, is_symbolic, jacobian, matmul, repeat
from .closed_plant import kept_rows
from .closed_step_derivatives import put_back_with_derivatives
from .plant_derivatives import right_hand_side_with_slopes
from .plant_step import (
    column,
    filled,
    moved,
    not_solved,
    put_back,
    right_hand_side_of,
    seen,
    solved,
    with_entries,
)
from .slopes_at_zero import at_zero, shifted

if TYPE_CHECKING:
    from .plant import Plant


def step_jacobian(
    plant: Plant,
    t: Any,
    q: np.ndarray,
    v: np.ndarray,
    x: np.ndarray,
    u: np.ndarray,
    h: Any,
    p: np.ndarray,
    method: str,
    steps: int,
) -> np.ndarray:
    """Derivatives (..., n, n + nu + np) of the tangent (δq, δw, δx) after `steps` steps by (δq, δw, δx, δu, δp)."""
    t, h, q, v, x, u, p = _alike((t, h), (q, v, x, u, p))
    y = State(q, plant.velocities.independent(q, v), x)
    return placed_with_derivatives(plant, t, y, u, h, p, method, steps)[1]


def placed_with_derivatives(
    plant: Plant, t: Any, y: State, u: np.ndarray, h: Any, p: np.ndarray, method: str, steps: int
) -> tuple[State, np.ndarray]:
    """The state after `steps` steps, prescribed joints and followers in their places, and derivatives
    (..., n, n + nu + np) of its tangent."""
    y, Z = stepped_with_derivatives(plant, t, y, u, h, p, method, steps)
    if not len(plant.velocities.driven) and not plant.velocities.couplings:
        return y, Z
    end = t + steps * h
    q, _ = Part(partial(seen, plant), "seen")(end, y.q, y.w, p)
    return y._replace(q=q), _shown_tangents(plant, end, y, p, Z)


def stepped_with_derivatives(
    plant: Plant, t: Any, y: State, u: np.ndarray, h: Any, p: np.ndarray, method: str, steps: int
) -> tuple[State, np.ndarray]:
    """The state after `steps` steps, before prescribed joints and followers are put in their places, and derivatives
    (..., n, n + nu + np) of its tangent."""
    take = with_derivatives(plant, method)
    n = len(plant.tangent_names)
    if steps == 1:
        return take(t, y, h, u, p)

    def one(i: Any, carry: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        *parts, Z = carry
        y = State(*filled(plant, tuple(parts)))
        y, D = take(t + i * h, y, h, u, p)
        A, B = D[..., :n], D[..., n:]
        AZ = matmul(A, Z)
        Z = np.concatenate([AZ[..., :n], AZ[..., n:] + B], axis=-1)
        return (*with_entries(plant, y._replace(q=renormalised(plant.tree, y.q))), Z)

    start = np.concatenate([np.eye(n), np.zeros((n, plant.nu + len(plant.nominal_parameters)))], axis=1)
    *parts, Z = repeat(one, (*with_entries(plant, y), start), steps)
    return State(*filled(plant, tuple(parts))), Z


def with_derivatives(plant: Plant, method: str) -> Callable[..., tuple[State, np.ndarray]]:
    """A step as a function (t, y, h, u, p) → (state, derivatives (..., n, n + nu + np))."""
    if plant.closures:
        return partial(_closed_step_with_derivatives, plant, method)
    return _free_step_with_derivatives(plant, method)


def _free_step_with_derivatives(plant: Plant, method: str) -> Callable[..., tuple[State, np.ndarray]]:
    """The same without the way back on the closures, whose rows that count (..., c) stand behind p."""
    rows = sum(closure.rows for closure in plant.closures)

    def split(p: np.ndarray) -> tuple[np.ndarray, ...]:
        return (p[..., :-rows], p[..., -rows:]) if rows else (p,)

    def slopes(t: Any, y: State, u: np.ndarray, p: np.ndarray) -> Slopes:
        return Slopes(*right_hand_side_with_slopes(plant, t, y.q, y.w, y.x, u, *split(p)))

    if method in TABLEAUS:
        rest = plant.nu + len(plant.nominal_parameters)
        sizes = (plant.nv, plant.nw, plant.nx, rest)
        return StageChain(TABLEAUS[method], plant.tree, slopes, sizes).derivatives

    def implicit(t: Any, y: State, h: Any, u: np.ndarray, p: np.ndarray) -> tuple[State, np.ndarray]:
        f = right_hand_side_of(plant, u, *split(p))
        after, left = moved(plant, method, f, column(t), y, column(h), split(p)[0])
        missing = not_solved(y, after, left)[..., None, None]
        after = solved(method, y, after, left)
        if method == "variational":
            return after, missing + _variational_slopes(plant, t, y, h, after, u, p)
        return after, missing + midpoint_derivatives(plant.tree, slopes, t, y, h, after, u, p)

    return implicit


def _closed_step_with_derivatives(
    plant: Plant, method: str, t: Any, y: State, h: Any, u: np.ndarray, p: np.ndarray
) -> tuple[State, np.ndarray]:
    """A step with closures, and its derivatives (..., n, n + nu + np): with the rows chosen at its start, put back."""
    kept = Part(partial(kept_rows, plant), "kept_rows")(t, y.q, p)
    after, D = _free_step_with_derivatives(plant, method)(t, y, h, u, join([p, kept]))
    return put_back_with_derivatives(plant, put_back, t + h, after, p, kept, D)


def _variational_slopes(
    plant: Plant, t: Any, y: State, h: Any, after: State, u: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Derivatives (..., n, n + nu + np) of a variational step that ends at `after`."""
    tree, nx, nw = plant.tree, plant.nx, plant.nw
    ν, x_m = scale_vector(1.0 / h, local(tree, y.q, after.q)), 0.5 * (y.x + after.x)
    w_m = plant.velocities.independent(y.q, ν)
    sizes = (nw, nx, plant.nv, nw, nx, plant.nu, len(plant.nominal_parameters))

    def placed(q: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """The configuration with followers in their places, and the embedding of couplings."""
        if not plant.velocities.couplings:
            return q, None
        velocities = plant._velocities(p)
        q = velocities.joints.configuration(q)
        return q, velocities.embedding(q)

    def moved_by(
        s: np.ndarray, t: Any, h: np.ndarray, q: np.ndarray, w: np.ndarray, x: np.ndarray, w_m: np.ndarray,
        x_m: np.ndarray, u: np.ndarray, p: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        δw_m, δx_m, δq, δw, δx, δu, δp = np.split(s, np.cumsum(sizes)[:-1])
        f = right_hand_side_of(plant, u + δu, p + δp)
        q, embedding = placed(retract(tree, q, δq), p + δp)
        at = State(q, w + δw, x + δx)
        return equations(tree, f, np.array([t]), h, at, w_m + δw_m, x_m + δx_m, embedding)

    J = at_zero(moved_by, sum(sizes), t, column(h), *y, w_m, x_m, u, p)
    q, embedding = placed(y.q, p)
    return variational_derivatives(tree, q, w_m, h, J, nw + nx, embedding)


def _shown_tangents(plant: Plant, t: Any, y: State, p: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Tangents (..., n, c) with prescribed joints and followers where they are: they go with time, leaders and p."""
    nv, count = plant.nv, len(plant.nominal_parameters)
    C = _placed_slopes(plant, t, y.q, p)
    top = matmul(C[..., :nv], Z[..., :nv, :])
    if count:
        top = np.concatenate([top[..., :-count], top[..., -count:] + C[..., nv:]], axis=-1)
    return stacked_rows([top, Z[..., nv:, :]])


def _placed_slopes(plant: Plant, t: Any, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Derivatives (..., nv, nv + np) of the tangent of plant.configuration(t, q, p) by the tangent at q and by p."""

    def placed(z: np.ndarray, t: Any, q: np.ndarray, p: np.ndarray) -> np.ndarray:
        at = retract(plant.tree, q, z[: plant.nv])
        return plant._velocities(shifted(p, z[plant.nv :])).configuration(t, at)

    slopes, size = jacobian(placed, wrt=0), plant.nv + len(plant.nominal_parameters)

    def of_one(t: Any, q: np.ndarray, p: np.ndarray) -> np.ndarray:
        at, dq = plant._velocities(p).configuration(t, q), slopes(np.zeros(size), t, q, p)
        columns = [tangent_of_numbers(plant.tree, at, dq[:, k]) for k in range(size)]
        return np.stack(columns, axis=-1)

    if is_symbolic(t, q, p):
        return of_one(t, q, p)
    batch = np.broadcast_shapes(np.shape(t), q.shape[:-1], p.shape[:-1])
    t, q, p = np.broadcast_to(t, batch), *(np.broadcast_to(a, (*batch, a.shape[-1])) for a in (q, p))
    found = [of_one(t[i], q[i], p[i]) for i in np.ndindex(batch)]
    return np.reshape(found, (*batch, *found[0].shape))


def _alike(numbers: tuple[Any, ...], vectors: tuple[np.ndarray, ...]) -> tuple[Any, ...]:
    """Numbers (...) and vectors (..., n) with the batch of all of them."""
    batch = np.broadcast_shapes(*map(np.shape, numbers), *(x.shape[:-1] for x in vectors))
    if not batch:
        return *numbers, *vectors
    full = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in vectors]
    return *(np.broadcast_to(x, batch) for x in numbers), *full
