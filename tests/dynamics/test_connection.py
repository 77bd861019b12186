"""The mechanical connection: spatial form, horizontal and vertical parts, derivatives (docs/theory.md §8)."""

import numpy as np
import pytest
from tests.support.fifty_digits import derivative
from tests.support.random_trees import random_state, random_tree
from tests.support.thinning import one_in

from unmoored.dynamics.comparisons.stacked_operators import stacked_derivatives
from unmoored.dynamics.configuration import retract
from unmoored.dynamics.kinematics import body_velocities
from unmoored.dynamics.lagrange_poincare import (
    connection_derivatives,
    horizontal_velocity,
    locked_inertia,
    locked_inertia_derivatives,
    mechanical_connection,
    shape_inertia,
    shape_inertia_derivatives,
    spatial_connection,
    vertical_velocity,
)
from unmoored.dynamics.lagrange_poincare.vehicle_split import split
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.momentum import generalized_momentum, momentum, momentum_matrix
from unmoored.lie import se3
from unmoored.model.joints import numbers_from_pose, pose_from_numbers
from unmoored.trace import evaluate, trace

MIXED = ("Revolute", "Spherical", "Prismatic", "Planar", "Universal", "Helical", "Custom", "Free", "Fixed")
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


def relative(ours, theirs):
    return np.abs(ours - theirs).max() / np.abs(theirs).max()


def apply(A, x):
    return (A @ x[..., None])[..., 0]


@pytest.mark.parametrize("base", BASES)
def test_horizontal_and_vertical_parts(base):
    """They add up to v; one has no momentum of the vehicle, the other does not change the shape; T splits."""
    tree = random_tree(3, [base, *MIXED], added_mass=True)
    at = split(tree, "b0")
    q, v, _ = random_state(tree, 4, (5,))
    hor, ver = horizontal_velocity(tree, q, v, "b0"), vertical_velocity(tree, q, v, "b0")
    assert np.abs(hor + ver - v).max() < 1e-13
    p = generalized_momentum(tree, q, v)
    assert np.abs(at.vehicle(generalized_momentum(tree, q, hor))).max() < 1e-13 * np.abs(p).max()
    assert relative(at.vehicle(generalized_momentum(tree, q, ver)), at.vehicle(p)) < 1e-13
    assert np.all(at.others(ver) == 0.0)
    assert np.abs((hor * apply(mass_matrix(tree, q), ver)).sum(axis=-1)).max() < 1e-12 * np.abs(p).max()


@pytest.mark.parametrize("base", BASES)
def test_spatial_connection_gives_the_locked_velocity_and_turns_with_the_world(base):
    tree = random_tree(5, [base, *MIXED])
    at = split(tree, "b0")
    group, slot = at.joint.group, at.link.q
    q, v, _ = random_state(tree, 6, (4,))
    locked = apply(spatial_connection(tree, q, "b0"), v)
    h = at.joint.transform(q[..., slot])
    Ω = at.vehicle(vertical_velocity(tree, q, v, "b0"))
    assert relative(apply(group.Ad(se3.inverse(h)), locked), Ω) < 1e-12
    # the infinitesimal generator of ξ is reproduced: v = (Ad_{h⁻¹} ξ, 0)
    ξ = np.random.default_rng(7).normal(size=(4, len(at.group)))
    generator = at.joined(apply(group.Ad(se3.inverse(h)), ξ), np.zeros((4, len(at.shape))))
    assert relative(apply(spatial_connection(tree, q, "b0"), generator), ξ) < 1e-12
    # everything moved by k in the joint's frame: 𝒜 → Ad_k 𝒜
    k = group.exp(np.random.default_rng(8).normal(size=len(at.group)))
    moved = q.copy()
    moved[..., slot] = group.log(k @ h) if at.joint.nv == 1 else numbers_from_pose(k @ h)
    assert (
        relative(spatial_connection(tree, moved, "b0"), group.Ad(k) @ spatial_connection(tree, q, "b0"))
        < 1e-12
    )


