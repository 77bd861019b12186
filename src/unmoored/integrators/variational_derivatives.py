"""The derivative of a variational step at its solution, by the implicit-function theorem (docs/step.md).

With s = (w_m, x_m) that the step has solved for, ν = w_m or E w_m (couplings), and z = (δq, δw, δx, δu, δp), the step
is r(s; z) = 0 and then an explicit function of (s; z). So δs = −r_s⁻¹ r_z, and what follows by the chain rule;
iterations are not differentiated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics.configuration import retract
from ..dynamics.configuration_derivatives import dexp_inv, retract_derivatives
from ..lie.arrays import apply, join, scale, stacked_rows, transpose
from ..model import Tree
from ..trace import matmul, solve
from .state import RightHandSide, State
from .variational import independent, left_momentum, midpoint_momentum, momentum, per_joint


def equations(
    tree: Tree, f: RightHandSide, t: Any, h: Any, y: State, w_m: np.ndarray, x_m: np.ndarray,
    embedding: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """(r (nw + nx), w⁺ (nw), x⁺ (nx)) of one sample: what the step solves, and what it gives, at t (1,), h (1,).

    embedding: E (nv, nw) of joints that follow others, which must be in their places.
    """
    whole = independent(tree, embedding)
    ν = whole.velocities(w_m)
    q_m = retract(tree, y.q, 0.5 * h * ν)
    rate = f(t + 0.5 * h, State(q_m, w_m, x_m))
    π, G = midpoint_momentum(tree, q_m, ν, whole.velocities(rate.w_dot), h)
    left = whole.momenta(momentum(tree, y.q, whole.velocities(y.w)) - left_momentum(tree, ν, π, G, h))
    P = per_joint(tree, lambda link, ν_i, π_i: apply(transpose(dexp_inv(link, h * ν_i)), π_i), ν, π)
    w = whole.inverse_mass(retract(tree, y.q, h * ν))(whole.momenta(P))
    parts = [left, x_m - y.x - 0.5 * h * rate.x_dot, w, y.x + h * rate.x_dot]
    return join([part for part in parts if part.shape[-1]])


def variational_derivatives(
    tree: Tree, q: np.ndarray, w_m: np.ndarray, h: Any, J: np.ndarray, unknowns: int,
    embedding: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """Derivatives (..., n, c) of the step by z; J (..., 2 nw + 2 nx, unknowns + c): those of `equations` by (s, z).

    Rows of joints that follow others are left to the caller, who puts them in their places.
    """
    r_s, r_z = J[..., :unknowns, :unknowns], J[..., :unknowns, unknowns:]
    S = -solve(r_s, r_z)
    rest = matmul(J[..., unknowns:, :unknowns], S) + J[..., unknowns:, unknowns:]
    whole, nv, nw = independent(tree, embedding), tree.nv, w_m.shape[-1]
    moved = retract_derivatives(tree, q, np.asarray(h)[..., None] * whole.velocities(w_m))
    δν = S[..., :nw, :] if embedding is None else matmul(embedding, S[..., :nw, :])
    top = scale(h, matmul(moved.dq, δν))
    top = np.concatenate([top[..., :nv] + moved.q, top[..., nv:]], axis=-1)
    return stacked_rows([top, rest])
