"""Energy and momentum: their definitions, frames, Pinocchio, and conservation along a motion."""

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp
from tests.support.pinocchio_oracle import KINDS, PinocchioOracle
from tests.support.random_trees import ALL_KINDS, random_state, random_tree

from unmoored.dynamics import configuration, momentum
from unmoored.dynamics.closed_form.closed_form_dynamics import closed_form_forward_dynamics
from unmoored.dynamics.energy import energy, kinetic_energy
from unmoored.dynamics.kinematics import centre_of_mass, pose
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.properties import energy_balance, momentum_balance, power_balance
from unmoored.dynamics.wrenches import wrench_forces
from unmoored.lie import se3
from unmoored.model import ModelError
from unmoored.trace import evaluate, jvp, trace

GRAVITY = np.array([0.7, -1.1, -9.3])
TREES = {
    "all joints, added mass": random_tree(2, ALL_KINDS, added_mass=True, armature=True),
    "reversed": random_tree(3, tuple(reversed(ALL_KINDS)), armature=True),
    "two vehicles": random_tree(
        4, ["Free", "Planar", "Revolute", "Spherical", "Universal", "Custom"], vehicles=2
    ),
}
CASES = pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())


def assert_close(ours, theirs, relative=1e-13):
    assert np.abs(ours - theirs).max() <= relative * np.abs(theirs).max()


def apply(A, x):
    return (A @ x[..., None])[..., 0]


@CASES
def test_kinetic_energy_and_momentum_are_those_of_the_mass_matrix(tree):
    q, v, _ = random_state(tree, 0, (4,))
    M = mass_matrix(tree, q)
    assert_close(kinetic_energy(tree, q, v), 0.5 * (v * apply(M, v)).sum(axis=-1))
    armature = np.concatenate([link.armature for link in tree.links])
    assert_close(momentum.generalized_momentum(tree, q, v), apply(M, v) - armature * v)
    E = energy(tree, q, v, GRAVITY)
    assert np.array_equal(E.total, E.kinetic + E.potential)


@CASES
@pytest.mark.parametrize("about", momentum.POINTS)
def test_momentum_matrix(tree, about):
    q, v, _ = random_state(tree, 1, (4,))
    assert_close(apply(momentum.momentum_matrix(tree, q, about), v), momentum.momentum(tree, q, v, about))


@CASES
def test_momentum_in_frames(tree):
    q, v, _ = random_state(tree, 2, (4,))
    μ = momentum.momentum(tree, q, v)
    assert_close(momentum.momentum_in_frame(tree, q, v, "world"), μ)
    in_tool = momentum.momentum_in_frame(tree, q, v, "tool")
    assert_close(se3.Ad_inv_transpose_apply(pose(tree, q, "tool"), in_tool), μ)
    about_com = momentum.momentum(tree, q, v, "com")
    shift = np.cross(centre_of_mass(tree, q), μ[..., :3])
    assert_close(about_com[..., 3:] + shift, μ[..., 3:], 1e-12)


def test_momentum_of_a_free_vehicle_is_its_conjugate_momentum():
    tree = random_tree(5, ["Free", "Revolute", "Spherical", "Universal"], added_mass=True)
    q, v, _ = random_state(tree, 3, (4,))
    assert_close(
        momentum.momentum_in_frame(tree, q, v, "b0"), momentum.generalized_momentum(tree, q, v)[..., :6]
    )


@pytest.mark.parametrize("seed", range(10))
def test_centroidal_momentum_of_pinocchio(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, ["Free", *rng.choice(KINDS, size=4)])
    oracle = PinocchioOracle(tree, GRAVITY)
    q, v, _ = random_state(tree, seed)
    x, w = oracle.configuration(q), oracle.velocity(v)
    theirs = pin.computeCentroidalMomentum(oracle.model, oracle.data, x, w)
    assert_close(momentum.momentum(tree, q, v, "com"), theirs.np, 1e-12)
    E = energy(tree, q, v, GRAVITY)
    assert_close(E.kinetic, pin.computeKineticEnergy(oracle.model, oracle.data, x, w), 1e-12)
    assert_close(E.potential, pin.computePotentialEnergy(oracle.model, oracle.data, x), 1e-12)


