"""Inverse and forward dynamics by recursion: against the closed form, each other, and exact zeros."""

import numpy as np
import pytest
from tests.support.random_trees import ALL_KINDS, random_inertia, random_pose, random_state, random_tree
from tests.support.thinning import one_in

from unmoored.dynamics.closed_form.closed_form_dynamics import closed_form_forward_dynamics
from unmoored.dynamics.closed_form.coriolis import coriolis_matrix
from unmoored.dynamics.gravity import gravity_forces
from unmoored.dynamics.joint_crossing import crossings
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.recursive import forward_dynamics, forward_dynamics_composite, inverse_dynamics
from unmoored.dynamics.recursive.articulated_bodies import hinges
from unmoored.dynamics.wrenches import wrench_forces
from unmoored.lie import so3
from unmoored.model import (
    Body,
    Cylindrical,
    Free,
    Helical,
    Inertia,
    Planar,
    PlanarHelical,
    Pose,
    Prismatic,
    Revolute,
    Schoenflies,
    Tree,
)
from unmoored.system import System
from unmoored.trace import evaluate, operation_count, trace

GRAVITY = np.array([0.4, -0.3, -9.7])
NOTHING = np.zeros(3)
FORWARD = (forward_dynamics, forward_dynamics_composite)
TREES = {
    "all joints": random_tree(2, ALL_KINDS, armature=True),
    "added mass above the body mass": random_tree(3, ALL_KINDS[::-1], added_mass=True, armature=True),
    "two vehicles": random_tree(4, ["Free", "Planar", "Revolute", "Spherical", "Universal"], vehicles=2),
    "free bodies on bodies": random_tree(5, ["Free", "Revolute", "Free", "Cylindrical", "Free"]),
    "serial": random_tree(6, ["Schoenflies", *["Revolute"] * 5, "Helical"], branching=False),
}
CASES = pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())


def assert_close(ours, theirs, relative=1e-13):
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= relative * np.abs(theirs).max()


def some_wrenches(tree, batch=()):
    rng = np.random.default_rng(7)
    return {"tool": rng.normal(size=(*batch, 6)), tree.names[0]: rng.normal(size=6)}


@CASES
def test_inverse_dynamics_is_the_closed_form(tree):
    q, v, a = random_state(tree, 0, (4,))
    wrenches = some_wrenches(tree, (4,))
    dense = (mass_matrix(tree, q) @ a[..., None] + coriolis_matrix(tree, q, v, "skew") @ v[..., None])[..., 0]
    dense = dense + gravity_forces(tree, q, GRAVITY) - wrench_forces(tree, q, wrenches)
    assert_close(inverse_dynamics(tree, q, v, a, GRAVITY, wrenches), dense)


@CASES
@pytest.mark.parametrize("forward", FORWARD)
def test_forward_dynamics_solves_the_mass_matrix(tree, forward):
    q, v, tau = random_state(tree, 1, (4,))
    wrenches = some_wrenches(tree, (4,))
    bias = inverse_dynamics(tree, q, v, np.zeros(tree.nv), GRAVITY, wrenches)
    dense = np.linalg.solve(mass_matrix(tree, q), (tau - bias)[..., None])[..., 0]
    assert_close(forward(tree, q, v, tau, GRAVITY, wrenches), dense, 1e-12)


@pytest.mark.parametrize("forward", FORWARD)
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_forward_undoes_inverse_with_every_joint_as_vehicle_and_inside(kind, forward):
    for seed, added_mass in ((20, False), (21, True)):
        tree = random_tree(seed, [kind, "Revolute", kind, "Prismatic", kind], added_mass=added_mass)
        q, v, a = random_state(tree, seed, (3,))
        tau = inverse_dynamics(tree, q, v, a, GRAVITY)
        assert_close(forward(tree, q, v, tau, GRAVITY), a, 1e-12)


@CASES
def test_batches_broadcast_and_agree_with_single_samples(tree):
    q, v, a = random_state(tree, 2, (2, 3))
    gravity = np.random.default_rng(2).normal(size=(2, 1, 3))
    for function in (inverse_dynamics, *FORWARD):
        for arguments in (
            (q, v, a, gravity),
            (q[0, 0], v, a[0, 0], GRAVITY),
            (q[:, :1], v[0], a[1, 2], gravity),
        ):
            together = function(tree, *arguments)
            full = np.broadcast_arrays(*(np.empty(x.shape[:-1]) for x in arguments))[0].shape
            spread = [np.broadcast_to(x, (*full, x.shape[-1])) for x in arguments]
            for index in np.ndindex(full):
                assert_close(together[index], function(tree, *(x[index] for x in spread)))


