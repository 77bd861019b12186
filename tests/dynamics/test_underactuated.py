"""Generalized and disturbance Jacobians, force planning and the composite solve, against dense oracles."""

import numpy as np
import pytest
from tests.support.random_trees import ALL_KINDS, random_state, random_tree
from tests.support.thinning import one_in

from unmoored.dynamics import underactuated
from unmoored.dynamics.jacobians import jacobian, mixed_jacobian, mixed_jacobian_derivative
from unmoored.dynamics.kinematics import acceleration
from unmoored.dynamics.momentum import generalized_momentum
from unmoored.dynamics.recursive import forward_dynamics, hybrid_dynamics
from unmoored.dynamics.underactuated.damped_least_squares import damped_inverse
from unmoored.model import Body, Frame, Free, Inertia, ModelError, Pose, Revolute, Tree
from unmoored.system import System
from unmoored.trace import evaluate, trace

GRAVITY = np.array([0.4, -0.3, -9.7])
TREES = {
    "all joints": random_tree(2, ALL_KINDS, armature=True),
    "added mass above the body mass": random_tree(3, ALL_KINDS[::-1], added_mass=True),
    "two vehicles": random_tree(4, ["Free", "Planar", "Revolute", "Spherical", "Universal"], vehicles=2),
    "serial": random_tree(6, ["Free", *["Revolute"] * 7], branching=False),
}
CASES = pytest.mark.parametrize("tree", one_in(2, TREES.values(), first=1), ids=TREES.keys())
SMALL = Tree(
    name="small",
    bodies=tuple(
        Body(
            name=f"b{i}",
            parent=f"b{i - 1}" if i else "world",
            joint=Revolute(np.roll((0, 0, 1), i)) if i else Free(),
            inertia=Inertia.box(3.0 / (1 + i), (0.2, 0.3, 0.4), com=(0.1, 0, 0.05)),
            at=Pose(xyz=(0.3 * i, 0.1, 0)),
        )
        for i in range(5)
    ),
    frames=(Frame(name="tool", parent="b4", at=Pose(xyz=(0, 0, 0.3))),),
)
REDUNDANT = random_tree(11, ["Free", *["Revolute"] * 9], branching=False)
VEHICLE = tuple(range(6))


def assert_close(ours, theirs, relative=1e-12):
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max(initial=0.0) <= relative * np.abs(theirs).max(initial=0.0)


def apply(A, x):
    return (A @ x[..., None])[..., 0]


def patterns(tree):
    rng = np.random.default_rng(0)
    yield tuple(range(tree.links[0].joint.nv))
    for _ in range(3):
        yield tuple(np.flatnonzero(rng.integers(0, 2, tree.nv)))
    yield ()


@CASES
def test_jacobians_by_recursion_are_the_schur_complements(tree):
    q, _, _ = random_state(tree, 0, (3,))
    for passive in patterns(tree):
        J_G, J_D = underactuated.generalized_and_disturbance_jacobians(tree, q, "tool", passive)
        assert_close(J_G, underactuated.generalized_jacobian_dense(tree, q, "tool", passive))
        assert_close(J_D, underactuated.disturbance_jacobian_dense(tree, q, passive))
        np.testing.assert_array_equal(J_G, underactuated.generalized_jacobian(tree, q, "tool", passive))
        np.testing.assert_array_equal(J_D, underactuated.disturbance_jacobian(tree, q, passive))


@CASES
def test_products_take_one_pass(tree):
    q, _, a = random_state(tree, 1, (3,))
    for passive in patterns(tree):
        active = underactuated.active_dofs(tree, passive)
        J_G, J_D = underactuated.generalized_and_disturbance_jacobians(tree, q, "tool", passive)
        product = underactuated.generalized_jacobian_product(tree, q, a, "tool", passive)
        assert_close(product, apply(J_G, a[..., active]))
        product = underactuated.disturbance_jacobian_product(tree, q, a, passive)
        assert_close(product, apply(J_D, a[..., active]))


