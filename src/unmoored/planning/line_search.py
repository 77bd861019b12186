"""How far to go along the direction of a backward pass: the longest of some steps that lowers a merit function.

The merit is the cost plus ν Σ|g|₁, g the gaps: after a step ε the gaps are (1 − ε) g exactly. With the slope s of the
cost along the step and the change c that the quadratic model promises for ε = 1, it promises

    ε s + ε² (c − s) − ε ν Σ|g|₁

for the merit. ν grows until that falls (Nocedal & Wright 2006, 18.3).
"""

from __future__ import annotations

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
    """Of problems (P,): cost, its slope and promised change along the step, sums of gaps, and their weight ν."""

    cost: np.ndarray
    slope: np.ndarray
    change: np.ndarray
    gaps: np.ndarray
    weight: np.ndarray


def begun(
    cost: np.ndarray, slope: np.ndarray, change: np.ndarray, gaps: np.ndarray, weight: np.ndarray
) -> Search:
    """The search, with weights that are large enough for it, and not below those so far."""
    most = np.maximum(slope, change)
    needed = np.where(gaps > 0, most / ((1.0 - _SHARE) * np.where(gaps > 0, gaps, 1.0)), 0.0)
    return Search(cost, slope, change, gaps, np.maximum(weight, needed))


def shares(search: Search, costs: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """What costs (P, E) after steps of these lengths (E,) have gained of what the model promises.

    Gains within rounding count as whole.
    """
    cost, slope, change, gaps, weight = (part[:, None] for part in search)
    promised = weight * gaps * lengths - slope * lengths - (change - slope) * lengths**2
    gained = weight * gaps * lengths + cost - costs
    slack = _ROUNDING * (np.abs(cost) + weight * gaps)
    found = gained / np.where(promised > 0, promised, np.inf)
    return np.where((promised <= slack) & (gained >= -slack), 1.0, found)
