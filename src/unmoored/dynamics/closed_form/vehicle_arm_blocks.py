"""The closed form with the vehicle's and the arm's parts apart (From et al. 2010, eq. (22), (57))."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...model import Tree
from ..gravity import gravity_forces
from .coriolis import coriolis_matrix
from .mass_matrix_from_jacobians import mass_matrix


class BlockForm(NamedTuple):
    """[M_VV M_Vq; M_qV M_qq](V̇, q̈) + [C_VV C_Vq; C_qV C_qq](V, q̇) + (n_V, n_q) = (τ_V, τ_q).

    V: the m velocities of one vehicle's joint; q: the n others, in velocity order. M_qV = M_Vqᵀ.
    """

    vehicle_inertia: np.ndarray  # M_VV (..., m, m)
    coupling_inertia: np.ndarray  # M_Vq (..., m, n)
    arm_inertia: np.ndarray  # M_qq (..., n, n)
    vehicle_coriolis: np.ndarray  # C_VV (..., m, m)
    vehicle_arm_coriolis: np.ndarray  # C_Vq (..., m, n)
    arm_vehicle_coriolis: np.ndarray  # C_qV (..., n, m)
    arm_coriolis: np.ndarray  # C_qq (..., n, n)
    vehicle_gravity: np.ndarray  # n_V (..., m)
    arm_gravity: np.ndarray  # n_q (..., n)


def block_form(
    tree: Tree, q: np.ndarray, v: np.ndarray, gravity: np.ndarray, vehicle: str, form: str = "skew"
) -> BlockForm:
    """Blocks of the equations of motion at q (..., nq), v (..., nv), gravity (..., 3) in world axes (m/s²).

    form: that of `coriolis_matrix`; "papers" gives the blocks that From et al. print (corrected).
    """
    V, A = vehicle_and_arm(tree, vehicle)
    M = mass_matrix(tree, q)
    C = coriolis_matrix(tree, q, v, form)
    n = gravity_forces(tree, q, gravity)
    return BlockForm(
        vehicle_inertia=block(M, V, V),
        coupling_inertia=block(M, V, A),
        arm_inertia=block(M, A, A),
        vehicle_coriolis=block(C, V, V),
        vehicle_arm_coriolis=block(C, V, A),
        arm_vehicle_coriolis=block(C, A, V),
        arm_coriolis=block(C, A, A),
        vehicle_gravity=n[..., V],
        arm_gravity=n[..., A],
    )


def vehicle_and_arm(tree: Tree, vehicle: str) -> tuple[np.ndarray, np.ndarray]:
    """Velocity indices of a vehicle's joint (m,) and of all other joints (n,)."""
    V = tree.dofs(vehicle)
    return V, np.setdiff1d(np.arange(tree.nv), V)


def block(A: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The entries (..., r, c) of A (..., nv, nv) in these rows and columns."""
    return A[..., rows[:, None], columns]
