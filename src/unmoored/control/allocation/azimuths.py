"""Thrusters that turn: which angle, without turning by half a turn where pushing back does it, and not too fast."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...trace import arctan2, clip, copysign, greater, less_equal, where

#: sides of the polygon inside the circle of all thrusts (half of them are rows: both sides of each count)
SIDES = 16
#: a thrust below this part of the largest does not turn the thruster
_HOLD = 1e-3


def polygon() -> np.ndarray:
    """Rows (sides/2, 2): n·f ≤ f_max cos(π/sides), both ways, keeps the thrust (f_along, f_across) inside a polygon."""
    angles = np.arange(SIDES // 2) * 2.0 * np.pi / SIDES
    return np.column_stack([np.cos(angles), np.sin(angles)])


def turned_angle(along: Any, across: Any, before: Any, low: Any, high: Any, step: Any) -> Any:
    """The angle (...) [rad] a control period after the angle before (...), for a wanted thrust f = (along, across).

    It goes to where f points, or opposite where that is nearer and the thruster can push back as much (low ≤ −|f|), by
    the shorter way, by at most `step` (rad). The smaller f, the less it is turned.
    """
    size = np.sqrt(along * along + across * across)
    hold = _HOLD * high
    wanted = arctan2(across + hold * np.sin(before), along + hold * np.cos(before))
    turn = _wrapped(wanted - before)
    back = greater(np.abs(turn), 0.5 * np.pi) & less_equal(low, -size)
    turn = where(back, turn - copysign(np.pi, turn), turn)
    return before + clip(turn, -step, step)


def _wrapped(angle: Any) -> Any:
    """The same angle in [−π, π]."""
    return arctan2(np.sin(angle), np.cos(angle))
