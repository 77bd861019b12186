"""A ship in a seaway: its motion is prescribed, a sum of waves filtered by the ship (theory.md §14, §20)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from ...error_roots import warn
from ...lie.arrays import scale_vector
from ...model import ModelError, ModelWarning, Tree
from ...model.errors import unknown_name
from ...model.field_types import Number, Series, TableText, Vector
from ...model.renamed import renamed_fields
from ...model.value import frozen_array, replace_arrays
from ..earth import Earth
from ..prescribed_motion import Trajectory, as_trajectory
from ..world import STANDARD_GRAVITY
from .beyond_response import Beyond, beyond, in_words
from .ship_response import BUILT_IN, ShipResponse, supply_vessel
from .spectra import Jonswap, Spectrum
from .wave_motion import WaveMotion
from .waves import Waves, phases


@renamed_fields(heading="heading_rad, in radians: math.radians(…)")
@dataclass(frozen=True, eq=False, repr=False)
class Sea(Earth):
    """A sea that moves a ship, and gravity. The ship does not feel its arm; `Plant.reactions` tells what it would.

    spectrum: of the waves, `Jonswap`, `PiersonMoskowitz` or `TabulatedSpectrum`.
    seed, count: of the waves drawn from it.
    heading_rad: clockwise from above, from the ship's x axis to where the waves go: π is a head sea.
    response: of the ship to waves: a `ShipResponse`, "supply_vessel" (if None), "s175", a file,
    or the text of a CSV file.
    reference: the point (3,) of the vehicle (m, its axes) that the response is given for.
    trajectory: any motion of the ship instead of all these, a `Trajectory` or a function t ↦ pose (4, 4).
    vehicle: the ship's name, needed if there are several vehicles.
    spreading: exponent s of short crests, energy as cos^2s within ±90° of the heading; None: long-crested.
    significant_height: 4√m₀ (m) of the waves, that of the spectrum if None; another one scales the waves.
    peak_period: (s), that of the spectrum if None; another one makes all periods longer or shorter in proportion.
    The last two, "sea.phases" (count) and, where the response knows all headings, "sea.heading_rad" can be free and
    vary the sea from sample to sample; `phases_of(seed)` gives values.
    """

    gravity: Vector = field(default=STANDARD_GRAVITY, kw_only=True)
    spectrum: Spectrum = field(default_factory=lambda: Jonswap(2.0, 8.0))
    heading_rad: float = np.pi
    seed: int = 0
    count: int = 50
    response: Annotated[ShipResponse | str | None, TableText] = None
    reference: Vector = (0.0, 0.0, 0.0)
    trajectory: Trajectory | Callable[[Any], Any] | None = None
    vehicle: str | None = None
    phases: Series = None
    spreading: Number = None
    significant_height: Number = None
    peak_period: Number = None

    #: fields that a scenario file may give as the path of a file, and how that is read
    files: ClassVar[Mapping[str, Callable[[Path], Any]]] = {"response": ShipResponse.read}

    def __post_init__(self) -> None:
        super().__post_init__()
        reference = frozen_array(self.reference, (3,), where="Sea", what="reference")
        heading = float(frozen_array(self.heading_rad, (), where="Sea", what="heading_rad"))
        if abs(heading) > 2 * np.pi:
            raise ModelError.single(
                "Sea", "heading_rad", expected="radians, from −2π to 2π", given=repr(self.heading_rad)
            )
        replace_arrays(self, reference=reference, heading_rad=heading, response=_response(self.response))
        if self.trajectory is not None:
            replace_arrays(self, trajectory=as_trajectory("Sea", self.trajectory))
        waves = Waves(self.spectrum, self.seed, self.count, self.spreading)
        drawn = waves.phases if self.phases is None else self.phases
        replace_arrays(
            self,
            spreading=waves.spreading,
            phases=frozen_array(drawn, (self.count,), where="Sea", what="phases"),
            significant_height=self._number("significant_height", 4.0 * np.sqrt(self.spectrum.total), 0.0),
            peak_period=self._number("peak_period", self._drawn_period, np.nextafter(0.0, 1.0)),
        )
        self._ship.check(self.heading_rad + waves.directions)
        if self.trajectory is None:
            self.warn_of_waves_beyond(self.peak_period)

    def beyond_response(self, peak_period: float | None = None) -> Beyond:
        """What of the sea lies outside the frequencies of the ship's response, with its or another peak period (s)."""
        stretched = self._drawn_period / (self.peak_period if peak_period is None else peak_period)
        return beyond(self._ship, self.spectrum, stretched, self.heading_rad + self.waves.directions)

    def warn_of_waves_beyond(self, peak_period: float) -> None:
        """Warn if they are a part of the motion that counts: 0.02 of a variance is lost above, or 0.1 made up below."""
        found = in_words(self.beyond_response(peak_period), self._ship) if self.spectrum.total > 0.0 else []
        if found:
            text = f"Sea: peak period {peak_period:.4g} s, a ship's response that is too short: {'; '.join(found)}"
            warn(text, ModelWarning)

    def _number(self, name: str, default: float, least: float) -> float:
        given = getattr(self, name)
        number = float(frozen_array(default if given is None else given, (), where="Sea", what=name))
        if number < least:
            expected = "≥ 0 (m)" if name == "significant_height" else "> 0 (s)"
            raise ModelError.single("Sea", name, expected=expected, given=repr(given))
        return number

    @property
    def structure(self) -> tuple[str, ...]:  # type: ignore[override]
        """Fields that are numbers but choose the code: they cannot be free."""
        heading = () if self._ship.covers_all_headings else ("heading_rad",)
        return (*heading, "reference", "spreading")

    @property
    def _ship(self) -> ShipResponse:
        assert isinstance(self.response, ShipResponse)
        return self.response

    @property
    def _drawn_period(self) -> float:
        """Peak period (s) of the spectrum that the waves are drawn from."""
        return 2 * np.pi / self.spectrum.peak_frequency

    @property
    def waves(self) -> Waves:
        """The waves as drawn from the spectrum; `frequencies`, `amplitude` and `headings` are those that act."""
        return Waves(self.spectrum, self.seed, self.count, self.spreading)

    @property
    def frequencies(self) -> Any:
        """Frequencies (count,) [rad/s] of the waves."""
        return scale_vector(self._drawn_period / self.peak_period, self.waves.frequencies)

    @property
    def amplitude(self) -> Any:
        """Amplitude () [m] of each wave; they have the same energy."""
        return self.significant_height / 4.0 * np.sqrt(2.0 / self.count)

    @property
    def headings(self) -> Any:
        """Where each wave goes (count,) [rad], clockwise from above, from the ship's x axis."""
        return np.asarray(self.heading_rad)[..., None] + self.waves.directions

    def phases_of(self, seed: int) -> np.ndarray:
        """Values (count,) of the parameter "sea.phases" for another seed."""
        return phases(seed, self.count)

    def elevation(self, t: Any, at: Any = (0.0, 0.0)) -> np.ndarray:
        """Height of the surface (...) [m] at times t (...) [s] and places (..., 2) [m] from the ship's reference point.

        x is the ship's forward and y its left; the water is deep: wave numbers are ω²/g.
        """
        ω, heading, at = self.frequencies, self.headings, np.asarray(at, dtype=float)
        g = np.linalg.norm(self.gravity)
        if not g and np.any(at != 0.0):
            raise ModelError.single(
                "Sea", "elevation", expected="gravity, for waves that travel", given="none"
            )
        along = at[..., :1] * np.cos(heading) - at[..., 1:] * np.sin(heading)
        k = ω**2 / g if g else 0.0
        return self.amplitude * np.cos(ω * np.asarray(t)[..., None] - k * along + self.phases).sum(axis=-1)

    def prescribed(self, tree: Tree) -> Mapping[str, Trajectory]:
        """The ship's motion."""
        name = self.vehicle or (tree.vehicles[0] if len(tree.vehicles) == 1 else "")
        if name not in tree.vehicles:
            raise unknown_name("Sea", "vehicle (say which: vehicle=…)", name, tree.vehicles)
        return {name: self.ship_motion}

    @property
    def ship_motion(self) -> Trajectory:
        """The ship's motion over time: the trajectory given, or the waves through the response."""
        if isinstance(self.trajectory, Trajectory):
            return self.trajectory
        ω = self.frequencies
        real, imaginary = self._ship.parts_at(self.headings, ω)
        return WaveMotion(ω, self.phases, real, imaginary, self.reference, self.amplitude)


def is_path(text: str) -> bool:
    """Whether a text names a file: one line, with an ending."""
    return "\n" not in text and bool(Path(text).suffix)


def _response(given: Any) -> ShipResponse:
    """The response of a ship by itself, by its name or by its file."""
    if given is None:
        return supply_vessel()
    if isinstance(given, str | Path):
        if str(given) in BUILT_IN:
            return BUILT_IN[str(given)]()
        if isinstance(given, str) and "\n" in given:
            return ShipResponse.of_csv(given)
        if not is_path(str(given)):
            raise unknown_name("Sea", "response", str(given), [*BUILT_IN, "a file"])
        return ShipResponse.read(given)
    if not isinstance(given, ShipResponse):
        raise ModelError.single(
            "Sea", "response", expected="a ShipResponse, or its name or file", given=repr(given)
        )
    return given
