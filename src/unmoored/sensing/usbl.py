"""Ultra-short baseline receivers."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..lie import se3
from ..lie.arrays import Array, apply, transpose
from ..model.field_types import Number, Vector
from ..model.value import frozen_array
from .grades import ACOUSTIC, grade_named
from .gyro import take_grade
from .instant import Instant
from .sensor import Reading, Sensor


class Usbl(Sensor):
    """Position (3,) [m] of a transponder that stands in the world, from the frame's origin and in its axes.

    transponder: where it stands (3,) (m, world axes).  distance: standard deviation along the line of sight (m).
    angle: of the direction (rad), which makes angle × distance across it.
    grade: of `um.grades()["Usbl"]`, which gives what is not given here.
    """

    transponder: Vector = None
    grade: str | None = None
    distance: Number = None
    angle: Number = None

    unit: ClassVar[str] = "m"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.transponder is None:
            raise self.wrong("transponder", "its position (3,) in the world (m)", "none")
        batch = np.shape(self.transponder)[:-1]
        frozen_array(self.transponder, (*batch, 3), where=f"Usbl {self.name}", what="transponder")
        found = None if self.grade is None else grade_named("Usbl", self.grade, ACOUSTIC)
        for name in ("distance", "angle"):
            take_grade(self, name, found, name)
        self.at_least_zero("distance", "angle")

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the run-time numbers."""
        return super().shapes | {"transponder": (3,), "distance": (), "angle": ()}

    def reading(self, now: Instant, bias: Array, normals: Array, kept: Array, period: float) -> Reading:
        """Position and noise, along the line of sight and across it."""
        g = now.pose(self.frame)
        d = apply(transpose(se3.rotation(g)), self.transponder - se3.position(g))
        return Reading(d + self.spread(d, normals), kept)

    def spread(self, d: Array, normals: Array) -> Array:
        """Errors (..., 3) of a transponder at d (..., 3), from normals (..., 3): σ_d û(ûᵀn) + σ_φ (|d| n − d(ûᵀn))."""
        length = np.asarray(np.sqrt((d * d).sum(axis=-1)))[..., None]
        along = (d * normals).sum(axis=-1, keepdims=True) / length
        return _column(self.distance) * along * d / length + _column(self.angle) * (
            length * normals - along * d
        )


def _column(x: Any) -> Array:
    return np.asarray(x)[..., None]
