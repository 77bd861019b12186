"""Operational space: the dynamics of one frame, with the plain or with the generalized Jacobian.

With no passive DoFs: τ = JᵀF gives Λ V̇ + μ + p = F, Λ = (J M⁻¹ Jᵀ)⁻¹. With passive DoFs the same holds for
the active ones, with J_G for J and the inertia S_aa that they feel for M (theory.md §11).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..lie.arrays import apply, transpose
from ..model import ModelError, Tree
from ..trace import inverse_spd
from ..trace import solve_spd as solve
from .kinematics import acceleration
from .recursive import hybrid_dynamics
from .underactuated.generalized_jacobian import generalized_jacobian
from .underactuated.passive_dofs import active_dofs, passive_mask
from .underactuated.schur_complements import active_inertia


class OperationalSpace(NamedTuple):
    """Dynamics of a frame in k directions, in its own axes; n is the number of active DoFs.

    inertia: Λ (..., k, k).  bias: μ (..., k), from velocities.  gravity: p (..., k).  Λ V̇ + μ + p = F.
    jacobian: J or J_G (..., k, n).  inverse: J̄ (..., n, k), the dynamically consistent one, S⁻¹JᵀΛ, JJ̄ = 1.
    null_space: N = 1 − J̄J (..., n, n); accelerations N a and forces Nᵀτ leave the frame alone.
    """

    inertia: np.ndarray
    bias: np.ndarray
    gravity: np.ndarray
    jacobian: np.ndarray
    inverse: np.ndarray
    null_space: np.ndarray


def operational_space(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    gravity: np.ndarray,
    damping: np.ndarray,
    frame: str,
    passive: Sequence[int] = (),
    rows: Sequence[int] = range(6),
) -> OperationalSpace:
    """The frame's dynamics at q (..., nq), v (..., nv), gravity γ (..., 3) in world axes.

    rows: the k directions (0…5 of V̇) that count.  damping: λ (...) in Λ = (J S⁻¹ Jᵀ + λ²)⁻¹; with 0 the
    Jacobian must have full row rank.  Passive forces are zero here; their effect is in `acceleration_bias`.
    """
    rows = list(rows)
    if not active_dofs(tree, passive).size:
        expected = "at least one DoF that is not passive, whose forces move the frame"
        raise ModelError.single(tree.name, "operational_space", expected=expected, given="all passive")
    J = generalized_jacobian(tree, q, frame, passive)[..., rows, :]
    S = active_inertia(tree, q, passive)
    batch = np.broadcast_shapes(J.shape[:-2], S.shape[:-2])  # the inertia of one body has none
    J, S = (np.broadcast_to(X, (*batch, *X.shape[-2:])) for X in (J, S))
    softness = solve(S, transpose(J))  # S⁻¹Jᵀ
    Λ = inverse_spd(J @ softness + np.asarray(damping)[..., None, None] ** 2 * np.eye(len(rows)))
    inverse = softness @ Λ

    def load(v, γ):
        """F (..., k) that keeps V̇ at zero: Λ (J S⁻¹ k − b), k and b the forces and V̇ at a_active = 0."""
        still, mask = np.zeros(tree.nv), passive_mask(tree, passive)
        a, tau = hybrid_dynamics(tree, q, v, still, still, mask, γ)
        holding = tau[..., active_dofs(tree, passive)]
        moved = acceleration(tree, q, v, a, frame)[..., rows]
        return apply(transpose(inverse), holding) - apply(Λ, moved)

    N = np.eye(J.shape[-1]) - inverse @ J
    return OperationalSpace(Λ, load(v, np.zeros(3)), load(np.zeros(tree.nv), gravity), J, inverse, N)
