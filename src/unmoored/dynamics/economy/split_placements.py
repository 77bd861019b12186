"""A joint's constant placement without the part that its own motion can take over, while a kernel is traced.

A constant turn about, or shift along, the axis that a joint turns about commutes with the joint. Taken into the
joint's pose it costs one product of constants with one sine and cosine, and the placement that remains has more
zeros to fold.
"""

from __future__ import annotations

import numpy as np

from ...lie import se3
from ...model import Link
from ...trace import is_symbolic
from .axis_turns import axis_turns, product_of, turning_axis

_ROUNDING = 4e-15


def split_placement(link: Link, q: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """(A, T), poses (4, 4): the placement; while q (..., nq) is traced, without a constant turn T about the joint
    axis, None where nothing is taken off.
    """
    if not is_symbolic(q) or is_symbolic(link.placement):
        return link.placement, None
    axis = turning_axis(link.joint)
    return (link.placement, None) if axis is None else _without_turn(link.placement, axis)


def _without_turn(A: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """(A', T) with A = A' T, T the part of A about and along the joint's axis, if A is simpler without it."""
    *others, last = axis_turns(se3.rotation(A), axis)
    R, turn = (product_of(others), last.rotation) if last.axis == axis else (se3.rotation(A), np.eye(3))
    p, along = se3.position(A), R[:, axis]
    for k in np.flatnonzero(along):
        d = p[k] / along[k]
        rest = np.where(np.abs(p - d * along) <= _ROUNDING * np.abs(p).max(), 0.0, p - d * along)
        if np.count_nonzero(rest) <= np.count_nonzero(p) - 2:
            return se3.pose(R, rest), se3.pose(turn, d * np.eye(3)[axis])
    return se3.pose(R, p), se3.pose(turn, np.zeros(3))
