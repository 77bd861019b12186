"""The iterations of trajectory optimisation, for several problems of one structure at a time (docs/optimize.md)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from . import optimum
from .backward_pass import values_size
from .line_search import LEAST_SHARE, LENGTHS, SUFFICIENT, Search, begun, shares
from .shooting import PENALTY, PERIOD, START
from .solver_kernels import SolverKernels
from .solver_memory import Memory

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
    """Problems (P,) on their way: nodes Y (P, N + 1, ny), U (P, N, m), multipliers (P, N + 1, k), parameters (P, …).

    lowest, highest: of inputs (P, m).  code: why a problem ended, −1 while it goes on.
    """

    Y: np.ndarray
    U: np.ndarray
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
    K: np.ndarray = field(init=False)
    gradient: np.ndarray = field(init=False)
    history: list[tuple[float, float, float, float]] = field(init=False, default_factory=list)
    memory: Memory | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        P, N, m = self.U.shape
        self.code = np.full(P, -1)
        self.μ, self.weight = np.zeros(P), np.zeros(P)
        self.round_tolerance, self.broken = np.full(P, _FIRST_TOLERANCE), np.full(P, np.inf)
        self.iterations = np.zeros(P, dtype=int)
        self.facts = np.zeros((P, 4))  # cost, largest gap, violation, kkt
        self.K, self.gradient = np.zeros((P, N, 0)), np.zeros((P, N, m))

    @property
    def times(self) -> np.ndarray:
        """Of the nodes (P, N + 1) [s]."""
        steps = np.arange(self.U.shape[1] + 1.0)
        return self.params[:, START, None] + self.params[:, PERIOD, None] * steps


@dataclass(frozen=True, eq=False)
class Direction:
    """A backward pass of the problems `at`: policies (a, N, …) the last node first, gaps (a, N, n), slope and
    promised change (a, 2) of the cost."""

    at: np.ndarray
    cost: np.ndarray
    gaps: np.ndarray
    policies: np.ndarray
    slope: np.ndarray


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
        P, N, m = batch.U.shape
        batch.K = np.empty((P, N, m * self.kernels.shooting.n))
        while np.any(batch.code < 0):
            at = np.flatnonzero(batch.code < 0)
            tired = at[batch.iterations[at] >= iterations]
            found = self.direction(batch, at)
            self.judge(batch, found)
            batch.code[tired[batch.code[tired] < 0]] = optimum.ITERATIONS
            going = batch.code[found.at] < 0
            batch.K[at[~going]] = found.policies[~going, ::-1, : batch.K.shape[-1]]
            self.advance(batch, _chosen(found, going))
        return batch

    def direction(self, batch: Batch, at: np.ndarray) -> Direction:
        """Derivatives of all nodes and a backward pass, more regularised where it fails."""
        s, memory = self.kernels.shooting, self._memory(batch, at)
        every = len(at) == len(batch.code)
        parts = (batch.Y, batch.U, batch.multipliers, batch.params)
        memory.expand(*(parts if every else (x[at] for x in parts)))
        memory.damping[:, 0] = batch.μ[at]
        if s.bounded:
            m = s.m
            memory.damping[:, 1 : 1 + m], memory.damping[:, 1 + m :] = batch.lowest[at], batch.highest[at]
        records, values, status = memory.back()
        slope = values[:, values_size(s.n) - 2 : values_size(s.n)].copy()
        if len(at) > 1:
            memory.policies[:] = records[:, 1:]
        if status.any():
            self._more_regularised(batch, memory, at, np.flatnonzero(status), slope)
        policies, facts, gaps = memory.policies, memory.facts, memory.gaps
        cost, plain = (facts[..., k].sum(-1) + memory.end[:, k] for k in (0, 1))
        gradient = policies[:, ::-1, -s.m :]
        worst = np.maximum(facts[:, 1:, 2].max(-1, initial=0.0), memory.end[:, 2]) if s.limited else 0.0
        kkt = np.abs(self._projected(batch, at, gradient)).max((1, 2))
        found = batch.facts[at]
        found[:, 0], found[:, 1], found[:, 2], found[:, 3] = plain, np.abs(gaps).max((1, 2)), worst, kkt
        batch.facts[at], batch.gradient[at] = found, gradient
        return Direction(at, cost, gaps, policies, slope)

    def _memory(self, batch: Batch, at: np.ndarray) -> Memory:
        """The arrays for these problems, kept as long as they are the same."""
        if batch.memory is None or len(batch.memory.rows) != len(at):  # problems end, and do not begin again
            batch.memory = Memory(self.kernels, batch.U[at], batch.times[at], batch.params[at])
        return batch.memory

    def _more_regularised(
        self, batch: Batch, memory: Memory, at: np.ndarray, todo: np.ndarray, slope: np.ndarray
    ) -> None:
        """The backward pass again for those problems `todo` in which it failed, until it does not."""
        n, first = self.kernels.shooting.n, values_size(self.kernels.shooting.n) - 2
        while todo.size:
            memory.policies[todo], slope[todo] = np.nan, np.nan
            whole = np.isfinite(memory.D[todo]).all((1, 2)) & np.isfinite(memory.S[todo]).all((1, 2))
            whole &= np.isfinite(memory.start[todo, : n * n + n]).all(1)
            batch.code[at[todo[~whole]]] = optimum.NOT_FINITE
            batch.μ[at[todo]] = np.maximum(_LEAST, batch.μ[at[todo]] * _UP)
            lost = whole & (batch.μ[at[todo]] > _MOST)
            batch.code[at[todo[lost]]] = optimum.NO_DESCENT
            todo = todo[whole & ~lost]
            if not todo.size:
                return
            memory.damping[todo, 0] = batch.μ[at[todo]]
            inputs = tuple(x[todo] for x in (memory.D, memory.S, memory.inputs))
            found = self.kernels.backward(
                memory.start[todo],
                memory.damping[todo],
                h=1.0,
                steps=inputs[0].shape[1],
                inputs=inputs,
                down=True,
            )
            good = found.status == 0
            memory.policies[todo[good]] = found.records[good, 1:]
            slope[todo[good]] = found.state[good, first : first + 2]
            todo = todo[~good]

    def _projected(self, batch: Batch, at: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Gradients (a, N, m), zero at limits of inputs where they push outwards."""
        if not self.kernels.shooting.bounded:
            return gradient
        U, lowest, highest = batch.U[at], batch.lowest[at][:, None], batch.highest[at][:, None]
        held = ((lowest >= U) & (gradient > 0)) | ((highest <= U) & (gradient < 0))
        return np.where(held, 0.0, gradient)

    def judge(self, batch: Batch, found: Direction) -> None:
        """Which problems are solved, or have reached the end of a round with their limits."""
        at, limited = found.at, self.kernels.shooting.limited
        tolerance = np.maximum(self.tolerance, batch.round_tolerance[at]) if limited else self.tolerance
        small = np.abs(found.slope[:, 0]) * (1.0 + batch.μ[at]) <= tolerance * np.abs(found.cost)
        small |= found.cost == 0.0
        closed = batch.facts[at, 1] <= self.gap_tolerance
        done = small & closed & (batch.code[at] < 0)
        if not limited:
            batch.code[at[done]] = optimum.CONVERGED
        elif done.any():
            self._next_round(batch, at[done])

    def _next_round(self, batch: Batch, at: np.ndarray) -> None:
        """New multipliers λ + ρ c, and penalties ρ where limits are not met much better than in the last round."""
        Y, t = batch.Y[at][:, 1:], batch.times[at][:, 1:, None]
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
        if not at.size:
            return
        sums = np.abs(found.gaps).sum((1, 2))
        search = begun(found.cost, found.slope[:, 0], found.slope[:, 1], sums, batch.weight[at])
        batch.weight[at] = search.weight
        batch.iterations[at] += 1
        s, memory = self.kernels.shooting, batch.memory
        assert memory is not None
        todo, taken, best = np.arange(len(at)), np.zeros(len(at)), np.full(len(at), LEAST_SHARE)
        new = np.empty((len(at), *batch.Y.shape[1:2], s.ny + s.m))
        tried = 0
        while todo.size and tried < len(LENGTHS):
            if tried == 0 and len(at) == len(memory.rows):
                some = memory.lengths
                given = batch.multipliers[at], batch.params[at], batch.lowest[at], batch.highest[at]
                rows, costs = memory.follow(*given)
            else:
                some = LENGTHS[tried : tried + 1]
                rows, costs = self._tried(batch, found, todo, some)
            tried += len(some)
            with np.errstate(invalid="ignore"):
                gains = shares(Search(*(part[todo] for part in search)), costs, some)
            for k, i in enumerate(todo):
                good = np.flatnonzero(gains[k] >= SUFFICIENT)
                first = good[0] if good.size else np.nanargmax([-1.0, *gains[k]]) - 1
                if first >= 0 and (good.size or gains[k, first] > best[i]):
                    new[i], taken[i], best[i] = rows[k, first], some[first], gains[k, first]
            todo = todo[best[todo] < SUFFICIENT]
        moved = taken > 0
        batch.Y[at[moved]], batch.U[at[moved]] = new[moved, :, : s.ny], new[moved, :-1, s.ny :]
        grown = np.maximum(_LEAST, batch.μ[at] * _UP)
        fallen = np.where(batch.μ[at] * _DOWN < _LEAST, 0.0, batch.μ[at] * _DOWN)
        if len(batch.code) == 1:
            gap = float(np.abs(found.gaps).max())
            batch.history.append((float(found.cost[0]), gap, float(taken[0]), float(batch.μ[at[0]])))
        batch.μ[at] = np.where(taken == 0, grown, fallen)
        stuck = (taken == 0) & (batch.μ[at] > _MOST)
        batch.code[at[stuck]] = optimum.NO_DESCENT

    def _tried(
        self, batch: Batch, found: Direction, todo: np.ndarray, lengths: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Nodes (a, E, N + 1, ny + m) and costs (a, E) of the problems `todo` after steps of these lengths (E,)."""
        s, at = self.kernels.shooting, found.at[todo]
        parts = batch.Y[at][:, :-1], batch.U[at], found.gaps[todo], batch.multipliers[at][:, :-1]
        inputs = np.concatenate(parts, axis=-1)[:, ::-1], found.policies[todo]
        N, E = batch.U.shape[1], len(lengths)
        params = batch.params[at]
        given = [np.broadcast_to(lengths[:, None], (len(at), E, 1)), _repeated(params, E)]
        if s.bounded:
            given += [_repeated(batch.lowest[at], E), _repeated(batch.highest[at], E)]
        start = np.concatenate([batch.Y[at, 0], np.zeros((len(at), s.m + 3))], axis=-1)
        done = self.kernels.forward(
            _repeated(start, E),
            np.concatenate(given, axis=-1),
            h=float(params[0, PERIOD]),
            steps=N,
            inputs=tuple(x[:, None] for x in inputs),
            down=True,
        )
        ends = np.concatenate(
            [
                _repeated(batch.times[at][:, -1:], E),
                done.state[..., : s.ny],
                _repeated(batch.multipliers[at, -1], E),
            ],
            axis=-1,
        )
        end = self.kernels.end_cost(ends, params[:, None])
        costs = done.state[..., s.ny + s.m] + end[..., 0]
        return done.records, np.where(done.status == 0, costs, np.nan)


def _repeated(x: np.ndarray, times: int) -> np.ndarray:
    """(a, …) as (a, times, …)."""
    return np.broadcast_to(x[:, None], (len(x), times, *x.shape[1:]))


def _chosen(found: Direction, mask: np.ndarray) -> Direction:
    if mask.all():
        return found
    parts = (found.at, found.cost, found.gaps, found.policies, found.slope)
    return Direction(*(part[mask] for part in parts))
