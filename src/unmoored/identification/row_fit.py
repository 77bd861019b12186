"""A fit of equations that hold row by row, with noise in all that was recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..error_roots import warn
from ..model import ModelWarning
from ..worlds import Plant
from .equations import Equation
from .fit_result import fit_result
from .identified import Identified, Residuals
from .levenberg_marquardt import minimise, with_prior
from .noisy_rows import Hidden, NoisyRows, rows_of
from .parameter_space import ParameterSpace
from .recorded_rows import beginning
from .recording import Array, Recording

#: fits with the noise rescaled by what is left, where it is not told
_WEIGHINGS = 3


def fit_rows(
    plant: Plant,
    moved: Plant,
    starts: Sequence[float],
    recordings: Sequence[Recording],
    space: ParameterSpace,
    equation: Equation,
    noise: tuple[tuple[str, ...], Array, bool],
    by: str,
    limits: Mapping[str, Any],
) -> Identified:
    """The parameters of a plant; moved: the same with driven joints, at times `starts` later.

    noise: which readings are noisy, their standard deviations (R, m), and whether that is told or only their ratios.
    """
    noisy, deviations, told = noise
    problem = NoisyRows(moved, rows_of(recordings, starts, moved), equation, noisy, deviations)
    θ = beginning(problem, space, limits["iterations"])
    hidden = problem.start(space.values(θ))
    freedom = max(len(problem.rows.t) * len(equation.names) - len(θ) - problem.constants, 1)
    for _ in range(1 if told else _WEIGHINGS):
        end = minimise(problem, space, θ, hidden, **limits)
        θ, hidden = end.θ, end.hidden
        if not told:
            left = problem.cost(space.values(θ), hidden)
            scale = max(np.sqrt(2.0 * left / freedom), 1e-12)
            problem = problem.with_deviations(scale * problem.deviations)
    J, _ = with_prior(space, θ, problem.linearised(space.values(θ), hidden))
    J = _corrected(problem, space, θ, hidden, J)
    residuals = _residuals(problem, recordings, space.values(θ), hidden)
    excess = 2.0 * problem.cost(space.values(θ), hidden) / freedom if told else 1.0
    return fit_result(
        plant, space, end, J, residuals, freedom=None if told else freedom, by=by, excess=excess
    )


def _residuals(
    problem: NoisyRows, recordings: Sequence[Recording], p: Array, hidden: Hidden
) -> tuple[Residuals, ...]:
    w, covariance = problem.misclosures(p, hidden)
    found = []
    for i, recording in enumerate(recordings):
        own = problem.rows.recording == i
        σ = np.sqrt(np.diagonal(covariance[own], axis1=1, axis2=2).mean(axis=0))
        found.append(
            Residuals(recording.name, recording.t[recording.seen], w[own], problem.equation.names, σ)
        )
    return tuple(found)


def _corrected(problem: NoisyRows, space: ParameterSpace, θ: Array, hidden: Hidden, J: Array) -> Array:
    """Rows R (k, k) with (RᵀR)⁻¹ = F⁻¹ G F⁻¹: the covariance with what noise in the rows themselves does to it."""
    F, G = problem.information(space.values(θ), hidden)
    slopes, (_, prior) = space.slopes(θ), space.prior_rows(θ)
    F, G = (slopes.T @ X @ slopes + prior.T @ prior for X in (F, G))
    d = 1.0 / np.sqrt(np.maximum(np.diag(G), 1e-300))
    F, G = d[:, None] * F * d, d[:, None] * G * d
    λ, V = np.linalg.eigh(G)
    if λ[0] <= 1e-14 * λ[-1]:
        return J  # what is not told is told by the rows themselves
    if np.linalg.eigvalsh(F)[0] <= 0.1 * λ[0]:
        text = "identify: noise in the rows is as large as what they tell: the covariance is too small"
        warn(text, ModelWarning)
        return J
    return (V / np.sqrt(λ)).T @ F / d
