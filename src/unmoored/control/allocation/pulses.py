"""Thrusters that are on or off: how long they are on in every cycle of control periods."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...trace import clip, equal, less, minimum, where


class Pulses(NamedTuple):
    """State of the pulses: periods since the cycle began (...), periods to be on (..., n), impulse owed (..., n).

    What is owed is in full thrust times control periods.
    """

    now: Any
    on: Any
    owed: Any


def pulsed(state: Pulses, duty: np.ndarray, periods: int, least: Any) -> tuple[np.ndarray, Pulses]:
    """(1 where a thruster is on now else 0 (..., n), state) for parts of full thrust (..., n) wanted as a cycle begins.

    A pulse is a whole number of control periods, none if that is below `least`, the minimum impulse bit; what a pulse
    gives too much or too little is owed in the next cycle, so that the impulse is right in the mean.
    """
    begins = np.asarray(equal(state.now, 0.0))[..., None]
    wanted = duty * periods + state.owed
    whole = clip(np.floor(wanted + 0.5), 0.0, float(periods))
    whole = where(less(whole, least), 0.0, whole)
    on = where(begins, whole, state.on)
    owed = where(begins, minimum(wanted - whole, float(periods)), state.owed)
    firing = where(less(np.asarray(state.now)[..., None], on), 1.0, 0.0)
    after = state.now + 1.0
    return firing, Pulses(where(less(after, float(periods)), after, 0.0), on, owed)
