"""Adaptive Runge-Kutta on groups: error in the algebra, step control, dense output (theory.md §16)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.configuration import retract
from ..model import ModelError, Tree
from ..trace import clip, maximum
from .runge_kutta import moved, stages, weighted
from .state import Rate, RightHandSide, State, renormalised
from .tableau import Tableau

#: how much of the step that the error allows is taken, and how fast steps may grow and shrink
SAFETY = 0.9
GROWTH = (0.2, 5.0)
_SMALLEST_ERROR = 1e-10


@dataclass(frozen=True)
class Tolerances:
    """What an error of one step may be.

    configuration: along each DoF (m, rad), absolute: a place on a group has no size.
    velocity, state: of velocities (m/s, rad/s) and of states of actuators, absolute; `relative` times their size
    is added.
    """

    configuration: float = 1e-9
    velocity: float = 1e-9
    state: float = 1e-9
    relative: float = 1e-9

    def __post_init__(self) -> None:
        for name in ("configuration", "velocity", "state", "relative"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
                raise ModelError.single(
                    "Tolerances", name, expected="a number between 0 and 1", given=repr(value)
                )


class Attempt(NamedTuple):
    """A tried step: the state reached, its rates (the next step's first slope), the error (...) that should be ≤ 1,
    and the slopes of all stages, with v pulled back to the algebra at the step's start."""

    state: State
    rate: Rate
    error: Any
    slopes: list[Rate]


def attempt(
    tableau: Tableau,
    tree: Tree,
    f: RightHandSide,
    t: Any,
    y: State,
    h: Any,
    first: Rate,
    tolerances: Tolerances,
) -> Attempt:
    """Try a step of size h (..., 1) from y at t (..., 1); `first` is f(t, y).

    The tableau's last stage is the next step's first. Its v as it is starts the next step: pulled back, it belongs
    to the algebra at this one's start.
    """
    seen: list[Rate] = []

    def watched(at: Any, state: State) -> Rate:
        seen.append(f(at, state))
        return seen[-1]

    slopes = stages(tableau, tree, watched, t, y, h, first=first)
    after = moved(tree, y, slopes, tableau.b, h)
    after = after._replace(q=renormalised(tree, after.q))
    return Attempt(after, seen[-1], _error(tableau, y, after, slopes, h, tolerances), slopes)


def dense(tableau: Tableau, tree: Tree, y: State, slopes: Sequence[Rate], h: Any, s: Any) -> State:
    """The state at the fraction s (..., 1) of a step of size h (..., 1) from y: q exp(h Σ b_i(s) k_i)."""
    assert tableau.dense is not None
    weights = [_polynomial(row, s) for row in tableau.dense]
    sums = [_summed([k[part] for k in slopes], weights) for part in range(3)]
    at = State(retract(tree, y.q, h * sums[0]), y.w + h * sums[1], y.x + h * sums[2])
    return at._replace(q=renormalised(tree, at.q))


def next_step(tableau: Tableau, h: Any, error: Any) -> Any:
    """The step size (...) to try next after one of size h (...) with this error (...)."""
    factor = SAFETY * np.exp(np.log(maximum(error, _SMALLEST_ERROR)) * (-1.0 / tableau.order))
    return h * clip(factor, *GROWTH)


def _error(
    tableau: Tableau, y: State, after: State, slopes: Sequence[Rate], h: Any, tolerances: Tolerances
) -> Any:
    """The largest of the root mean squares of h Σ (b − b̂)_i k_i in the algebra, and in w and x."""
    assert tableau.error is not None
    off = [h * weighted([k[part] for k in slopes], tableau.error, like=y[part]) for part in range(3)]
    scales = (tolerances.configuration, tolerances.velocity, tolerances.state)
    sizes = (0.0, maximum(np.abs(y.w), np.abs(after.w)), maximum(np.abs(y.x), np.abs(after.x)))
    norms = [
        np.sqrt(((e / (scale + tolerances.relative * size)) ** 2).sum(axis=-1) / e.shape[-1])
        for e, scale, size in zip(off, scales, sizes, strict=True)
        if e.shape[-1]
    ]
    largest = norms[0]
    for norm in norms[1:]:
        largest = maximum(largest, norm)
    return largest


def _polynomial(coefficients: Sequence[float], s: Any) -> Any:
    """Σ_p c_p s^(p+1)."""
    total = 0.0
    for c in reversed(coefficients):
        total = (total + c) * s
    return total


def _summed(values: Sequence[np.ndarray], weights: Sequence[Any]) -> np.ndarray:
    terms = [b * k for b, k in zip(weights, values, strict=True)]
    return np.asarray(sum(terms[1:], terms[0]))
