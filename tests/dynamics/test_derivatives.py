"""Derivatives of the dynamics: graph differentiation, 50-digit differences, Pinocchio, and what must vanish."""

import numpy as np
import pinocchio as pin
import pytest
from tests.support.fifty_digits import derivative
from tests.support.pinocchio_oracle import KINDS as PINOCCHIO_KINDS
from tests.support.pinocchio_oracle import PinocchioOracle
from tests.support.random_trees import ALL_KINDS, random_state, random_tree
from tests.support.thinning import without

from unmoored import load
from unmoored.dynamics import configuration
from unmoored.dynamics.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from unmoored.dynamics.kinematics import pose
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.recursive import forward_dynamics, inverse_dynamics
from unmoored.kernels import FLOAT64, lowered
from unmoored.lie import so3
from unmoored.trace import evaluate, jacobian, trace

GRAVITY = np.array([0.7, -1.1, -9.3])
WRENCH = np.array([1.3, -0.4, 0.8, 0.5, 2.1, -0.9])
NO_GRAVITY = np.zeros(3)
TREES = {
    "all joints": random_tree(2, ALL_KINDS),
    "all joints, added mass, armature": random_tree(3, ALL_KINDS, added_mass=True, armature=True),
    "reversed, added mass": random_tree(3, tuple(reversed(ALL_KINDS)), added_mass=True),
    "two vehicles, armature": random_tree(
        4,
        ["Free", "Planar", "Revolute", "Spherical", "Universal", "Custom", "Free"],
        vehicles=2,
        armature=True,
    ),
} | {
    f"{kind} on the world and in the arm": random_tree(
        5, [kind, "Revolute", kind, "Helical"], branching=False, added_mass=True, armature=True
    )
    for kind in ALL_KINDS
}
CASES = pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())
#: single joints show what is wrong with one, trees of all of them how they go together
GRAPHS = without(lambda name: not name.startswith("two vehicles") and "world" not in name, TREES)
FEW = pytest.mark.parametrize(
    "name", without(lambda name: "all" in name or "reversed" in name, list(TREES)[1:4])
)
#: (function, its derivatives, bound relative to the largest entry): solving loses what the condition of M takes
BOTH = pytest.mark.parametrize(
    ("function", "derivatives", "bound"),
    [
        (inverse_dynamics, inverse_dynamics_derivatives, 1e-13),
        (forward_dynamics, forward_dynamics_derivatives, 1e-11),
    ],
    ids=["inverse", "forward"],
)


def assert_close(ours, theirs, relative):
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= relative * np.abs(theirs).max()


@pytest.mark.parametrize("name", GRAPHS)
@BOTH
def test_against_graph_differentiation(name, function, derivatives, bound):
    tree = TREES[name]
    q, v, x = random_state(tree, 0)

    def moved(dq, v, x, q, F):
        return function(tree, configuration.retract(tree, q, dq), v, x, GRAVITY, {"tool": F, "b1": F})

    shapes = (tree.nv,), (tree.nv,), (tree.nv,), (tree.nq,), (6,)
    slopes = jacobian(trace(moved, *shapes), wrt=(0, 1, 2))
    expected = evaluate(slopes, np.zeros(tree.nv), v, x, q, WRENCH)
    ours = derivatives(tree, q, v, x, GRAVITY, {"tool": WRENCH, "b1": WRENCH})
    for mine, theirs in zip(ours, expected, strict=True):
        assert_close(mine, theirs, bound)


@pytest.mark.long
@BOTH
def test_against_differences_with_fifty_digits(function, derivatives, bound):
    """Graph differentiation and this recursion share the joints' code; this oracle differentiates nothing."""
    tree = TREES["two vehicles, armature"]
    q, v, x = random_state(tree, 1)
    ours = derivatives(tree, q, v, x, GRAVITY, {"tool": WRENCH})
    for k in range(0, tree.nv, 2):
        along = derivative(
            lambda q: function(tree, q, v, x, GRAVITY, {"tool": WRENCH}),
            q,
            np.eye(tree.nv)[k],
            lambda q, dq: configuration.retract(tree, q, dq),
        )
        assert_close(ours.dq[:, k], along, bound)


@pytest.mark.parametrize("seed", range(4))
def test_against_pinocchio(seed):
    """Free-floating trees of every joint that both have, to 1e-11."""
    kinds = ("Free", *np.random.default_rng(seed).permutation(PINOCCHIO_KINDS))
    tree = random_tree(seed, kinds)
    oracle = PinocchioOracle(tree, GRAVITY)
    model, data = oracle.model, oracle.data
    q, v, x = random_state(tree, seed)
    state = oracle.configuration(q), oracle.velocity(v), oracle.velocity(x)

    ours = inverse_dynamics_derivatives(tree, q, v, x, GRAVITY)
    theirs = pin.computeRNEADerivatives(model, data, *state)
    for mine, other in zip(ours[:2], theirs[:2], strict=True):
        assert_close(mine, oracle.back(other), 1e-11)

    ours = forward_dynamics_derivatives(tree, q, v, x, GRAVITY)
    pin.computeABADerivatives(model, data, *state)
    inverse = np.triu(data.Minv) + np.triu(data.Minv, 1).T
    for mine, other in zip(ours, (data.ddq_dq, data.ddq_dv, inverse), strict=True):
        assert_close(mine, oracle.back(other), 1e-11)


