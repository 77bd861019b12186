"""Motion reference units: what a ship's motion sensor tells, pose and twist together."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..lie import se3
from ..lie.arrays import Array, join
from ..model.field_types import NumberOrSeries
from ..trace import greater, where
from .instant import Instant
from .sensor import Reading, Sensor


class MotionUnit(Sensor):
    """Pose g of the frame in the world and its twist V in its own axes, (18,): rotation row by row, place (m), V.

    The pose is g exp(noise). Standard deviations of a reading, one number or three: place_noise (m), turn_noise (rad),
    speed_noise (m/s), rate_noise (rad/s). Ships' units filter, which shows as `delay`: a tenth to three tenths of a
    second.
    """

    place_noise: NumberOrSeries = 0.0
    turn_noise: NumberOrSeries = 0.0
    speed_noise: NumberOrSeries = 0.0
    rate_noise: NumberOrSeries = 0.0

    unit: ClassVar[str] = "1, m, m/s, rad/s"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.at_least_zero("place_noise", "turn_noise", "speed_noise", "rate_noise")

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the run-time numbers."""
        names = ("place_noise", "turn_noise", "speed_noise", "rate_noise")
        return super().shapes | dict.fromkeys(names, (3,))

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a reading."""
        return (18,)

    @property
    def channels(self) -> int:
        """Errors of six coordinates and six velocities."""
        return 12

    def difference(self, expected: Array, value: Array) -> Array:
        """(log(ĝ⁻¹g), V − V̂) (12,) of readings (18,); a value of zeros (none yet) counts as expected."""
        there = where(greater((value[:9] * value[:9]).sum(), 0.5), 1.0, 0.0)
        at = expected + there * (value - expected)
        pose = se3.log(se3.inverse(_pose(expected)) @ _pose(at))
        return join([pose, at[12:] - expected[12:]])

    def reading(self, now: Instant, bias: Array, normals: Array, kept: Array, period: float) -> Reading:
        """Pose and twist with their noise."""
        off = join([self.place_noise * normals[..., :3], self.turn_noise * normals[..., 3:6]])
        g = now.pose(self.frame) @ se3.exp(off)
        V = now.twist(self.frame) + join(
            [self.speed_noise * normals[..., 6:9], self.rate_noise * normals[..., 9:]]
        )
        R, p = se3.rotation(g), se3.position(g)
        return Reading(np.concatenate([R.reshape((*R.shape[:-2], 9)), p, V], axis=-1), kept)


def _pose(reading: Array) -> Array:
    return se3.pose(reading[:9].reshape(3, 3), reading[9:12])
