"""The derivative of a variational step at its solution, by the implicit-function theorem (docs/step.md).

With s = (ν, x_m) that the step has solved for and z = (δq, δw, δx, δu, δp), the step is r(s; z) = 0 and then an
explicit function of (s; z). So δs = −r_s⁻¹ r_z, and what follows by the chain rule; iterations are not differentiated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics.configuration import retract
from ..dynamics.configuration_derivatives import dexp_inv, retract_derivatives
from ..dynamics.recursive import inverse_mass
from ..lie.arrays import apply, join, scale, stacked_rows, transpose
from ..model import Tree
from ..trace import matmul, solve
from .state import RightHandSide, State
from .variational import left_momentum, midpoint_momentum, momentum, per_joint


def equations(
    tree: Tree, f: RightHandSide, t: Any, h: Any, y: State, ν: np.ndarray, x_m: np.ndarray
) -> np.ndarray:
    """(r (nv + nx), w⁺ (nv), x⁺ (nx)) of one sample: what the step solves, and what it gives, at t (1,), h (1,)."""
    q_m = retract(tree, y.q, 0.5 * h * ν)
    rate = f(t + 0.5 * h, State(q_m, ν, x_m))
    π, G = midpoint_momentum(tree, q_m, ν, rate.w_dot, h)
    left = momentum(tree, y.q, y.w) - left_momentum(tree, ν, π, G, h)
    P = per_joint(tree, lambda link, ν_i, π_i: apply(transpose(dexp_inv(link, h * ν_i)), π_i), ν, π)
    w = inverse_mass(tree, retract(tree, y.q, h * ν))(P)
    parts = [left, x_m - y.x - 0.5 * h * rate.x_dot, w, y.x + h * rate.x_dot]
    return join([part for part in parts if part.shape[-1]])


def variational_derivatives(
    tree: Tree, q: np.ndarray, ν: np.ndarray, h: Any, J: np.ndarray, unknowns: int
) -> np.ndarray:
    """Derivatives (..., n, c) of the step by z; J (..., 2 nv + 2 nx, unknowns + c): those of `equations` by (s, z)."""
    r_s, r_z = J[..., :unknowns, :unknowns], J[..., :unknowns, unknowns:]
    S = -solve(r_s, r_z)
    rest = matmul(J[..., unknowns:, :unknowns], S) + J[..., unknowns:, unknowns:]
    moved = retract_derivatives(tree, q, np.asarray(h)[..., None] * ν)
    nv = tree.nv
    top = scale(h, matmul(moved.dq, S[..., :nv, :]))
    top = np.concatenate([top[..., :nv] + moved.q, top[..., nv:]], axis=-1)
    return stacked_rows([top, rest])
