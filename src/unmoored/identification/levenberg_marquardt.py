"""Levenberg–Marquardt with bounds, for problems that hide some of their unknowns (initial states, true readings)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from .parameter_space import ParameterSpace
from .recording import Array
from .singular_directions import Spectrum, spectrum

_LEAST_DAMPING, _GENTLE, _MOST_DAMPING = 1e-12, 1e-3, 1e8
#: shares of the cost that a step must promise, and give
_FLAT, _SLOW = 1e-10, 1e-9
#: of a step that are tried
_SHARES = (1.0, 0.3, 0.1, 0.03)


class Linearised(NamedTuple):
    """A least-squares problem about a point, its hidden unknowns eliminated.

    rows (m, n): derivatives of the residuals by p.  residuals (m,).  hidden: (δp (n,), share) ↦ the hidden unknowns
    moved by this share of the way to where they are best after a step δp.  taken: degrees of freedom that the hidden
    unknowns take from the residuals, one for each of which nothing else was known and none for what is known exactly.
    """

    rows: Array
    residuals: Array
    hidden: Callable[[Array, float], Any]
    taken: float = 0.0


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
    `tolerance` of its standard error per unit residual or of its own size, when steps lower the cost no more, or after
    so many iterations.
    """
    cost: float = _total(problem, space, θ, hidden)
    damping: float = 1e-4
    for iteration in range(1, iterations + 1):
        at = problem.linearised(space.values(θ), hidden)
        J, r = with_prior(space, θ, at)
        g = J.T @ r
        free: Array = ~(((θ <= space.lower) & (g > 0)) | ((θ >= space.upper) & (g < 0)))
        directions = spectrum(J[:, free], space.sizes[free])
        spread = np.full(len(θ), np.inf)
        spread[free] = np.sqrt(r @ r / max(len(r), 1)) / directions.scale
        least = tolerance * np.maximum(np.maximum(np.abs(θ), space.sizes), spread)
        while True:
            δ: Array = np.zeros(len(θ))
            δ[free] = _step(directions, r, damping)
            δ *= min(1.0, 1.0 / max(float((np.abs(δ) / space.reach).max()), 1e-300))
            δ = np.clip(θ + δ, space.lower, space.upper) - θ
            small = bool(np.all(np.abs(δ) <= least)) and damping <= _GENTLE
            found = _along(problem, space, θ, δ, at, cost, small)
            if found is not None:
                break
            flat = 0.5 * float(r @ r - np.square(r + J @ δ).sum()) <= _FLAT * cost  # what is left is rounding
            if small or flat or damping > _MOST_DAMPING:
                return Minimum(θ, hidden, cost, iteration, small or flat)
            damping *= 10.0
        share, reached, hidden = found
        settled = small or cost - reached <= _SLOW * cost
        θ, cost = np.clip(θ + share * δ, space.lower, space.upper), min(cost, reached)
        damping = max(damping / 10.0, _LEAST_DAMPING) if share == 1.0 else damping
        if settled:
            return Minimum(θ, hidden, cost, iteration, True)
    return Minimum(θ, hidden, cost, iterations, False)


def _along(
    problem: Problem, space: ParameterSpace, θ: Array, δ: Array, at: Linearised, cost: float, small: bool
) -> tuple[float, float, Any] | None:
    """(share, cost there, hidden unknowns there) of the longest of some shares of a step that lowers the cost.

    Parameters and hidden unknowns go the same share of their step: together they descend, if the share is small.
    """
    δp = space.values(θ + δ) - space.values(θ)
    for share in _SHARES:
        there = at.hidden(δp, share)
        reached = _total(problem, space, θ + share * δ, there)
        if reached <= cost or (small and reached <= cost * (1.0 + 1e-9)):
            return share, reached, there
    return None


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
