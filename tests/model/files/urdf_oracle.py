"""The same URDF in Pinocchio: configurations in its storage, mass matrix and poses in our order."""

import numpy as np
import pinocchio as pin

from unmoored.dynamics.kinematics import body_poses
from unmoored.dynamics.mass_matrix import mass_matrix


def random_configuration(tree, rng):
    """One configuration of the tree: within π and 1 m, whatever the limits."""
    return np.concatenate([joint_configuration(link.joint, rng) for link in tree.links] or [np.zeros(0)])


def joint_configuration(joint, rng):
    return joint.from_coordinates(rng.uniform(-1.0, 1.0, joint.nv))


def neutral_configuration(tree):
    return np.concatenate([link.joint.neutral() for link in tree.links] or [np.zeros(0)])


class Oracle:
    """A Pinocchio model beside our tree, joint by joint."""

    def __init__(self, tree, model):
        self.tree, self.model, self.data = tree, model, model.createData()
        names = list(model.names)[1:]
        moved = {body.joint_name: body.name for body in tree.bodies}
        # the vehicle's joint has no name in a URDF: Pinocchio gives it one, and so does our writer
        self.links = [tree.link(moved.get(name, tree.vehicles[0])) for name in names]
        self.joints = [model.joints[model.getJointId(name)] for name in names]

    def configuration(self, q):
        """Pinocchio's q from ours."""
        theirs = pin.neutral(self.model)
        for link, joint in zip(self.links, self.joints, strict=True):
            theirs[joint.idx_q : joint.idx_q + joint.nq] = self._stored(link.joint, joint, q[link.q])
        return theirs

    @staticmethod
    def _stored(ours, theirs, q):
        if ours.nv == 1:
            return q if theirs.nq == 1 else np.array([np.cos(q[0]), np.sin(q[0])])
        g = ours.transform(q)
        if theirs.nq == 4:
            return np.array([g[0, 3], g[1, 3], g[0, 0], g[1, 0]])
        return pin.SE3ToXYZQUAT(pin.SE3(g))

    def velocity_order(self):
        """Our velocity indices in Pinocchio's order."""
        order = np.zeros(self.model.nv, dtype=int)
        for link, joint in zip(self.links, self.joints, strict=True):
            order[joint.idx_v : joint.idx_v + joint.nv] = range(link.v.start, link.v.stop)
        return order

    def mass_matrices(self, q):
        """(ours, theirs), both in Pinocchio's order."""
        order = self.velocity_order()
        ours = mass_matrix(self.tree, q)[np.ix_(order, order)]
        theirs = pin.crba(self.model, self.data, self.configuration(q))
        return ours, np.triu(theirs) + np.triu(theirs, 1).T

    def poses(self, q):
        """(ours, theirs) for every body: (n, 4, 4) each."""
        pin.framesForwardKinematics(self.model, self.data, self.configuration(q))
        ours = dict(zip(self.tree.names, body_poses(self.tree, q), strict=True))
        theirs = {
            frame.name: self.data.oMf[i].homogeneous
            for i, frame in enumerate(self.model.frames)
            if frame.type == pin.FrameType.BODY
        }
        names = [name for name in self.tree.names if name in theirs]
        assert len(names) == len(self.tree.names)
        return np.array([ours[name] for name in names]), np.array([theirs[name] for name in names])

    def masses(self):
        """(ours, theirs): total mass (kg)."""
        return self.tree.mass, sum(inertia.mass for inertia in self.model.inertias)


def assert_agreement(oracle, rng):
    """Total mass, poses and mass matrix agree, at the neutral configuration and at random ones."""
    assert np.isclose(*oracle.masses(), rtol=1e-13, atol=0)
    tree = oracle.tree
    for q in (neutral_configuration(tree), random_configuration(tree, rng), random_configuration(tree, rng)):
        ours, theirs = oracle.poses(q)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
        ours, theirs = oracle.mass_matrices(q)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-13 * max(1.0, np.abs(theirs).max(initial=0)))
