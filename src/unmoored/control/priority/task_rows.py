"""From the rows of tasks to rows in the unknowns of a level: speeds or accelerations of the active DoFs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...lie.arrays import apply, join, stacked_rows
from ...trace import is_symbolic, solve_spd
from ..tasks import Bounded, Wanted
from ..tasks.task_interface import wanted_acceleration, wanted_speed
from .levels import Limits

#: bounds from here on are none
_FAR = 1e28


class Unknowns(NamedTuple):
    """How the unknowns x (..., n) move everything: speeds are P x + offset, or accelerations are.

    P (..., nv, n), None for the identity, without an offset.  weights: x = scaled unknowns / √weights (..., n).
    bandwidth: of the loops from speeds to accelerations (..., n); None where the unknowns are accelerations.
    a: accelerations (..., nv) while those of the unknowns' DoFs are zero.
    """

    P: np.ndarray | None
    offset: Any
    scale: np.ndarray
    active: list[int]
    bandwidth: np.ndarray | None = None
    a: Any = 0.0

    def rows(self, J: np.ndarray) -> np.ndarray:
        """J (..., k, nv) by the scaled unknowns."""
        return (J if self.P is None else J @ self.P) * self.scale[..., None, :]

    def at_zero(self, J: np.ndarray) -> Any:
        """J (..., k, nv) times what moves while the unknowns are zero."""
        return 0.0 if self.P is None else apply(J, self.offset)

    def full(self, x: np.ndarray) -> np.ndarray:
        """Speeds or accelerations (..., nv) of the scaled unknowns."""
        x = self.scale * x
        return x if self.P is None else apply(self.P, x) + self.offset


def wanted_rows(
    tasks: list[tuple[Wanted, Any]], at: Unknowns, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """J (..., k, n) and b (..., k) of several tasks with their rates, one below the other."""
    J = stacked_rows([np.asarray(rows.J) for rows, _ in tasks])
    if at.bandwidth is None:
        b = join([wanted_acceleration(rows, rate, v) for rows, rate in tasks])
    else:
        b = join([np.asarray(wanted_speed(rows, rate)) for rows, rate in tasks])
    return at.rows(J), b - at.at_zero(J)


def bounded_rows(tasks: list[tuple[Bounded, Any]], at: Unknowns, v: np.ndarray) -> Limits:
    """Limits on the scaled unknowns of several tasks with their rates: approach is the slower the nearer a bound is."""
    found = [_limits(rows, rate, at, v) for rows, rate in tasks]
    E = stacked_rows([np.asarray(part.E) for part in found])
    return Limits(E, join([part.low for part in found]), join([part.high for part in found]))


def _limits(rows: Bounded, k: Any, at: Unknowns, v: np.ndarray) -> Limits:
    J, y = rows.J, rows.value
    if (
        at.bandwidth is not None and rows.order == 2
    ):  # accelerations bandwidth (x − v), and what moves beside them
        P = np.eye(v.shape[-1]) if at.P is None else at.P
        E = J @ P * at.bandwidth[..., None, :]
        still = rows.bias + (0.0 if at.P is None else apply(J, at.a)) - apply(E, v[..., at.active])
        E = E * at.scale[..., None, :]
        return Limits(E, _kept(rows.low, rows.low - still), _kept(rows.high, rows.high - still))
    if at.bandwidth is not None:
        beside = at.at_zero(J)
        sides = [k * (bound - y) if rows.order == 0 else bound for bound in (rows.low, rows.high)]
    else:
        beside = at.at_zero(J) + rows.bias
        rate = apply(J, v)
        sides = [
            (k * k * (bound - y) - 2.0 * k * rate, k * (bound - y), bound)[rows.order]
            for bound in (rows.low, rows.high)
        ]
    low, high = (
        _kept(bound, side - beside) for bound, side in zip((rows.low, rows.high), sides, strict=True)
    )
    return Limits(at.rows(J), low, high)


def _kept(bound: Any, side: Any) -> Any:
    """The side (..., m) of a bound, and none where the bound is none, known when the code is made."""
    if is_symbolic(bound):
        return side
    side = np.asarray(side)
    far = np.broadcast_to(np.abs(bound) >= _FAR, side.shape)
    return np.where(far, np.broadcast_to(bound, side.shape), side)


def with_passive(
    P: np.ndarray, M: np.ndarray, h: np.ndarray, v: np.ndarray, active: list[int], passive: list[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(P', v_0, a_0): speeds P' x + v_0 of all DoFs with those x of the active ones, accelerations P' ẋ + a_0.

    P (..., nv, nv): how DoFs move with their leaders.  h (..., nv): forces needed while ẋ = 0 and no passive DoF speeds
    up. No force acts along the passive DoFs: their accelerations are −M_pp⁻¹(M_pa ẋ + h_p), and with a change of x at
    the same momentum along them their speeds are v_p + M_pp⁻¹M_pa (v_a − x) (theory.md §14).
    """
    M_pp, M_pa = (M[..., passive, :][..., columns] for columns in (passive, active))
    right = np.concatenate([M_pa, h[..., passive, None]], axis=-1)
    K = solve_spd(M_pp, right)
    given = P[..., passive]
    v_0 = apply(given, v[..., passive] + apply(K[..., :-1], v[..., active]))
    return P[..., active] - given @ K[..., :-1], v_0, apply(given, -K[..., -1])
