"""Forward dynamics by articulated bodies: the hybrid recursion with every DoF passive (theory.md §12)."""

from __future__ import annotations

import numpy as np

from ...model import Tree
from ..wrenches import Wrenches
from .hybrid import hybrid_dynamics


def forward_dynamics(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None = None,
) -> np.ndarray:
    """Accelerations (..., nv) = M⁻¹(τ − C v − gravity_forces + Σ Jᵀ F) at q (..., nq), v and tau (..., nv).

    gravity: γ (..., 3) in world axes (m/s²).  wrenches: {frame: F (..., 6) in that frame's axes} (N, N m).
    """
    everything, nothing = np.ones(tree.nv), np.zeros(tree.nv)
    return hybrid_dynamics(tree, q, v, tau, nothing, everything, gravity, wrenches)[0]
