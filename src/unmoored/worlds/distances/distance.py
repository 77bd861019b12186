"""`Distance`: between shapes on two frames of a system, as a function of its configuration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from ...dynamics.joint_crossing import crossings
from ...dynamics.relative_motion import Place, between, jacobian_between, walk
from ...lie import so3
from ...lie.arrays import apply, stacked_rows, vector
from ...model import Tree
from ...model.value import Value
from ...trace import minimum
from .proximity import check_pair, proximity


@dataclass(frozen=True, eq=False, repr=False)
class Distance(Value):
    """Signed distance between a shape on frame_a and one on frame_b, in traceable NumPy: for laws, events and costs.

    shape_a: HalfSpace, Sphere, Capsule, Box or Cylinder; shape_b: Sphere, Capsule or Points, a Box against a
    HalfSpace. Frames may be "world".
    """

    frame_a: str
    frame_b: str
    shape_a: Any
    shape_b: Any

    def __post_init__(self) -> None:
        check_pair("Distance", self.shape_a, self.shape_b)

    def __call__(self, system: Any, q: np.ndarray) -> Any:
        """The least distance (...) [m] at q (..., nq), negative where the shapes overlap; system: a System or Plant."""
        gaps = self.each(system, q)
        return reduce(minimum, [gaps[..., i] for i in range(gaps.shape[-1])])

    def each(self, system: Any, q: np.ndarray) -> np.ndarray:
        """The distances (..., n) [m] of all points or ends that stand for shape_b."""
        _, near = self._near(system, np.asarray(q))
        return vector([at.gap for at in near])

    def jacobian(self, system: Any, q: np.ndarray) -> np.ndarray:
        """Rates (..., n, nv) of the distances per velocity: the normal along the motion of the nearest point."""
        q = np.asarray(q)
        walked, near = self._near(system, q)
        J = jacobian_between(_tree(system), walked)
        rows = [
            apply(np.swapaxes(J[..., :3, :] - so3.hat(at.point) @ J[..., 3:, :], -1, -2), at.normal)
            for at in near
        ]
        return stacked_rows([row[..., None, :] for row in rows])

    def _near(self, system: Any, q: np.ndarray) -> Any:
        tree = _tree(system)
        ends = (Place(*tree.locate(name)) for name in (self.frame_a, self.frame_b))
        walked = walk(between(tree, *ends), crossings(tree, q))
        return walked, proximity(self.shape_a, self.shape_b)(walked.pose)


def _tree(system: Any) -> Tree:
    """The tree of a System or a Plant."""
    return getattr(system, "system", system).tree
