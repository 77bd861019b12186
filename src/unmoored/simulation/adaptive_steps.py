"""The compiled functions of a run with a step size of each sample's own."""

from __future__ import annotations

import numpy as np

from ..integrators import Rate, State
from ..integrators.adaptive import attempt, dense, next_step
from ..integrators.tableau import DORMAND_PRINCE as TABLEAU
from ..lie.arrays import join
from .program import Program


class Steps:
    """`rates`, `attempt` and `dense` of the equations as compiled functions of batches (S, n)."""

    def __init__(self, program: Program):
        e = self.equations = program.equations
        assert e.tolerances is not None
        self.tolerances = e.tolerances
        self.sizes = (e.plant.nv, e.plant.nw, e.plant.nx)
        self.width = sum(self.sizes)
        self.moving = e.layout.nq + e.layout.nw + e.layout.nx
        rest = e.sizes[1:]
        self.rates = program.with_law(self._rates, "adaptive_rates", (1, *rest))
        self.attempt = program.with_law(self._attempt, "attempt", (2, rest[0], self.width, *rest[1:]))
        slopes = TABLEAU.stages * self.width
        self.dense = program.compiled(self._dense, (2, rest[0], slopes), "dense")

    def _rates(self, t: np.ndarray, state: np.ndarray, params: np.ndarray, noise: np.ndarray) -> np.ndarray:
        now = self.equations.layout.split(state)
        f = self.equations.right_hand_side(now.u, params, noise)
        return _joined(f(t, State(now.q, now.w, now.x)))

    def _attempt(
        self, clock: np.ndarray, state: np.ndarray, rates: np.ndarray, params: np.ndarray, noise: np.ndarray
    ) -> np.ndarray:
        """(q, w, x, rates, error, next step size, slopes) after a step; clock = (t, h)."""
        now = self.equations.layout.split(state)
        f = self.equations.right_hand_side(now.u, params, noise)
        t, h = clock[..., :1], clock[..., 1:]
        y = State(now.q, now.w, now.x)
        tried = attempt(TABLEAU, self.equations.plant.tree, f, t, y, h, self._split(rates), self.tolerances)
        wanted = next_step(TABLEAU, clock[..., 1], tried.error)
        numbers = [np.asarray(tried.error)[..., None], np.asarray(wanted)[..., None]]
        slopes = [_joined(slope) for slope in tried.slopes]
        return join([_joined(tried.state), _joined(tried.rate), *numbers, *slopes])

    def _dense(self, span: np.ndarray, state: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """(q, w, x) at a fraction of a step; span = (h, fraction)."""
        now = self.equations.layout.split(state)
        parts = [
            self._split(slopes[..., i * self.width : (i + 1) * self.width]) for i in range(TABLEAU.stages)
        ]
        y = State(now.q, now.w, now.x)
        return _joined(dense(TABLEAU, self.equations.plant.tree, y, parts, span[..., :1], span[..., 1:]))

    def _split(self, rates: np.ndarray) -> Rate:
        nv, nw, _ = self.sizes
        return Rate(rates[..., :nv], rates[..., nv : nv + nw], rates[..., nv + nw :])


def _joined(parts: State | Rate) -> np.ndarray:
    return join([part for part in parts if part.shape[-1]])
