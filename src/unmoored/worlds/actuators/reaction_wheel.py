"""Reaction wheels in gyrostat form: momentum in a body, without a body of its own (theory.md §21)."""

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
from ...trace import clip, is_zero, sign
from ..scene import BodyWrenches, Scene
from .actuator import Actuator, Effort
from .thruster import on_body

#: part of the highest speed over which the motor's torque fades out
_FADING = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class ReactionWheel(Actuator):
    """A wheel about `axis` in a frame or body; the command is the torque on the wheel (N m), its reaction the body's.

    inertia: of the wheel about its axis (kg m²). Mass and all moments of inertia of the wheel are in the body's
    inertia, and the moment about the axis is taken out of it here.
    The own state is h = inertia · (ω_w + aᵀω) (N m s), ω_w the wheel's speed relative to the body.
    max_speed: of ω_w (rad/s), both ways: within the last hundredth of it the motor's torque towards the limit fades to
    nothing. What turns the body faster than the wheel can follow still may pass it.
    friction, damping: of the bearing, friction · tanh(ω_w / friction_speed) (N m) and damping · ω_w (N m s).
    A wheel that is a body with a revolute joint gives the same motion.
    """

    suffix: ClassVar[str] = "wheel"

    frame: str
    inertia: float
    axis: Vector = (0.0, 0.0, 1.0)
    max_speed: float | None = None
    friction: float = 0.0
    damping: float = 0.0
    friction_speed: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in ("max_speed", "friction", "damping", "friction_speed"):
            if (value := getattr(self, what)) is None:
                continue
            number = float(frozen_array(value, (), where=self.label, what=what))
            least = what in ("friction", "damping")
            if number < 0 or (number == 0 and not least):
                expected = "≥ 0" if least else "> 0 (rad/s)"
                raise ModelError.single(self.label, what, expected=expected, given=repr(value))
            replace_arrays(self, **{what: number})
        inertia = float(frozen_array(self.inertia, (), where=self.label, what="inertia"))
        if not inertia > 0:
            raise ModelError.single(self.label, "inertia", expected="> 0 (kg m²)", given=repr(self.inertia))
        replace_arrays(self, inertia=inertia, axis=unit_axis(self.axis, where=f"{self.label}: axis"))

    @property
    def label(self) -> str:
        return self.name or self.frame

    def inputs(self, tree: Tree) -> tuple[str, ...]:
        """The torque."""
        return ("",)

    def states(self, tree: Tree) -> tuple[str, ...]:
        """The momentum; with lag, the torque too."""
        return ("momentum",) if self.lag is None else ("momentum", "torque")

    def check(self, tree: Tree) -> None:
        """The frame must be on a body whose moments of inertia have the wheel's in them."""
        index, _ = on_body(tree, self.frame, self.label)
        a, inertia = self._axis(tree), tree.bodies[index].inertia
        if inertia.is_rigid and np.linalg.eigvalsh(inertia.tensor - self.inertia * np.outer(a, a))[0] < 0:
            expected = f"less than {tree.names[index]!r} has about that axis (kg m²)"
            raise ModelError.single(self.label, "inertia", expected=expected, given=repr(self.inertia))

    def added_inertia(self, tree: Tree, index: int) -> np.ndarray | None:
        """−I_w a aᵀ in the rotational block of the wheel's body."""
        if index != on_body(tree, self.frame, self.label)[0]:
            return None
        a = np.concatenate([np.zeros(3), self._axis(tree)])
        return -self.inertia * np.outer(a, a)

    def action(self, t: Any, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """(torque, momentum) (..., 2)."""
        return join([super().action(t, x[..., 1:], u), x[..., :1]])

    def effort(self, scene: Scene, y: np.ndarray) -> Effort:
        """−τ_w a − ω × h a on the body."""
        index, _ = scene.dry.locate(self.frame)
        a = self._axis(scene.dry)
        ω, τ = scene.twists[index][..., 3:], self._torque(scene, y[..., :1], y[..., 1:])
        torque = -τ * a - so3.cross(ω, y[..., 1:] * a)
        return Effort({index: join([np.zeros(3), torque])})

    def unit_efforts(self, scene: Scene) -> list[Effort]:
        """The reaction to unit torque."""
        index, _ = scene.dry.locate(self.frame)
        return [Effort({index: np.concatenate([np.zeros(3), -self._axis(scene.dry)])})]

    def state_rates(self, scene: Scene, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """ḣ = τ_w, and the lag of the torque."""
        torque = self._torque(scene, self.action(scene.t, x, u)[..., :1], x[..., :1])
        return join([torque, super().state_rates(scene, x[..., 1:], u)])

    def energy(self, x: np.ndarray) -> Any:
        """½ h² / I_w (...) [J]."""
        return x[..., 0] * x[..., 0] / (2.0 * self.inertia)

    def momentum(self, tree: Tree, x: np.ndarray) -> BodyWrenches:
        """h a about the wheel's axis: the rest of the wheel is in the body."""
        index, _ = tree.locate(self.frame)
        return {index: join([np.zeros(3), x[..., :1] * self._axis(tree)])}

    def own_power(self, scene: Scene, x: np.ndarray, y: np.ndarray) -> Any:
        """h τ_w / I_w (...) [W]."""
        return self._torque(scene, y[..., :1], y[..., 1:])[..., 0] * y[..., 1] / self.inertia

    def speed(self, scene: Scene, h: np.ndarray) -> np.ndarray:
        """ω_w = h/I_w − aᵀω (..., 1) [rad/s] at the momentum h (..., 1)."""
        index, _ = scene.dry.locate(self.frame)
        ω = scene.twists[index][..., 3:]
        return h / self.inertia - np.asarray((ω * self._axis(scene.dry)).sum(axis=-1))[..., None]

    def _torque(self, scene: Scene, motor: np.ndarray, h: np.ndarray) -> np.ndarray:
        """Torque on the wheel (..., 1) from its motor's: faded out at the highest speed, less friction."""
        if self.max_speed is None and is_zero(self.friction) and is_zero(self.damping):
            return motor
        ω_w = self.speed(scene, h)
        if self.max_speed is not None:
            room = (self.max_speed - sign(motor) * ω_w) / (_FADING * self.max_speed)
            motor = motor * clip(room, 0.0, 1.0)
        return motor - self.friction * np.tanh(ω_w / self.friction_speed) - self.damping * ω_w

    def _axis(self, tree: Tree) -> np.ndarray:
        """a (3,) in the axes of the body."""
        return se3.rotation(tree.locate(self.frame)[1]) @ self.axis