def test_spatial_connection_of_a_free_vehicle_is_the_twist_of_the_welded_system_in_the_world():
    """μ = (locked inertia in world axes at the origin) 𝒜 v, and the welded bodies move with that twist."""
    tree = random_tree(9, ["Free", "Revolute", "Prismatic", "Spherical"])
    q, v, _ = random_state(tree, 10)
    welded = vertical_velocity(tree, q, v, "b0")
    twist = spatial_connection(tree, q, "b0") @ v
    # the joint's own placement is between the world and the frame that the joint sits in
    world = se3.Ad(tree.links[0].placement) @ twist
    base = tree.links[0].placement @ pose_from_numbers(q[:12])
    assert relative(se3.Ad(base) @ body_velocities(tree, q, welded)[0], world) < 1e-13
    assert relative(momentum_matrix(tree, q) @ welded, momentum(tree, q, v)) < 1e-13


@pytest.mark.parametrize("base", one_in(3, ["Free", "Planar", "PlanarHelical"], first=2))
def test_derivatives_against_fifty_digits(base):
    """∂M₀, ∂A and ∂M̂ along every shape velocity, also those of multi-DoF joints and of varying bases."""
    tree = random_tree(11, [base, "Revolute", "Spherical", "Universal"], added_mass=True, armature=True)
    at = split(tree, "b0")
    q, _, _ = random_state(tree, 12)
    pairs = (
        (locked_inertia, locked_inertia_derivatives),
        (mechanical_connection, connection_derivatives),
        (shape_inertia, shape_inertia_derivatives),
    )
    for function, derivatives in pairs:
        ours = derivatives(tree, q, "b0")
        for k, dof in enumerate(at.shape):
            exact = derivative(
                lambda x, f=function: f(tree, x, "b0"),
                q,
                np.eye(tree.nv)[dof],
                lambda x, dx: retract(tree, x, dx),
            )
            assert np.abs(ours[k] - exact).max() < 1e-12 * np.abs(ours).max()


def test_derivatives_against_the_stacked_operators():
    """(117), (122) and (119), (121) of Moghaddam & Chhabra, corrected, from the operators of a serial arm."""
    tree = random_tree(13, ["Free", "Revolute", "Helical", "Prismatic", "Revolute"], branching=False)
    q, _, _ = random_state(tree, 14)
    dM0, dM0m, dMm = stacked_derivatives(tree, q)
    M0, A = locked_inertia(tree, q, "b0"), mechanical_connection(tree, q, "b0")
    dA = np.linalg.solve(M0, dM0m - dM0 @ A)
    T = lambda X: np.swapaxes(X, -1, -2)  # noqa: E731
    assert relative(connection_derivatives(tree, q, "b0"), dA) < 1e-12
    dM_hat = dMm - (T(dA) @ M0 @ A + A.T @ dM0 @ A + A.T @ M0 @ dA)
    assert relative(shape_inertia_derivatives(tree, q, "b0"), dM_hat) < 1e-12
    assert relative(locked_inertia_derivatives(tree, q, "b0"), dM0) < 1e-12


def test_traced_as_on_numbers():
    tree = random_tree(15, ["Free", "Revolute", "Spherical"])
    q, v, _ = random_state(tree, 16)

    def everything(q, v):
        return (
            spatial_connection(tree, q, "b0"),
            horizontal_velocity(tree, q, v, "b0"),
            vertical_velocity(tree, q, v, "b0"),
            connection_derivatives(tree, q, "b0"),
            shape_inertia_derivatives(tree, q, "b0"),
        )

    traced = trace(everything, (tree.nq,), (tree.nv,), name="connection")
    for ours, theirs in zip(evaluate(traced, q, v), everything(q, v), strict=True):
        assert relative(ours, theirs) < 1e-12
