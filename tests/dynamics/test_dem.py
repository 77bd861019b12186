"""The equivalent manipulator moves like the spacecraft, whatever its momentum (docs/theory.md §10)."""

from dataclasses import replace

import numpy as np
import pytest
from tests.support.group_integration import integrate
from tests.support.random_trees import random_state, random_tree

from unmoored.dynamics.kinematics import centre_of_mass, pose
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.momentum import momentum
from unmoored.dynamics.recursive import forward_dynamics
from unmoored.dynamics.spacecraft import centre_of_mass_form
from unmoored.model import Helical, Inertia, ModelError, Prismatic, Spherical, Tree
from unmoored.system import System

NO_GRAVITY = np.zeros(3)
ARM = ("Revolute", "Prismatic", "Helical", "Fixed", "Custom", "Translation1", "Revolute")


def relative(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


def servicer(seed=5, arm=ARM) -> System:
    return System(random_tree(seed, ["Free", *arm], branching=False))


def accelerations(tree, q, v, tau):
    return forward_dynamics(tree, q, v, tau, NO_GRAVITY)


@pytest.mark.parametrize("seed", range(5))
def test_same_inertia_and_accelerations(seed):
    system = servicer(seed)
    dem = system.dynamically_equivalent_manipulator()
    q, v, tau = random_state(system.tree, seed + 10, (4,))
    tau[..., :3] = 0.0  # a torque on the vehicle is allowed, a force is not
    q_dem, v_dem = system.equivalent_manipulator_state(q, v)
    form = centre_of_mass_form(system.tree, q, v)
    assert relative(mass_matrix(dem.tree, q_dem), form.inertia) < 1e-12
    a = accelerations(system.tree, q, v, tau)
    assert relative(accelerations(dem.tree, q_dem, v_dem, tau[..., 3:]), a[..., 3:]) < 1e-11


def test_same_motion_with_linear_and_angular_momentum():
    system = servicer(6, ("Revolute", "Prismatic", "Helical", "Revolute"))
    dem = system.dynamically_equivalent_manipulator()
    q, v, tau = random_state(system.tree, 7)
    tau[:3] = 0.0
    μ = momentum(system.tree, q, v, about="com")
    assert np.abs(μ[:3]).min() > 0.1
    assert np.abs(μ[3:]).min() > 0.1

    def motion(system, tau):
        return lambda t, q, v: (v, system.forward_dynamics(q, v, np.cos(3 * t) * tau))

    start = system.equivalent_manipulator_state(q, v)
    q1, v1 = integrate(system, q, v, motion(system, tau), 1.0, 1000)
    q2, v2 = integrate(dem, *start, motion(dem, tau[3:]), 1.0, 1000)
    expected_q, expected_v = system.equivalent_manipulator_state(q1, v1)
    assert np.abs(q1[12:] - q[12:]).max() > 0.1
    assert np.abs(q2 - expected_q).max() < 1e-10
    assert np.abs(v2 - expected_v).max() < 1e-9


def test_end_point_is_the_tool_relative_to_the_centre_of_mass():
    system = servicer(8)
    dem = system.dynamically_equivalent_manipulator()
    q, v, _ = random_state(system.tree, 9)
    expected = pose(system.tree, q, "tool")
    expected[:3, 3] -= centre_of_mass(system.tree, q)
    assert (
        np.abs(pose(dem.tree, system.equivalent_manipulator_state(q, v)[0], "tool") - expected).max() < 1e-14
    )


def test_joints_keep_their_coordinates_and_only_sliding_is_scaled():
    system = servicer(10, ("Revolute", "Helical", "Prismatic"))
    dem = system.dynamically_equivalent_manipulator()
    assert isinstance(dem.tree.bodies[0].joint, Spherical)
    assert dem.names == system.names
    assert dem.tree.bodies[1].joint == system.tree.bodies[1].joint
    share = sum(body.inertia.mass for body in system.tree.bodies[:2]) / system.mass
    screw, scaled = system.tree.bodies[2].joint, dem.tree.bodies[2].joint
    assert isinstance(screw, Helical)
    assert scaled == replace(screw, pitch=screw.pitch * share)
    slide = dem.tree.bodies[3].joint
    share = sum(body.inertia.mass for body in system.tree.bodies[:3]) / system.mass
    x = np.array([0.4])
    assert np.abs(slide.transform(x)[:3, 3] - share * 0.4 * system.tree.bodies[3].joint.axis).max() < 1e-16


def test_unscaled_sliding_or_a_force_breaks_the_equivalence():
    """Errata F26: the conditions matter."""
    system = servicer(11, ("Revolute", "Prismatic", "Revolute"))
    dem = system.dynamically_equivalent_manipulator().tree
    q, v, tau = random_state(system.tree, 12)
    tau[:6] = 0.0
    q_dem, v_dem = system.equivalent_manipulator_state(q, v)
    a = accelerations(system.tree, q, v, tau)
    slide = system.tree.bodies[2].joint
    assert isinstance(slide, Prismatic)
    unscaled = replace(
        dem, bodies=tuple(replace(b, joint=slide) if b.name == "b2" else b for b in dem.bodies)
    )
    assert relative(accelerations(unscaled, q_dem, v_dem, tau[3:]), a[3:]) > 0.01
    tau[:3] = [10.0, -5.0, 3.0]
    pushed = accelerations(system.tree, q, v, tau)
    assert relative(accelerations(dem, q_dem, v_dem, tau[3:]), pushed[3:]) > 0.01


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (random_tree(0, ["Planar", "Revolute"]), "b0: .* expected a vehicle with a Free joint, given Planar"),
        (random_tree(0, ["Free", "Free"], vehicles=2), "expected one vehicle, given b0, b1"),
        (
            random_tree(0, ["Free", "Spherical"]),
            "b1: .* expected joints with one DoF, given Spherical, 3 DoF",
        ),
        (
            random_tree(0, ["Free", "Universal"]),
            "b1: .* expected joints with one DoF, given Universal, 2 DoF",
        ),
        (random_tree(0, ["Free", "Revolute"], added_mass=True), "b0: .* expected a rigid body's inertia"),
        (random_tree(0, ["Free", "Revolute"], armature=True), "b0: .* expected a vehicle without armature"),
        (
            random_tree(2, ["Free", "Revolute", "Revolute", "Revolute"]),
            "expected a serial arm, given a branch",
        ),
    ],
    ids=["group", "two", "ball", "universal", "added mass", "armature", "branch"],
)
def test_refused_where_it_does_not_exist(tree, reason):
    with pytest.raises(ModelError, match=reason):
        System(tree).dynamically_equivalent_manipulator()


