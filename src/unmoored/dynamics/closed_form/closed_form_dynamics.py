"""The equations of motion from the closed-form matrices: slower than the recursions, independent of them."""

from __future__ import annotations

import numpy as np

from ...lie.arrays import solved
from ...model import Tree
from ..gravity import gravity_forces
from ..wrenches import Wrenches, wrench_forces
from .coriolis import coriolis_matrix
from .mass_matrix_from_jacobians import mass_matrix


def bias_forces(
    tree: Tree, q: np.ndarray, v: np.ndarray, gravity: np.ndarray, wrenches: Wrenches | None = None
) -> np.ndarray:
    """C v + n − Σ Jᵀ F (..., nv): what the joints must give for no acceleration.

    gravity: (..., 3), world axes (m/s²).  wrenches: {frame: (..., 6) in that frame's axes}.
    """
    velocity_forces = (coriolis_matrix(tree, q, v, "bodies") @ v[..., None])[..., 0]
    return velocity_forces + gravity_forces(tree, q, gravity) - wrench_forces(tree, q, wrenches)


def closed_form_inverse_dynamics(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None = None,
) -> np.ndarray:
    """τ = M a + C v + n − Σ Jᵀ F (..., nv); arguments as in `bias_forces`."""
    return (mass_matrix(tree, q) @ a[..., None])[..., 0] + bias_forces(tree, q, v, gravity, wrenches)


def closed_form_forward_dynamics(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None = None,
) -> np.ndarray:
    """a = M⁻¹ (τ − C v − n + Σ Jᵀ F) (..., nv); arguments as in `bias_forces`."""
    right = tau - bias_forces(tree, q, v, gravity, wrenches)
    return solved(mass_matrix(tree, q), right)
