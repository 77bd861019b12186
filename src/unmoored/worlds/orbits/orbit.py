"""Where a reference orbit is: a Kepler ellipse, or one that the planet's flattening turns (theory.md §19)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...lie.arrays import scale_vector, vector
from ...model import ModelError
from ...model.value import Value, frozen_array, replace_arrays
from ...trace import greater_equal, where
from ...trace.span_table import SpanTable
from .planet_gravity import flattening_acceleration

_SWEEPS = 5
_KNOTS = 400  # in the time of a turn as fast as at perigee
_LEVELS = (2, 4, 6, 8)


class OrbitPoint(NamedTuple):
    """Position, velocity and acceleration (..., 3) from the planet's centre, in world axes (m, m/s, m/s²)."""

    position: Any
    velocity: Any
    acceleration: Any


@dataclass(frozen=True, eq=False, repr=False)
class Orbit(Value):
    """An orbit about a planet. World axes are those of its ellipse at t = 0: x to perigee, z along the orbit's normal.

    semi_major_axis: (m).  eccentricity: 0 to below 0.95.  true_anomaly_rad: from perigee, at t = 0.
    inclination_rad, argument_of_perigee_rad: of the ellipse to the equator; they count with j2.
    gravitational_parameter: μ (m³/s²), equatorial_radius: (m), of the Earth if not given.
    j2: of the planet's flattening, 1.0826e-3 for the Earth; the orbit then feels it, and is known from t = 0 up to
    `duration` (s); beyond it is not a number.
    """

    semi_major_axis: float
    eccentricity: float = 0.0
    true_anomaly_rad: float = 0.0
    inclination_rad: float = 0.0
    argument_of_perigee_rad: float = 0.0
    gravitational_parameter: float = 3.986004418e14
    equatorial_radius: float = 6378136.6
    j2: float = 0.0
    duration: float | None = None

    def __post_init__(self) -> None:
        for name in (
            "semi_major_axis", "eccentricity", "true_anomaly_rad", "inclination_rad", "argument_of_perigee_rad",
            "gravitational_parameter", "equatorial_radius", "j2",
        ):  # fmt: skip
            number = float(frozen_array(getattr(self, name), (), where="Orbit", what=name))
            replace_arrays(self, **{name: number})
            if name.endswith("_rad") and abs(number) > 2 * np.pi:
                raise ModelError.single("Orbit", name, expected="radians, from −2π to 2π", given=repr(number))
            if name in ("semi_major_axis", "gravitational_parameter", "equatorial_radius") and not number > 0:
                raise ModelError.single("Orbit", name, expected="> 0", given=repr(number))
        if not 0.0 <= self.eccentricity < 0.95:
            raise ModelError.single(
                "Orbit", "eccentricity", expected="from 0 to below 0.95", given=repr(self.eccentricity)
            )
        perigee = self.semi_major_axis * (1.0 - self.eccentricity)
        if not perigee > self.equatorial_radius:
            expected = (
                f"a perigee a(1 − e) above the planet's equatorial_radius, {self.equatorial_radius:.8g} m"
            )
            raise ModelError.single("Orbit", "semi_major_axis", expected=expected, given=f"{perigee:.8g} m")
        if self.duration is not None:
            duration = float(frozen_array(self.duration, (), where="Orbit", what="duration"))
            if not duration > 0:
                raise ModelError.single("Orbit", "duration", expected="> 0 (s)", given=repr(duration))
            replace_arrays(self, duration=duration)
        if self.j2 and self.duration is None:
            expected = "how long it must be known (s): with j2 it is integrated"
            raise ModelError.single("Orbit", "duration", expected=expected, given="None")

    @property
    def mean_motion(self) -> float:
        """n = √(μ/a³) (rad/s)."""
        return float(np.sqrt(self.gravitational_parameter / self.semi_major_axis**3))

    @property
    def period(self) -> float:
        """2π/n (s) of the ellipse."""
        return 2 * np.pi / self.mean_motion

    @property
    def pole(self) -> np.ndarray:
        """The planet's axis (3,) in world axes."""
        i, ω = self.inclination_rad, self.argument_of_perigee_rad
        return np.array([np.sin(i) * np.sin(ω), np.sin(i) * np.cos(ω), np.cos(i)])

    def at(self, t: Any) -> OrbitPoint:
        """The point of the reference orbit at time t (...) [s]."""
        return self._tabulated(t) if self.j2 else self._on_ellipse(t)

    def _on_ellipse(self, t: Any) -> OrbitPoint:
        a, e, n = self.semi_major_axis, self.eccentricity, self.mean_motion
        ν = self.true_anomaly_rad
        E0 = np.arctan2(np.sqrt(1 - e * e) * np.sin(ν), e + np.cos(ν))
        E = eccentric_anomaly(n * np.asarray(t) + (E0 - e * np.sin(E0)), e)
        c, s, b = np.cos(E), np.sin(E), np.sqrt(1 - e * e)
        shrink = 1.0 - e * c
        R = a * vector([c - e, b * s, 0.0 * c])
        V = scale_vector(a * n / shrink, vector([-s, b * c, 0.0 * c]))
        return OrbitPoint(R, V, scale_vector(-(n * n) / shrink**3, R))

    def acceleration(self, R: Any) -> Any:
        """Of free fall (..., 3) at places (..., 3) from the planet's centre."""
        r2 = (R * R).sum(axis=-1)
        falling = scale_vector(-self.gravitational_parameter / (r2 * np.sqrt(r2)), R)
        return falling + flattening_acceleration(self, R)

    def _tabulated(self, t: Any) -> OrbitPoint:
        t = np.asarray(t)
        row = self._polynomials.row(t)
        s = t - row[..., 0]
        c = [row[..., 1 + 3 * k : 4 + 3 * k] for k in range(6)]
        R, V, A = c[5], 5.0 * c[5], 20.0 * c[5]
        for k in range(4, -1, -1):
            R = c[k] + scale_vector(s, R)
            V = k * c[k] + scale_vector(s, V) if k >= 1 else V
            A = k * (k - 1) * c[k] + scale_vector(s, A) if k >= 2 else A
        return OrbitPoint(R, V, A)

    @cached_property
    def _polynomials(self) -> SpanTable:
        """Quintic polynomials between knots, through positions, velocities and accelerations."""
        e = self.eccentricity
        fastest = self.mean_motion * (1 + e) ** 2 / (1 - e * e) ** 1.5  # angular rate at perigee
        assert self.duration is not None
        count = int(np.ceil(self.duration * fastest / (2 * np.pi) * _KNOTS)) + 1
        times = np.linspace(0.0, self.duration, count + 1)
        h = times[1]
        start = self._on_ellipse(0.0)
        y = np.concatenate([np.asarray(start.position), np.asarray(start.velocity)])
        states = [y]
        for _ in range(count):
            y = _extrapolated(self._rate, y, h)
            states.append(y)
        R, V = np.array(states)[:, :3], np.array(states)[:, 3:]
        A = self.acceleration(R)
        c0, c1, c2 = R[:-1], V[:-1], 0.5 * A[:-1]
        dR = R[1:] - (c0 + h * c1 + h * h * c2)
        dV, dA = V[1:] - (c1 + 2 * h * c2), A[1:] - 2 * c2
        c3 = (10 * dR - 4 * h * dV + 0.5 * h * h * dA) / h**3
        c4 = (-15 * dR + 7 * h * dV - h * h * dA) / h**4
        c5 = (6 * dR - 3 * h * dV + 0.5 * h * h * dA) / h**5
        rows = np.hstack([times[:-1, None], c0, c1, c2, c3, c4, c5])
        unknown = np.full((1, rows.shape[1]), np.nan)
        # the last time belongs to the last polynomial
        times = np.concatenate([times[:-1], [np.nextafter(times[-1], np.inf)]])
        return SpanTable(times, np.concatenate([unknown, rows, unknown]))

    def _rate(self, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[3:], self.acceleration(y[:3])])


