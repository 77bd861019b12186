"""The arrays of problems that are worked on together, and the passes of the method bound to them once.

Allocating and checking them anew in every iteration would take as long as the iteration of a small problem.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.time_loop.loop_call import Prepared, Schedule, prepared
from .backward_pass import policy_size, values_size
from .line_search import LENGTHS
from .shooting import PERIOD
from .solver_kernels import SolverKernels


class BoundLoop:
    """A time loop over some arrays, whose content may change from call to call."""

    def __init__(
        self, kernel: Any, schedule: Schedule, state: np.ndarray, params: np.ndarray, inputs: tuple[Any, ...]
    ) -> None:
        given = state, params, inputs, None, None, None
        self._arrays: Prepared = prepared(np, kernel.dtype, kernel.sizes, schedule, *given)
        self._run = kernel.bound(self._arrays, schedule)

    @property
    def records(self) -> np.ndarray:
        """What it records in every call."""
        return self._arrays.records

    def __call__(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(records, states at the end, status): the same arrays in every call."""
        arrays = self._arrays
        arrays.status.fill(0)
        self._run()
        return arrays.records, arrays.final, arrays.status


class Memory:
    """Of A problems with N nodes each: rows of the nodes and of the ends, what the kernels make of them, the loops.

    nominal (A, 1, N, …), policies (A, N, …): the last node first.
    """

    def __init__(self, kernels: SolverKernels, U: np.ndarray, times: np.ndarray, params: np.ndarray) -> None:
        s, (A, N, m) = kernels.shooting, U.shape
        self.kernels, self._sizes = kernels, (s.ny, m, s.n, s.limited)
        ny, n, k = s.ny, s.n, s.limited
        self.rows, self.ends = np.empty((A, N, 1 + 2 * ny + m + k)), np.empty((A, 1 + ny + k))
        self.rows[..., 0], self.ends[:, 0] = times[:, :-1], times[:, -1]
        self.params, self.inputs = params.copy(), U.copy()
        entries = sum(count for _, _, count in kernels.runs)
        self.D, self.S = np.empty((A, N, n * (n + m))), np.empty((A, N, entries + n + m + n))
        self.facts, self.last, self.end = np.empty((A, N, 3)), np.empty((A, n * n + n)), np.empty((A, 3))
        bounds = 2 * m if s.bounded else 0
        self.start = np.zeros((A, values_size(n) + policy_size(n, m)))
        self.damping = np.empty((A, 1 + bounds))
        self.back = BoundLoop(
            kernels.backward, Schedule(0.0, 1.0, N, down=True), self.start, self.damping, (self.D, self.S, self.inputs)
        )  # fmt: skip
        self.lengths = LENGTHS if A == 1 else LENGTHS[:1]
        E = len(self.lengths)
        self.nominal = np.empty((A, 1, N, ny + m + n + k))
        #: one problem's are read where the backward pass has left them
        self.policies = self.back.records[:, 1:] if A == 1 else np.empty((A, N, policy_size(n, m)))
        self.begin = np.zeros((A, E, ny + m + 3))
        self.tried = np.empty((A, E, 1 + s.parameters + bounds))
        self.tried[..., 0] = self.lengths
        self._follow = BoundLoop(
            kernels.forward, Schedule(0.0, float(params[0, PERIOD]), N, down=True), self.begin, self.tried,
            (self.nominal, self.policies[:, None]),
        )  # fmt: skip
        self.after = np.empty((A, E, 1 + ny + k))
        self.after[..., 0] = times[:, -1:]

    def expand(self, Y: np.ndarray, U: np.ndarray, λ: np.ndarray, params: np.ndarray) -> None:
        """Derivatives of all nodes, and the values at the ends."""
        ny, m, n, _ = self._sizes
        rows, ends = self.rows, self.ends
        rows[..., 1 : 1 + ny], rows[..., 1 + ny : 1 + ny + m] = Y[:, :-1], U
        rows[..., 1 + ny + m : 1 + 2 * ny + m], rows[..., 1 + 2 * ny + m :] = Y[:, 1:], λ[:, :-1]
        ends[:, 1 : 1 + ny], ends[:, 1 + ny :] = Y[:, -1], λ[:, -1]
        self.params[:], self.inputs[:] = params, U
        self.kernels.nodes(rows, self.params[:, None], out=(self.D, self.S, self.facts))
        self.kernels.end(ends, self.params, out=(self.last, self.end))
        l, a = self.last[:, n * n :], n * n
        self.start[:, : a + n] = self.last
        self.start[:, a + n : a + 2 * n], self.start[:, a + 2 * n : a + 3 * n] = l, l

    def follow(
        self, λ: np.ndarray, params: np.ndarray, lowest: np.ndarray, highest: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Nodes (A, E, N + 1, ny + m) and costs (A, E) after steps of the lengths (E,) along the policies, with
        multipliers and parameters as they are now: a round with limits may have ended."""
        s = self.kernels.shooting
        ny, m, n, k = self._sizes
        rows, nominal = self.rows, self.nominal[:, 0, ::-1]
        nominal[..., : ny + m], nominal[..., ny + m : ny + m + n] = rows[..., 1 : 1 + ny + m], self.gaps
        if k:
            nominal[..., ny + m + n :] = λ[:, :-1]
        self.begin[..., :ny] = rows[:, :1, 1 : 1 + ny]
        self.tried[..., 1 : 1 + s.parameters] = params[:, None]
        if s.bounded:
            first = 1 + s.parameters
            self.tried[..., first : first + m], self.tried[..., first + m :] = (
                lowest[:, None],
                highest[:, None],
            )
        records, end, status = self._follow()
        self.after[..., 1 : 1 + ny], self.after[..., 1 + ny :] = end[..., :ny], λ[:, None, -1]
        costs = end[..., ny + m] + self.kernels.end_cost(self.after, params[:, None])[..., 0]
        return records, np.where(status == 0, costs, np.nan)

    @property
    def gaps(self) -> np.ndarray:
        """Between the nodes (A, N, n)."""
        return self.S[..., -self._sizes[2] :]
