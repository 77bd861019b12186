"""Moghaddam & Chhabra, kinematics, inertias and their derivatives: printed against ours (docs/errata.md)."""

import numpy as np
from tests.errata.chains import (
    RIGHT,
    WRONG,
    arm_jacobian,
    assert_erratum,
    blocks,
    derivative,
    error,
    kinematics,
    moving_chain,
    refuses,
)
from tests.errata.rover import J1, J2, L1, L2, M1, M2, TO_LINK_1, TO_LINK_2, TO_VEHICLE, rover, shifted
from tests.support.random_trees import random_state

from unmoored import lie
from unmoored.dynamics.comparisons.stacked_operators import (
    operator_derivatives,
    stacked_derivatives,
    stacked_operators,
)
from unmoored.dynamics.configuration import neutral, retract
from unmoored.dynamics.gravity import gravity_forces
from unmoored.dynamics.jacobians import jacobian
from unmoored.dynamics.kinematics import body_poses
from unmoored.dynamics.lagrange_poincare.connection import locked_inertia, mechanical_connection
from unmoored.dynamics.lagrange_poincare.reduced_equations import lagrange_poincare
from unmoored.dynamics.lagrange_poincare.reduced_motion import recovered_velocity
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.momentum import momentum, momentum_in_frame
from unmoored.lie import se3

ARM4 = ("Revolute", "Prismatic", "Helical", "Revolute")
#: Not along the vertical of the rover: an inclined plane.
TILTED = np.array([2.0, -3.0, -9.0])


def along_arm(tree, q, k):
    """ε ↦ the configuration with arm joint k moved by ε."""
    turn = np.eye(tree.nv)[tree.links[0].joint.nv + k]
    return lambda ε: retract(tree, q, ε * turn)


def test_L1():
    """The pitch multiplies the unit axis; with the angular velocity the advance depends on the speed."""
    axis, pitch, angle, speed = np.array([0.6, 0.0, 0.8]), 0.2, 1.3, 1.7
    true = lie.screw(axis, pitch).exp(np.array([angle]))
    printed = se3.exp(np.concatenate([pitch * speed * axis, axis]) * angle)
    assert_erratum(printed, se3.exp(np.concatenate([pitch * axis, axis]) * angle), true)


def test_L2():
    """The printed matrices are the centres of mass in the links' own frames."""
    tree = rover()
    poses = body_poses(tree, neutral(tree))
    to_base = se3.inverse(poses[0])
    for printed, ours, link in (
        (shifted(L1 / 2), TO_LINK_1 @ shifted(L1 / 2), 1),
        (TO_LINK_1 @ shifted(L2 / 2), TO_LINK_1 @ TO_LINK_2 @ shifted(L2 / 2), 2),
    ):
        true = to_base @ poses[link] @ np.append(tree.links[link].com, 1.0)
        assert_erratum(printed[:, 3], ours[:, 3], true)


def test_L3():
    """Below ι₀ (6×b) stand 6n rows of b zeros."""
    tree, q, _ = moving_chain(50, "Planar")
    s, n = stacked_operators(tree, q), 5
    top = [s.inclusion, np.zeros((6, n))]
    assert refuses(lambda: np.block([top, [np.zeros((6 * n, 6)), s.twists]]))
    assert np.block([top, [np.zeros((6 * n, 3)), s.twists]]).shape == (6 * n + 6, 3 + n)


def test_L4():
    """P is taken at the vehicle's origin, not about the centre of mass."""
    tree, q, v = moving_chain(50)
    P = lagrange_poincare(tree, q, v, "b0").momentum
    R = se3.rotation(body_poses(tree, q)[0])
    about_centre = R.T @ momentum(tree, q, v, "com")[3:]
    assert error(P[3:], about_centre) > WRONG
    assert error(P, momentum_in_frame(tree, q, v, "b0")) < RIGHT


def test_L6():
    tree, q, _ = moving_chain(50)
    kin, on_link = kinematics(tree, q), tree.locate("tool")[1]
    base = np.concatenate([np.eye(6), arm_jacobian(kin, 5)], axis=1)
    link, tool = se3.Ad(se3.inverse(kin.g[5])), se3.Ad(se3.inverse(on_link))
    tool_pose = derivative(lambda ε: se3.position(body_poses(tree, along_arm(tree, q, 1)(ε))[5] @ on_link))
    R = se3.rotation(body_poses(tree, q)[5] @ on_link)
    assert_erratum(link @ tool @ base, tool @ link @ base, jacobian(tree, q, "tool"))
    assert error(R @ (tool @ link @ base)[:3, 7], tool_pose) < RIGHT


def test_L7():
    """V = M₀⁻¹P − 𝒜 q̇: with 𝒜ᵀ inside the bracket the sizes clash, or, with b = n, the numbers do."""
    tree, q, v = moving_chain(51, "Schoenflies", ARM4)
    b = blocks(tree, q)
    P, qd = (b.M @ v)[:4], v[4:]
    y = np.concatenate([P, qd])
    assert_erratum(np.linalg.solve(b.M0, P - b.A.T @ qd), recovered_velocity(tree, q, y, "b0")[:4], v[:4])
    tree, q, v = moving_chain(51, "Planar", ARM4)
    b = blocks(tree, q)
    assert refuses(lambda: (b.M @ v)[:3] - b.A.T @ v[3:])


def test_L8():
    """The locked inertia is eq. (65); (67) is the arm's."""
    tree, q, _ = moving_chain(51, "Schoenflies", ARM4)
    eq_65, _, eq_67 = stacked_operators(tree, q).mass_blocks()
    assert_erratum(eq_67, eq_65, locked_inertia(tree, q, "b0"))


