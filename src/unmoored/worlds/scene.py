"""The system at one instant, as worlds and actuators see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..dynamics.joint_crossing import Crossing, crossings, relative_pose, twist_outward
from ..dynamics.kinematics import ORIGIN, velocities_across
from ..dynamics.tree_scans import outward
from ..lie import se3
from ..lie.arrays import apply, join
from ..model import Tree
from ..model.short_text import short_repr

#: Wrench (..., 6) at the origin and in the axes of the body with that index; bodies left out feel none.
BodyWrenches = Mapping[int, np.ndarray]


@dataclass(frozen=True, eq=False)
class Scene:
    """The system at one instant, as methods of worlds and actuators are given it.

    t: time (...) [s].  q (..., nq), v (..., nv): configuration and velocity.  gravity (..., 3): in world axes.
    tree: inertias with added mass.  dry: the bodies with their fluids, the joints and the frames.
    """

    __repr__ = short_repr

    t: np.ndarray
    tree: Tree
    dry: Tree
    q: np.ndarray
    v: np.ndarray
    gravity: np.ndarray
    worlds: tuple[Any, ...] = ()

    @cached_property
    def crossings(self) -> list[Crossing]:
        """The crossing of every joint."""
        return crossings(self.tree, self.q)

    @cached_property
    def twists(self) -> list[np.ndarray]:
        """Body twists V_i (..., 6), each in its own frame."""
        return velocities_across(self.tree, self.crossings, self.v)

    @cached_property
    def poses(self) -> list[np.ndarray]:
        """World poses g_0i (..., 4, 4)."""
        return outward(self.tree, lambda _, g, x: g @ relative_pose(x), ORIGIN, self.crossings)

    def turned(self, vector: np.ndarray) -> list[np.ndarray]:
        """R_0iᵀ vector (..., 3) in the axes of every body, for a vector (..., 3) in world axes.

        One vector carried outward costs less than the rotation of every body.
        """
        start = join([np.asarray(vector), np.zeros(3)])
        carried = outward(self.tree, lambda _, V, x: twist_outward(x, V), start, self.crossings)
        return [V[..., :3] for V in carried]

    def point(self, index: int, r: np.ndarray) -> np.ndarray:
        """World position (..., 3) of the point r (3,) on a body."""
        g = self.poses[index]
        return se3.position(g) + apply(se3.rotation(g), np.asarray(r))


def combined(*parts: BodyWrenches) -> dict[int, np.ndarray]:
    """The sums (..., 6), body by body."""
    totals: dict[int, np.ndarray] = {}
    for part in parts:
        for index, F in part.items():
            totals[index] = totals[index] + F if index in totals else F
    return totals
