"""Our recursions against Pinocchio's and MuJoCo's on 300 random free-floating trees; tests/long takes 1,000."""

import numpy as np
import pinocchio as pin
import pytest
from tests.support import mujoco_oracle, pinocchio_oracle
from tests.support.random_trees import random_state, random_tree

from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.recursive import forward_dynamics, inverse_dynamics

GRAVITY = np.array([0.4, -0.3, -9.7])
#: Relative to the largest entry.
TOLERANCE = 1e-10
TREES_WITH_PINOCCHIO, TREES_WITH_MUJOCO, GROUPS = 200, 100, 5


def free_floating_tree(seed, kinds):
    rng = np.random.default_rng(seed)
    return random_tree(seed, ["Free", *rng.choice(kinds, rng.integers(1, 6))])


def relative_error(ours, theirs):
    return np.abs(ours - theirs).max() / np.abs(theirs).max()


@pytest.mark.parametrize("group", range(GROUPS))
def test_pinocchio_on_free_floating_trees(group):
    check_pinocchio(range(group, TREES_WITH_PINOCCHIO, GROUPS))


def check_pinocchio(seeds):
    for seed in seeds:
        tree = free_floating_tree(seed, pinocchio_oracle.KINDS)
        peer = pinocchio_oracle.PinocchioOracle(tree, GRAVITY)
        model, data = peer.model, peer.data
        q, v, a = random_state(tree, seed)
        state = peer.configuration(q), peer.velocity(v)

        tau = inverse_dynamics(tree, q, v, a, GRAVITY)
        assert relative_error(tau, peer.back(pin.rnea(model, data, *state, peer.velocity(a)))) < TOLERANCE
        theirs = peer.back(pin.aba(model, data, *state, peer.velocity(tau)))
        assert relative_error(forward_dynamics(tree, q, v, tau, GRAVITY), theirs) < TOLERANCE
        upper = np.triu(pin.crba(model, data, state[0]))
        M = peer.back(upper + np.triu(upper, 1).T)
        assert relative_error(mass_matrix(tree, q), M) < TOLERANCE


@pytest.mark.parametrize("group", range(GROUPS))
def test_mujoco_on_free_floating_trees(group):
    check_mujoco(range(10_000 + group, 10_000 + TREES_WITH_MUJOCO, GROUPS))


def check_mujoco(seeds):
    for seed in seeds:
        tree = free_floating_tree(seed, mujoco_oracle.KINDS)
        peer = mujoco_oracle.MujocoOracle(tree, GRAVITY)
        q, v, a = random_state(tree, seed)

        tau = inverse_dynamics(tree, q, v, a, GRAVITY)
        assert relative_error(tau, peer.inverse_dynamics(q, v, a)) < TOLERANCE
        ours = forward_dynamics(tree, q, v, tau, GRAVITY)
        assert relative_error(ours, peer.forward_dynamics(q, v, tau)) < TOLERANCE
