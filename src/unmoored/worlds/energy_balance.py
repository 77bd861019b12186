"""Energy of a plant, and the powers that change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..dynamics.energy import kinetic_energy
from .element_loads import element_potential, element_power
from .loads import (
    Setting,
    actuator_effort,
    apparent_mass,
    at_place,
    scene_at,
    setting,
    split_inputs,
    split_states,
)
from .plants.plant_equations import generalised, reactions
from .scene import BodyWrenches, Scene
from .world_wrenches import wrenches_of

if TYPE_CHECKING:
    from .plants.plant import Plant


class Energy(NamedTuple):
    """Energies (...) in joules: kinetic with added mass, potential of weight, buoyancy, springs, stops,
    elements and tide."""

    kinetic: np.ndarray
    potential: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """Kinetic plus potential energy (...)."""
        return self.kinetic + self.potential


class Power(NamedTuple):
    """Powers (...) in watts, positive if they add to the energy.

    actuators: of the inputs.  drag: of the water's drag and lift.  current: of what a current does through
    added mass and
    pressure.  joints: of damping, friction and the damping of stops.  world: of a potential that changes with time.
    prescribed: of what keeps prescribed motions; constraints and closures do no work.  elements: of the damping of
    springs, bushings and lines between frames.
    """

    actuators: np.ndarray
    drag: np.ndarray
    current: np.ndarray
    joints: np.ndarray
    world: np.ndarray
    prescribed: np.ndarray
    elements: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """Rate (...) of the plant's energy."""
        own = self.actuators + self.joints + self.prescribed + self.elements
        return own + self.drag + self.current + self.world


def energy(plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, x: np.ndarray, p: np.ndarray) -> Energy:
    """Energies (...) at time t (...), q (..., nq), v (..., nv), actuator states x (..., nx), parameters p (..., n)."""
    now = setting(plant, p, x)
    q, v = now.velocities.joints.configuration(q), now.velocities.joints.velocity(v)
    now = at_place(now, t, q)
    scene = scene_at(now, t, q, v)
    stored = sum(actuator.energy(own) for actuator, own in split_states(plant, now, x))
    potential = _weight_energy(now, scene) + plant.joints.potential(now.dry, q, plant.stop_stiffness)
    potential = potential + sum(world.potential(scene) for world in now.worlds)
    potential = potential + element_potential(now.elements, scene)
    kinetic = kinetic_energy(now.tree, q, v) + stored
    return Energy(*np.broadcast_arrays(kinetic, potential + 0.0 * kinetic))


def _weight_energy(now: Setting, scene: Scene) -> Any:
    """−Σ γᵀ((m − ρ∇) p + R (m c − ρ∇ r_b)) (...) [J]: zero at the world origin."""
    total = 0.0
    for link in now.tree.links:
        mass, moment = apparent_mass(now, link.index)
        place = np.asarray(mass)[..., None] * scene.point(link.index, np.zeros(3))
        turned = scene.point(link.index, moment) - scene.point(link.index, np.zeros(3))
        total = total - (scene.gravity * (place + turned)).sum(axis=-1)
    return total


def power(
    plant: Plant, t: Any, q: np.ndarray, v: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> Power:
    """Powers (...) at time t (...), q (..., nq), v (..., nv), x (..., nx), u (..., nu), p (..., n)."""
    now = setting(plant, p, x)
    moving = now.velocities
    w = moving.independent(q, v)
    q = moving.configuration(t, q)
    v = moving.full(t, q, w)
    scene = scene_at(now, t, q, v)
    kinds = [wrenches_of(world, scene) for world in now.worlds]
    rubbing = plant.joints.dissipative_forces(now.dry, q, v, plant.stop_stiffness)
    none = 0.0 * v[..., 0] if plant.nv else np.zeros(())
    held = (reactions(plant, t, q, v, x, u, p) * v).sum(axis=-1) if moving.prescribed else none
    return Power(
        actuators=_actuator_power(plant, now, scene, x, u) + none,
        drag=sum((_work(scene, parts.get(kind, {})) for parts in kinds for kind in ("drag", "lift")), none),
        current=sum((_work(scene, parts.get("current", {})) for parts in kinds), none),
        joints=(rubbing * v).sum(axis=-1),
        world=sum((world.potential_rate(scene) for world in now.worlds), none),
        prescribed=held,
        elements=element_power(now.elements, scene) + none,
    )


def _actuator_power(plant: Plant, now: Setting, scene: Scene, x: np.ndarray, u: np.ndarray) -> Any:
    total = (generalised(scene, actuator_effort(plant, now, scene, x, u)) * scene.v).sum(axis=-1)
    for actuator, own_x, own_u in split_inputs(plant, now, x, u):
        total = total + actuator.own_power(scene, own_x, actuator.action(scene.t, own_x, own_u))
    return total


def _work(scene: Scene, wrenches: BodyWrenches) -> Any:
    """Σ V_iᵀF_i (...) [W]."""
    return sum((scene.twists[i] * F).sum(axis=-1) for i, F in wrenches.items())
