"""Thrusters and rotors: a force at a point of a body, along a direction that may turn (theory.md §21)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import join
from ...model import ModelError, Tree
from ...model.field_types import Vector
from ...model.inertia import unit_axis
from ...model.value import frozen_array, replace_arrays
from ...trace import is_zero
from ..scene import Scene
from .actuator import Actuator, Effort
from .thrust_curve import ThrustCurve, beyond_dead_band, with_reverse

_SQUARE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Thruster(Actuator):
    """Thrust along `direction` at the point `at` of a frame or body, both in that frame's axes.

    curve: command ↦ thrust (N), a `ThrustCurve` or a function in traceable NumPy; the command is the thrust if None.
    dead_band: commands within ± this give nothing, those beyond act less by it.  reverse: factor on negative thrusts.
    azimuth: axis, at right angles to `direction`, about which it turns; the second input is that angle (rad).
    Limits and lag act on the command, and the lag on the angle too.
    """

    suffix: ClassVar[str] = "thruster"

    frame: str
    at: Vector = (0.0, 0.0, 0.0)
    direction: Vector = (1.0, 0.0, 0.0)
    curve: Annotated[Callable[[Any], Any] | None, ThrustCurve] = None
    azimuth: Vector = None
    dead_band: float = 0.0
    reverse: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        at = frozen_array(self.at, (3,), where=self.label, what="at")
        replace_arrays(self, at=at, direction=unit_axis(self.direction, where=f"{self.label}: direction"))
        for what in ("dead_band", "reverse"):
            number = float(frozen_array(getattr(self, what), (), where=self.label, what=what))
            if number < 0:
                raise ModelError.single(self.label, what, expected="≥ 0", given=repr(number))
            replace_arrays(self, **{what: number})
        if self.curve is not None and not callable(self.curve):
            expected = "a ThrustCurve, a function, or None"
            raise ModelError.single(self.label, "curve", expected=expected, given=repr(self.curve))
        if self.azimuth is not None:
            axis = unit_axis(self.azimuth, where=f"{self.label}: azimuth")
            if abs(axis @ self.direction) > _SQUARE:
                expected = "an axis at right angles to the direction"
                raise ModelError.single(self.label, "azimuth", expected=expected, given=str(axis.tolist()))
            replace_arrays(self, azimuth=axis)

    @property
    def label(self) -> str:
        return self.name or self.frame

    def inputs(self, tree: Tree) -> tuple[str, ...]:
        """The command; with azimuth, the angle too."""
        return ("",) if self.azimuth is None else ("command", "angle")

    def check(self, tree: Tree) -> None:
        """The frame must be on a body."""
        on_body(tree, self.frame, self.label)

    def effort(self, scene: Scene, y: np.ndarray) -> Effort:
        """Thrust along its direction, through its own body."""
        curve = self.thrust_curve
        thrust = y[..., 0] if curve is None else curve(y[..., 0])
        return self._pushing(scene.dry, thrust, self._turned(y))

    @property
    def thrust_curve(self) -> Callable[[Any], Any] | None:
        """Command ↦ thrust (N) with dead band and reverse; None if the command is the thrust."""
        dead, weaker = not is_zero(self.dead_band), not is_zero(self.reverse - 1.0)
        if self.curve is None and not dead and not weaker:
            return None

        def given(u: Any) -> Any:
            u = beyond_dead_band(u, self.dead_band) if dead else u
            thrust = u if self.curve is None else self.curve(u)
            return with_reverse(thrust, self.reverse) if weaker else thrust

        return given

    def thrusts(self, tree: Tree) -> tuple[str, ...]:
        """One thrust; with azimuth, its two components."""
        return ("",) if self.azimuth is None else ("along", "across")

    def unit_efforts(self, scene: Scene) -> list[Effort]:
        """Unit thrust; with azimuth, unit thrusts along `direction` and a quarter turn from it."""
        directions = [self.direction]
        if self.azimuth is not None:
            directions.append(np.cross(self.azimuth, self.direction))
        return [self._pushing(scene.dry, np.ones(()), d) for d in directions]

    def limited(self, u: np.ndarray) -> np.ndarray:
        """The command within the limits; the angle is not limited."""
        return join([super().limited(u[..., :1]), u[..., 1:]])

    def action(self, t: Any, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The thrust fails, not the angle."""
        y = super().action(t, x, u)
        if self.azimuth is None or self.fails_at is None:
            return y
        angle = x[..., 1:] if self.lag is not None else u[..., 1:]
        return join([y[..., :1], angle])

    def _turned(self, y: np.ndarray) -> np.ndarray:
        if self.azimuth is None:
            return self.direction
        c, s = np.cos(y[..., 1:]), np.sin(y[..., 1:])
        return c * self.direction + s * np.cross(self.azimuth, self.direction)

    def _pushing(self, tree: Tree, thrust: np.ndarray, direction: np.ndarray) -> Effort:
        """(d ; r×d + drag torque) times thrust (...), in body axes."""
        index, pose = tree.locate(self.frame)
        moment = so3.cross(self.at, direction) + self._drag_arm * direction
        F = join([direction, moment]) * np.asarray(thrust)[..., None]
        return Effort({index: se3.Ad_inv_transpose_apply(pose, F)})

    @property
    def _drag_arm(self) -> float:
        """Torque about the direction per unit of thrust (m)."""
        return 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Rotor(Thruster):
    """A thruster whose drag turns the body: torque `spin` · drag_ratio · thrust about `direction`.

    drag_ratio: torque per thrust (m).  spin: +1 or −1, the sign of the torque on the body.
    """

    suffix: ClassVar[str] = "rotor"

    drag_ratio: float = 0.0
    spin: Literal[1, -1] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        ratio = float(frozen_array(self.drag_ratio, (), where=self.label, what="drag_ratio"))
        if ratio < 0 or not is_spin(self.spin):
            given = f"{self.drag_ratio!r} and {self.spin!r}"
            raise ModelError.single(self.label, "drag_ratio, spin", expected="≥ 0 (m) and ±1", given=given)
        replace_arrays(self, drag_ratio=ratio)

    @property
    def _drag_arm(self) -> float:
        return self.spin * self.drag_ratio


def is_spin(x: Any) -> bool:
    """Whether x is +1 or −1."""
    return isinstance(x, int | float | np.number) and not isinstance(x, bool) and abs(x) == 1


def on_body(tree: Tree, frame: str, label: str) -> tuple[int, np.ndarray]:
    """Index of the body that carries a frame, and the frame's pose (4, 4) on it; a frame on the world is refused."""
    index, pose = tree.locate(frame)
    if index < 0:
        raise ModelError.single(label, "frame", expected="a frame on a body", given=f"{frame!r} on the world")
    return index, pose
