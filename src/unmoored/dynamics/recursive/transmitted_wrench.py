"""The whole wrench that a joint transmits, beyond its part along the joint's motion (theory.md §12)."""

from __future__ import annotations

import numpy as np

from ...lie.arrays import apply
from ...model import Tree
from ..joint_crossing import crossings, joint_twist, twist_outward, wrench_inward
from ..tree_scans import inward, outward, split_velocity
from ..wrenches import Wrenches
from .bias_wrenches import bias_wrenches, motions, start_acceleration


def transmitted_wrench(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    gravity: np.ndarray,
    index: int,
    wrenches: Wrenches | None = None,
) -> np.ndarray:
    """Wrench F_i (..., 6) of the parent on body `index` and all that it carries, at its origin, in its axes.

    F_i = Σ X̃ᵀ(I A + β) over the body and its descendants: S_iᵀ F_i is the joint's force less its armature's.
    Arguments as for `inverse_dynamics`; a (..., nv) is the true acceleration.
    """
    xs = crossings(tree, q)
    moving = motions(tree, xs, q, v)

    def accelerate(_, A, x, motion, a_i):
        return twist_outward(x, A) + motion.product + joint_twist(x, a_i)

    As = outward(tree, accelerate, start_acceleration(gravity), xs, moving, split_velocity(tree, a))
    βs = bias_wrenches(tree, xs, [motion.twist for motion in moving], gravity, wrenches)

    def collect(link, arriving, x, A, β):
        F = arriving[0] + apply(link.inertia, A) + β
        return (wrench_inward(x, F),), F

    collected, _ = inward(tree, collect, (np.zeros(6),), xs, As, βs)
    return collected[index]
