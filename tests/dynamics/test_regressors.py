"""Regressors against inverse dynamics, momentum, energy, 50-digit differences and Pinocchio (docs/theory.md §24)."""

import numpy as np
import pinocchio as pin
import pytest
from tests.support import pinocchio_oracle
from tests.support.fifty_digits import derivative
from tests.support.random_trees import ALL_KINDS, random_state, random_tree

from unmoored.dynamics.configuration import retract
from unmoored.dynamics.energy import energy
from unmoored.dynamics.free_numbers import declared, tree_numbers, with_parameters
from unmoored.dynamics.momentum import generalized_momentum
from unmoored.dynamics.recursive import inverse_dynamics
from unmoored.dynamics.regressors import (
    PARAMETERS_PER_BODY,
    energy_regressor,
    inertial_parameters,
    momentum_rate_regressor,
    momentum_regressor,
    regressor,
    with_inertial_parameters,
)
from unmoored.model import ModelError
from unmoored.trace import evaluate, trace

GRAVITY = np.array([0.4, -0.3, -9.7])
#: Relative to the largest entry.
ROUNDING = 1e-13


def relative(ours, theirs):
    return np.abs(ours - theirs).max() / np.abs(theirs).max()


def armature(tree):
    return np.concatenate([link.armature for link in tree.links])


TREES = [random_tree(seed, ALL_KINDS, armature=True, vehicles=2) for seed in range(4)]


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.name)
def test_forces_momentum_and_energy_are_linear_in_the_parameters(tree):
    ζ, Ia = inertial_parameters(tree), armature(tree)
    q, v, a = random_state(tree, 1, (3, 2))
    assert ζ.shape == (PARAMETERS_PER_BODY * len(tree.links),)

    tau = inverse_dynamics(tree, q, v, a, GRAVITY)
    assert relative(regressor(tree, q, v, a, GRAVITY) @ ζ + Ia * a, tau) < ROUNDING
    p = generalized_momentum(tree, q, v)
    assert relative(momentum_regressor(tree, q, v) @ ζ, p) < ROUNDING
    E = energy(tree, q, v, GRAVITY).total - 0.5 * (Ia * v * v).sum(axis=-1)
    assert relative(energy_regressor(tree, q, v, GRAVITY) @ ζ, E) < ROUNDING


@pytest.mark.parametrize("tree", TREES[:2], ids=lambda tree: tree.name)
def test_columns_are_derivatives_by_the_parameters(tree):
    """The ten columns of one body, by giving it other numbers."""
    q, v, a = random_state(tree, 2)
    Y, n = regressor(tree, q, v, a, GRAVITY), len(tree.links)
    body = n - 2
    without = inverse_dynamics(tree, q, v, a, GRAVITY)
    known = tree_numbers(tree)
    name = tree.names[body]
    parameters = declared("test", [f"{name}.mass", f"{name}.com", f"{name}.tensor"], known)
    m, c, J = 2.5, np.array([0.3, -0.2, 0.1]), np.array([0.5, 0.6, 0.7, 0.02, -0.03, 0.05])
    changed = with_parameters(tree, parameters, np.concatenate([[m], c, J]))
    difference = (inertial_parameters(changed) - inertial_parameters(tree)).reshape(n, 10)
    assert np.abs(np.delete(difference, body, axis=0)).max() == 0.0
    moved = inverse_dynamics(changed, q, v, a, GRAVITY) - without
    assert relative(Y @ difference.reshape(-1), moved) < 1e-12


@pytest.mark.parametrize("tree", TREES[:2], ids=lambda tree: tree.name)
def test_momentum_changes_by_the_forces_and_the_rate_regressor(tree):
    """d/dt p along the motion, by 50-digit differences of p(retract(q, ε v), v + ε a)."""
    q, v, a = random_state(tree, 3)
    ζ = inertial_parameters(tree)
    nq, nv = tree.nq, tree.nv

    def momentum(state):
        return generalized_momentum(tree, state[:nq], state[nq:])

    def moved(state, step):
        return np.concatenate([retract(tree, state[:nq], step[:nv]), state[nq:] + step[nv:]])

    p_dot = derivative(momentum, np.concatenate([q, v]), np.concatenate([v, a]), moved)
    forces = inverse_dynamics(tree, q, v, a, GRAVITY) - armature(tree) * a
    assert relative(forces + momentum_rate_regressor(tree, q, v, GRAVITY) @ ζ, p_dot) < ROUNDING


