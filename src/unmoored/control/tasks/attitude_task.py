"""A frame's attitude, of a vehicle above all."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

import numpy as np

from ...lie import se3, so3
from ...model import Pose
from ...model.value import replace_arrays
from ..pose_targets import checked_pose
from .frame_motion import FrameMotion
from .task_interface import Task, Wanted, check_frame


class AttitudeTask(Task):
    """Turns a vehicle, or any frame, to the attitude of a pose (4, 4) of the world; where it is is left open.

    e = log(RᵀR_d) in the frame's axes, unique up to half a turn; ω = rate e lets it shrink as exp(−rate t).
    """

    frame: str
    attitude: Annotated[Any, Pose]

    unit: ClassVar[str] = "rad"
    rows_at_least: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        replace_arrays(self, attitude=checked_pose("AttitudeTask", self.attitude, "attitude"))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | {"attitude": (4, 4)}

    def on(self, plant: Any) -> Self:
        check_frame("AttitudeTask", plant, self.frame)
        return self

    def rows(self, plant: Any, t: Any, q: np.ndarray, v: np.ndarray) -> Wanted:
        now = FrameMotion(plant, q, v, self.frame)
        e = so3.log(np.swapaxes(now.rotation, -1, -2) @ se3.rotation(self.attitude))
        return Wanted(now.J[..., 3:, :], e, now.bias[..., 3:])
