"""The derivative of an implicit Lie midpoint step, at its solution (docs/step.md).

With θ = ½h v_m, and J, B the derivatives of (v, ẇ, ẋ) at the midpoint y_m = (q_m, w_m, x_m), its tangents Z solve

    (1 − ½h D J) Z = [Ad_{exp(−θ)}, 1, 1] + ½h D B,     D = diag(dexp(θ), 1, 1)

by the implicit-function theorem: the iterations are never differentiated. Then δq⁺ = Ad_{exp(−2θ)} δq + h dexp(2θ) δv_m
and δw⁺ = δw + h δẇ, δx⁺ likewise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics.configuration import local, retract
from ..dynamics.configuration_derivatives import retract_derivatives
from ..lie.arrays import blocks, scale, stacked_rows
from ..model import Tree
from ..trace import matmul, solve
from .explicit_derivatives import SlopesOf
from .state import State


def midpoint_derivatives(
    tree: Tree, slopes: SlopesOf, t: Any, y: State, h: Any, after: State, u: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Derivatives (..., n, n + r) of the state `after` a step of size h (...) from y at time t (...)."""
    θ = 0.5 * local(tree, y.q, after.q)
    middle = State(retract(tree, y.q, θ), 0.5 * (y.w + after.w), 0.5 * (y.x + after.x))
    _, J, B = slopes(t + 0.5 * h, middle, u, p)
    nv, n = tree.nv, J.shape[-1]
    if J.shape[-2] < n:  # v is w
        above = np.zeros((nv, n))
        above[:, nv : 2 * nv] = np.eye(nv)
        J, B = stacked_rows([above, J]), stacked_rows([np.zeros((nv, B.shape[-1])), B])
    half = retract_derivatives(tree, y.q, θ)
    left = np.eye(n) - scale(0.5 * h, _top(half.dq, J))
    right = np.concatenate([_corner(half.q, n), scale(0.5 * h, _top(half.dq, B))], axis=-1)
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    Z = solve(*(np.broadcast_to(A, (*batch, *A.shape[-2:])) for A in (left, right)))
    K = matmul(J, Z)
    K = np.concatenate([K[..., :n], K[..., n:] + B], axis=-1)
    whole = retract_derivatives(tree, y.q, 2.0 * θ)
    start = np.concatenate([_corner(whole.q, n), np.zeros((*whole.q.shape[:-2], n, B.shape[-1]))], axis=-1)
    return start + scale(h, _top(whole.dq, K))


def _top(A: np.ndarray, X: np.ndarray) -> np.ndarray:
    """X (..., n, c) with its first rows multiplied by A (..., k, k)."""
    k = A.shape[-1]
    return stacked_rows([matmul(A, X[..., :k, :]), X[..., k:, :]])


def _corner(A: np.ndarray, n: int) -> np.ndarray:
    """The identity (..., n, n) with A (..., k, k) in its first corner."""
    k = A.shape[-1]
    return blocks([[A, np.zeros((k, n - k))], [np.zeros((n - k, k)), np.eye(n - k)]])
