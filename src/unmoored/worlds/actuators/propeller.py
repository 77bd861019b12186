"""Propellers: thrust and torque by their turns and by the water that flows through them (docs/theory.md §21)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import join, scale_vector
from ...model import ModelError
from ...model.value import frozen_array, replace_arrays
from ..scene import Scene
from .actuator import Effort
from .inflow import check_water, velocity_through_water
from .thruster import Thruster, is_spin

_NUMBERS = ("thrust_slope", "torque", "torque_slope", "wake", "deduction")


@dataclass(frozen=True, eq=False, repr=False)
class Propeller(Thruster):
    """A propeller at the point `at` of a frame or body; the command is its turns n (1/s), forward positive.

    With D the `diameter` (m), V_a = (1 − wake) u, u the velocity through the water along `direction`:
    thrust (1 − deduction)(ρD⁴ K₀ n|n| − ρD³ K₁ |n| V_a), torque on the body spin · (ρD⁵ Q₀ n|n| − ρD⁴ Q₁ |n| V_a) about
    `direction`; K₀ = `thrust`, K₁ = `thrust_slope`, Q₀ = `torque`, Q₁ = `torque_slope`, coefficients over the advance
    number J = V_a/(nD). Dead band and `reverse` (of K₀) act as a thruster's do. Measured for n > 0 and V_a > 0 only;
    elsewhere the same lines go on.  density: of the water (kg/m³), that of the plant's ocean if None.
    """

    suffix: ClassVar[str] = "propeller"
    structure: ClassVar[tuple[str, ...]] = (*Thruster.structure, "spin")

    diameter: float = 0.0
    thrust: float = 0.0
    thrust_slope: float = 0.0
    torque: float = 0.0
    torque_slope: float = 0.0
    wake: float = 0.0
    deduction: float = 0.0
    spin: Literal[1, -1] = 1
    density: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in ("diameter", "thrust"):
            number = float(frozen_array(getattr(self, what), (), where=self.label, what=what))
            if not number > 0:
                raise ModelError.single(self.label, what, expected="> 0", given=repr(number))
            replace_arrays(self, **{what: number})
        for what in _NUMBERS:
            number = float(frozen_array(getattr(self, what), (), where=self.label, what=what))
            if not number >= 0 or (number >= 1 and what in ("wake", "deduction")):
                expected = "0 … 1, 1 excluded" if what in ("wake", "deduction") else "≥ 0"
                raise ModelError.single(self.label, what, expected=expected, given=repr(number))
            replace_arrays(self, **{what: number})
        if self.curve is not None or self.azimuth is not None or not is_spin(self.spin):
            expected = "no curve, no azimuth, and a spin of ±1"
            given = f"curve {self.curve!r}, azimuth {self.azimuth!r}, spin {self.spin!r}"
            raise ModelError.single(self.label, "propeller", expected=expected, given=given)
        if self.density is not None:
            density = float(frozen_array(self.density, (), where=self.label, what="density"))
            if not density > 0:
                raise ModelError.single(self.label, "density", expected="> 0 (kg/m³)", given=repr(density))
            replace_arrays(self, density=density)

    def check_worlds(self, worlds: tuple[Any, ...]) -> None:
        """Some world must have water, unless the propeller brings its own density."""
        check_water(self.label, self.density, worlds)

    def thrusts(self, tree: Any) -> tuple[str, ...]:
        """A propeller is no independent force: what it gives depends on the flow."""
        return ()

    def unit_efforts(self, scene: Scene) -> list[Effort]:
        """None, for the same reason."""
        return []

    def effort(self, scene: Scene, y: np.ndarray) -> Effort:
        """Thrust along its direction and torque about it, in the flow that it meets."""
        u, density = velocity_through_water(scene, self.frame, self.at, self.density)
        curve = self.thrust_curve  # dead band and reverse
        n = y[..., 0]
        n = n if curve is None else curve(n)
        size, advance = np.abs(n), (1.0 - self.wake) * (u * self.direction).sum(axis=-1)
        D = self.diameter
        thrust = density * D**3 * size * (self.thrust * D * n - self.thrust_slope * advance)
        torque = density * D**4 * size * (self.torque * D * n - self.torque_slope * advance)
        f = scale_vector((1.0 - self.deduction) * thrust, self.direction)
        moment = so3.cross(self.at, f) + scale_vector(self.spin * torque, self.direction)
        index, pose = scene.dry.locate(self.frame)
        return Effort({index: se3.Ad_inv_transpose_apply(pose, join([f, moment]))})
