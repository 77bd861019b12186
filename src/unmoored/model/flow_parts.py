"""Parts of a hull that feel the flow past them: drag and lift that follow the shape, whatever the body's axes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from .errors import ModelError
from .pose import Pose
from .type_checks import check_type
from .value import Value, frozen_array, replace_arrays

_MOST_STRIPS = 64


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FlowPart(Value):
    """Something on a body that feels the flow, at the pose `at` in body axes. Frozen.

    Coefficients have the water's density in them: ½ρ times a coefficient of drag times an area (kg/m), or times an area
    per length (kg/m²).
    """

    at: Pose = field(default_factory=Pose)

    def __post_init__(self) -> None:
        check_type(type(self).__name__, "at", self.at, Pose)

    def _numbers(self, **shapes: tuple[tuple[int, ...], bool]) -> None:
        """Check fields: their shapes, and whether they must be greater than zero (else ≥ 0)."""
        for what, (shape, positive) in shapes.items():
            where = type(self).__name__
            x = frozen_array(getattr(self, what), shape, where=where, what=what)
            if not np.all(x > 0 if positive else x >= 0):
                expected = "> 0" if positive else "≥ 0"
                raise ModelError.single(where, what, expected=expected, given=str(x.tolist()))
            replace_arrays(self, **{what: x if shape else float(x)})


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SphereDrag(FlowPart):
    """Drag −k|u|u at the origin of `at`, the same in all directions; u: velocity relative to the water.

    coefficient: k = ½ρ C_d π r² (kg/m).
    """

    coefficient: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._numbers(coefficient=((), False))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StripDrag(FlowPart):
    """Cross-flow drag of a slender body along the z axis of `at`, by strips: −c|u_n|u_n for each length.

    u_n: the strip's own velocity across the axis, relative to the water, rotation included.
    across: c = ½ρ C_d d in the middle (kg/m²).  length: (m).  along: k of the drag −k|u_z|u_z along the axis (kg/m).
    taper: "none", or "ellipse": the diameter d falls to zero at the ends as a spheroid's does.
    strips: number of Gauss points, of the rule that has the taper in its weight (docs/theory.md §32 tells the error).
    """

    across: float
    length: float
    along: float = 0.0
    taper: Literal["none", "ellipse"] = "none"
    strips: int = 6

    def __post_init__(self) -> None:
        super().__post_init__()
        self._numbers(across=((), False), length=((), True), along=((), False))
        if self.taper not in ("none", "ellipse"):
            raise ModelError.single(
                "StripDrag", "taper", expected='"none" or "ellipse"', given=repr(self.taper)
            )
        if type(self.strips) is not int or not 1 <= self.strips <= _MOST_STRIPS:
            expected = f"a whole number, 1 to {_MOST_STRIPS}"
            raise ModelError.single("StripDrag", "strips", expected=expected, given=repr(self.strips))

    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """Places z (n,) of the strips on the axis (m), and their shares (n,) of the length (m), taper in."""
        if self.taper == "ellipse":  # Gauss and Chebyshev's: weight √(1−z²)
            places = np.arange(self.strips, 0, -1) / (self.strips + 1)
            z, height = np.cos(np.pi * places), np.sin(np.pi * places)
            weights = np.pi / (self.strips + 1) * height * height
            z, weights = 0.5 * (z - z[::-1]), 0.5 * (weights + weights[::-1])  # pairs to the last bit
        else:
            z, weights = np.polynomial.legendre.leggauss(self.strips)
        return 0.5 * self.length * z, 0.5 * self.length * weights


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BoxDrag(FlowPart):
    """Drag of a box of edges `size` (m) along the axes of `at`: −c A|u|u, A the area that it shows to the flow.

    coefficient: c = ½ρ C_d (kg/m³).  An eighth of it acts at each of the eight Gauss points of the volume, at their own
    velocities u, so that turning is damped too.
    """

    size: Any
    coefficient: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._numbers(size=((3,), True), coefficient=((), False))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Lift(FlowPart):
    """Lift and drag of a hull or a fin that stands still on its body, with smooth stall.

    Of `at`: x is forward, z the direction of lift at a small angle of attack α, y the span. With the velocity u of its
    origin through the water in the plane of x and z, q = c|u|², c = `coefficient` = ½ρ area (kg/m), and the blend σ (0
    below `stall_rad`, 1 beyond, as sharp as `sharpness`):
    lift q((1−σ) slope α + 2σ sgn α sin²α cos α), drag q((1−σ)(drag + induced (slope α)²) + 2σ|sin³α|).

    round: a body of revolution about x; α is then the angle of the flow from x in any plane.
    """

    coefficient: float
    slope: float
    drag: float = 0.0
    induced: float = 0.0
    stall_rad: float = 0.35
    sharpness: float = 50.0
    round: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._numbers(
            coefficient=((), False), slope=((), False), drag=((), False), induced=((), False),
            stall_rad=((), True), sharpness=((), True),
        )  # fmt: skip
        check_type("Lift", "round", self.round, bool)

    @classmethod
    def wing(
        cls,
        *,
        area: float,
        span: float,
        density: float,
        drag: float = 0.0,
        efficiency: float = 0.9,
        at: Pose | None = None,
        **options: Any,
    ) -> Lift:
        """A wing, fin or hull of area (m²) and span (m): Helmbold's slope 2πΛ/(2+√(Λ²+4)), Λ = span²/area.

        efficiency: Oswald's, of the induced drag C_L²/(π · efficiency · Λ).  density: of the water (kg/m³).
        """
        for what, x in {"area": area, "span": span, "density": density, "efficiency": efficiency}.items():
            if not float(frozen_array(x, (), where="Lift.wing", what=what)) > 0:
                raise ModelError.single("Lift.wing", what, expected="> 0", given=repr(x))
        aspect = span**2 / area
        slope = 2 * np.pi * aspect / (2 + np.sqrt(aspect**2 + 4))
        induced = 1 / (np.pi * efficiency * aspect)
        place = Pose() if at is None else at
        return cls(
            at=place, coefficient=0.5 * density * area, slope=slope, drag=drag, induced=induced, **options
        )


FLOW_PARTS: dict[str, type[FlowPart]] = {
    part.__name__: part for part in (SphereDrag, StripDrag, BoxDrag, Lift)
}
