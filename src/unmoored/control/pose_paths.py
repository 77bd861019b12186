"""Poses over time, with twist V and its rate V̇: from pose to pose along a screw, or straight (docs/laws/references.md).

Each path is a table of spans: the pose at the start of each, and what its motion is made of. Kernels read the table
where it is, so that other poses at as many times need no new kernel.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from ..dynamics.forced_base import PrescribedMotion
from ..lie import se3, so3
from ..lie.arrays import apply, join, transpose
from ..model import Free, Joint, ModelError, Pose
from ..model.field_types import Series
from ..model.joints import SubgroupJoint, numbers_from_pose
from ..model.joints.subgroup_joint import pose_from_numbers
from ..model.value import frozen_array, replace_arrays, shape_of
from ..trace.span_table import SpanTable
from ..worlds import Trajectory
from .polynomials import evaluated

#: the joint of all poses
FREE = Free()
_ON_GROUP = 1e-9
#: places in each span where a path must be in a joint's group
_TRIED = (0.0, 0.21, 0.5, 0.83)


class PoseMotion(NamedTuple):
    """pose: g (..., 4, 4).  twist: V (..., 6), in the axes of g.  twist_rate: V̇ (..., 6)."""

    pose: np.ndarray
    twist: np.ndarray
    twist_rate: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class PosePath(Trajectory):
    """Poses over time; before the first time and after the last the pose there is held.

    times: (K,) increasing (s).  poses: K poses in the world; of a joint, in its placement.
    """

    times: Series
    poses: Annotated[Any, list[Pose]]

    @property
    def size(self) -> int:
        """Number of coordinates: of all poses."""
        return 6

    @abstractmethod
    def _moved(self, g: np.ndarray, numbers: np.ndarray, s: np.ndarray) -> PoseMotion:
        """The motion in a span from its first pose g (..., 4, 4) and numbers (..., n), s (..., 1) after its start."""

    def at(self, t: Any) -> PoseMotion:
        """(pose, V, V̇) at time t (...) [s]."""
        t = np.asarray(t)
        start, first, numbers = np.split(self._table.row(t), (1, 13), axis=-1)  # type: ignore[attr-defined]
        return self._moved(pose_from_numbers(first), numbers, t[..., None] - start)

    def motion(self, t: np.ndarray, joint: Joint) -> PrescribedMotion:
        """The same as a joint's motion: its velocities are V in the basis of its group."""
        return in_joint(joint, self.at(t))

    def check(self, name: str, joint: Joint) -> None:
        """The path must be in the joint's group, between its poses too."""
        starts = self._table.times  # type: ignore[attr-defined]
        t = np.append((starts[:-1, None] + np.diff(starts)[:, None] * np.array(_TRIED)).ravel(), starts[-1])
        check_in_group(type(self).__name__, name, joint, self.at(t).pose)


@dataclass(frozen=True, eq=False, repr=False)
class PathThrough(PosePath):
    """A path that goes through each of its poses, at its time."""

    def __post_init__(self) -> None:
        kind = type(self).__name__
        count = shape_of(self.times, where=kind, what="times")[:1]
        times = frozen_array(self.times, count, where=kind, what="times (s)")
        if len(times) < 2 or np.any(np.diff(times) <= 0):
            raise ModelError.single(kind, "times", expected="two or more, increasing", given=repr(self.times))
        poses = checked_poses(kind, self.poses)
        if len(poses) != len(times):
            raise ModelError.single(
                kind, "poses", expected=f"{len(times)}, one per time", given=f"{len(poses)}"
            )
        replace_arrays(self, times=times, poses=poses)
        replace_arrays(self, _table=held_table(times, poses[[0, *range(len(times))]], self._between()))

    @abstractmethod
    def _between(self) -> np.ndarray:
        """Numbers (K − 1, n) of the spans between the times; zero holds the pose."""


def check_in_group(path: str, name: str, joint: Joint, poses: np.ndarray) -> None:
    """Refuse a joint whose group does not have all these poses (K, 4, 4)."""
    if not isinstance(joint, SubgroupJoint):
        raise ModelError.single(name, path, expected="a joint that is a group of poses", given=joint.kind)
    outside = ~joint.group.contains(poses, _ON_GROUP)
    if outside.any():
        expected = f"poses in {joint.group.name}, all the way"
        raise ModelError.single(name, path, expected=expected, given=str(poses[outside][0].tolist()))


