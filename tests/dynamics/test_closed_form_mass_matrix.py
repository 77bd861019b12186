"""Mass matrix from Jacobians, and its derivatives against 50-digit differences and the papers' long form."""

import numpy as np
import pytest
from tests.support.fifty_digits import derivative
from tests.support.random_trees import ALL_KINDS, random_state, random_tree

from unmoored.dynamics import configuration, kinematics
from unmoored.dynamics import mass_matrix as composite
from unmoored.dynamics.closed_form.mass_matrix_from_jacobians import mass_matrix, mass_matrix_derivatives
from unmoored.dynamics.recursive import forward_dynamics
from unmoored.lie import se3
from unmoored.trace import evaluate, trace

RELATIVE = 1e-13
TREES = {
    "all joints, added mass": random_tree(2, ALL_KINDS, added_mass=True, armature=True),
    "reversed": random_tree(3, tuple(reversed(ALL_KINDS)), armature=True),
    "two vehicles": random_tree(4, ["Free", "Planar", "Revolute", "Spherical", "Universal"], vehicles=2),
}
CASES = pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())


def assert_close(ours, theirs, relative=RELATIVE):
    assert np.abs(ours - theirs).max() <= relative * np.abs(theirs).max()


@CASES
def test_jacobians_and_composite_inertias_give_the_same_matrix(tree):
    q, _, _ = random_state(tree, 0, (2, 2))
    assert_close(mass_matrix(tree, q), composite.mass_matrix(tree, q))


@pytest.mark.parametrize("kind", [kind for kind in ALL_KINDS if kind != "Fixed"])
@pytest.mark.parametrize("place", ["vehicle", "arm"])
def test_derivatives_against_differences_with_fifty_digits(kind, place):
    kinds = [kind, "Revolute", "Spherical"] if place == "vehicle" else ["Planar", kind, "Prismatic"]
    tree = random_tree(7, kinds, branching=False, added_mass=True, armature=True)
    q, _, direction = random_state(tree, 1)
    exact = derivative(
        lambda q: composite.mass_matrix(tree, q),
        q,
        direction,
        lambda q, dq: configuration.retract(tree, q, dq),
    )
    assert_close(np.einsum("kij,k->ij", mass_matrix_derivatives(tree, q), direction), exact)


@CASES
def test_the_kinetic_energy_does_not_know_where_the_whole_system_is(tree):
    q, _, _ = random_state(tree, 2, (2,))
    dM = mass_matrix_derivatives(tree, q)
    for name in tree.vehicles:
        if tree.link(name).joint.constant_basis:
            assert np.abs(dM[..., tree.dofs(name), :, :]).max(initial=0.0) == 0.0
    assert np.array_equal(dM, np.swapaxes(dM, -1, -2))


def long_form(tree, q, k):
    """∂M/∂q_k as printed in From et al. 2010, appendix B, for a vehicle and a serial arm of 1-DoF joints.

    In base axes, with twists X of each joint in the frame of the link before it; F14 of the errata applied.
    """
    base, arm = tree.links[0], tree.links[1:]
    H, n = base.joint.basis(q[base.q]), len(arm)
    from_base = [se3.inverse(kinematics.pose(tree, q, "b0")) @ g for g in kinematics.body_poses(tree, q)]
    relative = [link.joint.transform(q[link.q]) for link in arm]
    S = [link.joint.basis(q[link.q])[:, 0] for link in arm]
    X = [se3.Ad(link.placement @ h) @ s for link, h, s in zip(arm, relative, S, strict=True)]
    dS = [link.joint.basis_derivatives(q[link.q]) for link in arm]
    # X = Ad_g S with ġ = g hat(S q̇), and ad_S S = 0: so dX/dq = Ad_g dS/dq
    dX = [
        np.zeros(6) if d is None else se3.Ad(link.placement @ h) @ d[0, :, 0]
        for link, h, d in zip(arm, relative, dS, strict=True)
    ]

    def d_Ad_from_base(i):  # ∂Ad_{g_bi}/∂q_k, eq. (63): zero unless k ≤ i
        if k > i:
            return np.zeros((6, 6))
        return (
            se3.Ad(from_base[k - 1]) @ se3.ad(X[k - 1]) @ se3.Ad(se3.inverse(from_base[k - 1]) @ from_base[i])
        )

    total = np.zeros((H.shape[1] + n,) * 2)
    for i in range(k, n + 1):
        J = np.stack([se3.Ad(from_base[j]) @ X[j] if j < i else np.zeros(6) for j in range(n)], axis=1)
        dJ = np.stack([d_Ad_from_base(j) @ X[j] if j < i else np.zeros(6) for j in range(n)], axis=1)
        dJ[:, k - 1] += se3.Ad(from_base[k - 1]) @ dX[k - 1]
        to_link = se3.Ad(se3.inverse(from_base[i]))
        d_to_link = -to_link @ d_Ad_from_base(i) @ to_link
        I = tree.links[i].inertia
        both, d_both = np.hstack([H, J]), np.hstack([np.zeros_like(H), dJ])
        half = both.T @ to_link.T @ I @ (d_to_link @ both + to_link @ d_both)
        total += half + half.T
    return total


@pytest.mark.parametrize("vehicle", ["Free", "Spherical", "Planar", "Schoenflies"])
def test_long_form_of_the_paper_with_constant_and_varying_twists(vehicle):
    tree = random_tree(5, [vehicle, "Revolute", "Custom", "Helical", "Custom", "Prismatic"], branching=False)
    q, _, _ = random_state(tree, 3)
    dM = mass_matrix_derivatives(tree, q)
    for k in range(1, len(tree.links)):
        assert_close(dM[tree.links[k].v.start], long_form(tree, q, k))


@pytest.mark.parametrize("function", [mass_matrix, mass_matrix_derivatives])
def test_on_symbols(function):
    tree = random_tree(
        6, ["Free", "Universal", "Custom", "Spherical", "Revolute"], added_mass=True, armature=True
    )
    q, _, _ = random_state(tree, 4, (3,))
    assert_close(evaluate(trace(lambda q: function(tree, q), (tree.nq,)), q), function(tree, q))


@CASES
def test_inverse_mass_matrix(tree):
    """Against articulated bodies, which never form M: column k is the acceleration under a unit force."""
    q, _, _ = random_state(tree, 9, (2,))
    inverse = composite.inverse_mass_matrix(tree, q)
    still = np.zeros(tree.nv)
    columns = [forward_dynamics(tree, q, still, unit, np.zeros(3)) for unit in np.eye(tree.nv)]
    assert_close(inverse, np.stack(columns, axis=-1), 1e-10)
    assert_close(
        inverse @ mass_matrix(tree, q), np.broadcast_to(np.eye(tree.nv), (2, tree.nv, tree.nv)), 1e-10
    )
    traced = trace(lambda q: composite.inverse_mass_matrix(tree, q), (tree.nq,), name="inverse")
    assert_close(evaluate(traced, q[0]), inverse[0], 1e-10)
