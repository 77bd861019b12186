"""Holding a body of the arm, not a vehicle, at a pose of the world: a platform kept level on a rolling ship."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...control.law_parts import check_plant, gain
from ...dynamics.kinematics import pose, velocity
from ...dynamics.wrenches import wrench_forces
from ...lie import se3
from ...model.errors import unknown_name
from ...model.value import frozen_array, replace_arrays
from ...worlds import Law


class LinkKeeping(Law):
    """Drives all joints below a body so that it stays at a pose of the world: wrench K e − D V on it, e on the group.

    body: a body or frame.  pose: target (4, 4) in the world.  stiffness, damping: one number, or six (along x, y, z,
    about x, y, z) in the body's axes.  compensation: add what holds these joints still in the world.
    The law gives forces (..., nv) along all DoFs, zero along those of vehicles.
    """

    plant: Any
    body: str
    pose: Any
    stiffness: Any
    damping: Any
    compensation: bool = True

    def __post_init__(self):
        check_plant("LinkKeeping", self.plant)
        known = [*self.plant.system.names, *self.plant.system.frames]
        if self.body not in known:
            raise unknown_name("LinkKeeping", "body", self.body, known)
        gains = {
            name: gain("LinkKeeping", name, getattr(self, name), (6,)) for name in ("stiffness", "damping")
        }
        pose = frozen_array(self.pose, (4, 4), where="LinkKeeping", what="pose")
        replace_arrays(self, pose=pose, **gains)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The pose, stiffness and damping."""
        return {"pose": (4, 4), "stiffness": (6,), "damping": (6,)}

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        tree = self.plant.tree
        e = se3.log(se3.inverse(pose(tree, q, self.body)) @ self.pose)
        wrench = self.stiffness * e - self.damping * velocity(tree, q, v, self.body)
        forces = self._driven * wrench_forces(tree, q, {self.body: wrench})
        return forces + self._driven * self.plant.holding_forces(t, q) if self.compensation else forces

    @property
    def _driven(self) -> np.ndarray:
        """1 along the DoFs (nv,) of the joints between the vehicle and the body, else 0."""
        tree, mask = self.plant.tree, np.zeros(self.plant.nv)
        for i in tree.ancestors[tree.locate(self.body)[0]]:
            if tree.links[i].parent >= 0:
                mask[tree.links[i].v] = 1.0
        return mask
