"""Force-torque sensors."""

from __future__ import annotations

from typing import Any, ClassVar

from ..lie.arrays import Array
from ..model.field_types import NumberOrSeries
from .instant import Instant
from .sensor import Drift, Reading, Sensor


class ForceTorque(Sensor):
    """Wrench (6,) = (force [N], moment [N m]) that a joint transmits: of the inboard on the outboard side, about
    the frame's origin and in its axes.

    frame: of the body that the joint moves, or a frame on it; the cut goes through that joint. The acceleration is that
    just before the instant, under the inputs held until then.
    noise: standard deviation of a reading.  bias: of the offset that it is switched on with.  walk: density of the
    offset's walk (unit/√s).  Each one number, or six.
    """

    noise: NumberOrSeries = 0.0
    bias: NumberOrSeries = 0.0
    walk: NumberOrSeries = 0.0

    unit: ClassVar[str] = "N, N m"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.at_least_zero("noise", "bias", "walk")

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the run-time numbers."""
        return super().shapes | {"noise": (6,), "bias": (6,), "walk": (6,)}

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a reading."""
        return (6,)

    @property
    def drift(self) -> Drift:
        """Of the offsets."""
        return Drift(self.bias, self.walk, (None,) * 6)

    def check(self, plant: Any) -> None:
        """Refuse a frame of the world, and a joint beyond which constraints act, whose forces are not known."""
        super().check(plant)
        index = plant.system.tree.locate(self.frame)[0]
        if index < 0:
            raise self.wrong("frame", "a body, or a frame on one", self.frame)
        if plant.velocities.constraints and plant.tree.links[index].parent < 0:
            raise self.wrong("frame", "a joint beyond which no wheels roll", self.frame)

    def reading(self, now: Instant, bias: Array, normals: Array, kept: Array, period: float) -> Reading:
        """Wrench, offset and noise."""
        return Reading(now.cut_wrench(self.frame) + bias + self.noise * normals, kept)
