"""What a joint whose twist basis S varies with its coordinates adds (docs/derivatives.md §5).

For a constant basis every function here gives exact zeros, which fold away when traced.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ...model.joints import Joint
from ...trace import Traced, call_traced, evaluate, is_symbolic, jacobian, trace
from ..kinematics import basis_rate_twist


def bend(joint: Joint, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """∂_aS u (..., nv, 6), a row for each coordinate a, in the moved body's frame."""
    dS = joint.basis_derivatives(q)
    return np.zeros((joint.nv, 6)) if dS is None else np.einsum("...aik,...k->...ai", dS, u)


def bend_rate(joint: Joint, q: np.ndarray, u: np.ndarray, a: np.ndarray) -> np.ndarray:
    """∂_a(S a + Ṡ u) (..., nv, 6) at fixed rates u and accelerations a, in the moved body's frame."""
    if joint.constant_basis:
        return np.zeros((joint.nv, 6))
    slopes = _slopes_of_basis_rate(joint)
    at = call_traced(slopes, q, u) if is_symbolic(q, u) else evaluate(slopes, q, u)
    return bend(joint, q, a) + np.swapaxes(at, -1, -2)


def bent_forces(joint: Joint, q: np.ndarray, F: np.ndarray) -> np.ndarray:
    """(∂_aS)ᵀ F (..., nv, nv), a column for each coordinate a, of a wrench F (..., 6) in the body's frame."""
    dS = joint.basis_derivatives(q)
    return np.zeros((joint.nv, joint.nv)) if dS is None else np.einsum("...aik,...i->...ka", dS, F)


@lru_cache(maxsize=256)
def _slopes_of_basis_rate(joint: Joint) -> Traced:
    """∂(Ṡ u)/∂q (6, nv) as a graph in q and u: second derivatives that no joint has to provide."""
    rate = trace(lambda q, u: basis_rate_twist(joint, q, u), (joint.nv,), (joint.nv,), name="basis rate")
    return jacobian(rate, wrt=0)
