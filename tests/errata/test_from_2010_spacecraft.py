"""From et al. 2010, sections 4 to 6: what is printed fails, what this library has holds (docs/errata.md)."""

import numpy as np
from tests.errata import from_dynamics, from_spacecraft
from tests.errata.chains import (
    RIGHT,
    WRONG,
    assert_erratum,
    blocks,
    derivative,
    error,
    moving_chain,
    newton_euler_acceleration,
    newton_euler_forces,
    refuses,
)
from tests.errata.equivalent_manipulator import printed_equivalent_manipulator

from unmoored.dynamics.configuration import retract
from unmoored.dynamics.energy import kinetic_energy
from unmoored.dynamics.jacobians import centre_of_mass_jacobian
from unmoored.dynamics.kinematics import body_velocities
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.nonholonomic import ChaplyginSleigh, constrained_forward_dynamics
from unmoored.dynamics.recursive import forward_dynamics, inverse_dynamics
from unmoored.dynamics.spacecraft.equivalent_manipulator import equivalent_manipulator, equivalent_state
from unmoored.lie import se3, so3
from unmoored.model import Body, Free, Inertia, Prismatic, Tree

WEIGHTLESS = np.zeros(3)
ROTATING_ARM = ("Revolute", "Helical", "Revolute", "Helical")


def test_F15():
    assert_erratum(*from_dynamics.quaternion_with_inertial_rate())


def test_F16():
    assert_erratum(*from_dynamics.quaternion_with_inertia())


def test_F17():
    printed, ours = from_dynamics.external_torque_of_attitude_dynamics()
    assert np.max(np.abs(printed)) > WRONG
    assert np.max(np.abs(ours)) < RIGHT


def test_F18():
    assert_erratum(*from_dynamics.euler_rates_with_inertial_rate())


def test_F19():
    """A drift is harmless, an angular momentum about the centre of mass is not."""
    assert_erratum(*from_spacecraft.reduced_without_momentum_terms(spin=2.0))
    drifting, _, true = from_spacecraft.reduced_without_momentum_terms(spin=0.0)
    assert error(drifting, true) < RIGHT


def test_F20():
    """Σ from b to n + 1 has one summand more than there are bodies: the vehicle, body 1, counts twice."""
    tree, q, v = moving_chain(20)
    energies = [
        0.5 * V @ link.inertia @ V for link, V in zip(tree.links, body_velocities(tree, q, v), strict=True)
    ]
    assert_erratum(energies[0] + sum(energies), sum(energies), kinetic_energy(tree, q, v))


def test_F21():
    assert_erratum(*from_spacecraft.reduced_inertia_without_inverse())


def test_F22():
    tree, q, v = moving_chain(8)
    b = blocks(tree, q)
    assert refuses(lambda: b.M_hat @ v)
    assert (b.M_hat @ v[6:]).shape == (b.n,)


def test_F23():
    assert_erratum(*from_spacecraft.transposed_reduced_coriolis())
    tree, q, v = moving_chain(8)
    b, qd = blocks(tree, q), v[6:]
    rate = np.tensordot(qd, b.dM_hat, 1)
    assert error(from_spacecraft.reduced_coriolis(b, qd).T @ qd, 0.5 * rate @ qd) < RIGHT


def test_F24():
    assert_erratum(*from_spacecraft.inertia_of_pinned_base())


def test_F25():
    assert_erratum(*from_spacecraft.inertial_rate_as_velocity_state())


def test_F26():
    """Same q and τ are not enough: a sliding displacement is scaled, q̇ counts, and no force may act."""
    tree, q, v = moving_chain(11, arm=ROTATING_ARM)
    M = mass_matrix(tree, q)
    M_red = M[3:, 3:] - M[3:, :3] @ M[:3, 3:] / tree.mass
    as_printed, equivalent = printed_equivalent_manipulator(tree), equivalent_manipulator(tree)
    q_e, v_e = equivalent_state(tree, q, v)
    assert_erratum(mass_matrix(as_printed, q_e), mass_matrix(equivalent, q_e), M_red)

    tau = np.concatenate([np.zeros(6), np.random.default_rng(26).normal(size=4)])
    true = newton_euler_acceleration(tree, q, v, tau)[3:]
    same_state = forward_dynamics(equivalent, q_e, v_e, tau[3:], WEIGHTLESS)
    other_rates = forward_dynamics(equivalent, q_e, 1.5 * v_e, tau[3:], WEIGHTLESS)
    assert_erratum(other_rates, same_state, true)
    pushed = newton_euler_acceleration(tree, q, v, tau + 5.0 * np.eye(tree.nv)[0])[3:]
    assert error(same_state, pushed) > WRONG


