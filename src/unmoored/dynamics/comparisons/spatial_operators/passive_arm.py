"""Operators of the passive arm, in which every active DoF is locked (Jain & Rodriguez 1993, (4.6), (4.7))."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ....model import Tree
from ...joint_crossing import crossings
from ...recursive.articulated_bodies import hinges
from .operator_stack import Stack, one_minus_inverse, stack


class PassiveArm(NamedTuple):
    """Articulated-body operators of the passive DoFs, with N_p of them among N = N_a + N_p.

    base: φ, H, M.  H_p (..., N_p, 6n), H_a (..., N_a, 6n): rows of H.  dofs_p, dofs_a: their velocity
    indices. P (..., 6n, 6n), D = H_pPH_pᵀ (..., N_p, N_p), G = PH_pᵀD⁻¹ (..., 6n, N_p), K = 𝓔_φG. tau_bar:
    τ̄ = 1 − GH_p.  shift: 𝓔_ψ = 𝓔_φτ̄.  psi: ψ = (1 − 𝓔_ψ)⁻¹.  Omega: Ω = ψᵀH_pᵀD⁻¹H_pψ.
    """

    base: Stack
    H_p: np.ndarray
    H_a: np.ndarray
    dofs_p: np.ndarray
    dofs_a: np.ndarray
    P: np.ndarray
    D: np.ndarray
    G: np.ndarray
    K: np.ndarray
    tau_bar: np.ndarray
    shift: np.ndarray
    psi: np.ndarray
    Omega: np.ndarray

    @property
    def innovations(self) -> np.ndarray:
        """1 + H_pφK (..., N_p, N_p): M_pp = (1 + H_pφK) D (1 + H_pφK)ᵀ (Lemma 4.1)."""
        return np.eye(self.D.shape[-1]) + self.H_p @ self.base.phi @ self.K

    @property
    def whitening(self) -> np.ndarray:
        """1 − H_pψK (..., N_p, N_p), the inverse of `innovations` (Lemma 4.2)."""
        return np.eye(self.D.shape[-1]) - self.H_p @ self.psi @ self.K

    @property
    def D_inverse(self) -> np.ndarray:
        """D⁻¹ (..., N_p, N_p): block diagonal, one block per joint."""
        return np.linalg.inv(self.D)


def passive_arm(tree: Tree, q: np.ndarray, passive: Sequence[int]) -> PassiveArm:
    """The operators at q (..., nq) for the passive DoFs with these velocity indices. Numbers only."""
    base = stack(tree, q)
    is_passive = np.isin(base.dofs, list(passive))
    H_p, H_a = base.H[..., is_passive, :], base.H[..., ~is_passive, :]
    P = _block_diagonal([hinge.inertia for hinge in _hinges(tree, q, passive)], base.order, q.shape[:-1])
    D = H_p @ P @ np.swapaxes(H_p, -1, -2)
    G = P @ np.swapaxes(H_p, -1, -2) @ np.linalg.inv(D)
    tau_bar = np.eye(P.shape[-1]) - G @ H_p
    shift = base.shift @ tau_bar
    psi = one_minus_inverse(shift)
    seen = H_p @ psi
    Omega = np.swapaxes(seen, -1, -2) @ np.linalg.inv(D) @ seen
    dofs_p, dofs_a = base.dofs[is_passive], base.dofs[~is_passive]
    return PassiveArm(base, H_p, H_a, dofs_p, dofs_a, P, D, G, base.shift @ G, tau_bar, shift, psi, Omega)


def _hinges(tree: Tree, q: np.ndarray, passive: Sequence[int]):
    mask = np.zeros(tree.nv)
    mask[list(passive)] = 1.0
    return hinges(tree, crossings(tree, q), mask)


def _block_diagonal(parts: list[np.ndarray], order: np.ndarray, batch: tuple[int, ...]) -> np.ndarray:
    total = np.zeros((*batch, 6 * len(parts), 6 * len(parts)))
    for k, body in enumerate(order):
        total[..., 6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = parts[body]
    return total
