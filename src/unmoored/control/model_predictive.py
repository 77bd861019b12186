"""Model predictive control: at every control period some iterations of `optimize` from where the plant is."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from ..lie.arrays import join
from ..model import ModelError
from ..model.value import replace_arrays
from ..planning.backward_pass import (
    Hessian,
    ended,
    entries_in,
    lower_runs,
    policy_input,
    split_policy,
    stepped_back,
    values_size,
)
from ..planning.costs import Cost, Terms, as_terms
from ..planning.problem_checks import FAR, array, check_plant, count, limits_of_inputs
from ..planning.shooting import Shooting
from ..trace import equal, less, repeat, repeat_rows, where
from ..worlds.gains import gains_of
from ..worlds.law import Law, Seen
from ..worlds.plants.plant_step import suitable_method

_WHERE = "ModelPredictive"


class ModelPredictive(Law):
    """A law that gives the first input of a motion of least cost over `periods` control periods ahead, found anew each.

    plant: the model that it predicts with.  running, final: terms of the cost as in `um.optimize`; their numbers
    (targets, weights) are gains of the law, "final.0.pose" and so on, which may differ by sample and change between
    runs, and in a stepper at any time (`Stepper.tune`).
    Limits on states are penalties (`planning.Penalty`).  input_limits: (lowest, highest), each (nu,), within those
    of the actuators, which count anyway.
    iterations: of the method at every period, from the inputs found before, moved on by one period.  lengths: how many
    step lengths 1, ½, … each tries; none is taken that does not lower the cost.  steps: of the integrator `method` in
    each period.  first: inputs (nu,) that it begins with.  regularization: μ of docs/optimize.md.

    All of it runs inside the kernel, for every sample of a batch. Memory: the inputs u (periods, nu) to come, the cost
    of the motion found, and by how much the period's iterations have lowered it.
    """

    plant: Any
    periods: int
    running: tuple[Cost, ...] = ()
    final: tuple[Cost, ...] = ()
    input_limits: Any = None
    iterations: int = 1
    lengths: int = 4
    steps: int = 1
    method: str = "rkmk4"
    first: Any = None
    regularization: float = 1e-9
    #: the limits, taken apart
    bounded: bool = field(init=False, default=False)
    lowest: Any = field(init=False, default=None)
    highest: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        plant = check_plant(_WHERE, self.plant)
        for name in ("periods", "iterations", "lengths", "steps"):
            count(_WHERE, name, getattr(self, name))
        suitable_method(_WHERE, plant, self.method)
        terms = as_terms(_WHERE, self.running, self.final, ())
        low, high = limits_of_inputs(_WHERE, plant, self.input_limits)
        first = (
            np.clip(0.0, low, high) if self.first is None else array(_WHERE, "first", self.first, (plant.nu,))
        )
        if not np.all((first >= low) & (first <= high)):
            raise ModelError.single(
                _WHERE, "first", expected="inputs within their limits", given=repr(self.first)
            )
        replace_arrays(
            self,
            running=terms.running,
            final=terms.final,
            input_limits=None,
            first=first,
            bounded=bool(np.any(low > -FAR) or np.any(high < FAR)),
            lowest=low,
            highest=high,
        )

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return dict.fromkeys(("first", "lowest", "highest"), (self.plant.nu,))

    @property
    def memory(self) -> dict[str, Any]:
        """Inputs to come, cost of the motion, and what the last period's iterations have gained."""
        return {"u": np.tile(self.first, (self.periods, 1)), "cost": 0.0, "gained": 0.0}

    def __call__(self, seen: Seen, memory: Any) -> tuple[Any, dict[str, Any]]:
        terms = Terms(self.running, self.final)
        shooting = Shooting(self.plant, self.method, self.steps, terms, self.bounded)
        gains = [np.reshape(np.asarray(g.values), -1) for g in gains_of(terms)]
        params = join([np.array([seen.period, 1.0, 0.0]), np.asarray(seen.p), *gains])
        w = self.plant.velocities.independent(seen.q, seen.v)
        y = join([part for part in (seen.q, w, seen.x) if np.shape(part)[-1]])
        y = shooting.closed(seen.t, y, params)  # what is seen may be beside the closures
        horizon = _Horizon(self, shooting, params, seen.t, seen.period, y)
        U, cost, start = repeat(horizon.improved, (memory["u"], 0.0, 0.0), self.iterations)
        return U[0], {"u": np.concatenate([U[1:], U[-1:]]), "cost": cost, "gained": start - cost}


