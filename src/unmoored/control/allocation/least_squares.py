"""Which thrusts are best: weighted least squares in a box, in levels where some directions come first.

    min |W(B f − τ)|² + ε² |f|²_w ,    lowest ≤ f ≤ highest

Exact, by an active set (theory.md §27). Directions of higher priority are given first; what they got counts a thousand
times in the next levels, so that these change it by a part in a million at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...lie.arrays import apply, diagonal, scale, transpose
from ...planning.quadratic_program import largest
from ...trace import less_equal, maximum, minimum, where
from ...worlds.bounded_allocation import LEAST_REGULARIZATION, least_in_box

#: weight of what higher levels have got
_KEPT = 1e3


class Weighting(NamedTuple):
    """weights (..., nv) of the DoFs, input weights (..., n), ε (...), and places of the DoFs of each level."""

    weights: np.ndarray
    inputs: np.ndarray
    regularization: Any
    levels: tuple[tuple[int, ...], ...]


class Best(NamedTuple):
    """Thrusts (..., n), and the residual (...) of their optimality in parts of the largest slope."""

    thrusts: np.ndarray
    residual: Any


def best_thrusts(B: np.ndarray, forces: np.ndarray, low: Any, high: Any, by: Weighting) -> Best:
    """Thrusts (..., n) for forces (..., nv) with B (..., nv, n), between low and high (..., n)."""
    nv, target, done = B.shape[-2], forces, np.zeros(B.shape[-2])
    found = Best(low, 0.0)
    for level in by.levels:
        own = np.array([1.0 if i in level else 0.0 for i in range(nv)])
        found = _least(B, target, low, high, by, by.weights * (own + _KEPT * done))
        done = done + own
        target = where(done == 1.0, apply(B, found.thrusts), forces)
    return found


def normal_equations(
    B: np.ndarray, forces: np.ndarray, by: Weighting, rows: Any
) -> tuple[np.ndarray, np.ndarray]:
    """(H (..., n, n), g (..., n)) of ½ fᵀH f − gᵀf, rows (..., nv) the weights of the DoFs."""
    n = B.shape[-1]
    weighted = rows[..., None] * B
    square = transpose(weighted) @ weighted
    mean = sum(square[..., i, i] for i in range(n)) / n
    ε2 = maximum(by.regularization * by.regularization, LEAST_REGULARIZATION * mean)
    return square + scale(ε2, diagonal(by.inputs)), apply(transpose(weighted), rows * forces)


def _least(B: np.ndarray, forces: np.ndarray, low: Any, high: Any, by: Weighting, rows: Any) -> Best:
    H, g = normal_equations(B, forces, by, rows)
    f = least_in_box(H, g, low, high)
    slope = apply(H, f) - g
    outward = where(
        less_equal(f, low), minimum(slope, 0.0), where(less_equal(high, f), maximum(slope, 0.0), slope)
    )
    outward = where(less_equal(high, low), 0.0, outward)
    return Best(f, largest(np.abs(outward)) / maximum(largest(np.abs(g)), 1e-300))


def all_levels(
    names: Sequence[str], tree: Any, priority: Sequence[Sequence[str]]
) -> tuple[tuple[int, ...], ...]:
    """Places of the DoFs of each level; those in no level come last."""
    found, taken = [], set()
    for level in priority:
        places = tuple(int(i) for i in tree.dofs(list(level)) if int(i) not in taken)
        taken |= set(places)
        found.append(places)
    rest = tuple(i for i in range(len(names)) if i not in taken)
    return tuple(level for level in (*found, rest) if level)
