"""One step of a plant as a pure function of its state, and its derivatives on the manifold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from operator import and_
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...dynamics.configuration import local, retract
from ...dynamics.configuration_derivatives import tangent_of_numbers
from ...integrators import IMPLICIT, ITERATIONS, METHODS, TABLEAUS, Rate, State, method_named, renormalised
from ...integrators.explicit_derivatives import Slopes, StageChain
from ...integrators.iteration import excess
from ...integrators.midpoint_derivatives import midpoint_derivatives
from ...integrators.variational import check_suits
from ...integrators.variational_derivatives import equations, variational_derivatives
from ...lie.arrays import join, scale_vector, stacked_rows
from ...model import ModelError
from ...model.errors import unknown_name
from ...trace import Part, is_symbolic, jacobian, less_equal, matmul, repeat, where
from ..depletion import depletes
from ..loads import inertia_by_place
from .closed_plant import CLOSED, closed_state, kept_rows
from .closed_step_derivatives import put_back_with_derivatives
from .plant_derivatives import is_tied, right_hand_side_with_slopes
from .plant_equations import first_rates, right_hand_side
from .plant_parameters import of_bodies
from .slopes_at_zero import at_zero, shifted

if TYPE_CHECKING:
    from .plant import Plant


class Closed(NamedTuple):
    """A state on the closures: q (..., nq), v (..., nv)."""

    q: np.ndarray
    v: np.ndarray


class Stepped(NamedTuple):
    """The state after a step: q (..., nq), v (..., nv), x (..., nx)."""

    q: np.ndarray
    v: np.ndarray
    x: np.ndarray


def suitable_method(where: str, plant: Any, method: Any) -> str:
    """The name of an integrator that suits the plant; `where` is for the message."""
    if not isinstance(method, str) or method not in METHODS:
        raise unknown_name(where, "method", method, METHODS)
    if method == "variational":
        tied = plant.constraints or plant.prescribed or plant.closures
        if tied or of_bodies(plant._declared) or depletes(plant) or inertia_by_place(plant):
            expected = "another one than variational: its momenta are those of all of v"
            given = "constraints, closures, prescribed joints, free masses, propellant, added mass by the immersed part"
            raise ModelError.single(where, "method", expected=expected, given=given)
        check_suits(plant.tree)
    return method


def moved(
    plant: Plant,
    method: str,
    f: Any,
    t: np.ndarray,
    y: State,
    h: np.ndarray,
    p: np.ndarray,
    iterations: int = ITERATIONS,
    first: Rate | None = None,
) -> tuple[State, np.ndarray]:
    """A step of size h (..., 1) [s] from t (..., 1) [s], followers at their leaders, and what an implicit one left.

    first: the slope at the start, if it is known and the method explicit.
    """
    take: Any = method_named(method)
    options = {"iterations": iterations} if method in IMPLICIT else {"first": first}
    if not plant.velocities.couplings:
        return take(plant.tree, f, t, y, h, **options)
    velocities = plant._velocities(p)
    if method == "variational":  # whose momenta are those of where the followers are
        y = y._replace(q=velocities.joints.configuration(y.q))
        options |= {"embedding": velocities.embedding(y.q)}
    new, left = take(plant.tree, f, t, y, h, **options)
    return new._replace(q=velocities.joints.configuration(new.q)), left


def _solved(method: str, y: State, new: State, left: np.ndarray) -> State:
    """The new state; not numbers where an implicit method has not solved its equation."""
    if method not in IMPLICIT:
        return new
    missing = _not_solved(y, new, left)
    return State(*(x + missing[..., None] for x in new))


def _first_slope(plant: Plant, t: Any, y: State, u: np.ndarray, p: np.ndarray) -> tuple[Rate, np.ndarray]:
    """The slope at the start of a step, and the rows of closures that are kept in all of it."""
    w_dot, x_dot, kept = Part(partial(first_rates, plant), "first_rates")(t, y.q, y.w, y.x, u, p)
    v = Part(partial(_seen, plant), "seen")(t, y.q, y.w, p)[1] if is_tied(plant) else y.w
    return Rate(v, w_dot, x_dot), kept


def _closed_step(plant: Plant, method: str, t: Any, y: State, h: Any, u: np.ndarray, p: np.ndarray) -> State:
    """The state after a step of size h (...) [s], on the closures: the rows that count are chosen at its start."""
    first, kept = _first_slope(plant, t, y, u, p)
    after, left = moved(
        plant, method, _right_hand_side(plant, u, p, kept), _column(t), y, _column(h), p, first=first
    )
    return put_back(plant, t + h, _solved(method, y, after, left), p, kept)


def put_back(plant: Plant, t: Any, y: State, p: np.ndarray, kept: np.ndarray) -> State:
    """The state next to y on the plant's closures; not numbers where it is too far from them."""
    q, w, gap = Part(partial(closed_state, plant), "closed_state")(t, y.q, y.w, p, kept)
    near = reduce(and_, [less_equal(np.abs(gap[..., i]), CLOSED["float64"]) for i in range(gap.shape[-1])])
    missing = np.asarray(where(near, 0.0, np.nan))[..., None]
    return State(q + missing, w + missing, y.x)


