"""A ship in a seaway: its motion is prescribed, a sum of waves filtered by the ship (theory.md §14, §20)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..dynamics.forced_base import PrescribedMotion
from ..lie import se3, so3
from ..lie.arrays import apply, join, matrix, vector
from ..model import Free, Joint, ModelError, Tree
from ..model.errors import unknown_name
from ..model.field_types import Series, Vector
from ..model.joints import numbers_from_pose
from ..model.limits import limits
from ..model.renamed import renamed_fields
from ..model.value import Value, frozen_array, replace_arrays
from .earth import Earth
from .prescribed_motion import Trajectory, as_trajectory
from .ship_response import ShipResponse, supply_vessel
from .spectra import Jonswap, Spectrum
from .world import STANDARD_GRAVITY


@dataclass(frozen=True, eq=False, repr=False)
class WaveMotion(Trajectory):
    """A free vehicle's motion as a sum of cosines: η_j = Re Σ_k response_kj exp(i(ω_k t + phase_k)).

    frequencies: ω (n,) [rad/s].  phases: (n,) [rad].  response: (n, 6) complex, (x, y, z, roll, pitch, yaw) [m, rad];
    R = Rz(yaw) Ry(pitch) Rx(roll).  reference: point (3,) of the vehicle whose motion that is (m, vehicle axes).
    At rest the vehicle's joint is neutral.
    """

    frequencies: Any
    phases: Any
    response: Any
    reference: Any = (0.0, 0.0, 0.0)

    def motion(self, t: np.ndarray, joint: Joint) -> PrescribedMotion:
        η, η_dot, η_ddot = self._sums(t)
        p, R, V, V_dot = _of_euler_angles(η, η_dot, η_ddot)
        r = se3.pose(np.eye(3), np.asarray(self.reference))  # vehicle = r · reference motion · r⁻¹
        h = r @ se3.pose(R, p) @ se3.inverse(r)
        return PrescribedMotion(numbers_from_pose(h), se3.Ad_apply(r, V), se3.Ad_apply(r, V_dot))

    def check(self, name: str, joint: Joint) -> None:
        """Only a free vehicle moves so."""
        if not isinstance(joint, Free):
            raise ModelError.single(name, "motion in waves", expected="a Free joint", given=joint.kind)

    def _sums(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """η, η̇, η̈ (..., 6), term by term."""
        angle = self.frequencies * np.asarray(t)[..., None] + self.phases
        c, s = np.cos(angle), np.sin(angle)
        A, B, ω = self.response.real, self.response.imag, self.frequencies[:, None]
        return (
            c @ A - s @ B,
            -(s @ (ω * A)) - c @ (ω * B),
            -(c @ (ω**2 * A)) + s @ (ω**2 * B),
        )


def _of_euler_angles(η: np.ndarray, η_dot: np.ndarray, η_ddot: np.ndarray):
    """p, R, and the body twist with its derivative (..., 6), of p(t) and zyx angles Θ(t)."""
    φ, θ, ψ = η[..., 3], η[..., 4], η[..., 5]
    cφ, sφ, cθ, sθ = np.cos(φ), np.sin(φ), np.cos(θ), np.sin(θ)
    o = 0.0 * φ
    R = so3.exp(vector([o, o, ψ])) @ so3.exp(vector([o, θ, o])) @ so3.exp(vector([φ, o, o]))
    T_inv = matrix([[1.0 + o, o, -sθ], [o, cφ, cθ * sφ], [o, -sφ, cθ * cφ]])
    φd, θd = η_dot[..., 3], η_dot[..., 4]
    T_inv_dot = matrix(
        [
            [o, o, -cθ * θd],
            [o, -sφ * φd, cθ * cφ * φd - sθ * sφ * θd],
            [o, -cφ * φd, -cθ * sφ * φd - sθ * cφ * θd],
        ]
    )
    ω = apply(T_inv, η_dot[..., 3:])
    ω_dot = apply(T_inv, η_ddot[..., 3:]) + apply(T_inv_dot, η_dot[..., 3:])
    R_t = np.swapaxes(R, -1, -2)
    v = apply(R_t, η_dot[..., :3])
    v_dot = apply(R_t, η_ddot[..., :3]) - so3.cross(ω, v)
    return η[..., :3], R, join([v, ω]), join([v_dot, ω_dot])


@dataclass(frozen=True, eq=False, repr=False)
class Waves(Value):
    """A long-crested sea as a sum of `count` waves, drawn from a spectrum with a seed.

    The spectrum is cut into bins of equal energy; each has one wave with the bin's energy, a random frequency in it
    (as its energy is spread) and a random phase. No frequency is a multiple of another: the sea has no period, and in
    the mean over seeds it has the spectrum itself (theory.md §20). frequencies, amplitudes, phases: (count,)
    [rad/s, m, rad], at the ship's reference point.
    """

    spectrum: Spectrum
    seed: int = 0
    count: int = 50
    frequencies: np.ndarray = field(init=False)
    amplitudes: np.ndarray = field(init=False)
    phases: np.ndarray = field(init=False)

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


def phases(seed: int, count: int) -> np.ndarray:
    """Random phases (count,) [rad] of a seed."""
    return np.random.default_rng([seed, 0]).uniform(0.0, 2 * np.pi, count)


@renamed_fields(heading="heading_rad, in radians: math.radians(…)")
@dataclass(frozen=True, eq=False, repr=False)
class Sea(Earth):
    """A sea that moves a ship, and gravity. The ship does not feel its arm; `Plant.reactions` tells what it would.

    spectrum: of the waves, `Jonswap`, `PiersonMoskowitz` or `TabulatedSpectrum`.
    seed, count: of the waves drawn from it.
    heading_rad: clockwise from above, from the ship's x axis to where the waves go: π is a head sea.
    response: of the ship to waves; that of a supply vessel if None.
    reference: the point (3,) of the vehicle (m, its axes) that the response is given for.
    trajectory: any motion of the ship instead of all these, a `Trajectory` or a function t ↦ pose (4, 4).
    vehicle: the ship's name, needed if there are several vehicles.
    The parameter "sea.phases" (count) varies the sea from sample to sample; `phases_of(seed)` gives values.
    """

    gravity: Vector = field(default=STANDARD_GRAVITY, kw_only=True)
    spectrum: Spectrum = field(default_factory=lambda: Jonswap(2.0, 8.0))
    heading_rad: float = np.pi
    seed: int = 0
    count: int = 50
    response: ShipResponse | None = None
    reference: Vector = (0.0, 0.0, 0.0)
    trajectory: Trajectory | Callable[[Any], Any] | None = None
    vehicle: str | None = None
    phases: Series = None

    structure: ClassVar[tuple[str, ...]] = ("heading_rad", "reference")

    def __post_init__(self) -> None:
        super().__post_init__()
        reference = frozen_array(self.reference, (3,), where="Sea", what="reference")
        heading = float(frozen_array(self.heading_rad, (), where="Sea", what="heading_rad"))
        if abs(heading) > 2 * np.pi:
            raise ModelError.single(
                "Sea", "heading_rad", expected="radians, from −2π to 2π", given=repr(self.heading_rad)
            )
        response = supply_vessel() if self.response is None else self.response
        replace_arrays(self, reference=reference, heading_rad=heading, response=response)
        if not isinstance(self.response, ShipResponse):
            raise ModelError.single("Sea", "response", expected="a ShipResponse", given=repr(self.response))
        if self.trajectory is not None:
            replace_arrays(self, trajectory=as_trajectory("Sea", self.trajectory))
        drawn = self.waves.phases if self.phases is None else self.phases
        replace_arrays(self, phases=frozen_array(drawn, (self.count,), where="Sea", what="phases"))
        self.response.at(self.heading_rad, self.waves.frequencies)

    @property
    def waves(self) -> Waves:
        """The waves of the sea."""
        return Waves(self.spectrum, self.seed, self.count)

    def phases_of(self, seed: int) -> np.ndarray:
        """Values (count,) of the parameter "sea.phases" for another seed."""
        return phases(seed, self.count)

    def elevation(self, t: Any) -> np.ndarray:
        """Height of the surface (...) [m] over time t (...) [s], at the ship's reference point."""
        waves = self.waves
        return np.cos(waves.frequencies * np.asarray(t)[..., None] + self.phases) @ waves.amplitudes

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
        assert self.response is not None
        waves = self.waves
        response = self.response.at(self.heading_rad, waves.frequencies) * waves.amplitudes[:, None]
        return WaveMotion(waves.frequencies, self.phases, response, self.reference)
