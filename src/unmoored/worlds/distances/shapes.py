"""Shapes beside those of the model (Sphere, Capsule, Box, Cylinder) between which distances are measured."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...model import ModelError, Pose
from ...model.field_types import Rows
from ...model.value import Value, frozen_array, replace_arrays


@dataclass(frozen=True, eq=False, repr=False)
class HalfSpace(Value):
    """All below the plane z = 0 of `at`: a floor, a wall, the seabed."""

    at: Pose = field(default_factory=Pose)


@dataclass(frozen=True, eq=False, repr=False)
class Points(Value):
    """Points (n, 3) in metres, in the axes of `at`, each with a ball of `radius` metres around it, or none."""

    points: Rows
    radius: float = 0.0
    at: Pose = field(default_factory=Pose)

    def __post_init__(self) -> None:
        shape = np.shape(self.points)
        if len(shape) != 2 or shape[1] != 3 or not shape[0]:
            raise ModelError.single("Points", "points", expected="(n, 3) numbers", given=f"shape {shape}")
        points = frozen_array(self.points, shape, where="Points", what="points")
        radius = float(frozen_array(self.radius, (), where="Points", what="radius"))
        if radius < 0:
            raise ModelError.single("Points", "radius", expected="≥ 0 (m)", given=repr(self.radius))
        replace_arrays(self, points=points, radius=radius)


class Shape:
    """Stands for any of the shapes, in annotations: HalfSpace, Points, Sphere, Capsule, Box, Cylinder."""
