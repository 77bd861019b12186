"""Holding a body of the arm, not a vehicle, at a pose of the world: a platform kept level on a rolling ship."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ..dynamics.kinematics import pose, velocity
from ..dynamics.wrenches import wrench_forces
from ..lie import se3
from ..model import ModelError, Pose
from ..model.errors import unknown_name
from ..model.field_types import Six
from ..model.value import replace_arrays
from ..worlds.goal import Goal
from ..worlds.law import Law
from .law_goals import pose_goal
from .law_parts import check_plant, gain
from .pose_targets import PoseTarget, checked_target, pose_motion


class LinkKeeping(Law):
    """Drives all joints below a body so that it stays at a pose of the world: wrench K e + D (V_r − V) on it.

    body: a body or frame.  pose: target (4, 4) in the world, a trajectory of poses, or a `FollowedFrame`.
    stiffness, damping: one number, or six (along x, y, z, about x, y, z) in the body's axes.
    compensation: add what holds these joints still in the world.
    The law gives forces (..., nv) along all DoFs, zero along those of vehicles.
    """

    plant: Any
    body: str
    pose: Annotated[Any, Pose | PoseTarget]
    stiffness: Six
    damping: Six
    compensation: bool = True

    def __post_init__(self) -> None:
        check_plant("LinkKeeping", self.plant)
        known = [*self.plant.system.names, *self.plant.system.frames]
        if self.body not in known:
            raise unknown_name("LinkKeeping", "body", self.body, known)
        if not self._driven.any():
            expected = "a body that joints above a vehicle move (StationKeeping holds vehicles)"
            raise ModelError.single("LinkKeeping", "body", expected=expected, given=repr(self.body))
        gains = {
            name: gain("LinkKeeping", name, getattr(self, name), (6,)) for name in ("stiffness", "damping")
        }
        replace_arrays(self, pose=checked_target("LinkKeeping", self.plant, self.body, self.pose), **gains)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The pose, stiffness and damping."""
        return {"pose": (4, 4), "stiffness": (6,), "damping": (6,)}

    def goals(self) -> tuple[Goal, ...]:
        """The body at its pose."""
        return (pose_goal(self.plant, self.body, self.pose),)

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        tree = self.plant.tree
        target = pose_motion(self.plant, self.pose, t, q, v)
        g_e = se3.inverse(pose(tree, q, self.body)) @ target.pose
        rate = se3.Ad_apply(g_e, target.twist) - velocity(tree, q, v, self.body)
        wrench = self.stiffness * se3.log(g_e) + self.damping * rate
        forces = self._driven * wrench_forces(tree, q, {self.body: wrench})
        return forces + self._driven * self.plant.holding_forces(t, q) if self.compensation else forces

    @property
    def _driven(self) -> np.ndarray:
        """1 along the DoFs (nv,) of the joints between the vehicle and the body and of their leaders, else 0."""
        tree, mask = self.plant.tree, np.zeros(self.plant.nv)
        for i in tree.ancestors[tree.locate(self.body)[0]]:
            if tree.links[i].parent >= 0:
                mask[tree.links[i].v] = 1.0
        for follower, leader in self.plant.velocities.joints.dofs.items():
            mask[leader] = max(mask[leader], mask[follower])
        return mask