def checked_poses(kind: str, poses: Any) -> np.ndarray:
    """Poses (K, 4, 4), read-only, of a sequence of poses or matrices."""
    given = (
        [getattr(pose, "matrix", pose) for pose in poses]
        if np.ndim(poses) or isinstance(poses, list)
        else poses
    )
    shape = shape_of(given, where=kind, what="poses")
    matrices = frozen_array(given, (*shape[:1], 4, 4), where=kind, what="poses")
    if not np.all(FREE.group.contains(matrices, _ON_GROUP)):
        raise ModelError.single(kind, "poses", expected="rigid poses (K, 4, 4)", given="others")
    return matrices


def held_table(times: np.ndarray, first: np.ndarray, between: np.ndarray) -> SpanTable:
    """Spans that begin at the times (K,), and the ones before and after: start, first pose (K + 1, 4, 4), numbers."""
    still = np.zeros((1, between.shape[1]))
    starts = np.append(times[:1], times)
    return SpanTable(
        times, np.column_stack([starts, numbers_from_pose(first), np.concatenate([still, between, still])])
    )


def in_joint(joint: Joint, motion: PoseMotion) -> PrescribedMotion:
    """The motion of a joint that moves so."""
    assert isinstance(joint, SubgroupJoint)
    L = joint.group.coordinates
    configuration = joint.group.log(motion.pose) if joint.nv == 1 else numbers_from_pose(motion.pose)
    return PrescribedMotion(configuration, apply(L, motion.twist), apply(L, motion.twist_rate))


def least_jerk(whole: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Coefficients (K, 5 n) of s, …, s⁵ for ways (K, n) gone in h (K,) from rest to rest (Flash & Hogan 1985)."""
    d, h = np.asarray(whole), h[:, None]
    zero = np.zeros_like(d)
    return np.concatenate([zero, zero, 10 * d / h**3, -15 * d / h**4, 6 * d / h**5], axis=1)


def along(numbers: np.ndarray, s: np.ndarray) -> PrescribedMotion:
    """Value and two derivatives (..., 6) at s (..., 1) of coefficients (..., 30) of s, …, s⁵."""
    c = numbers.reshape(*numbers.shape[:-1], 5, 6)
    return evaluated(np.concatenate([np.zeros((*c.shape[:-2], 1, 6)), c], axis=-2), s)


@dataclass(frozen=True, eq=False, repr=False)
class ScrewPath(PathThrough):
    """From pose to pose along screws with least jerk, at rest at each: g = g_k exp(σ ξ), V = σ̇ ξ, V̇ = σ̈ ξ.

    It stays in every group of joints that has the poses. The origin leaves the straight line.
    """

    def _between(self) -> np.ndarray:
        return least_jerk(se3.log(se3.inverse(self.poses[:-1]) @ self.poses[1:]), np.diff(self.times))

    def _moved(self, g: np.ndarray, numbers: np.ndarray, s: np.ndarray) -> PoseMotion:
        x, V, V_dot = along(numbers, s)
        return PoseMotion(g @ se3.exp(x), V, V_dot)


@dataclass(frozen=True, eq=False, repr=False)
class StraightPath(PathThrough):
    """From pose to pose with least jerk, at rest at each: the origin along straight lines, turning about one axis each.

    R = R_k exp(σ φ), p = p_k + σ (p_{k+1} − p_k). Groups whose axis or centre is not at the origin do not have it.
    """

    def _between(self) -> np.ndarray:
        R, p = se3.rotation(self.poses), se3.position(self.poses)
        turns = so3.log(transpose(R[:-1]) @ R[1:])
        return least_jerk(np.concatenate([np.diff(p, axis=0), turns], axis=1), np.diff(self.times))

    def _moved(self, g: np.ndarray, numbers: np.ndarray, s: np.ndarray) -> PoseMotion:
        x, x_dot, x_ddot = along(numbers, s)
        R = se3.rotation(g) @ so3.exp(x[..., 3:])
        ω, v = x_dot[..., 3:], apply(transpose(R), x_dot[..., :3])
        v_dot = apply(transpose(R), x_ddot[..., :3]) - so3.cross(ω, v)
        pose = se3.pose(R, se3.position(g) + x[..., :3])
        return PoseMotion(pose, join([v, ω]), join([v_dot, x_ddot[..., 3:]]))
