"""All sensors of a run as one pure function of vectors: what laws see of them, and what they keep.

A sample carries two vectors. y, which is recorded: of every sensor (value, fresh, stamp, bias). z, which is not: of
every sensor the periods since its last reading, whether it has begun, what it keeps, and the readings that are under
way. A reading is taken every m control periods and arrives d periods later; a shift register of ⌊d/m⌋ + 1 readings
holds those under way, and the one that arrives is the last of it.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..lie.arrays import Array, join, vector
from ..model import ModelError
from ..model.errors import unknown_name
from ..model.identity_of_code import Identity
from ..trace import equal, fingerprint, less, where
from ..worlds.gains import gains_of, with_gains
from ..worlds.tunable import Tunable
from .instant import Instant
from .sensor import Drift, Sensor, reading_of
from .signals import RecordedSignal, Signal

#: a period may be this far from a whole number of control periods, relatively
_WHOLE = 1e-9
#: normals of every sensor that decide whether a reading is lost
_LOSS = 2


class Sensors(Tunable):
    """The sensors of a run, their numbers at run time among them."""

    sensors: tuple[Sensor, ...]


@dataclass(frozen=True)
class Timing:
    """every, late: control periods from reading to reading, and from a reading to its arrival.  period: s."""

    every: int
    late: int
    period: float

    @property
    def under_way(self) -> int:
        """Readings that are kept until they arrive."""
        return self.late // self.every + 1 if self.late else 0


@dataclass(frozen=True, eq=False)
class Suite:
    """The sensors of a run with the control period (s)."""

    all: Sensors
    timings: tuple[Timing, ...]

    @property
    def sensors(self) -> tuple[Sensor, ...]:
        """One by one."""
        return self.all.sensors

    @cached_property
    def layout(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Names and shapes of the run-time numbers."""
        return tuple((gain.name, gain.shape) for gain in gains_of(self.all))

    @cached_property
    def gains(self) -> np.ndarray:
        """Values (..., n) of the run-time numbers."""
        flat = [
            gain.values.reshape(*gain.values.shape[: gain.values.ndim - len(gain.shape)], -1)
            for gain in gains_of(self.all)
        ]
        counts = {x.shape[0] for x in flat if x.ndim > 1 and x.shape[0] != 1}
        if len(counts) > 1:
            raise _wrong("samples", "the same number in all numbers of sensors", str(sorted(counts)))
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in flat))
        return np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in flat], axis=-1)

    @cached_property
    def identity(self) -> Identity:
        """What tells the kernels of these sensors from others."""
        seen = fingerprint((self.all, self.timings))
        return Identity(seen.digest.hex(), seen.own and not seen.unseen, seen.kept, seen=not seen.unseen)

    @cached_property
    def streams(self) -> tuple[tuple[int, int], ...]:
        """(stream, normals per control period) of every sensor; a stream depends on the sensor's name only."""
        return tuple((1 + zlib.crc32(sensor.name.encode()), _normals(sensor)) for sensor in self.sensors)

    @cached_property
    def seen_sizes(self) -> tuple[int, ...]:
        """Lengths of the sensors' parts of y: value, fresh, stamp, bias."""
        return tuple(sensor.size + 2 + len(sensor.drift.times) for sensor in self.sensors)

    @cached_property
    def kept_sizes(self) -> tuple[int, ...]:
        """Lengths of the sensors' parts of z."""
        pairs = zip(self.sensors, self.timings, strict=True)
        return tuple(2 + sensor.keeps + timing.under_way * (sensor.size + 2) for sensor, timing in pairs)

    @property
    def signals(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Names and shapes of what laws see."""
        return tuple((sensor.name, sensor.shape) for sensor in self.sensors)

    def visible(self, y: Array) -> Array:
        """Of y (..., n) what laws see, (value, fresh, stamp) of every sensor."""
        parts = zip(self.sensors, _split(y, self.seen_sizes), strict=True)
        return join([part[..., : sensor.size + 2] for sensor, part in parts])

    def recorded(self, y: Array) -> dict[str, RecordedSignal]:
        """The signals in y (..., n), by name; views of it."""
        found = {}
        for sensor, part in zip(self.sensors, _split(y, self.seen_sizes), strict=True):
            n = sensor.size
            value = part[..., :n].reshape((*part.shape[:-1], *sensor.shape))
            found[sensor.name] = RecordedSignal(value, part[..., n], part[..., n + 1], part[..., n + 2 :])
        return found

    def advance(self, now: Instant, y: Array, z: Array, normals: Array, gains: Array) -> tuple[Array, Array]:
        """(y, z) in a new control period, from those of the last one.

        normals (..., n): standard normal numbers of this period.  gains (..., n): the sensors' run-time numbers.
        """
        own = with_gains(self.all, _unpacked(gains, self.layout)).sensors
        parts = zip(
            own,
            self.timings,
            _split(y, self.seen_sizes),
            _split(z, self.kept_sizes),
            _split(normals, tuple(count for _, count in self.streams)),
            strict=True,
        )
        moved = [_moved(sensor, timing, now, *vectors) for sensor, timing, *vectors in parts]
        return join([pair[0] for pair in moved]), join([pair[1] for pair in moved])


def suite_of(sensors: Any, plant: Any, control_step: float | None, where_: str = "simulate") -> Suite | None:
    """The sensors of a run, checked; None without any."""
    try:
        given = (sensors,) if isinstance(sensors, Sensor) else tuple(sensors)
    except TypeError:
        raise ModelError.single(
            where_, "sensors", expected="sensors (um.Sensor)", given=repr(sensors)
        ) from None
    if not given:
        return None
    for sensor in given:
        if not isinstance(sensor, Sensor):
            raise ModelError.single(where_, "sensors", expected="sensors (um.Sensor)", given=repr(sensor))
    if control_step is None:
        expected = "one (s), for a run with sensors: they are read at its multiples"
        raise ModelError.single(where_, "control_step", expected=expected, given="none")
    names = [sensor.name for sensor in given]
    if len(set(names)) < len(names):
        expected = "names of their own"
        raise ModelError.single(where_, "sensors", expected=expected, given=", ".join(names))
    for sensor in given:
        sensor.check(plant)
    return Suite(Sensors(given), tuple(_timing(sensor, control_step) for sensor in given))


class Signals(dict[str, Signal]):
    """Signals by name; one that is not there is told with those that are."""

    def __missing__(self, name: str) -> Signal:
        raise unknown_name("seen.y", "sensor (of `sensors=` of the run)", name, list(self))


def signals_of(layout: Sequence[tuple[str, tuple[int, ...]]], y: Array) -> Mapping[str, Signal]:
    """What a law sees, from the vector (n,) of `Suite.visible`."""
    found, first = Signals(), 0
    for name, shape in layout:
        n = math.prod(shape)
        value = y[..., first : first + n].reshape((*y.shape[:-1], *shape))
        found[name] = Signal(value, y[..., first + n], y[..., first + n + 1])
        first += n + 2
    return found


def size_of_signals(layout: Sequence[tuple[str, tuple[int, ...]]]) -> int:
    """Length of the vector of `Suite.visible`."""
    return sum(math.prod(shape) + 2 for _, shape in layout)


def _timing(sensor: Sensor, control_step: float) -> Timing:
    rate = 1.0 / control_step if sensor.rate is None else sensor.rate
    if rate > sensor.highest_rate * (1.0 + _WHOLE):
        raise sensor.wrong("rate", f"at most {sensor.highest_rate:g} Hz, of its grade", f"{rate:g} Hz")
    if rate * control_step > 1.0 + _WHOLE:
        raise sensor.wrong(
            "rate", f"at most {1.0 / control_step:g} Hz, one per control period", f"{rate:g} Hz"
        )
    every = 1 if sensor.rate is None else _whole(sensor, "rate", 1.0 / sensor.rate, control_step)
    late = _whole(sensor, "delay", sensor.delay, control_step)
    return Timing(every, late, every * control_step)


def _whole(sensor: Sensor, what: str, time: float, control_step: float) -> int:
    count = round(time / control_step)
    if abs(time / control_step - count) > _WHOLE * max(1.0, count):
        expected = f"a whole multiple of the control period of {control_step:g} s"
        raise sensor.wrong(what, expected, f"{time:g} s")
    return count


def _normals(sensor: Sensor) -> int:
    return _LOSS + len(sensor.drift.times) + sensor.channels


def _moved(
    sensor: Sensor, timing: Timing, now: Instant, seen: Array, kept: Array, normals: Array
) -> tuple[Array, Array]:
    """A sensor's parts of y and z in a new control period."""
    n, k, m = sensor.size, len(sensor.drift.times), sensor.keeps
    phase, begun = kept[..., 0], kept[..., 1]
    line = kept[..., 2 + m :].reshape((*kept.shape[:-1], timing.under_way, n + 2))
    due = equal(phase, 0.0)
    bias = _drifted(sensor.drift, timing.period, begun, seen[..., n + 2 :], normals[..., _LOSS : _LOSS + k])
    read = reading_of(sensor, now, bias, normals[..., _LOSS + k :], kept[..., 2 : 2 + m], timing.period)
    arrived = _arrives(sensor.dropout, normals[..., :_LOSS]) * read.valid
    new = join([read.value, column(arrived), column(now.t + 0.0 * phase)])
    if timing.under_way:
        rows = [new, *(line[..., i, :] for i in range(timing.under_way - 1))]
        line = [_chosen(due, row, line[..., i, :]) for i, row in enumerate(rows)]
        new, comes = line[-1], equal(phase, float(timing.late % timing.every))
    else:
        line, comes = [], due
    fresh = where(comes, new[..., n], 0.0)
    taken = equal(fresh, 1.0)
    shown = [_chosen(taken, new[..., :n], seen[..., :n]), column(fresh)]
    shown += [
        _chosen(taken, new[..., n + 1 :], seen[..., n + 1 : n + 2]),
        _chosen(due, bias, seen[..., n + 2 :]),
    ]
    after = where(less(phase, timing.every - 1.5), phase + 1.0, 0.0)
    held = [
        column(after),
        column(where(due, 1.0, begun)),
        _chosen(due, read.kept, kept[..., 2 : 2 + m]),
        *line,
    ]
    return _joined(shown), _joined(held)


def _arrives(dropout: Any, normals: Array) -> Any:
    """1 with probability 1 − dropout, else 0: exp(−|n|²/2) of two normals is uniform between 0 and 1."""
    uniform = np.exp(-0.5 * (normals[..., 0] ** 2 + normals[..., 1] ** 2))
    return where(less(uniform, dropout), 0.0, 1.0)


def _drifted(drift: Drift, period: float, begun: Any, bias: Array, normals: Array) -> Array:
    """The biases (..., n) of a reading: drawn at the first, moved on at all others (sensors.md)."""
    keep = np.array([1.0 if T is None else math.exp(-period / T) for T in drift.times])
    spread = np.array(
        [period if T is None else 0.5 * T * (1.0 - math.exp(-2.0 * period / T)) for T in drift.times]
    )
    first, later = drift.start * normals, keep * bias + np.sqrt(spread) * drift.walk * normals
    return _chosen(equal(begun, 0.0), first, later)


def _chosen(condition: Any, a: Array, b: Array) -> Array:
    """a (..., n) where the condition (...) holds, else b."""
    n = b.shape[-1]
    return vector([where(condition, a[..., i], b[..., i]) for i in range(n)]) if n else b


def column(x: Any) -> Array:
    """Numbers (...) as vectors (..., 1)."""
    return np.asarray(x)[..., None]


def _joined(parts: Sequence[Array]) -> Array:
    return join([part for part in parts if part.shape[-1]])


def _split(x: Array, sizes: Sequence[int]) -> list[Array]:
    return [x[..., a:b] for a, b in pairwise(accumulate(sizes, initial=0))]


def _unpacked(x: Array, layout: Any) -> dict[str, Array]:
    parts = _split(x, [math.prod(shape) for _, shape in layout])
    return {
        name: part.reshape((*part.shape[:-1], *shape))
        for (name, shape), part in zip(layout, parts, strict=True)
    }


def _wrong(what: str, expected: str, given: str) -> ModelError:
    return ModelError.single("sensors", what, expected=expected, given=given)
