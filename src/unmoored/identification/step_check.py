"""Whether the steps of a fit were short enough: what half of them would have found, told where that is another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..error_roots import warn
from ..model import ModelWarning
from .parameter_space import ParameterSpace
from .recording import Array
from .singular_directions import covariance_of, spectrum

#: changes that are told are more than these shares of a standard error, and of the number's size
_SURE, _SIZE = 0.3, 1e-3


class Rows(NamedTuple):
    """Equations about θ, of unit variance, with what was known beforehand: slopes J (m, k), residuals r (m,)."""

    J: Array
    r: Array


def warn_of_long_steps(
    names: tuple[str, ...], space: ParameterSpace, θ: Array, step: float, own: Rows, finer: Rows
) -> None:
    """Names the number that half the `step` (s) changes most, if that is more than the noise lets it be known to.

    own: at the end θ (k,) of a search.  finer: there, with half the step.
    """
    free = (θ > space.lower) & (θ < space.upper)
    if not free.any() or not all(np.isfinite(part).all() for part in finer):
        return
    slopes, values = space.slopes(θ)[:, free], space.values(θ)
    δ = _towards(finer, free, space) - _towards(own, free, space)
    δ /= max(1.0, float((np.abs(δ) / space.reach[free]).max()))  # as far as one step of the search goes
    there = θ.copy()
    there[free] += δ
    change = space.values(np.clip(there, space.lower, space.upper)) - values
    C, _ = covariance_of(own.J[:, free], slopes, space.sizes[free], names)
    σ = np.sqrt(np.diag(C))
    sizes = np.maximum(np.abs(values), np.abs(slopes) @ space.sizes[free])
    counts = (σ > 0) & (np.abs(change) > _SIZE * sizes)
    share = np.where(counts, np.abs(change) / np.where(counts, σ, 1.0), 0.0)
    k = int(np.argmax(share))
    if share[k] <= _SURE:
        return
    text = (
        f"identify: steps of {step:.3g} s are too long for these motions: with half of them {names[k]} would be about "
        f"{values[k] + change[k]:.4g}, not {values[k]:.4g} ({share[k]:.2g} standard errors): give "
        f"step={0.5 * step:.3g}, or less if that is told again"
    )
    warn(text, ModelWarning)


def _towards(rows: Rows, free: np.ndarray, space: ParameterSpace) -> Array:
    """The step of least squares (k',) along free coordinates, in directions that are told."""
    at = spectrum(rows.J[:, free], space.sizes[free])
    onto = at.U[: len(rows.r), at.told].T @ rows.r
    return -(at.V[:, at.told] @ (onto / at.values[at.told])) / at.scale
