"""How a sea's energy is spread over frequencies (theory.md §20)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from ...model import ModelError
from ...model.field_types import Series
from ...model.value import Value, frozen_array, replace_arrays

_POINTS_IN_BIN = 65
_CELLS = 4096


@dataclass(frozen=True, eq=False, repr=False)
class Spectrum(Value, ABC):
    """One-sided spectral density of the surface elevation. Numbers only."""

    @property
    @abstractmethod
    def band(self) -> tuple[float, float]:
        """Frequencies (rad/s) between which practically all energy lies."""

    @abstractmethod
    def density(self, frequency: np.ndarray) -> np.ndarray:
        """S (...) [m² s/rad] at frequencies (...) [rad/s]."""

    def variance(self, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """∫ S dω (...) [m²] from lower to upper (...) [rad/s]."""
        s = np.linspace(0.0, 1.0, _POINTS_IN_BIN)
        lower, upper = np.asarray(lower, dtype=float)[..., None], np.asarray(upper, dtype=float)[..., None]
        ω = lower + s * (upper - lower)
        S = self.density(ω)
        return 0.5 * ((S[..., 1:] + S[..., :-1]) * np.diff(ω, axis=-1)).sum(axis=-1)

    @property
    def cells(self) -> np.ndarray:
        """Edges (n + 1,) [rad/s] of cells of the band, in each of which the density hardly changes."""
        return np.linspace(*self.band, _CELLS + 1)

    @property
    def total(self) -> float:
        """m₀, the variance (m²) of the whole band."""
        return float(self._below()[-1])

    @property
    def peak_frequency(self) -> float:
        """Frequency (rad/s) at which the density is largest."""
        edges = self.cells
        return float(edges[np.argmax(self.density(edges))])

    def moment(self, order: int) -> float:
        """m_k = ∫ ω^k S dω [m² (rad/s)^k] over the band."""
        edges = self.cells
        S = edges**order * self.density(edges)
        return float((0.5 * (S[1:] + S[:-1]) * np.diff(edges)).sum())

    @property
    def zero_crossing_period(self) -> float:
        """2π √(m₀/m₂) (s), the mean time between upward crossings of the mean surface."""
        return float(2 * np.pi * np.sqrt(self.total / self.moment(2)))

    def at_energy(self, share: np.ndarray) -> np.ndarray:
        """Frequencies (...) [rad/s] below which a share (...) from 0 to 1 of the energy lies.

        Of a sea without energy the band is divided evenly.
        """
        edges, below = self.cells, self._below()
        if below[-1] == 0.0:
            return edges[0] + np.asarray(share) * (edges[-1] - edges[0])
        return np.interp(share, below / below[-1], edges)

    def _below(self) -> np.ndarray:
        """∫ S dω (n + 1,) [m²] up to the edge of every cell."""
        edges = self.cells
        S = self.density(edges)
        return np.concatenate([[0.0], np.cumsum(0.5 * (S[1:] + S[:-1]) * np.diff(edges))])


@dataclass(frozen=True, eq=False, repr=False)
class Jonswap(Spectrum):
    """The JONSWAP spectrum of a growing sea.

    significant_height: H_s (m).  peak_period: (s).  peakedness: γ, from 1 (Pierson–Moskowitz) to 7.
    """

    significant_height: float
    peak_period: float
    peakedness: float = 3.3

    def __post_init__(self) -> None:
        for name, smallest in (("significant_height", 0.0), ("peak_period", 0.0), ("peakedness", 1.0)):
            number = float(frozen_array(getattr(self, name), (), where=type(self).__name__, what=name))
            if number < smallest or (number == 0 and name == "peak_period") or number > 1e6:
                expected = f"≥ {smallest:g}" if name != "peak_period" else "> 0 (s)"
                raise ModelError.single(type(self).__name__, name, expected=expected, given=repr(number))
            replace_arrays(self, **{name: number})

    @property
    def band(self) -> tuple[float, float]:
        ω_p = 2 * np.pi / self.peak_period
        return 0.5 * ω_p, 5.0 * ω_p

    @property
    def peak_frequency(self) -> float:
        return 2 * np.pi / self.peak_period

    def density(self, frequency: np.ndarray) -> np.ndarray:
        """(1 − 0.287 ln γ) (5/16) H_s² ω_p⁴ ω⁻⁵ exp(−1.25 (ω_p/ω)⁴) γ^exp(−(ω−ω_p)²/2σ²ω_p²)."""
        ω, ω_p, γ = np.asarray(frequency, dtype=float), 2 * np.pi / self.peak_period, self.peakedness
        σ = np.where(ω <= ω_p, 0.07, 0.09)
        peak = γ ** np.exp(-((ω - ω_p) ** 2) / (2 * σ**2 * ω_p**2))
        scale = (1 - 0.287 * np.log(γ)) * 5 / 16 * self.significant_height**2
        return scale * ω_p**4 / ω**5 * np.exp(-1.25 * (ω_p / ω) ** 4) * peak


@dataclass(frozen=True, eq=False, repr=False)
class PiersonMoskowitz(Jonswap):
    """The spectrum of a fully grown sea: `Jonswap` with peakedness 1."""

    peakedness: float = field(default=1.0, init=False)


@dataclass(frozen=True, eq=False, repr=False)
class TabulatedSpectrum(Spectrum):
    """Densities (n,) [m² s/rad] at increasing frequencies (n,) [rad/s], straight lines between, zero outside."""

    frequencies: Series
    densities: Series

    def __post_init__(self) -> None:
        n = len(np.atleast_1d(self.frequencies))
        ω = frozen_array(self.frequencies, (n,), where="TabulatedSpectrum", what="frequencies")
        S = frozen_array(self.densities, (n,), where="TabulatedSpectrum", what="densities")
        if n < 2 or ω[0] <= 0 or np.any(np.diff(ω) <= 0) or S.min() < 0:
            expected = "two or more increasing frequencies > 0 and densities ≥ 0"
            raise ModelError.single(
                "TabulatedSpectrum", "table", expected=expected, given=f"{ω.tolist()}, {S.tolist()}"
            )
        replace_arrays(self, frequencies=ω, densities=S)

    @property
    def band(self) -> tuple[float, float]:
        return float(self.frequencies[0]), float(self.frequencies[-1])

    @property
    def cells(self) -> np.ndarray:
        ω, parts = self.frequencies, max(1, _CELLS // (len(self.frequencies) - 1))
        inner = ω[:-1, None] + np.arange(parts) / parts * np.diff(ω)[:, None]
        return np.append(inner.ravel(), ω[-1])

    def density(self, frequency: np.ndarray) -> np.ndarray:
        return np.interp(frequency, self.frequencies, self.densities, left=0.0, right=0.0)
