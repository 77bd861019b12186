"""States in which readings were taken that have not arrived yet: clones of the estimate (filters.md).

A reading that takes a while says something about a state of the past. The filter keeps that state and its error beside
the present ones from the instant at which a reading is taken; what corrects one corrects the other (stochastic
cloning, Roumeliotis & Burdick 2002). Readings are taken every 1/rate, from the first call on, and arrive in order, so
that of each sensor the oldest state kept is the one that the next arrival is about; its stamp must say the same time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..lie.arrays import Array
from ..trace import less, where
from .aiding_models import wrong
from .sensor import Sensor

#: the time of a state that was never kept (s)
_NEVER = -1e30
#: times that differ by less than this part of a control period are the same
_SAME = 0.25


def states_kept(kind: str, sensor: Sensor) -> int:
    """How many states of the past a sensor's readings under way need; those with a delay need a rate."""
    if not sensor.delay:
        return 0
    if sensor.rate is None:
        expected = (
            "given (Hz), for a sensor with a delay: the filter keeps the states that readings are taken in"
        )
        raise wrong(kind, f"rate of {sensor.name}", expected, "none")
    return math.ceil(sensor.delay * sensor.rate - 1e-9)


class Schedule(NamedTuple):
    """Of one delayed sensor.  times (n,): of the states kept, the latest first.  next: when the next is taken (s).
    missed: readings that arrived with a stamp of no state that was kept."""

    times: Array
    next: Any
    missed: Any

    def arrival(self, signal: Any, period: Any) -> tuple[Any, Schedule]:
        """(1 if a reading arrives that was taken in the oldest state, else 0; the schedule, with what was missed)."""
        oldest = self.times[-1]
        fits = where(less(np.abs(signal.stamp - oldest), _SAME * period), 1.0, 0.0)
        known = where(less(0.5 * _NEVER, oldest), 1.0, 0.0)
        missed = self.missed + signal.fresh * known * (1.0 - fits)
        return signal.fresh * fits, self._replace(missed=missed)

    def taken(self, t: Any, period: Any, rate: float, counts: Any) -> tuple[Any, Schedule]:
        """(whether a reading is taken now, the schedule afterwards); counts: 0 where the state now is of no use."""
        due = less(self.next - _SAME * period, t)
        now = where(less(0.5, counts), t, _NEVER)
        times = [now, *(self.times[i] for i in range(len(self.times) - 1))]
        moved = [where(due, new, old) for new, old in zip(times, self.times, strict=True)]
        return due, self._replace(times=np.array(moved), next=where(due, t + 1.0 / rate, self.next))


def first_schedule(count: int) -> dict[str, Any]:
    """What a filter remembers of a schedule at the start, by the names of its parts."""
    return {"times": np.full(count, _NEVER), "next": _NEVER, "missed": 0.0}


def past_places(kind: str, sensors: Sequence[Sensor]) -> dict[str, tuple[int, ...]]:
    """For every delayed sensor the numbers of the states kept for it among all of them, the latest first."""
    found, first = {}, 0
    for sensor in sensors:
        count = states_kept(kind, sensor)
        if count:
            found[sensor.name] = tuple(range(first, first + count))
            first += count
    return found


def schedules_in(memory: Mapping[str, Any], names: Iterable[str]) -> dict[str, Schedule]:
    """The schedules of delayed sensors, from what a filter remembers."""
    return {name: Schedule(*(memory[f"{name}.{part}"] for part in Schedule._fields)) for name in names}
