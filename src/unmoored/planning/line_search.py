"""How far to go along the direction of a backward pass: the longest of some steps that lowers a merit function.

The merit is the cost plus ν Σ|g|₁, g the gaps: after a step ε the gaps are (1 − ε) g exactly. With the slope s of the
cost along the step and the change c that the quadratic model promises for ε = 1, it promises

    ε s + ε² (c − s) − ε ν Σ|g|₁

for the merit. ν grows until that falls (Nocedal & Wright 2006, 18.3).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

#: step lengths that are tried, the longest first
LENGTHS = 0.5 ** np.arange(8.0)
#: part of the promised decrease that a step must bring; less, and steps to and fro across a valley would be taken
SUFFICIENT = 0.25
#: where no step brings that much, the best of those that bring more than this
LEAST_SHARE = 1e-4
#: rounding of a cost, as a part of it
_ROUNDING = 1e-13
#: share of Σ|g|₁ by which the merit's slope must be below zero
_SHARE = 0.5


class Search(NamedTuple):
    """Of one problem: cost, its slope and promised change along the step, the sum of its gaps, and their weight ν."""

    cost: float
    slope: float
    change: float
    gaps: float
    weight: float

    def share(self, cost: float, length: float) -> float:
        """What the cost after a step of this length has gained of what the model promises, NaN if it is none.

        Gains within rounding count as whole.
        """
        closed = self.weight * self.gaps * length
        promised = closed - self.slope * length - (self.change - self.slope) * length**2
        gained = closed + self.cost - cost
        slack = _ROUNDING * (abs(self.cost) + self.weight * self.gaps)
        if promised <= slack and gained >= -slack:
            return 1.0
        return gained / promised if promised > 0 else 0.0 * gained

    def longest(self, costs: Sequence[float], lengths: Sequence[float]) -> tuple[int, float]:
        """Which of steps of these lengths (the longest first) to these costs is taken, and its share: the first that
        brings enough, else the one that brings most; −1 if none is finite."""
        best, most = -1, -math.inf
        for k, (cost, length) in enumerate(zip(costs, lengths, strict=True)):
            share = self.share(cost, length)
            if share >= SUFFICIENT:
                return k, share
            if share > most:
                best, most = k, share
        return best, most


def begun(cost: float, slope: float, change: float, gaps: float, weight: float) -> Search:
    """The search, with a weight that is large enough for it, and not below that so far."""
    needed = max(slope, change) / ((1.0 - _SHARE) * gaps) if gaps > 0 else 0.0
    return Search(cost, slope, change, gaps, max(weight, needed))