@CASES
def test_mass_matrix_and_its_inverse(tree):
    q, v, x = random_state(tree, 3)
    M = inverse_dynamics_derivatives(tree, q, v, x, GRAVITY).da
    inverse = forward_dynamics_derivatives(tree, q, v, x, GRAVITY).dtau
    assert_close(M, mass_matrix(tree, q), 1e-13)
    assert np.array_equal(M, M.T)
    assert np.array_equal(inverse, inverse.T)
    assert_close(M @ inverse, np.eye(tree.nv), 1e-10)


@CASES
def test_forward_from_inverse(tree):
    """∂a = −M⁻¹ ∂τ at the accelerations that tau causes."""
    q, v, tau = random_state(tree, 4)
    a = forward_dynamics(tree, q, v, tau, GRAVITY, {"tool": WRENCH})
    inverse = inverse_dynamics_derivatives(tree, q, v, a, GRAVITY, {"tool": WRENCH})
    forward = forward_dynamics_derivatives(tree, q, v, tau, GRAVITY, {"tool": WRENCH})
    assert_close(-inverse.da @ forward.dq, inverse.dq, 1e-11)
    assert_close(-inverse.da @ forward.dv, inverse.dv, 1e-11)


@CASES
def test_velocity_forces_are_half_their_slope_times_the_velocity(tree):
    q, v, _ = random_state(tree, 5)
    rest = np.zeros(tree.nv)
    slope = inverse_dynamics_derivatives(tree, q, v, rest, GRAVITY).dv
    assert_close(0.5 * slope @ v, inverse_dynamics(tree, q, v, rest, NO_GRAVITY), 1e-12)


@CASES
@BOTH
def test_nothing_depends_on_where_the_vehicle_is(tree, function, derivatives, bound):
    """Without gravity, wrenches or not; exactly zero, so that it folds away."""
    q, v, x = random_state(tree, 6)
    dq = derivatives(tree, q, v, x, NO_GRAVITY, {"tool": WRENCH}).dq
    for link in tree.links:
        if link.parent < 0 and link.joint.constant_basis:
            assert not np.any(dq[:, link.v])


def test_a_uniform_velocity_is_not_felt():
    """Galileo: a free rigid system that flies faster only turns its velocity, −ω × v; and it falls as one."""
    tree = random_tree(7, ["Free", "Revolute", "Prismatic", "Spherical", "Universal"])
    q, v, tau = random_state(tree, 7)
    R, ω = pose(tree, q, "b0")[:3, :3], v[3:6]
    slopes = forward_dynamics_derivatives(tree, q, v, tau, GRAVITY)
    expected = np.zeros((tree.nv, 3))
    expected[:3] = -so3.hat(ω)
    assert np.array_equal(slopes.dv[:, :3], expected)
    expected[:3] = so3.hat(R.T @ GRAVITY)
    assert not np.any(slopes.dq[:, :3])
    assert_close(slopes.dq[:, 3:6], expected, 1e-15)


@FEW
@BOTH
def test_batches(name, function, derivatives, bound):
    """All arguments broadcast, and every derivative has the whole batch."""
    tree, rng = TREES[name], np.random.default_rng(8)
    q, _, _ = random_state(tree, 8, (2, 1))
    _, v, x = random_state(tree, 9, (3,))
    γ, F = rng.normal(size=(2, 1, 3)), rng.normal(size=(3, 6))
    batch = derivatives(tree, q, v, x, γ, {"tool": F})
    for i, j in np.ndindex(2, 3):
        one = derivatives(tree, q[i, 0], v[j], x[j], γ[i, 0], {"tool": F[j]})
        for all_of_them, expected in zip(batch, one, strict=True):
            assert all_of_them.shape == (2, 3, tree.nv, tree.nv)
            assert_close(all_of_them[i, j], expected, bound)
    many_forces = derivatives(tree, q[0, 0], v[0], x, NO_GRAVITY)
    assert [slope.shape for slope in many_forces] == [(3, tree.nv, tree.nv)] * 3


@FEW
@BOTH
def test_on_symbols(name, function, derivatives, bound):
    tree = TREES[name]
    q, v, x = random_state(tree, 10, (3,))
    traced = trace(
        lambda q, v, x, γ, F: derivatives(tree, q, v, x, γ, {"tool": F}),
        (tree.nq,), (tree.nv,), (tree.nv,), (3,), (6,),
    )  # fmt: skip
    ours = evaluate(traced, q, v, x, GRAVITY, WRENCH)
    for mine, expected in zip(ours, derivatives(tree, q, v, x, GRAVITY, {"tool": WRENCH}), strict=True):
        assert_close(mine, expected, bound)


def test_operations():
    """What the speed rests on: 7 joints on a free vehicle, straight-line, fused operations counted once."""
    tree = load("free_flyer_arm7").tree
    shapes = (tree.nq,), (tree.nv,), (tree.nv,)
    forward = trace(lambda q, v, x: forward_dynamics_derivatives(tree, q, v, x, NO_GRAVITY), *shapes)
    inverse = trace(lambda q, v, x: inverse_dynamics_derivatives(tree, q, v, x, NO_GRAVITY), *shapes)
    assert lowered(forward, FLOAT64).operations <= 8000
    assert lowered(inverse, FLOAT64).operations <= 4000