@CASES
def test_power_is_the_rate_of_the_energy(tree):
    """The rate of the energy by the tracer, along the accelerations that the forces cause."""
    q, v, τ = random_state(tree, 4)
    wrenches = {"tool": np.random.default_rng(0).normal(size=6)}
    a = closed_form_forward_dynamics(tree, q, v, τ, GRAVITY, wrenches)
    n = tree.nv
    total = trace(
        lambda q, dq, v: energy(tree, configuration.retract(tree, q, dq), v, GRAVITY).total,
        (tree.nq,),
        (n,),
        (n,),
    )
    still = np.zeros(n)
    rate = evaluate(jvp(total), q, still, v, np.zeros(tree.nq), v, a)
    power = (τ + wrench_forces(tree, q, wrenches)) @ v
    assert abs(rate - power) <= 1e-11 * (np.abs(τ * v).sum() + np.abs(a).max())
    assert abs(power_balance(tree, q, v, a, GRAVITY, wrenches)) <= 1e-11 * (1 + np.abs(a * v).sum())


def stored_rate(tree, q, v):
    """d/dt of the stored numbers of q: of (R, p) for joints stored as poses."""
    rates = []
    for link in tree.links:
        x, u = q[link.q], v[link.v]
        if link.joint.nq == 12:
            W = se3.hat(link.joint.group.basis @ u)
            R = x[:9].reshape(3, 3)
            rates.append(np.concatenate([(R @ W[:3, :3]).ravel(), R @ W[:3, 3]]))
        else:
            rates.append(u)
    return np.concatenate(rates)


def moved(tree, q, v, duration, forces, gravity):
    def f(_, x):
        q, v = x[: tree.nq], x[tree.nq :]
        a = closed_form_forward_dynamics(tree, q, v, forces, gravity)
        return np.concatenate([stored_rate(tree, q, v), a])

    t = np.linspace(0, duration, 101)
    x = solve_ivp(f, (0, duration), np.concatenate([q, v]), "DOP853", t, rtol=1e-12, atol=1e-12).y.T
    return t, x[:, : tree.nq], x[:, tree.nq :]


@pytest.mark.long
def test_spatial_momentum_and_energy_are_conserved_in_free_flight():
    """Catches every wrong bracket (theory.md §17), and added mass above the body mass changes nothing."""
    tree = random_tree(6, ["Free", "Revolute", "Spherical", "Universal"], added_mass=True, branching=False)
    q, v, _ = random_state(tree, 5)
    t, q, v = moved(tree, q, v, 0.25, np.zeros(tree.nv), np.zeros(3))
    assert np.abs(v - v[0]).max() > 0.1
    momenta, energies = momentum_balance(tree, t, q, v), energy_balance(tree, t, q, v)
    assert momenta.worst <= 1e-9 * np.abs(momenta.stored).max()
    assert energies.worst <= 1e-9 * energies.stored.max()
    # whereas the momentum in the vehicle's axes turns with them
    in_axes = momentum.momentum_in_frame(tree, q, v, "b0")
    assert np.abs(in_axes - in_axes[0]).max() > 0.1


def test_balances_with_forces_and_gravity():
    tree = random_tree(7, ["Free", "Revolute", "Prismatic"], branching=False)
    q, v, τ = random_state(tree, 6)
    t, q, v = moved(tree, q, v, 0.5, τ, GRAVITY)
    energies = energy_balance(tree, t, q, v, np.broadcast_to(τ, v.shape), GRAVITY)
    assert energies.worst <= 1e-7 * np.abs(energies.stored).max()
    weight = tree.mass * GRAVITY
    on_vehicle = se3.Ad_inv_transpose_apply(pose(tree, q, "b0"), np.broadcast_to(τ[:6], (len(t), 6)))
    pull = np.concatenate(
        [np.broadcast_to(weight, (len(t), 3)), np.cross(centre_of_mass(tree, q), weight)], axis=-1
    )
    momenta = momentum_balance(tree, t, q, v, on_vehicle + pull)
    assert momenta.worst <= 1e-7 * np.abs(momenta.stored).max()
    assert momentum_balance(tree, t, q, v).worst > 1


@CASES
def test_on_symbols(tree):
    q, v, _ = random_state(tree, 7, (2,))
    functions = (
        lambda q, v: energy(tree, q, v, GRAVITY),
        lambda q, v: momentum.momentum(tree, q, v, "com"),
        lambda q, v: momentum.momentum_matrix(tree, q, "com"),
        lambda q, v: momentum.momentum_in_frame(tree, q, v, "tool"),
        lambda q, v: momentum.generalized_momentum(tree, q, v),
    )
    for function in functions:
        assert_close(
            np.asarray(evaluate(trace(function, (tree.nq,), (tree.nv,)), q, v)), np.asarray(function(q, v))
        )


def test_unknown_point_of_reference():
    tree = TREES["reversed"]
    q, v, _ = random_state(tree, 0)
    with pytest.raises(ModelError, match="expected one of world, com, given 'base'"):
        momentum.momentum(tree, q, v, "base")
