"""What all sensors have in common: a name, a frame, a rate, a delay, dropouts; noise and biases as run-time numbers.

A sensor is a pure function of an `Instant`. It says how many numbers it gives, how many standard normal numbers it
takes for its noise, which biases it has and what it keeps from one reading to the next; `sensor_suite.py` does the
rest.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..lie.arrays import Array
from ..model import ModelError
from ..model.errors import unknown_name
from ..model.field_types import Number
from ..model.names import check_plain_name
from ..model.short_text import short_repr
from ..model.value import replace_arrays
from ..trace import plain_numbers
from ..worlds.tunable import Tunable
from .instant import Instant


class Drift(NamedTuple):
    """How biases (n,) begin and wander.

    start (..., n): standard deviation of the bias that the sensor is switched on with.  walk (..., n): density of the
    walk (unit/√s).  times: correlation times (s) of a Gauss–Markov process for each, None for a walk without end.
    """

    __repr__ = short_repr

    start: Array
    walk: Array
    times: tuple[float | None, ...]


class Reading(NamedTuple):
    """value (..., n), bias and noise in it.  kept (..., m): what the sensor keeps for its next reading.
    valid (...): 1, or 0 if there is no reading yet."""

    __repr__ = short_repr

    value: Array
    kept: Array
    valid: Any = 1.0


NO_DRIFT = Drift(np.zeros(0), np.zeros(0), ())


class Sensor(Tunable):
    """A sensor on a plant. Subclass it for one of your own, in traceable NumPy with leading batch dimensions.

    name: under which laws see it, `seen.y[name]`.  frame: the body or frame that it is mounted on.
    rate: readings per second; a period must be a whole multiple of the control period. None: one in every period.
    delay: from taking a reading to its arrival (s), a whole multiple of the control period.
    dropout: probability that a reading never arrives.
    """

    name: str
    frame: str
    rate: Number = None
    delay: Number = 0.0
    dropout: Number = 0.0

    static: ClassVar[tuple[str, ...]] = ("rate", "delay")
    #: units of the numbers of a reading, for records
    unit: ClassVar[str] = ""

    def __post_init__(self) -> None:
        kind = type(self).__name__
        check_plain_name(kind, self.name)
        if self.rate is not None:
            replace_arrays(self, rate=_number(self, "rate", self.rate, "a rate > 0 (Hz)", positive=True))
        replace_arrays(self, delay=_number(self, "delay", self.delay, "a time ≥ 0 (s)"))
        self.at_least_zero("dropout")
        if np.any(np.asarray(self.dropout, dtype=float) > 1.0):
            raise self.wrong("dropout", "a probability from 0 to 1", self.dropout)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the run-time numbers for one sample."""
        return {"dropout": ()}

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a reading."""
        return (3,)

    @property
    def size(self) -> int:
        """Numbers of a reading."""
        return math.prod(self.shape)

    @property
    def channels(self) -> int:
        """Standard normal numbers that a reading takes for its noise."""
        return self.size

    @property
    def drift(self) -> Drift:
        """Of its biases."""
        return NO_DRIFT

    @property
    def keeps(self) -> int:
        """How many numbers it keeps from one reading to the next."""
        return 0

    @property
    def highest_rate(self) -> float:
        """Of its grade (Hz)."""
        return math.inf

    @abstractmethod
    def reading(self, now: Instant, bias: Array, normals: Array, kept: Array, period: float) -> Reading:
        """The reading at an instant: bias (..., k) and normals (..., channels) enter here, kept (..., m) is what the
        last one kept (zeros at first), period is that of the sensor (s)."""

    def difference(self, expected: Array, value: Array) -> Array:
        """From one reading (size,) to another (size,): what filters correct by."""
        return value - expected

    def check(self, plant: Any) -> None:
        """Refuse a plant that this sensor does not fit."""
        known = (*plant.system.names, *plant.system.frames)
        if self.frame not in known:
            raise unknown_name(f"{type(self).__name__} {self.name}", "frame", self.frame, known)

    def at_least_zero(self, *names: str) -> None:
        """Refuse run-time numbers that are negative."""
        for name in names:
            given = getattr(self, name)
            try:
                good = bool(np.all(plain_numbers(given) >= 0.0))
            except (TypeError, ValueError):
                good = False
            if not good:
                raise self.wrong(name, "numbers ≥ 0", given)

    def wrong(self, what: str, expected: str, given: Any) -> ModelError:
        """The error for a field."""
        words = given if isinstance(given, str) else repr(given)
        return ModelError.single(f"{type(self).__name__} {self.name}", what, expected=expected, given=words)


def reading_of(sensor: Sensor, now: Instant, *given: Any) -> Reading:
    """What a sensor reads, if it is a reading of its size, with all that it keeps."""
    found = sensor.reading(now, *given)
    if not isinstance(found, Reading):
        raise sensor.wrong("reading", "a Reading(value, kept)", found)
    for what, numbers, count in (("value", found.value, sensor.size), ("kept", found.kept, sensor.keeps)):
        if np.shape(numbers)[-1:] != (count,):
            raise sensor.wrong(f"reading: {what}", f"shape (..., {count})", f"shape {np.shape(numbers)}")
    return found


def _number(sensor: Sensor, what: str, given: Any, expected: str, positive: bool = False) -> float:
    good = isinstance(given, int | float | np.number) and not isinstance(given, bool)
    if not good or not math.isfinite(given) or given < 0 or (positive and given == 0):
        raise sensor.wrong(what, expected, given)
    return float(given)