def nearest_closed(plant: Plant, t: Any, y: State, p: np.ndarray) -> State:
    """The state next to y on the plant's closures, in two ways back; not numbers where y is far from them."""
    kept = Part(partial(kept_rows, plant), "kept_rows")(t, y.q, p)
    q, w, _ = Part(partial(closed_state, plant), "closed_state")(t, y.q, y.w, p, kept)
    return put_back(plant, t, State(q, w, y.x), p, kept)


def on_closures(plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> Closed:
    """(q, v) next to q (..., nq), v (..., nv) on the plant's closures, at time t (...)."""
    batch = np.broadcast_shapes(np.shape(t), *(a.shape[:-1] for a in (q, v, p)))
    y = State(q, plant.velocities.independent(q, v), np.zeros(0))
    y = State(*(np.broadcast_to(part, (*batch, part.shape[-1])) for part in y))
    return Closed(*_shown(plant, t, nearest_closed(plant, t, y, p) if plant.closures else y, p)[:2])


def _not_solved(y: State, new: State, left: np.ndarray) -> np.ndarray:
    """0.0 where an implicit method has solved its equation, else not a number (...): to be added to its results."""
    parts = excess(left, y, new, "float64")
    good = reduce(and_, [less_equal(parts[..., i], 1.0) for i in range(parts.shape[-1])])
    return np.asarray(where(good, 0.0, np.nan))


def step(
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
) -> Stepped:
    """The state after `steps` steps of size h (...) [s] each, the inputs u (..., nu) held."""

    def one(i: Any, carry: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        y = State(*_filled(plant, carry))
        if plant.closures:
            return _with_entries(plant, _closed_step(plant, method, t + i * h, y, h, u, p))
        f = _right_hand_side(plant, u, p)
        after, left = moved(plant, method, f, _column(t + i * h), y, _column(h), p)
        return _with_entries(plant, _solved(method, y, after, left))

    batch = np.broadcast_shapes(np.shape(t), np.shape(h), *(a.shape[:-1] for a in (q, v, x, u, p)))
    y = State(q, plant.velocities.independent(q, v), x)
    y = State(*(np.broadcast_to(part, (*batch, part.shape[-1])) for part in y))
    carry = _with_entries(plant, y)
    found = State(*_filled(plant, one(0.0, carry) if steps == 1 else repeat(one, carry, steps)))
    return _shown(plant, t + steps * h, found, p)


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
    q, _ = Part(partial(_seen, plant), "seen")(end, y.q, y.w, p)
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
        y = State(*_filled(plant, tuple(parts)))
        y, D = take(t + i * h, y, h, u, p)
        A, B = D[..., :n], D[..., n:]
        AZ = matmul(A, Z)
        Z = np.concatenate([AZ[..., :n], AZ[..., n:] + B], axis=-1)
        return (*_with_entries(plant, y._replace(q=renormalised(plant.tree, y.q))), Z)

    start = np.concatenate([np.eye(n), np.zeros((n, plant.nu + len(plant.nominal_parameters)))], axis=1)
    *parts, Z = repeat(one, (*_with_entries(plant, y), start), steps)
    return State(*_filled(plant, tuple(parts))), Z


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
        f = _right_hand_side(plant, u, *split(p))
        after, left = moved(plant, method, f, _column(t), y, _column(h), split(p)[0])
        missing = _not_solved(y, after, left)[..., None, None]
        after = _solved(method, y, after, left)
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
        f = _right_hand_side(plant, u + δu, p + δp)
        q, embedding = placed(retract(tree, q, δq), p + δp)
        at = State(q, w + δw, x + δx)
        return equations(tree, f, np.array([t]), h, at, w_m + δw_m, x_m + δx_m, embedding)

    J = at_zero(moved_by, sum(sizes), t, _column(h), *y, w_m, x_m, u, p)
    q, embedding = placed(y.q, p)
    return variational_derivatives(tree, q, w_m, h, J, nw + nx, embedding)


def _right_hand_side(plant: Plant, u: np.ndarray, p: np.ndarray, kept: np.ndarray | None = None) -> Any:
    """f(t, y) for the integrators, the rates as a function of their own; kept: rows of closures."""
    rates = Part(partial(right_hand_side, plant), "rates")
    seen = Part(partial(_seen, plant), "seen")
    rows = () if kept is None else (kept,)

    def f(t: Any, y: State) -> Rate:
        v = seen(t[..., 0], y.q, y.w, p)[1] if is_tied(plant) else y.w
        return Rate(v, *rates(t[..., 0], y.q, y.w, y.x, u, p, *rows))

    return f


def _seen(plant: Plant, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    velocities = plant._velocities(p)
    q = velocities.configuration(t, q)
    return q, velocities.full(t, q, w)


def _shown(plant: Plant, t: Any, y: State, p: np.ndarray) -> Stepped:
    """The state as its reader sees it: prescribed joints in their places, all of v."""
    if not is_tied(plant):
        return Stepped(*y)
    q, v = Part(partial(_seen, plant), "seen")(t, y.q, y.w, p)
    return Stepped(q, v, y.x)


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


def _column(x: Any) -> np.ndarray:
    return np.asarray(x)[..., None]


def _with_entries(plant: Plant, y: State) -> tuple[np.ndarray, ...]:
    """The parts of a state that have entries."""
    return tuple(part for part in y if part.shape[-1])


def _filled(plant: Plant, parts: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """(q, w, x) again, empty where there are none."""
    given = iter(parts)
    return tuple(next(given) if size else parts[0][..., :0] for size in (plant.nq, plant.nw, plant.nx))
