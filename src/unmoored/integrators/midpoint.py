"""The implicit Lie midpoint rule: order 2, symmetric (theory.md §16)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics.configuration import retract
from ..lie.arrays import join
from ..model import Tree
from ..trace import repeat
from .iteration import ITERATIONS
from .state import Rate, RightHandSide, State, renormalised


def midpoint_step(
    tree: Tree,
    f: RightHandSide,
    t: Any,
    y: State,
    h: Any,
    iterations: int = ITERATIONS,
) -> tuple[State, np.ndarray]:
    """One step of size h (s), and what its equation is off by at most (..., nv + nx), in the units of v and x.

    w_m = w + h/2 ẇ(t + h/2, q exp(h/2 v_m), w_m) is iterated, from w_m = w; then q⁺ = q exp(h v_m), w⁺ = 2 w_m − w.
    Every iteration gains about a factor h L/2, L the Lipschitz constant of the right-hand side.
    """
    # where velocities are independent v is w; else it follows from w and q, and the iteration's last one is taken
    independent = y.w.shape[-1] == tree.nv

    def run(_: Any, rate: Rate) -> Rate:
        half = 0.5 * h
        w_m = y.w + half * rate.w_dot
        q_m = retract(tree, y.q, half * (w_m if independent else rate.v))
        return f(t + half, State(q_m, w_m, y.x + half * rate.x_dot))

    still = Rate(*(np.zeros(n) for n in (tree.nv, y.w.shape[-1], y.x.shape[-1])))
    before = Rate(*repeat(run, still, iterations - 1))
    rate = run(iterations - 1, before)
    moved = State(retract(tree, y.q, h * rate.v), y.w + h * rate.w_dot, y.x + h * rate.x_dot)
    if independent:
        off = 0.5 * h * (rate.w_dot - before.w_dot)
    else:  # from rest, v moves in every second iteration and ẇ in the others: both are looked at
        off = np.abs(rate.v - before.v) + np.abs(run(iterations, rate).v - rate.v)
    left = join([off, 0.5 * h * (rate.x_dot - before.x_dot)])
    return moved._replace(q=renormalised(tree, moved.q)), left