@CASES
def test_traced_dynamics_are_the_same(tree):
    q, v, a = random_state(tree, 3)
    F = some_wrenches(tree)["tool"]
    shapes = (tree.nq,), (tree.nv,), (tree.nv,), (3,), (6,)
    for function, tolerance in ((inverse_dynamics, 1e-13), (forward_dynamics, 1e-12)):
        traced = trace(lambda q, v, a, γ, F, f=function: f(tree, q, v, a, γ, {"tool": F}), *shapes)
        numeric = function(tree, q, v, a, GRAVITY, {"tool": F})
        assert_close(evaluate(traced, q, v, a, GRAVITY, F), numeric, tolerance)
    shapes = shapes[:3]
    traced = trace(lambda q, v, a: forward_dynamics_composite(tree, q, v, a, NOTHING), *shapes)
    assert_close(evaluate(traced, q, v, a), forward_dynamics_composite(tree, q, v, a, NOTHING), 1e-12)


def test_weight_is_that_of_the_dry_mass_under_added_mass():
    dry = random_tree(8, ["Free", "Revolute", "Spherical"])
    wet = random_tree(8, ["Free", "Revolute", "Spherical"], added_mass=True)
    heavier = Tree(
        name="wet",
        bodies=tuple(
            Body(
                name=body.name,
                parent=body.parent,
                joint=body.joint,
                at=body.at,
                inertia=Inertia(
                    body.inertia.mass, body.inertia.com, body.inertia.tensor, full=other.inertia.matrix
                ),
            )
            for body, other in zip(dry.bodies, wet.bodies, strict=True)
        ),
    )
    q, _, _ = random_state(dry, 8)
    still = np.zeros(dry.nv)
    weight = inverse_dynamics(heavier, q, still, still, GRAVITY)
    assert_close(weight, inverse_dynamics(dry, q, still, still, GRAVITY))
    falling = forward_dynamics(dry, q, still, still, GRAVITY)
    R = so3.project(q[:9].reshape(3, 3))
    placement = dry.links[0].placement[:3, :3]
    assert_close(falling[:3], (placement @ R).T @ GRAVITY, 1e-12)
    assert np.abs(falling[3:]).max() < 1e-12  # free fall turns nothing


def test_force_free_body_moves_straight():
    tree = Tree(
        name="body", bodies=(Body(name="b", parent="world", joint=Free(), inertia=Inertia.box(2, (1, 2, 3))),)
    )
    v = np.array([1.0, 0, 0, 0, 0, 1.0])
    q = np.concatenate([np.eye(3).ravel(), np.zeros(3)])
    acceleration = forward_dynamics(tree, q, v, np.zeros(6), NOTHING)
    np.testing.assert_allclose(acceleration, [0, -1, 0, 0, 0, 0], atol=1e-15)  # v̇ = −ω × v


def test_a_passive_free_joint_passes_no_inertia_on_at_all():
    tree = random_tree(9, ["Planar", "Free", "Spherical", "Revolute"], branching=False)
    q, _, _ = random_state(tree, 9)
    kept = hinges(tree, crossings(tree, q), np.ones(tree.nv))
    assert np.all(kept[1].released == 0.0)
    assert np.all(kept[2].released[3:] == 0.0)
    assert np.all(kept[2].released[:, 3:] == 0.0)
    assert_close(kept[1].gain, np.eye(6))


AXIAL = (Revolute, Prismatic, Cylindrical, Schoenflies, Planar)
PITCHED = (Helical, PlanarHelical)


def aligned_joint(rng):
    """A joint about or along one of ±x, ±y, ±z, exactly."""
    axis = rng.choice([-1.0, 1.0]) * np.eye(3)[rng.integers(3)]
    kind = rng.choice(AXIAL + PITCHED)
    return kind(axis, 0.2) if kind in PITCHED else kind(axis)


def simple_pose(rng):
    """Right angles, a turn about one axis, or any rotation: what placements look like in robot descriptions."""
    right = np.eye(3)[rng.permutation(3)]
    right = right * np.linalg.det(right)
    one_axis = so3.exp(np.eye(3)[rng.integers(3)] * rng.uniform(-3, 3))
    nearly = so3.exp(np.array([1.5708, 0, 3e-6]))
    rotation = [right, one_axis, right @ one_axis, nearly, random_pose(rng).rotation][rng.integers(5)]
    return Pose(xyz=rng.choice([0.0, 0.3], 3), rotation=so3.project(rotation))


