"""Which momenta a plant conserves in a run: those whose rate is zero at the states and inputs of its rows.

The rate is that of the equations of motion, found by moving each state a little along its own velocity and
acceleration. It says nothing about how well the run was integrated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..worlds.plants import plant_equations as equations

if TYPE_CHECKING:
    from .run import Run

#: rows of a run that are looked at, beside those with the largest inputs
_ROWS = 60
_SAMPLES = 4
#: a little while (s), in which a state is moved
_WHILE = 3e-6
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
    rows = [_rows(run, i) for i in range(run.samples)[:_SAMPLES]]
    at: dict[str, Any] = {
        name: None if rows[0][name] is None else np.concatenate([row[name] for row in rows])
        for name in rows[0]
    }
    if not len(at["t"]):
        return Conserved((), None)
    a = run.plant.forward_dynamics(at["t"], at["q"], at["v"], at["u"], x=at["x"], p=at["p"])
    sides = _moved(run, at, a)
    carried = run.provenance.get("equations") == "reduced"
    points = ("world", "com") if carried else ("com", "world")
    about = {point: _still(run, sides, a, point) for point in points}
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


def _moved(run: Run, at: dict[str, Any], a: np.ndarray) -> list[dict[str, Any]]:
    """Arguments of the momentum a little while before and after the rows, with accelerations a (R, nv)."""
    x_dot: Any = _rates_of_actuators(run.plant, at)
    return [
        {
            "t": at["t"] + ε,
            "q": run.system.retract(at["q"], ε * at["v"]),
            "v": at["v"] + ε * a,
            "x": None if at["x"] is None else at["x"] + ε * x_dot,
            "p": at["p"],
        }
        for ε in (-_WHILE, _WHILE)
    ]


def _still(run: Run, sides: list[dict[str, Any]], a: np.ndarray, about: str) -> np.ndarray:
    """Whether each of the six components has no rate (6,) between the two sides."""
    before, after = (run.plant.momentum(**side, about=about) for side in sides)
    rate = np.abs(after - before) / (2 * _WHILE)
    # row by row: in a run that blows up no push would count beside its last forces
    forces = run.system.mass * np.abs(a).max(axis=1) + np.abs(before).max(axis=1)
    return (rate <= _ZERO * np.maximum(forces, np.finfo(float).tiny)[:, None]).all(axis=0)


def _rates_of_actuators(plant: Any, at: dict[str, Any]) -> np.ndarray | None:
    """ẋ (R, nx); None without states of actuators."""
    if at["x"] is None:
        return None
    u = np.zeros(plant.nu) if at["u"] is None else at["u"]
    p = plant.nominal_parameters if at["p"] is None else at["p"]
    u, p = (np.broadcast_to(a, (len(at["t"]), a.shape[-1])) for a in (u, p))
    rows = zip(at["t"], at["q"], at["v"], at["x"], u, p, strict=True)
    return np.stack([equations.state_rates_at(plant, *row) for row in rows])
