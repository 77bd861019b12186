"""States on the closures of a plant: found from a guess, and checked at the start of a run (theory.md §29). Numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..dynamics.configuration import retract
from ..dynamics.joint_crossing import crossings
from ..lie.arrays import apply
from ..model import ModelError
from .closed_plant import closed_state, kept_rows, mobility
from .closures.closed_loops import by_closure, gaps, loops_at
from .loads import Setting, setting

if TYPE_CHECKING:
    from .plant import Plant

#: gap (m, rad) and rate of it, relative to 1 and the speeds, at which a start still counts as closed
_CLOSED = 1e-9
_ASSEMBLED = 1e-13
_ITERATIONS = 100
_LARGEST_STEP = 0.3  # of any DoF in one iteration (m, rad)
#: how far a start is moved to see whether the loops lose rank just there (m, rad)
_BESIDE = 1e-3


class Assembled(NamedTuple):
    """q (..., nq) and v (..., nv) that keep the plant's closures."""

    q: np.ndarray
    v: np.ndarray


def assembled(plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> Assembled:
    """The state on the closures next to q (..., nq), v (..., nv), in the metric of M; refused if there is none."""
    now = setting(plant, p)
    w = now.velocities.independent(q, v)
    q = np.array(now.velocities.configuration(t, q), dtype=float)
    for _ in range(_ITERATIONS if plant.closures else 0):
        if np.abs(gaps_at(now, q)).max(initial=0.0) < _ASSEMBLED:
            break
        kept = kept_rows(plant, t, q, p)
        loops = loops_at(now.tree, now.dry, now.closures, crossings(now.tree, q))
        found = mobility(now, q, loops.J, kept)
        δ = now.velocities.along(q, -apply(found.Y, found.multipliers(gaps(loops))))
        longest = np.abs(δ).max(axis=-1, keepdims=True)
        q = retract(now.tree, q, δ * np.minimum(1.0, _LARGEST_STEP / np.maximum(longest, 1e-300)))
        q = np.asarray(now.velocities.configuration(t, q), dtype=float)
    _refuse_open(plant, now, q, "q")
    if plant.closures:
        q, w, _ = closed_state(plant, t, q, w, p, kept_rows(plant, t, q, p))
    return Assembled(q, now.velocities.full(t, q, w))


def gaps_at(now: Setting, q: np.ndarray) -> np.ndarray:
    """φ (..., c) of the closures at q (..., nq)."""
    return np.asarray(gaps(loops_at(now.tree, now.dry, now.closures, crossings(now.tree, q))), dtype=float)


def closed_start(
    plant: Plant, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(q, w) of a run's start (S, nq), (S, nw) put on the closures; refused beyond 1e-9, and if singular."""
    if not plant.closures:
        return q, w
    now = setting(plant, p)
    q = np.asarray(now.velocities.configuration(t, q), dtype=float)
    _refuse_open(plant, now, q, "q0")
    kept = kept_rows(plant, t, q, p)
    loops = loops_at(now.tree, now.dry, now.closures, crossings(now.tree, q))
    v = now.velocities.full(t, q, w)
    rates = np.abs(apply(loops.J, v)) / (1.0 + np.abs(v).max(axis=-1, initial=0.0, keepdims=True))
    _refuse(plant, loops, rates, "v0", "a velocity that keeps the closure")
    q, w, _ = closed_state(plant, t, q, w, p, kept)
    _refuse_singular(plant, now, t, q, p, np.asarray(kept))
    return q, w


def _refuse_open(plant: Plant, now: Setting, q: np.ndarray, what: str) -> None:
    if plant.closures:
        loops = loops_at(now.tree, now.dry, now.closures, crossings(now.tree, q))
        _refuse(plant, loops, np.abs(gaps(loops)), what, "frames that meet as the closing joint allows")


def _refuse(plant: Plant, loops: Any, off: np.ndarray, what: str, rule: str) -> None:
    for closure, own in zip(plant.closures, by_closure(loops, off), strict=True):
        if not np.all(own <= _CLOSED):
            worst = float(np.max(own))
            expected = f"{rule}, to {_CLOSED:g} (plant.assemble(q, v) gives such a state)"
            raise ModelError.single(
                closure.label, what, expected=expected, given=f"off by {worst:.3g} (m, rad)"
            )


def _refuse_singular(
    plant: Plant, now: Setting, t: Any, q: np.ndarray, p: np.ndarray, kept: np.ndarray
) -> None:
    """Refuse a start at which the loops have another rank than beside it: two motions meet there."""
    z = np.random.default_rng(0).normal(size=(*q.shape[:-1], plant.nw))
    loops = loops_at(now.tree, now.dry, now.closures, crossings(now.tree, q))
    found = mobility(now, q, loops.J, kept)
    along = z - apply(found.Y, found.multipliers(apply(found.J, z)))
    size = np.abs(along).max(axis=-1, keepdims=True)
    step = now.velocities.along(q, along / np.where(size > 1e-9, size, np.inf)) * _BESIDE
    beside = np.asarray(now.velocities.configuration(t, retract(now.tree, q, step)), dtype=float)
    beside, _, gap = closed_state(plant, t, beside, np.zeros((*q.shape[:-1], plant.nw)), p, kept, sweeps=4)
    there = np.asarray(kept_rows(plant, t, beside, p))
    lost = (there.sum(axis=-1) != kept.sum(axis=-1)) & (np.abs(gap).max(axis=-1, initial=0.0) < _BESIDE)
    if np.any(lost):
        which = int(np.flatnonzero(np.ravel(lost))[0])
        expected = "a start beside singular positions of the loop, where its motion is not told"
        given = f"rank {kept.sum(axis=-1).ravel()[which]:g} there, {there.sum(axis=-1).ravel()[which]:g} beside it"
        raise ModelError.single(plant.closures[0].label, "q0", expected=expected, given=given)
