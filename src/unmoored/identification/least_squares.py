"""Levenberg–Marquardt with bounds, for problems that hide some of their unknowns (initial states, true readings)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from .parameter_space import ParameterSpace
from .recording import Array
from .singular_directions import Spectrum, spectrum

#: the step is this small against each parameter's own scale: done
SMALL_STEP = 1e-10
_LEAST_DAMPING, _MOST_DAMPING = 1e-12, 1e12


class Linearised(NamedTuple):
    """A least-squares problem about a point, its hidden unknowns eliminated.

    rows (m, n): derivatives of the residuals by p.  residuals (m,).  hidden: (δp (n,), share) ↦ the hidden unknowns after
    a step δp, moved by this share of the way to where they are best then.
    """

    rows: Array
    residuals: Array
    hidden: Callable[[Array, float], Any]


class Problem(Protocol):
    """What is minimised: ½ Σ residuals², over p (n,) and hidden unknowns of its own."""

    def cost(self, p: Array, hidden: Any) -> float:
        """½ Σ residuals²; infinite where there are none."""
        ...

    def linearised(self, p: Array, hidden: Any) -> Linearised:
        """The problem about a point."""
        ...


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where the search ended: θ (k,), the hidden unknowns, the cost with what was known beforehand, and how."""

    θ: Array
    hidden: Any
    cost: float
    iterations: int
    converged: bool


def minimise(
    problem: Problem, space: ParameterSpace, θ: Array, hidden: Any, *, iterations: int, tolerance: float
) -> Minimum:
    """Levenberg–Marquardt from θ (k,), each coordinate scaled by its own column; bounds by projection.

    Coordinates at a bound that the slope pushes against stay there. Ends when no coordinate moves by more than
    `tolerance` of its standard error per unit residual or of its own size, or after so many iterations.
    """
    cost = _total(problem, space, θ, hidden)
    damping, grown = 1e-4, 2.0
    for iteration in range(1, iterations + 1):
        at = problem.linearised(space.values(θ), hidden)
        J, r = with_prior(space, θ, at)
        g = J.T @ r
        free = ~(((θ <= space.lower) & (g > 0)) | ((θ >= space.upper) & (g < 0)))
        at_free = spectrum(J[:, free], space.sizes[free])
        spread = np.full(len(θ), np.inf)
        spread[free] = np.sqrt(r @ r / max(len(r), 1)) / at_free.scale
        while True:
            δ = np.zeros(len(θ))
            δ[free] = _step(at_free, r, damping)
            new = np.clip(θ + δ, space.lower, space.upper)
            moved = new - θ
            small = bool(
                np.all(np.abs(moved) <= tolerance * np.maximum(np.maximum(np.abs(θ), space.sizes), spread))
            )
            after = at.hidden(space.values(new) - space.values(θ), 1.0 / (1.0 + damping))
            reached = _total(problem, space, new, after)
            if reached <= cost or (small and damping < 1e-3 and reached <= cost * (1.0 + 1e-9)):
                break
            if damping > _MOST_DAMPING or (small and damping < 1e-3):
                return Minimum(θ, hidden, cost, iteration, small and damping < 1e-3)
            damping, grown = damping * grown, 2.0 * grown
        settled = damping < 1e-3 and (small or cost - reached <= 1e-13 * cost)
        θ, hidden, cost = new, after, min(cost, reached)
        damping, grown = max(damping / 9.0, _LEAST_DAMPING), 2.0
        if settled:
            return Minimum(θ, hidden, cost, iteration, True)
    return Minimum(θ, hidden, cost, iterations, False)


def with_prior(space: ParameterSpace, θ: Array, at: Linearised) -> tuple[Array, Array]:
    """Slopes (m, k) by θ and residuals (m,), with the rows of what is known beforehand."""
    known, slopes = space.prior_rows(θ)
    J = np.concatenate([at.rows @ space.slopes(θ), slopes])
    return J, np.concatenate([at.residuals, known])


def _step(at: Spectrum, r: Array, damping: float) -> Array:
    """The damped step (k,): least squares of J δ + r, with √damping scale δ below it, in directions that are told."""
    s, told = at.values[at.told], at.told
    λ = damping * float(at.values.max(initial=0.0)) ** 2
    right = at.U[: len(r), told].T @ r
    return -(at.V[:, told] @ (s / (s**2 + λ) * right)) / at.scale


def _total(problem: Problem, space: ParameterSpace, θ: Array, hidden: Any) -> float:
    known, _ = space.prior_rows(θ)
    return problem.cost(space.values(θ), hidden) + 0.5 * float(known @ known)
