"""One step of a plant as a pure function of its state, and the state next to it on the closures."""

from __future__ import annotations

from functools import partial, reduce
from operator import and_
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...integrators import IMPLICIT, ITERATIONS, METHODS, Rate, State, method_named
from ...integrators.iteration import excess
from ...integrators.variational import check_suits
from ...model import ModelError
from ...model.errors import unknown_name
from ...trace import Part, less_equal, repeat, where
from ..depletion import depletes
from ..loads import inertia_by_place
from .closed_plant import CLOSED, closed_state, kept_rows
from .plant_derivatives import is_tied
from .plant_equations import first_rates, right_hand_side
from .plant_parameters import of_bodies

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


def solved(method: str, y: State, new: State, left: np.ndarray) -> State:
    """The new state; not numbers where an implicit method has not solved its equation."""
    if method not in IMPLICIT:
        return new
    missing = not_solved(y, new, left)
    return State(*(x + missing[..., None] for x in new))


def _first_slope(plant: Plant, t: Any, y: State, u: np.ndarray, p: np.ndarray) -> tuple[Rate, np.ndarray]:
    """The slope at the start of a step, and the rows of closures that are kept in all of it."""
    w_dot, x_dot, kept = Part(partial(first_rates, plant), "first_rates")(t, y.q, y.w, y.x, u, p)
    v = Part(partial(seen, plant), "seen")(t, y.q, y.w, p)[1] if is_tied(plant) else y.w
    return Rate(v, w_dot, x_dot), kept


def _closed_step(plant: Plant, method: str, t: Any, y: State, h: Any, u: np.ndarray, p: np.ndarray) -> State:
    """The state after a step of size h (...) [s], on the closures: the rows that count are chosen at its start."""
    first, kept = _first_slope(plant, t, y, u, p)
    after, left = moved(
        plant, method, right_hand_side_of(plant, u, p, kept), column(t), y, column(h), p, first=first
    )
    return put_back(plant, t + h, solved(method, y, after, left), p, kept)


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


def not_solved(y: State, new: State, left: np.ndarray) -> np.ndarray:
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
        y = State(*filled(plant, carry))
        if plant.closures:
            return with_entries(plant, _closed_step(plant, method, t + i * h, y, h, u, p))
        f = right_hand_side_of(plant, u, p)
        after, left = moved(plant, method, f, column(t + i * h), y, column(h), p)
        return with_entries(plant, solved(method, y, after, left))

    batch = np.broadcast_shapes(np.shape(t), np.shape(h), *(a.shape[:-1] for a in (q, v, x, u, p)))
    y = State(q, plant.velocities.independent(q, v), x)
    y = State(*(np.broadcast_to(part, (*batch, part.shape[-1])) for part in y))
    carry = with_entries(plant, y)
    found = State(*filled(plant, one(0.0, carry) if steps == 1 else repeat(one, carry, steps)))
    return _shown(plant, t + steps * h, found, p)


def right_hand_side_of(plant: Plant, u: np.ndarray, p: np.ndarray, kept: np.ndarray | None = None) -> Any:
    """f(t, y) for the integrators, the rates as a function of their own; kept: rows of closures."""
    rates = Part(partial(right_hand_side, plant), "rates")
    shown = Part(partial(seen, plant), "seen")
    rows = () if kept is None else (kept,)

    def f(t: Any, y: State) -> Rate:
        v = shown(t[..., 0], y.q, y.w, p)[1] if is_tied(plant) else y.w
        return Rate(v, *rates(t[..., 0], y.q, y.w, y.x, u, p, *rows))

    return f


def seen(plant: Plant, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(q (..., nq), v (..., nv)) as users see them, of independent velocities w (..., nw)."""
    velocities = plant._velocities(p)
    q = velocities.configuration(t, q)
    return q, velocities.full(t, q, w)


def _shown(plant: Plant, t: Any, y: State, p: np.ndarray) -> Stepped:
    """The state as its reader sees it: prescribed joints in their places, all of v."""
    if not is_tied(plant):
        return Stepped(*y)
    q, v = Part(partial(seen, plant), "seen")(t, y.q, y.w, p)
    return Stepped(q, v, y.x)


def column(x: Any) -> np.ndarray:
    """x (...) as a column (..., 1)."""
    return np.asarray(x)[..., None]


def with_entries(plant: Plant, y: State) -> tuple[np.ndarray, ...]:
    """The parts of a state that have entries."""
    return tuple(part for part in y if part.shape[-1])


def filled(plant: Plant, parts: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """(q, w, x) again, empty where there are none."""
    given = iter(parts)
    return tuple(next(given) if size else parts[0][..., :0] for size in (plant.nq, plant.nw, plant.nx))
