"""Fossen's REMUS 100 hull terms, coded independently in forward-right-down axes (Fossen 2021, ch. 6 and 8)."""

import numpy as np
from tests.worlds.support import relative_error

import unmoored as um

RHO, G = 1026.0, 9.81
LENGTH_HALF, RADIUS = 0.8, 0.095
FLIP = np.array([1, -1, -1])  # forward-right-down to forward-left-up: half a turn about x
T = np.diag(np.tile(FLIP, 2)).astype(float)


def smtrx(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def coriolis_from_mass(M, nu):
    """m2c: the Coriolis matrix that Kirchhoff's equations give for a mass matrix (Fossen 2021, eq. (3.46))."""
    M11, M12, M22 = M[:3, :3], M[:3, 3:], M[3:, 3:]
    dt_dnu1 = M11 @ nu[:3] + M12 @ nu[3:]
    dt_dnu2 = M12.T @ nu[:3] + M22 @ nu[3:]
    return np.block([[np.zeros((3, 3)), -smtrx(dt_dnu1)], [-smtrx(dt_dnu1), -smtrx(dt_dnu2)]])


def lamb_factors(a, b):
    """k1, k2, k' of a prolate spheroid (Lamb, art. 114 and 115)."""
    e = np.sqrt(1 - (b / a) ** 2)
    alpha = 2 * (1 - e**2) / e**3 * (0.5 * np.log((1 + e) / (1 - e)) - e)
    beta = 1 / e**2 - (1 - e**2) / (2 * e**3) * np.log((1 + e) / (1 - e))
    turning = e**4 * (beta - alpha) / ((2 - e**2) * (2 * e**2 - (2 - e**2) * (beta - alpha)))
    return alpha / (2 - alpha), beta / (2 - beta), turning


def fossen_matrices():
    """M_RB, M_A, linear damping, in forward-right-down axes at the hull's centre."""
    m = 4 / 3 * np.pi * RHO * LENGTH_HALF * RADIUS**2
    r_g = np.array([0, 0, 0.02])
    I_g = np.diag([2 / 5 * m * RADIUS**2, *[m / 5 * (LENGTH_HALF**2 + RADIUS**2)] * 2])
    S = smtrx(r_g)
    MRB = np.block([[m * np.eye(3), -m * S], [m * S, I_g - m * S @ S]])
    k1, k2, k_turning = lamb_factors(LENGTH_HALF, RADIUS)
    MA = np.diag([m * k1, m * k2, m * k2, 0.3 * I_g[0, 0], *[k_turning * I_g[1, 1]] * 2])
    M = MRB + MA
    w_roll = np.sqrt(0.02 * m * G / M[3, 3])
    w_pitch = np.sqrt(0.02 * m * G / M[4, 4])
    D = np.diag(
        [M[0, 0] / 20, M[1, 1] / 20, M[2, 2] / 20, 0.6 * w_roll * M[3, 3], 1.6 * w_pitch * M[4, 4], M[5, 5]]
    )
    return m, MRB, MA, D


def rotation_zyx(phi, theta, psi):
    c, s = np.cos, np.sin
    Rz = np.array([[c(psi), -s(psi), 0], [s(psi), c(psi), 0], [0, 0, 1]])
    Ry = np.array([[c(theta), 0, s(theta)], [0, 1, 0], [-s(theta), 0, c(theta)]])
    Rx = np.array([[1, 0, 0], [0, c(phi), -s(phi)], [0, s(phi), c(phi)]])
    return Rz @ Ry @ Rx


def restoring(m, phi, theta):
    """g(η) with W = B, centre of gravity 2 cm below the centre of buoyancy (Fossen 2021, eq. (4.6))."""
    W = m * G
    return np.array([0, 0, 0, 0.02 * W * np.cos(theta) * np.sin(phi), 0.02 * W * np.sin(theta), 0])


def test_hull_accelerates_as_fossen_s_in_a_current():
    m, MRB, MA, D = fossen_matrices()
    system = um.load("remus100")
    quadratic = T @ system.tree.bodies[0].fluid.quadratic_drag @ T
    phi, theta, psi = 0.3, -0.4, 0.9
    R_frd = rotation_zyx(phi, theta, psi)
    current_ned = np.array([0.3, -0.2, 0.1])
    nu = np.array([1.5, 0.2, -0.1, 0.3, -0.2, 0.4])
    tau = np.array([3.0, 0.5, -0.4, 0.02, 0.1, -0.3])
    v_c = R_frd.T @ current_ned
    nu_r = nu - np.concatenate([v_c, np.zeros(3)])
    forces = tau - restoring(m, phi, theta) - D @ nu_r - quadratic @ (np.abs(nu_r) * nu_r)
    forces = forces - (coriolis_from_mass(MRB, nu_r) + coriolis_from_mass(MA, nu_r)) @ nu_r
    nu_r_dot = np.linalg.solve(MRB + MA, forces)
    nu_dot = nu_r_dot - np.concatenate([np.cross(nu[3:], v_c), np.zeros(3)])

    F = np.diag(FLIP).astype(float)
    pose = np.eye(4)
    pose[:3, :3] = F @ R_frd @ F  # north-east-down and forward-right-down both turn half about x
    q = system.pack({"hull": pose})
    plant = um.Plant(system, um.Ocean(current=F @ current_ned, density=RHO))
    a = plant.forward_dynamics(0.0, q, T @ nu, T @ tau, backend="numpy")
    assert relative_error(T @ a, nu_dot) < 1e-13


def test_added_mass_of_the_file_is_lamb_s():
    _, MRB, MA, D = fossen_matrices()
    system = um.load("remus100")
    body = system.tree.bodies[0]
    assert relative_error(T @ body.inertia.matrix @ T, MRB) < 1e-14
    assert relative_error(T @ body.fluid.added_mass @ T, MA) < 1e-13
    assert relative_error(T @ body.fluid.linear_drag @ T, D) < 1e-13