def test_without_passive_dofs_the_generalized_jacobian_is_the_jacobian():
    tree = TREES["all joints"]
    q, _, _ = random_state(tree, 2)
    for frame in ("tool", "b3", "world"):
        assert_close(underactuated.generalized_jacobian(tree, q, frame, ()), jacobian(tree, q, frame))


@CASES
def test_accelerations_are_jacobian_times_active_plus_bias(tree):
    q, v, a = random_state(tree, 3, (3,))
    rng = np.random.default_rng(3)
    tau, F = rng.normal(size=(3, tree.nv)), {"tool": rng.normal(size=(3, 6))}
    for passive in patterns(tree):
        mask = underactuated.passive_mask(tree, passive)
        p, active = np.flatnonzero(mask), np.flatnonzero(mask == 0.0)
        total, _ = hybrid_dynamics(tree, q, v, tau, a, mask, GRAVITY, F)
        J_G, J_D = underactuated.generalized_and_disturbance_jacobians(tree, q, "tool", passive)
        state = q, v, tau, GRAVITY, F
        bias = underactuated.acceleration_bias(tree, *state, "tool", passive)
        assert_close(apply(J_G, a[..., active]) + bias, acceleration(tree, q, v, total, "tool"), 1e-11)
        bias = underactuated.disturbance_bias(tree, *state, passive)
        assert_close(apply(J_D, a[..., active]) + bias, total[..., p], 1e-11)


def test_jacobians_hold_for_velocities_of_a_free_floating_system_without_momentum():
    tree = TREES["serial"]
    q, v, _ = random_state(tree, 4)
    J_G, J_D = underactuated.generalized_and_disturbance_jacobians(tree, q, "tool", VEHICLE)
    v[:6] = J_D @ v[6:]
    momentum = generalized_momentum(tree, q, v)
    assert np.abs(momentum[:6]).max() < 1e-13 * np.abs(momentum).max()
    assert_close(jacobian(tree, q, "tool") @ v, J_G @ v[6:])


def plan(tree, q, v, tau, aim, **options):
    settings = {"preferred": np.zeros(tree.nv), "damping": np.zeros(()), "wrenches": None, "rows": range(6)}
    settings |= options
    return underactuated.plan_task(
        tree, q, v, tau, aim, gravity=GRAVITY, frame="tool", passive=VEHICLE, **settings
    )


def test_planned_forces_give_the_frame_its_acceleration():
    tree = TREES["serial"]
    q, v, preferred = random_state(tree, 5, (4,))
    rng = np.random.default_rng(5)
    tau, aim = rng.normal(size=(4, tree.nv)), rng.normal(size=(4, 6))
    F = {"tool": rng.normal(size=6)}
    total, forces = plan(tree, q, v, tau, aim, preferred=preferred, wrenches=F)
    np.testing.assert_array_equal(forces[..., :6], tau[..., :6])
    moved = forward_dynamics(tree, q, v, forces, GRAVITY, F)
    assert_close(moved, total, 1e-11)
    assert_close(acceleration(tree, q, v, moved, "tool"), aim, 1e-10)


def test_redundant_active_dofs_stay_closest_to_what_they_prefer():
    tree = REDUNDANT
    q, v, preferred = random_state(tree, 6)
    tau, aim = np.zeros(tree.nv), np.arange(6.0)
    J_G = underactuated.generalized_jacobian(tree, q, "tool", VEHICLE)
    bias = underactuated.acceleration_bias(tree, q, v, tau, GRAVITY, None, "tool", VEHICLE)
    rest = aim - bias - J_G @ preferred[6:]
    exact = preferred[6:] + np.linalg.pinv(J_G) @ rest
    assert_close(plan(tree, q, v, tau, aim, preferred=preferred)[0][6:], exact, 1e-10)
    only_place = plan(tree, q, v, tau, aim, preferred=preferred, rows=(0, 1, 2))[0]
    assert_close(only_place[6:], preferred[6:] + np.linalg.pinv(J_G[:3]) @ rest[:3], 1e-10)


