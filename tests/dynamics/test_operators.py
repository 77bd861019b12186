"""Every lemma of the spatial operators (Jain & Rodriguez 1993, with the errata), for chains and trees."""

import numpy as np
import pytest
from tests.support.random_trees import random_state, random_tree

from unmoored.dynamics import underactuated
from unmoored.dynamics.comparisons import spatial_operators as operators
from unmoored.dynamics.jacobians import jacobian
from unmoored.dynamics.joint_crossing import crossings
from unmoored.dynamics.kinematics import (
    body_accelerations,
    body_velocities,
    velocities_across,
    velocity_products,
)
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.recursive import hybrid_dynamics
from unmoored.dynamics.recursive.bias_wrenches import gyroscopic_wrench
from unmoored.model import ModelError

TREES = {
    "chain": random_tree(1, ["Free", "Revolute", "Spherical", "Helical", "Prismatic"], branching=False),
    "tree": random_tree(2, ["Free", "Revolute", "Planar", "Universal", "Revolute", "Prismatic"]),
    "added mass": random_tree(3, ["Schoenflies", "Revolute", "Revolute", "Spherical"], added_mass=True),
}
#: Passive DoFs by place: joints are split, the vehicle is passive, or the middle of the arm, or everything.
PATTERNS = {
    "vehicle": lambda nv: range(4),
    "middle": lambda nv: range(nv // 2, nv // 2 + 2),
    "every other": lambda nv: range(0, nv, 2),
    "all": lambda nv: range(nv),
}


@pytest.fixture(params=TREES, scope="module")
def tree(request):
    return TREES[request.param]


@pytest.fixture(params=PATTERNS, scope="module")
def case(request, tree):
    """(tree, q, passive, arm)."""
    q, _, _ = random_state(tree, 4)
    passive = tuple(PATTERNS[request.param](tree.nv))
    return tree, q, passive, operators.passive_arm(tree, q, passive)


def T(A):
    return np.swapaxes(A, -1, -2)


def assert_close(ours, theirs, relative=1e-12):
    assert ours.shape == theirs.shape
    scale = max(np.abs(theirs).max(initial=0.0), np.abs(ours).max(initial=0.0))
    assert np.abs(ours - theirs).max(initial=0.0) <= relative * scale


def unit(A):
    return np.eye(A.shape[-1])


def block(M, rows, columns):
    return M[np.ix_(rows, columns)]


def test_newton_euler_factorisation_and_velocities(tree):
    q, v, _ = random_state(tree, 3)
    ops = operators.stack(tree, q)
    assert_close(
        ops.H @ ops.phi @ ops.M @ T(ops.phi) @ T(ops.H), block(mass_matrix(tree, q), ops.dofs, ops.dofs)
    )
    V = T(ops.phi) @ T(ops.H) @ v[ops.dofs]
    assert_close(V, operators.stacked(ops, body_velocities(tree, q, v)))
    J = operators.frame_operator(tree, ops, "tool").T @ T(ops.phi) @ T(ops.H)
    assert_close(J, jacobian(tree, q, "tool")[:, ops.dofs])


def test_phi_is_unit_lower_triangular(tree):
    ops = operators.stack(tree, random_state(tree, 3)[0])
    np.testing.assert_array_equal(np.triu(ops.phi), unit(ops.phi))
    assert_close(ops.phi @ (unit(ops.phi) - ops.shift), unit(ops.phi))


def test_riccati_equation_of_the_articulated_inertias(case):
    """(4.8); the second form in its corrected version, erratum J6."""
    _, _, _, arm = case
    M, P = arm.base.M, arm.P
    assert_close(P - arm.shift @ P @ T(arm.shift), M)
    assert_close(P - arm.shift @ P @ T(arm.base.shift), M)
    assert np.abs(arm.tau_bar @ P @ T(arm.H_p)).max() < 1e-13 * np.abs(P).max()


def test_printed_form_of_the_riccati_equation_fails_for_inner_passive_hinges():
    """Erratum J6: P − 𝓔_φP𝓔_φᵀ is M only when no passive hinge is outboard of another body."""
    tree = TREES["chain"]
    q, _, _ = random_state(tree, 4)
    arm = operators.passive_arm(tree, q, (6, 7))
    wrong = arm.P - arm.base.shift @ arm.P @ T(arm.base.shift)
    assert np.abs(wrong - arm.base.M).max() > 0.01 * np.abs(arm.base.M).max()


def test_innovations_factorisation_of_the_passive_mass_matrix(case):
    """Lemmas 4.1, 4.2 and 4.3."""
    tree, q, _, arm = case
    M_pp = block(mass_matrix(tree, q), arm.dofs_p, arm.dofs_p)
    L = arm.innovations
    assert_close(L @ arm.D @ T(L), M_pp)
    assert_close(L @ arm.whitening, unit(L))
    assert_close(operators.passive_mass_matrix_inverse(arm), np.linalg.inv(M_pp), 1e-11)
    assert_close(arm.H_p @ arm.psi @ arm.base.M @ T(arm.psi) @ T(arm.H_p), arm.D)  # (A.11)


def test_operator_identities_of_the_appendix(case):
    """(A.1) to (A.9) with errata J15 and J16; x̃ = x − 1."""
    _, _, _, arm = case
    φ, ψ, P, M, K, H, Ω = arm.base.phi, arm.psi, arm.P, arm.base.M, arm.K, arm.H_p, arm.Omega
    one, φ_, ψ_ = unit(φ), φ - unit(φ), ψ - unit(ψ)
    assert_close(np.linalg.inv(ψ), np.linalg.inv(φ) + K @ H)
    assert_close(ψ @ K @ H @ φ, φ - ψ)
    assert_close(arm.whitening @ H @ φ, H @ ψ)
    assert_close(φ @ K @ arm.whitening, ψ @ K)
    assert_close(ψ @ M @ T(ψ), ψ_ @ P + P @ T(ψ))
    assert_close(φ @ M @ T(ψ), φ_ @ P + P @ T(ψ))
    assert_close(Ω @ M @ T(φ), T(φ) - (T(ψ) - Ω @ P))
    right = T(φ) @ T(H) @ (T(K) @ (T(ψ) - Ω @ P) + arm.D_inverse @ H @ ψ @ P)
    assert_close(Ω @ M @ T(φ), right)
    left = (ψ - P @ Ω) @ M @ T(φ)
    assert_close(left, (ψ - P @ Ω) @ P + P @ T(ψ_))
    assert_close(left, ψ @ M @ T(ψ) - P @ Ω @ P)
    assert_close(φ @ M @ Ω, φ - (ψ - P @ Ω))
    assert_close(ψ @ (one - arm.shift), one)


def test_projections(case):
    """Lemma 6.1, with the rank of 1 − 𝒯 corrected (erratum J9)."""
    _, _, passive, arm = case
    projector = operators.projection(arm)
    rest = unit(projector) - projector
    assert_close(projector @ projector, projector)
    assert_close(rest @ rest, rest)
    assert np.linalg.matrix_rank(projector, 1e-9) == len(passive)
    assert np.linalg.matrix_rank(rest, 1e-9) == len(projector) - len(passive)
    φ, ψ = arm.base.phi, arm.psi
    assert_close(rest @ T(φ), T(ψ) - arm.Omega @ arm.P)
    assert_close(rest @ T(ψ), T(ψ) - arm.Omega @ arm.P)
    assert np.abs(rest @ T(φ) @ T(arm.H_p)).max() < 1e-11 * np.abs(rest @ T(φ)).max()
    assert_close(arm.Omega @ arm.base.M @ arm.Omega, arm.Omega)


def test_schur_complements(case):
    """Lemma 5.1 and Lemma 6.2, whose right side is S_aa bordered by zeros (erratum J10)."""
    tree, q, _, arm = case
    M = mass_matrix(tree, q)
    M_aa = block(M, arm.dofs_a, arm.dofs_a)
    M_ap, M_pp = block(M, arm.dofs_a, arm.dofs_p), block(M, arm.dofs_p, arm.dofs_p)
    scale = max(np.abs(M).max(), 1.0)
    S_ap = M_ap @ np.linalg.inv(M_pp)
    assert_close(operators.active_to_passive(arm), S_ap, 1e-11)
    S_aa = M_aa - S_ap @ M_ap.T
    assert np.abs(operators.active_inertia(arm) - S_aa).max(initial=0.0) < 1e-12 * scale
    rest = unit(arm.P) - operators.projection(arm)
    felt = T(rest) @ arm.base.M @ rest
    φ, H = arm.base.phi, arm.base.H
    projected = H @ φ @ felt @ T(φ) @ T(H)
    is_active = np.isin(arm.base.dofs, arm.dofs_a)
    assert np.abs(projected[np.ix_(is_active, is_active)] - S_aa).max(initial=0.0) < 1e-12 * scale
    assert np.abs(projected[~is_active]).max(initial=0.0) < 1e-11 * scale


def test_generalized_and_disturbance_jacobians(case):
    """(6.11) and (6.13) against the recursion."""
    tree, q, passive, arm = case
    B = operators.frame_operator(tree, arm.base, "tool")
    J_G = underactuated.generalized_jacobian(tree, q, "tool", passive)
    J_D = underactuated.disturbance_jacobian(tree, q, passive)
    active, p = underactuated.active_dofs(tree, passive), underactuated.passive_dofs(tree, passive)
    columns = np.searchsorted(active, arm.dofs_a)
    assert_close(operators.generalized_jacobian(arm, B), J_G[:, columns])
    assert_close(operators.disturbance_jacobian(arm), J_D[np.ix_(np.searchsorted(p, arm.dofs_p), columns)])


def test_hybrid_dynamics_in_operator_form(case):
    """Lemma 5.2: passive accelerations, active forces and body accelerations."""
    tree, q, passive, arm = case
    _, v, a = random_state(tree, 6)
    tau = np.random.default_rng(6).normal(size=tree.nv)
    total, forces = hybrid_dynamics(
        tree, q, v, tau, a, underactuated.passive_mask(tree, passive), np.zeros(3)
    )
    xs = crossings(tree, q)
    Vs = velocities_across(tree, xs, v)
    coriolis = operators.stacked(arm.base, velocity_products(tree, xs, q, v, Vs))
    gyroscopic = operators.stacked(
        arm.base, [gyroscopic_wrench(link.inertia, V) for link, V in zip(tree.links, Vs, strict=True)]
    )
    given = tau[arm.dofs_p], a[arm.dofs_a]
    a_p, T_a, alpha = operators.hybrid_by_operators(arm, coriolis, gyroscopic, *given)
    assert_close(a_p, total[arm.dofs_p])
    assert_close(T_a, forces[arm.dofs_a])
    assert_close(alpha, operators.stacked(arm.base, body_accelerations(tree, q, v, total)))


def test_operators_take_batches():
    tree = TREES["tree"]
    q, _, _ = random_state(tree, 8, (2, 3))
    arms = operators.passive_arm(tree, q, (0, 3, 7))
    one = operators.passive_arm(tree, q[1, 2], (0, 3, 7))
    for name in ("P", "D", "G", "K", "psi", "Omega"):
        assert_close(getattr(arms, name)[1, 2], getattr(one, name))
    assert_close(
        operators.passive_mass_matrix_inverse(arms)[1, 2], operators.passive_mass_matrix_inverse(one)
    )


def test_armature_is_refused():
    tree = random_tree(2, ["Free", "Revolute"], armature=True)
    with pytest.raises(ModelError, match="armature"):
        operators.stack(tree, random_state(tree, 0)[0])
