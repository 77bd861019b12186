"""Depth gauges."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..lie import se3
from ..lie.arrays import Array
from ..model.field_types import Number
from .grades import PRESSURE, grade_named
from .gyro import take_grade
from .instant import Instant
from .sensor import Drift, Reading, Sensor


class DepthGauge(Sensor):
    """Depth (1,) [m] of the frame's origin below the height z = surface of the world; positive below it.

    noise: standard deviation of a reading (m).  bias: standard deviation of an offset that stays (m).
    grade: of `um.grades()["DepthGauge"]`, which gives the noise.
    """

    grade: str | None = None
    noise: Number = None
    bias: Number = 0.0
    surface: Number = 0.0

    unit: ClassVar[str] = "m"

    def __post_init__(self) -> None:
        super().__post_init__()
        found = None if self.grade is None else grade_named("DepthGauge", self.grade, PRESSURE)
        take_grade(self, "noise", found, "depth")
        self.at_least_zero("noise", "bias")

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the run-time numbers."""
        return super().shapes | {"noise": (), "bias": (), "surface": ()}

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a reading."""
        return (1,)

    @property
    def drift(self) -> Drift:
        """Of the offset."""
        return Drift(_column(self.bias), np.zeros(1), (None,))

    def reading(self, now: Instant, bias: Array, normals: Array, kept: Array, period: float) -> Reading:
        """Depth, offset and noise."""
        z = se3.position(now.pose(self.frame))[..., 2:]
        return Reading(_column(self.surface) - z + bias + _column(self.noise) * normals, kept)


def _column(x: Any) -> Array:
    return np.asarray(x)[..., None]
