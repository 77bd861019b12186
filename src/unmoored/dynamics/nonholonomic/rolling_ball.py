"""A ball that rolls on a plane without slipping, with or without spin about the vertical (theory.md §13)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import apply, blocks, transpose
from ...model import Free, Link, ModelError, Tree
from ...model.field_types import Vector
from ...model.inertia import unit_axis
from ...model.value import frozen_array, replace_arrays
from .constraint import VelocityConstraint, frame_on, vehicle_link


@dataclass(frozen=True, eq=False, repr=False)
class RollingBall(VelocityConstraint):
    """The vehicle is a ball of `radius` (m) on a plane with `normal` (world axes): speeds are its ω in its
    own axes.

    With n the normal and c the centre, v_c = r ω × n. The vehicle's joint is Free.
    centre: a frame on the vehicle at the ball's geometric centre; the vehicle's own if None.
    """

    radius: float
    centre: str | None = None
    normal: Vector = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        radius = float(frozen_array(self.radius, (), where="RollingBall", what="radius"))
        if not radius > 0:
            raise ModelError.single("RollingBall", "radius", expected="> 0 m", given=repr(radius))
        normal = tuple(unit_axis(self.normal, where="RollingBall").tolist())
        replace_arrays(self, radius=radius, normal=normal)

    @property
    def speeds(self) -> tuple[str, ...]:
        return ("wx", "wy", "wz")

    def dofs(self, tree: Tree) -> np.ndarray:
        link, _ = self._ball(tree)
        return np.arange(link.v.start, link.v.stop)

    def embedding(self, tree: Tree, q: np.ndarray) -> np.ndarray:
        _, centre = self._ball(tree)
        n = self._normal(tree, q)
        # in the vehicle's axes: v = v_c − ω × c, v_c = r ω × n
        lever = so3.hat(se3.position(centre)) - self.radius * so3.hat(n)
        return blocks([[lever], [np.eye(3)]])

    def embedding_rate(self, tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        link, _ = self._ball(tree)
        ω = v[..., link.v][..., 3:]
        return blocks([[self.radius * so3.hat(so3.cross(ω, self._normal(tree, q)))], [np.zeros((3, 3))]])

    def coordinates(self, tree: Tree, q: np.ndarray) -> np.ndarray:
        return np.eye(6)[3:]

    def _ball(self, tree: Tree) -> tuple[Link, np.ndarray]:
        link = vehicle_link(tree, self.vehicle, "RollingBall")
        if not isinstance(link.joint, Free):
            raise ModelError.single(link.name, "RollingBall", expected="a Free joint", given=link.joint.kind)
        return link, frame_on(tree, link, self.centre, "RollingBall")

    def _normal(self, tree: Tree, q: np.ndarray) -> np.ndarray:
        """The plane's normal (..., 3) in the vehicle's axes."""
        link, _ = self._ball(tree)
        R = se3.rotation(link.placement @ link.joint.transform(q[..., link.q]))
        return apply(transpose(R), np.array(self.normal))
