"""Spacecraft: free-floating, attitude-controlled, held, in centre-of-mass form (docs/theory.md §9)."""

from dataclasses import replace

import numpy as np
import pytest
from tests.support.group_integration import integrate
from tests.support.random_trees import random_state, random_tree
from tests.support.thinning import one_in

from unmoored.dynamics.closed_form.coriolis import coriolis_matrix
from unmoored.dynamics.closed_form.mass_matrix_from_jacobians import mass_matrix, mass_matrix_derivatives
from unmoored.dynamics.kinematics import centre_of_mass
from unmoored.dynamics.lagrange_poincare.vehicle_split import split
from unmoored.dynamics.momentum import momentum
from unmoored.dynamics.recursive import forward_dynamics, inverse_dynamics
from unmoored.dynamics.spacecraft import (
    attitude_controlled,
    attitude_dynamics,
    centre_of_mass_form,
    centre_of_mass_velocity_map,
    free_floating,
    free_floating_at_momentum,
    free_flying,
    held_fixed,
    spatial_momentum,
)
from unmoored.model import Free, ModelError, Pose
from unmoored.system import System

NO_GRAVITY = np.zeros(3)
ARM = ("Revolute", "Prismatic", "Spherical", "Helical", "Universal", "Custom")
BASES = (
    "Free",
    "Spherical",
    "Planar",
    "Schoenflies",
    "Translation3",
    "PlanarHelical",
    "Cylindrical",
    "Helical",
)


