"""From et al. 2010, sections 2 and 3: what is printed fails, what this library has holds (docs/errata.md)."""

import numpy as np
from tests.errata import from_dynamics
from tests.errata.chains import (
    RIGHT,
    WRONG,
    arm_jacobian,
    assert_erratum,
    blocks,
    chain,
    coriolis,
    derivative,
    error,
    gradient,
    kinematics,
    moving_chain,
    newton_euler_acceleration,
    newton_euler_forces,
    refuses,
)

from unmoored import lie
from unmoored.dynamics.closed_form.coriolis import coriolis_matrix, mass_matrix_rate
from unmoored.dynamics.comparisons import euler_angles
from unmoored.dynamics.gravity import gravity_forces, gravity_wrenches, potential_energy
from unmoored.dynamics.jacobians import body_jacobians
from unmoored.dynamics.joint_crossing import crossings
from unmoored.dynamics.kinematics import body_poses
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.lie import se3, so3

GRAVITY = np.array([0.0, 0.0, -9.81])


def test_F1():
    assert_erratum(*from_dynamics.bracket_at_identity())
    assert_erratum(*from_dynamics.bracket_anywhere())


def test_F1_is_not_seen_on_a_spherical_base_at_the_identity():
    ball = lie.spherical()
    printed, _, true = from_dynamics.bracket_at_identity(ball)
    assert error(printed, true) <= RIGHT
    assert_erratum(*from_dynamics.bracket_anywhere(ball))
    for group in (lie.planar(), lie.planar_screw((0, 0, 1), 0.3), lie.schoenflies()):
        assert_erratum(*from_dynamics.bracket_at_identity(group))


def test_F2():
    """Sizes: 6 − m twist components vanish, and n rows belong to the arm; n − m is neither."""
    tree = chain(1, "Planar")
    m, n = 3, 5
    zero_rows = int(np.sum(~lie.planar().basis.any(axis=1)))
    assert zero_rows == 6 - m != n - m
    assert tree.nv - m == n != n - m


def test_F3():
    tree, q, _ = moving_chain(12)
    poses, Bs = body_poses(tree, q), body_jacobians(tree, crossings(tree, q))
    printed = np.zeros(tree.nv)
    for link, g, B in zip(tree.links, poses, Bs, strict=True):
        f = link.mass * se3.rotation(g) @ GRAVITY
        printed -= B.T @ np.concatenate([f, np.cross(link.com, f)])
    assert_erratum(printed, gravity_forces(tree, q, GRAVITY), _potential_gradient(tree, q))


def test_F4():
    """Untransposed the product has no sense; transposed it is in a wrong frame and leaves the vehicle out."""
    tree, q, _ = moving_chain(12)
    poses, kin = body_poses(tree, q), kinematics(tree, q)
    weights = gravity_wrenches(tree, poses, GRAVITY)
    assert refuses(lambda: arm_jacobian(kin, 5) @ se3.Ad(poses[5]).T @ weights[5])
    J = [np.zeros((6, 5)), *(arm_jacobian(kin, i) for i in range(1, 6))]
    H = np.eye(6)
    printed, ours = np.zeros(tree.nv), np.zeros(tree.nv)
    for i, F in enumerate(weights):
        printed[6:] -= J[i].T @ se3.Ad(poses[i]).T @ F
        ours -= np.concatenate([H, J[i]], axis=1).T @ se3.Ad(se3.inverse(kin.g[i])).T @ F
    true = _potential_gradient(tree, q)
    assert_erratum(printed, ours, true)
    assert error(printed[6:], true[6:]) > WRONG
    assert error(gravity_forces(tree, q, GRAVITY), true) < RIGHT


def test_F5():
    tree, q, _ = moving_chain(12)
    ours = gravity_forces(tree, q, GRAVITY)
    assert_erratum(-ours, ours, _potential_gradient(tree, q))


def _potential_gradient(tree, q):
    return gradient(tree, q, lambda x: potential_energy(tree, x, GRAVITY))


def test_F6():
    assert_erratum(*from_dynamics.free_vehicle_bracket(lambda p: -se3.ad(p).T))


def test_F7():
    assert_erratum(*from_dynamics.sum_to_six())


def test_F8():
    assert_erratum(*from_dynamics.ball_vehicle_bracket(so3.hat))
    tree, q, v = moving_chain(3, "Spherical")
    printed = coriolis(blocks(tree, q), v, so3.hat((mass_matrix(tree, q) @ v)[:3]))
    power = v @ (mass_matrix_rate(tree, q, v) - 2 * printed) @ v
    assert abs(power) < 1e-10  # an energy test cannot see it


def test_F9():
    """u = S(φ) φ̇ on SE(2) and X(z): S is not the identity."""
    for group in (lie.planar(), lie.schoenflies()):
        φ, φ_dot = np.random.default_rng(9).normal(size=(2, group.dim))
        h = group.exp(φ)
        body_rate = se3.vee(se3.inverse(h) @ derivative(lambda t: group.exp(φ + t * φ_dot)))  # noqa: B023
        assert_erratum(group.basis @ φ_dot, group.basis @ group.dexp(φ) @ φ_dot, body_rate)


def test_F10():
    for vehicle in ("Planar", "Schoenflies", "PlanarHelical"):
        assert_erratum(*from_dynamics.no_bracket(vehicle))
    tree, q, v = moving_chain(3, "Planar")
    printed = coriolis(blocks(tree, q), v, np.zeros((3, 3)))
    power = v @ (mass_matrix_rate(tree, q, v) - 2 * printed) @ v
    assert abs(power) < 1e-10  # an energy test cannot see it


