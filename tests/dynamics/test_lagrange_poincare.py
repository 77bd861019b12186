"""Lagrange–Poincaré equations against the closed form, over all groups of vehicles (docs/theory.md §8)."""

import numpy as np
import pytest
from tests.support.random_trees import random_state, random_tree
from tests.support.thinning import one_in

from unmoored.dynamics.closed_form.closed_form_dynamics import closed_form_forward_dynamics
from unmoored.dynamics.closed_form.mass_matrix_from_jacobians import mass_matrix, mass_matrix_derivatives
from unmoored.dynamics.closed_form.potential_forces import potential_forces
from unmoored.dynamics.comparisons.stacked_operators import (
    operator_derivatives,
    stacked_derivatives,
    stacked_operators,
)
from unmoored.dynamics.configuration import retract
from unmoored.dynamics.kinematics import pose
from unmoored.dynamics.lagrange_poincare import (
    curvature,
    lagrange_poincare,
    mechanical_connection,
    recovered_velocity,
    reduced_forward_dynamics,
    reduced_state,
)
from unmoored.dynamics.lagrange_poincare.connection import reduction, reduction_derivatives
from unmoored.dynamics.lagrange_poincare.vehicle_split import split
from unmoored.dynamics.momentum import generalized_momentum, momentum_in_frame
from unmoored.dynamics.spacecraft.centre_of_mass_form import along
from unmoored.model import ModelError
from unmoored.system import System
from unmoored.trace import evaluate, jacobian, trace

BASES = (
    "Free", "Spherical", "Planar", "Schoenflies", "Translation3", "PlanarHelical", "Cylindrical", "Helical",
    "Translation2", "Translation1", "Revolute", "Prismatic",
)  # fmt: skip
ARM = ("Revolute", "Prismatic", "Helical", "Revolute")
MIXED = ("Revolute", "Spherical", "Prismatic", "Planar", "Universal", "Helical", "Custom", "Free", "Fixed")
GRAVITY = np.array([0.4, -0.3, -9.81])


