"""The worked examples of From et al. 2010, section 6, entry by entry: slider on a free vehicle, rigid body.

Their errata: docs/errata.md, F28 and F29.
"""

import numpy as np
import pytest

from unmoored.dynamics import configuration
from unmoored.dynamics.closed_form.closed_form_dynamics import (
    closed_form_forward_dynamics,
    closed_form_inverse_dynamics,
)
from unmoored.dynamics.closed_form.coriolis import coriolis_matrix
from unmoored.dynamics.closed_form.mass_matrix_from_jacobians import mass_matrix, mass_matrix_derivatives
from unmoored.lie import se3, so3
from unmoored.model import Body, Free, Inertia, Pose, Prismatic, Tree

m_b, m, l = 7.0, 3.0, 0.6
J_b, J = np.array([1.3, 1.7, 2.1]), np.array([0.2, 0.5, 0.6])
ONE_LINK = Tree(
    name="one link",
    bodies=(
        Body(name="base", parent="world", joint=Free(), inertia=Inertia(m_b, tensor=J_b)),
        Body(
            name="slider",
            parent="base",
            joint=Prismatic((0, 1, 0)),
            inertia=Inertia(m, tensor=J),
            at=Pose(xyz=(0, 0, l)),
        ),
    ),
)
BODY = Tree(name="rigid body", bodies=ONE_LINK.bodies[:1])
RNG = np.random.default_rng(3)
V = RNG.normal(size=(6, 7))
STATES = pytest.mark.parametrize(("q1", "v"), list(zip(RNG.normal(size=6), V, strict=True)))


def placed(q1):
    return np.concatenate([configuration.random_configuration(BODY, np.random.default_rng(1)), [q1]])


@STATES
def test_inertia_matrix_105(q1, v):
    M_b = m_b + m
    Jx, Jy, Jz = J_b + J
    expected = [
        [M_b, 0, 0, 0, m * l, -m * q1, 0],
        [0, M_b, 0, -m * l, 0, 0, m],
        [0, 0, M_b, m * q1, 0, 0, 0],
        [0, -m * l, m * q1, Jx + m * l**2 + m * q1**2, 0, 0, -m * l],
        [m * l, 0, 0, 0, Jy + m * l**2, -m * l * q1, 0],
        [-m * q1, 0, 0, 0, -m * l * q1, Jz + m * q1**2, 0],
        [0, m, 0, -m * l, 0, 0, m],
    ]
    assert np.allclose(mass_matrix(ONE_LINK, placed(q1)), expected, atol=2e-15, rtol=1e-15)


@STATES
def test_derivative_of_the_inertia_times_the_velocity(q1, v):
    """The last row of the second part of the Coriolis matrix in the paper: ∂M/∂q₁ v."""
    vx, _, vz, wx, wy, wz, _ = v
    expected = [
        -m * wz,
        0,
        m * wx,
        m * vz + 2 * m * q1 * wx,
        -m * l * wz,
        -m * vx - m * l * wy + 2 * m * q1 * wz,
        0,
    ]
    dM = mass_matrix_derivatives(ONE_LINK, placed(q1))
    assert np.allclose(dM[6] @ v, expected, atol=2e-14, rtol=0)
    assert not dM[:6].any()


@STATES
def test_prismatic_joint_107_corrected_and_108(q1, v):
    a = np.random.default_rng(5).normal(size=7)
    τ = closed_form_inverse_dynamics(ONE_LINK, placed(q1), v, a, np.zeros(3))[6]
    vx, _, vz, wx, wy, wz, _ = v
    accelerations = m * a[6] + m * a[1] - m * l * a[3]
    shared = m / 2 * wz * vx - m / 2 * wx * vz - m / 2 * vz * wx - m * q1 * wx**2 - m * q1 * wz**2
    corrected = accelerations + shared + m / 2 * (vx + l * wy) * wz + m / 2 * l * wy * wz
    printed = accelerations + shared - m / 2 * (vx + l * wy) * wz
    final = a[6] + a[1] - l * a[3] + (vx + l * wy) * wz - vz * wx - q1 * wx**2 - q1 * wz**2
    assert abs(corrected - τ) <= 1e-13
    assert abs(m * final - τ) <= 1e-13
    assert abs(printed - τ) > 1e-3


@pytest.mark.parametrize("form", ["papers", "simple", "bodies"])
@pytest.mark.parametrize("v", V[:, :6])
def test_rigid_body_109_and_111(v, form):
    q = configuration.neutral(BODY)
    assert np.array_equal(mass_matrix(BODY, q), np.diag([m_b] * 3 + list(J_b)))
    p, h = so3.hat(m_b * v[:3]), so3.hat(J_b * v[3:])
    C = coriolis_matrix(BODY, q, v, form)
    assert np.allclose(C, -np.block([[np.zeros((3, 3)), p], [p, h]]), atol=1e-14, rtol=0)  # (111)
    printed = np.block([[h, np.zeros((3, 3))], [p, h]])  # (110)
    assert np.abs((C - printed) @ v).max() > 0.1


def test_levi_civita_of_a_rigid_body():
    """C_LC = ½ (I ad_V − ad_Vᵀ I + K6(I V)): for a body about its centre of mass the linear part is m ω̂."""
    v = V[0, :6]
    C = coriolis_matrix(BODY, configuration.neutral(BODY), v)
    w, Jw = so3.hat(v[3:]), so3.hat(J_b * v[3:])
    assert np.allclose(C[:3, :3], m_b * w, atol=1e-14, rtol=0)
    assert np.allclose(C[3:, 3:], (np.diag(J_b) @ w + w @ np.diag(J_b) - Jw) / 2, atol=1e-14, rtol=0)
    assert np.allclose(C[:3, 3:], 0, atol=1e-14, rtol=0)
    assert np.allclose(C[3:, :3], 0, atol=1e-14, rtol=0)


@pytest.mark.long
def test_force_free_body_moves_in_a_straight_line():
    """v = (1, 0, 0), ω = (0, 0, 1): one turn takes it 2π m along world x, not back to where it started."""
    n = 400
    h = 2 * np.pi / n
    q, v = configuration.neutral(BODY), np.array([1.0, 0, 0, 0, 0, 1.0])

    def f(v):
        return closed_form_forward_dynamics(BODY, q, v, np.zeros(6), np.zeros(3))

    g = np.eye(4)
    for _ in range(n):
        # RKMK4: the accelerations do not depend on the pose
        k1 = f(v)
        k2 = f(v + h / 2 * k1)
        k3 = f(v + h / 2 * k2)
        k4 = f(v + h * k3)
        V1, V2, V3, V4 = v, v + h / 2 * k1, v + h / 2 * k2, v + h * k3
        K1 = V1
        K2 = se3.dexp_inv(h / 2 * K1) @ V2
        K3 = se3.dexp_inv(h / 2 * K2) @ V3
        K4 = se3.dexp_inv(h * K3) @ V4
        g = g @ se3.exp(h / 6 * (K1 + 2 * K2 + 2 * K3 + K4))
        v = v + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    assert np.allclose(g[:3, 3], [2 * np.pi, 0, 0], atol=1e-8, rtol=0)
    assert np.allclose(g[:3, :3], np.eye(3), atol=1e-12, rtol=0)
