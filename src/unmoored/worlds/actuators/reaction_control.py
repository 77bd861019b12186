"""On/off thrusters fed from one tank: pulses with a least impulse, and propellant that is used (docs/theory.md §35)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import join, scale_vector
from ...model import ModelError, Tree
from ...model.value import frozen_array, replace_arrays
from ...trace import less, where
from ..scene import Scene, combined
from .actuator import Actuator, Effort
from .thruster import on_body

#: part of a cycle by which rounding of the time may be off
_ROUNDING = 1e-7


@dataclass(frozen=True, eq=False, repr=False)
class ReactionControl(Actuator):
    """Thrusters that are on or off, all of `force` (N), each along the x axis of its frame; one command for each.

    A command is the part of a cycle, 0 to 1, during which a valve is open: at the start of each `period` (s), for that
    part of it in whole `tick`s (s). Openings shorter than `least_pulse` (s) are not made: the least impulse is force ·
    least_pulse. Give commands once a cycle (control_step = period); impulses are exact if steps divide the tick.

    exhaust_speed: (m/s), 9.81 times the specific impulse; None: no propellant is used.  tank: a frame on the body that
    all frames are on, from which propellant flows; its mass is in that body's inertia, a point there, and leaves it.
    propellant: how much there is (kg); the state "used" counts (kg), and nothing is given when it is gone.
    """

    suffix: ClassVar[str] = "jets"
    structure: ClassVar[tuple[str, ...]] = (*Actuator.structure, "period", "tick")

    frames: Annotated[Sequence[str], list[str]]
    force: float
    period: float
    tick: float | None = field(default=None, kw_only=True)
    least_pulse: float = field(default=0.0, kw_only=True)
    exhaust_speed: float | None = field(default=None, kw_only=True)
    tank: str | None = field(default=None, kw_only=True)
    propellant: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        names = [self.frames] if isinstance(self.frames, str) else list(self.frames)
        replace_arrays(self, frames=tuple(names), limits=(0.0, 1.0) if self.limits is None else self.limits)
        super().__post_init__()
        if not names or len(set(names)) < len(names):
            raise ModelError.single(self.label, "frames", expected="different frames", given=repr(names))
        lowest, highest = np.asarray(self.limits)
        if self.lag is not None or lowest < 0 or highest > 1:
            expected = "no lag, and limits within 0 … 1"
            raise ModelError.single(
                self.label, "limits", expected=expected, given=f"{self.limits}, lag {self.lag}"
            )
        replace_arrays(self, tick=self.period / 1000.0 if self.tick is None else self.tick)
        for what in ("force", "period", "tick", "least_pulse", "propellant", "exhaust_speed"):
            if getattr(self, what) is None:
                continue
            number = float(frozen_array(getattr(self, what), (), where=self.label, what=what))
            if number < 0 or (number == 0 and what not in ("least_pulse", "propellant")):
                raise ModelError.single(self.label, what, expected="> 0", given=repr(number))
            replace_arrays(self, **{what: number})
        if (self.exhaust_speed is None) != (self.tank is None) or (
            self.tank is not None and not self.propellant
        ):
            expected = "exhaust_speed, tank and propellant > 0, or none of them"
            given = f"{self.exhaust_speed!r}, {self.tank!r}, {self.propellant!r}"
            raise ModelError.single(self.label, "propellant", expected=expected, given=given)

    @property
    def label(self) -> str:
        return self.name or self.suffix

    @property
    def depletes(self) -> bool:
        """Whether it uses propellant."""
        return self.exhaust_speed is not None

    def carried(self, prefix: str) -> Any:
        """The actuator, called "prefix_name", of a system whose frames become "prefix/name"."""
        tank = None if self.tank is None else f"{prefix}/{self.tank}"
        moved = {"frames": tuple(f"{prefix}/{name}" for name in self.frames), "tank": tank}
        return replace(self, **moved, name=f"{prefix}_{self.label}".replace("/", "_"))  # type: ignore[arg-type]

    def inputs(self, tree: Tree) -> tuple[str, ...]:
        """One for each thruster."""
        return tuple(self.frames)

    def states(self, tree: Tree) -> tuple[str, ...]:
        """The propellant used, if any is."""
        return ("used",) if self.depletes else ()

    def check(self, tree: Tree) -> None:
        """All frames must be on bodies; with a tank, on one, which has that mass."""
        bodies = {on_body(tree, name, self.label)[0] for name in self.frames}
        if self.tank is None:
            return
        index, _ = on_body(tree, self.tank, self.label)
        if bodies != {index}:
            expected = f"frames on the body of the tank, {tree.names[index]}"
            given = ", ".join(tree.names[i] for i in sorted(bodies))
            raise ModelError.single(self.label, "frames", expected=expected, given=given)
        if not self.propellant < tree.bodies[index].inertia.mass:
            expected = f"less than the mass of {tree.names[index]}, {tree.bodies[index].inertia.mass:g} kg"
            raise ModelError.single(
                self.label, "propellant", expected=expected, given=f"{self.propellant:g} kg"
            )

    def unsuited_steps(self, step: float, t0: float) -> str:
        """Steps that do not divide the tick: a valve would open or close within them."""
        assert self.tick is not None  # see __post_init__
        counts = np.array([self.tick, self.period, t0]) / step
        if np.all(np.abs(counts - np.round(counts)) <= 1e-6) and counts[0] > 0.5:
            return ""
        return (
            f"ticks of {self.tick:g} s (period {self.period:g} s) are not whole steps of {step:g} s from {t0:g} s on:"
            f" every pulse may be off by {self.force * min(step, self.period) / 2:.2g} N s; take a step that divides"
            " the tick, or the step as tick"
        )

    def check_states(self, x: np.ndarray) -> None:
        """No less used than nothing, and no more than there is."""
        if self.depletes and not np.all((x >= 0.0) & (x <= self.propellant * (1.0 + 1e-3))):
            expected = f"from 0 to the propellant, {self.propellant:g} kg"
            raise ModelError.single(self.label, "used", expected=expected, given=repr(x[..., 0].tolist()))

    def action(self, t: Any, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """1 where a valve is open, 0 where it is closed or the tank is empty (..., n)."""
        duty = self.limited(u)
        k = np.floor(t / self.period + _ROUNDING)
        phase = np.asarray(t - k * self.period)[..., None]
        assert self.tick is not None  # see __post_init__
        opened = self.tick * np.floor(duty * self.period / self.tick + 0.5)
        opened = where(less(opened, self.least_pulse - _ROUNDING * self.period), 0.0, opened)
        on = where(less(phase, opened - _ROUNDING * self.period), 1.0, 0.0)
        if self.fails_at is not None:
            on = on * where(less(t, self.fails_at), 1.0, 0.0)
        return on * where(less(x[..., :1], self.propellant), 1.0, 0.0) if self.depletes else on

    def effort(self, scene: Scene, y: np.ndarray) -> Effort:
        """Their forces, and what the flow from the tank does to a turning body."""
        parts = [e.wrenches for e in self._units(scene, [y[..., k] for k in range(len(self.frames))])]
        if self.depletes:
            parts += self._flowing(scene, y)
        return Effort(combined(*parts))

    def unit_efforts(self, scene: Scene) -> list[Effort]:
        """On the average of a cycle that is open all along."""
        return self._units(scene, [np.ones(())] * len(self.frames))

    def state_rates(self, scene: Scene, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """How fast propellant is used (kg/s)."""
        if not self.depletes:
            return np.zeros(0)
        return self._flow(self.action(scene.t, x, u)).sum(axis=-1, keepdims=True)

    def taken(self, tree: Tree, x: np.ndarray) -> list[tuple[int, Any, np.ndarray]]:
        """What was used, out of the tank."""
        if not self.depletes:
            return []
        index, pose = tree.locate(str(self.tank))
        return [(index, x[..., 0], se3.position(pose))]

    def own_power(self, scene: Scene, x: np.ndarray, y: np.ndarray) -> Any:
        """What the leaving mass takes along (...) [W]: its kinetic energy in the tank, and that of its weight."""
        if not self.depletes:
            return 0.0
        index, pose = scene.dry.locate(str(self.tank))
        r, V = se3.position(pose), scene.twists[index]
        v = V[..., :3] + so3.cross(V[..., 3:], r)
        used = self._flow(y).sum(axis=-1)
        lifted = (scene.gravity * scene.point(index, r)).sum(axis=-1)
        return used * (lifted - 0.5 * (v * v).sum(axis=-1))

    def _flow(self, y: np.ndarray) -> np.ndarray:
        """Propellant (kg/s) through each nozzle (..., n)."""
        return (self.force / self.exhaust_speed) * y  # type: ignore[operator]

    def _units(self, scene: Scene, factors: list[Any]) -> list[Effort]:
        found = []
        for name, factor in zip(self.frames, factors, strict=True):
            index, pose = scene.dry.locate(name)
            F = scale_vector(self.force * factor, np.array([1.0, 0, 0, 0, 0, 0]))
            found.append(Effort({index: se3.Ad_inv_transpose_apply(pose, F)}))
        return found

    def _flowing(self, scene: Scene, y: np.ndarray) -> list[dict[int, np.ndarray]]:
        """ṁ(2ω×d ; 2r_m×(ω×d)) of each pipe, d from the tank to the nozzle, r_m its middle: jet damping."""
        index, pose = scene.dry.locate(str(self.tank))
        ω, tank, flow = scene.twists[index][..., 3:], se3.position(pose), self._flow(y)
        found = []
        for k, name in enumerate(self.frames):
            nozzle = se3.position(scene.dry.locate(name)[1])
            turned = scale_vector(-2.0 * flow[..., k], so3.cross(ω, nozzle - tank))
            found.append({index: join([turned, so3.cross(0.5 * (nozzle + tank), turned)])})
        return found
