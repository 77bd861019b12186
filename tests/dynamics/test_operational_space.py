"""Operational space: the frame's own equation of motion, checked by moving the whole system."""

import numpy as np
import pytest
from tests.support.random_trees import random_state, random_tree

import unmoored as um
from unmoored.dynamics.jacobians import jacobian
from unmoored.dynamics.kinematics import acceleration, pose
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.operational_space import operational_space
from unmoored.dynamics.recursive import forward_dynamics
from unmoored.system import System
from unmoored.trace import evaluate, trace

GRAVITY = np.array([0.4, -0.3, -9.7])
EXACT = np.zeros(())
TREE = random_tree(6, ["Free", *["Revolute"] * 4, "Helical", "Prismatic", "Spherical"], armature=True)
PASSIVE = {"none": (), "vehicle": tuple(range(6)), "mixed": (0, 4, 5, 8)}
SETS = pytest.mark.parametrize("passive", PASSIVE.values(), ids=PASSIVE.keys())
ROWS = pytest.mark.parametrize("rows", [range(6), (0, 1, 2), (5, 2)])


def assert_close(ours, theirs, relative=1e-11):
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= relative * np.abs(theirs).max()


def apply(A, x):
    return (A @ x[..., None])[..., 0]


def T(A):
    return np.swapaxes(A, -1, -2)


def forces_of_active(tree, passive, forces):
    active = np.setdiff1d(np.arange(tree.nv), passive)
    return forces @ np.eye(tree.nv)[active]


@SETS
@ROWS
def test_forces_at_the_frame_move_it_by_its_own_inertia(passive, rows):
    q, v, _ = random_state(TREE, 0, (3,))
    space = operational_space(TREE, q, v, GRAVITY, EXACT, "tool", passive, rows)
    F = np.random.default_rng(0).normal(size=(3, len(rows)))
    tau = forces_of_active(TREE, passive, apply(T(space.jacobian), F))
    moved = acceleration(TREE, q, v, forward_dynamics(TREE, q, v, tau, GRAVITY), "tool")[..., list(rows)]
    assert_close(apply(space.inertia, moved) + space.bias + space.gravity, F, 1e-9)


@SETS
@ROWS
def test_null_space_forces_leave_the_frame_alone(passive, rows):
    q, v, _ = random_state(TREE, 1, (3,))
    space = operational_space(TREE, q, v, GRAVITY, EXACT, "tool", passive, rows)
    extra = np.random.default_rng(1).normal(size=space.null_space.shape[:-1])
    hidden = forces_of_active(TREE, passive, apply(T(space.null_space), extra))
    plain = forces_of_active(TREE, passive, extra)
    base = acceleration(TREE, q, v, forward_dynamics(TREE, q, v, 0 * hidden, GRAVITY), "tool")
    still, seen = (
        (acceleration(TREE, q, v, forward_dynamics(TREE, q, v, tau, GRAVITY), "tool") - base)[..., list(rows)]
        for tau in (hidden, plain)
    )
    assert np.abs(still).max() < 1e-9 * np.abs(seen).max()


@SETS
def test_inverse_and_projector_are_consistent(passive):
    q, v, _ = random_state(TREE, 2, (3,))
    space = operational_space(TREE, q, v, GRAVITY, EXACT, "tool", passive)
    assert_close(space.jacobian @ space.inverse, np.broadcast_to(np.eye(6), (3, 6, 6)))
    assert_close(space.null_space @ space.null_space, space.null_space)
    assert np.abs(space.jacobian @ space.null_space).max() < 1e-11 * np.abs(space.jacobian).max()
    assert np.all(np.linalg.eigvalsh(space.inertia) > 0.0)
    np.testing.assert_array_equal(space.inertia, T(space.inertia))


def test_plain_form_is_khatibs():
    q, v, _ = random_state(TREE, 3)
    space = operational_space(TREE, q, v, GRAVITY, EXACT, "tool")
    J, M = jacobian(TREE, q, "tool"), mass_matrix(TREE, q)
    Λ = np.linalg.inv(J @ np.linalg.solve(M, J.T))
    assert_close(space.inertia, Λ)
    assert_close(space.inverse, np.linalg.solve(M, J.T) @ Λ)
    assert np.abs(operational_space(TREE, q, 0 * v, GRAVITY, EXACT, "tool").bias).max() == 0.0


def test_free_fall_accelerates_a_frame_by_gravity():
    tree = random_tree(7, ["Free", "Revolute", "Revolute", "Prismatic"])
    q, v, _ = random_state(tree, 3)
    space = operational_space(tree, q, v, GRAVITY, EXACT, "tool")
    R = pose(tree, q, "tool")[:3, :3]
    assert_close(space.gravity, -space.inertia @ np.concatenate([R.T @ GRAVITY, np.zeros(3)]), 1e-10)


def test_damping_bounds_the_inertia_at_a_singularity():
    tree = random_tree(8, ["Free", "Revolute", "Revolute", "Revolute"], branching=False)
    q, v, _ = random_state(tree, 4)
    space = operational_space(tree, q, v, GRAVITY, np.asarray(0.1), "tool", tuple(range(6)))
    assert np.linalg.eigvalsh(space.inertia).max() <= 100.0 * (1 + 1e-9)


def test_traced_form_is_the_same():
    q, v, _ = random_state(TREE, 5)
    passive = PASSIVE["vehicle"]
    numeric = operational_space(TREE, q, v, GRAVITY, EXACT, "tool", passive)
    shapes = (TREE.nq,), (TREE.nv,), (3,)
    traced = trace(lambda q, v, γ: operational_space(TREE, q, v, γ, EXACT, "tool", passive), *shapes)
    for ours, theirs in zip(evaluate(traced, q, v, GRAVITY), numeric, strict=True):
        assert_close(ours, theirs, 1e-10)


def test_method_of_the_system():
    tree = random_tree(10, ["Planar", "Revolute", "Revolute", "Prismatic"], branching=False)
    q, v, _ = random_state(tree, 6, (2,))
    rows, passive = (0, 2, 3), tuple(range(3))
    numeric = operational_space(tree, q, v, GRAVITY, np.asarray(0.1), "tool", passive, rows)
    options = {"passive": ["b0"], "gravity": GRAVITY, "rows": rows, "damping": 0.1}
    compiled = System(tree).operational_space(q, v, "tool", **options)
    for ours, theirs in zip(compiled, numeric, strict=True):
        assert_close(ours, theirs)
    assert compiled.inertia.shape == (2, 3, 3)


def test_without_a_joint_that_can_push_there_is_none():
    system = System(random_tree(10, ["Planar", "Revolute", "Revolute"], branching=False))
    q, v, _ = random_state(system.tree, 6, ())
    plant = um.Plant(system, um.Earth())
    for call in (
        lambda **given: system.operational_space(q, v, "tool", gravity=GRAVITY, **given),
        lambda **given: plant.operational_space(0.0, q, v, "tool", **given),
    ):
        for given in ({}, {"damping": 0.1}, {"backend": "numpy"}):
            with pytest.raises(um.ModelError, match="at least one DoF that is not passive"):
                call(passive=system.names, rows=(0, 1), **given)
