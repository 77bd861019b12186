"""Goals of laws for frames and joints: what plots, reports and the viewer show beside what was reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dynamics.kinematics import body_poses
from ..dynamics.kinematics import pose as pose_of
from ..lie import se3
from ..model import Link, Pose, Tree
from ..model.joints import SubgroupJoint
from ..model.joints.subgroup_joint import numbers_from_pose, pose_from_numbers
from ..model.units import RADIAN, dof_units
from ..worlds import Trajectory
from ..worlds.goal import Goal
from .pose_paths import FREE
from .pose_targets import FollowedFrame, Relative
from .references import Reference

_AXES = ("x", "y", "z")
TWIST_ROWS, TWIST_UNITS = (*_AXES, *(f"about {axis}" for axis in _AXES)), ("m",) * 3 + (RADIAN,) * 3


def pose_goal(
    plant: Any,
    frame: str,
    target: Any,
    *,
    rows: Sequence[int] = range(6),
    name: str = "",
    level: int | None = None,
) -> Goal:
    """A frame or body at a pose, on a trajectory, or after a `FollowedFrame`; e = log(g⁻¹g_d) in the frame's axes.

    rows: of the error that count.
    """
    chosen = list(rows)

    def wanted(t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.broadcast_to(target_pose(plant, target, t, q), (*q.shape[:-1], 4, 4))

    def error(t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        g_e = se3.inverse(pose_of(plant.tree, q, frame)) @ target_pose(plant, target, t, q)
        return se3.log(g_e)[..., chosen]

    names, units = tuple(TWIST_ROWS[k] for k in chosen), tuple(TWIST_UNITS[k] for k in chosen)
    return Goal(name or f"pose of {frame}", "pose", error, names, units, frame, wanted, level)


def position_goal(plant: Any, frame: str, target: Any, *, name: str = "", level: int | None = None) -> Goal:
    """The origin of a frame or body at a point (3,), or along a `Reference` of three coordinates; e in the world."""

    def wanted(t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        x = target(t) if isinstance(target, Reference) else np.asarray(target)
        return np.broadcast_to(x, (*q.shape[:-1], 3))

    def error(t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return wanted(t, q, v) - pose_of(plant.tree, q, frame)[..., :3, 3]

    own = name or f"position of {frame}"
    return Goal(own, "position", error, _AXES, ("m",) * 3, frame, wanted, level)


def joint_goals(
    plant: Any,
    links: Sequence[Link],
    motions: Any,
    held: Any,
    *,
    name: str = "{}",
    level: int | None = None,
) -> tuple[Goal, ...]:
    """Of every joint its reference: that in `motions` {joint: trajectory}, or the next numbers of `held` (n,)."""
    found, first, moving = [], 0, dict(motions)
    for link in links:
        given = moving.get(link.name)
        place = None if given is not None else held[..., first : first + link.joint.nq]
        first += 0 if given is not None else link.joint.nq
        found.append(_joint_goal(plant, link, given, place, name.format(link.name), level))
    return tuple(found)


def target_pose(plant: Any, target: Any, t: Any, q: np.ndarray) -> np.ndarray:
    """The pose (..., 4, 4) of a target at time t (...), and of a followed frame at q (..., nq)."""
    if isinstance(target, Relative):
        return target_pose(plant, target.to, t, q) @ target_pose(plant, target.by, t, q)
    if isinstance(target, FollowedFrame):
        return pose_of(plant.tree, q, target.frame)
    if isinstance(target, Trajectory):
        return pose_from_numbers(target.motion(np.asarray(t), FREE).configuration)
    return np.asarray(target.matrix if isinstance(target, Pose) else target)


def _joint_goal(plant: Any, link: Link, moving: Any, place: Any, name: str, level: int | None) -> Goal:
    tree, joint = plant.tree, link.joint

    def configuration(t: Any, q: np.ndarray) -> np.ndarray:
        if isinstance(moving, FollowedFrame | Relative):
            g = se3.inverse(link.placement) @ target_pose(plant, moving, t, q)
            return numbers_from_pose(g)
        x = place if moving is None else moving.motion(np.asarray(t), joint).configuration
        return np.broadcast_to(x, (*q.shape[:-1], joint.nq))

    def error(t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return joint.local(q[..., link.q], configuration(t, q))

    units = tuple(dof_units(tree)[link.v])
    if not (isinstance(joint, SubgroupJoint) and joint.nv > 1):

        def target(t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
            return configuration(t, q)

        return Goal(name, "coordinate", error, joint.dof_names, units, link.name, target, level)

    def in_world(t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return _below(tree, link, q) @ link.placement @ joint.transform(configuration(t, q))

    return Goal(name, "pose", error, joint.dof_names, units, link.name, in_world, level)


def _below(tree: Tree, link: Link, q: np.ndarray) -> np.ndarray:
    """The pose (..., 4, 4) of the body that a joint is on."""
    return np.eye(4) if link.parent < 0 else body_poses(tree, q)[link.parent]
