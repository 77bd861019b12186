"""An axis of a frame along a direction."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from ...lie import so3
from ...lie.arrays import apply, transpose
from ...lie.checked_frames import axis_rotation
from ...model import ModelError
from ...model.field_types import Vector
from ...model.inertia import unit_axis
from ...model.value import replace_arrays
from ...trace import arctan2
from ..law_parts import gain
from .frame_motion import FrameMotion
from .task_interface import Task, Wanted, check_frame

_TINY = 1e-30


class DirectionTask(Task):
    """Turns an axis of a frame, given in the frame's axes, into a direction (3,) of the world, by the shortest way.

    Two rows, about the axes at right angles to it: how the frame is turned about its own axis is left open. The angle
    between them shrinks as exp(−rate t); opposed directions are an unstable equilibrium. A vehicle is kept level by
    its axis (0, 0, 1) along (0, 0, 1).
    """

    frame: str
    axis: Vector
    direction: Vector

    static: ClassVar[tuple[str, ...]] = ("axis",)
    unit: ClassVar[str] = "rad"
    rows_at_least: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        direction = gain("DirectionTask", "direction", self.direction, (3,))
        length = np.sqrt((direction * direction).sum(axis=-1, keepdims=True))
        if np.any(length == 0):
            raise ModelError.single(
                "DirectionTask", "direction", expected="not zero", given=repr(self.direction)
            )
        axis = unit_axis(self.axis, where="DirectionTask: axis")
        replace_arrays(self, direction=direction / length, axis=axis)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | {"direction": (3,)}

    def on(self, plant: Any) -> Self:
        check_frame("DirectionTask", plant, self.frame)
        return self

    def rows(self, plant: Any, t: Any, q: np.ndarray, v: np.ndarray) -> Wanted:
        now = FrameMotion(plant, q, v, self.frame)
        axis: Any = self.axis
        across = axis_rotation(axis).T[:2]  # two axes at right angles to it, as rows
        d = apply(transpose(now.rotation), self.direction)
        cross = so3.cross(axis, d)
        sine = np.sqrt((cross * cross).sum(axis=-1) + _TINY)
        angle = arctan2(sine, (axis * d).sum(axis=-1))
        e = np.asarray(angle / sine)[..., None] * cross
        return Wanted(across @ now.J[..., 3:, :], apply(across, e), apply(across, now.bias[..., 3:]))
