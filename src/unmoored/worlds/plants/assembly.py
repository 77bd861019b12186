"""States on the closures of a plant: found from a guess, and checked at the start of a run (theory.md §29). Numbers."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ... import kernels
from ...dynamics.configuration import retract
from ...lie.arrays import apply, join, vector
from ...model import ModelError
from ...trace import greater, maximum, where
from ..closures.closed_loops import gaps, loops_at
from ..loads import Setting, setting
from .closed_plant import closed_state, inertial, jump, kept_rows

if TYPE_CHECKING:
    from .plant import Plant

#: gap (m, rad) and rate of it, relative to 1 and the speeds, at which a start still counts as closed
_CLOSED = 1e-9
_ASSEMBLED = 1e-13
_ITERATIONS = 100
_LARGEST_STEP = 0.3  # of any DoF in one iteration (m, rad)
#: so many starts are looked at one after the other in NumPy, more by a kernel
_BY_NUMPY = 8
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
        loops = loops_at(now.tree, now.dry, now.closures, q)
        felt = inertial(now, q, loops.J)
        δ = now.velocities.along(q, felt.moved(felt.multipliers(kept, -gaps(loops))))
        longest = np.abs(δ).max(axis=-1, keepdims=True)
        q = retract(now.tree, q, δ * np.minimum(1.0, _LARGEST_STEP / np.maximum(longest, 1e-300)))
        q = np.asarray(now.velocities.configuration(t, q), dtype=float)
    _refuse(plant, np.abs(gaps_at(now, q)), "q", "frames that can meet as the closing joint allows")
    if plant.closures:
        kept = kept_rows(plant, t, q, p)
        q, w, _ = closed_state(plant, t, q, jump(plant, t, q, w, p, kept)[0], p, kept)
    return Assembled(q, now.velocities.full(t, q, w))


def gaps_at(now: Setting, q: np.ndarray) -> np.ndarray:
    """φ (..., c) of the closures at q (..., nq)."""
    if not now.closures:
        return np.zeros((*q.shape[:-1], 0))
    return np.asarray(gaps(loops_at(now.tree, now.dry, now.closures, q)), dtype=float)


def closed_start(
    plant: Plant, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray, names: tuple[str, str] = ("q0", "v0")
) -> tuple[np.ndarray, np.ndarray]:
    """(q, w) of a run's start (S, nq), (S, nw) put on the closures; refused beyond 1e-9, and if singular.

    names: of the two in messages.
    """
    if not plant.closures:
        return q, w
    rows = sum(closure.rows for closure in plant.closures)
    times = np.broadcast_to(np.reshape(t, (-1, 1)), (len(q), 1))
    given = (times, q, w, np.broadcast_to(p, (len(q), p.shape[-1])))
    if len(q) > _BY_NUMPY:
        found = _kernel(plant)(*(a for a in given if a.shape[-1]))
    else:
        found = np.stack([_looked_at(plant, *one) for one in zip(*given, strict=True)])
    sizes = (plant.nq, plant.nw, rows, rows, 3)
    q, w, gap, rate, ranks = np.split(np.asarray(found, dtype=float), np.cumsum(sizes)[:-1], axis=-1)
    _refuse(plant, gap, names[0], "frames that meet as the closing joint allows")
    _refuse(plant, rate, names[1], "a velocity that keeps the closure")
    lost = (ranks[:, 0] != ranks[:, 1]) & (ranks[:, 2] < _BESIDE)
    for i in np.flatnonzero(lost)[:1]:
        expected = "a start beside singular positions of the loop, where its motion is not told"
        given = f"rank {ranks[i, 0]:g} there, {ranks[i, 1]:g} beside it"
        raise ModelError.single(plant.closures[0].label, names[0], expected=expected, given=given)
    return q, w


def _kernel(plant: Plant) -> Any:
    """`_looked_at`, compiled; kept with the plant unless code of the user's is part of it."""
    kept = plant.__dict__.get("_closed_start")
    if kept is None:
        sizes = [(1,), (plant.nq,), (plant.nw,), (len(plant.nominal_parameters),)]

        def flat(*parts: np.ndarray) -> np.ndarray:
            return _looked_at(plant, *parts, *([] if sizes[-1][0] else [np.zeros(0)]))

        kept = kernels.compile(
            flat, [size for size in sizes if size[0]], name="closed_start", exact_zeros=False
        )
        if plant.digest is not None:
            plant.__dict__["_closed_start"] = kept
    return kept


def _looked_at(plant: Plant, t: np.ndarray, q: np.ndarray, w: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Of one sample, t (1,): q and w on the closures, gaps and their relative rates before, rank there and beside it,
    and the gap beside it, as one vector."""
    t, now = t[0], setting(plant, p)
    q = now.velocities.configuration(t, q)
    loops = loops_at(now.tree, now.dry, now.closures, q)
    v = now.velocities.full(t, q, w)
    rates = np.abs(apply(loops.J, v)) / np.asarray(1.0 + np.abs(v).sum())[..., None]
    kept = kept_rows(plant, t, q, p)
    closed_q, closed_w, _ = closed_state(plant, t, q, w, p, kept)
    z = np.random.default_rng(0).normal(size=plant.nw)
    felt, J = inertial(now, q, loops.J), now.velocities.projected_rows(q, loops.J)
    along = z + felt.moved(felt.multipliers(kept, -apply(J, z)))
    size = np.abs(along).sum()
    step = along * np.asarray(where(greater(size, 1e-6), _BESIDE / maximum(size, 1e-6), 0.0))
    beside = retract(now.tree, closed_q, now.velocities.along(q, step) if plant.nw != plant.nv else step)
    for _ in range(2):
        beside, _, gap = closed_state(plant, t, beside, 0.0 * w, p, kept)
    left = reduce(maximum, [np.abs(gap[i]) for i in range(gap.shape[-1])])
    ranks = vector([kept.sum(), kept_rows(plant, t, beside, p).sum(), left])
    return join([closed_q, closed_w, np.abs(gaps(loops)), rates, ranks])


def _refuse(plant: Plant, off: np.ndarray, what: str, rule: str) -> None:
    """Refuse rows (..., c) that are off by more than rounding, with the name of the closure."""
    first = 0
    for closure in plant.closures:
        own = off[..., first : first + closure.rows]
        first += closure.rows
        if not np.all(own <= _CLOSED):
            expected = f"{rule}, to {_CLOSED:g} (plant.assemble(q, v) gives such a state)"
            given = f"off by {float(np.max(own)):.3g} (m, rad)"
            raise ModelError.single(closure.label, what, expected=expected, given=given)
