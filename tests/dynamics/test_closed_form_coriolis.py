"""Coriolis matrices: one vector, four matrices, against each other, Pinocchio and an equivalent chain."""

import numpy as np
import pinocchio as pin
import pytest
from tests.support.pinocchio_oracle import KINDS, PinocchioOracle
from tests.support.random_trees import ALL_KINDS, random_inertia, random_pose, random_state, random_tree

from unmoored.dynamics import configuration
from unmoored.dynamics.closed_form import coriolis
from unmoored.dynamics.closed_form.closed_form_dynamics import (
    closed_form_forward_dynamics,
    closed_form_inverse_dynamics,
)
from unmoored.dynamics.closed_form.mass_matrix_from_jacobians import mass_matrix, mass_matrix_derivatives
from unmoored.dynamics.closed_form.vehicle_arm_blocks import block_form
from unmoored.dynamics.energy import kinetic_energy
from unmoored.dynamics.gravity import gravity_forces
from unmoored.dynamics.momentum import generalized_momentum
from unmoored.model import Body, Free, Inertia, ModelError, Pose, Revolute, Tree, Universal
from unmoored.trace import evaluate, gradient, trace

TREES = {
    "all joints": random_tree(2, ALL_KINDS, armature=True),
    "added mass above the body mass": random_tree(
        3, tuple(reversed(ALL_KINDS)), added_mass=True, armature=True
    ),
    "two vehicles": random_tree(
        4, ["Free", "Planar", "Revolute", "Spherical", "Universal", "Custom"], vehicles=2
    ),
    "varying bases only": random_tree(5, ["Universal", "Custom", "Universal", "Custom"], branching=False),
}
CASES = pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())
SKEW = ("skew", "simple", "bodies")
GRAVITY = np.array([0.4, -0.3, -9.7])


def assert_close(ours, theirs, relative=1e-13):
    assert np.abs(ours - theirs).max() <= relative * np.abs(theirs).max()


def transposed(A):
    return np.swapaxes(A, -1, -2)


@CASES
def test_all_forms_have_the_same_forces(tree):
    q, v, _ = random_state(tree, 0, (5,))
    forces = {
        form: (coriolis.coriolis_matrix(tree, q, v, form) @ v[..., None])[..., 0] for form in coriolis.FORMS
    }
    for form in coriolis.FORMS:
        assert_close(forces[form], forces["skew"])


@CASES
def test_rate_of_the_mass_matrix_minus_two_c_is_skew_but_for_the_papers_form(tree):
    q, v, _ = random_state(tree, 1, (5,))
    M_dot = coriolis.mass_matrix_rate(tree, q, v)
    assert_close(M_dot, np.einsum("bkij,bk->bij", mass_matrix_derivatives(tree, q), v))
    for form in coriolis.FORMS:
        N = M_dot - 2 * coriolis.coriolis_matrix(tree, q, v, form)
        defect = np.abs(N + transposed(N)).max() / np.abs(N).max()
        assert defect <= 1e-12 if form in SKEW else defect > 1e-2


@CASES
def test_levi_civita_without_derivatives_is_the_one_that_is_defined_with_them(tree):
    q, v, _ = random_state(tree, 2, (5,))
    assert_close(coriolis.coriolis_matrix(tree, q, v), coriolis.levi_civita_from_derivatives(tree, q, v))


