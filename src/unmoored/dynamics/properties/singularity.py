"""Dynamic singularities: configurations where the generalized Jacobian loses rank (theory.md §11)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...model import Tree
from ..underactuated.schur import generalized_jacobian_dense


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
    J_G = generalized_jacobian_dense(tree, q, frame, tree.dofs(passive).tolist())[..., list(rows), :]
    σ = np.linalg.svd(J_G, compute_uv=False)
    return DynamicSingularity(σ, σ[..., -1], σ.prod(axis=-1))