def eccentric_anomaly(mean: Any, e: float) -> Any:
    """E (...) with E − e sin E = M, for M (...) [rad]: steps of fourth order (Danby) from M + 0.85 e sgn sin M."""
    M = mean - 2 * np.pi * np.floor(mean / (2 * np.pi) + 0.5)
    if not e:
        return M
    E = M + 0.85 * e * where(greater_equal(M, 0.0), 1.0, -1.0)
    for _ in range(_SWEEPS):
        s, c = e * np.sin(E), e * np.cos(E)
        f, slope = E - s - M, 1.0 - c
        d = -f / slope
        d = -f / (slope + 0.5 * d * s)
        E = E - f / (slope + 0.5 * d * s + d * d * c / 6.0)
    return E


def _extrapolated(rate: Any, y: np.ndarray, h: float) -> np.ndarray:
    """A step of the modified midpoint rule, extrapolated to no step size at all (Gragg)."""
    rows: list[np.ndarray] = []
    for j, n in enumerate(_LEVELS):
        s = h / n
        before, now = y, y + s * rate(y)
        for _ in range(n - 1):
            before, now = now, before + 2 * s * rate(now)
        found = [0.5 * (now + before + s * rate(now))]
        for k in range(j):
            found.append(found[k] + (found[k] - rows[k]) / ((n / _LEVELS[j - k - 1]) ** 2 - 1))
        rows = found
    return rows[-1]
