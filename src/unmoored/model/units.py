"""Names and units of the numbers in q and v: the one place that knows which number is a metre."""

from __future__ import annotations

import numpy as np

from .joints import Joint, SubgroupJoint
from .tree import Tree

METRE, RADIAN, NO_UNIT = "m", "rad", "1"


def dof_units(tree: Tree) -> tuple[str, ...]:
    """The unit, "m" or "rad", of each DoF, by the twist that it makes; velocities have it per second."""
    return tuple(unit for link in tree.links for unit in _units(link.joint))


def coordinate_names(tree: Tree) -> tuple[str, ...]:
    """A name for each entry of q: the joint's, or one for each of its numbers (bus.R00 … bus.z)."""
    names: list[str] = []
    for link in tree.links:
        if _stored_as_pose(link.joint):
            names += [f"{link.name}.R{i}{j}" for i in range(3) for j in range(3)]
            names += [f"{link.name}.{axis}" for axis in "xyz"]
        else:
            nq = link.joint.nq
            names += [link.name] if nq == 1 else [f"{link.name}.{k}" for k in range(nq)]
    return tuple(names)


def coordinate_units(tree: Tree) -> tuple[str, ...]:
    """The unit, "m", "rad" or "1" (entries of a rotation matrix), of each entry of q."""
    units: list[str] = []
    for link in tree.links:
        pose = _stored_as_pose(link.joint)
        units += [NO_UNIT] * 9 + [METRE] * 3 if pose else _units(link.joint)
    return tuple(units)


def _units(joint: Joint) -> list[str]:
    S = np.asarray(joint.basis(joint.neutral()), dtype=float)
    return [RADIAN if np.any(S[3:, k]) else METRE for k in range(joint.nv)]


def _stored_as_pose(joint: Joint) -> bool:
    return isinstance(joint, SubgroupJoint) and joint.nv > 1
