"""Live mode: the system moves by its dynamics while joint targets are dragged and bodies are pushed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...integrators import Rate, State, method_named
from ...lie import so3
from ...system import System
from ...worlds import Earth, JointEffects, Plant

_NO_STATES = np.zeros(0)


class LiveState(NamedTuple):
    """Time t (s), q (nq,) and v (nv,)."""

    t: float
    q: np.ndarray
    v: np.ndarray


class Stepper(Protocol):
    """Anything that takes a state one step of `step_size` seconds onward under generalized forces (nv,)."""

    step_size: float

    def step(self, state: LiveState, u: np.ndarray) -> LiveState:
        """The state one step later."""
        ...


@dataclass(frozen=True)
class GroupStepper:
    """Munthe-Kaas steps of a system or plant: acceleration(t, q, v, tau) ↦ (nv,)."""

    system: System
    acceleration: Callable[[float, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    step_size: float = 4e-3
    method: str = "heun"

    def step(self, state: LiveState, u: np.ndarray) -> LiveState:
        """One step with the force u (nv,) held."""

        def rate(t: Any, y: State) -> Rate:
            return Rate(y.w, self.acceleration(float(t), y.q, y.w, u), _NO_STATES)

        y = State(state.q, state.v, _NO_STATES)
        after, _ = method_named(self.method)(self.system.tree, rate, state.t, y, self.step_size)
        return LiveState(state.t + self.step_size, after.q, after.w)


@dataclass(frozen=True)
class Pull:
    """A spring between a point of a body, at `grip` (3,) in its axes, and `towards` (3,) in world axes (m)."""

    body: str
    grip: np.ndarray
    towards: np.ndarray


@dataclass(frozen=True)
class Hand:
    """What a person does to the system: servos that bring the joints to targets, and a pull on a body.

    bandwidth (rad/s) of the servos, which are critically damped. They know the system's dry dynamics under gravity
    (3,) and that the vehicle gives way, but not the pull. Without hold_vehicle nothing drives the vehicle.
    """

    system: System
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    bandwidth: float = 6.0
    hold_vehicle: bool = False

    def forces(self, state: LiveState, target: np.ndarray, pull: Pull | None) -> np.ndarray:
        """Generalized forces (nv,) that bring q to the configuration `target` (nq,), and of the pull."""
        system, ω, (_, q, v) = self.system, self.bandwidth, state
        wanted = ω**2 * system.local(q, target) - 2.0 * ω * v
        _, servo = system.hybrid_dynamics(
            q, v, tau=np.zeros(system.nv), acceleration=wanted, passive=self._passive, gravity=self.gravity
        )
        return servo if pull is None else servo + self._pulled(state, pull)

    @cached_property
    def _passive(self) -> np.ndarray:
        mask = np.zeros(self.system.nv)
        if not self.hold_vehicle:
            mask[self.system.tree.dofs(self.system.vehicles)] = 1.0
        return mask

    def _pulled(self, state: LiveState, pull: Pull) -> np.ndarray:
        """Jᵀf of a spring and damper at the grip, as stiff as suits the system's mass."""
        g = self.system.pose(state.q, pull.body)
        J = self.system.mixed_jacobian(state.q, pull.body)
        r = g[:3, :3] @ pull.grip
        J_grip = J[:3] - so3.hat(r) @ J[3:]
        m, ω = self.system.mass, 3.0
        f = m * (ω**2 * (pull.towards - g[:3, 3] - r) - 2.0 * ω * (J_grip @ state.v))
        return J_grip.T @ f


def dry_stepper(system: System, gravity: tuple[float, float, float]) -> GroupStepper | PlantStepper:
    """Steps of the system alone under gravity (3,) in world axes (m/s²); joints that follow others do so."""
    if system.couplings:
        return _coupled_stepper(system, tuple(gravity))
    return GroupStepper(system, lambda t, q, v, u: system.forward_dynamics(q, v, u, gravity=gravity))


@lru_cache(maxsize=4)
def _coupled_stepper(system: System, gravity: tuple[float, float, float]) -> PlantStepper:
    without = JointEffects(springs=False, damping=False, friction=False, stops=False)
    return PlantStepper(Plant(system, Earth(gravity=gravity), joints=without))


@dataclass(frozen=True)
class PlantStepper:
    """Steps of a plant whose inputs are forces along all DoFs; constraints, closures, prescribed motions are kept."""

    plant: Any
    step_size: float = 4e-3

    def step(self, state: LiveState, u: np.ndarray) -> LiveState:
        """One step with the force u (nv,) held."""
        stepper = GroupStepper(self.plant.system, self.plant.forward_dynamics, self.step_size)
        return self._kept(stepper.step(self._kept(state), u))

    def _kept(self, state: LiveState) -> LiveState:
        """The state with prescribed joints where they are at its time, loops closed, and a velocity that obeys the
        constraints; `ModelError` if a loop cannot be closed from here."""
        t, plant = state.t, self.plant
        if plant.closures:
            found = plant.closed_state(t, state.q, state.v)
            if not np.isfinite(found.q).all():  # far off, as sliders leave it
                found = plant.assemble(state.q, state.v, t=t)
            return LiveState(t, found.q, found.v)
        if plant.nw == plant.nv:
            return state
        velocities = plant.velocities
        q = velocities.configuration(t, state.q)
        return LiveState(t, q, velocities.full(t, q, velocities.independent(q, state.v)))


def plant_stepper(plant: Any) -> PlantStepper:
    """Steps of a plant with forces along all DoFs in place of its actuators."""
    tree, worlds = plant.system.tree, plant.worlds
    by_worlds = {joint for world in worlds for joint in world.prescribed(tree)}
    driven = type(plant)(
        plant.system,
        world=worlds,
        constraints=plant.constraints,
        prescribed={joint: path for joint, path in plant.prescribed if joint not in by_worlds},
        free=plant.free,
        joints=plant.joints,
        elements=plant.elements,
        closures=plant.closures,
    )
    return PlantStepper(driven)
