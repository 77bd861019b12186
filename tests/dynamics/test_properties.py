"""Reports on bounds, conditioning, skew-symmetry, coupling and dynamic singularities."""

import numpy as np
import pytest
from tests.support.random_trees import ALL_KINDS, random_state, random_tree

from unmoored.dynamics import properties
from unmoored.dynamics.closed_form.coriolis import FORMS
from unmoored.dynamics.jacobians import jacobian
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.properties.conservation import cumulative_integral
from unmoored.dynamics.underactuated.schur_complements import generalized_jacobian_dense
from unmoored.model import Body, Frame, Free, Inertia, Planar, Pose, Prismatic, Revolute, Tree

TREE = random_tree(2, ["Free", "Revolute", "Prismatic", "Revolute", "Spherical"], added_mass=True)


def test_inertia_bounds_hold_and_are_reached():
    q, _, _ = random_state(TREE, 0, (30,))
    bounds = properties.inertia_bounds(TREE, q)
    v = np.random.default_rng(1).normal(size=(30, 50, TREE.nv))
    ratio = np.einsum("bci,bij,bcj->bc", v, mass_matrix(TREE, q), v) / (v * v).sum(axis=-1)
    assert bounds.smallest <= ratio.min()
    assert ratio.max() <= bounds.largest
    for extreme, at, pick in (
        (bounds.smallest, bounds.smallest_at, 0),
        (bounds.largest, bounds.largest_at, -1),
    ):
        assert np.isclose(np.linalg.eigvalsh(mass_matrix(TREE, q[at]))[pick], extreme, rtol=1e-12, atol=0)
    assert np.isclose(
        bounds.worst_condition, properties.conditioning(TREE, q, scaled=False).max(), rtol=1e-12
    )


def slider(length_unit):
    """A turning and sliding arm on a cart, with lengths given in another unit."""
    u = length_unit
    cart = Inertia(5, (0.1 * u, 0, 0), np.eye(3) * u * u)
    return Tree(
        name="slider",
        bodies=(
            Body(name="cart", parent="world", joint=Planar(), inertia=cart),
            Body(
                name="arm", parent="cart", joint=Revolute((0, 0, 1)), at=Pose(xyz=(0.3 * u, 0, 0)),
                inertia=Inertia(2, (0.2 * u, 0.1 * u, 0), np.eye(3) * 0.1 * u * u),
            ),
            Body(
                name="rod", parent="arm", joint=Prismatic((1, 0, 0)),
                inertia=Inertia(1, (0.3 * u, 0.2 * u, 0)),
            ),
        ),
    )  # fmt: skip


def test_scaled_conditioning_does_not_depend_on_units():
    metres, feet = slider(1.0), slider(3.28)
    q = np.concatenate([np.eye(3).ravel(), np.zeros(3), [0.7, 0.4]])
    q_feet = np.concatenate([q[:-1], [0.4 * 3.28]])
    ours, theirs = properties.conditioning(metres, q), properties.conditioning(feet, q_feet)
    assert np.isclose(ours, theirs, rtol=1e-12)
    raw = [properties.conditioning(t, x, scaled=False) for t, x in ((metres, q), (feet, q_feet))]
    assert abs(raw[0] / raw[1] - 1) > 0.1


def test_skew_symmetry_defect_of_every_form():
    tree = random_tree(3, ALL_KINDS, added_mass=True, armature=True)
    q, v, _ = random_state(tree, 2, (5,))
    for form in FORMS:
        defect = properties.skew_symmetry_defect(tree, q, v, form)
        assert defect.shape == (5,)
        assert np.all(defect > 1e-2) if form == "papers" else np.all(defect <= 1e-13)
    assert np.array_equal(properties.skew_symmetry_defect(tree, q, 0 * v), np.zeros(5))


def test_coupling_between_vehicle_and_arm():
    q, _, _ = random_state(TREE, 3, (4,))
    report = properties.coupling(TREE, q, "b0")
    M = mass_matrix(TREE, q)
    V, A = np.arange(6), np.arange(6, TREE.nv)
    # the free vehicle's acceleration per arm acceleration makes no force on the vehicle
    assert np.abs(M[:, :6, :6] @ report.disturbance + M[:, :6, 6:]).max() <= 1e-11 * np.abs(M).max()
    # σ²: share of the inertia that is lost when the vehicle floats
    S = M[:, 6:, 6:] + M[:, 6:, :6] @ report.disturbance
    lost = np.linalg.eigvals(np.linalg.solve(M[:, A[:, None], A], S)).real
    kept = np.zeros((4, len(A)))
    kept[:, : report.correlations.shape[1]] = report.correlations**2
    assert np.allclose(np.sort(1 - lost, axis=-1)[:, ::-1], kept, atol=1e-12, rtol=0)
    assert np.all((report.correlations >= 0) & (report.correlations < 1))
    assert np.array_equal(report.reaction_free, np.full(4, len(A) - len(V) if len(A) > len(V) else 0))


