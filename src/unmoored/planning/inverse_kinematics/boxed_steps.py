"""Damped steps within a box, accepted only if they come nearer (docs/inverse-kinematics.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...lie.arrays import apply, scale, scale_vector, transpose
from ...trace import clip, equal, greater, greater_equal, less, less_equal, maximum, minimum, repeat, where
from ...trace import solve_spd as solve

#: damping per unit of ½|e|² at first (Sugihara 2011), at least, and at most
FIRST, LEAST, MOST = 1e-2, 1e-5, 1e12
_FLOOR = 1e-14
#: how the damping changes after a step that came nearer, and after one that did not
_DOWN, _UP = 0.25, 8.0
#: the longest step
LONGEST = 1.0


class Rows(NamedTuple):
    """What must vanish, about a configuration: e − J Δ of a step Δ of the unknowns.

    J (..., m, n), e (..., m).  rest: what else the step needs (..., k).  off (...): squares that count beside |e|².
    """

    J: np.ndarray
    e: np.ndarray
    rest: np.ndarray
    off: Any


class At(NamedTuple):
    """Where a search stands: q (..., nq), its rows, half the sum of squares f, damping s per unit of f."""

    q: np.ndarray
    rows: Rows
    f: Any
    s: Any


def half_square(rows: Rows) -> Any:
    """½(|e|² + off) (...)."""
    return 0.5 * ((rows.e * rows.e).sum(axis=-1) + rows.off)


def boxed_step(J: np.ndarray, e: np.ndarray, η: Any, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Δ (..., n), low ≤ Δ ≤ high, that brings e − J Δ (..., m) nearer to zero: a projected Newton step.

    Unknowns at a limit that the gradient pushes against stay (Bertsekas 1982); the others take the step of least
    |e − J Δ|² + η|Δ|², shortened to `LONGEST`. Those that it takes to a limit stop there, and the rest makes up for
    them by a second such step, which is cut at the box. η (...) > 0.
    """
    push = apply(transpose(J), e)
    stuck = where(greater(push, 0.0), less_equal(high, 0.0), greater_equal(low, 0.0))
    free = np.asarray(where(stuck, 0.0, 1.0))
    Δ = _shortened(damped(J * free[..., None, :], e, η))
    stopped = clip(Δ, low, high)
    inside = np.asarray(where(equal(stopped, Δ), 1.0, 0.0)) * free
    outside = (1.0 - inside) * stopped
    Δ = outside + damped(J * inside[..., None, :], e - apply(J, outside), η)
    return clip(_shortened(Δ), low, high)


def _shortened(Δ: np.ndarray) -> np.ndarray:
    length = np.sqrt((Δ * Δ).sum(axis=-1))
    return scale_vector(minimum(1.0, LONGEST / maximum(length, LONGEST)), Δ)


def step_damping(s: Any, f: Any) -> Any:
    """η (...) of a step from where half the sum of squares is f."""
    return s * f + _FLOOR


def next_damping(nearer: Any, s: Any) -> Any:
    """The damping (...) per unit of f after a step that came nearer, or did not."""
    return where(nearer, maximum(LEAST, _DOWN * s), minimum(MOST, _UP * s))


def damped(J: np.ndarray, e: np.ndarray, η: Any) -> np.ndarray:
    """The Δ (..., n) of least |e − J Δ|² + η|Δ|²; J (..., m, n): the smaller of the two systems is solved."""
    m, n = J.shape[-2:]
    J_T = transpose(J)
    if m <= n:
        return apply(J_T, solve(J @ J_T + scale(η, np.eye(m)), e))
    return solve(J_T @ J + scale(η, np.eye(n)), apply(J_T, e))


def searched(
    rows_at: Callable[[np.ndarray], Rows],
    moved: Callable[[np.ndarray, np.ndarray, Rows], np.ndarray],
    room: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    start: np.ndarray,
    s: Any,
    times: int,
) -> At:
    """`times` damped steps from a configuration (nq,) with damping s.

    rows_at: rows at a configuration.  moved: the configuration after a step.  room: (low, high) (n,) of the next step.
    """
    rows = rows_at(start)
    first = At(start, rows, half_square(rows), s)

    def step(_: Any, at: Any) -> Any:
        now = At(at[0], Rows(*at[1]), at[2], at[3])
        Δ = boxed_step(now.rows.J, now.rows.e, step_damping(now.s, now.f), *room(now.q))
        q = moved(now.q, Δ, now.rows)
        rows = rows_at(q)
        f = half_square(rows)
        nearer = less(f, now.f)
        kept = [where(nearer, a, b) for a, b in zip((q, *rows, f), (now.q, *now.rows, now.f), strict=True)]
        return kept[0], tuple(kept[1:5]), kept[5], next_damping(nearer, now.s)

    q, rows, f, s = repeat(step, (first.q, tuple(first.rows), first.f, first.s), times)
    return At(q, Rows(*rows), f, s)
