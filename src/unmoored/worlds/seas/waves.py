"""Waves drawn from a spectrum, long- or short-crested (theory.md §20)."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import lgamma

import numpy as np

from ...model import ModelError
from ...model.limits import limits
from ...model.value import Value, frozen_array, replace_arrays
from .spectra import Spectrum

_CELLS = 4096
_NARROWEST = 1e6  # exponent of a sea that is all but long-crested


@dataclass(frozen=True, eq=False, repr=False)
class Waves(Value):
    """A sea as a sum of `count` waves, drawn from a spectrum with a seed.

    The spectrum is cut into bins of equal energy; each has one wave with the bin's energy, a random frequency in it
    (as its energy is spread) and a random phase. No frequency is a multiple of another: the sea has no period, and in
    the mean over seeds it has the spectrum itself (theory.md §20).
    spreading: exponent s of a short-crested sea, whose energy is spread over directions as cos^2s within ±90° of the
    heading, at all frequencies alike; None: long-crested. The directions are cut into bins of equal energy too, and
    dealt out to the waves at random: no two waves share a frequency, so that time averages are those of the sea.
    frequencies, amplitudes, phases, directions: (count,) [rad/s, m, rad, rad off
    the heading, clockwise], at the ship's reference point.
    """

    spectrum: Spectrum
    seed: int = 0
    count: int = 50
    spreading: float | None = None
    frequencies: np.ndarray = field(init=False)
    amplitudes: np.ndarray = field(init=False)
    phases: np.ndarray = field(init=False)
    directions: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.spectrum, Spectrum):
            raise ModelError.single("Sea", "spectrum", expected="a Spectrum", given=repr(self.spectrum))
        for name, least in (("seed", 0), ("count", 1)):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int) or not least <= number < 2**63:
                expected = f"a whole number ≥ {least}"
                raise ModelError.single("Sea", name, expected=expected, given=repr(number))
        limits.check("waves", self.count, "Sea", "count")
        rng = np.random.default_rng([self.seed, 1])
        ω = self.spectrum.at_energy((np.arange(self.count) + rng.uniform(size=self.count)) / self.count)
        a = np.full(self.count, np.sqrt(2 * self.spectrum.total / self.count))
        replace_arrays(self, frequencies=ω, amplitudes=a, phases=phases(self.seed, self.count))
        replace_arrays(self, directions=self._drawn_directions())

    def _drawn_directions(self) -> np.ndarray:
        if self.spreading is None:
            return np.zeros(self.count)
        s = float(frozen_array(self.spreading, (), where="Sea", what="spreading"))
        if not 0.0 <= s <= _NARROWEST:
            expected = f"an exponent from 0 to {_NARROWEST:g}, or None"
            raise ModelError.single("Sea", "spreading", expected=expected, given=repr(self.spreading))
        replace_arrays(self, spreading=s)
        rng = np.random.default_rng([self.seed, 2])
        share = (rng.permutation(self.count) + rng.uniform(size=self.count)) / self.count
        reach = min(np.pi / 2, 12.0 / np.sqrt(2.0 * s)) if s else np.pi / 2  # beyond lie less than e⁻⁷²
        θ = np.linspace(-reach, reach, _CELLS + 1)
        D = directional_density(θ, s)
        below = np.concatenate([[0.0], np.cumsum(0.5 * (D[1:] + D[:-1]))])
        return np.interp(share, below / below[-1], θ)


def directional_density(angle: np.ndarray, spreading: float) -> np.ndarray:
    """D(θ) = Γ(s+1)/(√π Γ(s+½)) cos^2s θ (...) [1/rad] at angles (...) [rad] off the heading, zero beyond ±90°."""
    s, c = spreading, np.cos(angle)
    ahead = (c > 0) & (np.abs(angle) <= np.pi / 2)
    scale = lgamma(s + 1) - lgamma(s + 0.5) - 0.5 * np.log(np.pi)
    return np.where(ahead, np.exp(scale + 2 * s * np.log(np.where(ahead, c, 1.0))), 0.0)


def phases(seed: int, count: int) -> np.ndarray:
    """Random phases (count,) [rad] of a seed."""
    return np.random.default_rng([seed, 0]).uniform(0.0, 2 * np.pi, count)