def aligned_tree(seed):
    rng = np.random.default_rng(seed)
    bodies = [Body(name="b0", parent="world", joint=aligned_joint(rng), inertia=random_inertia(rng))]
    for i in range(1, 6):
        bodies.append(
            Body(
                name=f"b{i}",
                parent=f"b{rng.integers(max(0, i - 2), i)}",
                joint=aligned_joint(rng),
                at=simple_pose(rng),
                inertia=random_inertia(rng),
            )
        )
    return Tree(name=f"aligned{seed}", bodies=tuple(bodies))


@pytest.mark.parametrize("seed", one_in(4, range(20)))
def test_joints_along_coordinate_axes_take_the_short_way_to_the_same_place(seed):
    """What is folded for such joints and placements, on numbers and traced, against the closed form."""
    tree = aligned_tree(seed)
    q, v, tau = random_state(tree, seed)
    dense = closed_form_forward_dynamics(tree, q, v, tau, GRAVITY)
    assert_close(forward_dynamics(tree, q, v, tau, GRAVITY), dense, 1e-11)
    shapes = (tree.nq,), (tree.nv,), (tree.nv,)
    for function in FORWARD:
        traced = trace(lambda q, v, x, f=function: f(tree, q, v, x, GRAVITY), *shapes)
        assert_close(evaluate(traced, q, v, tau), dense, 1e-11)
    traced = trace(lambda q, v, x: inverse_dynamics(tree, q, v, x, GRAVITY), *shapes)
    assert_close(evaluate(traced, q, v, dense), tau, 1e-10)


def arm_on_free_flyer(right_angles):
    rng = np.random.default_rng(0)
    bodies = [Body(name="bus", parent="world", joint=Free(), inertia=random_inertia(rng))]
    for i in range(7):
        turn = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]) if i % 2 else [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
        at = Pose(xyz=(0, 0.1 * (i % 2), 0.3 * (1 - i % 2)), rotation=turn)
        inertia = Inertia(2.0, rng.uniform(-0.2, 0.2, 3), rng.uniform(0.5, 0.9, 3))
        axis = (0, 0, 1)
        if not right_angles:
            at, inertia, axis = random_pose(rng), random_inertia(rng), rng.normal(size=3)
        parent = bodies[-1].name
        bodies.append(Body(name=f"a{i}", parent=parent, joint=Revolute(axis), at=at, inertia=inertia))
    return Tree(name="arm", bodies=tuple(bodies))


def operations(function, tree, gravity=None):
    shapes = [(tree.nq,), (tree.nv,), (tree.nv,)]
    if gravity is None:
        traced = trace(lambda q, v, x: function(tree, q, v, x, NOTHING), *shapes)
    else:
        traced = trace(lambda q, v, x, γ: function(tree, q, v, x, γ), *shapes, (3,))
    return operation_count(traced.graph, traced.flat_outputs)


def test_constants_of_the_model_fold_away():
    """A regression guard: kernels cost what these counts say (6 + 7 DoF)."""
    straight, skewed = (arm_on_free_flyer(right_angles) for right_angles in (True, False))
    assert operations(forward_dynamics, straight) <= 2240
    assert operations(forward_dynamics, straight, GRAVITY) <= 2261
    assert operations(inverse_dynamics, straight) <= 1370
    assert operations(forward_dynamics, skewed) <= 3400  # its outward sweep waits less for more operations
    assert operations(inverse_dynamics, skewed) <= 1820
    for tree in (straight, skewed):
        assert operations(forward_dynamics, tree) < operations(forward_dynamics_composite, tree)


def test_methods_of_the_system():
    system = System(TREES["two vehicles"])
    q, v, a = random_state(system.tree, 5, (3,))
    wrenches = some_wrenches(system.tree)
    tau = system.inverse_dynamics(q, v, a, gravity=GRAVITY, wrenches=wrenches)
    assert_close(tau, inverse_dynamics(system.tree, q, v, a, GRAVITY, wrenches))
    assert_close(system.forward_dynamics(q, v, tau, gravity=GRAVITY, wrenches=wrenches), a, 1e-12)
    assert_close(system.inverse_dynamics(q, v, a), inverse_dynamics(system.tree, q, v, a, NOTHING))
