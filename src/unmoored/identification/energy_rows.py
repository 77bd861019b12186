"""The energy of a motion: what it has at any time, less the work done on it until then, is the same in all rows.

E(q, v; p) − W(t) = E₀,  W = ∫ P dt,  P the power of the inputs and of all that damps: no accelerations. W comes from
the recorded rows alone, so nothing free may be in P. The power at four rows about an interval, with its own input
(held, or on the line between its rows), is integrated as a cubic. Errors of W add up from row to row, as no noise of
single rows does: every few rows begin anew, with an E₀ of their own. Rows at rest are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from ..lie.arrays import vector
from ..worlds import Plant
from .equations import Equation
from .parameter_space import ParameterSpace
from .recording import Array, Recording, warn_of_unsaid_rules, wrong

#: rows with an E₀ of their own: few enough that noise in the work is little beside that in the energy
_STRETCH = 8
#: rows whose power is integrated as one polynomial
_POINTS = 4
#: rows with less than this share of the mean kinetic energy are left out
_AT_REST = 0.01
#: share of the work, and of the sizes of parameters, by which it is tried whether one changes the other; rows tried
_SAME, _TRIED, _TRIED_ROWS = 1e-9, 0.01, 50


def energy_rows(
    plant: Plant, recordings: Sequence[Recording], starts: Sequence[float], space: ParameterSpace
) -> tuple[Equation, list[Recording], list[float]]:
    """The equation, the stretches of the recordings with the work done until each row in place of their first
    acceleration, and what is added to the times of each (s), of the recordings given by `starts`."""
    warn_of_unsaid_rules(recordings, "identify")
    _refuse_free_powers(plant, recordings, space)
    found, later = [], []
    for recording, start in zip(recordings, starts, strict=True):
        a = np.zeros((len(recording.t), plant.nv))
        a[:, 0] = work_done(plant, recording)
        whole = replace(recording, a=a, seen=_moving(plant, recording))
        edges = [*range(0, len(a) - _STRETCH + 1, _STRETCH), len(a)]
        for first, last in pairwise(edges) if len(edges) > 2 else [(0, len(a))]:
            name = f"{recording.name}, {recording.t[first]:g} s on"
            found.append(replace(whole, name=name, **_rows_of(whole, slice(first, last))))
            later.append(start)
    return _energy_of(plant), found, later


@lru_cache(maxsize=32)
def _energy_of(plant: Plant) -> Equation:
    def rest(t: Any, q: Any, v: Any, a: Any, u: Any, x: Any, p: Any) -> Any:
        own = plant.energy(t, q, v, x=x if plant.nx else None, p=p)
        return vector([own.kinetic + own.potential - a[0]])

    return Equation(rest, ("energy",), True, ("v", "q"))


def work_done(plant: Plant, recording: Recording, p: Array | None = None) -> Array:
    """W (T,) [J] until each row, zero in the first, at the parameters p (n,), as built if None."""
    t, T = recording.t, len(recording.t)
    if T < _POINTS or not np.all(recording.seen):
        given = f"{T} rows, {int((~recording.seen).sum())} not seen"
        raise wrong(recording.name, 'rows, by="energy"', f"{_POINTS} or more without gaps", given)
    first = np.clip(np.arange(T - 1) - 1, 0, T - _POINTS)
    near = first[:, None] + np.arange(_POINTS)
    q, v = recording.q[near], recording.v[near]
    u = None if recording.u is None else _inputs(recording, near)
    x = None if recording.x is None or not plant.nx else recording.x[near]
    P = np.asarray(plant.power(t[near], q, v, u, x=x, p=p).total)
    steps = (P * _weights(t[near], t[:-1], t[1:])).sum(axis=1)
    return np.concatenate([[0.0], np.cumsum(steps)])


def _inputs(recording: Recording, near: np.ndarray) -> Array:
    """The inputs (T − 1, n, nu) of every interval at times of the rows near it, by its own rule also beyond it."""
    u, t = recording.u, recording.t
    assert u is not None
    if recording.between != "linear":
        return np.repeat(u[:-1, None], near.shape[1], axis=1)
    onward = (t[near] - t[:-1, None]) / np.diff(t)[:, None]
    return u[:-1, None] + onward[..., None] * np.diff(u, axis=0)[:, None]


def _moving(plant: Plant, recording: Recording) -> np.ndarray:
    """Rows (T,) that count: at rest the energy does not feel noise in v but by its square, and would seem exact."""
    x = recording.x if plant.nx else None
    T = np.asarray(plant.energy(recording.t, recording.q, recording.v, x=x).kinetic)
    return _AT_REST * T.mean() < T


def _weights(t: Array, start: Array, end: Array) -> Array:
    """Weights (K, n) with which values at t (K, n) integrate, as polynomials, from start to end (K,)."""
    width = (end - start)[:, None]
    s = (t - start[:, None]) / width
    powers = np.arange(t.shape[1])
    right = np.broadcast_to(1.0 / (powers + 1.0), t.shape)
    return width * np.linalg.solve(np.swapaxes(s[..., None] ** powers, 1, 2), right[..., None])[..., 0]


def _refuse_free_powers(plant: Plant, recordings: Sequence[Recording], space: ParameterSpace) -> None:
    """What is free may store energy but not take it away: the work would change with what is searched."""
    few = [replace(r, **_rows_of(r, slice(_TRIED_ROWS))) for r in recordings]
    usual = [work_done(plant, r, space.values(space.start)) for r in few]
    for k, size in enumerate(space.sizes):
        θ = space.start.copy()
        θ[k] += _TRIED * size * (-1.0 if θ[k] + _TRIED * size > space.upper[k] else 1.0)
        p = space.values(θ)
        for recording, W in zip(few, usual, strict=True):
            if np.abs(work_done(plant, recording, p) - W).max() > _SAME * max(np.abs(W).max(), 1e-12):
                moved = np.flatnonzero(p != space.values(space.start))
                names = ", ".join(plant.parameter_names[i] for i in moved)
                expected = 'numbers that store energy; by="trajectories" or "accelerations" takes what damps'
                raise wrong("identify", 'free, by="energy"', expected, names)


def _rows_of(recording: Recording, rows: slice) -> dict[str, Any]:
    """Fields of some of a recording's rows."""
    found = {name: getattr(recording, name) for name in ("t", "q", "v", "u", "a", "x", "seen")}
    return {name: value[rows] for name, value in found.items() if value is not None}
