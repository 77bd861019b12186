"""Derivatives of the motion between two frames in closed form, by differences: joints with several DoFs, both ways."""

from __future__ import annotations

import numpy as np
import pytest

import unmoored as um
from unmoored.dynamics.joint_crossing import crossings
from unmoored.dynamics.relative_motion import (
    Place,
    Walk,
    acceleration_between,
    between,
    jacobian_between,
    twist_between,
    walk,
)
from unmoored.dynamics.relative_motion_slopes import force_slopes, has_slopes, motion_slopes
from unmoored.dynamics.tree_scans import split_configuration, split_velocity

BODY = um.Inertia(mass=1.0, com=(0.1, 0, 0), tensor=np.diag([0.1, 0.1, 0.1]))


def branched() -> um.System:
    """A free bus with two arms, joints with one to three DoFs."""
    b = um.SystemBuilder("branched")
    bus = b.vehicle("bus", um.Free(), inertia=BODY)
    arms = {
        "left": (um.Spherical(), um.Cylindrical((0, 1, 0))),
        "right": (um.Planar(), um.Revolute((1, 1, 0))),
    }
    for side, joints in arms.items():
        parent = bus
        for k, joint in enumerate(joints):
            at = um.Pose(xyz=(0.1, 0.2 - 0.4 * k, 0.3), rpy=(0.1, 0.2, -0.3))
            parent = b.link(f"{side}{k}", parent=parent, joint=joint, at=at, inertia=BODY)
        b.frame(f"{side}_hand", parent=parent, at=um.Pose(xyz=(0.1, 0.2, 0.3), rpy=(0.5, 0.7, 0.3)))
    return b.build()


@pytest.mark.parametrize(
    ("a", "b"),
    [("left_hand", "right_hand"), ("right_hand", "left_hand"), ("world", "left_hand"), ("left0", "world")],
)
def test_slopes_by_differences(a: str, b: str) -> None:
    system, rng, ε = branched(), np.random.default_rng(0), 1e-5
    tree, nv = system.tree, system.nv
    q = system.retract(system.neutral(), rng.normal(size=nv))
    v, rate, F = rng.normal(size=nv), rng.normal(size=nv), rng.normal(size=6)
    us, accelerations = split_velocity(tree, v), split_velocity(tree, rate)

    def at(q: np.ndarray) -> Walk:
        return walk(between(tree, Place(*tree.locate(a)), Place(*tree.locate(b))), crossings(tree, q))

    def parts(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        us = split_velocity(tree, v)
        V_dot = acceleration_between(tree, at(q), split_configuration(tree, q), us, accelerations)
        return np.concatenate([twist_between(at(q), us), V_dot, jacobian_between(tree, at(q)).T @ F])

    assert has_slopes(tree, at(q))
    found, forces = motion_slopes(tree, at(q), us, accelerations), force_slopes(tree, at(q), F)
    for k in range(nv):
        δ = ε * np.eye(nv)[k]
        by_q = (parts(system.retract(q, δ), v) - parts(system.retract(q, -δ), v)) / (2 * ε)
        by_v = (parts(q, v + δ) - parts(q, v - δ)) / (2 * ε)
        known = np.concatenate([found.twist_by_q[:, k], found.by_q[:, k], forces[:, k]])
        assert np.abs(known - by_q).max() < 1e-8
        assert np.abs(found.by_v[:, k] - by_v[6:12]).max() < 1e-8