def relative(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


def apply(A, x):
    return (A @ x[..., None])[..., 0]


def spacecraft(seed=3, kinds=("Free", *ARM), **options):
    """A random tree whose vehicle has no drive to the world."""
    tree = random_tree(seed, kinds, **options)
    return replace(tree, bodies=(replace(tree.bodies[0], joint=Free()), *tree.bodies[1:]))


@pytest.mark.parametrize("base", one_in(2, BASES))
@pytest.mark.parametrize("added_mass", [False, True])
def test_free_floating_moves_like_the_whole_system(base, added_mass):
    tree = random_tree(3, [base, *ARM], added_mass=added_mass)
    at = split(tree, "b0")
    q, v, tau = random_state(tree, 1, (4,))
    tau[..., at.group] = 0.0
    a = forward_dynamics(tree, q, v, tau, NO_GRAVITY)
    ff = free_floating(tree, q, v, tau, "b0")
    assert relative(ff.velocity, v) < 1e-13
    assert relative(ff.acceleration, a) < 1e-11
    # with the momentum given, the vehicle's velocity follows from it
    y = at.joined(ff.momentum, at.others(v))
    assert relative(free_floating_at_momentum(tree, q, y, tau, "b0").velocity, v) < 1e-13
    reduced = (
        apply(ff.inertia, at.others(ff.acceleration)) + apply(ff.coriolis, at.others(v)) + ff.momentum_forces
    )
    assert relative(reduced, at.others(tau)) < 1e-11


def test_a_drive_to_the_world_is_refused():
    tree = random_tree(3, ["Free", "Revolute"], armature=True)
    q, v, tau = random_state(tree, 1)
    with pytest.raises(ModelError, match="b0: free-floating vehicle: expected no armature"):
        free_floating(tree, q, v, tau, "b0")


def test_momentum_of_a_free_vehicle_is_spatial():
    tree = spacecraft()
    at_origin = replace(tree, bodies=(replace(tree.bodies[0], at=Pose()), *tree.bodies[1:]))
    q, v, _ = random_state(at_origin, 2)
    assert relative(spatial_momentum(at_origin, q, v, "b0"), momentum(at_origin, q, v)) < 1e-13


@pytest.mark.parametrize("base", ["Free", "Planar"])
def test_momentum_is_conserved_along_the_motion(base):
    """μ is constant, P is not (errata J14); the reduced equations at constant μ give the same motion."""
    tree = random_tree(5, [base, "Revolute", "Helical"])
    system, at = System(tree), split(tree, "b0")
    q, v, tau = random_state(tree, 6)
    tau[at.group] = 0.0
    μ = spatial_momentum(tree, q, v, "b0")
    P = apply(mass_matrix(tree, q)[at.group], v)

    def whole(t, q, v):
        return v, system.forward_dynamics(q, v, tau)

    def reduced(t, q, w):
        ff = system.free_floating(q, at.joined(0 * μ, w), tau, momentum=μ)
        return ff.velocity, at.others(ff.acceleration)

    q1, v1 = integrate(system, q, v, whole, 0.5, 500)
    q2, w2 = integrate(system, q, at.others(v), reduced, 0.5, 500)
    assert relative(spatial_momentum(tree, q1, v1, "b0"), μ) < 1e-10
    assert relative(apply(mass_matrix(tree, q1)[at.group], v1), P) > 1e-2
    assert np.abs(q2 - q1).max() < 1e-10
    assert np.abs(w2 - at.others(v1)).max() < 1e-9


def test_drift_needs_no_momentum_forces_but_spin_does():
    """The zero-momentum equation is exact without angular momentum about the centre of mass (errata F19)."""
    tree = spacecraft(7)
    at = split(tree, "b0")
    q, v, _ = random_state(tree, 8)
    still = free_floating_at_momentum(tree, q, at.joined(np.zeros(6), v[6:]), 0 * v, "b0")
    assert np.abs(momentum(tree, q, still.velocity)).max() < 1e-12
    drifting = still.velocity.copy()
    R = tree.bodies[0].at.matrix[:3, :3] @ q[:9].reshape(3, 3)
    drifting[:3] += R.T @ [0.3, -0.8, 0.5]  # the whole system, at the same speed
    assert np.abs(momentum(tree, q, drifting, about="com")[3:]).max() < 1e-12
    ff = free_floating(tree, q, drifting, 0 * v, "b0")
    assert np.abs(ff.momentum).max() > 1
    assert np.abs(ff.momentum_forces).max() < 1e-12
    assert relative(ff.acceleration[6:], still.acceleration[6:]) < 1e-12
    spinning = free_floating(tree, q, v, 0 * v, "b0")
    assert np.abs(spinning.momentum_forces).max() > 0.1


def test_zero_momentum_is_the_generalized_jacobian_motion():
    tree = spacecraft(9)
    system = System(tree)
    q, v, _ = random_state(tree, 10)
    ff = system.free_floating(q, v, momentum=np.zeros(6), backend="numpy")
    expected = system.disturbance_jacobian(q, passive=["b0"], backend="numpy") @ v[6:]
    assert relative(ff.velocity[:6], expected) < 1e-12


def test_reduced_coriolis_matrix_is_skew_with_the_inertia():
    tree = spacecraft(11, added_mass=True)
    q, v, tau = random_state(tree, 12)
    ff = free_floating(tree, q, v, tau, "b0")
    step = 1e-6
    from unmoored.dynamics.configuration import retract

    ahead, behind = (
        free_floating(tree, retract(tree, q, s * v), v, tau, "b0").inertia for s in (step, -step)
    )
    rate = (ahead - behind) / (2 * step)
    defect = rate - 2 * ff.coriolis
    assert np.abs(defect + defect.T).max() < 1e-7 * np.abs(rate).max()


def test_centre_of_mass_form_splits_the_inertia():
    tree = spacecraft(13, armature=True)
    q, v, _ = random_state(tree, 14, (3,))
    form, T = centre_of_mass_form(tree, q, v), centre_of_mass_velocity_map(tree, q)
    middle = np.zeros((3, tree.nv, tree.nv))
    middle[:, [0, 1, 2], [0, 1, 2]] = tree.mass
    middle[:, 3:, 3:] = form.inertia
    assert relative(np.swapaxes(T, -1, -2) @ middle @ T, mass_matrix(tree, q)) < 1e-14
    μ = momentum(tree, q, v, about="com")
    assert relative(form.centre_velocity, μ[..., :3] / tree.mass) < 1e-13
    R = tree.bodies[0].at.matrix[:3, :3] @ q[..., :9].reshape(3, 3, 3)
    assert relative(apply(R, form.momentum[..., :3]), μ[..., 3:]) < 1e-12
    # H = [0; 1] would pin the vehicle's origin in space (errata F24)
    assert relative(mass_matrix(tree, q)[..., 3:, 3:], form.inertia) > 0.1


def test_attitude_dynamics_against_the_whole_system():
    tree = spacecraft(15, armature=True)
    q, v, tau = random_state(tree, 16, (3,))
    a = forward_dynamics(tree, q, v, tau, NO_GRAVITY)
    turning, moving = attitude_dynamics(tree, q, v, tau)
    assert relative(turning, a[..., 3:]) < 1e-12
    R = tree.bodies[0].at.matrix[:3, :3] @ q[..., :9].reshape(3, 3, 3)
    assert relative(moving, apply(R, tau[..., :3]) / tree.mass) < 1e-14


def test_centre_of_mass_coriolis_matrix():
    """Ṁ_red − 2C_red is skew, and C_red (ω, w) is what is left of C v."""
    tree = spacecraft(17)
    q, v, _ = random_state(tree, 18)
    form = centre_of_mass_form(tree, q, v)
    dM = mass_matrix_derivatives(tree, q)
    M_dot, M = np.einsum("kij,k->ij", dM, v), mass_matrix(tree, q)
    half = M_dot[3:, :3] @ M[:3, 3:] / tree.mass
    rate = M_dot[3:, 3:] - half - half.T
    defect = rate - 2 * form.coriolis
    assert np.abs(defect + defect.T).max() < 1e-12 * np.abs(rate).max()
    bias = coriolis_matrix(tree, q, v) @ v
    left = bias[3:] - M[3:, :3] @ bias[:3] / tree.mass
    assert relative(form.coriolis @ v[3:], left) < 1e-12


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (random_tree(0, ["Planar", "Revolute"]), "expected a vehicle with a Free joint, given Planar"),
        (random_tree(0, ["Free", "Free"], vehicles=2), "expected one vehicle, given b0, b1"),
        (random_tree(0, ["Free", "Revolute"], added_mass=True), "expected a rigid body's inertia"),
        (random_tree(0, ["Free", "Revolute"], armature=True), "expected a vehicle without armature"),
    ],
    ids=["group", "two", "added mass", "armature"],
)
def test_centre_of_mass_form_says_why_it_is_refused(tree, reason):
    q, v, _ = random_state(tree, 0)
    with pytest.raises(ModelError, match=reason):
        centre_of_mass_form(tree, q, v)


