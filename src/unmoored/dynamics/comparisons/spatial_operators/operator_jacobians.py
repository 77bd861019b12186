"""Dynamics and Jacobians of the under-actuated system in operator form (Jain & Rodriguez 1993, §4 to §6).

Rows and columns follow `dofs_p` and `dofs_a` of the passive arm, tips first.
"""

from __future__ import annotations

import numpy as np

from ....lie.arrays import apply, transpose
from .passive_arm import PassiveArm


def passive_mass_matrix_inverse(arm: PassiveArm) -> np.ndarray:
    """M_pp⁻¹ = S_pp = (1 − H_pψK)ᵀ D⁻¹ (1 − H_pψK) (..., N_p, N_p) (Lemma 4.3)."""
    return transpose(arm.whitening) @ arm.D_inverse @ arm.whitening


def active_to_passive(arm: PassiveArm) -> np.ndarray:
    """S_ap = M_ap M_pp⁻¹ = H_a{(ψ − PΩ)K + PψᵀH_pᵀD⁻¹} (..., N_a, N_p) (5.1b)."""
    inner = (arm.psi - arm.P @ arm.Omega) @ arm.K
    return arm.H_a @ (inner + arm.P @ transpose(arm.psi) @ transpose(arm.H_p) @ arm.D_inverse)


def active_inertia(arm: PassiveArm) -> np.ndarray:
    """S_aa = H_a{(ψ − PΩ)P + Pψ̃ᵀ}H_aᵀ (..., N_a, N_a), ψ̃ = ψ − 1 (5.1c)."""
    psi_tilde = arm.psi - np.eye(arm.psi.shape[-1])
    inner = (arm.psi - arm.P @ arm.Omega) @ arm.P + arm.P @ transpose(psi_tilde)
    return arm.H_a @ inner @ transpose(arm.H_a)


def projection(arm: PassiveArm) -> np.ndarray:
    """𝒯 = ΩM (..., 6n, 6n), a projection of rank N_p; 1 − 𝒯 has rank 6n − N_p (Lemma 6.1)."""
    return arm.Omega @ arm.base.M


def generalized_jacobian(arm: PassiveArm, B: np.ndarray) -> np.ndarray:
    """J_G = Bᵀ(ψᵀ − ΩP)H_aᵀ (..., 6, N_a) of the frame with the operator B (6n, 6) (6.11)."""
    return B.T @ (transpose(arm.psi) - arm.Omega @ arm.P) @ transpose(arm.H_a)


def disturbance_jacobian(arm: PassiveArm) -> np.ndarray:
    """J_D = −(1 − H_pψK)ᵀD⁻¹H_pψPH_aᵀ − KᵀψᵀH_aᵀ (..., N_p, N_a) (6.13)."""
    through_inertia = transpose(arm.whitening) @ arm.D_inverse @ arm.H_p @ arm.psi @ arm.P
    return -(through_inertia + transpose(arm.K) @ transpose(arm.psi)) @ transpose(arm.H_a)


def hybrid_by_operators(
    arm: PassiveArm, a: np.ndarray, b: np.ndarray, T_p: np.ndarray, acceleration_a: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(passive accelerations (..., N_p), active forces (..., N_a), body accelerations (..., 6n)) (Lemma 5.2).

    a, b: stacked Coriolis accelerations and gyroscopic wrenches (..., 6n).  T_p (..., N_p), acceleration_a
    (..., N_a): the given passive forces and active accelerations.
    """
    driven = apply(transpose(arm.H_a), acceleration_a) + a
    z = apply(arm.psi, apply(arm.K, T_p) + b + apply(arm.P, driven))
    nu = apply(arm.D_inverse, T_p - apply(arm.H_p, z))
    alpha = apply(transpose(arm.psi), apply(transpose(arm.H_p), nu) + driven)
    T_a = apply(arm.H_a, apply(arm.P, alpha - driven) + z)
    return nu - apply(transpose(arm.K), alpha), T_a, alpha
