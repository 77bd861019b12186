"""Derivatives of the rows of closures by the configuration, in closed form (theory.md §28, §29)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...dynamics.relative_motion import Walk, jacobian_between
from ...dynamics.relative_motion_slopes import force_slopes, has_slopes, motion_slopes
from ...dynamics.tree_scans import split_velocity
from ...lie.arrays import apply, scale, stacked_rows, transpose
from ...model import Tree
from .closed_loops import Closing, Loops
from .rolling_disc import RollingDisc


class RowSlopes(NamedTuple):
    """Derivatives (..., c, nv): of J v by δq, of J a + γ by δq and by v."""

    velocity_by_q: np.ndarray
    by_q: np.ndarray
    by_v: np.ndarray


def has_row_slopes(loops: Loops) -> bool:
    """Whether the closed form holds: bases of joints that do not vary."""
    return all(has_slopes(loops.tree, walked) for walked in loops.walks)


def integrable(loops: Loops) -> np.ndarray:
    """(c,): 1 for rows that are the rate of a gap, 0 for those that tie velocities only."""
    return np.concatenate([closure.integrable for closure in loops.closures])


def row_slopes(loops: Loops, v: np.ndarray, a: np.ndarray) -> RowSlopes:
    """At v (..., nv) and accelerations a (..., nv)."""
    us, accelerations = split_velocity(loops.tree, v), split_velocity(loops.tree, a)
    found = [
        _slopes_of(loops.tree, closure, walked, us, accelerations)
        for closure, walked in zip(loops.closures, loops.walks, strict=True)
    ]
    return RowSlopes(*(stacked_rows(list(rows)) for rows in zip(*found, strict=True)))


def _slopes_of(
    tree: Tree, closure: Closing, walked: Walk, us: list[np.ndarray], accelerations: list[np.ndarray]
) -> RowSlopes:
    """Of one closure's rows (..., rows, nv)."""
    of_motion = motion_slopes(tree, walked, us, accelerations)
    G = closure.rows_of(walked.pose)
    velocity_by_q, by_q, by_v = G @ of_motion.twist_by_q, G @ of_motion.by_q, G @ of_motion.by_v
    own = closure.slopes(walked.pose, of_motion.twist, of_motion.acceleration)
    if own is not None:
        J = jacobian_between(tree, walked)
        turns = J[..., 3:, :]
        velocity_by_q = velocity_by_q + own.velocity_by_turn @ turns
        by_q = by_q + own.by_turn @ turns + own.by_twist @ of_motion.twist_by_q
        by_v = by_v + own.by_twist @ J
    return RowSlopes(*(scale(closure.active, x) for x in (velocity_by_q, by_q, by_v)))


def pulled_slopes(loops: Loops, λ: np.ndarray) -> np.ndarray:
    """Derivatives (..., nv, nv) of Jᵀλ by δq, multipliers λ (..., c) held."""
    total, first, tree = 0.0, 0, loops.tree
    for closure, walked in zip(loops.closures, loops.walks, strict=True):
        own = λ[..., first : first + closure.rows]
        first += closure.rows
        F = apply(transpose(closure.rows_of(walked.pose)), own)
        slopes = force_slopes(tree, walked, F)
        if isinstance(closure, RollingDisc):
            J = jacobian_between(tree, walked)
            slopes = slopes + transpose(J) @ (closure.wrench_slopes(walked.pose, own) @ J[..., 3:, :])
        total = total + scale(closure.active, slopes)
    return np.asarray(total)
