"""From, Gravdahl & Pettersen 2014, appendix A: the printed fails, this library holds (docs/errata.md)."""

import numpy as np
from tests.errata import from_dynamics
from tests.errata.chains import (
    arm_jacobian,
    assert_erratum,
    blocks,
    coriolis,
    derivative,
    error,
    kinematics,
    moving_chain,
    refuses,
)

from unmoored.dynamics.closed_form.coriolis import mass_matrix_rate
from unmoored.dynamics.configuration import retract
from unmoored.dynamics.jacobians import base_jacobian
from unmoored.dynamics.kinematics import body_poses
from unmoored.lie import se3, so3


def test_B1():
    assert_erratum(*from_dynamics.ball_vehicle_bracket(lambda p: -0.5 * so3.hat(p)))
    tree, q, v = moving_chain(3, "Spherical")
    b = blocks(tree, q)
    printed = coriolis(b, v, -0.5 * so3.hat((b.M @ v)[:3]))
    assert abs(v @ (mass_matrix_rate(tree, q, v) - 2 * printed) @ v) < 1e-10  # an energy test cannot see it


def test_B2():
    """One symbol for two twists: the adjoint rule needs that in frame k − 1, the Jacobian that in frame k."""
    tree, q, _ = moving_chain(30)
    k, kin = 3, kinematics(tree, q)
    turn = np.eye(tree.nv)[6 + k - 1]
    true = derivative(lambda ε: se3.Ad(kinematics(tree, retract(tree, q, ε * turn)).g[5]))
    inboard, outboard = se3.Ad(kin.g[k - 1]), se3.Ad(se3.inverse(kin.g[k - 1]) @ kin.g[5])
    assert_erratum(inboard @ se3.ad(kin.S[k]) @ outboard, inboard @ se3.ad(kin.X[k]) @ outboard, true)

    columns = base_jacobian(tree, q, "b5", "b0")[:, 6:]
    with_X = np.stack([se3.Ad(kin.g[j]) @ kin.X[j] for j in range(1, 6)], axis=1)
    with_S = np.stack([se3.Ad(kin.g[j]) @ kin.S[j] for j in range(1, 6)], axis=1)
    assert_erratum(with_X, with_S, columns)


def test_B3():
    """Ad_{g_0i} makes the Jacobian depend on where the vehicle is."""
    tree, q, _ = moving_chain(30)
    kin, world = kinematics(tree, q), body_poses(tree, q)
    printed = np.stack([se3.Ad(world[j]) @ kin.S[j] for j in range(1, 6)], axis=1)
    ours = np.stack([se3.Ad(kin.g[j]) @ kin.S[j] for j in range(1, 6)], axis=1)
    assert_erratum(printed, ours, base_jacobian(tree, q, "b5", "b0")[:, 6:])


def test_B4():
    """hat(X_k) = ∂g/∂q_k g⁻¹: the last factor is g_k(k−1)."""
    tree, q, _ = moving_chain(30)
    k, kin = 3, kinematics(tree, q)
    turn = np.eye(tree.nv)[6 + k - 1]

    def relative(ε):
        g = kinematics(tree, retract(tree, q, ε * turn)).g
        return se3.inverse(g[k - 1]) @ g[k]

    slope = derivative(relative)
    assert_erratum(slope @ relative(0.0), slope @ se3.inverse(relative(0.0)), se3.hat(kin.X[k]))


def test_B5():
    """Zero blocks stand beside columns of length six: 6×(n − i), not (n − i)×6. With them (A.10) is right."""
    tree, q, _ = moving_chain(30)
    i, k, n, kin = 4, 2, 5, kinematics(tree, q)
    columns = arm_jacobian(kin, i)[:, :i]
    assert refuses(lambda: np.concatenate([columns, np.zeros((n - i, 6))], axis=1))
    assert np.concatenate([columns, np.zeros((6, n - i))], axis=1).shape == (6, n)

    rule = se3.Ad(kin.g[k - 1]) @ se3.ad(kin.X[k])
    moved = [rule @ se3.Ad(se3.inverse(kin.g[k - 1]) @ kin.g[j]) @ kin.S[j] for j in range(k, i + 1)]
    ours = np.concatenate([np.zeros((6, k - 1)), np.stack(moved, axis=1), np.zeros((6, n - i))], axis=1)
    turn = np.eye(tree.nv)[6 + k - 1]
    true = derivative(lambda ε: arm_jacobian(kinematics(tree, retract(tree, q, ε * turn)), i))
    assert error(ours, true) < 1e-10
