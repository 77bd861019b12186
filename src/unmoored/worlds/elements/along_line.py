"""The straight line between the origins of two frames, in the axes of the second."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...lie import se3
from ...lie.arrays import apply, join, scale, scale_vector, transpose
from ...trace import greater, where


class Straight(NamedTuple):
    """Length (...) [m] and unit vector (..., 3) from a to b in the axes of b, zero where the origins meet."""

    length: Any
    direction: np.ndarray


def straight(g_ab: np.ndarray) -> Straight:
    """The line from the origin of a to that of b, at g_ab (..., 4, 4)."""
    d = apply(transpose(se3.rotation(g_ab)), se3.position(g_ab))
    squared = (d * d).sum(axis=-1)
    apart = greater(squared, 0.0)
    length = where(apart, np.sqrt(where(apart, squared, 1.0)), 0.0)
    return Straight(length, scale_vector(where(apart, 1.0 / where(apart, length, 1.0), 0.0), d))


def pull(line: Straight, tension: Any) -> np.ndarray:
    """Wrench (..., 6) on b of a tension (...) [N] along the line."""
    return join([scale_vector(-tension, line.direction), np.zeros(3)])


def rate(line: Straight, V_ab: np.ndarray) -> Any:
    """Rate (...) [m/s] of the length at V_ab (..., 6): what a's turning adds is at right angles to the line."""
    return (line.direction * V_ab[..., :3]).sum(axis=-1)


def resisting(line: Straight, factor: Any) -> np.ndarray:
    """D (..., 6, 6) of a resistance factor (...) [N s/m] along the line."""
    n = line.direction
    block = scale(factor, n[..., :, None] * n[..., None, :])
    wide = np.concatenate([block, np.zeros((*block.shape[:-1], 3))], axis=-1)
    return np.concatenate([wide, np.zeros((*wide.shape[:-2], 3, 6))], axis=-2)
