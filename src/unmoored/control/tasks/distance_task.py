"""Two points kept apart, or together."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

import numpy as np

from ...model import ModelError
from ...model.field_types import Number, Vector
from ...model.value import replace_arrays
from ..law_parts import gain
from .frame_motion import FixedPoint, FrameMotion, dot
from .task_interface import Bounded, Task, check_frame

_TINY = 1e-30


class DistanceTask(Task):
    """Keeps the origin of a frame at least `least` and at most `most` (m) away from another frame or a point.

    other: a frame.  point: or a point (3,) of the world. Spheres around both are kept apart by adding their radii to
    `least`. Approach is allowed at `rate` times the distance that is left. Points that coincide have no direction: do
    not start there.
    """

    frame: str
    other: Annotated[Any, str] = None
    point: Vector = None
    least: Number = None
    most: Number = None

    keeps: ClassVar[bool] = True
    unit: ClassVar[str] = "m"

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.other is None) == (self.point is None):
            raise ModelError.single(
                "DistanceTask", "other, point", expected="one of them", given="both or none"
            )
        if self.least is None and self.most is None:
            raise ModelError.single("DistanceTask", "least, most", expected="at least one", given="none")
        given = {} if self.point is None else {"point": gain("DistanceTask", "point", self.point, (3,))}
        for name in ("least", "most"):
            if getattr(self, name) is not None:
                given[name] = gain("DistanceTask", name, getattr(self, name), ())
                if np.any(given[name] <= 0):
                    raise ModelError.single(
                        "DistanceTask", name, expected="> 0 (m)", given=repr(getattr(self, name))
                    )
        replace_arrays(self, **given)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        own = {"point": (3,), "least": (), "most": ()}
        return super().shapes | {
            name: shape for name, shape in own.items() if getattr(self, name) is not None
        }

    def on(self, plant: Any) -> Self:
        check_frame("DistanceTask", plant, self.frame)
        if self.other is not None:
            check_frame("DistanceTask", plant, self.other)
        return self

    def rows(self, plant: Any, t: Any, q: np.ndarray, v: np.ndarray) -> Bounded:
        a = FrameMotion(plant, q, v, self.frame)
        b = FixedPoint(self.point, plant.nv) if self.other is None else FrameMotion(plant, q, v, self.other)
        r, r_dot = a.position - b.position, a.velocity - b.velocity
        d = np.sqrt(dot(r, r) + _TINY)
        n = r / d
        along = dot(n, r_dot)
        bend = (dot(r_dot, r_dot) - along * along) / d
        bias = dot(n, a.position_bias - b.position_bias) + bend
        J = n[..., None, :] @ (a.J_position - b.J_position)
        return Bounded(J, d, bias, *_sides(self.least, self.most))


def _sides(least: Any, most: Any) -> tuple[Any, Any]:
    """Bounds (..., 1), far where there is none."""
    return tuple(np.asarray(far if x is None else x)[..., None] for x, far in ((least, -1e30), (most, 1e30)))  # type: ignore[return-value]
