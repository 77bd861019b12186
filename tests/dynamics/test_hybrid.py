"""Hybrid dynamics: any set of passive DoFs, as data, against the dense equations and the two extremes."""

import numpy as np
import pytest
from tests.support.random_trees import ALL_KINDS, random_state, random_tree

from unmoored.dynamics.recursive import forward_dynamics, hybrid_dynamics, inverse_dynamics
from unmoored.model import ModelError
from unmoored.system import System
from unmoored.trace import evaluate, trace

GRAVITY = np.array([0.4, -0.3, -9.7])
TREES = {
    "all joints": random_tree(2, ALL_KINDS, armature=True),
    "added mass above the body mass": random_tree(3, ALL_KINDS[::-1], added_mass=True, armature=True),
    "two vehicles": random_tree(4, ["Free", "Planar", "Revolute", "Spherical", "Universal"], vehicles=2),
    "serial": random_tree(6, ["Free", *["Revolute"] * 5, "Helical"], branching=False),
}
CASES = pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())
IGNORED = 1e6  # an entry that must not matter


def assert_close(ours, theirs, relative=1e-12):
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= relative * np.abs(theirs).max()


def motion(tree, seed, batch=()):
    """(q, v, a, tau, wrenches) that belong together."""
    q, v, a = random_state(tree, seed, batch)
    wrenches = {"tool": np.random.default_rng(seed).normal(size=(*batch, 6))}
    return q, v, a, inverse_dynamics(tree, q, v, a, GRAVITY, wrenches), wrenches


def random_mask(tree, seed, batch=()):
    return np.random.default_rng(seed).integers(0, 2, (*batch, tree.nv)).astype(float)


def hidden(given, matters):
    return np.where(matters, given, IGNORED)


@CASES
def test_all_passive_is_forward_dynamics(tree):
    q, v, _, tau, F = motion(tree, 0, (3,))
    result = hybrid_dynamics(tree, q, v, tau, np.full(tree.nv, IGNORED), np.ones(tree.nv), GRAVITY, F)
    np.testing.assert_array_equal(result[0], forward_dynamics(tree, q, v, tau, GRAVITY, F))
    np.testing.assert_array_equal(result[1], tau)


@CASES
def test_all_active_is_inverse_dynamics(tree):
    q, v, a, tau, F = motion(tree, 1, (3,))
    result = hybrid_dynamics(tree, q, v, np.full(tree.nv, IGNORED), a, np.zeros(tree.nv), GRAVITY, F)
    np.testing.assert_array_equal(result[0], a)
    assert_close(result[1], tau)


@CASES
def test_mixed_sets_split_joints_and_differ_inside_a_batch(tree):
    for seed in range(8):
        q, v, a, tau, F = motion(tree, seed, (5,))
        passive = random_mask(tree, seed, (5,))
        given = hidden(tau, passive == 1.0), hidden(a, passive == 0.0)
        total, forces = hybrid_dynamics(tree, q, v, *given, passive, GRAVITY, F)
        assert_close(total, a)
        assert_close(forces, tau)


@CASES
def test_given_entries_come_back_unchanged(tree):
    q, v, a, tau, F = motion(tree, 11)
    passive = random_mask(tree, 11)
    total, forces = hybrid_dynamics(tree, q, v, tau, a, passive, GRAVITY, F)
    np.testing.assert_array_equal(total[passive == 0.0], a[passive == 0.0])
    np.testing.assert_array_equal(forces[passive == 1.0], tau[passive == 1.0])


@CASES
def test_forces_and_accelerations_satisfy_the_equations_of_motion(tree):
    """Forces and accelerations that belong to no motion yet: springs on passive DoFs, any acceleration."""
    q, v, a = random_state(tree, 12, (3,))
    tau = np.random.default_rng(13).normal(size=(3, tree.nv))
    passive = random_mask(tree, 14)
    total, forces = hybrid_dynamics(tree, q, v, tau, a, passive, GRAVITY)
    assert_close(inverse_dynamics(tree, q, v, total, GRAVITY), forces)


def test_one_traced_kernel_serves_every_passive_set():
    tree = random_tree(5, ["Free", "Universal", "Helical", "Spherical", "Revolute", "Custom"], armature=True)
    n = (tree.nv,)
    traced = trace(
        lambda q, v, tau, a, passive, γ: hybrid_dynamics(tree, q, v, tau, a, passive, γ),
        (tree.nq,),
        *[n] * 4,
        (3,),
    )
    for seed in range(6):
        q, v, a = random_state(tree, seed)
        tau = np.random.default_rng(seed).normal(size=n)
        passive = random_mask(tree, seed)
        numeric = hybrid_dynamics(tree, q, v, tau, a, passive, GRAVITY)
        for ours, theirs in zip(evaluate(traced, q, v, tau, a, passive, GRAVITY), numeric, strict=True):
            assert_close(ours, theirs)


def test_method_takes_joint_names_dof_names_and_masks():
    system = System(random_tree(7, ["Free", "Revolute", "Spherical", "Revolute"]))
    q, v, a, tau, F = motion(system.tree, 7, (2,))
    names = ["b0.vx", "b0.wz", "b2"]
    mask = np.zeros(system.nv)
    mask[system.tree.dofs(names)] = 1.0
    options = {"acceleration": hidden(a, mask == 0.0), "gravity": GRAVITY, "wrenches": F}
    for passive in (names, mask, mask.astype(bool), np.stack([mask, mask])):
        total, forces = system.hybrid_dynamics(q, v, tau=hidden(tau, mask == 1.0), passive=passive, **options)
        assert_close(total, a)
        assert_close(forces, tau)


def test_bad_passive_sets_are_refused():
    system = System(random_tree(7, ["Free", "Revolute"]))
    q, v = system.neutral(), np.zeros(system.nv)
    for passive, message in (
        (["nobody"], "nobody"),
        (["b0.vq"], "vq"),
        (np.full(system.nv, 0.5), "0 and 1"),
        (np.ones(3), "shape"),
    ):
        with pytest.raises(ModelError, match=message):
            system.hybrid_dynamics(q, v, tau=v, acceleration=v, passive=passive)
