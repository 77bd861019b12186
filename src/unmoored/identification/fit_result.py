"""From where a search ended to what it found."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..error_roots import warn
from ..model import ModelWarning
from ..worlds import Plant
from .identified import Identified, Residuals
from .levenberg_marquardt import Minimum
from .parameter_space import ParameterSpace
from .recording import Array
from .singular_directions import covariance_of

#: mean squares of residuals, in those of the noise that was told, beyond which that is called wrong
_EXCESS = 2.25
#: and so many of its standard deviations beyond one, which few rows make large
_CHANCE = 5.0


def fit_result(
    plant: Plant,
    space: ParameterSpace,
    end: Minimum,
    J: Array,
    residuals: tuple[Residuals, ...],
    *,
    freedom: float | None,
    by: str,
    excess: float = 1.0,
    predictor: Any = None,
) -> Identified:
    """What was found at the end of a search, J (m, k) being rows of unit variance by the coordinates there.

    freedom: of the residuals that the noise was estimated from; None where it was told.
    excess: how many times as large as the noise the residuals are, in the mean square.
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
        warn(text, ModelWarning)
    rows = sum(own.values.size for own in residuals)
    if excess > max(_EXCESS, 1.0 + _CHANCE * np.sqrt(2.0 / max(rows - len(θ), 1))):
        text = (
            f"identify: what is left is {np.sqrt(excess):.3g} times the noise that was told: the model is wrong, a "
            "filter's window is too long for the motion, or noise of some readings was not told (q_noise, v_noise, "
            "a_noise, u_noise); the stated errors are too small"
        )
        warn(text, ModelWarning)
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