def test_pinocchio_has_the_same_columns():
    """Joint torque regressors column by column; Pinocchio's tensor is (xx, xy, yy, xz, yz, zz)."""
    to_ours = [0, 1, 2, 3, 4, 6, 9, 5, 7, 8]
    compared = 0
    for seed in range(40):
        kinds = np.random.default_rng(seed).choice(pinocchio_oracle.KINDS, 5)
        tree = random_tree(seed, ["Free", *kinds])
        peer = pinocchio_oracle.PinocchioOracle(tree, GRAVITY)
        q, v, a = random_state(tree, seed)
        state = peer.configuration(q), peer.velocity(v), peer.velocity(a)
        theirs = pin.computeJointTorqueRegressor(peer.model, peer.data, *state)
        ours = regressor(tree, q, v, a, GRAVITY)
        for k, link in enumerate(peer.order):
            if not np.allclose(link.joint.group.frame, np.eye(4)):
                continue  # its joint frame is not our body frame
            columns = theirs[:, 10 * k : 10 * k + 10][:, to_ours]
            mine = ours[peer.columns][:, 10 * link.index : 10 * link.index + 10]
            compared += 1
            assert np.abs(mine - columns).max() <= 1e-11 * max(1.0, np.abs(columns).max())
    assert compared > 80


def test_all_parameters_of_pinocchio_bodies():
    """Bodies whose joints stand along z: Pinocchio's own vector of parameters is ours, but for the order."""
    tree = random_tree(7, ["Free", "Spherical", "Free"])
    peer = pinocchio_oracle.PinocchioOracle(tree, GRAVITY)
    ours = inertial_parameters(tree).reshape(-1, 10)
    for k, link in enumerate(peer.order, start=1):
        theirs = peer.model.inertias[k].toDynamicParameters()[[0, 1, 2, 3, 4, 6, 9, 5, 7, 8]]
        np.testing.assert_allclose(ours[link.index], theirs, rtol=0, atol=1e-14)


def test_traced_as_on_numbers():
    tree = TREES[1]
    q, v, a = random_state(tree, 4)
    traced = trace(
        lambda q, v, a, γ: (
            regressor(tree, q, v, a, γ),
            momentum_regressor(tree, q, v),
            momentum_rate_regressor(tree, q, v, γ),
            energy_regressor(tree, q, v, γ),
        ),
        (tree.nq,),
        (tree.nv,),
        (tree.nv,),
        (3,),
        name="regressors",
    )
    on_numbers = (
        regressor(tree, q, v, a, GRAVITY),
        momentum_regressor(tree, q, v),
        momentum_rate_regressor(tree, q, v, GRAVITY),
        energy_regressor(tree, q, v, GRAVITY),
    )
    for ours, theirs in zip(evaluate(traced, q, v, a, GRAVITY), on_numbers, strict=True):
        assert relative(ours, theirs) < ROUNDING


def test_base_parameters_of_a_free_vehicle():
    """10 of the vehicle, 7 of every revolute, 4 of a prismatic, 9 of a spherical joint, and a clear gap."""
    for kinds, rank in ((["Revolute"] * 3, 31), (["Prismatic"] * 2, 18), (["Spherical", "Revolute"], 26)):
        tree = random_tree(5, ["Free", *kinds], branching=False)
        q, v, a = random_state(tree, 6, (60,))
        Y = regressor(tree, q, v, a, GRAVITY).reshape(60 * tree.nv, -1)
        σ = np.linalg.svd(Y / np.abs(Y).max(axis=0), compute_uv=False)
        assert σ[rank - 1] > 1e-4 * σ[0]
        assert σ[rank] < 1e-13 * σ[0]


def test_full_inertias_are_refused():
    tree = random_tree(1, ["Free", "Revolute"], added_mass=True)
    q, v, a = random_state(tree, 1)
    with pytest.raises(ModelError, match="rigid body's inertia"):
        regressor(tree, q, v, a, GRAVITY)
    with pytest.raises(ModelError, match="b0"):
        inertial_parameters(tree)


def test_a_tree_with_other_inertial_parameters():
    """The parameters back again, and inverse dynamics linear in them: in batches, on symbols, without mass."""
    tree = random_tree(8, ["Free", "Revolute", "Fixed", "Spherical"], armature=True)
    q, v, a = random_state(tree, 9, (3,))
    ζ = inertial_parameters(tree) * np.random.default_rng(10).uniform(0.8, 1.2, (3, 40))
    ζ[1, 20:30] = 0.0
    given = with_inertial_parameters(tree, ζ)
    assert np.abs(inertial_parameters(given) - ζ).max() < 1e-15
    tau = inverse_dynamics(given, q, v, a, GRAVITY)
    linear = (regressor(tree, q, v, a, GRAVITY) @ ζ[..., None])[..., 0] + armature(tree) * a
    assert relative(tau, linear) < ROUNDING
    traced = trace(
        lambda q, v, a, ζ: inverse_dynamics(with_inertial_parameters(tree, ζ), q, v, a, GRAVITY),
        (tree.nq,), (tree.nv,), (tree.nv,), (40,),
    )  # fmt: skip
    assert relative(evaluate(traced, q, v, a, ζ), tau) < ROUNDING
