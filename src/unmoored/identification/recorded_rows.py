"""Where a search for noisy rows begins: least squares in the rows as they were recorded, with weights held.

The weights (E Σ Eᵀ)⁻¹ of the Gauss–Helmert model are those of the noise at p: far from the truth a larger p has more
noise to explain what is left, and the search may end at bodies that are none, with a vanishing moment. With weights
held the cost is convex in whatever the equation is linear in (masses, first moments, tensors): noise in the rows biases
where it is least by about the share of noise, near enough to begin there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .levenberg_marquardt import Linearised, minimise
from .noisy_rows import NoisyRows
from .parameter_space import ParameterSpace
from .recording import Array

#: times that the weights are taken anew
_WEIGHINGS = 2
#: how near is near enough to begin
_NEAR = 1e-3


@dataclass(frozen=True, eq=False)
class RecordedRows:
    """The equations of noisy rows at y, weighted by inverse Cholesky factors (T, k, k); hidden are the constants μ."""

    noisy: NoisyRows
    weights: Array

    def _left(self, p: Array, μ: Array) -> tuple[Array, Array]:
        """w (T, k) and its derivatives (T, k, n) by p."""
        at = self.noisy.slopes(self.noisy.rows, p)
        return at.e - μ[self.noisy.rows.recording], at.by_p

    def cost(self, p: Array, hidden: Array) -> float:
        """½ Σ of squares, weighted."""
        w, _ = self._left(p, hidden)
        total = 0.5 * float(np.square(np.einsum("tij,tj->ti", self.weights, w)).sum())
        return total if np.isfinite(total) else np.inf

    def linearised(self, p: Array, hidden: Array) -> Linearised:
        """The problem about p, the constants eliminated."""
        w, by_p = self._left(p, hidden)
        rows, residuals, constants_step = self.noisy.reduced(by_p, w, self.weights)
        return Linearised(rows, residuals, lambda δp, share: hidden + share * constants_step(δp))


def beginning(problem: NoisyRows, space: ParameterSpace, iterations: int) -> Array:
    """θ (k,) from where to search: where least squares ends, unless the plant as built is nearer."""
    at = [space.start]
    for _ in range(_WEIGHINGS):
        p = space.values(at[-1])
        hidden = problem.start(p)
        held = RecordedRows(problem, problem.weights(p, hidden))
        end = minimise(held, space, at[-1], hidden.constants, iterations=iterations, tolerance=_NEAR)
        at.append(end.θ)
    costs = [problem.cost(space.values(θ), problem.start(space.values(θ))) for θ in at]
    return at[int(np.argmin(costs))]
