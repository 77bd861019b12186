"""How often an implicit step iterates, and whether that was enough."""

from __future__ import annotations

import numpy as np

from ..lie.arrays import join
from .state import State

#: how often an implicit step evaluates the right-hand side
ITERATIONS = 10
#: (relative, absolute) bounds on what a solved step may leave, by number format; see `excess`
SOLVED = {"float64": (1e-8, 1e-11), "float32": (1e-5, 1e-5)}


def excess(left: np.ndarray, before: State, after: State, dtype: str) -> np.ndarray:
    """What an implicit step has left (..., nv + nx) as parts of what it may leave: solved where all are at most 1.

    A velocity may be off by the relative bound times the sum of all speeds w (m/s, rad/s) before and after the step,
    plus the absolute one; states x likewise, in their units.
    """
    relative, absolute = SOLVED[dtype]
    nv = left.shape[-1] - before.x.shape[-1]

    def parts(off: np.ndarray, *around: np.ndarray) -> np.ndarray:
        size = sum(np.abs(x).sum(axis=-1) for x in around)
        return np.abs(off) / np.asarray(relative * size + absolute)[..., None]

    velocities = parts(left[..., :nv], before.w, after.w)
    return join([velocities, parts(left[..., nv:], before.x, after.x)]) if before.x.shape[-1] else velocities
