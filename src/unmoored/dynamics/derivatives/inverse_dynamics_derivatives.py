"""Derivatives of inverse dynamics (docs/derivatives.md; Carpentier & Mansard 2018, Singh et al. 2022)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...model import Tree
from ...trace import loops_from
from ..wrenches import Wrenches
from .force_derivatives import (
    LOOPS_FROM,
    batch_shape,
    configuration_slope,
    mass_matrix,
    state,
    velocity_slope,
)


class InverseDynamicsDerivatives(NamedTuple):
    """∂τ/∂q along retract(q, ε e_k), ∂τ/∂v and ∂τ/∂a = M, each (..., nv, nv): [..., j, k] is τ_j along k."""

    dq: np.ndarray
    dv: np.ndarray
    da: np.ndarray


def inverse_dynamics_derivatives(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None = None,
) -> InverseDynamicsDerivatives:
    """Derivatives of `inverse_dynamics` at q (..., nq), v and a (..., nv).

    gravity: γ (..., 3) in world axes (m/s²).  wrenches: {frame: F (..., 6) in that frame's axes} (N, N m),
    which turn with the frame.
    """
    with loops_from(LOOPS_FROM, q, v, a):
        s = state(tree, q, v, gravity)
        M = mass_matrix(tree, s)
        slopes = configuration_slope(tree, s, q, v, a, wrenches), velocity_slope(tree, s, v)
    results = (*(_times_blocks(tree, M, slope.shift) + slope.rest for slope in slopes), M)
    shape = (*batch_shape(q, v, a, gravity, wrenches), tree.nv, tree.nv)
    return InverseDynamicsDerivatives(*(np.array(np.broadcast_to(x, shape)) for x in results))


def _times_blocks(tree: Tree, M: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """M shift (..., nv, nv) of a block-diagonal shift, a block for each joint."""
    columns = [M[..., :, link.v] @ shift[..., link.v, link.v] for link in tree.links]
    return np.concatenate(columns, axis=-1)
