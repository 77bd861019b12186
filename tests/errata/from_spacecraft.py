"""Printed forms about spacecraft that From et al. 2010 and From, Pettersen & Gravdahl 2011 share.

Each function gives (printed, ours, true) unless it says otherwise.
"""

from __future__ import annotations

import numpy as np
from tests.errata.chains import Blocks, blocks, moving_chain, newton_euler_acceleration

from unmoored.dynamics.energy import kinetic_energy
from unmoored.dynamics.kinematics import body_poses, centre_of_mass
from unmoored.dynamics.lagrange_poincare.connection import shape_inertia
from unmoored.dynamics.lagrange_poincare.reduced_motion import reduced_forward_dynamics, reduced_state
from unmoored.dynamics.spacecraft.centre_of_mass_form import centre_of_mass_form
from unmoored.lie import se3, so3

Triple = tuple[np.ndarray, np.ndarray, np.ndarray]
WEIGHTLESS = np.zeros(3)


def with_momentum(b: Blocks, v: np.ndarray, P: np.ndarray) -> np.ndarray:
    """v with the vehicle's rates chosen such that the momentum at its origin is P."""
    qd = v[b.m :]
    return np.concatenate([np.linalg.solve(b.M0, P) - b.A @ qd, qd])


def reduced_coriolis(b: Blocks, qd: np.ndarray) -> np.ndarray:
    """C_r = Ṁ_r − ½ ∂ᵀ/∂q (M_r q̇)."""
    return np.tensordot(qd, b.dM_hat, 1) - 0.5 * b.dM_hat @ qd


def reduced_without_momentum_terms(spin: float) -> Triple:
    """F19, S8: q̈ of M_r q̈ + C_r q̇ = 0, in a drift, with angular momentum `spin` about the centre of mass."""
    tree, q, v = moving_chain(6)
    b = blocks(tree, q)
    f, h = np.array([3.0, -2.0, 4.0]), spin * np.array([1.0, 2.0, -1.0])
    r = centre_of_mass_in_vehicle(tree, q)
    v = with_momentum(b, v, np.concatenate([f, np.cross(r, f) + h]))
    qd = v[6:]
    printed = np.linalg.solve(b.M_hat, -reduced_coriolis(b, qd) @ qd)
    y_dot = reduced_forward_dynamics(
        tree, q, reduced_state(tree, q, v, "b0"), np.zeros(tree.nv), WEIGHTLESS, None, "b0"
    )
    return printed, y_dot[6:], newton_euler_acceleration(tree, q, v)[6:]


def centre_of_mass_in_vehicle(tree, q: np.ndarray) -> np.ndarray:
    """Centre of mass (3,) in the vehicle's frame."""
    g = se3.inverse(body_poses(tree, q)[0])
    return se3.rotation(g) @ centre_of_mass(tree, q) + se3.position(g)


def reduced_inertia_without_inverse() -> Triple:
    """F21: M_qq − M_qV M_VV M_qVᵀ; the truth is the inverse of the joint block of M⁻¹."""
    tree, q, _ = moving_chain(7)
    b = blocks(tree, q)
    printed = b.Mm - b.M0m.T @ b.M0 @ b.M0m
    return printed, shape_inertia(tree, q, "b0"), np.linalg.inv(np.linalg.inv(b.M)[6:, 6:])


def reduced_inertia_of_attitude_model() -> Triple:
    """S10: M_r from the M_VV of the model with H = [0; 1]."""
    tree, q, _ = moving_chain(7)
    b = blocks(tree, q)
    ω = slice(3, 6)
    printed = b.Mm - b.M0m[ω].T @ np.linalg.solve(b.M0[ω, ω], b.M0m[ω])
    return printed, shape_inertia(tree, q, "b0"), np.linalg.inv(np.linalg.inv(b.M)[6:, 6:])


def transposed_reduced_coriolis() -> Triple:
    """F23: q̈ with C_rᵀ q̇ in place of C_r q̇, at zero momentum."""
    tree, q, v = moving_chain(8)
    b = blocks(tree, q)
    v = with_momentum(b, v, np.zeros(6))
    qd = v[6:]
    C = reduced_coriolis(b, qd)
    ours = np.linalg.solve(b.M_hat, -C @ qd)
    return np.linalg.solve(b.M_hat, -C.T @ qd), ours, newton_euler_acceleration(tree, q, v)[6:]


def inertia_of_pinned_base() -> Triple:
    """F24, S9: kinetic energy from H = [0; 1], of a spacecraft whose centre of mass is at rest."""
    tree, q, v = moving_chain(9)
    b = blocks(tree, q)
    v = np.concatenate([-b.M[:3, 3:] @ v[3:] / b.M[0, 0], v[3:]])
    printed = 0.5 * v[3:] @ b.M[3:, 3:] @ v[3:]
    ours = 0.5 * v[3:] @ centre_of_mass_form(tree, q, v).inertia @ v[3:]
    return printed, ours, kinetic_energy(tree, q, v)


def inertial_rate_as_velocity_state() -> Triple:
    """F25, S13: kinetic energy of a vehicle on a ball joint with its rate in inertial axes."""
    tree, q, v = moving_chain(10, "Spherical")
    b = blocks(tree, q)
    R = se3.rotation(body_poses(tree, q)[0])
    inertial = np.concatenate([R @ v[:3], v[3:]])
    return 0.5 * inertial @ b.M @ inertial, 0.5 * v @ b.M @ v, kinetic_energy(tree, q, v)


def rotational_energy_with_mixed_frames() -> Triple:
    """S12: ½ ωᵀ Rᵀ I⁰ R ω with the spatial inertia I⁰ and the spatial rate ω."""
    R, ω, I_b = so3.exp(np.array([0.4, -0.7, 0.9])), np.array([0.3, 1.1, -0.6]), np.diag([4.0, 5.0, 3.0])
    spatial, ω_0 = R @ I_b @ R.T, R @ ω
    return 0.5 * ω_0 @ R.T @ spatial @ R @ ω_0, 0.5 * ω_0 @ spatial @ ω_0, 0.5 * ω @ I_b @ ω
