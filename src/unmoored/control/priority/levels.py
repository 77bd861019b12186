"""Levels one after the other: projections where there are no limits, quadratic programs where there are.

With limits lo ≤ E x ≤ hi that hold at all levels, a level moves along what those above it leave, x + N z, to the least

    |A (z − z*)|² + w |z − z*|² ,    A = J N ,    lo ≤ E (x + N z) ≤ hi

with z* = A⁺(b − J x), which is what it wants without limits: where it can have that it gets it, exactly
(task-priority.md; Kanoun, Lamiraux & Wieber 2011; Escande, Mansard & Wieber 2014). Bounds of lower
levels are passed over as little as possible (|s|² counts a thousand times the level's own |J x − b|²), and from then
on no further.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...lie.arrays import apply, blocks, join, stacked_rows, transpose
from ...planning.quadratic_program import largest, solve_qp
from ...trace import clip, less_equal, maximum, minimum, qr, where
from .successive_projection import Projected, left_over, moved, projected

#: weight w of the way that a level is kept from going, in the scale of its rows
_WEIGHT = 1e-6
#: weight of |s|² beside that of a level's wants
_PASSED_OVER = 1e3
#: part of its range, or of its norm if that is less, that the first level keeps off a limit, half of it the second, …
_ROOM = 1e-5
#: at most; eight to ten are enough for most, and what has arrived costs nothing more
_ITERATIONS = 25
#: rows that are met to this part of their norm are met
_MET = 1e-9


class Limits(NamedTuple):
    """lo ≤ E x ≤ hi: E (..., m, n), lo and hi (..., m)."""

    E: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Level(NamedTuple):
    """J x = b (J (..., k, n), b (..., k)) as well as can be, bounds as well as can be, and how much is in force."""

    J: np.ndarray | None
    b: np.ndarray | None
    bounds: Limits | None = None
    share: Any = 1.0


class Prioritised(NamedTuple):
    """x (..., n); loss (..., levels): |b − J x| with what bounds are passed over by; unsolved (...): 1 or 0."""

    x: np.ndarray
    loss: np.ndarray
    unsolved: Any


def prioritised(
    levels: Sequence[Level], limits: Limits | None, n: int, ε: Any, freedom: Sequence[int]
) -> Prioritised:
    """x (..., n) of all levels, the first one first, within limits that come before all of them.

    freedom: how many of the n directions the levels above leave to each, where nothing is singular.
    """
    x, N, above, unsolved = np.zeros(n), None, None, 0.0
    for k, level in enumerate(levels):
        if not freedom[k]:
            continue
        if above is not None:
            N = left_over(N, *above)
        aim = _aim(level, x, N, n, ε)
        if limits is None and level.bounds is None:
            z = aim.z
        else:
            z, failed = _within(aim, x, N, _tightened(limits, _ROOM / 2**k), level.bounds, freedom[k])
            unsolved = maximum(unsolved, failed)
        x = moved(x, N, z, level.share)
        if level.bounds is not None:
            limits = _together(limits, _widened(level.bounds, x, level.share, _ROOM / 2**k))
        above = aim.taken, level.share
    loss = [np.asarray(level.share * _missing(level, x)) for level in levels]
    return Prioritised(x, np.stack(np.broadcast_arrays(*loss), axis=-1), unsolved)


def _aim(level: Level, x: np.ndarray, N: np.ndarray | None, n: int, ε: Any) -> Projected:
    if level.J is None or level.b is None:
        return Projected(np.zeros((0, n)), np.zeros(n), np.zeros((n, n)))
    return projected(level.J, level.b - apply(level.J, x), N, ε)


def _tightened(limits: Limits | None, room: float) -> Limits | None:
    """Limits that leave the levels below some room inside, so that their interior points have an interior."""
    if limits is None:
        return limits
    kept = room * minimum(0.5 * (limits.high - limits.low), _norms(limits.E))
    return Limits(limits.E, limits.low + kept, limits.high - kept)


def _norms(E: np.ndarray) -> np.ndarray:
    return np.sqrt((E * E).sum(axis=-1))


def _within(
    aim: Projected,
    x: np.ndarray,
    N: np.ndarray | None,
    limits: Limits | None,
    bounds: Limits | None,
    freedom: int,
) -> tuple[np.ndarray, Any]:
    """(z (..., n), 1 if no optimum was found else 0) of a level, near what it aims at, within limits and bounds."""
    parts = [part for part in (limits, bounds) if part is not None]
    E = stacked_rows([part.E for part in parts])
    soft = 0 if bounds is None else bounds.E.shape[-2]
    hard = E.shape[-2] - soft
    at_x = apply(E, x)
    low, high = (join([part[k] for part in parts]) - at_x for k in (1, 2))
    wanted, norms = apply(E if N is None else E @ N, aim.z), _MET * _norms(E)
    free = less_equal(largest(maximum(wanted - high - norms, low - norms - wanted)), 0.0)
    Z = None if N is None else _basis(N, freedom)
    if N is not None and Z is not None:  # x is within the limits, but for rounding
        E = E @ (N @ Z)
        low = join([minimum(low[..., :hard], 0.0), low[..., hard:]])
        high = join([maximum(high[..., :hard], 0.0), high[..., hard:]])
    A, aimed = (aim.A, aim.z) if Z is None else (aim.A @ Z, apply(transpose(Z), aim.z))
    n = aimed.shape[-1]
    Q = _WEIGHT * np.eye(n) + (transpose(A) @ A if A.shape[-2] else 0.0)
    c = -apply(Q, aimed)
    if soft:
        E = blocks([[E[..., :hard, :], np.zeros((hard, soft))], [E[..., hard:, :], -np.eye(soft)]])
        Q = blocks([[Q, np.zeros((n, soft))], [np.zeros((soft, n)), _PASSED_OVER * np.eye(soft)]])
        c = join([c, np.zeros(soft)])
    found = solve_qp(Q, c, E, low, high, iterations=_ITERATIONS, settled=where(free, 1.0, 0.0))
    y = found.x[..., :n]
    z = where(np.asarray(free)[..., None], aim.z, y if Z is None else apply(Z, y))
    return z, where(free, 0.0, 1.0 - found.solved)


def _basis(N: np.ndarray, freedom: int) -> np.ndarray:
    """Orthonormal columns (..., n, freedom) that N (..., n, n) leaves as they are: fewer unknowns.

    N times columns that are in no special place; N still stands between them and x, whatever they are.
    """
    n = N.shape[-1]
    mixed = np.linalg.qr(np.random.default_rng(0).normal(size=(n, freedom)))[0]
    return qr(N @ mixed)[0]


def _widened(bounds: Limits, x: np.ndarray, share: Any, room: float) -> Limits:
    """The bounds, with what x passes over them by in them; without end where nothing of them is in force."""
    y, more = apply(bounds.E, x), 2.0 * room * _norms(bounds.E)
    low, high = minimum(bounds.low, y - more), maximum(bounds.high, y + more)
    if isinstance(share, float) and share == 1.0:
        return Limits(bounds.E, low, high)
    more = np.asarray((1.0 - share) / maximum(share, 1e-12))[..., None]
    return Limits(bounds.E, low - more, high + more)


def _together(a: Limits | None, b: Limits) -> Limits:
    if a is None:
        return b
    return Limits(stacked_rows([a.E, b.E]), join([a.low, b.low]), join([a.high, b.high]))


def _missing(level: Level, x: np.ndarray) -> Any:
    """|b − J x| and what the bounds are passed over by (...), as one length."""
    parts = [] if level.J is None else [level.b - apply(level.J, x)]
    if level.bounds is not None:
        y = apply(level.bounds.E, x)
        parts.append(y - clip(y, level.bounds.low, level.bounds.high))
    r = join(parts)
    return np.sqrt((r * r).sum(axis=-1))
