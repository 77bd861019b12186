"""The systems that attitude coordinates describe here: one free vehicle and an arm with true coordinates."""

from __future__ import annotations

import numpy as np

from ...lie import se3
from ...model import Free, Link, ModelError, Tree
from ...model.joints import numbers_from_pose, pose_from_numbers


def free_vehicle(tree: Tree) -> Link:
    """The only vehicle of the tree, which must be free; other trees are refused.

    Euler angles and quaternions stand for the vehicle's attitude alone, so every other joint must have true
    coordinates: as many numbers in q as in v.
    """
    vehicles = [link for link in tree.links if link.parent < 0]
    if len(vehicles) != 1 or not isinstance(vehicles[0].joint, Free):
        given = ", ".join(f"{link.name} ({link.joint.kind})" for link in vehicles) or "none"
        raise ModelError.single(
            tree.name,
            "vehicles with attitude coordinates",
            expected="one vehicle on a Free joint",
            given=given,
        )
    for link in tree.links[1:]:
        if link.joint.nq != link.joint.nv:
            expected = "arm joints with as many coordinates as degrees of freedom"
            raise ModelError.single(
                link.name, "joint beside attitude coordinates", expected=expected, given=link.joint.kind
            )
    return vehicles[0]


def vehicle_pose(tree: Tree, q: np.ndarray) -> np.ndarray:
    """World pose g_0b (..., 4, 4) of the free vehicle at q (..., nq)."""
    return tree.links[0].placement @ pose_from_numbers(q[..., :12])


def configuration_at(tree: Tree, R: np.ndarray, p: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Configuration q (..., nq) with the vehicle at rotation R (..., 3, 3), position p (..., 3) in the world.

    arm: coordinates (..., nq − 12) of the other joints.
    """
    h = se3.inverse(tree.links[0].placement) @ se3.pose(R, p)
    return np.concatenate([numbers_from_pose(h), arm], axis=-1)
