"""Commands that give wanted thrusts: curves of thrusters, inverted in kernels by bisection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...model import ModelError
from ...trace import equal, less, less_equal, repeat, where

#: halvings of the range of commands: below rounding
_HALVINGS = 50
_POINTS = 257


def check_curve(label: str, curve: Callable[[Any], Any], low: float, high: float) -> None:
    """Refuse a curve that has no inverse: of a thruster without limits, or one that turns back within them."""
    if not (np.isfinite(low) and np.isfinite(high)) or high >= 1e29 or low <= -1e29:
        expected = "limits of the command: between them its inverse is looked for"
        raise ModelError.single(label, "limits", expected=expected, given=f"({low:g}, {high:g}) and a curve")
    steps = np.diff(np.array([float(curve(u)) for u in np.linspace(low, high, _POINTS)]))
    if not (np.all(steps >= 0) or np.all(steps <= 0)) or not np.any(steps):
        expected = "a thrust that only rises, or only falls, with the command"
        raise ModelError.single(label, "curve", expected=expected, given="one that turns back or is flat")


def command_of(curve: Callable[[Any], Any], thrust: Any, low: Any, high: Any) -> Any:
    """The command (...) between low and high with curve(command) = thrust (...), zero where the curve gives it at zero.

    Thrusts beyond those of low and high get low or high.
    """
    slope = where(less(curve(low), curve(high)), 1.0, -1.0)

    def halved(_: Any, ends: tuple[Any, Any]) -> tuple[Any, Any]:
        a, b = ends
        middle = 0.5 * (a + b)
        above = less(slope * curve(middle), slope * thrust)
        return where(above, middle, a), where(above, b, middle)

    start = low + 0.0 * thrust, high + 0.0 * thrust
    a, b = repeat(halved, start, _HALVINGS)
    inside = less_equal(low, 0.0) & less_equal(0.0, high)
    return where(inside & equal(thrust, curve(0.0 * thrust)), 0.0, 0.5 * (a + b))
