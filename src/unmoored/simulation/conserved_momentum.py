"""Which momenta a plant conserves in a run: those whose rate is zero at the states and inputs of its rows.

The rate is that of the equations of motion: the derivative of the momentum along the state's own velocity and
acceleration. It says nothing about how well the run was integrated.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..dynamics.configuration import retract
from ..trace import Traced, evaluate, jacobian, trace
from ..worlds.plants import plant_equations as equations
from ..worlds.plants.plant_momentum import momentum

if TYPE_CHECKING:
    from ..worlds import Plant
    from .run import Run

#: rows of a run that are looked at, beside those with the largest inputs
_ROWS = 60
_SAMPLES = 4
#: a rate counts as zero below this, relative to the forces at work in the row
_ZERO = 1e-8


class Conserved(NamedTuple):
    """linear: components of linear momentum (0, 1, 2 for x, y, z of the world).
    about: the point about which all of angular momentum is conserved, "com" or "world"; None if there is none.
    Of both, "com", which does not depend on where the world's origin is; but "world" where the reduced equations carry
    the momentum about it."""

    linear: tuple[int, ...]
    about: str | None


def conserved(run: Run) -> Conserved:
    """The components that are conserved at all rows that are looked at; nothing without rows."""
    found = [_rows(run, i) for i in range(run.samples)[:_SAMPLES]]
    at: dict[str, Any] = {
        name: None if found[0][name] is None else np.concatenate([row[name] for row in found])
        for name in found[0]
    }
    if not len(at["t"]):
        return Conserved((), None)
    a = run.plant.forward_dynamics(at["t"], at["q"], at["v"], at["u"], x=at["x"], p=at["p"])
    rows, sizes = _laid_out(run.plant, at, a)
    carried = run.provenance.get("equations") == "reduced"
    points = ("world", "com") if carried else ("com", "world")
    about = {point: _still(run.plant, run.system.mass, rows, sizes, a, point) for point in points}
    angular = [point for point, still in about.items() if still[3:].all()]
    return Conserved(tuple(np.flatnonzero(about["world"][:3]).tolist()), angular[0] if angular else None)


def _rows(run: Run, i: int) -> dict[str, Any]:
    """Times, states, inputs and parameters of rows of sample i: evenly spread, and where each input is largest."""
    one = run.sample(i)
    chosen = set(np.linspace(0, len(one.t) - 1, min(len(one.t), _ROWS)).astype(int).tolist())
    if one.u is not None and len(one.t):
        chosen |= set(np.abs(one.u).argmax(axis=0).tolist())
    k = sorted(chosen)
    p = None
    if one.parameters is not None:
        p = np.array(np.broadcast_to(one.parameters, (len(k), one.parameters.shape[-1])))
        for x in one.plant._declared:
            if x.name in one.switches:
                p[:, x.place] = one.switches[x.name][k].reshape(len(k), -1)
    parts = {"t": one.t, "q": one.q, "v": one.v, "u": one.u, "x": one.x}
    return {name: None if x is None else x[k].astype(float) for name, x in parts.items()} | {"p": p}


def _laid_out(plant: Plant, at: dict[str, Any], a: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    """Rows (R, …) of t, q, v, v̇, x, ẋ, p, and the lengths of these parts."""
    p = at["p"]
    if p is None:
        p = np.tile(plant.nominal_parameters, (len(a), 1))
    x_dot = _rates_of_actuators(plant, at)
    x = [np.zeros((len(a), 0))] * 2 if x_dot is None else [at["x"], x_dot]
    parts = [at["t"][:, None], at["q"], at["v"], a, *x, p]
    return np.concatenate(parts, axis=1), tuple(part.shape[1] for part in parts)


def _still(
    plant: Plant, mass: float, rows: np.ndarray, sizes: tuple[int, ...], a: np.ndarray, about: str
) -> np.ndarray:
    """Whether each of the six components has no rate (6,) in all rows (R, sum of sizes): t, q, v, a, x, ẋ, p."""
    along, derivative = _momentum_along(plant, sizes, about)
    now = np.zeros((len(rows), 1))
    rate = np.abs(evaluate(derivative, now, rows)[..., 0])
    # row by row: in a run that blows up no push would count beside its last forces
    forces = mass * np.abs(a).max(axis=1) + np.abs(evaluate(along, now, rows)).max(axis=1)
    return (rate <= _ZERO * np.maximum(forces, np.finfo(float).tiny)[:, None]).all(axis=0)


@lru_cache(maxsize=16)
def _momentum_along(plant: Plant, sizes: tuple[int, ...], about: str) -> tuple[Traced, Traced]:
    """The momentum (6,) when a row's state has moved along its velocity and acceleration for s (1,), and its slope."""

    def moved(s: np.ndarray, row: np.ndarray) -> np.ndarray:
        t, q, v, v_dot, x, x_dot, p = np.split(row, np.cumsum(sizes)[:-1])
        ε = s[0]
        q = retract(plant.tree, q, ε * v)
        return momentum(plant, t[0] + ε, q, v + ε * v_dot, x + ε * x_dot, p, about)

    along = trace(moved, (1,), (sum(sizes),))
    return along, jacobian(along, wrt=0)


def _rates_of_actuators(plant: Any, at: dict[str, Any]) -> np.ndarray | None:
    """ẋ (R, nx); None without states of actuators."""
    if at["x"] is None:
        return None
    u = np.zeros(plant.nu) if at["u"] is None else at["u"]
    p = plant.nominal_parameters if at["p"] is None else at["p"]
    u, p = (np.broadcast_to(a, (len(at["t"]), a.shape[-1])) for a in (u, p))
    rows = zip(at["t"], at["q"], at["v"], at["x"], u, p, strict=True)
    return np.stack([equations.state_rates_at(plant, *row) for row in rows])