def test_F27():
    """Only v_x and ω_z, with an arm: H in the mass matrix alone against Lagrange multipliers."""
    tree, q, v = moving_chain(27)
    b, allowed = blocks(tree, q), [0, 5, *range(6, 11)]
    P = np.eye(tree.nv)[:, allowed]
    ν = v[allowed]
    A = np.eye(tree.nv)[[1, 2, 3, 4]]
    kkt = np.block([[b.M, -A.T], [A, np.zeros((4, 4))]])
    forces = newton_euler_forces(tree, q, P @ ν)
    true = np.linalg.solve(kkt, np.concatenate([-forces, np.zeros(4)]))[allowed]

    M, dM = P.T @ b.M @ P, P.T @ b.dM @ P
    C = np.tensordot(ν[2:], dM, 1)
    C[2:] -= 0.5 * dM @ ν
    K = np.zeros_like(C)
    K[0, 1], K[1, 0] = -(b.M @ P @ ν)[1], (b.M @ P @ ν)[1]
    printed, with_bracket = np.linalg.solve(M, -C @ ν), np.linalg.solve(M, -(C + K) @ ν)
    assert_erratum(printed, with_bracket, true)
    blade = [ChaplyginSleigh("b0")]
    motion = constrained_forward_dynamics(tree, q, P @ ν, np.zeros(tree.nv), WEIGHTLESS, None, blade)
    assert error(motion.speed_rates, true) < RIGHT
    assert abs(ν @ (np.tensordot(ν[2:], dM, 1) - 2 * C) @ ν) < RIGHT  # an energy test cannot see it


def test_F28():
    """The one-link robot of eqs. (105)–(108): (107) does not lead to (108)."""
    m, l, q1 = 2.0, 0.7, 0.4
    base = Body(name="base", parent="world", joint=Free(), inertia=Inertia(5.0, (0, 0, 0), (0.4, 0.5, 0.6)))
    link = Body(
        name="link", parent="base", joint=Prismatic((0, 1, 0)), inertia=Inertia(m, (0, 0, l), (0.1, 0.2, 0.3))
    )
    tree = Tree(name="one link", bodies=(base, link))
    q = np.concatenate([np.eye(3).ravel(), np.zeros(3), [q1]])
    v, a = np.random.default_rng(28).normal(size=(2, 7))
    vx, _, vz, ωx, ωy, ωz, _ = v
    common = m * a[6] + m * a[1] - m * l * a[3] - m * q1 * ωx**2 - m * q1 * ωz**2
    printed = common + m / 2 * ωz * vx - m / 2 * ωx * vz - m / 2 * vz * ωx - m / 2 * (vx + l * ωy) * ωz
    fixed = printed + m * (vx + l * ωy) * ωz + m / 2 * l * ωy * ωz
    eq_108 = common + m * ((vx + l * ωy) * ωz - vz * ωx)
    ours = inverse_dynamics(tree, q, v, a, WEIGHTLESS)[6]
    assert_erratum(printed, ours, eq_108)
    assert error(fixed, eq_108) < RIGHT


def test_F29():
    """(110) is not Kirchhoff's equations, nor equivalent to (111)."""
    m, J = 3.0, np.array([0.5, 0.8, 1.1])
    v, ω = np.random.default_rng(29).normal(size=(2, 3))
    V = np.concatenate([v, ω])
    h, p = so3.hat(J * ω), so3.hat(m * v)
    printed = np.block([[h, np.zeros((3, 3))], [p, h]]) @ V
    ours = se3.momentum_bracket(np.concatenate([m * v, J * ω])) @ V
    true = np.concatenate([m * np.cross(ω, v), np.cross(ω, J * ω)])
    assert_erratum(printed, ours, true)
    eq_111 = -np.block([[np.zeros((3, 3)), p], [p, h]]) @ V
    assert error(eq_111, true) < RIGHT


def test_F34():
    """Wheels are part of the spacecraft: their torques are internal and leave the centre of mass alone, jets do not."""
    tree, q, v = moving_chain(33, "Free", ("Revolute", "Revolute", "Spherical"))

    def acceleration_of_the_centre(tau):
        a = forward_dynamics(tree, q, v, tau, WEIGHTLESS)

        def velocity(t):
            moved = retract(tree, q, t * v + 0.5 * t * t * a)
            return centre_of_mass_jacobian(tree, moved) @ (v + t * a)

        return derivative(velocity, step=1e-3)

    wheel, jets = np.zeros(tree.nv), np.zeros(tree.nv)
    wheel[6], jets[0] = 3.0, 3.0
    assert np.max(np.abs(acceleration_of_the_centre(wheel))) < 1e-9
    assert np.isclose(np.linalg.norm(acceleration_of_the_centre(jets)), 3.0 / tree.mass, rtol=0, atol=1e-9)
