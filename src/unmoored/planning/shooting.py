"""A problem of optimal control over control periods, as functions of one node (docs/optimize.md).

A state is the vector y = (q, w, x), its tangent δ = (δq, δw, δx) of length n; z = (δ, δu). A node's cost is that of its
terms, and of the limits on its state by an augmented Lagrangian, whose terms are residuals too:

    Δ ½|r(y, u)|² + ½|√ρ max(0, c(y) + λ/ρ)|²

Parameters of a problem are one vector: (Δ, ρ, time at the start, p, gains of the terms).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.configuration import local, retract
from ..integrators import TABLEAUS, State, renormalised
from ..integrators.explicit_derivatives import turning_blocks
from ..lie.arrays import join
from ..model import ModelError
from ..trace import Part, Symbol, greater, is_zero, matmul, maximum, trace, where
from ..worlds import Plant
from ..worlds.gains import gains_of, with_gains
from ..worlds.plants.plant_derivatives import is_tied
from ..worlds.plants.plant_step import nearest_closed, step
from ..worlds.plants.plant_step_derivatives import placed_with_derivatives
from ..worlds.plants.slopes_at_zero import written_out_jacobian
from .costs import Now, Terms
from .step_matrix import StepMatrix

#: products of residuals' derivatives with at most this many multiplications are written out, without structural zeros
_WRITTEN_OUT = 3000
#: places of Δ, ρ and the time at the start among the parameters, and of the first parameter of the plant
PERIOD, PENALTY, START, FIRST = 0, 1, 2, 3


class Expansion(NamedTuple):
    """A node's cost to second order in z: H (k, k), l (k,); facts (3,): its cost with limits, without, and
    the largest violation."""

    H: np.ndarray
    l: np.ndarray
    facts: np.ndarray


@dataclass(frozen=True, eq=False)
class Shooting:
    """A plant stepped over control periods of `steps` steps of an integrator each, and what its motion costs.

    bounded: whether inputs have limits.
    """

    plant: Plant
    method: str
    steps: int
    terms: Terms
    bounded: bool

    @cached_property
    def sizes(self) -> tuple[int, int, int]:
        """Of q, w, x."""
        return self.plant.nq, self.plant.nw, self.plant.nx

    @property
    def ny(self) -> int:
        """Length of a state."""
        return sum(self.sizes)

    @cached_property
    def n(self) -> int:
        """Length of a tangent."""
        return self.plant.nv + self.plant.nw + self.plant.nx

    @cached_property
    def step_matrix(self) -> StepMatrix:
        """What is known of D in every state."""
        tableau, plant = TABLEAUS.get(self.method), self.plant
        if tableau is None or tableau.stages > 1 or self.steps > 1 or is_tied(plant) or plant.closures:
            return StepMatrix(self.n, self.n + self.m)
        return StepMatrix(self.n, self.n + self.m, plant.nv, turning_blocks(plant.tree))

    @property
    def m(self) -> int:
        """Number of inputs."""
        return self.plant.nu

    @property
    def nominal(self) -> int:
        """Length of a node's (y, u, g, λ)."""
        return self.ny + self.m + self.n + self.limited

    @cached_property
    def gains(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Names and shapes of the terms' run-time numbers."""
        return tuple((gain.name, gain.shape) for gain in gains_of(self.terms))

    @cached_property
    def parameters(self) -> int:
        """Number of parameters of a problem."""
        return FIRST + len(self.plant.nominal_parameters) + sum(math.prod(s) for _, s in self.gains)

    @cached_property
    def limited(self) -> int:
        """Number of entries of all limits."""
        if not self.terms.limits:
            return 0
        found = trace(self._excess, (), (self.ny,), (self.parameters,), name="limits")
        return found.output_shapes[0][0]

    def state(self, y: np.ndarray) -> State:
        """(q, w, x) of vectors (..., ny)."""
        a, b = self.sizes[0], self.sizes[0] + self.sizes[1]
        return State(y[..., :a], y[..., a:b], y[..., b:])

    def moved(self, y: np.ndarray, δ: np.ndarray) -> np.ndarray:
        """The state (ny,) reached from y along δ (n,)."""
        q, nv = retract(self.plant.tree, y[..., : self.plant.nq], δ[..., : self.plant.nv]), self.plant.nv
        return join([q, y[..., self.plant.nq :] + δ[..., nv:]])

    def difference(self, y: np.ndarray, other: np.ndarray) -> np.ndarray:
        """The tangent (n,) from y to the other state."""
        nq = self.plant.nq
        return join([local(self.plant.tree, y[..., :nq], other[..., :nq]), other[..., nq:] - y[..., nq:]])

    def renormalised(self, y: np.ndarray) -> np.ndarray:
        """The state with its rotations back on the group to the last digit."""
        nq = self.plant.nq
        return join([renormalised(self.plant.tree, y[..., :nq]), y[..., nq:]])

    def closed(self, t: Any, y: np.ndarray, params: np.ndarray) -> np.ndarray:
        """The state next to y on the plant's closures; not numbers where it is far from them."""
        if not self.plant.closures:
            return y
        return join(nearest_closed(self.plant, t, self.state(y), self._p(params)))

    def advanced(self, t: Any, y: np.ndarray, u: np.ndarray, params: np.ndarray) -> np.ndarray:
        """The state after the control period that begins at t with inputs u (nu,)."""
        p = self._p(params)
        q, w, x = self.state(y)
        h = params[PERIOD] / float(self.steps)
        new = step(self.plant, t, q, self._full(t, q, w, p), x, u, h, p, self.method, self.steps)
        return join([new.q, self.plant.velocities.independent(new.q, new.v), new.x])

    def linearised(
        self, t: Any, y: np.ndarray, u: np.ndarray, params: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same with its derivatives D (n, n + nu) by z."""
        h = params[PERIOD] / float(self.steps)
        found, Z = placed_with_derivatives(
            self.plant, t, self.state(y), u, h, self._p(params), self.method, self.steps
        )
        return self.renormalised(join(found)), Z[:, : self.n + self.m]

    def cost(
        self, t: Any, y: np.ndarray, u: np.ndarray | None, λ: np.ndarray, params: np.ndarray
    ) -> np.ndarray:
        """Facts (3,) of a node, or of the end where u is None: cost with limits, cost, largest violation (≥ 0)."""
        r = self._residuals(t, y, u, params)
        cost = 0.5 * sum((x * x for x in r), 0.0) * (1.0 if u is None else params[PERIOD])
        if not self.limited:
            return np.array([cost, cost, 0.0])
        c = self._excess(t, y, params)
        a = _multiplied(c, λ, params[PENALTY])
        worst = c[0]
        for x in c[1:]:
            worst = maximum(worst, x)
        return np.array([cost + 0.5 * sum(x * x for x in a), cost, maximum(worst, 0.0)])

    def expanded(
        self, t: Any, y: np.ndarray, u: np.ndarray | None, λ: np.ndarray, params: np.ndarray
    ) -> Expansion:
        """The cost of a node to second order (Gauss–Newton); at the end, where u is None, in δ alone."""
        size = self.n if u is None else self.n + self.m
        r, J = self._derivatives(self._residuals, t, y, u, params)
        scale = 1.0 if u is None else params[PERIOD]
        H, l = _squared(J, size, scale), scale * (J.T @ r)
        if self.limited:
            c, J = self._derivatives(lambda t, y, u, params: self._excess(t, y, params), t, y, u, params)
            a, slope = _multiplied(c, λ, params[PENALTY]), np.sqrt(params[PENALTY])
            slopes = np.array([slope * _step(x) for x in a])[:, None] * J
            H, l = H + _squared(slopes, size, 1.0), l + slopes.T @ a
        return Expansion(H, l, self.cost(t, y, u, λ, params))

    def excess(self, t: Any, y: np.ndarray, params: np.ndarray) -> np.ndarray:
        """c (k,) of all limits."""
        return self._excess(t, y, params)

    def _derivatives(
        self, function: Callable[..., Any], t: Any, y: np.ndarray, u: np.ndarray | None, params: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """function(t, y, u, params) (k,) and its derivatives (k, n + nu) by z, or (k, n) by δ where u is None."""
        inputs = 0 if u is None else self.m

        def shifted(z: np.ndarray, t: Any, y: np.ndarray, u: Any, params: np.ndarray) -> np.ndarray:
            return function(t, self.moved(y, z[: self.n]), u + z[self.n :] if inputs else None, params)

        r = function(t, y, u, params)
        arguments = np.zeros(self.n + inputs), t, y, np.zeros(1) if u is None else u, params
        return r, written_out_jacobian(shifted, arguments)

    def _residuals(self, t: Any, y: np.ndarray, u: np.ndarray | None, params: np.ndarray) -> np.ndarray:
        terms, now = self._terms(params), self._now(t, y, u, params)
        found = [self._checked(term, term(now)) for term in (terms.final if u is None else terms.running)]
        return join(found) if found else np.zeros(0)

    def _excess(self, t: Any, y: np.ndarray, params: np.ndarray) -> np.ndarray:
        terms, now = self._terms(params), self._now(t, y, None, params)
        return join([self._checked(limit, limit(now)) for limit in terms.limits])

    def _checked(self, term: Any, r: Any) -> np.ndarray:
        r = np.asarray(r)
        if r.ndim != 1 or not r.size:
            name = type(term).__name__
            raise ModelError.single(name, "result", expected="a vector (k,)", given=f"shape {r.shape}")
        return r

    def _now(self, t: Any, y: np.ndarray, u: np.ndarray | None, params: np.ndarray) -> Now:
        q, w, x = self.state(y)
        p = self._p(params)
        return Now(t, q, self._full(t, q, w, p), x, p, u)

    def _full(self, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray) -> np.ndarray:
        if self.plant.velocities.is_plain:
            return w
        return Part(lambda t, q, w, p: self.plant._velocities(p).full(t, q, w), "full_velocity")(t, q, w, p)

    def _p(self, params: np.ndarray) -> np.ndarray:
        return params[FIRST : FIRST + len(self.plant.nominal_parameters)]

    def _terms(self, params: np.ndarray) -> Terms:
        values, first = {}, FIRST + len(self.plant.nominal_parameters)
        for name, shape in self.gains:
            size = math.prod(shape)
            values[name] = params[first : first + size].reshape(shape)
            first += size
        return with_gains(self.terms, values) if values else self.terms


def _multiplied(c: np.ndarray, λ: np.ndarray, ρ: Any) -> np.ndarray:
    """√ρ max(0, c + λ/ρ) (k,)."""
    return np.array([np.sqrt(ρ) * maximum(a + b / ρ, 0.0) for a, b in zip(c, λ, strict=True)])


def _step(x: Any) -> Any:
    """1 where x > 0, else 0."""
    return where(greater(x, 0.0), 1.0, 0.0)


def _squared(J: np.ndarray, size: int, scale: Any) -> np.ndarray:
    """scale JᵀJ (size, size), of the columns of J (k, size) that are not structurally zero."""
    H: np.ndarray = np.zeros((size, size), dtype=object)
    columns = [j for j in range(size) if not all(is_zero(x) for x in J[:, j])]
    if not columns:
        return H
    kept = J[:, columns]
    full = [[i for i in range(len(kept)) if not is_zero(kept[i, j])] for j in range(len(columns))]
    work = sum(len(set(a) & set(b)) for a in full for b in full)
    G = matmul(kept.T, kept, written_out=len(kept) * len(columns) ** 2 if work <= _WRITTEN_OUT else 512)
    rows: Sequence[int] = columns
    for a, i in enumerate(rows):
        for b, j in enumerate(rows):
            H[i, j] = _known(scale * _known(G[max(a, b), min(a, b)]))
    return H


def _known(x: Any) -> Any:
    """x, or the number that it is whatever the state."""
    return x.graph.values.get(x.index, x) if isinstance(x, Symbol) else x
