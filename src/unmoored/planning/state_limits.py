"""Limits on states: joints, speeds, spheres that keep clear of each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..lie.arrays import join
from ..model import Link, ModelError
from .cost_terms import check_frame
from .costs import Limit, Now


class JointLimits(Limit):
    """Joints with true coordinates stay within their `limits`, less a margin (rad, m)."""

    plant: Any
    margin: float = 0.0

    def __post_init__(self) -> None:
        if not self.links:
            expected = "joints with limits (limits=(lower, upper))"
            raise ModelError.single("JointLimits", "limits", expected=expected, given="none")

    @property
    def links(self) -> list[Link]:
        """The joints that have limits."""
        return [i for i in self.plant.tree.links if i.joint.limits is not None and i.joint.nq == i.joint.nv]

    def __call__(self, now: Now) -> np.ndarray:
        parts = []
        for link in self.links:
            low, high = (np.asarray(x) for x in link.joint.limits)
            parts += [now.q[link.q] - (high - self.margin), (low + self.margin) - now.q[link.q]]
        return join(parts)


class SpeedLimits(Limit):
    """|v_i| ≤ highest_i along the DoFs of some joints.

    joints: names; None: all joints that have a `velocity` of their own.  highest: one number for all of their DoFs, or
    one each (m/s, rad/s); None: the joints' own.
    """

    plant: Any
    joints: tuple[str, ...] | None = None
    highest: Any = None

    def __post_init__(self) -> None:
        if not self.dofs:
            expected = "joints with a `velocity`, or joints= and highest="
            raise ModelError.single("SpeedLimits", "joints", expected=expected, given="none")
        own = [self.plant.tree.link(name).joint.velocity for name in self._names]
        if self.highest is None and any(x is None for x in own):
            expected = "highest=: a joint has no `velocity` of its own"
            raise ModelError.single("SpeedLimits", "highest", expected=expected, given="none")
        if self.highest is None:
            object.__setattr__(self, "highest", np.concatenate([np.atleast_1d(x) for x in own]))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the gains for one problem."""
        return {"highest": (len(self.dofs),)}

    @property
    def _names(self) -> tuple[str, ...]:
        if self.joints is not None:
            return self.joints
        return tuple(link.name for link in self.plant.tree.links if link.joint.velocity is not None)

    @property
    def dofs(self) -> list[int]:
        """Places of these DoFs in v."""
        slices = (self.plant.tree.link(name).v for name in self._names)
        return [i for s in slices for i in range(s.start, s.stop)]

    def __call__(self, now: Now) -> np.ndarray:
        v = now.v[self.dofs]
        return join([v - self.highest, -v - self.highest])


class Clearance(Limit):
    """A sphere about a frame's origin stays outside another one: radii + margin − distance ≤ 0 (m).

    frame: its origin is the first sphere's centre.  radius: of it.  centre (3,): of the other one in the world, or in
    the frame `other`.  other_radius: of that.  The distance has no direction where the centres meet.
    """

    plant: Any
    frame: str
    radius: float
    centre: Any
    other_radius: float
    other: str = ""
    margin: float = 0.0

    def __post_init__(self) -> None:
        check_frame(self)
        if self.other and self.other not in [*self.plant.system.names, *self.plant.system.frames]:
            raise ModelError.single("Clearance", "other", expected="a body or frame", given=repr(self.other))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the gains for one problem."""
        return {"centre": (3,)}

    def __call__(self, now: Now) -> np.ndarray:
        system = self.plant.system
        here, there = system.pose(now.q, self.frame)[:3, 3], self.centre
        if self.other:
            g = system.pose(now.q, self.other)
            there = g[:3, :3] @ there + g[:3, 3]
        apart = np.sqrt(sum((a - b) * (a - b) for a, b in zip(here, there, strict=True)))
        return np.array([self.radius + self.other_radius + self.margin - apart])
