"""Many problems from many starts side by side: bursts of steps, lanes that are done or lost leave, others come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .boxed_steps import FIRST
from .pose_problem import Numbers
from .search_kernels import SearchKernels

#: a lane that has not lowered f by this factor in a burst, after so many bursts, is lost
_SHRINKS, _PATIENCE = 0.5, 2
#: nearer than this (half the sum of squares) it may be slow: solutions at the end of the reach are singular
_NEAR, _SHRINKS_NEAR = 1e-4, 0.95
#: bursts of one start, and of the last approach to targets that are out of reach
_BURSTS, _LAST_BURSTS = 12, 60
#: part of f by which a burst must lower it to go on at the last approach
_STILL = 1e-9
#: damping at which steps that come no nearer are too short to matter
_HOPELESS = 1e9
#: lanes of a problem that were given up near a target and go on at the last approach: near singular shapes are slow
_SLOW = 16


class Found(NamedTuple):
    """q (P, nq): the best of each problem.  f (P,): half its sum of squares.  solved (P,).  steps (P,): of all lanes.

    lane (L,), lanes (L, nq): every solution that was met, and the problem that it belongs to.
    """

    q: np.ndarray
    f: np.ndarray
    solved: np.ndarray
    steps: np.ndarray
    owners: np.ndarray
    solutions: np.ndarray


#: the burst: (q (L, nq), problems (L,), damping (L,)) → (q, damping, f, error (L, m), imbalance (L,), steps)
Burst = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[Any, ...]]


def compiled_burst(kernels: SearchKernels, given: Numbers, steps: int) -> Burst:
    """The burst of the compiled search; given: numbers of all problems, (P, …) or (1, …)."""

    def burst(q: np.ndarray, owner: np.ndarray, s: np.ndarray) -> tuple[Any, ...]:
        numbers = [x[owner] if len(x) > 1 else x[0] for x in given]
        q, facts, e = kernels.search(q, *numbers, s)
        return q, facts[:, 0], facts[:, 1], e, facts[:, 2], steps

    return burst


def searched_lanes(
    burst: Burst, starts: Callable[[np.ndarray, int, int], np.ndarray], problems: int, count: int, nq: int,
    solves: Callable[[np.ndarray, np.ndarray], np.ndarray], *, every: bool,
) -> Found:  # fmt: skip
    """The best of every problem.

    starts: (problems (k,), first, last) → configurations (k, last − first, nq).  count: starts of a problem.
    solves: (errors, imbalances) → whether lanes are solved.  every: go through all starts, and keep all solutions.
    """
    best_q, best_f = np.zeros((problems, nq)), np.full(problems, np.inf)
    solved, total = np.zeros(problems, dtype=bool), np.zeros(problems, dtype=int)
    owners, solutions, slow = [], [], []
    todo, first, width = np.arange(problems), 0, 1
    while todo.size and first < count:
        last = count if every else min(count, first + width)
        q = starts(todo, first, last).reshape(-1, nq)
        owner = np.repeat(todo, last - first)
        s, f, age = np.full(len(q), FIRST), np.full(len(q), np.inf), 0
        while owner.size and age < _BURSTS:
            q, s, new_f, e, off, steps = burst(q, owner, s)
            np.add.at(total, owner, steps)
            new_f = np.where(np.isfinite(new_f), new_f, np.inf)
            done = solves(e, off) & np.isfinite(new_f)
            order = np.lexsort((new_f, ~done))[::-1]  # the best of an owner is written last
            better = order[(new_f < best_f[owner])[order] | (done & ~solved[owner])[order]]
            best_q[owner[better]], best_f[owner[better]] = q[better], new_f[better]
            if every:
                owners.append(owner[done])
                solutions.append(q[done])
            solved[owner[done]] = True
            age += 1
            least = np.where(new_f > _NEAR, _SHRINKS, _SHRINKS_NEAR)
            lost = (new_f > least * f) if age >= _PATIENCE else np.isinf(new_f)
            go_on = ~(done | lost) & (every | ~solved[owner])
            near = ~done & ~solved[owner] & (new_f < _NEAR) & (lost | (age == _BURSTS))
            slow.append((owner[near], q[near], new_f[near]))
            owner, q, s, f = owner[go_on], q[go_on], s[go_on], new_f[go_on]
        first, width = last, 2 * width
        todo = todo if every else todo[~solved[todo]]
    kept = (
        np.concatenate(owners) if owners else np.zeros(0, int),
        np.concatenate(solutions) if solutions else np.zeros((0, nq)),
    )
    owner, q, f = (
        np.concatenate(part) for part in zip((np.arange(problems), best_q, best_f), *slow, strict=True)
    )
    some = _nearest_of_each(owner, f, ~solved)
    _approach(burst, (owner[some], q[some], f[some]), best_q, best_f, solved, total, solves)
    return Found(best_q, best_f, solved, total, *kept)


def _nearest_of_each(owner: np.ndarray, f: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Places of the lanes with the least f, at most `_SLOW` of each owner that is wanted (P,)."""
    order = np.lexsort((f, owner))
    own = owner[order]
    rank = np.arange(len(own)) - np.searchsorted(own, own, side="left")
    return order[wanted[own] & (rank < _SLOW)]


def _approach(
    burst: Burst, lanes: tuple[np.ndarray, np.ndarray, np.ndarray], best_q: np.ndarray, best_f: np.ndarray,
    solved: np.ndarray, total: np.ndarray, solves: Any,
) -> None:  # fmt: skip
    """Go on with lanes (owner, q, f) of problems that are not solved, until they come no nearer; the best are kept."""
    owner, q, f = lanes
    s = np.full(len(owner), FIRST)
    for _ in range(_LAST_BURSTS):
        if not owner.size:
            return
        new_q, s, new_f, e, off, steps = burst(q, owner, s)
        np.add.at(total, owner, steps)
        nearer = new_f < f
        goes_on = np.where(nearer, new_f < (1.0 - _STILL) * f, s < _HOPELESS)
        q, f = np.where(nearer[:, None], new_q, q), np.where(nearer, new_f, f)
        done = solves(e, off)
        order = np.lexsort((f, ~done))[::-1]  # the best of an owner is written last
        better = order[(nearer & (f < best_f[owner]))[order] | (done & ~solved[owner])[order]]
        best_q[owner[better]], best_f[owner[better]] = q[better], f[better]
        solved[owner[done]] = True
        goes_on &= ~solved[owner]
        owner, q, f, s = owner[goes_on], q[goes_on], f[goes_on], s[goes_on]
