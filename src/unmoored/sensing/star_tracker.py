"""Star trackers."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import Array, transpose
from ..model.field_types import NumberOrSeries
from ..trace import greater, where
from .grades import STELLAR, grade_named
from .gyro import take_grade
from .instant import Instant
from .sensor import Drift, Reading, Sensor


class StarTracker(Sensor):
    """Attitude (3, 3) of the frame in the world, R_0s exp(bias + noise).

    noise: standard deviation of a reading about x, y, z (rad).  bias: of a misalignment that stays (rad).
    grade: of `um.grades()["StarTracker"]`, which gives what is not given here, and the highest rate.
    """

    grade: str | None = None
    noise: NumberOrSeries = None
    bias: NumberOrSeries = None

    unit: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        super().__post_init__()
        found = None if self.grade is None else grade_named("StarTracker", self.grade, STELLAR)
        for name in ("noise", "bias"):
            take_grade(self, name, found, name)
        self.at_least_zero("noise", "bias")

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the run-time numbers."""
        return super().shapes | {"noise": (3,), "bias": (3,)}

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a reading."""
        return (3, 3)

    @property
    def channels(self) -> int:
        """Errors about three axes."""
        return 3

    @property
    def drift(self) -> Drift:
        """Of the misalignment."""
        return Drift(self.bias, np.zeros(3), (None,) * 3)

    @property
    def highest_rate(self) -> float:
        """Of its grade (Hz)."""
        return math.inf if self.grade is None else grade_named("StarTracker", self.grade, STELLAR).rate

    def difference(self, expected: Array, value: Array) -> Array:
        """log(ẐᵀZ) (3,) of readings (9,); a value of zeros, before the first reading, counts as expected."""
        Z = expected.reshape(3, 3)
        there = where(greater((value * value).sum(), 0.5), 1.0, 0.0)
        return so3.log(transpose(Z) @ (Z + there * (value.reshape(3, 3) - Z)))

    def reading(self, now: Instant, bias: Array, normals: Array, kept: Array, period: float) -> Reading:
        """Attitude, misalignment and noise."""
        Z = se3.rotation(now.pose(self.frame)) @ so3.exp(bias + self.noise * normals)
        return Reading(Z.reshape((*Z.shape[:-2], 9)), kept)
