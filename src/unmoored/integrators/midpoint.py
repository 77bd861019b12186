"""The implicit Lie midpoint rule: order 2, symmetric (theory.md §16)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics.configuration import retract
from ..model import Tree
from .state import RightHandSide, State, renormalised

#: each iteration gains about a factor h·L/2, L the Lipschitz constant of the right-hand side
ITERATIONS = 10


def midpoint_step(
    tree: Tree, f: RightHandSide, t: Any, y: State, h: Any, iterations: int = ITERATIONS
) -> tuple[State, np.ndarray]:
    """One step of size h (s), and the defect (...) that the fixed-point iteration left, in units of the velocity.

    w_m = w + h/2 ẇ(t + h/2, q exp(h/2 v_m), w_m) is iterated; then q⁺ = q exp(h v_m), w⁺ = 2 w_m − w.
    """
    w_m, x_m, q_m = y.w, y.x, y.q
    defect = np.zeros(1)
    for _ in range(iterations):
        rate = f(t + 0.5 * h, State(q_m, w_m, x_m))
        q_m = retract(tree, y.q, 0.5 * h * rate.v)
        w_next, x_m = y.w + 0.5 * h * rate.w_dot, y.x + 0.5 * h * rate.x_dot
        defect, w_m = np.abs(w_next - w_m).sum(axis=-1), w_next
    rate = f(t + 0.5 * h, State(q_m, w_m, x_m))
    moved = State(retract(tree, y.q, h * rate.v), y.w + h * rate.w_dot, y.x + h * rate.x_dot)
    return moved._replace(q=renormalised(tree, moved.q)), defect