def test_F11():
    """A body that drifts with the current has no velocity relative to it."""
    R, current = so3.exp(np.array([0.4, -0.7, 0.9])), np.array([0.3, -0.1, 0.2])
    v = R.T @ current
    assert np.max(np.abs(v - R @ current)) > WRONG
    assert np.max(np.abs(v - R.T @ current)) < RIGHT
    assert refuses(lambda: R @ np.concatenate([current, np.zeros(3)]))


def test_F12():
    """Galilei: a dry system accelerates as without current. ν̇ with C(ν_r)ν_r breaks that, ν̇_r keeps it."""
    tree, q, v = moving_chain(13)
    R_T = se3.rotation(body_poses(tree, q)[0]).T
    c = R_T @ np.array([0.8, -0.5, 0.3])
    shift = np.concatenate([c, np.zeros(tree.nv - 3)])
    M, forces = mass_matrix(tree, q), newton_euler_forces(tree, q, v - shift)
    printed = np.linalg.solve(M, -forces)
    relative = printed
    ours = relative - np.concatenate([np.cross(v[3:6], c), np.zeros(tree.nv - 3)])
    assert_erratum(printed, ours, newton_euler_acceleration(tree, q, v))


def test_F13():
    """C̃ with C at 𝒥⁻¹η, a position; ẍ = d/dt (𝒥ν) is the truth."""
    tree, q, v = moving_chain(14)
    x = euler_angles.coordinates(tree, q)
    x_dot = euler_angles.coordinate_rates(x, v)
    E, E_dot = euler_angles.velocity_map(x), euler_angles.velocity_map_derivative(x, x_dot)
    M = mass_matrix(tree, q)
    J_dot = -np.linalg.inv(E) @ E_dot @ np.linalg.inv(E)
    printed = E.T @ (coriolis_matrix(tree, q, E @ x) - M @ E @ J_dot) @ E
    a = newton_euler_acceleration(tree, q, v)
    true = np.linalg.solve(E, a - E_dot @ x_dot)
    nothing, weightless = np.zeros(tree.nv), np.zeros(3)
    ours = euler_angles.euler_forward_dynamics(tree, x, x_dot, nothing, weightless)
    assert_erratum(np.linalg.solve(E.T @ M @ E, -printed @ x_dot), ours, true)
    corrected = E.T @ (coriolis_matrix(tree, q, v) - M @ E @ J_dot) @ E
    assert error(euler_angles.euler_coriolis_matrix(tree, x, x_dot), corrected) < RIGHT


def test_F14():
    assert_erratum(*from_dynamics.jacobian_derivative_columns())


def test_F30():
    """Ṁ − 2C is not skew for the printed choice of C, but for others with the same C v."""
    tree, q, v = moving_chain(15)
    M_dot = mass_matrix_rate(tree, q, v)
    forces = newton_euler_forces(tree, q, v)

    def defect(form):
        C = coriolis_matrix(tree, q, v, form)
        assert error(C @ v, forces) < RIGHT
        L = M_dot - 2 * C
        return np.max(np.abs(L + L.T))

    assert defect("papers") > WRONG
    assert max(defect("skew"), defect("simple"), defect("bodies")) < RIGHT


def derivatives_of_dexp(group):
    """∂S_ij/∂φ_k at φ = 0 as [i, j, k]."""
    return np.stack([derivative(lambda ε, e=e: group.dexp(ε * e)) for e in np.eye(group.dim)], axis=-1)


def test_F31():
    """S = 1 − ½ad_φ + …, so that ∂S_ij/∂φ_k is entry ij of −½ad_{e_k} and ∂S_ik/∂φ_j that of +½ad_{e_k}."""
    group = lie.special_euclidean()
    dS = derivatives_of_dexp(group)
    for k, e in enumerate(np.eye(6)):
        assert_erratum(-0.5 * se3.ad(e).T, -0.5 * se3.ad(e), dS[:, :, k])
        assert_erratum(0.5 * se3.ad(e).T, 0.5 * group.ad(e), dS[:, k, :])


def test_F32():
    """The same on SO(3), where ad_e = ê: −½ê_k and +½ê_k; printed with the opposite signs, which gives F8."""
    group = lie.spherical()
    dS = derivatives_of_dexp(group)
    for k, e in enumerate(np.eye(3)):
        assert_erratum(0.5 * so3.hat(e), -0.5 * so3.hat(e), dS[:, :, k])
        assert_erratum(-0.5 * so3.hat(e), 0.5 * group.ad(e), dS[:, k, :])


def test_F33():
    """With a vehicle of m DoFs the sums of (15) run over m + n velocities: there are no 6 + n."""
    tree, q, v = moving_chain(31, "Planar")
    group, n = tree.links[0].joint.group, 5
    m = group.dim
    dM, Mv = gradient(tree, q, lambda q: mass_matrix(tree, q)), mass_matrix(tree, q) @ v
    dS = np.zeros((m + n, m + n, m + n))
    dS[:m, :m, :m] = derivatives_of_dexp(group)

    def forces(last):
        first = sum((dM[k] - 0.5 * dM[:, :, k]) * v[k] for k in range(last))
        second = sum((dS[k] - dS[k].T) * Mv[k] for k in range(last))  # with the indices of F1 put right
        return (first + second) @ v

    assert len(v) == m + n != 6 + n
    assert refuses(lambda: forces(6 + n))
    assert error(forces(m + n), newton_euler_forces(tree, q, v)) < RIGHT