@CASES
def test_boltzmann_hamel_equations_hold(tree):
    """d/dt p_k = ad_uᵀ p_k + ∂_k T + τ_k (theory.md §18): ∂_k T by the tracer, d/dt p by differences."""
    q, v, a = random_state(tree, 3)
    τ = closed_form_inverse_dynamics(tree, q, v, a, np.zeros(3))
    n = tree.nv
    energy = trace(
        lambda q, ε, v: kinetic_energy(tree, configuration.retract(tree, q, ε), v), (tree.nq,), (n,), (n,)
    )
    _, dT, _ = evaluate(gradient(energy), q, np.zeros(n), v)
    armature = np.concatenate([link.armature for link in tree.links])

    def momentum(t):  # along a motion with velocity v and acceleration a at t = 0
        return generalized_momentum(tree, configuration.retract(tree, q, t * v + t * t / 2 * a), v + t * a)

    ε, weights = 1e-2, {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    p_dot = sum(w * (momentum(k * ε) - momentum(-k * ε)) for k, w in weights.items()) / ε
    K = coriolis.bracket_matrix(tree, generalized_momentum(tree, q, v))
    residual = p_dot + armature * a + K @ v - dT - τ
    assert np.abs(residual).max() <= 2e-9 * np.abs(τ).max()


@pytest.mark.parametrize("seed", range(40))
def test_pinocchio_entry_by_entry(seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, ["Free", *rng.choice(KINDS, size=rng.integers(1, 8))])
    oracle = PinocchioOracle(tree, GRAVITY)
    model, data = oracle.model, oracle.data
    q, v, τ = random_state(tree, seed)
    x, w = oracle.configuration(q), oracle.velocity(v)
    M = np.triu(pin.crba(model, data, x))
    assert_close(mass_matrix(tree, q), oracle.back(M + np.triu(M, 1).T), 1e-12)
    C = oracle.back(pin.computeCoriolisMatrix(model, data, x, w))
    assert_close(coriolis.coriolis_matrix(tree, q, v), C, 1e-12)
    assert_close(
        gravity_forces(tree, q, GRAVITY), oracle.back(pin.computeGeneralizedGravity(model, data, x)), 1e-12
    )
    ours = closed_form_forward_dynamics(tree, q, v, τ, GRAVITY)
    assert_close(ours, oracle.back(pin.aba(model, data, x, w, oracle.velocity(τ))), 1e-10)


def test_universal_joint_is_two_revolute_joints_with_nothing_between():
    rng = np.random.default_rng(0)
    bus, arm, at = random_inertia(rng), random_inertia(rng, added_mass=True), random_pose(rng)
    free = Body(name="bus", parent="world", joint=Free(), inertia=bus)
    universal = Tree(
        name="one joint",
        bodies=(free, Body(name="arm", parent="bus", joint=Universal(), inertia=arm, at=at)),
    )
    cross = Body(name="cross", parent="bus", joint=Revolute((1, 0, 0)), inertia=Inertia.zero(), at=at)
    chain = Tree(
        name="two joints",
        bodies=(
            free,
            cross,
            Body(name="arm", parent="cross", joint=Revolute((0, 1, 0)), inertia=arm, at=Pose()),
        ),
    )
    q, v, _ = random_state(universal, 1, (4,))
    assert_close(mass_matrix(universal, q), mass_matrix(chain, q))
    assert_close(mass_matrix_derivatives(universal, q), mass_matrix_derivatives(chain, q))
    for form in coriolis.FORMS:
        ours, theirs = (coriolis.coriolis_matrix(tree, q, v, form) for tree in (universal, chain))
        # "bodies" depends on the split into bodies' columns only through B and Ḃ, which are the same here
        assert_close(ours, theirs)


def test_blocks_are_those_of_the_papers():
    """From et al. 2010, eq. (57), corrected: row k of the derivative blocks is vᵀ ∂M/∂q_k."""
    tree = random_tree(8, ["Free", "Revolute", "Prismatic", "Helical"], branching=False)
    q, v, _ = random_state(tree, 2)
    blocks = block_form(tree, q, v, GRAVITY, "b0", "papers")
    M, dM, n = mass_matrix(tree, q), mass_matrix_derivatives(tree, q)[6:], gravity_forces(tree, q, GRAVITY)
    M_dot, gradients = np.einsum("kij,k->ij", dM, v[6:]), dM @ v
    K = tree.links[0].joint.momentum_bracket((M @ v)[:6])
    assert_close(blocks.vehicle_coriolis, M_dot[:6, :6] + K)
    assert_close(blocks.vehicle_arm_coriolis, M_dot[:6, 6:])
    assert_close(blocks.arm_vehicle_coriolis, M_dot[6:, :6] - gradients[:, :6] / 2)
    assert_close(blocks.arm_coriolis, M_dot[6:, 6:] - gradients[:, 6:] / 2)
    assert np.array_equal(blocks.vehicle_inertia, M[:6, :6])
    assert np.array_equal(blocks.coupling_inertia, M[:6, 6:])
    assert np.array_equal(blocks.arm_inertia, M[6:, 6:])
    assert np.array_equal(np.concatenate([blocks.vehicle_gravity, blocks.arm_gravity]), n)


@pytest.mark.parametrize("form", coriolis.FORMS)
def test_on_symbols(form):
    tree = random_tree(
        6, ["Free", "Universal", "Custom", "Spherical", "Revolute"], added_mass=True, armature=True
    )
    q, v, _ = random_state(tree, 4, (3,))
    traced = trace(lambda q, v: coriolis.coriolis_matrix(tree, q, v, form), (tree.nq,), (tree.nv,))
    assert_close(evaluate(traced, q, v), coriolis.coriolis_matrix(tree, q, v, form))


def test_equations_and_blocks_on_symbols():
    tree = random_tree(6, ["Free", "Universal", "Custom", "Revolute"], added_mass=True, armature=True)
    q, v, a = random_state(tree, 5, (3,))
    for function in (closed_form_inverse_dynamics, closed_form_forward_dynamics):
        traced = trace(lambda q, v, a: function(tree, q, v, a, GRAVITY), (tree.nq,), (tree.nv,), (tree.nv,))  # noqa: B023
        assert_close(evaluate(traced, q, v, a), function(tree, q, v, a, GRAVITY), 1e-11)
    traced = trace(lambda q, v: block_form(tree, q, v, GRAVITY, "b0"), (tree.nq,), (tree.nv,))
    for ours, theirs in zip(evaluate(traced, q, v), block_form(tree, q, v, GRAVITY, "b0"), strict=True):
        assert_close(ours, theirs)


def test_unknown_form_lists_the_known_ones():
    tree = TREES["two vehicles"]
    q, v, _ = random_state(tree, 0)
    with pytest.raises(
        ModelError, match="unknown form: expected one of skew, papers, simple, bodies, given 'christoffel'"
    ):
        coriolis.coriolis_matrix(tree, q, v, "christoffel")


@pytest.mark.parametrize(
    "kinds", [["Free"], ["Revolute"], ["Universal"], ["Fixed", "Revolute"], ["Free", "Revolute"]]
)
def test_batches_of_either_argument(kinds):
    tree = random_tree(9, kinds)
    q, v, _ = random_state(tree, 6, (3,))
    n = tree.nv
    assert mass_matrix_derivatives(tree, q).shape == (3, n, n, n)
    for form in coriolis.FORMS:
        C = coriolis.coriolis_matrix(tree, q[:, None], v, form)
        assert C.shape == (3, 3, n, n)
        for i in range(3):
            assert np.allclose(coriolis.coriolis_matrix(tree, q, v[i], form), C[:, i], atol=1e-13, rtol=0)
            assert np.allclose(coriolis.coriolis_matrix(tree, q[i], v, form), C[i], atol=1e-13, rtol=0)
