"""Where a frame is and how it moves, as tasks need it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...dynamics.jacobians import jacobian
from ...dynamics.kinematics import acceleration, pose
from ...lie import se3, so3
from ...lie.arrays import apply


class FrameMotion:
    """Pose, Jacobian and velocity-dependent acceleration of a frame of a plant at q (..., nq), v (..., nv)."""

    def __init__(self, plant: Any, q: np.ndarray, v: np.ndarray, frame: str):
        self._tree, self._q, self._v, self._frame = plant.tree, q, v, frame

    @cached_property
    def pose(self) -> np.ndarray:
        """g (..., 4, 4) in the world."""
        return pose(self._tree, self._q, self._frame)

    @cached_property
    def J(self) -> np.ndarray:
        """Body Jacobian (..., 6, nv)."""
        return jacobian(self._tree, self._q, self._frame)

    @cached_property
    def twist(self) -> np.ndarray:
        """V = J v (..., 6) in the frame's axes."""
        return apply(self.J, self._v)

    @cached_property
    def bias(self) -> np.ndarray:
        """J̇ v (..., 6) in the frame's axes."""
        return acceleration(self._tree, self._q, self._v, np.zeros(self._v.shape), self._frame)

    @property
    def rotation(self) -> np.ndarray:
        """R (..., 3, 3)."""
        return se3.rotation(self.pose)

    @property
    def position(self) -> np.ndarray:
        """Of the origin (..., 3) in the world."""
        return se3.position(self.pose)

    @cached_property
    def J_position(self) -> np.ndarray:
        """Velocity of the origin in world axes by v (..., 3, nv)."""
        return self.rotation @ self.J[..., :3, :]

    @cached_property
    def velocity(self) -> np.ndarray:
        """Of the origin (..., 3) in world axes."""
        return apply(self.rotation, self.twist[..., :3])

    @cached_property
    def position_bias(self) -> np.ndarray:
        """Acceleration of the origin (..., 3) in world axes while a = 0: R (v̇ + ω × v)."""
        v, ω = np.split(self.twist, 2, axis=-1)
        return apply(self.rotation, self.bias[..., :3] + so3.cross(ω, v))


class FixedPoint:
    """A point (..., 3) of the world that does not move, in the place of a `FrameMotion`."""

    def __init__(self, point: np.ndarray, nv: int):
        self.position = point
        self.J_position = np.zeros((3, nv))
        self.velocity = self.position_bias = np.zeros(3)


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a·b (..., 1) of vectors (..., n)."""
    return np.asarray((a * b).sum(axis=-1))[..., None]