def test_free_flying_is_forward_dynamics():
    tree = spacecraft(19)
    q, v, tau = random_state(tree, 20)
    motion = free_flying(tree, q, v, tau)
    assert relative(inverse_dynamics(tree, q, v, motion.acceleration, NO_GRAVITY), tau) < 1e-12


def test_attitude_controlled():
    tree = spacecraft(21)
    q, v, tau = random_state(tree, 22, (2,))
    tau[..., :6] = 0.0
    wanted = np.zeros(tree.nv)
    wanted[3:6] = [0.1, -0.2, 0.3]
    motion = attitude_controlled(tree, q, v, tau, wanted, "b0")
    assert np.abs(motion.acceleration[..., 3:6] - wanted[3:6]).max() < 1e-14
    assert np.abs(motion.tau[..., :3]).max() == 0.0
    assert relative(inverse_dynamics(tree, q, v, motion.acceleration, NO_GRAVITY), motion.tau) < 1e-11
    # the same torques drive the centre-of-mass form to the same accelerations
    assert relative(attitude_dynamics(tree, q, v, motion.tau)[0], motion.acceleration[..., 3:]) < 1e-11


def test_attitude_control_needs_a_vehicle_that_turns():
    tree = random_tree(0, ["Translation3", "Revolute"])
    q, v, tau = random_state(tree, 0)
    with pytest.raises(ModelError, match="b0: attitude control: expected a vehicle that can turn"):
        attitude_controlled(tree, q, v, tau, 0 * v, "b0")


def test_held_fixed():
    tree = spacecraft(23)
    q, v, tau = random_state(tree, 24)
    motion = held_fixed(tree, q, v, tau, "b0")
    still = np.concatenate([np.zeros(6), v[6:]])
    assert np.abs(motion.acceleration[:6]).max() == 0.0
    assert relative(inverse_dynamics(tree, q, still, motion.acceleration, NO_GRAVITY), motion.tau) < 1e-12
    assert relative(motion.tau[6:], tau[6:]) < 1e-15
    # the holding wrench is the rate of the momentum, seen in the vehicle's axes
    assert np.abs(motion.tau[:6]).max() > 0.1


def test_centre_of_mass_in_the_mass_matrix():
    """M[0:3, 3:6] = −m_t r̂_cm."""
    tree = spacecraft(25)
    q, _, _ = random_state(tree, 26)
    g = tree.bodies[0].at.matrix @ np.block(
        [[q[:9].reshape(3, 3), q[9:12, None]], [np.zeros((1, 3)), np.ones((1, 1))]]
    )
    r = g[:3, :3].T @ (centre_of_mass(tree, q) - g[:3, 3])
    block = mass_matrix(tree, q)[:3, 3:6] / tree.mass
    assert relative(np.array([block[1, 2], block[2, 0], block[0, 1]]), r) < 1e-13


def test_methods_run_compiled():
    tree = spacecraft(27, ("Free", "Revolute", "Cylindrical"))
    system = System(tree)
    q, v, tau = random_state(tree, 28, (5,))
    for call in (
        lambda backend: system.free_floating(q, v, tau, backend=backend),
        lambda backend: system.free_floating(q, v, tau, momentum=np.ones(6), backend=backend),
        lambda backend: system.free_flying(q, v, tau, backend=backend),
        lambda backend: system.attitude_controlled(q, v, tau, backend=backend),
        lambda backend: system.held_fixed(q, v, tau, backend=backend),
        lambda backend: system.centre_of_mass_form(q, v, backend=backend),
        lambda backend: system.attitude_dynamics(q, v, tau, backend=backend),
    ):
        for compiled, plain in zip(call("cpu"), call("numpy"), strict=True):
            assert np.abs(compiled - plain).max() <= 1e-12 * max(1.0, np.abs(plain).max())
    assert system.free_floating(q[0]).inertia.shape == (3, 3)
    with pytest.raises(ModelError, match=r"momentum: expected shape \(\.\.\., 6\)"):
        system.free_floating(q, v, momentum=np.zeros(3))
