"""Derivatives of the rows of closures by the configuration, in closed form (theory.md §28, §29)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...dynamics.relative_motion_slopes import force_slopes, has_slopes, motion_slopes
from ...dynamics.tree_scans import split_velocity
from ...lie.arrays import apply, scale, stacked_rows, transpose
from .closed_loops import Loops
from .closure import Closure


class RowSlopes(NamedTuple):
    """Derivatives (..., c, nv): of J v by δq, of J a + γ by δq and by v."""

    velocity_by_q: np.ndarray
    by_q: np.ndarray
    by_v: np.ndarray


def has_row_slopes(loops: Loops) -> bool:
    """Whether the closed form holds: rows and bases of joints that do not vary."""
    return all(
        isinstance(closure, Closure) and has_slopes(loops.tree, walked)
        for closure, walked in zip(loops.closures, loops.walks, strict=True)
    )


def row_slopes(loops: Loops, v: np.ndarray, a: np.ndarray) -> RowSlopes:
    """At v (..., nv) and accelerations a (..., nv)."""
    us, accelerations = split_velocity(loops.tree, v), split_velocity(loops.tree, a)
    found: list[list[np.ndarray]] = [[], [], []]
    for closure, walked in zip(loops.closures, loops.walks, strict=True):
        for rows, slopes in zip(found, motion_slopes(loops.tree, walked, us, accelerations), strict=True):
            rows.append(scale(closure.active, closure.rows_of(walked.pose) @ slopes))
    return RowSlopes(*(stacked_rows(rows) for rows in found))


def pulled_slopes(loops: Loops, λ: np.ndarray) -> np.ndarray:
    """Derivatives (..., nv, nv) of Jᵀλ by δq, multipliers λ (..., c) held."""
    total, first = 0.0, 0
    for closure, walked in zip(loops.closures, loops.walks, strict=True):
        own = λ[..., first : first + closure.rows]
        first += closure.rows
        F = apply(transpose(closure.rows_of(walked.pose)), own)
        total = total + scale(closure.active, force_slopes(loops.tree, walked, F))
    return np.asarray(total)