def test_too_few_active_dofs_come_as_near_as_they_can():
    tree = random_tree(12, ["Free", *["Revolute"] * 4], branching=False)
    q, v, _ = random_state(tree, 7)
    tau, aim = np.zeros(tree.nv), np.arange(6.0)
    J_G = underactuated.generalized_jacobian(tree, q, "tool", VEHICLE)
    bias = underactuated.acceleration_bias(tree, q, v, tau, GRAVITY, None, "tool", VEHICLE)
    assert_close(plan(tree, q, v, tau, aim)[0][6:], np.linalg.lstsq(J_G, aim - bias)[0], 1e-10)


def test_damping_bounds_accelerations_at_a_dynamic_singularity():
    rng = np.random.default_rng(8)
    U, _, W = np.linalg.svd(rng.normal(size=(6, 7)))
    J = U @ np.diag([3, 2, 1, 1, 0.5, 1e-6]) @ W[:6]
    b = U[:, 5]  # along the lost direction
    damping = underactuated.adaptive_damping(J, threshold=0.1, largest=0.05)
    np.testing.assert_allclose(damping, 0.05, rtol=1e-10)
    assert np.linalg.norm(underactuated.damped_least_squares(J, b, np.zeros(()), np.zeros(7))) > 0.9e6
    assert np.linalg.norm(underactuated.damped_least_squares(J, b, damping, np.zeros(7))) < 1.1e-6 / 0.05**2
    assert underactuated.adaptive_damping(J[:5], threshold=0.1, largest=0.05) == 0.0


@pytest.mark.parametrize("shape", [(4, 7), (7, 4), (5, 5)])
def test_both_forms_of_the_damped_inverse(shape):
    A = np.random.default_rng(9).normal(size=(3, *shape))
    λ = np.array([0.1, 0.5, 2.0])
    wide = np.swapaxes(A, -1, -2) @ np.linalg.inv(
        A @ np.swapaxes(A, -1, -2) + λ[:, None, None] ** 2 * np.eye(shape[0])
    )
    assert_close(damped_inverse(A, λ), wide)


def composite_problem(seed):
    tree = REDUNDANT
    rng = np.random.default_rng(seed)
    J_G, J_D = underactuated.generalized_and_disturbance_jacobians(
        tree, random_state(tree, seed)[0], "tool", VEHICLE
    )
    return J_G, J_D, rng.normal(size=6), rng.normal(size=6), rng.uniform(0.5, 2, 6), rng.normal(size=9)


def test_weighted_composite_solve_is_the_least_squares_solution():
    J_G, J_D, task, disturbance, weight, preferred = composite_problem(10)
    λ = 0.2
    A = np.concatenate([J_G, weight[:, None] * J_D, λ * np.eye(9)])
    b = np.concatenate([task, weight * disturbance, λ * preferred])
    ours = underactuated.weighted_accelerations(J_G, J_D, task, disturbance, weight, np.array(λ), preferred)
    assert_close(ours, np.linalg.lstsq(A, b)[0], 1e-11)


def test_task_first_solve_meets_the_task_and_is_stationary_in_what_is_left():
    J_G, J_D, task, disturbance, weight, preferred = composite_problem(11)
    ρ = 0.05
    a = underactuated.task_first_accelerations(
        J_G, J_D, task, disturbance, weight, np.array(ρ), np.zeros(()), preferred
    )
    assert_close(J_G @ a, task, 1e-11)
    slope = J_D.T @ (weight**2 * (J_D @ a - disturbance)) + ρ**2 * (a - preferred)
    null = np.linalg.svd(J_G)[2][6:]
    assert np.abs(null @ slope).max() < 1e-11 * np.abs(slope).max()


def test_least_disturbance_moves_the_vehicle_less_and_the_tool_alike():
    tree = REDUNDANT
    q, v, _ = random_state(tree, 12, (5,))
    aim, tau, still = np.arange(6.0), np.zeros(tree.nv), np.zeros(tree.nv)
    plain, _ = plan(tree, q, v, tau, aim)
    quiet, forces = underactuated.plan_least_disturbance(
        tree, q, v, tau, aim, still, np.ones(tree.nv), np.asarray(1e-4), np.zeros(()), GRAVITY, None, "tool",
        VEHICLE,
    )  # fmt: skip
    assert_close(acceleration(tree, q, v, quiet, "tool"), np.broadcast_to(aim, (5, 6)), 1e-9)
    assert_close(forward_dynamics(tree, q, v, forces, GRAVITY), quiet, 1e-10)
    assert np.all(np.linalg.norm(quiet[:, :6], axis=1) < np.linalg.norm(plain[:, :6], axis=1))


