"""The compiled functions of a problem: nodes side by side, the backward pass and the forward pass as time loops."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import Any

import numpy as np

from .. import kernels
from ..lie.arrays import join
from ..model.identity_of_code import announce_retrace, traced_pure
from ..trace import fingerprint, maximum, trace
from ..trace.kept_data import Snapshot
from .backward_pass import (
    Hessian,
    entries_in,
    lower_runs,
    policy_input,
    policy_size,
    split_policy,
    stepped_back,
    values_size,
)
from .riccati_programs import Runs
from .shooting import START, Shooting

_KEPT = 16
_kept: OrderedDict[bytes, SolverKernels] = OrderedDict()


class SolverKernels:
    """Kernels of a `Shooting`, made when they are first wanted. Rows of a node: (t, y, u, y of the next node, λ)."""

    def __init__(self, shooting: Shooting, key: str | None, owned: Any = None) -> None:
        self.shooting: Shooting = shooting
        self._key, self._owned = key, owned

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
        """(row, parameters) → D = [A B] flat, (entries of H, l, g) flat, facts (3,); batches."""
        s = self.shooting
        ny, m = s.ny, s.m

        def expand(row: np.ndarray, params: np.ndarray) -> tuple[np.ndarray, ...]:
            t, y, u, after = (
                row[0],
                row[1 : 1 + ny],
                row[1 + ny : 1 + ny + m],
                row[1 + ny + m : 1 + 2 * ny + m],
            )
            reached, D = s.linearised(t, y, u, params)
            found = s.expanded(t, y, u, row[1 + 2 * ny + m :], params)
            g = s.difference(after, reached)
            return D.reshape(-1), join([entries_in(found.H, self.runs), found.l, g]), found.facts

        return self._compiled(
            "nodes", expand, [(1 + 2 * ny + m + s.limited,), (s.parameters,)], f" {self.runs}"
        )

    @cached_property
    def end(self) -> Any:
        """(row (t, y, λ), parameters) → (H, l) flat, facts (3,), of the last node."""
        s = self.shooting

        def expand(row: np.ndarray, params: np.ndarray) -> tuple[np.ndarray, ...]:
            found = s.expanded(row[0], row[1 : 1 + s.ny], None, row[1 + s.ny :], params)
            return join([found.H.reshape(-1), found.l]), found.facts

        return self._compiled("end", expand, [(1 + s.ny + s.limited,), (s.parameters,)])

    @cached_property
    def end_cost(self) -> Any:
        """(row (t, y, λ), parameters) → facts (3,), of the last node."""
        s = self.shooting

        def cost(row: np.ndarray, params: np.ndarray) -> np.ndarray:
            return s.cost(row[0], row[1 : 1 + s.ny], None, row[1 + s.ny :], params)

        return self._compiled("end_cost", cost, [(1 + s.ny + s.limited,), (s.parameters,)])

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
        inputs); inputs D, (entries of H, l, g), u of every node. The first record is of the start, and says nothing."""
        s = self.shooting
        n, m = s.n, s.m
        k, values = n + m, values_size(n)
        entries = sum(count for _, _, count in self.runs)

        def step(t: Any, h: Any, b: np.ndarray, p: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, Any]:
            D, rest = z[: n * k].reshape(n, k), z[n * k :]
            H, l, g, u = rest[:entries], rest[entries : entries + k], rest[entries + k :][:n], rest[-m:]
            room = (p[1 : 1 + m] - u, p[1 + m :] - u) if s.bounded else None
            found = stepped_back(b, D, Hessian(H, self.runs), l, g, p[0], room)
            return found[:-1], found[-1]

        return kernels.compile_loop(
            step,
            lambda t, b, p, z: b[values:],
            state=values + policy_size(n, m),
            parameters=1 + (2 * m if s.bounded else 0),
            inputs=(n * k, entries + k + n, m),
            name="backward_pass",
        )

    @cached_property
    def forward(self) -> Any:
        """The forward pass: state (y, u, facts (3,)); records (y, u); parameters (ε, those of the problem, limits
        of the inputs); inputs (y, u, g, λ) and (K, κ, gradient) of every node, the last one first."""
        s = self.shooting
        ny, m, n = s.ny, s.m, s.n

        def inputs(t: Any, state: np.ndarray, p: np.ndarray, z: np.ndarray) -> np.ndarray:
            y, u, policy = z[:ny], z[ny : ny + m], z[ny + m + n + s.limited :]
            limits = (p[1 + s.parameters :][:m], p[1 + s.parameters + m :]) if s.bounded else None
            new = policy_input(u, s.difference(y, state[:ny]), split_policy(policy, n, m), p[0], limits)
            return join([state[:ny], new, state[ny + m :]])

        def step(t: Any, h: Any, state: np.ndarray, p: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, float]:
            y, u, params = state[:ny], state[ny : ny + m], p[1 : 1 + s.parameters]
            g, λ = z[ny + m : ny + m + n], z[ny + m + n : ny + m + n + s.limited]
            t = params[START] + t
            facts = s.cost(t, y, u, λ, params)
            old = state[ny + m :]
            sums = np.array([old[0] + facts[0], old[1] + facts[1], maximum(old[2], facts[2])])
            new = s.renormalised(s.moved(s.advanced(t, y, u, params), (p[0] - 1.0) * g))
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
                inputs=(s.ny + s.m + s.n + s.limited, s.m * s.n + 2 * s.m),
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
    if seen.digest not in _kept:
        _kept[seen.digest] = SolverKernels(shooting, seen.digest.hex() if seen.own else None, seen.kept)
        if len(_kept) > _KEPT:
            _kept.popitem(last=False)
    _kept.move_to_end(seen.digest)
    return _kept[seen.digest]


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
