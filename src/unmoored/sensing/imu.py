"""Inertial measurement units: turning rate and specific force of a frame."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..lie import se3
from ..lie.arrays import Array, apply, join, transpose
from ..model.field_types import Number, NumberOrSeries
from ..trace import equal, where
from .grades import INERTIAL, grade_named
from .gyro import Sampling, check_sampling, check_time, keep_rotation, take_grade, turned_since
from .instant import Instant
from .sensor import Drift, Reading, Sensor

_GIVEN = (
    "gyro_noise",
    "gyro_bias",
    "gyro_walk",
    "accelerometer_noise",
    "accelerometer_bias",
    "accelerometer_walk",
)


class Imu(Sensor):
    """Angular velocity and specific force (6,) = (ω [rad/s], s [m/s²]) of the frame, in its axes.

    s = v̇_s + ω_s × v_s − R_0sᵀγ: at rest it is minus gravity. The acceleration is that just before the instant, under
    the inputs held until then.
    grade: of `um.grades()["Imu"]`, which gives what is not given here.
    gyro_noise, accelerometer_noise: densities of the white noise (rad/s/√Hz, m/s²/√Hz); a reading has the standard
    deviation noise/√period.  gyro_bias, accelerometer_bias: standard deviations of the biases that it is switched on
    with.  gyro_walk, accelerometer_walk: densities of the biases' walks (rad/s²/√Hz, m/s³/√Hz).
    bias_time: correlation time of the biases (s), none for walks.
    sampling: "instant"; or "average": increments since the last reading over its period, free of coning and sculling,
    log(R_lastᵀR)/period and R_lastᵀ(v − v_last − γ period)/period with velocities in world axes, from which attitude
    and velocity follow exactly (the first reading comes after one period).
    """

    grade: str | None = None
    gyro_noise: NumberOrSeries = None
    gyro_bias: NumberOrSeries = None
    gyro_walk: NumberOrSeries = None
    accelerometer_noise: NumberOrSeries = None
    accelerometer_bias: NumberOrSeries = None
    accelerometer_walk: NumberOrSeries = None
    bias_time: Number = None
    sampling: Sampling = "instant"

    static: ClassVar[tuple[str, ...]] = (*Sensor.static, "bias_time")
    unit: ClassVar[str] = "rad/s, m/s²"

    def __post_init__(self) -> None:
        super().__post_init__()
        found = None if self.grade is None else grade_named("Imu", self.grade, INERTIAL)
        for name in _GIVEN:
            take_grade(self, name, found, name)
        self.at_least_zero(*_GIVEN)
        check_time(self, "bias_time")
        check_sampling(self)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the run-time numbers."""
        return super().shapes | dict.fromkeys(_GIVEN, (3,))

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a reading."""
        return (6,)

    @property
    def drift(self) -> Drift:
        """Of the biases, the gyroscopes' first."""
        start = join([self.gyro_bias, self.accelerometer_bias])
        return Drift(start, join([self.gyro_walk, self.accelerometer_walk]), (self.bias_time,) * 6)

    @property
    def keeps(self) -> int:
        """The last rotation, whether there is one, and the last velocity in world axes."""
        return 13 if self.sampling == "average" else 0

    def check(self, plant: Any) -> None:
        """Refuse increments where gravity differs from place to place."""
        super().check(plant)
        orbit = [world.name for world in plant.worlds if getattr(world, "in_orbit", False)]
        if self.sampling == "average" and orbit:
            raise self.wrong("sampling", '"instant" in an orbit, where gravity is not uniform', "average")

    def reading(self, now: Instant, bias: Array, normals: Array, kept: Array, period: float) -> Reading:
        """Rate and specific force, biases and noise."""
        error = bias + join([self.gyro_noise, self.accelerometer_noise]) / np.sqrt(period) * normals
        if self.sampling == "instant":
            true = join([now.twist(self.frame)[..., 3:], now.specific_force(self.frame)])
            return Reading(true + error, kept)
        g = now.pose(self.frame)
        R, v = se3.rotation(g), apply(se3.rotation(g), now.twist(self.frame)[..., :3])
        rate, there = turned_since(kept, R, period)
        last, moving = kept[..., :9].reshape((*kept.shape[:-1], 3, 3)), kept[..., 10:]
        gained = apply(transpose(last), v - moving - period * now.setting.gravity) / period
        gained = where(
            np.asarray(equal(there, 1.0))[..., None] & np.ones(3, dtype=bool), gained, 0.0 * gained
        )
        return Reading(join([rate, gained]) + error, keep_rotation(R, v), there)
