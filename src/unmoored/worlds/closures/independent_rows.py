"""Which rows of a matrix are independent: decided once, and kept (theory.md §29)."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from ...lie.arrays import apply, mirrored, transpose, vector
from ...trace import equal, greater, maximum, repeat, where

#: rows, and what is left of them beside the others, count above this, relative and squared
CUT = 1e-10
#: more rows than these are chosen in a loop of the kernel
_UNROLLED = 8


def independent_rows(J: np.ndarray) -> np.ndarray:
    """1 for rows of J (..., c, n) that are independent of each other and span all, 0 for the others (..., c).

    Elimination of JJᵀ, rows scaled to length one, the largest pivot first; a row below the cut counts as zero.
    """
    c = J.shape[-2]
    G = mirrored(J @ transpose(J))
    squared = np.stack([G[..., i, i] for i in range(c)], axis=-1)
    largest = reduce(maximum, [squared[..., i] for i in range(c)])
    there = greater(squared, np.asarray(CUT * largest)[..., None])
    size = where(there, 1.0 / np.sqrt(where(there, squared, 1.0)), 0.0)
    G = mirrored(size[..., :, None] * G * size[..., None, :])

    def eliminate(_: Any, carry: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        R, taken = carry
        left = [R[..., i, i] for i in range(c)]  # of rows that are taken rounding, far below the cut
        top = reduce(maximum, left)
        good = greater(top, CUT)
        chosen, left_over = [], good
        for x in left:  # the first of those that are largest
            here = left_over & equal(x, top)
            chosen.append(where(here, 1.0, 0.0))
            left_over = left_over & ~here
        e = vector(chosen)
        column = apply(R, e)
        scaled = column * np.asarray(1.0 / where(good, top, 1.0))[..., None]
        return mirrored(R - scaled[..., :, None] * column[..., None, :]), taken + e

    carry = (G, 0.0 * squared)
    if c > _UNROLLED:
        return repeat(eliminate, carry, c)[1]
    for i in range(c):
        carry = eliminate(i, carry)
    return carry[1]