def test_traced_functions_are_the_same():
    tree = random_tree(13, ["Free", "Revolute", "Universal", "Helical", "Spherical"], branching=False)
    q, v, a = random_state(tree, 13)
    n, passive = (tree.nv,), (0, 1, 2, 4, 8)
    jacobians = underactuated.generalized_and_disturbance_jacobians
    traced = trace(lambda q: jacobians(tree, q, "tool", passive), (tree.nq,))
    for ours, theirs in zip(evaluate(traced, q), jacobians(tree, q, "tool", passive), strict=True):
        assert_close(ours, theirs)
    product = underactuated.generalized_jacobian_product
    traced = trace(lambda q, a: product(tree, q, a, "tool", passive), (tree.nq,), n)
    assert_close(evaluate(traced, q, a), product(tree, q, a, "tool", passive))
    plans = underactuated.plan_least_disturbance
    arrays = q, v, a, np.arange(6.0), a, np.ones(tree.nv), np.asarray(0.1), np.asarray(0.1), GRAVITY
    shapes = [x.shape for x in arrays]
    traced = trace(lambda *x: plans(tree, *x, None, "tool", passive), *shapes)
    for ours, theirs in zip(
        evaluate(traced, *arrays), plans(tree, *arrays, None, "tool", passive), strict=True
    ):
        assert_close(ours, theirs, 1e-10)


def test_methods_of_the_system():
    tree = SMALL
    system = System(tree)
    q, v, a = random_state(tree, 14, (2,))
    options = {"passive": ["b0"], "bias": True, "v": v, "tau": a, "gravity": GRAVITY}
    J_G, bias = system.generalized_jacobian(q, "tool", **options)
    assert_close(J_G, underactuated.generalized_jacobian(tree, q, "tool", VEHICLE))
    assert_close(bias, underactuated.acceleration_bias(tree, q, v, a, GRAVITY, None, "tool", VEHICLE), 1e-11)
    J_D, bias = system.disturbance_jacobian(q, **options)
    assert_close(J_D, system.disturbance_jacobian(q, passive="b0", backend="numpy"))
    assert_close(bias, underactuated.disturbance_bias(tree, q, v, a, GRAVITY, None, VEHICLE), 1e-11)
    assert_close(system.generalized_jacobian_product(q, a, "tool", passive=["b0"]), apply(J_G, a[..., 6:]))
    assert_close(system.disturbance_jacobian_product(q, a, passive=["b0"]), apply(J_D, a[..., 6:]))
    inertia = system.active_inertia(q, passive=["b0"])
    M = system.mass_matrix(q)
    assert_close(inertia, M[:, 6:, 6:] + M[:, 6:, :6] @ J_D)
    aim = np.arange(6.0)
    for method in (system.plan_task, system.plan_least_disturbance):
        total, forces = method(q, v, aim, "tool", passive=["b0"], gravity=GRAVITY, rows=(0, 1, 2))
        assert_close(system.acceleration(q, v, total, "tool")[:, :3], np.broadcast_to(aim[:3], (2, 3)), 1e-10)
        assert np.abs(forces[:, :6]).max() == 0.0


def test_misuse_is_refused():
    system = System(TREES["serial"])
    q, v = system.neutral(), np.zeros(system.nv)
    with pytest.raises(ModelError, match="bias=True"):
        system.generalized_jacobian(q, "tool", passive=["b0"], v=v)
    with pytest.raises(ModelError, match="nobody"):
        system.disturbance_jacobian(q, passive=["nobody"])
    with pytest.raises(ModelError, match="rows"):
        system.plan_task(q, v, np.zeros(6), "tool", passive=["b0"], rows=(1, 1))
    with pytest.raises(ModelError, match="tool_acceleration"):
        system.plan_task(q, v, np.zeros(5), "tool", passive=["b0"])


