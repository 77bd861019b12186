"""Two driven wheels on one axle (theory.md §13)."""

from __future__ import annotations

from dataclasses import dataclass

from ...model.value import replace_arrays
from .gliding import Gliding


@dataclass(frozen=True, eq=False)
class DifferentialDrive(Gliding):
    """The axle moves along its x axis and turns about its z axis only: speeds (v_x, ω_z) of the axle frame.

    vehicle: its name; its joint must allow that motion (Planar, Free, …).
    axle: a frame on the vehicle at the middle of the axle, x forward, y along the axle; the vehicle's own if
    None.
    wheels: names of wheels that are bodies with a Revolute joint on the axle; they roll without slipping.
    radius: of the wheels (m), needed with wheels.
    """

    axle: str | None = None
    wheels: tuple[str, ...] = ()
    radius: float | None = None

    def __post_init__(self):
        replace_arrays(self, wheels=tuple(self.wheels))

    def _parts(self) -> tuple[str | None, tuple[str, ...], float | None]:
        return self.axle, self.wheels, self.radius
