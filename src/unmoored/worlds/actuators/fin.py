"""Fins and rudders: a plate that turns, and feels the flow past it (theory.md §21)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import join
from ...model import ModelError, Tree
from ...model.field_types import Vector
from ...model.inertia import unit_axis
from ...model.value import frozen_array, replace_arrays
from ..scene import Scene
from .actuator import Actuator, Effort
from .inflow import check_water, velocity_through_water
from .thruster import on_body

_SQUARE = 1e-9
_NO_SPEED = 1e-24  # (m/s)², so that the slope of the speed is finite at rest


@dataclass(frozen=True, eq=False, repr=False)
class Fin(Actuator):
    """A fin at the point `at` of a frame or body that turns about `axis`; the command is the angle (rad).

    axis: along the span.  forward: from trailing to leading edge at zero angle.  Both in the frame's axes.
    area: (m²).  lift_slope: lift coefficient per radian.  drag: drag coefficient at zero incidence.
    density: of the fluid (kg/m³), that of the plant's ocean if None.

    With u the fin's velocity relative to the water, across the span, and n the plate's normal, the force is
    −½ρ area |u| (lift_slope (u·n) n + drag u): right for small incidence, dissipative and smooth for any. A positive
    angle turns the leading edge about the axis.
    """

    suffix: ClassVar[str] = "fin"

    frame: str
    area: float
    at: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 1.0, 0.0)
    forward: Vector = (1.0, 0.0, 0.0)
    lift_slope: float = 2 * np.pi
    drag: float = 0.0
    density: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        at = frozen_array(self.at, (3,), where=self.label, what="at")
        axis = unit_axis(self.axis, where=f"{self.label}: axis")
        forward = unit_axis(self.forward, where=f"{self.label}: forward")
        if abs(axis @ forward) > _SQUARE:
            expected = "a direction at right angles to the axis"
            raise ModelError.single(self.label, "forward", expected=expected, given=str(forward.tolist()))
        for what in ("area", "lift_slope", "drag"):
            number = float(frozen_array(getattr(self, what), (), where=self.label, what=what))
            if number < 0:
                raise ModelError.single(self.label, what, expected="≥ 0", given=repr(number))
            replace_arrays(self, **{what: number})
        replace_arrays(self, at=at, axis=axis, forward=forward)

    @property
    def label(self) -> str:
        return self.name or self.frame

    def inputs(self, tree: Tree) -> tuple[str, ...]:
        """The angle."""
        return ("",)

    def check(self, tree: Tree) -> None:
        """The frame must be on a body."""
        on_body(tree, self.frame, self.label)

    def check_worlds(self, worlds: tuple[Any, ...]) -> None:
        """Some world must have water, unless the fin brings its own density."""
        check_water(self.label, self.density, worlds)

    def effort(self, scene: Scene, y: np.ndarray) -> Effort:
        """Lift and drag in the flow that the fin meets."""
        index, pose = scene.dry.locate(self.frame)
        u, density = self._flow(scene)
        c, s = np.cos(y), np.sin(y)
        n = c * np.cross(self.axis, self.forward) - s * self.forward
        speed = np.sqrt((u * u).sum(axis=-1, keepdims=True) + _NO_SPEED)
        across = (u * n).sum(axis=-1, keepdims=True)
        pressure = np.asarray(0.5 * self.area * density)[..., None] * speed
        f = -pressure * (self.lift_slope * across * n + self.drag * u)
        return Effort({index: se3.Ad_inv_transpose_apply(pose, join([f, so3.cross(self.at, f)]))})

    def thrusts(self, tree: Tree) -> tuple[str, ...]:
        """A fin is no independent force: what it gives depends on the flow."""
        return ()

    def unit_efforts(self, scene: Scene) -> list[Effort]:
        """None, for the same reason."""
        return []

    def _flow(self, scene: Scene) -> tuple[np.ndarray, Any]:
        """Velocity (..., 3) relative to the water across the span, in the frame's axes, and the density (...)."""
        u, density = velocity_through_water(scene, self.frame, self.at, self.density)
        return u - (u * self.axis).sum(axis=-1, keepdims=True) * self.axis, density


@dataclass(frozen=True, eq=False, repr=False)
class Rudder(Fin):
    """A fin that turns about the vertical; a positive angle pushes the stern to port and turns the bow to starboard."""

    suffix: ClassVar[str] = "rudder"

    axis: Vector = (0.0, 0.0, 1.0)
