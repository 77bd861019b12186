"""Flexible joints: a motor behind a spring, with play if it has some (docs/theory.md §33; Spong 1987)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...lie.arrays import join
from ...model import ModelError, Tree
from ...model.value import frozen_array, replace_arrays
from ...trace import is_zero, sign
from ..scene import Scene
from .actuator import Actuator, Effort
from .stiction import one_dof


@dataclass(frozen=True, eq=False, repr=False)
class ElasticMotor(Actuator):
    """Drives a joint of one DoF through a spring; the command is the motor's torque τ at the joint (N m, N).

    Bω̇ = τ − K·dz(δ) − D(ω − u),  δ̇ = ω − u,  and the joint feels K·dz(δ) + D(ω − u): u its velocity, ω the
    motor's and δ
    the deflection, both at the joint's side of the gear, are the own states ("deflection", "speed"), zero at the start.
    inertia: I_r, the rotor's inertia times the square of the gear ratio (kg m², kg).  stiffness: K.  damping: D.
    backlash: half of the play b (rad, m); dz(δ) is zero within ± b and δ ∓ b beyond, rounded over a hundredth of b.
    What the turning rotor does to the body that carries it is left out: right for high gear ratios.
    """

    suffix: ClassVar[str] = "drive"

    joint: str
    inertia: float
    stiffness: float
    damping: float = 0.0
    backlash: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for what in ("inertia", "stiffness", "damping", "backlash"):
            number = float(frozen_array(getattr(self, what), (), where=self.label, what=what))
            if number < 0 or (number == 0 and what in ("inertia", "stiffness")):
                expected = "> 0" if what in ("inertia", "stiffness") else "≥ 0"
                raise ModelError.single(self.label, what, expected=expected, given=repr(number))
            replace_arrays(self, **{what: number})

    @property
    def label(self) -> str:
        return self.name or f"{self.joint}_{self.suffix}"

    def inputs(self, tree: Tree) -> tuple[str, ...]:
        """The motor's torque."""
        return ("",)

    def states(self, tree: Tree) -> tuple[str, ...]:
        """Deflection and the motor's speed; with lag, its torque too."""
        return ("deflection", "speed") if self.lag is None else ("deflection", "speed", "torque")

    def check(self, tree: Tree) -> None:
        """The joint must have one DoF."""
        one_dof(tree, self.joint, self.label)

    def action(self, t: Any, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """(torque, deflection, speed) (..., 3)."""
        return join([super().action(t, x[..., 2:], u), x[..., :2]])

    def effort(self, scene: Scene, y: np.ndarray) -> Effort:
        """What the spring gives to the joint."""
        row = np.eye(scene.tree.nv)[one_dof(scene.tree, self.joint, self.label)]
        return Effort({}, self._transmitted(scene, y[..., 1:2], y[..., 2:]) * row)

    def unit_efforts(self, scene: Scene) -> list[Effort]:
        """What it gives in the long run: unit force at the joint."""
        return [Effort({}, np.eye(scene.tree.nv)[one_dof(scene.tree, self.joint, self.label)])]

    def state_rates(self, scene: Scene, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """δ̇, ω̇, and the lag of the torque."""
        torque = self.action(scene.t, x, u)[..., :1]
        turning = (torque - self._transmitted(scene, x[..., :1], x[..., 1:2])) / self.inertia
        return join([x[..., 1:2] - self._velocity(scene), turning, super().state_rates(scene, x[..., 2:], u)])

    def energy(self, x: np.ndarray) -> Any:
        """½Bω² and that of the spring (...) [J]."""
        return 0.5 * self.inertia * x[..., 1] * x[..., 1] + self.stiffness * self._stored(x[..., 0])

    def own_power(self, scene: Scene, x: np.ndarray, y: np.ndarray) -> Any:
        """Its rate (...) [W]."""
        torque, δ, ω = y[..., :1], x[..., :1], x[..., 1:2]
        spring = self.stiffness * self._pressed(δ) * (ω - self._velocity(scene))
        return (ω * (torque - self._transmitted(scene, δ, ω)) + spring)[..., 0]

    def _velocity(self, scene: Scene) -> np.ndarray:
        i = one_dof(scene.tree, self.joint, self.label)
        return scene.v[..., i : i + 1]

    def _transmitted(self, scene: Scene, δ: np.ndarray, ω: np.ndarray) -> np.ndarray:
        """K·dz(δ) + D(ω − u) (..., 1)."""
        return self.stiffness * self._pressed(δ) + self.damping * (ω - self._velocity(scene))

    def _pressed(self, δ: np.ndarray) -> np.ndarray:
        """dz(δ) (...): beyond the play, rounded."""
        if is_zero(self.backlash):
            return δ
        b, ε = self.backlash, 0.01 * self.backlash
        above, below = δ - b, -δ - b
        return 0.5 * (np.sqrt(above**2 + ε**2) + above) - 0.5 * (np.sqrt(below**2 + ε**2) + below)

    def _stored(self, δ: np.ndarray) -> Any:
        """∫dz dδ (...), zero where it is released."""
        if is_zero(self.backlash):
            return 0.5 * δ * δ
        b, ε = self.backlash, 0.01 * self.backlash
        return _rounded(δ - b, ε) + _rounded(-δ - b, ε)


def _rounded(y: Any, ε: Any) -> Any:
    """∫½(√(y²+ε²) + y) dy from far below on, up to a constant."""
    root, size = np.sqrt(y * y + ε * ε), np.abs(y)
    logarithm = sign(y) * np.log((size + root) / ε)
    return 0.25 * (y * root + ε * ε * logarithm + y * y)
