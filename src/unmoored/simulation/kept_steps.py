"""Time steps of runs that come again: kept where nothing in them can change, so that a second run starts at once."""

from __future__ import annotations

from typing import Any

from ..trace import Recent
from .time_step import TimeStep

_KEPT = 8
#: by the identity of the plant and what else is asked for
_kept: Recent[tuple, TimeStep] = Recent(_KEPT)


def time_step_of(
    plant: Any, method: str, controller: Any, events: Any, noise: Any, *options: Any
) -> TimeStep:
    """The `TimeStep` of these; the same one again for the same plant without code of the user's, and nothing beside it.

    Laws, events and plants with the user's own functions are looked at anew for every run.
    """
    *_, suite, switches, _, _ = options
    more = events or noise is not None or suite is not None or switches is not None
    if controller is not None or more or plant.form is None:
        return TimeStep(plant, method, controller, events, noise, *options)
    key = (id(plant), method, *options)
    found = _kept.find(key)
    if found is None or found.plant is not plant:
        found = _kept.keep(key, TimeStep(plant, method, None, (), None, *options))
    return found