def test_a_vehicle_without_mass_is_refused():
    tree = random_tree(0, ["Free", "Revolute"])
    light = replace(tree.bodies[0], inertia=Inertia(0.0, (0, 0, 0), (1, 1, 1)))
    with pytest.raises(ModelError, match="expected a vehicle with mass"):
        System(Tree(name="light", bodies=(light, *tree.bodies[1:]))).dynamically_equivalent_manipulator()


def test_compiled_like_any_system():
    dem = servicer(13, ("Revolute", "Prismatic")).dynamically_equivalent_manipulator()
    q, v, tau = random_state(dem.tree, 14, (3,))
    a = dem.forward_dynamics(q, v, tau)
    assert np.abs(a - dem.forward_dynamics(q, v, tau, backend="numpy")).max() < 1e-12 * np.abs(a).max()


@pytest.mark.parametrize("kinds", [ARM, ("Revolute", "Spherical", "Revolute", "Universal", "Prismatic")])
def test_barycentric_vectors_lead_from_the_centre_of_mass_to_any_frame(kinds):
    """Branched trees too; against poses and the centre of mass."""
    system = System(random_tree(3, ["Free", *kinds]))
    q, _, _ = random_state(system.tree, 4, (3,))
    for name in (*system.names, "tool"):
        found = system.virtual_manipulator(q, name)
        g = system.pose(q, name)
        assert np.abs(found.joints[..., 0, :] - system.centre_of_mass(q)).max() < 1e-14
        assert np.abs(found.joints[..., -1, :] - g[..., :3, 3]).max() < 1e-13
        assert np.array_equal(found.vectors, system.barycentric_vectors(q, name))
        seen = g.copy()
        seen[..., :3, 3] -= system.centre_of_mass(q)
        moved = q.copy()
        moved[..., 9:12] = 0.0  # where the vehicle is does not count
        assert np.abs(system.equivalent_manipulator_pose(moved, name) - seen).max() < 1e-13


def test_vectors_are_constant_where_joints_turn_and_are_the_links_of_the_equivalent_manipulator():
    system = servicer(13, ("Revolute", "Revolute", "Revolute"))
    q, v, _ = random_state(system.tree, 14, (2,))
    b = system.barycentric_vectors(q, "tool")
    assert np.abs(b[0] - b[1]).max() < 1e-14
    dem = system.dynamically_equivalent_manipulator()
    q_dem, _ = system.equivalent_manipulator_state(q, v)
    joints = system.virtual_manipulator(q, "tool").joints - system.centre_of_mass(q)[:, None]
    for k, name in enumerate(system.names[1:], start=1):  # the vector of body k ends at joint k + 1
        assert np.abs(joints[:, k] - dem.pose(q_dem, name)[:, :3, 3]).max() < 1e-14
    assert np.abs(joints[:, -1] - system.equivalent_manipulator_pose(q_dem, "tool")[:, :3, 3]).max() < 1e-14


def test_vectors_are_refused_where_they_do_not_exist():
    two = System(random_tree(0, ["Free", "Free"], vehicles=2))
    with pytest.raises(ModelError, match="expected one vehicle, given b0, b1"):
        two.barycentric_vectors(two.neutral(), "b1")
    wet = System(random_tree(0, ["Free", "Revolute"], added_mass=True))
    with pytest.raises(ModelError, match="expected a rigid body's inertia"):
        wet.barycentric_vectors(wet.neutral(), "b1")
