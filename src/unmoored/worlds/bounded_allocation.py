"""Bounded least squares in kernels: thrusts within a box, by an active set of a fixed number of steps (theory.md §27).

    min |B f − τ|² + ε²|f|²,    lowest ≤ f ≤ highest

With H = BᵀB + ε² 1 and g = Bᵀτ: from the unbounded thrusts, cut at the limits and held where they were cut, every step
goes to the best of the thrusts that are not held, as far as the first limit, where it holds that thrust too; if it
meets none, it lets go of the held thrust that wants back inside most. What is held is a mask of 0 and 1, so that all
samples of a batch do the same operations. A step that changes nothing has arrived: the further ones change nothing.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ..lie.arrays import apply, diagonal, scale, solved, transpose
from ..trace import clip, equal, greater, less, maximum, minimum, repeat_until, where

#: ε² is never below this part of the mean square of the columns of B: rounding would decide
LEAST_REGULARIZATION = 1e-12
#: a slope that a held thrust has towards the inside counts from this part of the largest in g on
_SLOPE = 1e-12


class Allocation(NamedTuple):
    """thrusts f (..., n) within the limits, and missing (..., k): the forces τ − B f that they do not give."""

    thrusts: np.ndarray
    missing: np.ndarray


def bounded_allocation(
    B: np.ndarray,
    forces: np.ndarray,
    lowest: np.ndarray,
    highest: np.ndarray,
    regularization: Any,
    steps: int | None = None,
) -> Allocation:
    """Thrusts for forces τ (..., k) with B (..., k, n), within lowest and highest (..., n); numbers and symbols alike.

    regularization: ε (...), in the units of B's entries.  steps: of the active set, 2 n if None.
    """
    n = B.shape[-1]
    square = transpose(B) @ B
    mean = sum(square[..., i, i] for i in range(n)) / n
    ε2 = maximum(regularization * regularization, LEAST_REGULARIZATION * mean)
    H, g = square + scale(ε2, np.eye(n)), apply(transpose(B), forces)
    f = least_in_box(H, g, lowest, highest, steps)
    return Allocation(f, forces - apply(B, f))


def least_in_box(
    H: np.ndarray, g: np.ndarray, lowest: np.ndarray, highest: np.ndarray, steps: int | None = None
) -> np.ndarray:
    """The least ½ fᵀH f − gᵀf, f (..., n) in the box: H (..., n, n) symmetric positive definite, g (..., n).

    steps: of the active set, 2 n if None.
    """
    best = solved(H, g)
    f = clip(best, lowest, highest)
    held = where(equal(f, best), 0.0, 1.0)
    small = _SLOPE * reduce(maximum, _entries(np.abs(g)))

    def step(_: Any, state: tuple[Any, ...]) -> tuple[Any, ...]:
        f, held, _ = before = state
        free = 1.0 - held
        best = _best_of_free(H, g, f, held)
        d = free * (best - f)
        bound = where(greater(d, 0.0), highest, lowest)
        over = where(greater(d, 0.0), best - highest, lowest - best)
        meets = greater(free * over, 0.0)
        reach = where(meets, (bound - f) / where(meets, d, 1.0), 2.0)
        α = _column(minimum(reduce(minimum, _entries(reach)), 1.0))
        stopped = where(meets & ~greater(reach, α), 1.0, 0.0)
        f = where(equal(stopped, 1.0), bound, clip(f + α * d, lowest, highest))
        held = _released(H, g, f, maximum(held, stopped), stopped, lowest, highest, small)
        changes = maximum(np.abs(f - before[0]), np.abs(held - before[1]))
        return f, held, where(greater(reduce(maximum, _entries(changes)), 0.0), 0.0, 1.0)

    return repeat_until(step, (f, held, 0.0 * small), 2 * g.shape[-1] if steps is None else steps)[0]


def _best_of_free(H: np.ndarray, g: np.ndarray, f: np.ndarray, held: np.ndarray) -> np.ndarray:
    """The best f (..., n) with the held thrusts where they are: their rows and columns become those of the identity."""
    free = 1.0 - held
    kept = held * f
    A = free[..., :, None] * H * free[..., None, :] + diagonal(held)
    return solved(A, free * (g - apply(H, kept)) + kept)


def _released(
    H: np.ndarray,
    g: np.ndarray,
    f: np.ndarray,
    held: np.ndarray,
    stopped: np.ndarray,
    lowest: np.ndarray,
    highest: np.ndarray,
    small: Any,
) -> np.ndarray:
    """What is held (..., n) after a step: less the thrust that wants back inside most, if no thrust was stopped."""
    slope = apply(H, f) - g
    inward = where(less(f, highest), -slope, slope)  # how much is gained by going inside
    wants = where(equal(held, 1.0) & less(lowest, highest), inward, -1.0)
    most = _column(reduce(maximum, _entries(wants)))
    none = _column(equal(reduce(maximum, _entries(stopped)), 0.0))
    let_go = none & greater(most, _column(small)) & ~less(wants, most)
    return where(let_go, 0.0, held)


def _entries(x: np.ndarray) -> list[Any]:
    return [x[..., i] for i in range(x.shape[-1])]


def _column(x: Any) -> np.ndarray:
    return np.asarray(x)[..., None]
