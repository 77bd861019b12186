"""The dense formulas of an under-actuated system, from the mass matrix by Schur complements (theory.md §11).

Cubic in the number of DoFs; the recursions are the fast way, and these say what they compute.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...model import Tree
from ...trace import solve_spd as solve
from ..jacobians import jacobian
from ..mass_matrix import inverse_tips_first, mass_matrix
from .passive_dofs import active_dofs, passive_dofs


class Partition(NamedTuple):
    """Blocks (..., n_a or n_p, n_a or n_p) of the mass matrix between active (a) and passive (p) DoFs."""

    aa: np.ndarray
    ap: np.ndarray
    pp: np.ndarray


def partitioned_mass_matrix(tree: Tree, q: np.ndarray, passive: Sequence[int]) -> Partition:
    """M_aa, M_ap and M_pp at q (..., nq)."""
    M = mass_matrix(tree, q)
    a, p = active_dofs(tree, passive), passive_dofs(tree, passive)
    return Partition(M[..., a[:, None], a], M[..., a[:, None], p], M[..., p[:, None], p])


def disturbance_jacobian_dense(tree: Tree, q: np.ndarray, passive: Sequence[int]) -> np.ndarray:
    """J_D = −M_pp⁻¹ M_pa (..., n_passive, n_active)."""
    M = partitioned_mass_matrix(tree, q, passive)
    return -solve(M.pp, np.swapaxes(M.ap, -1, -2))


def generalized_jacobian_dense(tree: Tree, q: np.ndarray, frame: str, passive: Sequence[int]) -> np.ndarray:
    """J_G = J_a + J_p J_D (..., 6, n_active), in the frame's own axes."""
    J = jacobian(tree, q, frame)
    J_a, J_p = J[..., active_dofs(tree, passive)], J[..., passive_dofs(tree, passive)]
    return J_a + J_p @ disturbance_jacobian_dense(tree, q, passive)


def active_inertia(tree: Tree, q: np.ndarray, passive: Sequence[int]) -> np.ndarray:
    """S_aa = M_aa − M_ap M_pp⁻¹ M_pa (..., n_active, n_active): inertia that the active DoFs feel."""
    M = partitioned_mass_matrix(tree, q, passive)
    return M.aa - M.ap @ solve(M.pp, np.swapaxes(M.ap, -1, -2))


def passive_mobility(tree: Tree, q: np.ndarray, passive: Sequence[int]) -> np.ndarray:
    """S_pp = M_pp⁻¹ (..., n_passive, n_passive): accelerations of passive DoFs per force on them, active ones held."""
    return inverse_tips_first(partitioned_mass_matrix(tree, q, passive).pp)


def force_transmission(tree: Tree, q: np.ndarray, passive: Sequence[int]) -> np.ndarray:
    """S_ap = M_ap M_pp⁻¹ (..., n_active, n_passive): forces that hold the active DoFs, per force on the passive ones.

    Its transpose is −J_D (Jain & Rodriguez 1993, (4.4), (4.5)).
    """
    return -np.swapaxes(disturbance_jacobian_dense(tree, q, passive), -1, -2)
