"""Spacecraft in centre-of-mass form: translation splits off, attitude and joints remain (theory.md §9).

With velocity (ṙ_cm, ω, w) the inertia is blockdiag(m_t 1, M_red(q)): the centre of mass moves under the sum
of the forces alone, and (ω, w) as if it were at rest. This is the attitude-controlled spacecraft, whose
torques turn it and whose translation nobody controls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...lie.arrays import apply, join, solved, transpose
from ...model import Tree
from ..closed_form.coriolis import bracket_matrix
from ..closed_form.mass_matrix_from_jacobians import armature, mass_matrix_derivatives
from ..closed_form.vehicle_arm_blocks import block
from ..kinematics import body_poses
from ..mass_matrix import mass_matrix
from .conditions import free_vehicle, rigid_bodies

_FORM = "centre-of-mass form"
_LINEAR = np.arange(3)


class CentreOfMassForm(NamedTuple):
    """mass m_t (...), inertia M_red (..., nv−3, nv−3), coriolis C_red with Ṁ_red − 2C_red skew, momentum (...,
    nv−3).

    The velocities are (ω, w): those of the tree without the vehicle's three linear ones. The first three
    momenta are the angular momentum about the centre of mass in the vehicle's axes. centre_velocity: ṙ_cm
    (..., 3) in world axes.
    """

    mass: np.ndarray
    inertia: np.ndarray
    coriolis: np.ndarray
    momentum: np.ndarray
    centre_velocity: np.ndarray


def centre_of_mass_form(tree: Tree, q: np.ndarray, v: np.ndarray) -> CentreOfMassForm:
    """The form at q (..., nq), v (..., nv) for one free vehicle and rigid bodies."""
    _check(tree)
    M, dM = mass_matrix(tree, q), mass_matrix_derivatives(tree, q)
    v_r, turned = v[..., 3:], _rest(tree)
    coupling, d_coupling = block(M, _LINEAR, turned), block(dM, _LINEAR, turned)[..., 3:, :, :]
    m = np.asarray(tree.mass)
    M_red = block(M, turned, turned) - transpose(coupling) @ coupling / m[..., None, None]
    half = transpose(d_coupling) @ coupling[..., None, :, :] / m[..., None, None, None]
    dM_red = block(dM, turned, turned)[..., 3:, :, :] - half - transpose(half)
    p = apply(M_red, v_r)
    linear = apply(M[..., :3, :], v)
    R = se3.rotation(body_poses(tree, q)[0])
    C = _coriolis(tree, dM_red, p - armature(tree)[..., 3:] * v_r, v_r)
    mass = np.broadcast_to(m, M.shape[:-2])
    return CentreOfMassForm(mass, M_red, C, p, apply(R, linear) / m[..., None])


def attitude_dynamics(
    tree: Tree, q: np.ndarray, v: np.ndarray, tau: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(ω̇, ẇ) (..., nv−3) and r̈_cm (..., 3) in world axes, of the spacecraft in space at q (..., nq), v
    (..., nv).

    tau: (..., nv), the vehicle's force (first three, usually zero) and torque in its axes, then the joints'
    forces. M_red (ω̇, ẇ) + C_red (ω, w) = τ_(ωw) − M_(ωw)v f / m_t,   m_t r̈_cm = R f.
    """
    form = centre_of_mass_form(tree, q, v)
    coupling = block(mass_matrix(tree, q), _LINEAR, _rest(tree))
    force = tau[..., :3]
    driven = tau[..., 3:] - apply(transpose(coupling), force) / np.asarray(tree.mass)[..., None]
    R = se3.rotation(body_poses(tree, q)[0])
    accelerations = solved(form.inertia, driven - apply(form.coriolis, v[..., 3:]))
    return accelerations, apply(R, force) / np.asarray(tree.mass)[..., None]


def centre_of_mass_velocity_map(tree: Tree, q: np.ndarray) -> np.ndarray:
    """T (..., nv, nv) with (ṙ_cm, ω, w) = T v at q (..., nq), ṙ_cm in the vehicle's axes.

    M = Tᵀ blockdiag(m_t 1, M_red) T.
    """
    _check(tree)
    M = mass_matrix(tree, q)
    lower = np.broadcast_to(np.eye(tree.nv)[3:], (*M.shape[:-2], tree.nv - 3, tree.nv))
    return np.concatenate([M[..., :3, :] / np.asarray(tree.mass)[..., None, None], lower], axis=-2)


def _coriolis(tree: Tree, dM: np.ndarray, p: np.ndarray, v: np.ndarray) -> np.ndarray:
    """½(Ṁ + W − Wᵀ) + K (..., nv−3, nv−3) on SO(3) and the other joints (theory.md §5)."""
    W_T = apply(dM, v[..., None, :])
    # with no linear momentum the bracket of SE(3) is that of SO(3)
    K = bracket_matrix(tree, join([np.zeros(3), p]))[..., 3:, 3:]
    return 0.5 * (along(dM, v) + transpose(W_T) - W_T) + K


def _rest(tree: Tree) -> np.ndarray:
    return np.arange(3, tree.nv)


def _check(tree: Tree) -> None:
    free_vehicle(tree, _FORM)
    rigid_bodies(tree, _FORM)


def along(derivatives: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Σ_k ∂_kX w_k (..., r, c): rate of a matrix from its derivatives (..., n, r, c) and w (..., n)."""
    return (derivatives * w[..., :, None, None]).sum(axis=-3)
