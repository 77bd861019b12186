"""What water does to one body: added mass, drag, lift, buoyancy. Used by a world that has water."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import fluid_shapes
from .errors import ModelError
from .flow_parts import FlowPart
from .hull import Hull
from .inertia import positive_semidefinite
from .pose import Pose
from .type_checks import check_type
from .value import Value, frozen_array, replace_arrays, shape_of

_WHERE = "Fluid"
_NOWHERE = (0.0, 0.0, 0.0)
_UP = (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Fluid(Value):
    """Fluid properties of a body, all in body axes at the body-frame origin, twists ordered (v, ω).

    added_mass: symmetric 6×6, or its six diagonal entries (kg, kg m, kg m²).
    linear_drag, quadratic_drag: 6×6, or six diagonal entries; wrench −D₁ V − D₂ |V| V, |V| taken entry by entry.
    fading: rate (s/m), one number or one for each entry of V, at which linear drag fades with the speed |v|:
    −D₁ e^{−fading |v|} V.
    flow_parts: what feels the flow by its shape (SphereDrag, StripDrag, BoxDrag, Lift).  flow_scale: a factor on them.
    volume: displaced volume (m³).  centre_of_buoyancy: (m).
    hull: the shape of that volume, for a body at the surface; a sphere if None.
    density: of the water (kg/m³) for which added mass and drag hold, None if it is not told; a plant in water of
    another density warns.
    """

    added_mass: Any = 0.0
    linear_drag: Any = 0.0
    quadratic_drag: Any = 0.0
    volume: float = 0.0
    centre_of_buoyancy: Any = (0.0, 0.0, 0.0)
    fading: Any = 0.0
    flow_parts: Sequence[FlowPart] = ()
    flow_scale: float = 1.0
    hull: Hull | None = None
    density: float | None = None

    def __post_init__(self) -> None:
        added = positive_semidefinite(_six_by_six(self.added_mass, "added_mass"), "added_mass", where=_WHERE)
        linear = _dissipative(_six_by_six(self.linear_drag, "linear_drag"), "linear_drag")
        quadratic = _six_by_six(self.quadratic_drag, "quadratic_drag")
        if np.diag(quadratic).min() < 0:
            raise ModelError.single(
                _WHERE, "quadratic_drag", expected="a diagonal ≥ 0", given=str(np.diag(quadratic))
            )
        centre = frozen_array(self.centre_of_buoyancy, (3,), where=_WHERE, what="centre_of_buoyancy")
        replace_arrays(
            self,
            added_mass=added,
            linear_drag=linear,
            quadratic_drag=quadratic,
            volume=_not_negative(self.volume, "volume", "≥ 0 (m³)"),
            centre_of_buoyancy=centre,
            fading=_fading(self.fading, linear),
            flow_parts=tuple(self.flow_parts),
            flow_scale=_not_negative(self.flow_scale, "flow_scale", "≥ 0"),
        )
        for part in self.flow_parts:
            check_type(_WHERE, "flow_parts", part, FlowPart)
        if self.hull is not None:
            check_type(_WHERE, "hull", self.hull, Hull)
        if self.density is not None:
            density = float(frozen_array(self.density, (), where=_WHERE, what="density"))
            if not density > 0:
                raise ModelError.single(_WHERE, "density", expected="> 0 (kg/m³)", given=repr(density))
            replace_arrays(self, density=density)

    @classmethod
    def sphere(
        cls, radius: float, density: float, *, centre: Sequence[float] = _NOWHERE, drag: float = 0.5
    ) -> Fluid:
        """A sphere of `radius` (m) in water of `density` (kg/m³), its middle at `centre` (m).

        drag: coefficient on πr².
        """
        return cls(**fluid_shapes.sphere(radius, density, Pose(xyz=centre), drag))

    @classmethod
    def cylinder(
        cls,
        radius: float,
        length: float,
        axis: Sequence[float] = _UP,
        density: float = 1026.0,
        *,
        centre: Sequence[float] = _NOWHERE,
        drag: float = 1.1,
        end_drag: float = 0.8,
    ) -> Fluid:
        """A cylinder along `axis` (body axes), in water of `density` (kg/m³), its middle at `centre` (m).

        drag: coefficient across, on the diameter times length.  end_drag: along, on πr².
        """
        at = fluid_shapes.along_axis("cylinder", axis, centre)
        return cls(**fluid_shapes.cylinder(radius, length, density, at, drag, end_drag))

    @classmethod
    def capsule(
        cls,
        radius: float,
        length: float,
        axis: Sequence[float] = _UP,
        density: float = 1026.0,
        *,
        centre: Sequence[float] = _NOWHERE,
        drag: float = 1.1,
        end_drag: float = 0.3,
    ) -> Fluid:
        """A cylinder of `length` (m) along `axis` with half spheres on its ends, as `cylinder`."""
        at = fluid_shapes.along_axis("capsule", axis, centre)
        return cls(**fluid_shapes.capsule(radius, length, density, at, drag, end_drag))

    @classmethod
    def box(
        cls,
        size: Sequence[float],
        density: float = 1026.0,
        *,
        at: Pose | None = None,
        drag: float = 1.05,
    ) -> Fluid:
        """A box with edges `size` (3,) (m) along the axes of `at`, its middle at its origin.

        drag: coefficient on the area that it shows to the flow.
        """
        return cls(**fluid_shapes.box(size, density, Pose() if at is None else at, drag))

    @classmethod
    def spheroid(
        cls,
        semi_axes: Sequence[float],
        density: float = 1026.0,
        *,
        at: Pose | None = None,
        drag: float = 1.0,
        end_drag: float = 0.1,
    ) -> Fluid:
        """A spheroid, or any ellipsoid, with `semi_axes` (3,) (m) along the axes of `at`.

        drag: coefficient across the longest axis, on the width there.  end_drag: along it, on the largest section.
        """
        return cls(**fluid_shapes.spheroid(semi_axes, density, Pose() if at is None else at, drag, end_drag))


def _six_by_six(x: Any, what: str) -> np.ndarray:
    shape = shape_of(x, where=_WHERE, what=what)
    if shape in ((), (6,)):
        diagonal = frozen_array(x, shape, where=_WHERE, what=what)
        x = np.diag(np.broadcast_to(diagonal, (6,)))
    return frozen_array(x, (6, 6), where=_WHERE, what=what)


def _dissipative(matrix: np.ndarray, what: str) -> np.ndarray:
    """VᵀDV ≥ 0 for every V (theory.md §7): drag never drives."""
    positive_semidefinite((matrix + matrix.T) / 2, f"{what} (symmetric part)", where=_WHERE)
    return matrix


def _not_negative(x: Any, what: str, expected: str) -> float:
    number = float(frozen_array(x, (), where=_WHERE, what=what))
    if number < 0:
        raise ModelError.single(_WHERE, what, expected=expected, given=repr(number))
    return number


def _fading(x: Any, linear: np.ndarray) -> np.ndarray:
    """Rates (6,); different ones could make a full matrix drive."""
    shape = shape_of(x, where=_WHERE, what="fading")
    rates = frozen_array(x, shape if shape == () else (6,), where=_WHERE, what="fading")
    if rates.min() < 0:
        raise ModelError.single(_WHERE, "fading", expected="≥ 0 (s/m)", given=str(rates.tolist()))
    rates = frozen_array(np.broadcast_to(rates, (6,)), (6,), where=_WHERE, what="fading")
    if np.ptp(rates) > 0 and not np.array_equal(linear, np.diag(np.diag(linear))):
        expected = "one rate for all, with a linear drag that is not diagonal"
        raise ModelError.single(_WHERE, "fading", expected=expected, given=str(rates.tolist()))
    return rates
