"""Doppler velocity logs."""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import numpy as np

from ..lie import se3
from ..lie.arrays import Array, apply, transpose
from ..model.field_types import NumberOrSeries
from ..model.value import replace_arrays
from .grades import DOPPLER, grade_named
from .instant import Instant
from .sensor import Reading, Sensor

#: angle of the four beams to the vertical, at azimuths of ±45° and ±135° (Janus)
_BEAM_ANGLE = math.radians(30.0)


class Dvl(Sensor):
    """Velocity (3,) [m/s] of the frame over the bottom, in its axes; its beams look along −z, or along z.

    lock: "bottom", or "water": minus the velocity of the water there.
    noise: standard deviation of a reading along x, y, z (m/s).
    grade: of `um.grades()["Dvl"]`: standard deviation σ of each of four beams at 30° to the vertical, which makes
    σ/√(2 sin²30°) along x and y and σ/(2 cos 30°) along z; and the highest rate.
    """

    grade: str | None = None
    noise: NumberOrSeries = None
    lock: Literal["bottom", "water"] = "bottom"

    unit: ClassVar[str] = "m/s"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.noise is None:
            σ = 0.0 if self.grade is None else grade_named("Dvl", self.grade, DOPPLER).beam
            across = σ / (math.sqrt(2.0) * math.sin(_BEAM_ANGLE))
            replace_arrays(self, noise=np.array([across, across, 0.5 * σ / math.cos(_BEAM_ANGLE)]))
        self.at_least_zero("noise")
        if self.lock not in ("bottom", "water"):
            raise self.wrong("lock", '"bottom" or "water"', self.lock)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the run-time numbers."""
        return super().shapes | {"noise": (3,)}

    @property
    def highest_rate(self) -> float:
        """Of its grade (Hz)."""
        return math.inf if self.grade is None else grade_named("Dvl", self.grade, DOPPLER).rate

    def reading(self, now: Instant, bias: Array, normals: Array, kept: Array, period: float) -> Reading:
        """Velocity and noise."""
        true = now.twist(self.frame)[..., :3]
        if self.lock == "water":
            g = now.pose(self.frame)
            true = true - apply(transpose(se3.rotation(g)), now.water_velocity(se3.position(g)))
        return Reading(true + self.noise * normals, kept)