def test_L11():
    """The diagonal blocks of 𝔏_m are constant; their derivatives are zero, not one."""
    tree, q, _ = moving_chain(52)
    _, ours = operator_derivatives(tree, q, 1)
    move = along_arm(tree, q, 1)
    true = derivative(lambda ε: stacked_operators(tree, move(ε)).between)
    assert_erratum(ours + np.eye(30), ours, true)


def test_L12():
    """With the bracket closed after the first summand of (117) and (120) the sizes clash."""
    tree, q, _ = moving_chain(53, "Planar")
    s, (dL0, dLm) = stacked_operators(tree, q), operator_derivatives(tree, q, 1)
    H, Ξ, L0, Lm, I = s.inclusion, s.twists, s.to_base, s.between, s.inertias
    assert refuses(lambda: H.T @ (dL0.T @ I @ L0) + L0.T @ I @ dL0 @ H)
    assert refuses(lambda: Ξ.T @ (dLm.T @ I @ Lm) + Lm.T @ I @ dLm @ Ξ)
    move, m = along_arm(tree, q, 1), 3
    true = derivative(lambda ε: mass_matrix(tree, move(ε)))
    dM0, _, dMm = (x[1] for x in stacked_derivatives(tree, q))
    for ours, corrected, part in (
        (dM0, H.T @ (dL0.T @ I @ L0 + L0.T @ I @ dL0) @ H, true[:m, :m]),
        (dMm, Ξ.T @ (dLm.T @ I @ Lm + Lm.T @ I @ dLm) @ Ξ, true[m:, m:]),
    ):
        assert error(corrected, part) < RIGHT
        assert error(ours, part) < RIGHT


def test_L13():
    """(118) multiplies by 𝔏_m0 where 𝔏_m belongs, and closes the bracket too early."""
    tree, q, _ = moving_chain(53, "Planar")
    s, (dL0, dLm) = stacked_operators(tree, q), operator_derivatives(tree, q, 1)
    H, Ξ, L0, Lm, I = s.inclusion, s.twists, s.to_base, s.between, s.inertias
    assert refuses(lambda: H.T @ (dL0.T @ I @ L0) + L0.T @ I @ dLm @ Ξ)
    assert refuses(lambda: H.T @ (dL0.T @ I @ L0 + L0.T @ I @ dLm) @ Ξ)
    move = along_arm(tree, q, 1)
    true = derivative(lambda ε: mass_matrix(tree, move(ε)))[:3, 3:]
    assert error(H.T @ (dL0.T @ I @ Lm + L0.T @ I @ dLm) @ Ξ, true) < RIGHT
    assert error(stacked_derivatives(tree, q)[1][1], true) < RIGHT


def test_L14():
    tree, q, _ = moving_chain(54)
    b, move = blocks(tree, q), along_arm(tree, q, 2)
    true = derivative(lambda ε: mechanical_connection(tree, move(ε), "b0"), step=0.01)
    first, second = np.linalg.solve(b.M0, b.dM0[2] @ b.A), np.linalg.solve(b.M0, b.dM[2][:6, 6:])
    assert_erratum(first + second, second - first, true)


def test_L15():
    """The links extend along x; the offset along z and the minus sign give negative eigenvalues."""
    tree = rover()
    for link, m, l, J in ((1, M1, L1, J1), (2, M2, L2, J2)):
        cross = m * l / 2 * np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 0]])
        printed = np.block(
            [[m * np.eye(3), cross], [cross.T, np.diag(J) - m * l**2 / 2 * np.diag([1, 1, 0])]]
        )
        off = m * l / 2 * np.array([[0, 0, 0], [0, 0, 1], [0, -1, 0]])
        corrected = np.block([[m * np.eye(3), off], [off.T, np.diag(J) + m * l**2 / 4 * np.diag([0, 1, 1])]])
        Ad = se3.Ad(se3.inverse(shifted(l / 2)))
        true = Ad.T @ np.diag([m, m, m, *J]) @ Ad
        assert_erratum(printed, tree.links[link].inertia, true)
        assert error(corrected, true) < RIGHT
        assert np.linalg.eigvalsh(printed)[0] < -WRONG
        assert np.linalg.eigvalsh(true)[0] > 0


def potential(tree, q, centres, sign=-1.0):
    """Σ ± m⟨γ, g exp(ξ₁q₁)… ḡ_cm⟩ of the arm, with given home poses of the centres of mass."""
    poses, home = body_poses(tree, q), body_poses(tree, neutral(tree))
    total = 0.0
    for link, centre in zip(tree.links[1:], centres, strict=True):
        moved = poses[link.index] @ se3.inverse(home[link.index]) @ home[0]  # g_0 exp(ξ₁q₁)…
        total += sign * link.mass * TILTED @ (moved @ centre)[:3, 3]
    return total


def rover_gravity(centres, sign=-1.0):
    tree = rover()
    q, _, _ = random_state(tree, 55)
    slopes = [
        derivative(lambda ε, k=k: potential(tree, along_arm(tree, q, k)(ε), centres, sign)) for k in (0, 1)
    ]
    return np.array(slopes), gravity_forces(tree, q, TILTED)[3:]


IN_VEHICLE = (TO_LINK_1 @ shifted(L1 / 2), TO_LINK_1 @ TO_LINK_2 @ shifted(L2 / 2))


def test_L16():
    """The centre of mass at home is meant in the vehicle's frame only."""
    printed, ours = rover_gravity([TO_VEHICLE @ centre for centre in IN_VEHICLE])
    assert_erratum(printed, ours, rover_gravity(IN_VEHICLE)[0])


def test_L17():
    """u = +m⟨g⃗, p⟩ with a vector that points down turns gravity upside down."""
    printed, ours = rover_gravity(IN_VEHICLE, sign=+1.0)
    assert_erratum(printed, ours, rover_gravity(IN_VEHICLE)[0])
