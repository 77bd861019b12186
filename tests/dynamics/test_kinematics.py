"""Kinematics: two independent paths, time derivatives by differences, batches, symbols."""

import numpy as np
import pytest
from tests.support.random_trees import ALL_KINDS, random_state, random_tree

from unmoored.dynamics import configuration, jacobians, kinematics
from unmoored.dynamics.analytic_jacobian import analytic_jacobian
from unmoored.dynamics.comparisons import product_of_exponentials as poe
from unmoored.lie import se3, so3
from unmoored.trace import evaluate, trace

TREES = {
    "chain": random_tree(1, ["Free", "Revolute", "Prismatic", "Helical", "Revolute"], branching=False),
    "all joints": random_tree(2, ALL_KINDS),
    "reversed": random_tree(3, tuple(reversed(ALL_KINDS))),
    "two vehicles": random_tree(
        4, ["Free", "Planar", "Revolute", "Spherical", "Universal", "Custom"], vehicles=2
    ),
    "fixed base": random_tree(5, ["Revolute", "Universal", "Cylindrical", "Revolute"], branching=False),
}
CASES = pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())
FRAMES = ("tool", "b0", "world")


def time_derivative(tree, q, v, function, ε=1e-2):
    """d/dt function(q) along retract(q, t v), central differences of order 8: error about ε⁸."""
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    at = {k: function(configuration.retract(tree, q, k * ε * v)) for k in range(-4, 5)}
    return sum(w * (at[k] - at[-k]) for k, w in weights.items()) / ε


@CASES
def test_poses_by_recursion_and_by_product_of_exponentials(tree):
    q, _, _ = random_state(tree, 0, (4,))
    for body in tree.names:
        assert np.allclose(
            kinematics.pose(tree, q, body), poe.product_pose(tree, q, body), atol=2e-14, rtol=0
        )


@CASES
def test_spatial_jacobian_by_product_of_exponentials(tree):
    q, _, _ = random_state(tree, 1, (4,))
    for body in tree.names:
        ours, theirs = jacobians.spatial_jacobian(tree, q, body), poe.product_jacobian(tree, q, body)
        assert np.allclose(ours, theirs, atol=5e-14, rtol=0)


@CASES
@pytest.mark.parametrize("frame", FRAMES)
def test_velocity_is_the_derivative_of_the_pose(tree, frame):
    q, v, _ = random_state(tree, 2)
    g, g_dot = (
        kinematics.pose(tree, q, frame),
        time_derivative(tree, q, v, lambda q: kinematics.pose(tree, q, frame)),
    )
    V = kinematics.velocity(tree, q, v, frame)
    assert np.allclose(se3.inverse(g) @ g_dot, se3.hat(V), atol=1e-9, rtol=0)
    assert np.allclose(jacobians.jacobian(tree, q, frame) @ v, V, atol=1e-13, rtol=0)
    assert np.allclose(jacobians.spatial_jacobian(tree, q, frame) @ v, se3.Ad(g) @ V, atol=1e-13, rtol=0)
    mixed = jacobians.mixed_jacobian(tree, q, frame) @ v
    assert np.allclose(mixed[:3], g_dot[:3, 3], atol=1e-9, rtol=0)
    assert np.allclose(so3.hat(mixed[3:]), g_dot[:3, :3] @ g[:3, :3].T, atol=1e-9, rtol=0)
    base = jacobians.base_jacobian(tree, q, frame, "b0") @ v
    assert np.allclose(se3.Ad(kinematics.pose(tree, q, "b0")) @ base, se3.Ad(g) @ V, atol=1e-12, rtol=0)


@CASES
@pytest.mark.parametrize("name", ["jacobian", "spatial_jacobian", "mixed_jacobian"])
def test_jacobian_derivatives(tree, name):
    q, v, _ = random_state(tree, 3)
    rate = time_derivative(tree, q, v, lambda q: getattr(jacobians, name)(tree, q, "tool"))
    exact = getattr(jacobians, f"{name}_derivative")(tree, q, v, "tool")
    assert np.allclose(exact, rate, atol=3e-9, rtol=0)