def test_balanced_arm_is_uncoupled_from_the_translation():
    """A rotor about its own centre of mass at the vehicle's centre of mass pushes the vehicle nowhere."""
    tree = Tree(
        name="rotor",
        bodies=(
            Body(name="bus", parent="world", joint=Free(), inertia=Inertia(10, tensor=(1, 1, 1))),
            Body(
                name="rotor",
                parent="bus",
                joint=Revolute((0, 0, 1)),
                inertia=Inertia(1, tensor=(0.2, 0.2, 0.3)),
            ),
        ),
    )
    q = np.concatenate([np.eye(3).ravel(), np.zeros(3), [0.3]])
    report = properties.coupling(tree, q, "bus")
    assert np.allclose(report.disturbance[:, 0], [0, 0, 0, 0, 0, -0.3 / 1.3], atol=1e-15, rtol=0)
    assert np.allclose(report.correlations, [np.sqrt(0.3 / 1.3)], atol=1e-14, rtol=0)


def planar_space_robot():
    """Two links of length 1 on a free planar vehicle; all of the vehicle's three velocities are passive."""
    rod = Inertia(1, (0.5, 0, 0), (0, 1 / 12, 1 / 12))
    return Tree(
        name="planar space robot",
        bodies=(
            Body(name="bus", parent="world", joint=Planar(), inertia=Inertia(4, tensor=(1, 1, 1))),
            Body(
                name="upper", parent="bus", joint=Revolute((0, 0, 1)), inertia=rod, at=Pose(xyz=(0.5, 0, 0))
            ),
            Body(
                name="lower", parent="upper", joint=Revolute((0, 0, 1)), inertia=rod, at=Pose(xyz=(1, 0, 0))
            ),
        ),
        frames=(Frame(name="hand", parent="lower", at=Pose(xyz=(1, 0, 0))),),
    )


def test_dynamic_singularity_is_where_the_generalized_jacobian_loses_rank():
    """Found where det J_G changes sign, away from the kinematic singularities q2 = 0, π of the same arm."""
    tree = planar_space_robot()

    def at(q1, q2):
        return np.concatenate([np.eye(3).ravel(), np.zeros(3), [q1, q2]])

    def determinant(q2):
        return np.linalg.det(generalized_jacobian_dense(tree, at(1.2, q2), "hand", tree.dofs("bus"))[:2])

    low, high = -0.9, 0.9
    assert determinant(low) * determinant(high) < 0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if determinant(low) * determinant(middle) > 0 else (low, middle)
    singular = at(1.2, low)
    report = properties.dynamic_singularity(tree, singular, "hand", ["bus"], rows=(0, 1))
    assert abs(low) > 1e-2
    assert report.smallest <= 1e-14
    assert np.linalg.svd(jacobian(tree, singular, "hand")[:2, 3:], compute_uv=False)[-1] > 1e-3
    assert np.isclose(report.manipulability, report.singular_values.prod(), atol=1e-15)
    batch = properties.dynamic_singularity(
        tree, np.stack([singular, at(0.3, 1.1)]), "hand", ["bus"], rows=(0, 1)
    )
    assert batch.smallest.shape == (2,)
    assert batch.smallest[1] > 0.1


def test_generalized_jacobian_of_a_floating_system_keeps_the_momentum_at_zero():
    tree = planar_space_robot()
    q, v, _ = random_state(tree, 4)
    M = mass_matrix(tree, q)
    v[:3] = -np.linalg.solve(M[:3, :3], M[:3, 3:] @ v[3:])
    J_G = generalized_jacobian_dense(tree, q, "hand", tree.dofs("bus"))
    assert np.allclose(J_G @ v[3:], jacobian(tree, q, "hand") @ v, atol=1e-14, rtol=0)


@pytest.mark.parametrize("n", [50, 100])
def test_integral_of_samples_is_of_fourth_order(n):
    t = np.linspace(0, 2, n + 1)
    errors = np.abs(cumulative_integral(t, np.exp(t)) - (np.exp(t) - 1))
    assert errors[-1] <= 0.2 * np.exp(2) * (2 / n) ** 4
