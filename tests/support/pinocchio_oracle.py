"""The same tree in Pinocchio, for the joints that it has."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from unmoored.lie import se3
from unmoored.model import Link, Tree
from unmoored.model.joints import pose_from_numbers

JOINTS = {
    "Revolute": lambda joint: pin.JointModelRZ(),
    "Prismatic": lambda joint: pin.JointModelPZ(),
    "Helical": lambda joint: pin.JointModelHZ(joint.pitch),
    "Spherical": lambda joint: pin.JointModelSpherical(),
    "Planar": lambda joint: pin.JointModelPlanar(),
    "Translation": lambda joint: pin.JointModelTranslation(),
    "Free": lambda joint: pin.JointModelFreeFlyer(),
}
#: Kinds of tests/support/random_trees.py that have a peer.
KINDS = ("Revolute", "Prismatic", "Helical", "Spherical", "Planar", "Translation3", "Free")


class PinocchioOracle:
    """Pinocchio's answers in our conventions; rigid inertias, no armature.

    Its standard joint about z sits in the group's own frame A, so our body frame is A⁻¹ from its joint frame.
    It needs the joints of every branch one after the other (depth first), so velocities are permuted.
    """

    def __init__(self, tree: Tree, gravity: np.ndarray | None = None):
        self.model, self.order = pin.Model(), depth_first(tree)
        self.model.gravity.linear = np.zeros(3) if gravity is None else gravity
        identifiers: dict[int, int] = {-1: 0}
        for link in self.order:
            A = _frame(link)
            before = np.eye(4) if link.parent < 0 else se3.inverse(_frame(tree.links[link.parent]))
            placement = pin.SE3(before @ link.placement @ A)
            joint = JOINTS[link.joint.kind](link.joint)
            identifiers[link.index] = self.model.addJoint(
                identifiers[link.parent], joint, placement, link.name
            )
            body = tree.bodies[link.index].inertia
            inertia = pin.Inertia(body.mass, body.com, body.tensor)
            self.model.appendBodyToJoint(identifiers[link.index], inertia, pin.SE3(se3.inverse(A)))
        self.data = self.model.createData()
        #: theirs = ours[columns]
        self.columns = np.concatenate([np.arange(link.v.start, link.v.stop) for link in self.order])

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """Our configuration (nq,) in Pinocchio's coordinates."""
        return np.concatenate([_coordinates(link, q[link.q]) for link in self.order])

    def velocity(self, v: np.ndarray) -> np.ndarray:
        """Our velocity, acceleration or force (nv,) in Pinocchio's order."""
        return v[self.columns]

    def back(self, x: np.ndarray) -> np.ndarray:
        """Pinocchio's vector (nv,) or matrix (nv, nv) in our order."""
        ours = np.empty_like(x)
        ours[np.ix_(*[self.columns] * x.ndim)] = x
        return ours


def depth_first(tree: Tree) -> list[Link]:
    """The links with every subtree contiguous."""

    def below(parent: int) -> list[Link]:
        children = [link for link in tree.links if link.parent == parent]
        return [link for child in children for link in (child, *below(child.index))]

    return below(-1)


def _frame(link: Link) -> np.ndarray:
    return link.joint.group.frame  # type: ignore[attr-defined]


def _coordinates(link: Link, q: np.ndarray) -> np.ndarray:
    if link.joint.nv == 1:
        return q
    h = se3.inverse(_frame(link)) @ pose_from_numbers(q) @ _frame(link)
    if link.joint.kind == "Free":
        return pin.SE3ToXYZQUAT(pin.SE3(h))
    if link.joint.kind == "Spherical":
        return pin.Quaternion(h[:3, :3]).coeffs()
    if link.joint.kind == "Planar":
        return np.array([h[0, 3], h[1, 3], h[0, 0], h[1, 0]])
    return h[:3, 3]