@CASES
def test_base_jacobian_derivative(tree):
    q, v, _ = random_state(tree, 4)
    rate = time_derivative(tree, q, v, lambda q: jacobians.base_jacobian(tree, q, "tool", "b0"))
    assert np.allclose(jacobians.base_jacobian_derivative(tree, q, v, "tool", "b0"), rate, atol=3e-9, rtol=0)


@CASES
def test_acceleration_is_j_a_plus_jdot_v(tree):
    q, v, a = random_state(tree, 5, (3,))
    ours = kinematics.acceleration(tree, q, v, a, "tool")
    J, J_dot = jacobians.jacobian(tree, q, "tool"), jacobians.jacobian_derivative(tree, q, v, "tool")
    assert np.allclose(ours, (J @ a[..., None] + J_dot @ v[..., None])[..., 0], atol=1e-12, rtol=0)


@CASES
def test_centre_of_mass(tree):
    q, v, _ = random_state(tree, 6)
    poses = kinematics.body_poses(tree, q)
    moments = sum(
        link.mass * (g @ np.append(link.com, 1))[:3] for link, g in zip(tree.links, poses, strict=True)
    )
    assert np.allclose(kinematics.centre_of_mass(tree, q), moments / tree.mass, atol=1e-14, rtol=0)
    rate = time_derivative(tree, q, v, lambda q: kinematics.centre_of_mass(tree, q))
    assert np.allclose(jacobians.centre_of_mass_jacobian(tree, q) @ v, rate, atol=1e-9, rtol=0)


COORDINATES = {"euler_zyx": so3.euler_zyx, "quaternion_wxyz": so3.quaternion_wxyz, "rotation_vector": so3.log}


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_analytic_jacobian(coordinates):
    tree = TREES["chain"]
    q, v, _ = random_state(tree, 7)

    def coordinates_of(q):
        g = kinematics.pose(tree, q, "tool")
        return np.concatenate([g[:3, 3], COORDINATES[coordinates](g[:3, :3])])

    rate = time_derivative(tree, q, v, coordinates_of, ε=2e-3)
    assert np.allclose(analytic_jacobian(tree, q, "tool", coordinates) @ v, rate, atol=1e-9, rtol=0)


def test_batches_are_samples_one_by_one():
    tree = TREES["all joints"]
    q, v, a = random_state(tree, 8, (2, 3))
    J = jacobians.jacobian_derivative(tree, q, v, "tool")
    A = kinematics.acceleration(tree, q, v, a, "tool")
    for i in np.ndindex(2, 3):
        assert np.allclose(J[i], jacobians.jacobian_derivative(tree, q[i], v[i], "tool"), atol=1e-14, rtol=0)
        assert np.allclose(A[i], kinematics.acceleration(tree, q[i], v[i], a[i], "tool"), atol=1e-13, rtol=0)


def test_batch_of_one_argument_broadcasts_over_the_other():
    tree = TREES["two vehicles"]
    q, v, _ = random_state(tree, 9, (3,))
    assert np.allclose(
        kinematics.velocity(tree, q[0], v, "tool")[2], kinematics.velocity(tree, q[0], v[2], "tool")
    )
    assert kinematics.velocity(tree, q, v[0], "tool").shape == (3, 6)


@CASES
def test_the_same_code_runs_on_symbols(tree):
    q, v, a = random_state(tree, 10, (3,))
    functions = {
        "pose": (lambda q: kinematics.pose(tree, q, "tool"), (q,)),
        "jacobian rate": (lambda q, v: jacobians.mixed_jacobian_derivative(tree, q, v, "tool"), (q, v)),
        "acceleration": (lambda q, v, a: kinematics.acceleration(tree, q, v, a, "tool"), (q, v, a)),
        "centre of mass": (lambda q: kinematics.centre_of_mass(tree, q), (q,)),
        "retract": (lambda q, v: configuration.retract(tree, q, v), (q, v)),
        "local": (lambda q: configuration.local(tree, configuration.neutral(tree), q), (q,)),
    }
    for function, arrays in functions.values():
        traced = trace(function, *(x.shape[1:] for x in arrays))
        assert np.allclose(evaluate(traced, *arrays), function(*arrays), atol=1e-12, rtol=0)
