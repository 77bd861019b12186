"""Splitting one vehicle's joint from all the others: group velocity u and shape velocity w (theory.md §8)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie.arrays import join
from ...model import Link, ModelError, Tree
from ...model.errors import unknown_name
from ...model.joints import SubgroupJoint
from ..closed_form.coriolis import bracket_matrix
from ..closed_form.vehicle_arm_blocks import block, vehicle_and_arm


class Split(NamedTuple):
    """One vehicle against the rest: its link, its velocity indices (m,), and all others (n,)."""

    link: Link
    group: np.ndarray
    shape: np.ndarray

    @property
    def joint(self) -> SubgroupJoint:
        """The vehicle's joint, a subgroup of SE(3)."""
        return self.link.joint  # type: ignore[return-value]

    def vehicle(self, x: np.ndarray) -> np.ndarray:
        """The vehicle's entries (..., m) of a velocity-like vector (..., nv)."""
        return x[..., self.group]

    def others(self, x: np.ndarray) -> np.ndarray:
        """All other entries (..., n) of a velocity-like vector (..., nv)."""
        return x[..., self.shape]

    def joined(self, of_vehicle: np.ndarray, of_others: np.ndarray) -> np.ndarray:
        """The vector (..., nv) in velocity order, from its parts (..., m) and (..., n)."""
        order = np.argsort(np.concatenate([self.group, self.shape]))
        return join([of_vehicle, of_others])[..., order]


def split(tree: Tree, vehicle: str) -> Split:
    """The split at a vehicle whose joint is a subgroup: only then does the inertia not know its pose."""
    if vehicle not in tree.vehicles:
        raise unknown_name(tree.name, "vehicle", vehicle, tree.vehicles)
    link = tree.link(vehicle)
    if not isinstance(link.joint, SubgroupJoint) or link.joint.nv == 0:
        expected = (
            "a moving joint that is a subgroup of SE(3): the kinetic energy must not depend on its pose"
        )
        raise ModelError.single(vehicle, "vehicle joint", expected=expected, given=link.joint.kind)
    return Split(link, *vehicle_and_arm(tree, vehicle))


def shape_bracket(tree: Tree, at: Split, p: np.ndarray) -> np.ndarray:
    """K_s(p) (..., n, n) of shape momenta p (..., n): block diagonal in the other joints (theory.md §18)."""
    return block(bracket_matrix(tree, at.joined(np.zeros(len(at.group)), p)), at.shape, at.shape)


def shape_structure_constants(tree: Tree, at: Split) -> np.ndarray:
    """c (n, n, n), c[l, j, k] = c^l_jk, of the shape velocities: zero but within multi-DoF joints."""
    return shape_bracket(tree, at, np.eye(len(at.shape)))
