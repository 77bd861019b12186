"""Derivatives of forward dynamics, from those of inverse dynamics: ∂a = −M⁻¹ ∂τ (docs/derivatives.md §6)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...model import Tree
from ...trace import loops_from, matmul
from ..mass_matrix import inverse_tips_first
from ..wrenches import Wrenches
from .force_derivatives import (
    LOOPS_FROM,
    Slope,
    batch_shape,
    configuration_slope,
    mass_matrix,
    outside_forces,
    state,
    velocity_slope,
)

#: rows of matrices whose products are no loops in kernels
_WRITTEN_OUT = 24


class ForwardDynamicsDerivatives(NamedTuple):
    """∂a/∂q along retract(q, ε e_k), ∂a/∂v and ∂a/∂τ = M⁻¹, each (..., nv, nv): [..., j, k] is a_j along k."""

    dq: np.ndarray
    dv: np.ndarray
    dtau: np.ndarray


def forward_dynamics_derivatives(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None = None,
) -> ForwardDynamicsDerivatives:
    """Derivatives of `forward_dynamics` at q (..., nq), v and tau (..., nv).

    gravity: γ (..., 3) in world axes (m/s²).  wrenches: {frame: F (..., 6) in that frame's axes} (N, N m),
    which turn with the frame. Coriolis and centrifugal forces are ½ of their slope times v, since they are quadratic.
    """
    with loops_from(LOOPS_FROM, q, v, tau):
        s = state(tree, q, v, gravity)
        inverse = inverse_tips_first(mass_matrix(tree, s))
        by_velocity = velocity_slope(tree, s, v)
        a = _times(inverse, tau + outside_forces(tree, s, wrenches) - 0.5 * _times(by_velocity.rest, v))
        by_configuration = configuration_slope(tree, s, q, v, a, wrenches)
        dq, dv = (_solved(inverse, slope) for slope in (by_configuration, by_velocity))
    shape = (*batch_shape(q, v, tau, gravity, wrenches), tree.nv, tree.nv)
    results = (dq, dv, inverse)
    return ForwardDynamicsDerivatives(*(np.array(np.broadcast_to(x, shape)) for x in results))


def _solved(inverse: np.ndarray, slope: Slope) -> np.ndarray:
    return matmul(inverse, slope.rest, written_out=_WRITTEN_OUT**3, negative=True) - slope.shift


def _times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A x (..., nv)."""
    return matmul(A, x[..., None], written_out=_WRITTEN_OUT**2)[..., 0]
