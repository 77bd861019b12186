"""Dynamic singularities: configurations where the generalized Jacobian loses rank (theory.md §11)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...model import Tree
from ..closed_form.blocks import block
from ..composite import mass_matrix
from ..jacobians import jacobian


@dataclass(frozen=True)
class DynamicSingularity:
    """How near the generalized Jacobian J_G (6, n_active) of a frame is to losing rank.

    singular_values: (..., min(r, n_active)), largest first, for the r rows (of six) that were asked for.
    smallest: (...), zero at a dynamic singularity.  manipulability: (...), product of the singular values.
    Twists in m/s and rad/s count alike; ask for linear or angular rows alone to compare like with like.
    """

    singular_values: np.ndarray
    smallest: np.ndarray
    manipulability: np.ndarray


def dynamic_singularity(
    tree: Tree, q: np.ndarray, frame: str, passive: Iterable[str], rows: Iterable[int] = range(6)
) -> DynamicSingularity:
    """Distance from a dynamic singularity at q (..., nq) when the `passive` joints are left free.

    rows: components of the frame's twist (v, ω) that the task needs, 0 to 5.
    """
    J_G = dense_generalized_jacobian(tree, q, frame, passive)[..., list(rows), :]
    σ = np.linalg.svd(J_G, compute_uv=False)
    return DynamicSingularity(σ, σ[..., -1], σ.prod(axis=-1))


def dense_generalized_jacobian(tree: Tree, q: np.ndarray, frame: str, passive: Iterable[str]) -> np.ndarray:
    """J_G = J_a − J_p M_pp⁻¹ M_pa (..., 6, n_active), in the frame's axes, by the dense formula."""
    p = tree.dofs(passive)
    a = np.setdiff1d(np.arange(tree.nv), p)
    M, J = mass_matrix(tree, q), jacobian(tree, q, frame)
    return J[..., a] - J[..., p] @ np.linalg.solve(block(M, p, p), block(M, p, a))
