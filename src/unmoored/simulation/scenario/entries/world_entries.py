"""Worlds in a scenario file: the same names and fields as in Python."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ....model.files.yaml.schema import Entry, Name, Number, Vector
from .entry_types import Count, List, Rows, Seed


class SpaceEntry(Entry):
    """Free fall; with an orbital rate (rad/s), the tide of a circular orbit."""

    type: Literal["Space"]
    orbital_rate: Number = 0.0


class EarthEntry(Entry):
    """Uniform gravity (m/s², world axes)."""

    type: Literal["Earth"]
    gravity: Vector = None


class GroundEntry(Entry):
    """Gravity, and a floor that carries the vehicles."""

    type: Literal["Ground"]
    gravity: Vector = None


class SteadyCurrent(Entry):
    """The same water velocity everywhere (m/s, world axes)."""

    type: Literal["Uniform"]
    velocity: Vector


class DepthCurrent(Entry):
    """Water velocities at depths (m below `surface`), straight lines between them."""

    type: Literal["Sheared"]
    depths: List
    velocities: Rows
    surface: Number = 0.0


class TidalCurrent(Entry):
    """mean + amplitude · sin(2π t / period + phase), the same everywhere (m/s, s, rad)."""

    type: Literal["Oscillating"]
    mean: Vector = (0.0, 0.0, 0.0)
    amplitude: Vector
    period: Number
    phase: Number = 0.0


CurrentEntry = Annotated[SteadyCurrent | DepthCurrent | TidalCurrent, Field(discriminator="type")]


class OceanEntry(Entry):
    """Deep water: density (kg/m³), gravity (m/s²) and a current."""

    type: Literal["Ocean"]
    current: CurrentEntry = None  # type: ignore[assignment]
    density: Number = None
    gravity: Vector = None


class JonswapEntry(Entry):
    """JONSWAP: significant height (m), peak period (s), peakedness."""

    type: Literal["Jonswap"]
    significant_height: Number
    peak_period: Number
    peakedness: Number = 3.3


class PiersonMoskowitzEntry(Entry):
    """Pierson–Moskowitz: significant height (m), peak period (s)."""

    type: Literal["PiersonMoskowitz"]
    significant_height: Number
    peak_period: Number


class TabulatedEntry(Entry):
    """Spectral densities (m² s/rad) at frequencies (rad/s)."""

    type: Literal["Tabulated"]
    frequencies: List
    densities: List


SpectrumEntry = Annotated[JonswapEntry | PiersonMoskowitzEntry | TabulatedEntry, Field(discriminator="type")]


class SeaEntry(Entry):
    """A sea that moves a ship through its response to waves, and gravity."""

    type: Literal["Sea"]
    spectrum: SpectrumEntry = None  # type: ignore[assignment]
    heading: Number = 180.0
    seed: Seed = 0
    count: Count = 50
    reference: Vector = None
    vehicle: Name = None  # type: ignore[assignment]
    gravity: Vector = None


WorldEntry = Annotated[
    SpaceEntry | EarthEntry | GroundEntry | OceanEntry | SeaEntry, Field(discriminator="type")
]
