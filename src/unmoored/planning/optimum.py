"""What trajectory optimisation gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..error_roots import UnmooredWarning

#: why a problem ended, by its code
REASONS = (
    "converged",
    "not converged: it ran out of iterations",
    "not converged: no step along any direction lowers the cost",
    "not converged: the guess leads to numbers that are not finite",
    "not converged: the limits on states are broken still, at the largest penalty",
)
CONVERGED, ITERATIONS, NO_DESCENT, NOT_FINITE, BROKEN = range(5)


class NotConvergedWarning(UnmooredWarning):
    """A problem of trajectory optimisation was not solved."""


@dataclass(frozen=True, eq=False, repr=False)
class Optimum:
    """A motion of least cost, or how far it came; with a leading dimension if several problems were given.

    t (..., N + 1): times of the nodes (s).  q (..., N + 1, nq), v (..., N + 1, nv), x (..., N + 1, nx).
    u (..., N, nu): inputs, held over the control periods.
    K (..., N, nu, n): gains of the policy u − K δ, δ = (δq, δw, δx) from the motion to the state that is met.
    cost (...): without the limits' penalties.  gap (...): largest jump between a node and what the plant reaches.
    violation (...): most that a limit on states is broken by.  multipliers (..., N + 1, k): of these limits.
    kkt (...): largest entry of the gradient of the Lagrangian by the inputs, those at a limit that push outwards
    left out.  iterations (...).  converged (...).  status: why each problem ended, in words.
    gradient (..., N, nu): of the Lagrangian by the inputs.  history: [(cost with penalties, gap, step length, μ)] of
    the iterations, of one problem.
    """

    t: Any
    q: Any
    v: Any
    x: Any
    u: Any
    K: Any
    cost: Any
    gap: Any
    violation: Any
    multipliers: Any
    kkt: Any
    iterations: Any
    converged: Any
    status: Any
    gradient: Any
    history: tuple[tuple[float, float, float, float], ...] = ()

    def __repr__(self) -> str:
        many = np.ndim(self.converged) > 0
        told = (
            f"{int(np.sum(self.converged))} of {np.size(self.converged)} converged" if many else self.status
        )
        return f"<Optimum: {told}; cost {np.max(self.cost):.6g}, {self.u.shape[-2]} periods>"
