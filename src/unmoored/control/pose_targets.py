"""Where a frame should be, and how it should move there: poses that laws track (docs/laws/references.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ..dynamics.forced_base import PrescribedMotion
from ..dynamics.kinematics import acceleration, velocity
from ..dynamics.kinematics import pose as pose_of
from ..lie import se3
from ..model import Joint, ModelError, Pose
from ..model.errors import unknown_name
from ..model.joints.subgroup_joint import pose_from_numbers
from ..model.value import Value, replace_arrays
from ..worlds import Plant, Trajectory
from .law_parts import gain
from .pose_paths import FREE, PoseMotion, in_joint


class Followable:
    """In files: what a motion can be relative to."""


class PoseTarget:
    """In files: all that a law for a pose can track."""


@dataclass(frozen=True, eq=False, repr=False)
class FollowedFrame(Value):
    """A frame or body of the plant, as a target: another vehicle, a deck that is moved, a drifting satellite.

    Its twist is that of the state, and the rate of it the one that it has without inputs: nothing that the law drives
    may move it.
    """

    frame: str


@dataclass(frozen=True, eq=False, repr=False)
class Relative(Trajectory):
    """A motion seen from another one: g = g_to(t) · h(t), with the twists of both.

    to: a trajectory of poses, or a `FollowedFrame`.  by: a pose that is kept there, or a trajectory of poses.
    """

    to: Annotated[Any, Followable]
    by: Annotated[Any, Pose | Trajectory]

    def __post_init__(self) -> None:
        if not isinstance(self.to, Trajectory | FollowedFrame):
            expected = "a trajectory of poses, or a FollowedFrame"
            raise ModelError.single("Relative", "to", expected=expected, given=repr(self.to))
        if not isinstance(self.by, Trajectory):
            replace_arrays(self, by=checked_pose("Relative", self.by, "by"))
        for part in (self.to, self.by):
            if isinstance(part, Trajectory):
                part.check("Relative", FREE)

    def motion(self, t: np.ndarray, joint: Joint) -> PrescribedMotion:
        """As a joint's motion: only of what depends on time alone."""
        return in_joint(joint, pose_motion(None, self, t))

    def check(self, name: str, joint: Joint) -> None:
        """A prescribed joint cannot follow a frame; the parts must be in the joint's group."""
        if isinstance(self.to, FollowedFrame):
            raise ModelError.single(name, "Relative", expected="a motion of time alone", given=repr(self.to))
        for part in (self.to, self.by):
            if isinstance(part, Trajectory):
                part.check(name, joint)


def pose_motion(plant: Plant | None, target: Any, t: Any, q: Any = None, v: Any = None) -> PoseMotion:
    """(g, V, V̇) of a target at time t (...), and of a followed frame at q (..., nq), v (..., nv) of the plant."""
    if isinstance(target, Relative):
        to, by = (pose_motion(plant, part, t, q, v) for part in (target.to, target.by))
        carried = se3.Ad_inv_apply(by.pose, to.twist)
        rate = se3.Ad_inv_apply(by.pose, to.twist_rate) - se3.ad_apply(by.twist, carried) + by.twist_rate
        return PoseMotion(to.pose @ by.pose, carried + by.twist, rate)
    if isinstance(target, Trajectory):
        numbers, V, V_dot = target.motion(np.asarray(t), FREE)
        return PoseMotion(pose_from_numbers(numbers), V, V_dot)
    if isinstance(target, FollowedFrame):
        assert plant is not None
        a = plant.forward_dynamics(t, q, v, np.zeros(plant.nu))
        tree, frame = plant.tree, target.frame
        return PoseMotion(
            pose_of(tree, q, frame), velocity(tree, q, v, frame), acceleration(tree, q, v, a, frame)
        )
    return PoseMotion(target, np.zeros(6), np.zeros(6))


def checked_pose(law: str, pose: Any, what: str = "pose") -> np.ndarray:
    """Poses (..., 4, 4) of a `Pose` or of matrices in SE(3); `what` is the field that gives them."""
    matrix = gain(law, what, getattr(pose, "matrix", pose), (4, 4))
    if not np.all(FREE.group.contains(matrix, 1e-9)):
        raise ModelError.single(law, what, expected="a pose (4, 4)", given=repr(matrix.tolist()))
    return matrix


def checked_target(law: str, plant: Plant, body: str, target: Any) -> Any:
    """A target that a law for a frame or body can take: poses (..., 4, 4), a trajectory, or a frame to follow."""
    if isinstance(target, Relative):
        _check_followed(law, plant, body, target.to)
        return target
    if isinstance(target, FollowedFrame):
        _check_followed(law, plant, body, target)
        return target
    if isinstance(target, Trajectory):
        target.check(f"{law}: pose", FREE)
        return target
    return checked_pose(law, target)


def _check_followed(law: str, plant: Plant, body: str, target: Any) -> None:
    """What moves the followed frame must not depend on what the law drives: another vehicle, or prescribed joints."""
    if not isinstance(target, FollowedFrame):
        return
    tree = plant.tree
    known = [*tree.names, *(frame.name for frame in tree.frames)]
    if target.frame not in known:
        raise unknown_name(law, "frame to follow", target.frame, known)
    moved, own = (
        tree.ancestors[i] if i >= 0 else () for i in (tree.locate(x)[0] for x in (target.frame, body))
    )
    given = {tree.link(name).index for name, _ in plant.velocities.prescribed}
    if moved and own and min(moved) == min(own) and not set(moved) <= given:
        expected = "a frame of another vehicle, or one that prescribed joints alone move"
        raise ModelError.single(law, "frame to follow", expected=expected, given=repr(target.frame))