class _Horizon:
    """The problem of one control period, from the state y at time t."""

    def __init__(
        self, law: ModelPredictive, shooting: Shooting, params: np.ndarray, t: Any, period: Any, y: np.ndarray
    ) -> None:
        self.law, self.shooting, self.params, self.y = law, shooting, params, y
        self.time = lambda k: t + k * period
        self.limits = (law.lowest, law.highest) if law.bounded else None

    def improved(self, i: Any, carry: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        """An iteration: inputs (N, m), the cost of their motion, and the cost before the first iteration."""
        U, _, start = carry
        Y, end, cost = self._motion(U)
        policies = self._policies(Y, U, end)
        rows = np.concatenate([Y, U, policies], axis=1)

        def tried(_: Any, best: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
            ε, least, found = best
            new, total = self._followed(rows, ε)
            better = less(total, least)
            return 0.5 * ε, where(better, total, least), where(better, new, found)

        _, least, found = repeat(tried, (1.0, cost, U), self.law.lengths)
        return found, least, where(equal(i, 0), cost, start)

    def _cost(self, t: Any, y: np.ndarray, u: np.ndarray | None) -> Any:
        return self.shooting.cost(t, y, u, np.zeros(0), self.params)[0]

    def _motion(self, U: np.ndarray) -> tuple[np.ndarray, np.ndarray, Any]:
        """States (N, ny) of the motion with inputs U (N, m), the last one, and the cost."""

        def step(k: Any, carry: tuple[np.ndarray, Any], u: np.ndarray) -> tuple[Any, np.ndarray]:
            y, total = carry
            t = self.time(k)
            return (self.shooting.advanced(t, y, u, self.params), total + self._cost(t, y, u)), y

        (end, total), Y = repeat_rows(step, (self.y, 0.0), U)
        return Y, end, total + self._cost(self.time(float(len(U))), end, None)

    def _policies(self, Y: np.ndarray, U: np.ndarray, end: np.ndarray) -> np.ndarray:
        """(K, κ) flat of every node."""
        s, law, size = self.shooting, self.law, values_size(self.shooting.n)
        last = s.expanded(self.time(float(len(U))), end, None, np.zeros(0), self.params)

        def back(k: Any, vector: np.ndarray, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            y, u, t = row[: s.ny], row[s.ny :], self.time(k)
            _, D = s.linearised(t, y, u, self.params)
            found = s.expanded(t, y, u, np.zeros(0), self.params)
            runs = lower_runs(found.H)
            room = None if self.limits is None else (self.limits[0] - u, self.limits[1] - u)
            new = stepped_back(
                vector,
                D,
                Hessian(entries_in(found.H, runs), runs),
                found.l,
                np.zeros(s.n),
                law.regularization,
                room,
                s.step_matrix,
            )
            return new[:size], new[size:-1]

        return repeat_rows(back, ended(last.H, last.l), np.concatenate([Y, U], axis=1), down=True)[1]

    def _followed(self, rows: np.ndarray, ε: Any) -> tuple[np.ndarray, Any]:
        """Inputs (N, m) of the policies with a step of length ε, and the cost of their motion."""
        s = self.shooting
        ny, m, n = s.ny, s.m, s.n

        def step(k: Any, carry: tuple[np.ndarray, Any], row: np.ndarray) -> tuple[Any, np.ndarray]:
            y, total = carry
            policy = split_policy(row[ny + m :], n, m)
            u = policy_input(row[ny : ny + m], s.difference(row[:ny], y), policy, ε, self.limits)
            t = self.time(k)
            return (s.advanced(t, y, u, self.params), total + self._cost(t, y, u)), u

        (end, total), U = repeat_rows(step, (self.y, 0.0), rows)
        return U, total + self._cost(self.time(float(len(rows))), end, None)
