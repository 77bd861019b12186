"""Joint encoders."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np

from ..lie.arrays import Array, vector
from ..model.errors import unknown_name
from ..model.field_types import NumberOrSeries
from ..model.value import replace_arrays
from ..trace import greater_equal, is_zero, less, where
from .instant import Instant
from .sensor import Reading, Sensor

#: counts that an encoder can tell, as a power of two
_BITS = 31


class Encoder(Sensor):
    """Coordinates (n,) [rad, m] of joints with one degree of freedom, rounded to counts.

    joints: their names.  frame: not needed.
    resolution: of a count (rad, m), zero for none; readings tell 2³¹ counts to either side.
    noise: standard deviation of a reading before it is rounded.  Each one number, or one per joint.
    """

    frame: str = ""
    joints: Annotated[Any, tuple[str, ...]] = ()
    resolution: NumberOrSeries = 0.0
    noise: NumberOrSeries = 0.0

    static: ClassVar[tuple[str, ...]] = (*Sensor.static, "resolution")
    unit: ClassVar[str] = "rad, m"

    def __post_init__(self) -> None:
        super().__post_init__()
        given = (self.joints,) if isinstance(self.joints, str) else tuple(self.joints)
        if not given:
            raise self.wrong("joints", "names of joints with one degree of freedom", "none")
        self.at_least_zero("resolution", "noise")
        counts = np.broadcast_to(np.asarray(self.resolution, dtype=float), (len(given),))
        replace_arrays(self, joints=given, resolution=tuple(map(float, counts)))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the run-time numbers."""
        return super().shapes | {"noise": (len(self.joints),)}

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a reading."""
        return (len(self.joints),)

    def check(self, plant: Any) -> None:
        """Refuse joints that have not one coordinate."""
        if self.frame:
            super().check(plant)
        single = [link.name for link in plant.tree.links if link.joint.nv == 1 and _width(link.q) == 1]
        for name in self.joints:
            if name not in single:
                raise unknown_name(f"Encoder {self.name}", "joint with one degree of freedom", name, single)

    def reading(self, now: Instant, bias: Array, normals: Array, kept: Array, period: float) -> Reading:
        """Coordinates and noise, rounded."""
        places = [now.tree.link(name).q.start for name in self.joints]
        exact = vector([now.q[..., i] for i in places]) + self.noise * normals
        steps = enumerate(self.resolution)
        return Reading(vector([rounded(exact[..., k], step) for k, step in steps]), kept)


def rounded(x: Any, step: float) -> Any:
    """x to the nearest multiple of a step, halves away from zero; x itself for a step of zero."""
    if is_zero(step):
        return x
    left = np.abs(x) / step + 0.5
    whole = left
    for power in reversed(
        range(_BITS)
    ):  # what is left of it below one, bit by bit: exact in every number format
        left = where(greater_equal(left, 2.0**power), left - 2.0**power, left)
    whole = (whole - left) * step
    return where(less(x, 0.0), -whole, whole)


def _width(part: slice) -> int:
    return part.stop - part.start
