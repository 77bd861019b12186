"""The largest sea in which legs with a given stroke hold a platform on a ship still (theory.md §20)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from ...error_roots import warn
from ...lie import so3
from ...model import ModelError, ModelWarning
from ...model.short_text import short_repr
from ...model.value import Value, frozen_array, replace_arrays
from .beyond_response import beyond, in_words
from .ship_response import ShipResponse, supply_vessel
from .spectra import Spectrum
from .waves import directional_density

_WAVES, _DIRECTIONS = 1000, 61
_FEWEST_WAVES = 10.0


@dataclass(frozen=True, eq=False, repr=False)
class Hexapod(Value):
    """Six legs between points of a ship and of a platform, in the middle of their stroke while the ship is at rest.

    base: (6, 3) on the ship, platform: (6, 3), both in the vehicle's axes at rest (m).
    """

    base: Any
    platform: Any

    def __post_init__(self) -> None:
        base = frozen_array(self.base, (6, 3), where="Hexapod", what="base")
        platform = frozen_array(self.platform, (6, 3), where="Hexapod", what="platform")
        if np.linalg.norm(platform - base, axis=1).min() < 1e-6:
            raise ModelError.single(
                "Hexapod", "legs", expected="legs of some length", given="points that coincide"
            )
        replace_arrays(self, base=base, platform=platform)

    @classmethod
    def of_circles(
        cls,
        base_radius: float,
        platform_radius: float,
        height: float,
        *,
        at: Any = (0.0, 0.0, 0.0),
        base_half_angle_rad: float = 0.0436,
        platform_half_angle_rad: float = 0.1745,
    ) -> Self:
        """Legs in pairs on two circles about vertical axes, the platform's turned by 60°; at: centre of the base (m).

        The joints of a pair lie at ± the half angle from every third of a turn.
        """
        centre = frozen_array(at, (3,), where="Hexapod", what="at")
        below = _circle(base_radius, base_half_angle_rad, 0.0)
        above = _circle(platform_radius, platform_half_angle_rad, np.pi / 3)
        # each leg goes from one pair of the base to the nearer joint of the pair beside it
        return cls(centre + below, centre + np.roll(above, 1, axis=0) + [0.0, 0.0, height])

    @property
    def lengths(self) -> np.ndarray:
        """Of the legs at rest (6,) [m]."""
        return np.linalg.norm(self.platform - self.base, axis=1)

    def lengths_at(self, poses: np.ndarray) -> np.ndarray:
        """Of the legs (..., 6) [m] while the vehicle is at poses (..., 4, 4) and the platform stays: exact."""
        base = self.base @ np.swapaxes(poses[..., :3, :3], -1, -2) + poses[..., None, :3, 3]
        return np.linalg.norm(self.platform - base, axis=-1)

    def per_motion(self, reference: np.ndarray) -> np.ndarray:
        """Change of the lengths (6, 6) per motion (m, rad) of the reference point, for small motions."""
        n = (self.platform - self.base) / self.lengths[:, None]
        return -np.hstack([n, so3.cross(self.base - reference, n)])


def _circle(radius: float, half_angle: float, turn: float) -> np.ndarray:
    angles = turn + np.array([c + s * half_angle for c in 2 * np.pi / 3 * np.arange(3) for s in (-1, 1)])
    return radius * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)


class CompensatedHeight(NamedTuple):
    """significant_height (m) of the largest sea; deviations (6,) of the legs per metre of it (m/m); periods (6,)
    between their upward zero crossings (s); peaks (6,): largest excursion over the deviation; leg: which decides."""

    __repr__ = short_repr

    significant_height: float
    deviations: np.ndarray
    periods: np.ndarray
    peaks: np.ndarray
    leg: int


def largest_compensated_height(
    hexapod: Hexapod,
    stroke: float,
    spectrum: Spectrum,
    *,
    heading_rad: float = np.pi,
    response: ShipResponse | None = None,
    reference: Any = (0.0, 0.0, 0.0),
    spreading: float | None = None,
    duration: float = 1200.0,
    risk: float | None = None,
) -> CompensatedHeight:
    """The significant wave height (m) up to which legs with a stroke (m) hold a platform still on a ship in waves.

    spectrum: its shape counts, not its height.  response, reference, heading_rad, spreading: as in `Sea`.
    duration: (s) of the work. The legs' excursions are Gaussian with peaks after Rayleigh: the most probable largest
    one in the duration fits into half the stroke, or, with a risk from 0 to 1, one exceeded with that probability.
    Linear in the motions; speeds and forces of the legs, slow drift and positioning are not asked for.
    """
    where = "largest_compensated_height"
    for name, number in (("stroke", stroke), ("duration", duration)):
        if not float(frozen_array(number, (), where=where, what=name)) > 0:
            raise ModelError.single(where, name, expected="> 0", given=repr(number))
    if risk is not None and not 0.0 < risk < 1.0:
        raise ModelError.single(where, "risk", expected="between 0 and 1, or None", given=repr(risk))
    if abs(float(frozen_array(heading_rad, (), where=where, what="heading_rad"))) > 2 * np.pi:
        raise ModelError.single(
            where, "heading_rad", expected="radians, from −2π to 2π", given=repr(heading_rad)
        )
    if not spectrum.moment(0) > 0:
        raise ModelError.single(where, "spectrum", expected="waves of some height", given=repr(spectrum))
    ship = supply_vessel() if response is None else response
    if not isinstance(ship, ShipResponse):
        raise ModelError.single(where, "response", expected="a ShipResponse, or None", given=repr(response))
    point = frozen_array(reference, (3,), where=where, what="reference")
    ω = spectrum.at_energy((np.arange(_WAVES) + 0.5) / _WAVES)
    angles, shares = _directions(spreading)
    told = in_words(beyond(ship, spectrum, 1.0, heading_rad + angles[shares > 0.1 * shares.max()]), ship)
    if told:
        warn(f"{where}: a ship's response that is too short: {'; '.join(told)}", ModelWarning)
    legs = hexapod.per_motion(point)
    squares = [np.abs(ship.at(heading_rad + angle, ω) @ legs.T) ** 2 for angle in angles]
    square = np.einsum("d,dnk->nk", shares, squares) / 16.0 / _WAVES  # of waves with 4√m₀ = 1 m
    variance, of_speed = square.sum(axis=0), (ω[:, None] ** 2 * square).sum(axis=0)
    if not variance.max() > 0:
        raise ModelError.single(where, "ship", expected="one that moves", given="none does")
    deviations = np.sqrt(variance)
    periods = 2 * np.pi * np.sqrt(variance / np.where(of_speed > 0, of_speed, 1.0))
    often = 1.0 if risk is None else -np.log1p(-risk)
    shortest = periods.max() * max(_FEWEST_WAVES, np.e * often)  # a largest of fewer has no such distribution
    if duration < shortest:
        raise ModelError.single(
            where, "duration", expected=f"many waves: {shortest:.4g} s or more", given=repr(duration)
        )
    crossings = duration / np.where(periods > 0, periods, duration)
    peaks = np.sqrt(2.0 * np.log(np.maximum(crossings / often, 1.0 + 1e-12)))
    leg = int(np.argmax(deviations * peaks))
    return CompensatedHeight(
        float(0.5 * stroke / (deviations[leg] * peaks[leg])), deviations, periods, peaks, leg
    )


def _directions(spreading: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Angles off the heading (rad) and their shares of the energy."""
    if spreading is None:
        return np.zeros(1), np.ones(1)
    edges = np.linspace(-np.pi / 2, np.pi / 2, _DIRECTIONS + 1)
    middles = 0.5 * (edges[1:] + edges[:-1])
    shares = directional_density(middles, spreading)
    return middles, shares / shares.sum()
