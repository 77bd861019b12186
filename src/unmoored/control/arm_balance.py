"""How the centre of mass moves over a level vehicle while its arm follows references: third and fourth derivatives."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..dynamics.kinematics import centre_of_mass
from ..lie import so3
from ..lie.arrays import apply, join, vector
from ..model import Tree
from ..trace import Traced, call_traced, evaluate, is_symbolic, jvp, trace


@lru_cache(maxsize=64)
def _jets(tree: Tree, vehicle: int) -> tuple[Traced, Traced]:
    """d³o/dt³ and d⁴o/dt⁴ (3,) of (x, ẋ, …): o the offset, x joints with one coordinate, then the heading."""
    arm = [link for link in tree.links if link.joint.nv == 1 and link.index != vehicle]
    n = len(arm) + 1

    def offset(x: np.ndarray) -> np.ndarray:
        own = {link.index: x[[i]] for i, link in enumerate(arm)}
        q = join([own.get(link.index, link.joint.neutral()) for link in tree.links])
        turn = so3.exp(vector([0.0, 0.0, x[-1]]))
        return apply(turn, centre_of_mass(tree, q) - tree.links[vehicle].placement[:3, 3])

    rate = trace(offset, (n,))
    orders = []
    for order in range(1, 5):
        slope = jvp(rate)
        rate = trace(lambda *x, slope=slope: call_traced(slope, *x[:-1], *x[1:]), *([(n,)] * (order + 1)))
        orders.append(rate)
    return orders[2], orders[3]


def balance_jerk(tree: Tree, vehicle: int, ways: list[list[np.ndarray]]) -> list[np.ndarray]:
    """Third and fourth derivative (..., 3) of the offset, where coordinates and heading have derivatives `ways`.

    ways: of each joint with one coordinate, in the tree's order, and of the heading: x, ẋ, … to the fourth, (..., 1).
    """
    x = [join([way[k] for way in ways]) for k in range(5)]
    third, fourth = _jets(tree, vehicle)
    return [_at(third, x[:4]), _at(fourth, x)]


def _at(function: Traced, x: list[Any]) -> np.ndarray:
    if any(map(is_symbolic, x)):
        return call_traced(function, *x)
    return evaluate(function, *x)
