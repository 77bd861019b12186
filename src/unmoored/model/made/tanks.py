"""Shapes of tanks: how the liquid in them sloshes (theory.md §38)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..errors import ModelError
from ..value import Value, frozen_array, replace_arrays
from .spherical_slosh import first_mode

#: zeros of J₁′
_XI = (1.841184, 5.331443, 8.536316)


class Wave(NamedTuple):
    """One sloshing mode. wavenumber: λ = ω²/g (1/m).  share: of the liquid's mass.  height: of the mass above the still
    surface (m).  along: 0 for x, 1 for y, None for both, as in round tanks."""

    wavenumber: float
    share: float
    height: float
    along: int | None


@dataclass(frozen=True, eq=False, repr=False)
class Tank(Value, ABC):
    """A tank whose lowest point is the origin, z up."""

    sizes: ClassVar[tuple[str, ...]] = ()
    #: most modes (in each direction) that are known
    most: ClassVar[int] = 3

    def __post_init__(self) -> None:
        for what in self.sizes:
            number = float(frozen_array(getattr(self, what), (), where=type(self).__name__, what=what))
            if not number > 0:
                raise ModelError.single(
                    type(self).__name__, what, expected="> 0 (m)", given=repr(getattr(self, what))
                )
            replace_arrays(self, **{what: number})

    def check_depth(self, depth: float) -> None:
        """Refuse a depth (m) that the tank does not hold."""

    @abstractmethod
    def volume(self, depth: float) -> float:
        """Volume (m³) of the liquid up to `depth` (m)."""

    @abstractmethod
    def centre(self, depth: float) -> float:
        """Height (m) of the still liquid's centre of mass above the lowest point."""

    @abstractmethod
    def waves(self, depth: float, modes: int) -> list[Wave]:
        """The first sloshing modes, in each direction, at a depth (m)."""


@dataclass(frozen=True, eq=False, repr=False)
class CylinderTank(Tank):
    """An upright cylinder with a flat bottom: radius (m)."""

    sizes: ClassVar[tuple[str, ...]] = ("radius",)

    radius: float

    def volume(self, depth: float) -> float:
        return np.pi * self.radius**2 * depth

    def centre(self, depth: float) -> float:
        return 0.5 * depth

    def waves(self, depth: float, modes: int) -> list[Wave]:
        R, found = self.radius, []
        for ξ in _XI[:modes]:
            t = np.tanh(ξ * depth / R)
            share = 2.0 * R * t / (ξ * (ξ**2 - 1.0) * depth)
            height = -2.0 * R / ξ * np.tanh(0.5 * ξ * depth / R)
            found.append(Wave(ξ / R * t, share, height, None))
        return found


@dataclass(frozen=True, eq=False, repr=False)
class BoxTank(Tank):
    """An upright box: length along x and width along y (m). along: "xy", "x" or "y", of the waves that count.

    Waves along x and along y have their own masses, and those of a shallow liquid are more than all of it together.
    """

    sizes: ClassVar[tuple[str, ...]] = ("length", "width")

    length: float
    width: float
    along: str = "xy"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.along not in ("xy", "x", "y"):
            raise ModelError.single("BoxTank", "along", expected="xy, x or y", given=repr(self.along))

    def volume(self, depth: float) -> float:
        return self.length * self.width * depth

    def centre(self, depth: float) -> float:
        return 0.5 * depth

    def waves(self, depth: float, modes: int) -> list[Wave]:
        found = []
        for axis, a in enumerate((self.length, self.width)):
            if "xy"[axis] not in self.along:
                continue
            for n in range(1, modes + 1):
                k = (2 * n - 1) * np.pi / a
                t = np.tanh(k * depth)
                share = 8.0 * t / (k**3 * a**2 * depth)
                found.append(Wave(k * t, share, -2.0 / k * np.tanh(0.5 * k * depth), axis))
        return found


@dataclass(frozen=True, eq=False, repr=False)
class SphereTank(Tank):
    """A sphere: radius (m). One mode, whose pendulum hangs from the centre."""

    sizes: ClassVar[tuple[str, ...]] = ("radius",)
    most: ClassVar[int] = 1

    radius: float

    def check_depth(self, depth: float) -> None:
        if not 0.05 <= depth / self.radius <= 1.9:
            expected = f"from 0.05 to 1.9 of the radius {self.radius:g} m"
            raise ModelError.single("SphereTank", "depth", expected=expected, given=f"{depth:g} m")

    def volume(self, depth: float) -> float:
        return np.pi * depth**2 * (self.radius - depth / 3.0)

    def centre(self, depth: float) -> float:
        R, h = self.radius, depth
        return R - 0.75 * (2.0 * R - h) ** 2 / (3.0 * R - h)

    def waves(self, depth: float, modes: int) -> list[Wave]:
        λ, share = first_mode(depth / self.radius)
        # the hinge is the centre: the bob is 1/λ below it
        return [Wave(λ / self.radius, share, self.radius - self.radius / λ - depth, None)]


TANKS: dict[str, type[Any]] = {cls.__name__: cls for cls in (CylinderTank, BoxTank, SphereTank)}
