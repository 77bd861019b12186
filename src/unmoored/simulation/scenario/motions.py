"""Motions of prescribed joints, from coordinates over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...control import Reference
from ...lie import se3
from ...lie.arrays import apply
from ...model import Joint, ModelError
from ...model.joints import SubgroupJoint
from ...model.value import Value
from ...worlds import Motion, Trajectory, UntilFailure


@dataclass(frozen=True, eq=False, repr=False)
class OnGroup(Value):
    """The pose exp(H x(t)) (4, 4) of a joint that is stored as one; H (6, n) is its basis."""

    coordinates: Reference
    basis: np.ndarray

    def __call__(self, t: Any) -> np.ndarray:
        return se3.exp(apply(self.basis, self.coordinates(t)))


def prescribed_motion(
    coordinates: Reference, name: str, joint: Joint, fails_at: float | None = None
) -> Trajectory:
    """The trajectory of a joint along its coordinates over time, up to a failure (s)."""
    if coordinates.size != joint.nv:
        expected = f"{joint.nv} coordinate{'s' * (joint.nv != 1)}"
        raise ModelError.single(name, "prescribed", expected=expected, given=f"{coordinates.size}")
    stored_as_pose = isinstance(joint, SubgroupJoint) and joint.nv > 1
    motion = Motion(OnGroup(coordinates, joint.basis(joint.neutral()))) if stored_as_pose else coordinates
    return motion if fails_at is None else UntilFailure(motion, fails_at)
