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

#: memory with more than this in its largest array is not kept for another call
_KEPT_BYTES = 1 << 24


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


def memory_for(
    kernels: SolverKernels, nodes: np.ndarray, times: np.ndarray, params: np.ndarray, *bounds: Any
) -> Memory:
    """A memory for these problems: that of an earlier call with as many, if nobody uses it."""
    kept = kernels.spare.pop((nodes.shape[:2], float(params[0, PERIOD])), None)
    if kept is None:
        return Memory(kernels, nodes, times, params, *bounds)
    kept.begin_with(nodes, times, params, *bounds)
    return kept


class Memory:
    """Of A problems with N nodes each: what the kernels make of them, and the loops. The last node comes first.

    D (A, N, n k), S (A, N, …), nominal (A, 1, N, …), facts (A, N, 5), end (A, 3): results of the kernels of the nodes
    and of the end.  policies (A, N, …).
    """

    def __init__(
        self, kernels: SolverKernels, nodes: np.ndarray, times: np.ndarray, params: np.ndarray,
        lowest: np.ndarray, highest: np.ndarray,
    ) -> None:  # fmt: skip
        s = kernels.shooting
        (A, N), m, n = (len(nodes), nodes.shape[1] - 1), s.m, s.n
        self.kernels, self._key = kernels, (nodes.shape[:2], float(params[0, PERIOD]))
        entries = sum(count for _, _, count in kernels.runs)
        self.D, self.S = np.empty((A, N, n * (n + m))), np.empty((A, N, entries + n + m))
        self.nominal, self.facts = np.empty((A, 1, N, s.nominal)), np.empty((A, N, 5))
        self.start, self.end = np.empty((A, values_size(n) + policy_size(n, m))), np.empty((A, 3))
        bounds = 2 * m if s.bounded else 0
        self.damping = np.empty((A, 1 + bounds))
        self.back = BoundLoop(
            kernels.backward, Schedule(0.0, 1.0, N), self.start, self.damping, (self.D, self.S, self.nominal[:, 0])
        )  # fmt: skip
        self.lengths = LENGTHS if A == 1 else LENGTHS[:1]
        #: one problem's are read where the backward pass has left them
        self.policies = self.back.records[:, 1:] if A == 1 else np.empty((A, N, policy_size(n, m)))
        E = len(self.lengths)
        self.begin, self.tried = np.zeros((A, E, s.ny + m + 3)), np.empty((A, E, 1 + s.parameters + bounds))
        self._follow = BoundLoop(
            kernels.forward, Schedule(0.0, float(params[0, PERIOD]), N, down=True), self.begin, self.tried,
            (self.nominal, self.policies[:, None]),
        )  # fmt: skip

        self.begin_with(nodes, times, params, lowest, highest)

    def begin_with(
        self, nodes: np.ndarray, times: np.ndarray, params: np.ndarray, lowest: np.ndarray, highest: np.ndarray
    ) -> None:  # fmt: skip
        """Other problems of the same number and length: what stays as it is from iteration to iteration."""
        s, first = self.kernels.shooting, 1 + self.kernels.shooting.parameters
        self.times = times[:, ::-1, None]
        self.begin[..., : s.ny] = nodes[:, :1, : s.ny]
        self.tried[..., 0], self.tried[..., 1:first] = self.lengths, params[:, None]
        if s.bounded:
            self.damping[:, 1 : 1 + s.m], self.damping[:, 1 + s.m :] = lowest, highest
            self.tried[..., first : first + s.m] = lowest[:, None]
            self.tried[..., first + s.m :] = highest[:, None]

    def put_back(self) -> None:
        """For the next call; the arrays of very many problems are not kept."""
        if self.D.nbytes <= _KEPT_BYTES:
            self.kernels.spare.clear()
            self.kernels.spare[self._key] = self

    def expand(self, nodes: np.ndarray, λ: np.ndarray, params: np.ndarray) -> None:
        """Derivatives of all nodes, and the values at the ends, of nodes (A, N + 1, ny + m), λ (A, N + 1, k)."""
        ny, back = self.kernels.shooting.ny, nodes[:, ::-1]
        here, last = back[:, 1:], back[:, 0, :ny]
        given, end = [λ[:, -2::-1]] if λ.shape[-1] else [], [λ[:, -1]] if λ.shape[-1] else []
        self.kernels.nodes(
            self.times[:, 1:], here[..., :ny], here[..., ny:], back[:, :-1, :ny], *given, params[:, None],
            out=(self.D, self.S, self.nominal[:, 0], self.facts),
        )  # fmt: skip
        self.kernels.end(self.times[:, 0], last, *end, params, out=(self.start, self.end))

    def follow(self, λ: np.ndarray, params: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nodes (A, E, N + 1, ny + m) and costs (A, E) after steps of the lengths (E,) along the policies, with
        multipliers and parameters as they are now: a round with limits may have ended."""
        s, last = self.kernels.shooting, []
        if s.limited:
            self.nominal[:, 0, :, -s.limited :] = λ[:, -2::-1]
            self.tried[..., 1 : 1 + s.parameters] = params[:, None]
            last = [λ[:, None, -1]]
        records, end, status = self._follow()
        found = self.kernels.end_cost(self.times[:, None, 0], end[..., : s.ny], *last, params[:, None])
        costs = found[..., 0] + end[..., s.ny + s.m]
        return records, np.where(status == 0, costs, np.nan) if status.any() else costs