def relative(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


def oracle_rates(tree, at, q, v, a):
    """(Ṗ, ẇ) of the acceleration a: Ṗ is the vehicle's rows of d/dt(M v)."""
    M_dot = np.einsum("...kij,...k->...ij", mass_matrix_derivatives(tree, q), v)
    p_dot = (mass_matrix(tree, q) @ a[..., None] + M_dot @ v[..., None])[..., 0]
    return at.vehicle(p_dot), at.others(a)


@pytest.mark.parametrize("base", one_in(3, BASES, first=1))
@pytest.mark.parametrize(
    ("arm", "options"),
    [
        (ARM, {"branching": False}),
        (MIXED, {}),
        (MIXED, {"added_mass": True}),
        (MIXED, {"armature": True}),
    ],
    ids=["serial", "tree", "added mass", "armature"],
)
def test_same_motion_as_the_closed_form_with_momentum_gravity_and_wrenches(base, arm, options):
    tree = random_tree(3, [base, *arm], **options)
    at = split(tree, "b0")
    q, v, tau = random_state(tree, 1, (2, 3))
    wrenches = {"tool": np.random.default_rng(0).normal(size=(2, 3, 6)), "b0": np.ones(6)}
    y = reduced_state(tree, q, v, "b0")
    assert relative(recovered_velocity(tree, q, y, "b0"), v) < 1e-13
    rates = reduced_forward_dynamics(tree, q, y, tau, GRAVITY, wrenches, "b0")
    a = closed_form_forward_dynamics(tree, q, v, tau, GRAVITY, wrenches)
    P_dot, w_dot = oracle_rates(tree, at, q, v, a)
    assert np.abs(at.vehicle(y)).min() > 1e-3  # there is momentum
    assert relative(at.vehicle(rates), P_dot) < 1e-11
    assert relative(at.others(rates), w_dot) < 1e-11


def test_one_of_several_vehicles_is_reduced():
    tree = random_tree(4, ["Free", "Planar", "Revolute", "Spherical", "Helical"], vehicles=2)
    q, v, tau = random_state(tree, 5)
    a = closed_form_forward_dynamics(tree, q, v, tau, GRAVITY)
    for vehicle in tree.vehicles:
        at = split(tree, vehicle)
        y = reduced_state(tree, q, v, vehicle)
        rates = reduced_forward_dynamics(tree, q, y, tau, GRAVITY, None, vehicle)
        P_dot, w_dot = oracle_rates(tree, at, q, v, a)
        assert relative(at.vehicle(rates), P_dot) < 1e-12
        assert relative(at.others(rates), w_dot) < 1e-12


@pytest.mark.parametrize("base", BASES)
def test_terms_are_what_they_are_called(base):
    tree = random_tree(6, [base, *MIXED])
    at = split(tree, "b0")
    q, v, _ = random_state(tree, 7, (3,))
    lp = lagrange_poincare(tree, q, v, "b0")
    u, w = at.vehicle(v), at.others(v)
    apply = lambda A, x: (A @ x[..., None])[..., 0]  # noqa: E731
    assert relative(lp.locked_velocity, u + apply(lp.connection, w)) < 1e-13
    assert relative(lp.momentum, apply(lp.locked_inertia, lp.locked_velocity)) < 1e-13
    assert relative(lp.momentum, at.vehicle(generalized_momentum(tree, q, v))) < 1e-12
    # the kinetic energy is block-diagonal in (Ω, w)
    doubled = (lp.locked_velocity * lp.momentum).sum(-1) + (w * apply(lp.shape_inertia, w)).sum(-1)
    assert relative(doubled, (v * apply(mass_matrix(tree, q), v)).sum(-1)) < 1e-13


def test_momentum_of_a_free_vehicle_is_the_system_momentum_at_its_origin_in_its_axes():
    tree = random_tree(8, ["Free", *MIXED])
    q, v, _ = random_state(tree, 9)
    P = lagrange_poincare(tree, q, v, "b0").momentum
    assert relative(P, momentum_in_frame(tree, q, v, "b0")) < 1e-13
    about_com = momentum_in_frame(tree, q, v, "b0") * 0 + P
    about_com[3:] -= np.cross(_com_in_vehicle(tree, q), P[:3])
    assert relative(P, about_com) > 0.05  # Moghaddam & Chhabra's text has it about the centre of mass


def _com_in_vehicle(tree, q):
    from unmoored.dynamics.kinematics import centre_of_mass

    g = pose(tree, q, "b0")
    return g[:3, :3].T @ (centre_of_mass(tree, q) - g[:3, 3])


def test_momentum_forces_vanish_without_momentum():
    tree = random_tree(10, ["Free", *MIXED])
    q, v, _ = random_state(tree, 11)
    v = recovered_velocity(tree, q, split(tree, "b0").joined(np.zeros(6), v[6:]), "b0")
    lp = lagrange_poincare(tree, q, v, "b0")
    assert np.abs(lp.momentum).max() < 1e-13
    assert np.abs(lp.momentum_forces).max() < 1e-12


def test_both_forms_of_the_coriolis_matrix():
    tree = random_tree(12, ["Planar", *MIXED], added_mass=True, armature=True)
    at = split(tree, "b0")
    q, v, _ = random_state(tree, 13)
    papers, skew = (lagrange_poincare(tree, q, v, "b0", form).coriolis for form in ("papers", "skew"))
    w = at.others(v)
    assert relative(skew @ w, papers @ w) < 1e-13
    M, dM = mass_matrix(tree, q), mass_matrix_derivatives(tree, q)
    rate = along(reduction_derivatives(M, dM, at).shape_inertia, w)
    defect = rate - 2 * skew
    assert np.abs(defect + defect.T).max() < 1e-12 * np.abs(rate).max()
    assert np.abs(rate - 2 * papers + (rate - 2 * papers).T).max() > 0.1


@pytest.mark.parametrize("base", ["Free", "PlanarHelical", "Cylindrical"])
def test_derivatives_against_exact_differentiation(base):
    """∂M₀, ∂A, ∂M̂ and ∂M₀⁻¹ against derivatives of the traced blocks along retract(q, ε e_k)."""
    tree = random_tree(14, [base, "Revolute", "Spherical", "Universal", "Custom"], added_mass=True)
    at = split(tree, "b0")
    q, _, _ = random_state(tree, 15)

    def blocks(ε):
        r = reduction(mass_matrix(tree, retract(tree, q, ε)), at)
        return r.locked_inertia, r.locked_inverse, r.connection, r.shape_inertia

    exact = evaluate(jacobian(trace(blocks, (tree.nv,))), np.zeros(tree.nv))
    d = reduction_derivatives(mass_matrix(tree, q), mass_matrix_derivatives(tree, q), at)
    ours = (d.locked_inertia, d.locked_inverse, d.connection, d.shape_inertia)
    for derivative, expected in zip(ours, exact, strict=True):
        assert relative(np.moveaxis(derivative, 0, -1), expected[..., at.shape]) < 1e-12
        assert np.abs(expected[..., at.group]).max() < 1e-13 * np.abs(expected).max()


@pytest.mark.parametrize("base", BASES)
def test_stacked_operators_are_a_second_way(base):
    tree = random_tree(16, [base, "Revolute", "Helical", "Prismatic", "Revolute"], branching=False)
    at = split(tree, "b0")
    q, _, _ = random_state(tree, 17, (2,))
    M0, M0m, Mm = stacked_operators(tree, q).mass_blocks()
    M, dM = mass_matrix(tree, q), mass_matrix_derivatives(tree, q)[..., at.shape, :, :]
    dM0, dM0m, dMm = stacked_derivatives(tree, q)
    m = len(at.group)
    for ours, of_tree in ((M0, M[..., :m, :m]), (M0m, M[..., :m, m:]), (Mm, M[..., m:, m:])):
        assert np.abs(ours - of_tree).max() < 1e-12 * np.abs(M).max()
    for ours, of_tree in ((dM0, dM[..., :m, :m]), (dM0m, dM[..., :m, m:]), (dMm, dM[..., m:, m:])):
        assert np.abs(ours - of_tree).max() < 1e-12 * np.abs(dM).max()


def test_derivatives_of_the_stacked_operators():
    """Zero blocks on the diagonal of ∂𝔏_m: Moghaddam & Chhabra, eq. (115), print identities there."""
    tree = random_tree(18, ["Free", "Revolute", "Helical", "Prismatic"], branching=False)
    q, _, _ = random_state(tree, 19)

    def operators(x):
        s = stacked_operators(tree, np.concatenate([q[:12], x]))
        return s.to_base, s.between

    exact = evaluate(jacobian(trace(operators, (3,))), q[12:])
    for k in range(3):
        for ours, expected in zip(operator_derivatives(tree, q, k), exact, strict=True):
            assert np.abs(ours - expected[..., k]).max() < 1e-14
            printed = ours + np.eye(18) if ours.shape == (18, 18) else None
            assert printed is None or np.abs(printed - expected[..., k]).max() == 1.0


@pytest.mark.parametrize("kinds", [["Spherical", "Revolute"], ["Revolute", "Universal"]])
def test_stacked_operators_refuse_other_arms(kinds):
    with pytest.raises(ModelError, match="one DoF"):
        stacked_operators(random_tree(0, ["Free", *kinds], branching=False), np.zeros(30))


def test_curvature_is_the_drift_round_a_small_loop():
    """Round the square ε e_j, ε e_k, −ε e_j, −ε e_k of shapes at P = 0 the vehicle ends at −ε² B_jk."""
    tree = random_tree(20, ["Free", "Revolute", "Helical", "Prismatic"], branching=False)
    q0, _, _ = random_state(tree, 21)
    B = curvature(tree, q0, "b0")
    assert relative(B, -np.swapaxes(B, 0, 1)) < 1e-14

    def drift(j, k, ε, steps=8):
        q, e = q0, np.eye(3)
        for way in (e[j], e[k], -e[j], -e[k]):
            for _ in range(steps):
                h = ε / steps * way
                # explicit midpoint on the group: the loop closes in shape, the group drift is of order ε²
                half = retract(
                    tree, q, np.concatenate([-mechanical_connection(tree, q, "b0") @ h / 2, h / 2])
                )
                q = retract(tree, q, np.concatenate([-mechanical_connection(tree, half, "b0") @ h, h]))
        from unmoored.dynamics.configuration import local

        return local(tree, q0, q)[:6] / ε**2

    for j, k in ((0, 1), (1, 2), (0, 2)):
        # Richardson in ε: the next order is odd for one sense of the loop
        value = 2 * drift(j, k, 5e-4) - drift(j, k, 1e-3)
        assert np.abs(value + B[j, k]).max() < 1e-4 * np.abs(B).max()


@pytest.mark.parametrize("base", BASES)
def test_momentum_forces_from_the_curvature(base):
    """N̂_k = Σ_j w_j B_jkᵀP + [Ω, A_k]ᵀP + ½ Pᵀ∂_k(M₀⁻¹)P: docs/theory.md §8, for any joints."""
    tree = random_tree(22, [base, *MIXED], added_mass=True)
    at = split(tree, "b0")
    q, v, _ = random_state(tree, 23)
    lp = lagrange_poincare(tree, q, v, "b0")
    B, w, P, Ω, A = curvature(tree, q, "b0"), at.others(v), lp.momentum, lp.locked_velocity, lp.connection
    d = reduction_derivatives(mass_matrix(tree, q), mass_matrix_derivatives(tree, q), at)
    magnetic = np.einsum("jkl,j,l->k", B, w, P)
    bracket = np.einsum("lab,a,bk,l->k", at.joint.group.structure_constants, Ω, A, P)
    locked = 0.5 * np.einsum("kab,a,b->k", d.locked_inverse, P, P)
    assert relative(magnetic + bracket + locked, lp.momentum_forces) < 1e-11


@pytest.mark.parametrize("base", ["Translation3", "Translation2", "Translation1", "Prismatic"])
def test_vehicles_that_only_translate_have_no_curvature(base):
    """P is m_t times the velocity of the centre of mass: the connection is a gradient, and N̂ = 0 at any P."""
    tree = random_tree(22, [base, *MIXED])
    q, v, _ = random_state(tree, 23)
    lp = lagrange_poincare(tree, q, v, "b0")
    assert np.abs(curvature(tree, q, "b0")).max() < 1e-13
    assert np.abs(lp.momentum_forces).max() < 1e-12 * np.abs(lp.momentum).max()


def test_a_potential_that_breaks_the_symmetry_acts_like_a_force():
    tree = random_tree(24, ["Free", "Revolute", "Spherical", "Helical"])
    q, v, tau = random_state(tree, 25)

    def spring(q):
        p = pose(tree, q, "tool")[:3, 3]
        return 3.0 * (p[0] - 0.2) ** 2 + 1.5 * p[1] * p[2]

    n = potential_forces(tree, q, spring)
    at = split(tree, "b0")
    y = reduced_state(tree, q, v, "b0")
    rates = reduced_forward_dynamics(tree, q, y, tau - n, np.zeros(3), None, "b0")
    a = closed_form_forward_dynamics(tree, q, v, tau - n, np.zeros(3))
    P_dot, w_dot = oracle_rates(tree, at, q, v, a)
    assert np.abs(n[:6]).min() > 1e-3
    assert relative(at.vehicle(rates), P_dot) < 1e-12
    assert relative(at.others(rates), w_dot) < 1e-12


def test_printed_forms_of_the_paper_fail():
    """Errata L7, L9, L14 of Moghaddam & Chhabra: each printed form is far off where ours is at rounding."""
    tree = random_tree(26, ["Schoenflies", "Revolute", "Helical", "Revolute", "Prismatic"], branching=False)
    at = split(tree, "b0")
    q, v, _ = random_state(tree, 27)
    lp = lagrange_poincare(tree, q, v, "b0")
    u, w, M0, A, P = at.vehicle(v), at.others(v), lp.locked_inertia, lp.connection, lp.momentum
    assert relative(np.linalg.solve(M0, P - A.T @ w), u) > 0.01  # (98); b = n = 4 here, else sizes clash
    assert relative(np.linalg.solve(M0, P) - A @ w, u) < 1e-13
    M, dM = mass_matrix(tree, q), mass_matrix_derivatives(tree, q)
    d = reduction_derivatives(M, dM, at)
    dM0, dM0m = dM[4:, :4, :4], dM[4:, :4, 4:]
    inverse = np.linalg.inv(M0)
    assert relative(inverse @ dM0 @ A + inverse @ dM0m, d.connection) > 0.1  # (122)
    assert relative(-inverse @ dM0 @ A + inverse @ dM0m, d.connection) < 1e-13
    closing = np.einsum("kab,a,b->k", d.locked_inverse, P, P)
    swept = np.einsum("kab,b,a->k", d.connection, w, P)
    moving = np.einsum("kab,k->ab", d.connection, w).T @ P
    turning = A.T @ (-at.joint.momentum_bracket(P) @ u)
    for printed in (  # (100), three readings of its bracket
        turning - (moving + swept + 0.5 * closing),
        turning - (moving + swept) + 0.5 * closing,
        turning - moving + swept + 0.5 * closing,
    ):
        assert relative(printed, lp.momentum_forces) > 0.01
    assert relative(turning + moving - swept + 0.5 * closing, lp.momentum_forces) < 1e-12


@pytest.mark.parametrize("kind", ["Fixed", "Universal", "Custom"])
def test_vehicles_without_symmetry_are_refused(kind):
    tree = random_tree(28, [kind, "Revolute"])
    with pytest.raises(ModelError, match=f"b0: vehicle joint: expected a moving joint .* given {kind}"):
        split(tree, "b0")


def test_unknown_names_list_the_known_ones():
    tree = random_tree(29, ["Free", "Planar", "Revolute"], vehicles=2)
    system = System(tree)
    q, v, _ = random_state(tree, 30)
    with pytest.raises(ModelError, match="expected one of b0, b1"):
        system.lagrange_poincare(q, v)
    with pytest.raises(ModelError, match="expected one of b0, b1"):
        split(tree, "b2")
    with pytest.raises(ModelError, match="expected one of skew, papers"):
        system.lagrange_poincare(q, v, vehicle="b0", form="pretty", backend="numpy")


def test_methods_run_traced_and_compiled():
    tree = random_tree(31, ["Free", "Universal", "Helical"])
    system = System(tree)
    q, v, tau = random_state(tree, 32, (5,))
    for call in (
        lambda backend: system.lagrange_poincare(q, v, backend=backend),
        lambda backend: (system.connection_curvature(q, backend=backend),),
        lambda backend: (system.reduced_state(q, v, backend=backend),),
        lambda backend: (system.recovered_velocity(q, v, backend=backend),),
        lambda backend: (
            system.reduced_forward_dynamics(
                q, v, tau, gravity=GRAVITY, wrenches={"tool": np.ones(6)}, backend=backend
            ),
        ),
    ):
        for compiled, plain in zip(call("cpu"), call("numpy"), strict=True):
            assert np.abs(compiled - plain).max() <= 1e-12 * max(1.0, np.abs(plain).max())


def test_stacked_operators_are_traceable():
    tree = random_tree(33, ["Planar", "Revolute", "Helical"], branching=False)
    q, _, _ = random_state(tree, 34)
    traced = trace(
        lambda q: (*stacked_operators(tree, q).mass_blocks(), *stacked_derivatives(tree, q)), (tree.nq,)
    )
    plain = (*stacked_operators(tree, q).mass_blocks(), *stacked_derivatives(tree, q))
    for ours, expected in zip(evaluate(traced, q), plain, strict=True):
        assert np.abs(ours - expected).max() < 1e-13 * max(1.0, np.abs(expected).max())
