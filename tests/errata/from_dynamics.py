"""Printed forms that From et al. 2010 and From, Pettersen & Gravdahl 2011 share: dynamics and kinematics.

Each function gives (printed, ours, true).
"""

from __future__ import annotations

import numpy as np
from tests.errata.chains import (
    arm_jacobian,
    blocks,
    coriolis,
    derivative,
    kinematics,
    moving_chain,
    newton_euler_acceleration,
    newton_euler_forces,
)

from unmoored import lie
from unmoored.dynamics.closed_form.coriolis import coriolis_matrix
from unmoored.dynamics.comparisons import euler_angles, quaternion
from unmoored.dynamics.configuration import retract
from unmoored.dynamics.local_coordinates import local_bracket
from unmoored.dynamics.recursive import forward_dynamics
from unmoored.lie import se3, so3

Triple = tuple[np.ndarray, np.ndarray, np.ndarray]


def bracket_at_identity(group: lie.Subgroup | None = None) -> Triple:
    """F1, S1 at φ = 0: C_VV V from derivatives of S(φ), with the momentum p of a random body."""
    group = group or lie.special_euclidean()
    p, V = np.random.default_rng(1).normal(size=(2, group.dim))
    turn = _turn(group, np.zeros(group.dim))
    ours = local_bracket(group, np.zeros(group.dim), p)
    return np.einsum("ijk,k->ij", turn, p) @ V, ours @ V, -group.ad(V).T @ p


def bracket_anywhere(group: lie.Subgroup | None = None) -> Triple:
    """F1, S1 at φ ≠ 0: the same with S⁻¹ on both sides."""
    group = group or lie.special_euclidean()
    rng = np.random.default_rng(2)
    p, V = rng.normal(size=(2, group.dim))
    φ = 0.5 * rng.normal(size=group.dim)
    S_inv = group.dexp_inv(φ)
    printed = np.einsum("mi,mjs,sk,k->ij", S_inv, _turn(group, φ), S_inv, p)
    return printed @ V, local_bracket(group, φ, p) @ V, -group.ad(V).T @ p


def _turn(group: lie.Subgroup, φ: np.ndarray) -> np.ndarray:
    """∂S_ij/∂φ_k − ∂S_ik/∂φ_j as [i, j, k], with S = dexp(φ)."""
    steps = np.eye(group.dim)
    dS = np.stack([derivative(lambda ε, e=e: group.dexp(φ + ε * e)) for e in steps], axis=-1)
    return dS - np.swapaxes(dS, 1, 2)


def free_vehicle_bracket(printed_bracket) -> Triple:
    """F6, S6: accelerations of a free vehicle with an arm, with a printed block C_VV − Ṁ_VV."""
    return _acceleration_with("Free", printed_bracket)


def ball_vehicle_bracket(printed_bracket) -> Triple:
    """F8, B1: the same for a vehicle on SO(3)."""
    return _acceleration_with("Spherical", printed_bracket)


def no_bracket(vehicle: str) -> Triple:
    """F10: accelerations of a vehicle on SE(2), X(z) or Y without any bracket."""
    return _acceleration_with(vehicle, lambda p: np.zeros((len(p), len(p))))


def _acceleration_with(vehicle: str, printed_bracket) -> Triple:
    tree, q, v = moving_chain(3, vehicle)
    b = blocks(tree, q)
    printed = coriolis(b, v, printed_bracket((b.M @ v)[: b.m]))
    ours = forward_dynamics(tree, q, v, np.zeros(tree.nv), np.zeros(3))
    return np.linalg.solve(b.M, -printed @ v), ours, newton_euler_acceleration(tree, q, v)


def sum_to_six() -> Triple:
    """F7, S7: Σ over k = 1…6 in the vehicle's rows, for an arm with seven joints."""
    tree, q, v = moving_chain(4, arm=("Revolute", "Prismatic", "Helical") * 2 + ("Revolute",))
    b = blocks(tree, q)
    C = coriolis(b, v, se3.momentum_bracket((b.M @ v)[:6]))
    printed = C.copy()
    printed[:6] -= v[6 + 6] * b.dM[6, :6]
    return printed @ v, coriolis_matrix(tree, q, v, "papers") @ v, newton_euler_forces(tree, q, v)


def jacobian_derivative_columns() -> Triple:
    """F14, S14: ∂J_i/∂q_k with k + 1 leading zero columns instead of k."""
    tree, q, _ = moving_chain(5)
    i, k, kin = 5, 2, kinematics(tree, q)
    g = kin.g
    columns = [np.zeros(6)] * k + [
        se3.Ad(g[k - 1]) @ se3.ad(kin.X[k]) @ se3.Ad(se3.inverse(g[k - 1]) @ g[j - 1]) @ kin.X[j]
        for j in range(k + 1, i + 1)
    ]
    ours = np.stack(columns, axis=1)
    printed = ours.copy()
    printed[:, k] = 0.0
    step = np.eye(tree.nv)[6 + k - 1]
    return printed, ours, derivative(lambda ε: arm_jacobian(kinematics(tree, retract(tree, q, ε * step)), i))


def _attitude() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(R, ω in body axes, ω in inertial axes), far from all singularities."""
    R, ω = so3.exp(np.array([0.4, -0.7, 0.9])), np.array([0.3, 1.1, -0.6])
    return R, ω, R @ ω


def _quaternion_rate() -> tuple[np.ndarray, np.ndarray]:
    R, ω, _ = _attitude()
    return so3.quaternion_wxyz(R), derivative(lambda t: so3.quaternion_wxyz(R @ so3.exp(t * ω)))


def quaternion_with_inertial_rate() -> Triple:
    """F15, S3: ε̇ = ½(η1 + ε̂)ω with ω in inertial axes."""
    Q, Q_dot = _quaternion_rate()
    _, ω, ω_inertial = _attitude()
    printed = 0.5 * (Q[0] * np.eye(3) + so3.hat(Q[1:])) @ ω_inertial
    return printed, quaternion.quaternion_rate(Q, ω)[1:], Q_dot[1:]


def quaternion_with_inertia() -> Triple:
    """F16, S3: the inertia of the vehicle in place of the identity."""
    Q, Q_dot = _quaternion_rate()
    _, ω, _ = _attitude()
    printed = 0.5 * (Q[0] * np.diag([4.0, 5.0, 3.0]) + so3.hat(Q[1:])) @ ω
    return printed, quaternion.quaternion_rate(Q, ω)[1:], Q_dot[1:]


def external_torque_of_attitude_dynamics() -> tuple[np.ndarray, np.ndarray]:
    """F17, S4: dL/dt in inertial axes that the printed and our free dynamics imply; it should vanish."""
    R, ω, ω_0 = _attitude()
    I_b = np.diag([4.0, 5.0, 3.0])
    printed_rate = -np.linalg.solve(I_b, np.cross(ω_0, I_b @ ω_0))
    our_rate = -np.linalg.solve(I_b, np.cross(ω, I_b @ ω))
    spatial = R @ I_b @ R.T
    printed = np.cross(ω_0, spatial @ ω_0) + spatial @ printed_rate
    return printed, R @ (np.cross(ω, I_b @ ω) + I_b @ our_rate)


def euler_rates_with_inertial_rate() -> Triple:
    """F18, S5: Θ̇ = T ω with ω in inertial axes."""
    R, ω, ω_0 = _attitude()
    Θ = euler_angles.ZYX.angles(R)
    T = euler_angles.ZYX.rates(Θ)
    return T @ ω_0, T @ ω, derivative(lambda t: euler_angles.ZYX.angles(R @ so3.exp(t * ω)), step=0.004)
