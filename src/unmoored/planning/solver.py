"""The iterations of trajectory optimisation, for several problems of one structure at a time (docs/optimize.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from . import optimum
from .backward_pass import policy_size, values_size
from .line_search import LEAST_SHARE, LENGTHS, SUFFICIENT, begun
from .shooting import PENALTY, PERIOD, START
from .solver_kernels import SolverKernels
from .solver_memory import Memory, memory_for

#: λ of limits at the start, where nothing can be done about them
NO_LIMIT = -1e30
#: least and most regularisation other than none, and its factors up and down
_LEAST, _MOST, _UP, _DOWN = 1e-3, 1e10, 4.0, 0.25
#: the penalty grows by this where a limit is broken by more than this part of before
_PENALTY_UP, _SHRINKS, _MOST_PENALTY = 10.0, 0.25, 1e12
#: tolerance of the first round with limits; every further round's is a tenth of the one before
_FIRST_TOLERANCE = 1e-4


@dataclass(eq=False)
class Batch:
    """Problems (P,) on their way: nodes (P, N + 1, ny + m), states and inputs, of which the last node's say nothing;
    multipliers (P, N + 1, k), parameters (P, …).

    lowest, highest: of inputs (P, m).  code: why a problem ended, −1 while it goes on.
    """

    nodes: np.ndarray
    multipliers: np.ndarray
    params: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    code: np.ndarray = field(init=False)
    μ: np.ndarray = field(init=False)
    weight: np.ndarray = field(init=False)
    round_tolerance: np.ndarray = field(init=False)
    broken: np.ndarray = field(init=False)
    iterations: np.ndarray = field(init=False)
    facts: np.ndarray = field(init=False)
    policies: np.ndarray = field(init=False)
    history: list[tuple[float, float, float, float]] = field(init=False, default_factory=list)
    memory: Memory | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        P = len(self.nodes)
        self.code = np.full(P, -1)
        self.μ, self.weight = np.zeros(P), np.zeros(P)
        self.round_tolerance, self.broken = np.full(P, _FIRST_TOLERANCE), np.full(P, np.inf)
        self.iterations = np.zeros(P, dtype=int)
        self.facts = np.zeros((P, 3))  # cost, largest gap, violation

    @property
    def times(self) -> np.ndarray:
        """Of the nodes (P, N + 1) [s]."""
        steps = np.arange(float(self.nodes.shape[1]))
        return self.params[:, START, None] + self.params[:, PERIOD, None] * steps


class Direction(NamedTuple):
    """A backward pass of the problems `at`: cost, that without limits, sums and largest of gaps, violation (a,);
    slope and promised change (a, 2) of the cost; policies and nominal (a, N, …), the last node first."""

    at: np.ndarray
    cost: np.ndarray
    plain: np.ndarray
    gaps: np.ndarray
    gap: np.ndarray
    violation: np.ndarray
    slope: np.ndarray
    policies: np.ndarray
    nominal: np.ndarray


@dataclass(frozen=True, eq=False)
class Solver:
    """The method on some kernels.  tolerance: of the slope, as a part of the cost.

    gap_tolerance: largest gap left.  limit_tolerance: most that limits on states may be broken by.
    """

    kernels: SolverKernels
    tolerance: float = 1e-9
    gap_tolerance: float = 1e-8
    limit_tolerance: float = 1e-6

    def solve(self, batch: Batch, iterations: int) -> Batch:
        """All problems to their end, or through so many iterations each."""
        s = self.kernels.shooting
        batch.policies = np.empty((len(batch.nodes), batch.nodes.shape[1] - 1, policy_size(s.n, s.m)))
        at = np.arange(len(batch.nodes))
        while at.size:
            found = self.direction(batch, at)
            self.judge(batch, found)
            code = batch.code[at]
            code[(code < 0) & (batch.iterations[at] >= iterations)] = optimum.ITERATIONS
            going = code < 0
            if not going.all():
                batch.code[at] = code
                self._keep(batch, _chosen(found, ~going))
                found, at = _chosen(found, going), at[going]
            if at.size:
                self.advance(batch, found)
                stuck = batch.code[at] >= 0
                if stuck.any():
                    self._keep(batch, _chosen(found, stuck))
                    at = at[~stuck]
        if batch.memory is not None:
            batch.memory.put_back()
        return batch

    @staticmethod
    def _keep(batch: Batch, found: Direction) -> None:
        """What is told of problems that have ended."""
        batch.facts[found.at] = np.stack([found.plain, found.gap, found.violation], axis=-1)
        batch.policies[found.at] = found.policies[:, ::-1]

    def direction(self, batch: Batch, at: np.ndarray) -> Direction:
        """Derivatives of all nodes and a backward pass, more regularised where it fails."""
        n, memory = self.kernels.shooting.n, self._memory(batch, at)
        parts = batch.nodes, batch.multipliers, batch.params
        memory.expand(*(parts if len(at) == len(batch.code) else (x[at] for x in parts)))
        memory.damping[:, 0] = batch.μ[at]
        records, values, status = memory.back()
        slope = values[:, values_size(n) - 2 : values_size(n)].copy()
        if len(at) > 1:
            memory.policies[:] = records[:, 1:]
        if status.any():
            self._more_regularised(batch, memory, at, np.flatnonzero(status), slope)
        sums, worst, end = memory.facts.sum(1), memory.facts.max(1), memory.end
        violation = end[:, 2]
        if self.kernels.shooting.limited:  # of the start, which comes last, nobody asks
            violation = np.maximum(memory.facts[:, :-1, 2].max(1, initial=0.0), violation)
        return Direction(
            at, sums[:, 0] + end[:, 0], sums[:, 1] + end[:, 1], sums[:, 3], worst[:, 4], violation, slope,
            memory.policies, memory.nominal[:, 0],
        )  # fmt: skip

    def _memory(self, batch: Batch, at: np.ndarray) -> Memory:
        """The arrays for these problems, kept as long as they are the same."""
        if batch.memory is None or len(batch.memory.D) != len(at):  # problems end, and do not begin again
            parts = (batch.nodes, batch.times, batch.params, batch.lowest, batch.highest)
            batch.memory = memory_for(self.kernels, *(x[at] for x in parts))
        return batch.memory

    def _more_regularised(
        self, batch: Batch, memory: Memory, at: np.ndarray, todo: np.ndarray, slope: np.ndarray
    ) -> None:
        """The backward pass again for those problems `todo` in which it failed, until it does not."""
        n, first = self.kernels.shooting.n, values_size(self.kernels.shooting.n) - 2
        while todo.size:
            memory.policies[todo], slope[todo] = np.nan, np.nan
            whole = np.isfinite(memory.D[todo]).all((1, 2)) & np.isfinite(memory.S[todo]).all((1, 2))
            whole &= np.isfinite(memory.nominal[todo, 0]).all((1, 2))
            whole &= np.isfinite(memory.start[todo, : n * n + n]).all(1)
            batch.code[at[todo[~whole]]] = optimum.NOT_FINITE
            batch.μ[at[todo]] = np.maximum(_LEAST, batch.μ[at[todo]] * _UP)
            lost = whole & (batch.μ[at[todo]] > _MOST)
            batch.code[at[todo[lost]]] = optimum.NO_DESCENT
            todo = todo[whole & ~lost]
            if not todo.size:
                return
            memory.damping[todo, 0] = batch.μ[at[todo]]
            inputs = tuple(x[todo] for x in (memory.D, memory.S, memory.nominal[:, 0]))
            found = self.kernels.backward(
                memory.start[todo],
                memory.damping[todo],
                h=1.0,
                steps=inputs[0].shape[1],
                inputs=inputs,
            )
            good = found.status == 0
            memory.policies[todo[good]] = found.records[good, 1:]
            slope[todo[good]] = found.state[good, first : first + 2]
            todo = todo[~good]

    def judge(self, batch: Batch, found: Direction) -> None:
        """Which problems are solved, or have reached the end of a round with their limits."""
        at, limited = found.at, self.kernels.shooting.limited
        tolerance = np.maximum(self.tolerance, batch.round_tolerance[at]) if limited else self.tolerance
        small = np.abs(found.slope[:, 0]) * (1.0 + batch.μ[at]) <= tolerance * np.abs(found.cost)
        small |= found.cost == 0.0
        closed = found.gap <= self.gap_tolerance
        done = small & closed & (batch.code[at] < 0)
        if not limited:
            batch.code[at[done]] = optimum.CONVERGED
        elif done.any():
            self._next_round(batch, at[done])

    def _next_round(self, batch: Batch, at: np.ndarray) -> None:
        """New multipliers λ + ρ c, and penalties ρ where limits are not met much better than in the last round."""
        Y, t = batch.nodes[at, 1:, : self.kernels.shooting.ny], batch.times[at][:, 1:, None]
        c = self.kernels.excess(np.concatenate([t, Y], axis=-1), batch.params[at][:, None])
        ρ = batch.params[at, PENALTY][:, None, None]
        λ = batch.multipliers[at, 1:]
        off = np.abs(np.maximum(c, -λ / ρ)).max((1, 2))
        final = batch.round_tolerance[at] <= self.tolerance
        solved = (off <= self.limit_tolerance) & final
        batch.code[at[solved]] = optimum.CONVERGED
        batch.multipliers[at, 1:] = np.maximum(0.0, λ + ρ * c)
        off, at = off[~solved], at[~solved]
        grow = (off > _SHRINKS * batch.broken[at]) & (off > self.limit_tolerance)
        batch.params[at[grow], PENALTY] *= _PENALTY_UP
        batch.broken[at] = off
        batch.round_tolerance[at] = np.maximum(0.1 * batch.round_tolerance[at], 0.5 * self.tolerance)
        batch.code[at[batch.params[at, PENALTY] > _MOST_PENALTY]] = optimum.BROKEN
        batch.weight[at] = 0.0

    def advance(self, batch: Batch, found: Direction) -> None:
        """A step of every problem, as long as one is found; else more regularisation."""
        at = found.at
        given = (found.cost, *found.slope.T, found.gaps, batch.weight[at])
        searches = [begun(*facts) for facts in zip(*(x.tolist() for x in given), strict=True)]
        batch.weight[at] = [search.weight for search in searches]
        batch.iterations[at] += 1
        memory = batch.memory
        assert memory is not None
        todo, taken, best = np.arange(len(at)), np.zeros(len(at)), np.full(len(at), LEAST_SHARE)
        tried = 0
        while todo.size and tried < len(LENGTHS):
            if tried == 0 and len(at) == len(memory.D):
                some = memory.lengths
                rows, costs = memory.follow(batch.multipliers[at], batch.params[at])
            else:
                some = LENGTHS[tried : tried + 1]
                rows, costs = self._tried(batch, found, todo, some)
            tried += len(some)
            lengths = some.tolist()
            for k, i in enumerate(todo):
                first, share = searches[i].longest(costs[k].tolist(), lengths)
                if first >= 0 and share > best[i]:
                    batch.nodes[at[i]] = rows[k, first]
                    taken[i], best[i] = lengths[first], share
            todo = todo[best[todo] < SUFFICIENT]
        grown = np.maximum(_LEAST, batch.μ[at] * _UP)
        fallen = np.where(batch.μ[at] * _DOWN < _LEAST, 0.0, batch.μ[at] * _DOWN)
        if len(batch.code) == 1:
            facts = found.cost[0], found.gap[0], taken[0], batch.μ[0]
            batch.history.append((float(facts[0]), float(facts[1]), float(facts[2]), float(facts[3])))
        batch.μ[at] = np.where(taken == 0, grown, fallen)
        stuck = (taken == 0) & (batch.μ[at] > _MOST)
        batch.code[at[stuck]] = optimum.NO_DESCENT

    def _tried(
        self, batch: Batch, found: Direction, todo: np.ndarray, lengths: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Nodes (a, E, N + 1, ny + m) and costs (a, E) of the problems `todo` after steps of these lengths (E,)."""
        s, at = self.kernels.shooting, found.at[todo]
        nominal, last = found.nominal[todo], []
        if s.limited:
            nominal[..., -s.limited :] = batch.multipliers[at, -2::-1]
            last = [_repeated(batch.multipliers[at, -1], len(lengths))]
        E, params = len(lengths), batch.params[at]
        given = [np.broadcast_to(lengths[:, None], (len(at), E, 1)), _repeated(params, E)]
        if s.bounded:
            given += [_repeated(batch.lowest[at], E), _repeated(batch.highest[at], E)]
        start = np.concatenate([batch.nodes[at, 0, : s.ny], np.zeros((len(at), s.m + 3))], axis=-1)
        done = self.kernels.forward(
            _repeated(start, E),
            np.concatenate(given, axis=-1),
            h=float(params[0, PERIOD]),
            steps=nominal.shape[1],
            inputs=(nominal[:, None], found.policies[todo][:, None]),
            down=True,
        )
        times = batch.times[at][:, None, -1:]
        end = self.kernels.end_cost(times, done.state[..., : s.ny], *last, params[:, None])
        costs = done.state[..., s.ny + s.m] + end[..., 0]
        return done.records, np.where(done.status == 0, costs, np.nan)


def _repeated(x: np.ndarray, times: int) -> np.ndarray:
    """(a, …) as (a, times, …)."""
    return np.broadcast_to(x[:, None], (len(x), times, *x.shape[1:]))


def _chosen(found: Direction, mask: np.ndarray) -> Direction:
    """Those in the mask."""
    return found if mask.all() else Direction(*(part[mask] for part in found))
