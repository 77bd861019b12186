"""Reaction null space: motions of the active DoFs that leave passive ones alone (theory.md §11).

Nenchev, Umetani & Yoshida 1992. With J the rows of the disturbance Jacobian J_D of the DoFs that must not react, active
accelerations (1 − J⁺J) z do not move them, and J⁺ gives the smallest ones that move them as wanted. For a free-floating
vehicle without momentum the same holds for velocities.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...model import ModelError, Tree
from .damped_least_squares import damped_inverse
from .generalized_jacobian import disturbance_jacobian
from .passive_dofs import passive_dofs


class ReactionNullSpace(NamedTuple):
    """projector: 1 − J⁺J (..., n, n) on the n active DoFs.  inverse: J⁺ (..., n, k).  jacobian: J (..., k, n)."""

    projector: np.ndarray
    inverse: np.ndarray
    jacobian: np.ndarray


def reaction_null_space(
    tree: Tree,
    q: np.ndarray,
    damping: np.ndarray,
    passive: Sequence[int],
    at_rest: Sequence[int] | None = None,
) -> ReactionNullSpace:
    """The projector at q (..., nq) that keeps `at_rest`, k of the passive velocity indices (all if None), at rest.

    damping: λ (...) in J⁺ = Jᵀ(JJᵀ + λ²)⁻¹; with 0 J must have full row rank, and the projector is exact.
    """
    J = _rows(tree, q, passive, at_rest)
    inverse = damped_inverse(J, damping)
    return ReactionNullSpace(np.eye(J.shape[-1]) - inverse @ J, inverse, J)


def reaction_null_space_basis(
    tree: Tree, q: np.ndarray, passive: Sequence[int], at_rest: Sequence[int] | None = None
) -> np.ndarray:
    """Orthonormal columns (..., n, n − k) of active motions that do not move `at_rest`; arguments as there.

    For J of full row rank, elsewhere there are more. Numbers only, and not continuous in q.
    """
    J = _rows(tree, q, passive, at_rest)
    k, n = J.shape[-2:]
    right = np.linalg.svd(J, full_matrices=True)[2]
    return np.swapaxes(right[..., min(k, n) :, :], -1, -2)


def _rows(tree: Tree, q: np.ndarray, passive: Sequence[int], at_rest: Sequence[int] | None) -> np.ndarray:
    known = passive_dofs(tree, passive)
    wanted = known if at_rest is None else np.asarray(at_rest, dtype=int)
    if not np.isin(wanted, known).all():
        expected = f"passive DoFs: {', '.join(tree.dof_names[i] for i in known)}"
        given = ", ".join(tree.dof_names[i] for i in wanted)
        raise ModelError.single(tree.name, "reaction null space", expected=expected, given=given)
    return disturbance_jacobian(tree, q, passive)[..., np.searchsorted(known, wanted), :]
