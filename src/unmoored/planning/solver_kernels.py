"""The compiled functions of a problem: nodes side by side, the backward pass and the forward pass as time loops."""

from __future__ import annotations

from functools import cached_property, reduce
from typing import Any

import numpy as np

from .. import kernels
from ..lie.arrays import join
from ..model.identity_of_code import announce_retrace, traced_pure
from ..trace import Recent, fingerprint, maximum, trace
from ..trace.kept_data import Snapshot
from .backward_pass import (
    Hessian,
    ended,
    entries_in,
    lower_runs,
    policy_input,
    policy_size,
    split_policy,
    stepped_back,
    values_size,
)
from .riccati_programs import Runs
from .shooting import PERIOD, START, Shooting

_kept: Recent[bytes, SolverKernels] = Recent(16)


class SolverKernels:
    """Kernels of a `Shooting`, made when they are first wanted. λ is no argument where there are no limits."""

    def __init__(self, shooting: Shooting, key: str | None, owned: Any = None) -> None:
        self.shooting: Shooting = shooting
        self._key, self._owned = key, owned
        #: arrays of problems that have ended, by what they are made for; taken out while they are in use
        self.spare: dict[tuple[Any, ...], Any] = {}

    @cached_property
    def runs(self) -> Runs:
        """Where H of a node has entries that are not structurally zero."""
        s = self.shooting
        found: list[Runs] = []

        def seen(row: np.ndarray, params: np.ndarray) -> np.ndarray:
            t, y, u, λ = row[0], row[1 : 1 + s.ny], row[1 + s.ny : 1 + s.ny + s.m], row[1 + s.ny + s.m :]
            expansion = s.expanded(t, y, u, λ, params)
            found.append(lower_runs(expansion.H))
            return expansion.l

        before = Snapshot(s.plant, s.terms)
        try:
            shapes = (1 + s.ny + s.m + s.limited,), (s.parameters,)
            trace(seen, *shapes, name="hessian", exact_zeros=False)
        finally:
            before.restore()
        return found[-1]

    @cached_property
    def nodes(self) -> Any:
        """(t (1,), y, u, y of the next node, λ, parameters) → D = [A B] flat, (entries of H, l) flat, nominal
        (y, u, g, λ), facts (5,): those of the cost, Σ|g|, max|g|; batches."""
        s = self.shooting

        def expand(t: np.ndarray, y: np.ndarray, u: np.ndarray, after: np.ndarray, *rest: np.ndarray) -> Any:
            λ, params = self._split(rest)
            reached, D = s.linearised(t[0], y, u, params)
            found = s.expanded(t[0], y, u, λ, params)
            g = s.difference(after, reached)
            sizes = np.abs(g)
            gaps = np.array([sum(sizes), reduce(maximum, sizes)])
            entries = join([entries_in(found.H, self.runs), found.l])
            return D.reshape(-1), entries, join([y, u, g, λ]), join([found.facts, gaps])

        shapes = [(1,), (s.ny,), (s.m,), (s.ny,), *self._limits, (s.parameters,)]
        return self._compiled("nodes", expand, shapes, f" {self.runs}")

    @cached_property
    def end(self) -> Any:
        """(t (1,), y, λ, parameters) → start of the backward pass, values and a policy of zeros, flat; facts (3,)."""
        s = self.shooting

        def expand(t: np.ndarray, y: np.ndarray, *rest: np.ndarray) -> tuple[np.ndarray, ...]:
            λ, params = self._split(rest)
            found = s.expanded(t[0], y, None, λ, params)
            return join([ended(found.H, found.l), np.zeros(policy_size(s.n, s.m))]), found.facts

        return self._compiled("end", expand, [(1,), (s.ny,), *self._limits, (s.parameters,)])

    @cached_property
    def end_cost(self) -> Any:
        """(t (1,), y, λ, parameters) → facts (3,), of the last node."""
        s = self.shooting

        def cost(t: np.ndarray, y: np.ndarray, *rest: np.ndarray) -> np.ndarray:
            λ, params = self._split(rest)
            return s.cost(t[0], y, None, λ, params)

        return self._compiled("end_cost", cost, [(1,), (s.ny,), *self._limits, (s.parameters,)])

    @property
    def _limits(self) -> list[tuple[int, ...]]:
        """The shape of λ, if there are limits."""
        return [(self.shooting.limited,)] if self.shooting.limited else []

    def _split(self, rest: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
        """(λ, parameters) of the last arguments."""
        return (rest[0], rest[1]) if self.shooting.limited else (np.zeros(0), rest[0])

    @cached_property
    def excess(self) -> Any:
        """(row (t, y), parameters) → c (k,) of the limits."""
        s = self.shooting
        return self._compiled(
            "excess",
            lambda row, params: s.excess(row[0], row[1:], params),
            [(1 + s.ny,), (s.parameters,)],
        )

    @cached_property
    def backward(self) -> Any:
        """The backward pass: state (values, policy), of which it records the policy; parameters (μ, limits of the
        inputs); inputs D, (entries of H, l) and nominal of every node, the last one first. The first record is of the
        start, and says nothing."""
        s = self.shooting
        n, m = s.n, s.m
        k, values = n + m, values_size(n)
        entries = sum(count for _, _, count in self.runs)

        def step(t: Any, h: Any, b: np.ndarray, p: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, Any]:
            D, H, l, nominal = np.split(z, np.cumsum([n * k, entries, k]))
            u, g = nominal[s.ny : s.ny + m], nominal[s.ny + m : s.ny + m + n]
            room = (p[1 : 1 + m] - u, p[1 + m :] - u) if s.bounded else None
            found = stepped_back(b, D.reshape(n, k), Hessian(H, self.runs), l, g, p[0], room, s.step_matrix)
            return found[:-1], found[-1]

        return kernels.compile_loop(
            step,
            lambda t, b, p, z: b[values:],
            state=values + policy_size(n, m),
            parameters=1 + (2 * m if s.bounded else 0),
            inputs=(n * k, entries + k, s.nominal),
            name="backward_pass",
        )

    @cached_property
    def forward(self) -> Any:
        """The forward pass: state (y, u, facts (3,)); records (y, u); parameters (ε, those of the problem, limits
        of the inputs); inputs nominal (y, u, g, λ) and (K, κ, gradient) of every node, the last one first."""
        s = self.shooting
        ny, m, n = s.ny, s.m, s.n

        def inputs(t: Any, state: np.ndarray, p: np.ndarray, z: np.ndarray) -> np.ndarray:
            y, u, policy = z[:ny], z[ny : ny + m], z[s.nominal :]
            limits = (p[1 + s.parameters :][:m], p[1 + s.parameters + m :]) if s.bounded else None
            new = policy_input(u, s.difference(y, state[:ny]), split_policy(policy, n, m), p[0], limits)
            return join([state[:ny], new, state[ny + m :]])

        def step(t: Any, h: Any, state: np.ndarray, p: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, float]:
            y, u, params = state[:ny], state[ny : ny + m], p[1 : 1 + s.parameters]
            g, λ = z[ny + m : ny + m + n], z[ny + m + n : s.nominal]
            t = params[START] + t
            facts = s.cost(t, y, u, λ, params)
            old = state[ny + m :]
            sums = np.array([old[0] + facts[0], old[1] + facts[1], maximum(old[2], facts[2])])
            new = s.renormalised(s.moved(s.advanced(t, y, u, params), (p[0] - 1.0) * g))
            new = s.closed(
                t + params[PERIOD], new, params
            )  # a straight way between two states leaves closures
            return join([new, u, sums]), 0.0

        return self._loop("forward_pass", step, inputs)

    def _loop(self, name: str, step: Any, update: Any) -> Any:
        s = self.shooting
        before = Snapshot(s.plant, s.terms)
        try:
            return kernels.compile_loop(
                step,
                lambda t, state, p, z: state[: s.ny + s.m],
                state=s.ny + s.m + 3,
                parameters=1 + s.parameters + (2 * s.m if s.bounded else 0),
                inputs=(s.nominal, s.m * s.n + 2 * s.m),
                update=update,
                name=name,
                key=None if self._key is None else f"{name} {self._key}",
            )
        finally:
            before.restore()

    def _compiled(self, name: str, function: Any, shapes: list[tuple[int, ...]], more: str = "") -> Any:
        s = self.shooting
        before = Snapshot(s.plant, s.terms)
        try:
            return kernels.compile(
                function,
                shapes,
                name=f"shooting_{name}",
                key=None if self._key is None else f"{name} {self._key}{more}",
                exact_zeros=False,
            )
        finally:
            before.restore()


def solver_kernels(shooting: Shooting) -> SolverKernels:
    """The kernels of a problem of this structure, kept for the next one."""
    parts = (shooting.plant, shooting.terms, shooting.method, shooting.steps, shooting.bounded)
    seen = fingerprint(parts)
    if not seen.own and (seen.unseen or seen.digest not in _kept):
        _check_pure(shooting)
    if seen.unseen:
        announce_retrace("optimize", seen.unseen)
        return SolverKernels(shooting, None)
    found = _kept.find(seen.digest)
    if found is None:
        own = seen.digest.hex() if seen.own else None
        found = _kept.shared(seen.digest, SolverKernels(shooting, own, seen.kept))
    return found


def _check_pure(shooting: Shooting) -> None:
    """Refuse terms that compute something else at every call."""
    s = shooting
    before = Snapshot(s.plant, s.terms)

    def costs(row: np.ndarray, params: np.ndarray) -> np.ndarray:
        t, y, u, λ = row[0], row[1 : 1 + s.ny], row[1 + s.ny : 1 + s.ny + s.m], row[1 + s.ny + s.m :]
        return join([s.cost(t, y, u, λ, params), s.cost(t, y, None, λ, params)])

    try:
        traced_pure(
            "optimize: its terms", costs, (1 + s.ny + s.m + s.limited,), (s.parameters,), name="costs"
        )
    finally:
        before.restore()
