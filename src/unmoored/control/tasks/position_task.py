"""A frame's origin at a point."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

import numpy as np

from ...model import ModelError
from ...model.field_types import Vector
from ...model.value import replace_arrays
from ...worlds import Trajectory
from ...worlds.goal import Goal
from ..law_goals import position_goal
from ..law_parts import gain
from ..references import Reference
from .frame_motion import FrameMotion
from .task_interface import Task, Wanted, check_frame, goal_name


class PositionTask(Task):
    """Brings the origin of a frame to a point (3,) of the world (m), or along a `Reference` of three coordinates."""

    frame: str
    position: Annotated[Any, Trajectory | Vector]

    rows_at_least: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.position, Trajectory):
            replace_arrays(self, position=gain("PositionTask", "position", self.position, (3,)))
        elif not isinstance(self.position, Reference) or self.position.size != 3:
            given = repr(self.position)
            raise ModelError.single("PositionTask", "position", expected="a Reference of size 3", given=given)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | ({} if isinstance(self.position, Reference) else {"position": (3,)})

    def on(self, plant: Any) -> Self:
        check_frame("PositionTask", plant, self.frame)
        return self

    def goals(self, plant: Any, level: int) -> tuple[Goal, ...]:
        """The frame's origin at its point."""
        return (position_goal(plant, self.frame, self.position, name=goal_name(self, level), level=level),)

    def rows(self, plant: Any, t: Any, q: np.ndarray, v: np.ndarray) -> Wanted:
        now = FrameMotion(plant, q, v, self.frame)
        if not isinstance(self.position, Reference):
            return Wanted(now.J_position, self.position - now.position, now.position_bias)
        x, x_dot, x_ddot = self.position.at(t)
        return Wanted(now.J_position, x - now.position, now.position_bias, x_dot, x_ddot)
