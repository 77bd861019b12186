"""From where a search ended to what it found."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..model import ModelWarning
from ..worlds import Plant
from .identified import Identified, Residuals
from .levenberg_marquardt import Minimum
from .parameter_space import ParameterSpace
from .recording import Array
from .singular_directions import covariance_of


def fit_result(
    plant: Plant,
    space: ParameterSpace,
    end: Minimum,
    J: Array,
    residuals: tuple[Residuals, ...],
    *,
    freedom: float | None,
    by: str,
    predictor: Any = None,
) -> Identified:
    """What was found at the end of a search, J (m, k) being rows of unit variance by the coordinates there.

    freedom: of the residuals that the noise was estimated from; None where it was told.
    """
    θ = end.θ
    held = (θ <= space.lower) | (θ >= space.upper)
    slopes = space.slopes(θ)
    covariance, singular = covariance_of(
        J[:, ~held], slopes[:, ~held], space.sizes[~held], plant.parameter_names
    )
    fixed = np.abs(slopes[:, ~held]).max(axis=1, initial=0.0) == 0
    at_bound = tuple(name for name, one in zip(plant.parameter_names, fixed, strict=True) if one)
    if not end.converged:
        text = f"identify: not converged after {end.iterations} iterations"
        warnings.warn(text, ModelWarning, stacklevel=5)
    return Identified(
        plant=plant,
        values=space.values(θ),
        covariance=covariance,
        singular=singular,
        residuals=residuals,
        at_bound=at_bound,
        iterations=end.iterations,
        converged=end.converged,
        cost=end.cost,
        noise_told=freedom is None,
        by=by,
        freedom=freedom,
        predictor=predictor,
    )
