"""Gyroscopes: the turning rate of a frame."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import Array, join, transpose
from ..model.field_types import Number, NumberOrSeries
from ..model.value import replace_arrays
from ..trace import equal, where
from .grades import INERTIAL, grade_named
from .instant import Instant
from .sensor import Drift, Reading, Sensor

Sampling = Literal["instant", "average"]


class Gyro(Sensor):
    """Angular velocity (3,) [rad/s] of the frame, in its axes: R_sᵀω + bias + noise.

    grade: of `um.grades()["Gyro"]`, which gives what is not given here.  noise: density of the white noise
    (rad/s/√Hz); a reading has the standard deviation noise/√period.  bias: standard deviation of the bias that it is
    switched on with (rad/s).  walk: density of the bias's walk (rad/s²/√Hz).  bias_time: correlation time of the
    bias (s), none for a walk.
    sampling: "instant", the rate at the instant of reading; or "average", the turn since the last reading over its
    period, log(R_lastᵀR)/period, from which attitude follows exactly (the first reading comes after one period).
    """

    grade: str | None = None
    noise: NumberOrSeries = None
    bias: NumberOrSeries = None
    walk: NumberOrSeries = None
    bias_time: Number = None
    sampling: Sampling = "instant"

    static: ClassVar[tuple[str, ...]] = (*Sensor.static, "bias_time")
    unit: ClassVar[str] = "rad/s"

    def __post_init__(self) -> None:
        super().__post_init__()
        found = None if self.grade is None else grade_named(type(self).__name__, self.grade, INERTIAL)
        for name, own in (("noise", "gyro_noise"), ("bias", "gyro_bias"), ("walk", "gyro_walk")):
            take_grade(self, name, found, own)
        self.at_least_zero("noise", "bias", "walk")
        check_time(self, "bias_time")
        check_sampling(self)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the run-time numbers."""
        return super().shapes | {"noise": (3,), "bias": (3,), "walk": (3,)}

    @property
    def drift(self) -> Drift:
        """Of the three biases."""
        return Drift(self.bias, self.walk, (self.bias_time,) * 3)

    @property
    def keeps(self) -> int:
        """The last rotation, and whether there is one."""
        return 10 if self.sampling == "average" else 0

    def reading(self, now: Instant, bias: Array, normals: Array, kept: Array, period: float) -> Reading:
        """Rate, bias and noise."""
        noise = self.noise / np.sqrt(period) * normals
        if self.sampling == "instant":
            return Reading(now.twist(self.frame)[..., 3:] + bias + noise, kept)
        R = se3.rotation(now.pose(self.frame))
        rate, there = turned_since(kept, R, period)
        return Reading(rate + bias + noise, keep_rotation(R), there)


def turned_since(kept: Array, R: Array, period: float) -> tuple[Array, Any]:
    """(mean rate (..., 3) since the rotation in kept (..., ≥ 10), 1 if there is one, else 0)."""
    there = equal(kept[..., 9], 1.0)
    last = kept[..., :9].reshape((*kept.shape[:-1], 3, 3))
    last = where(np.asarray(there)[..., None, None] & np.ones((3, 3), dtype=bool), last, R)
    return so3.log(transpose(last) @ R) / period, where(there, 1.0, 0.0)


def keep_rotation(R: Array, *more: Array) -> Array:
    """What `turned_since` reads, with more numbers behind."""
    flat = R.reshape((*R.shape[:-2], 9))
    return join([flat, np.ones(1), *more])


def take_grade(sensor: Any, name: str, grade: Any, own: str) -> None:
    """Put the grade's number, or zero, into a field that was not given."""
    if getattr(sensor, name) is None:
        found = None if grade is None else getattr(grade, own)
        if grade is not None and found is None:
            raise sensor.wrong("grade", f"one that has {own}", sensor.grade)
        replace_arrays(sensor, **{name: 0.0 if found is None else found})


def check_time(sensor: Any, name: str) -> None:
    """Refuse a correlation time that is none."""
    given = getattr(sensor, name)
    if given is not None and not (isinstance(given, int | float | np.number) and given > 0):
        raise sensor.wrong(name, "a time > 0 (s), or none", given)


def check_sampling(sensor: Any) -> None:
    """Refuse an unknown way to sample."""
    if sensor.sampling not in ("instant", "average"):
        raise sensor.wrong("sampling", '"instant" or "average"', sensor.sampling)
