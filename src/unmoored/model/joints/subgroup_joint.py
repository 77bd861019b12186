"""Joints that are Lie subgroups of SE(3): constant twist basis, configuration on the group."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...lie import Subgroup, se3
from .joint import Joint


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SubgroupJoint(Joint):
    """A joint whose relative poses form a connected subgroup of SE(3).

    One DoF: the configuration is its coordinate x, and the pose exp(H x). More: it is the pose itself, stored as
    12 numbers, the rotation matrix row by row and then the position.
    """

    @cached_property
    @abstractmethod
    def group(self) -> Subgroup:
        """The subgroup of relative poses, in the joint frame."""

    @property
    def nq(self) -> int:
        return {0: 0, 1: 1}.get(self.nv, 12)

    @property
    def nv(self) -> int:
        return self.group.dim

    @property
    def dof_names(self) -> tuple[str, ...]:
        return self.group.dof_names

    def neutral(self) -> np.ndarray:
        return self.from_coordinates(np.zeros(self.nv))

    def random(self, rng: np.random.Generator) -> np.ndarray:
        angular = np.array([name.startswith("w") for name in self.dof_names], dtype=bool)
        # an angle vector of up to three components stays inside the ball where log is unique
        reach = np.where(angular, np.pi / np.sqrt(max(1, angular.sum())), 1.0)
        return self.from_coordinates(self._random_coordinates(rng, reach))

    def transform(self, q: np.ndarray) -> np.ndarray:
        return pose_from_numbers(q) if self.nv > 1 else self.group.exp(q)

    def basis(self, q: np.ndarray) -> np.ndarray:
        return self.group.basis

    def basis_derivatives(self, q: np.ndarray) -> None:
        return None

    def momentum_bracket(self, p: np.ndarray) -> np.ndarray:
        return self.group.momentum_bracket(p)

    def retract(self, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
        if self.nv <= 1:
            return q + dq
        return numbers_from_pose(pose_from_numbers(q) @ self.group.exp(dq))

    def local(self, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
        if self.nv <= 1:
            return q1 - q0
        return self.group.log(se3.inverse(pose_from_numbers(q0)) @ pose_from_numbers(q1))

    def coordinates(self, q: np.ndarray) -> np.ndarray:
        return q if self.nv <= 1 else self.group.log(pose_from_numbers(q))

    def from_coordinates(self, x: np.ndarray) -> np.ndarray:
        return x if self.nv <= 1 else numbers_from_pose(self.group.exp(x))


def pose_from_numbers(q: np.ndarray) -> np.ndarray:
    """The 4×4 pose (..., 4, 4) stored as 12 numbers (..., 12): rotation row by row, then position (m)."""
    return se3.pose(q[..., :9].reshape(*q.shape[:-1], 3, 3), q[..., 9:])


def numbers_from_pose(g: np.ndarray) -> np.ndarray:
    """The 12 numbers (..., 12) that store a 4×4 pose (..., 4, 4): rotation row by row, then position (m)."""
    rotation = se3.rotation(g)
    return np.concatenate([rotation.reshape(*rotation.shape[:-2], 9), se3.position(g)], axis=-1)
