"""What `identify` found: values, how sure, and how well they tell the recordings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..model.value import checked_numbers
from ..system import System
from ..worlds import Plant
from .confidence import squared_radius
from .fit_views import FitViews
from .recording import Array, wrong
from .singular_directions import SingularDirection


class Residuals(NamedTuple):
    """What is left of one recording: t (T,) [s], values (T, k), measured less modelled; names (k); deviations (k,):
    standard deviations that were told or estimated."""

    recording: str
    t: Array
    values: Array
    names: tuple[str, ...]
    deviations: Array

    @property
    def rms(self) -> Array:
        """Root mean square (k,) of each entry."""
        return np.sqrt((self.values**2).mean(axis=0))


@dataclass(frozen=True, eq=False, repr=False)
class Identified(FitViews):
    """Free numbers of a plant from recordings.

    values (n,), names (n): as the plant's `parameter_names`.  covariance (n, n): infinite on the diagonal where the
    recordings do not tell a number (see `singular`); it is what noise makes, not what a wrong model makes.
    singular: directions that the recordings do not tell, with names.  residuals: of every recording.
    at_bound: names of numbers that a bound holds; they have no variance.
    plant: with these numbers free; `plant.nominal_parameters` is what they were.
    cost: ½ Σ of squares in standard deviations.  noise_told: whether the noise was told or estimated.
    freedom: degrees of freedom of the residuals that the noise was estimated from; None where it was told.
    """

    plant: Plant
    values: Array
    covariance: Array
    singular: tuple[SingularDirection, ...]
    residuals: tuple[Residuals, ...]
    at_bound: tuple[str, ...]
    iterations: int
    converged: bool
    cost: float
    noise_told: bool
    by: str
    freedom: float | None = None
    predictor: Callable[..., Any] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Of the values."""
        return self.plant.parameter_names

    @cached_property
    def parameters(self) -> dict[str, Array]:
        """{name: value} in the shapes of the fields, for `simulate(parameters=…)`."""
        return {x.name: np.array(x.of(self.values)) for x in self.plant._declared}

    @cached_property
    def system(self) -> System:
        """The system built with the values of its bodies, joints, fluids and frames."""
        return self.plant.system_at(self.values)

    @property
    def standard_errors(self) -> Array:
        """(n,), infinite where a number is not told."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def correlations(self) -> Array:
        """(n, n), not a number where one is not told, or has no variance."""
        σ = self.standard_errors
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.covariance / σ[:, None] / σ

    def intervals(self, probability: float = 0.95) -> Array:
        """Lowest and highest values (n, 2), each number for itself: Student's t where the noise was estimated."""
        half = np.sqrt(squared_radius(1, self.freedom, probability)) * self.standard_errors
        return np.stack([self.values - half, self.values + half], axis=1)

    def region_holds(self, values: Any, probability: float = 0.95) -> bool:
        """Whether the ellipsoid of this probability about the values found holds others (n,), such as the true ones.

        Its size is χ²'s where the noise was told and Fisher's F's where it was estimated (`freedom`).
        """
        given = checked_numbers(values, where="Identified", what="values")
        if given.shape != self.values.shape:
            raise wrong("Identified", "values", f"shape {self.values.shape}", f"shape {given.shape}")
        off = given - self.values
        told = np.isfinite(np.diag(self.covariance)) & (np.diag(self.covariance) > 0)
        C = self.covariance[np.ix_(told, told)]
        λ, V = np.linalg.eigh(C / np.sqrt(np.outer(np.diag(C), np.diag(C))))
        real = λ > 1e-12 * λ.max()
        z = (V.T @ (off[told] / np.sqrt(np.diag(C))))[real]
        return bool((z**2 / λ[real]).sum() <= squared_radius(int(real.sum()), self.freedom, probability))

    def predict(self, recordings: Any, *, fitted: bool = True) -> tuple[Residuals, ...]:
        """Residuals of recordings that the fit has not seen, whole, from their recorded starts (along settled DoFs from
        the model's own equilibrium); fitted=False: of the plant as it was built."""
        if self.predictor is None:
            raise wrong("Identified", "predict", 'a fit by="trajectories"', f'by="{self.by}"')
        return self.predictor(recordings, self.values if fitted else self.plant.nominal_parameters)

    def __repr__(self) -> str:
        ends = "converged" if self.converged else "NOT converged"
        return f"Identified({len(self.values)} numbers of {self.plant.name}, by {self.by}, {ends} in {self.iterations})"

    def __str__(self) -> str:
        width = max(map(len, self.names))
        lines = [repr(self), f"{'':{width}}  {'as built':>12} {'found':>12} {'± (1σ)':>10}"]
        rows = zip(self.names, self.plant.nominal_parameters, self.values, self.standard_errors, strict=True)
        for name, was, now, σ in rows:
            sure = "at bound" if name in self.at_bound else ("not told" if np.isinf(σ) else f"{σ:10.2g}")
            lines.append(f"{name:{width}}  {was:12.6g} {now:12.6g} {sure:>10}")
        lines += [f"not told: {direction}" for direction in self.singular]
        return "\n".join(lines)
