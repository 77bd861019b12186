"""Gravity, potentials and wrenches: gradients of the potential in every direction, Jacobian transposes."""

import numpy as np
import pytest
from tests.support.fifty_digits import derivative
from tests.support.random_trees import ALL_KINDS, random_state, random_tree

from unmoored.dynamics import configuration
from unmoored.dynamics.closed_form.potential_forces import potential_forces
from unmoored.dynamics.gravity import gravity_forces, potential_energy
from unmoored.dynamics.jacobians import jacobian
from unmoored.dynamics.kinematics import centre_of_mass, pose
from unmoored.dynamics.wrenches import wrench_forces
from unmoored.model import ModelError
from unmoored.trace import evaluate, trace

GRAVITY = np.array([0.7, -1.1, -9.3])
TREES = {
    "all joints, added mass": random_tree(2, ALL_KINDS, added_mass=True),
    "reversed": random_tree(3, tuple(reversed(ALL_KINDS))),
    "two vehicles": random_tree(
        4, ["Free", "Planar", "Revolute", "Spherical", "Universal", "Custom"], vehicles=2
    ),
}
CASES = pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())


def assert_close(ours, theirs, relative=1e-13):
    assert np.abs(ours - theirs).max() <= relative * np.abs(theirs).max()


@CASES
def test_gravity_is_the_gradient_of_the_potential_in_any_direction(tree):
    """At a tilted pose, with 50-digit differences; weight acts with the dry mass."""
    q, _, _ = random_state(tree, 0)
    n = gravity_forces(tree, q, GRAVITY)
    for e in np.random.default_rng(3).normal(size=(4, tree.nv)):
        exact = derivative(
            lambda q: potential_energy(tree, q, GRAVITY),
            q,
            e,
            lambda q, dq: configuration.retract(tree, q, dq),
        )
        assert abs(n @ e - exact) <= 1e-13 * np.abs(n).max()
    assert_close(potential_energy(tree, q, GRAVITY), -tree.mass * GRAVITY @ centre_of_mass(tree, q))


@CASES
def test_gravity_in_batches(tree):
    q, _, _ = random_state(tree, 1, (3, 2))
    γ = np.random.default_rng(0).normal(size=(2, 3))
    batch = gravity_forces(tree, q, γ)
    for i, j in np.ndindex(3, 2):
        assert_close(batch[i, j], gravity_forces(tree, q[i, j], γ[j]))


@CASES
def test_potential_given_as_a_function(tree):
    q, _, _ = random_state(tree, 2, (3,))
    assert_close(
        potential_forces(tree, q, lambda q: potential_energy(tree, q, GRAVITY)),
        gravity_forces(tree, q, GRAVITY),
    )

    def spring(q):  # between the tool and the point (1, 2, 3)
        stretch = pose(tree, q, "tool")[..., :3, 3] - np.array([1.0, 2.0, 3.0])
        return 0.5 * 7.0 * (stretch * stretch).sum(axis=-1)

    n = potential_forces(tree, q, spring)
    g = pose(tree, q, "tool")
    pull = (
        -7.0
        * (np.swapaxes(g[..., :3, :3], -1, -2) @ (g[..., :3, 3] - np.array([1.0, 2.0, 3.0]))[..., None])[
            ..., 0
        ]
    )
    wrench = np.concatenate([pull, np.zeros_like(pull)], axis=-1)
    assert_close(n, -wrench_forces(tree, q, {"tool": wrench}))


@CASES
def test_wrenches_enter_through_jacobian_transposes(tree):
    q, _, _ = random_state(tree, 3, (4,))
    rng = np.random.default_rng(1)
    wrenches = {frame: rng.normal(size=(4, 6)) for frame in ("tool", "b1", tree.names[-1])}
    expected = sum(np.swapaxes(jacobian(tree, q, f), -1, -2) @ F[..., None] for f, F in wrenches.items())[
        ..., 0
    ]
    assert_close(wrench_forces(tree, q, wrenches), expected)
    assert np.array_equal(wrench_forces(tree, q, None), np.zeros((4, tree.nv)))


def test_wrench_on_nothing_is_refused():
    tree = TREES["reversed"]
    q, _, _ = random_state(tree, 0)
    with pytest.raises(ModelError, match="wrench: expected a frame on a body, given 'world' on the world"):
        wrench_forces(tree, q, {"world": np.zeros(6)})
    with pytest.raises(ModelError, match="unknown frame or body: expected one of tool, b0"):
        wrench_forces(tree, q, {"hand": np.zeros(6)})


def test_potential_with_several_values_is_refused():
    tree = TREES["reversed"]
    with pytest.raises(ModelError, match="potential: expected one number"):
        potential_forces(tree, configuration.neutral(tree), lambda q: q[:2])


@CASES
def test_on_symbols(tree):
    q, _, _ = random_state(tree, 4, (2,))
    F = np.random.default_rng(2).normal(size=(2, 6))

    def spring(q):
        stretch = pose(tree, q, "tool")[..., :3, 3]
        return (stretch * stretch).sum(axis=-1)

    n, U, f, s = evaluate(
        trace(
            lambda q, γ, F: (
                gravity_forces(tree, q, γ),
                potential_energy(tree, q, γ),
                wrench_forces(tree, q, {"tool": F}),
                potential_forces(tree, q, spring),
            ),
            (tree.nq,),
            (3,),
            (6,),
        ),
        q,
        GRAVITY,
        F,
    )
    assert_close(n, gravity_forces(tree, q, GRAVITY))
    assert_close(U, potential_energy(tree, q, GRAVITY))
    assert_close(f, wrench_forces(tree, q, {"tool": F}))
    assert_close(s, potential_forces(tree, q, spring))