@CASES
def test_generalized_jacobian_and_bias_in_world_axes(tree):
    """(p̈, d/dt ω) of the tool, against the mixed Jacobian and its rate at the complete acceleration."""
    q, v, a = random_state(tree, 21, (3,))
    rng = np.random.default_rng(22)
    tau = rng.normal(size=(3, tree.nv))
    for passive in patterns(tree):
        active = underactuated.active_dofs(tree, passive)
        mask = underactuated.passive_mask(tree, passive)
        complete, _ = hybrid_dynamics(tree, q, v, tau, a, mask, GRAVITY)
        rates = mixed_jacobian(tree, q, "tool") @ complete[..., None]
        rates = (rates + mixed_jacobian_derivative(tree, q, v, "tool") @ v[..., None])[..., 0]
        J_G = underactuated.mixed_generalized_jacobian(tree, q, "tool", passive)
        b = underactuated.mixed_acceleration_bias(tree, q, v, tau, GRAVITY, None, "tool", passive)
        assert_close(apply(J_G, a[..., active]) + b, rates, 1e-11)


@CASES
def test_passive_mobility_and_force_transmission(tree):
    """(4.4) of Jain & Rodriguez at rest and without gravity: the hybrid recursion."""
    q, _, _ = random_state(tree, 23, (2,))
    still, weightless = np.zeros(tree.nv), np.zeros(3)
    for passive in patterns(tree):
        p, a = underactuated.passive_dofs(tree, passive), underactuated.active_dofs(tree, passive)
        mask = underactuated.passive_mask(tree, passive)
        S_pp = underactuated.passive_mobility(tree, q, passive)
        S_ap = underactuated.force_transmission(tree, q, passive)
        for k, dof in enumerate(p):
            moved, tau = hybrid_dynamics(tree, q, still, np.eye(tree.nv)[dof], still, mask, weightless)
            assert np.abs(S_pp[..., k] - moved[..., p]).max() < 1e-11 * np.abs(S_pp).max()
            assert np.abs(S_ap[..., k] - tau[..., a]).max(initial=0.0) < 1e-11 * np.abs(S_ap).max(initial=1.0)
        assert_close(-np.swapaxes(S_ap, -1, -2), underactuated.disturbance_jacobian(tree, q, passive), 1e-11)


@pytest.mark.parametrize("at_rest", [None, (3, 4, 5), (1,)])
def test_reaction_null_space_leaves_the_vehicle_alone(at_rest):
    """From rest, active accelerations of the null space do not accelerate what shall stay; J⁺ moves it as wanted."""
    tree = REDUNDANT
    q, _, z = random_state(tree, 24, (4,))
    still, weightless = np.zeros(tree.nv), np.zeros(3)
    kept = list(VEHICLE if at_rest is None else at_rest)
    space = underactuated.reaction_null_space(tree, q, np.zeros(()), VEHICLE, at_rest)
    mask = underactuated.passive_mask(tree, VEHICLE)

    def reaction(of_arm):
        given = np.concatenate([np.zeros((4, 6)), of_arm], axis=-1)
        return hybrid_dynamics(tree, q, still, still, given, mask, weightless)[0][..., :6]

    moved = reaction(apply(space.projector, z[..., 6:]))
    assert np.abs(moved[..., kept]).max() < 1e-11
    if at_rest is not None:
        assert np.abs(moved).max() > 1e-3
    wanted = np.random.default_rng(25).normal(size=(4, len(kept)))
    assert_close(reaction(apply(space.inverse, wanted))[..., kept], wanted, 1e-10)
    assert_close(space.projector @ space.projector, space.projector, 1e-10)
    basis = underactuated.reaction_null_space_basis(tree, q, VEHICLE, at_rest)
    assert basis.shape == (4, 9, 9 - len(kept))
    assert_close(basis @ np.swapaxes(basis, -1, -2), space.projector, 1e-10)


def test_reaction_null_space_refuses_active_dofs():
    q, _, _ = random_state(REDUNDANT, 26)
    with pytest.raises(ModelError, match="passive DoFs"):
        underactuated.reaction_null_space(REDUNDANT, q, np.zeros(()), VEHICLE, (5, 6))
