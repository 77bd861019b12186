"""Systems whose joints follow others, states that keep it, and their constraints, by hand."""

from dataclasses import replace

import numpy as np
from tests.support.random_trees import random_tree

import unmoored as um
from unmoored.model import Mimic

KINDS = ("Free", "Revolute", "Prismatic", "Custom", "Helical", "Revolute", "Revolute")
#: b4 follows b3, which follows b1; b6 follows b2
COUPLINGS = (Mimic("b3", "b1", -1.7, 0.3), Mimic("b4", "b3", 0.6, -0.2), Mimic("b6", "b2", 2.5, 0.1))
FOLLOWERS = {"b3": ("b1", -1.7, 0.3), "b4": ("b1", 0.6 * -1.7, 0.6 * 0.3 - 0.2), "b6": ("b2", 2.5, 0.1)}


#: without kernels: what compiles is tested once
SLOW = {"backend": "numpy"}


def coupled_tree(seed, **options):
    tree = random_tree(seed, KINDS, armature=True, **options)
    rng = np.random.default_rng(seed)
    bodies = tuple(
        replace(
            body,
            joint=replace(body.joint, damping=rng.uniform(0.1, 1), stiffness=rng.uniform(1, 3), friction=0.2),
        )
        if body.joint.nv == 1 and body.joint.kind != "CustomJoint"
        else replace(body, joint=um.Free())
        if body.joint.nv == 6
        else body
        for body in tree.bodies
    )
    return replace(tree, bodies=bodies, couplings=COUPLINGS)


def constraint(tree):
    """A (3, nv) with A v = 0, built from the couplings one by one."""
    A = np.zeros((len(COUPLINGS), tree.nv))
    for row, c in zip(A, COUPLINGS, strict=True):
        row[tree.link(c.joint).v] = 1.0
        row[tree.link(c.leader).v] = -c.multiplier
    return A


def random_kept_state(plant, seed):
    rng = np.random.default_rng(seed)
    q = plant.system.random_configuration(rng)
    v, u = rng.normal(size=plant.nv), rng.normal(size=plant.nu)
    for name, (leader, k, o) in FOLLOWERS.items():  # by hand, not by the plant
        follower, first = plant.tree.link(name), plant.tree.link(leader)
        q[follower.q], v[follower.v] = k * q[first.q] + o, k * v[first.v]
    return q, v, u


def without(system):
    return um.System(replace(system.tree, couplings=()))


def geared_pair(**options):
    """Two wheels about parallel axes, inertias 0.3 and 0.05 kg m², the second geared by −4."""
    b = um.SystemBuilder("gears")
    base = b.vehicle("base", um.Fixed(), inertia=um.Inertia.box(mass=1.0, size=(1, 1, 1)))
    for name, J, x in (("slow", 0.3, 0.0), ("fast", 0.05, 0.4)):
        wheel = um.Inertia(1.0, (0, 0, 0), np.diag([J, J, J]))
        joint = um.Revolute(axis=(0, 0, 1), **options.get(name, {}))
        b.link(name, parent=base, joint=joint, at=um.Pose(xyz=(x, 0, 0)), inertia=wheel)
    b.mimic("fast", "slow", -4.0)
    return b.build()
