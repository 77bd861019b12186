"""The worked rover of Moghaddam & Chhabra (examples 1–3), number by number, with its misprints put right.

The rover moves in the plane, SE(2); link 1 turns about its x axis, link 2 about its y axis. Where the
paper's print is wrong, the printed form is shown to fail.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from tests.support.rover_of_the_paper import (
    C1,
    C2,
    GRAVITY,
    HOME_1,
    HOME_2,
    I3,
    J_1,
    L0,
    L01,
    L1,
    L2,
    M_1,
    Q1,
    Q2,
    S1,
    S2,
    Ad,
    ad_se2,
    block_derivatives,
    blocks,
    body_inertias,
    close,
    compose,
    coriolis_and_momentum_forces,
    exp_1,
    exp_2,
    momentum,
    potential_terms,
    reduced,
    rover,
    stacked,
    tip_jacobians,
    ι_0,
    ξ_1,
    ξ_2,
)

import unmoored as um
from unmoored.dynamics.closed_form.closed_form_dynamics import closed_form_forward_dynamics
from unmoored.dynamics.closed_form.mass_matrix_from_jacobians import mass_matrix, mass_matrix_derivatives
from unmoored.dynamics.comparisons.stacked_operators import (
    operator_derivatives,
    stacked_derivatives,
    stacked_operators,
)
from unmoored.dynamics.gravity import gravity_forces, potential_energy
from unmoored.dynamics.jacobians import base_jacobian, jacobian
from unmoored.dynamics.kinematics import pose
from unmoored.dynamics.lagrange_poincare import (
    lagrange_poincare,
    recovered_velocity,
    reduced_forward_dynamics,
    reduced_state,
)
from unmoored.dynamics.lagrange_poincare.connection import reduction_derivatives
from unmoored.dynamics.lagrange_poincare.vehicle_split import split


@pytest.fixture(scope="module")
def case():
    tree = rover()
    angle, x, y = 0.4, 1.2, -0.7
    R = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    q = np.concatenate([R.ravel(), [x, y, 0.0], [Q1, Q2]])
    v = np.array([0.9, -0.5, 0.8, -0.6, 1.1])
    return SimpleNamespace(
        tree=tree, at=split(tree, "rover"), q=q, v=v, u=v[:3], w=v[3:], R=R, p=np.array([x, y, 0])
    )


def test_forward_kinematics(case):
    """(16) and (19): products of exponentials give the poses of the bodies and of the tip."""
    base = (case.R, case.p + np.array([0, 0, L0]))
    for name, last in (
        ("arm1", HOME_1),
        ("arm2", HOME_2),
        ("tip", compose(HOME_2, (I3, np.array([L2, 0, 0])))),
    ):
        joints = [exp_1(Q1)] if name == "arm1" else [exp_1(Q1), exp_2(Q2)]
        R, p = compose(base, *joints, last)
        g = pose(case.tree, case.q, name)
        close(g[:3, :3], R)
        close(g[:3, 3], p)


def test_base_jacobians(case):
    """(41), (42), and the adjoint maps (43), (44)."""
    columns = np.zeros((6, 5))
    columns[:, :3] = ι_0
    columns[:, 3] = ξ_1
    close(base_jacobian(case.tree, case.q, "arm1", "rover"), columns)
    columns[:, 4] = [-L1 - L0 * C1, 0, 0, 0, C1, S1]
    close(base_jacobian(case.tree, case.q, "arm2", "rover"), columns)
    printed = np.array(
        [
            [1, 0, 0, 0, L0 * (1 - C1), L0 * S1],
            [0, C1, -S1, L0 * (1 - C1), 0, 0],
            [0, S1, C1, -L0 * S1, 0, 0],
            [0, 0, 0, 1, 0, 0],
            [0, 0, 0, 0, C1, -S1],
            [0, 0, 0, 0, S1, C1],
        ]
    )
    close(Ad(*exp_1(Q1)), printed)
    printed = np.array(
        [
            [C2, 0, S2, 0, L01 * (C2 - 1), 0],
            [0, 1, 0, L01 * (C2 - 1), 0, L01 * S2],
            [-S2, 0, C2, 0, -L01 * S2, 0],
            [0, 0, 0, C2, 0, S2],
            [0, 0, 0, 0, 1, 0],
            [0, 0, 0, -S2, 0, C2],
        ]
    )
    close(Ad(*exp_2(Q2)), printed)
    close(Ad(*exp_1(Q1)) @ ξ_2, columns[:, 4])


def test_body_inertias(case):
    for ours, body in zip(body_inertias(), case.tree.bodies, strict=True):
        close(body.inertia.matrix, ours)


def test_printed_link_inertia_is_not_positive():
    """L15: (124) as printed."""
    coupling = np.array([[0, M_1 * L1 / 2, 0], [-M_1 * L1 / 2, 0, 0], [0, 0, 0]])
    lower = J_1 - M_1 * L1**2 / 2 * np.diag([1, 1, 0])
    printed = np.block([[M_1 * I3, coupling], [coupling.T, lower]])
    assert np.linalg.eigvalsh(printed)[0] < -0.1
    assert np.linalg.eigvalsh(body_inertias()[1])[0] > 0


def test_stacked_matrices(case):
    s, ours = stacked(), stacked_operators(case.tree, case.q)
    close(ours.to_base, s.to_base)
    close(ours.between, s.between)
    close(ours.twists, s.twists)
    close(ours.inertias, s.inertias)
    close(ours.inclusion, ι_0)


def test_mass_matrix_blocks(case):
    M = mass_matrix(case.tree, case.q)
    M0, M0m, Mm = blocks()
    close(M, np.block([[M0, M0m], [M0m.T, Mm]]))
    close(np.concatenate([x.ravel() for x in stacked_operators(case.tree, case.q).mass_blocks()]),
          np.concatenate([M0.ravel(), M0m.ravel(), Mm.ravel()]))  # fmt: skip


def test_derivatives_of_the_blocks(case):
    d_to_base, d_between, d_blocks = block_derivatives()
    dM = mass_matrix_derivatives(case.tree, case.q)[3:]
    of_toolkit = stacked_derivatives(case.tree, case.q)
    for k in range(2):
        ours = operator_derivatives(case.tree, case.q, k)
        close(ours[0], d_to_base[k])
        close(ours[1], d_between[k])
        dM0, dM0m, dMm = d_blocks[k]
        close(dM[k], np.block([[dM0, dM0m], [dM0m.T, dMm]]))
        for ours, expected in zip(of_toolkit, d_blocks[k], strict=True):
            close(ours[k], expected)


def test_connection_and_shape_inertia(case):
    M0, A, M_hat, dM0s, dAs, dM_hats = reduced()
    lp = lagrange_poincare(case.tree, case.q, case.v, "rover")
    close(lp.locked_inertia, M0)
    close(lp.connection, A)
    close(lp.shape_inertia, M_hat)
    d = reduction_derivatives(
        mass_matrix(case.tree, case.q), mass_matrix_derivatives(case.tree, case.q), case.at
    )
    for ours, expected in ((d.locked_inertia, dM0s), (d.connection, dAs), (d.shape_inertia, dM_hats)):
        close(ours, np.array(expected))


def test_velocity_of_the_rover(case):
    """(134) with 𝒜 for 𝒜ᵀ outside the inverse (L7)."""
    M0, A, *_ = reduced()
    P = momentum(case)
    close(lagrange_poincare(case.tree, case.q, case.v, "rover").momentum, P)
    close(recovered_velocity(case.tree, case.q, np.concatenate([P, case.w]), "rover")[:3], case.u)
    close(np.linalg.solve(M0, P) - A @ case.w, case.u)


def test_coriolis_matrix_and_momentum_forces(case):
    C, N = coriolis_and_momentum_forces(case)
    lp = lagrange_poincare(case.tree, case.q, case.v, "rover", "papers")
    close(lp.coriolis, C)
    close(lp.momentum_forces, N, scale=np.abs(momentum(case)).max())


def test_potential_and_its_derivatives(case):
    u, f_u, dq = potential_terms(case)
    close(potential_energy(case.tree, case.q, GRAVITY), u)
    close(gravity_forces(case.tree, case.q, GRAVITY), np.concatenate([f_u, dq]))


def test_tip_jacobian(case):
    J = jacobian(case.tree, case.q, "tip")
    close(J, np.hstack(tip_jacobians()))
    g_2 = compose(exp_1(Q1), exp_2(Q2), HOME_2)
    printed = np.linalg.inv(Ad(*g_2)) @ np.linalg.inv(Ad(I3, np.array([L2, 0, 0]))) @ ι_0
    assert np.abs(printed - J[:, :3]).max() > 0.1


def test_equations_of_motion(case):
    """(135) with the physical signs (L5, L19), and the last formula for q̈ (L18): rates, forces and all."""
    _, A, M_hat, *_ = reduced()
    P = momentum(case)
    C, N = coriolis_and_momentum_forces(case)
    _, f_u, dq = potential_terms(case)
    f_0, f_m = np.array([3.0, -2.0, 1.5]), np.array([0.7, -0.4])
    f_ε = np.array([1.0, -2.0, 0.5, 0.3, 0.2, -0.6])
    J_0, J_m = tip_jacobians()
    F_η = f_0 + J_0.T @ f_ε - f_u
    P_dot = ad_se2(case.u).T @ P + F_η
    q_ddot = np.linalg.solve(M_hat, f_m + J_m.T @ f_ε - A.T @ F_η - C @ case.w - N - dq)

    tau, wrenches = np.concatenate([f_0, f_m]), {"tip": f_ε}
    y = reduced_state(case.tree, case.q, case.v, "rover")
    rates = reduced_forward_dynamics(case.tree, case.q, y, tau, GRAVITY, wrenches, "rover")
    close(rates, np.concatenate([P_dot, q_ddot]))
    a = closed_form_forward_dynamics(case.tree, case.q, case.v, tau, GRAVITY, wrenches)
    close(a[3:], q_ddot, scale=10)

    # as printed: (135), (136), and the last formula
    assert np.abs(ad_se2(case.u).T @ P - F_η - P_dot).max() > 1
    with_v_z = ad_se2(case.u) * np.array([[1, 1, 1], [1, 1, 0], [1, 1, 1]])
    assert np.abs(with_v_z.T @ P + F_η - P_dot).max() > 1
    printed = f_m - A.T @ f_0 + (J_m.T - A.T @ J_0.T) @ f_ε - C @ case.w - N - dq - A.T @ f_u
    assert np.abs(np.linalg.solve(M_hat, printed) - q_ddot).max() > 1


def test_the_built_in_rover_is_that_of_the_paper(case):
    built_in = um.load("rover_two_links").tree
    M = mass_matrix(case.tree, case.q)
    assert np.abs(mass_matrix(built_in, case.q) - M).max() < 1e-13 * np.abs(M).max()
