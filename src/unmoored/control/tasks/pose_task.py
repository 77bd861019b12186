"""A frame at a pose."""

from __future__ import annotations

import copy
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from ...lie import se3
from ...model import Pose
from ...model.value import replace_arrays
from ...worlds.goal import Goal
from ..law_goals import pose_goal
from ..pose_targets import PoseTarget, checked_target, pose_motion
from .frame_motion import FrameMotion
from .task_interface import Task, Wanted, check_frame, goal_name


class PoseTask(Task):
    """Brings a frame to a pose (4, 4) of the world, along a trajectory of poses, or after a `FollowedFrame`.

    e = log(g⁻¹ g_d) in the frame's axes; V = Ad_{g⁻¹g_d} V_d + rate e lets it shrink as exp(−rate t), unique up to half
    a turn (tracking.md).
    """

    frame: str
    pose: Annotated[Any, Pose | PoseTarget]

    rows_at_least: ClassVar[int] = 6

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | ({"pose": (4, 4)} if isinstance(self.pose, np.ndarray) else {})

    def on(self, plant: Any) -> Self:
        check_frame("PoseTask", plant, self.frame)
        ready = copy.copy(self)
        replace_arrays(ready, pose=checked_target("PoseTask", plant, self.frame, self.pose))
        return ready

    def goals(self, plant: Any, level: int) -> tuple[Goal, ...]:
        """The frame at its pose."""
        return (pose_goal(plant, self.frame, self.pose, name=goal_name(self, level), level=level),)

    def rows(self, plant: Any, t: Any, q: np.ndarray, v: np.ndarray) -> Wanted:
        now = FrameMotion(plant, q, v, self.frame)
        target = pose_motion(plant, getattr(self.pose, "matrix", self.pose), t, q, v)
        g_e = se3.inverse(now.pose) @ target.pose
        if isinstance(self.pose, np.ndarray | Pose):
            return Wanted(now.J, se3.log(g_e), now.bias)
        V_r = se3.Ad_apply(g_e, target.twist)
        rate = se3.Ad_apply(g_e, target.twist_rate) - se3.ad_apply(now.twist, V_r)
        return Wanted(now.J, se3.log(g_e), now.bias, V_r, rate)
