"""Locked inertia, mechanical connection and shape inertia, derivatives, curvature (theory.md §8)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie.arrays import apply, transpose
from ...model import Tree
from ...trace import inverse_spd
from ..closed_form.mass_matrix_from_jacobians import mass_matrix_derivatives
from ..closed_form.vehicle_arm_blocks import block
from ..mass_matrix import mass_matrix
from .vehicle_split import Split, shape_structure_constants, split


class Reduction(NamedTuple):
    """The blocks of the mass matrix that a vehicle's symmetry leaves: functions of the shape alone.

    locked_inertia: M₀ (..., m, m), of everything welded.  locked_inverse: its inverse.
    connection: A = M₀⁻¹ M₀ₘ (..., m, n).  shape_inertia: M̂ = Mₘ − Aᵀ M₀ A (..., n, n).
    """

    locked_inertia: np.ndarray
    locked_inverse: np.ndarray
    connection: np.ndarray
    shape_inertia: np.ndarray


class ReductionDerivatives(NamedTuple):
    """Derivatives along every shape direction k, which is the first of the last three indices.

    coupling: ∂_kM₀ₘ (..., n, m, n).  The others are those of `Reduction`.
    """

    locked_inertia: np.ndarray
    coupling: np.ndarray
    locked_inverse: np.ndarray
    connection: np.ndarray
    shape_inertia: np.ndarray


def reduction(M: np.ndarray, at: Split) -> Reduction:
    """The blocks of a mass matrix M (..., nv, nv)."""
    M0, M0m = block(M, at.group, at.group), block(M, at.group, at.shape)
    inverse = inverse_spd(M0)
    A = inverse @ M0m
    return Reduction(M0, inverse, A, block(M, at.shape, at.shape) - transpose(A) @ M0m)


def reduction_derivatives(M: np.ndarray, dM: np.ndarray, at: Split) -> ReductionDerivatives:
    """Their derivatives, from M (..., nv, nv) and ∂_kM = dM[..., k, :, :] (..., nv, nv, nv)."""
    dM = dM[..., at.shape, :, :]
    _, inverse, A, _ = (x[..., None, :, :] for x in reduction(M, at))
    M0m = block(M, at.group, at.shape)[..., None, :, :]
    dM0, dM0m = block(dM, at.group, at.group), block(dM, at.group, at.shape)
    dA = inverse @ (dM0m - dM0 @ A)
    # M̂ = Mₘ − M₀ₘᵀ A
    d_shape = block(dM, at.shape, at.shape) - transpose(dM0m) @ A - transpose(M0m) @ dA
    return ReductionDerivatives(dM0, dM0m, -inverse @ dM0 @ inverse, dA, d_shape)


def locked_inertia(tree: Tree, q: np.ndarray, vehicle: str) -> np.ndarray:
    """M₀ (..., m, m) at q (..., nq): inertia of the system welded at its shape, along the vehicle's DoFs."""
    return reduction(mass_matrix(tree, q), split(tree, vehicle)).locked_inertia


def mechanical_connection(tree: Tree, q: np.ndarray, vehicle: str) -> np.ndarray:
    """A (..., m, n) at q (..., nq): at zero momentum the vehicle moves with u = −A w."""
    return reduction(mass_matrix(tree, q), split(tree, vehicle)).connection


def shape_inertia(tree: Tree, q: np.ndarray, vehicle: str) -> np.ndarray:
    """M̂ (..., n, n) at q (..., nq): the inertia that the other joints feel while the vehicle gives way."""
    return reduction(mass_matrix(tree, q), split(tree, vehicle)).shape_inertia


def locked_inertia_derivatives(tree: Tree, q: np.ndarray, vehicle: str) -> np.ndarray:
    """∂M₀ (..., n, m, m) at q (..., nq): [..., k, :, :] is the derivative along the shape velocity k."""
    return _derivatives(tree, q, vehicle).locked_inertia


def connection_derivatives(tree: Tree, q: np.ndarray, vehicle: str) -> np.ndarray:
    """∂A (..., n, m, n) at q (..., nq): [..., k, :, :] is ∂_kA, the derivative along the shape velocity k."""
    return _derivatives(tree, q, vehicle).connection


def shape_inertia_derivatives(tree: Tree, q: np.ndarray, vehicle: str) -> np.ndarray:
    """∂M̂ (..., n, n, n) at q (..., nq): [..., k, :, :] is ∂_kM̂, the derivative along the shape velocity k."""
    return _derivatives(tree, q, vehicle).shape_inertia


def spatial_connection(tree: Tree, q: np.ndarray, vehicle: str) -> np.ndarray:
    """𝒜 (..., m, nv) at q (..., nq): 𝒜 v = Ad_h (u + A w), the locked velocity in the frame that the joint sits in.

    It is the velocity of all bodies, welded together, that has the system's momentum; for a free vehicle placed at the
    world's origin a twist in world axes at that origin. Turning or shifting everything in the world turns it along.
    """
    at = split(tree, vehicle)
    A = reduction(mass_matrix(tree, q), at).connection
    h = at.joint.transform(q[..., at.link.q])
    return at.joint.group.Ad(h) @ at.joined(np.eye(len(at.group)), A)


def vertical_velocity(tree: Tree, q: np.ndarray, v: np.ndarray, vehicle: str) -> np.ndarray:
    """(u + A w, 0) (..., nv): the part of v (..., nv) that moves all bodies like one, and has all the momentum."""
    at = split(tree, vehicle)
    A = reduction(mass_matrix(tree, q), at).connection
    w = at.others(v)
    return at.joined(at.vehicle(v) + apply(A, w), np.zeros_like(w, dtype=float))


def horizontal_velocity(tree: Tree, q: np.ndarray, v: np.ndarray, vehicle: str) -> np.ndarray:
    """(−A w, w) (..., nv): the part of v (..., nv) that changes the shape without any momentum of the vehicle.

    It is orthogonal to the vertical part in the mass matrix, and the two add up to v.
    """
    at = split(tree, vehicle)
    A = reduction(mass_matrix(tree, q), at).connection
    w = at.others(v)
    return at.joined(-apply(A, w), w)


def curvature(tree: Tree, q: np.ndarray, vehicle: str) -> np.ndarray:
    """Curvature B (..., n, n, m) of the connection: B_jk = ∂_jA_k − ∂_kA_j − A[e_j, e_k] − [A_j, A_k].

    What the vehicle drifts by, per unit area, when two shape velocities go round a small loop at zero
    momentum; [e_j, e_k] is the bracket of two velocities of one multi-DoF joint, zero for joints with one
    DoF.
    """
    at = split(tree, vehicle)
    M = mass_matrix(tree, q)
    A = reduction(M, at).connection
    dA = np.moveaxis(reduction_derivatives(M, mass_matrix_derivatives(tree, q), at).connection, -2, -1)
    c, c_shape = at.joint.group.structure_constants, shape_structure_constants(tree, at)
    brackets = np.einsum("lab,...aj,...bk->...jkl", c, A, A)
    own = np.einsum("ijk,...li->...jkl", c_shape, A)
    return dA - np.swapaxes(dA, -3, -2) - own - brackets


def _derivatives(tree: Tree, q: np.ndarray, vehicle: str) -> ReductionDerivatives:
    return reduction_derivatives(mass_matrix(tree, q), mass_matrix_derivatives(tree, q), split(tree, vehicle))
