"""Munthe-Kaas Runge-Kutta: one engine for every explicit tableau (theory.md §16)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dynamics.configuration import retract
from ..model import Tree
from .state import Rate, RightHandSide, State, pull_back, renormalised
from .tableau import Tableau


def stages(
    tableau: Tableau, tree: Tree, f: RightHandSide, t: Any, y: State, h: Any, first: Rate | None = None
) -> list[Rate]:
    """The slopes k_i of all stages, with v pulled back to the algebra at the step's start.

    Stage i sees (q exp(θ_i), w_i, x_i) with θ_i = h Σ a_ij k_j. `first` is the first slope, if known already.
    """
    slopes: list[Rate] = [] if first is None else [first]
    for a, c in list(zip(tableau.a, tableau.c, strict=True))[len(slopes) :]:
        θ = h * weighted([k.v for k in slopes], a, like=y.w) if slopes else None
        at = y if θ is None else moved(tree, y, slopes, a, h)
        rate = f(t + c * h, at)
        slopes.append(rate if θ is None else rate._replace(v=pull_back(tree, θ, rate.v)))
    return slopes


def moved(tree: Tree, y: State, slopes: Sequence[Rate], weights: Sequence[float], h: Any) -> State:
    """(q exp(h Σ b_i k_i), w + h Σ b_i ẇ_i, x + h Σ b_i ẋ_i)."""
    return State(
        retract(tree, y.q, h * weighted([k.v for k in slopes], weights, like=y.w)),
        y.w + h * weighted([k.w_dot for k in slopes], weights, like=y.w),
        y.x + h * weighted([k.x_dot for k in slopes], weights, like=y.x),
    )


def weighted(values: Sequence[np.ndarray], weights: Sequence[float], *, like: np.ndarray) -> np.ndarray:
    """Σ b_i k_i over the non-zero weights."""
    terms = [b * k for b, k in zip(weights, values, strict=False) if b != 0.0]
    return sum(terms[1:], terms[0]) if terms else 0.0 * like


def runge_kutta_step(
    tableau: Tableau, tree: Tree, f: RightHandSide, t: Any, y: State, h: Any, first: Rate | None = None
) -> State:
    """One step of size h (s) from the state y at time t (s); first: the slope there, if known already."""
    y = moved(tree, y, stages(tableau, tree, f, t, y, h, first), tableau.b, h)
    return y._replace(q=renormalised(tree, y.q))
