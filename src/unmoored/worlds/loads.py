"""Everything that acts on the system at one instant: world, joints and actuators together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..dynamics.economy.fewest_operations import cheapest
from ..dynamics.free_numbers import with_parameters
from ..lie import so3
from ..lie.arrays import join, scale_vector
from ..model import ModelError, Tree
from ..trace import is_symbolic, is_zero
from .actuators import Actuator, Effort
from .closures import Closing
from .coupled_joints import CoupledJoints
from .depletion import depletes, lightened
from .element_loads import element_wrenches
from .elements import Element
from .independent_velocities import Velocities
from .plants.plant_parameters import actuators_at, couplings_at, gravity_at, of_bodies, ties_at, worlds_at
from .scene import BodyWrenches, Scene, combined
from .world import NO_GRAVITY, World
from .world_wrenches import wrenches_of

if TYPE_CHECKING:
    from .plants.plant import Plant


class Setting(NamedTuple):
    """A plant with the values of its free parameters put in.

    tree: what the recursions compute with, added mass in; where none of their numbers is free it is the plant's own and
    keeps its cheap frames.  dry: the system's tree with all numbers of bodies, joints, fluids and frames put in.
    """

    tree: Tree
    dry: Tree
    worlds: tuple[World, ...]
    actuators: tuple[Actuator, ...]
    gravity: np.ndarray
    velocities: Velocities
    elements: tuple[Element, ...]
    closures: tuple[Closing, ...]


class Loads(NamedTuple):
    """Forces (..., nv) along the DoFs, wrenches (..., 6) on bodies, and the gravity (..., 3) not in the wrenches."""

    forces: np.ndarray
    wrenches: BodyWrenches
    gravity: np.ndarray

    def named(self, tree: Tree) -> dict[str, np.ndarray]:
        """The wrenches by body name, as the recursions take them."""
        return {tree.names[index]: F for index, F in self.wrenches.items()}


def setting(plant: Plant, p: np.ndarray, x: np.ndarray | None = None) -> Setting:
    """Everything that free parameters change, at their values p (..., n). Addresses of tables may follow them.

    x (..., nx): states of the actuators, which count where they take mass out of bodies.
    """
    now = _setting(plant, p)
    return lightened(plant, now, x) if depletes(plant) else now


def at_place(now: Setting, t: Any, q: np.ndarray) -> Setting:
    """The setting with inertias that depend on where the bodies are, at time t (...), q (..., nq)."""
    if not any(world.inertia_by_place for world in now.worlds):
        return now
    scene = scene_at(now, t, q, np.zeros(now.tree.nv))
    links = list(now.tree.links)
    for world in now.worlds:
        for i, change in world.inertia_changes(scene).items():
            links[i] = replace(links[i], inertia=links[i].inertia + change)
    tree = now.tree.with_links(links)
    tree.__dict__["bodies"], tree.__dict__["frames"] = now.tree.bodies, now.tree.frames
    return now._replace(tree=tree)


def inertia_by_place(plant: Plant) -> bool:
    """Whether inertias depend on where the bodies are."""
    return any(world.inertia_by_place for world in plant.worlds)


def refuse_by_place(plant: Plant, what: str) -> None:
    """Refuse a method that is made for inertias that are constant."""
    if inertia_by_place(plant):
        expected = f"Ocean(added_mass='whole') at a surface ({what} takes inertias as constant)"
        raise ModelError.single(plant.name, what, expected=expected, given="added mass by the immersed part")


def _setting(plant: Plant, p: np.ndarray) -> Setting:
    if not plant._declared:
        dry, acting = plant.system.tree, plant.actuators or ()
        ties = plant.elements, plant.closures
        return Setting(plant.tree, dry, plant.worlds, acting, plant.gravity, plant._velocities(p), *ties)
    worlds = worlds_at(plant.worlds, plant._declared, p)
    actuators = actuators_at(plant.actuators or (), plant._declared, p)
    dry = with_parameters(plant.system.tree, plant._declared, p)
    return Setting(
        with_added_inertia(dry, worlds, actuators) if of_bodies(plant._declared) else plant.tree,
        dry,
        worlds,
        actuators,
        gravity_at(plant.gravity, plant._declared, p),
        velocities_at(plant, worlds, p),
        ties_at(plant.elements, plant._declared, p),
        ties_at(plant.closures, plant._declared, p),
    )


def with_added_inertia(dry: Tree, worlds: tuple[World, ...], actuators: tuple[Actuator, ...]) -> Tree:
    """The tree whose links have added mass in their inertias, and lack what actuators take out of them."""
    links = []
    for link, body in zip(dry.links, dry.bodies, strict=True):
        added = [world.added_inertia(body) for world in worlds]
        added += [actuator.added_inertia(dry, link.index) for actuator in actuators]
        total = [A for A in added if A is not None]
        links.append(replace(link, inertia=sum(total, link.inertia)) if total else link)
    wet = dry.with_links(links)
    wet.__dict__["bodies"], wet.__dict__["frames"] = dry.bodies, dry.frames
    return wet


def velocities_at(plant: Plant, worlds: tuple[World, ...], p: np.ndarray) -> Velocities:
    """The independent velocities with the motions that the worlds prescribe, and the couplings, at parameters p."""
    tree, own = plant.system.tree, len(plant.nominal_parameters)
    found = plant.velocities.with_couplings(couplings_at(tree, plant._declared, p))
    if any(new is not old for new, old in zip(worlds, plant.worlds, strict=True)):
        moved = {name: path for world in worlds for name, path in world.prescribed(plant.tree).items()}
        found = found.with_motions(moved) if moved else found
    return found.with_tables(plant._tables, p[..., own:]) if p.shape[-1] > own else found


def weighs_by_recursion(plant: Plant) -> bool:
    """Whether weight enters as a fictitious acceleration; not with added mass, buoyancy or free masses."""
    return plant.tree is plant.system.tree and not plant._displaces and not of_bodies(plant._declared)


def on_wet_tree(
    function: Callable[..., Any], project: Callable[..., Any] | None = None, *, constant: bool = False
) -> Callable[..., Any]:
    """A function of (tree, *arrays, *names) as one of (plant, p, *arrays, *names): of the tree with added mass.

    The arrays are q, or q and v. project(joints, result, *arguments): the result where joints follow others; without it
    a plant that has such joints is refused.  constant: the function is one of constant inertias only.
    """

    def wet(plant: Plant, p: np.ndarray, *arguments: Any) -> Any:
        if constant:
            refuse_by_place(plant, function.__name__)
        now = setting(plant, p)
        joints = now.velocities.joints
        if joints:
            refuse_coupled(plant, function.__name__, project is not None)
            arrays = [x for x in arguments if isinstance(x, np.ndarray)]
            moving = [joints.configuration(arrays[0]), *(joints.velocity(v) for v in arrays[1:])]
            arguments = (*moving, *arguments[len(arrays) :])
        now = at_place(now, np.zeros(()), arguments[0])
        traced = any(is_symbolic(argument) for argument in arguments if isinstance(argument, np.ndarray))
        found = cheapest(function, now.tree, *arguments) if traced else function(now.tree, *arguments)
        return found if project is None or not joints else project(joints, found, *arguments)

    wet.__name__ = function.__name__
    return wet


def with_passive(function: Callable[..., Any]) -> Callable[..., Any]:
    """`on_wet_tree` of a function whose last argument are passive DoFs: the given force must be all that acts there."""
    wet = on_wet_tree(function, CoupledJoints.of_active)

    def checked(plant: Plant, p: np.ndarray, *arguments: Any) -> Any:
        refuse_closed(plant, function.__name__)
        plant.velocities.refuse_passive(arguments[-1])
        return wet(plant, p, *arguments)

    checked.__name__ = function.__name__
    return checked


def refuse_tied(plant: Plant, what: str, prescribed: bool = True, coupled: bool = True) -> None:
    """Refuse a method that is made for independent velocities where constraints, couplings or motions tie some."""
    refuse_coupled(plant, what, known=not coupled)
    found = [
        (
            f"constraints ({what} has no form for them)",
            [type(c).__name__ for c in plant.velocities.constraints],
        ),
        (
            "prescribed joints (they give way to no force)",
            [n for n, _ in plant.velocities.prescribed if prescribed],
        ),
    ]
    for tie, given in found:
        if given:
            expected = f"no {tie}; plant.wet_system.{what} takes all joints as free"
            raise ModelError.single(plant.name, what, expected=expected, given=given[0])


def refuse_closed(plant: Plant, what: str) -> None:
    """Refuse a method that has no form for closed loops."""
    if plant.closures:
        expected = f"no closures ({what} has no form for them)"
        raise ModelError.single(plant.name, what, expected=expected, given=plant.closures[0].label)


def refuse_coupled(plant: Plant, what: str, known: bool = False) -> None:
    """Refuse a method that is not made for joints that follow others, unless it is known."""
    if plant.velocities.couplings and not known:
        first = plant.velocities.couplings[0]
        expected = (
            f"no couplings ({what} has no form for them); plant.wet_system.{what} takes all joints as free"
        )
        raise ModelError.single(
            plant.name, what, expected=expected, given=f"{first.joint} follows {first.leader}"
        )


def split_inputs(
    plant: Plant, now: Setting, x: np.ndarray, u: np.ndarray
) -> list[tuple[Actuator, np.ndarray, np.ndarray]]:
    """(actuator, own states (..., n), own inputs (..., n)) for each actuator."""
    parts, k = [], 0
    for actuator, own in split_states(plant, now, x):
        nu = len(actuator.inputs(plant.tree))
        parts.append((actuator, own, u[..., k : k + nu]))
        k += nu
    return parts


def split_states(plant: Plant, now: Setting | Plant, x: np.ndarray) -> list[tuple[Actuator, np.ndarray]]:
    """(actuator, own states (..., n)) for each actuator."""
    parts, i = [], 0
    for actuator in now.actuators:
        nx = len(actuator.states(plant.tree))
        parts.append((actuator, x[..., i : i + nx]))
        i += nx
    return parts


def scene_at(now: Setting, t: Any, q: np.ndarray, v: np.ndarray) -> Scene:
    """The system at time t (...), q (..., nq), v (..., nv)."""
    return Scene(t, now.tree, now.dry, q, v, now.gravity, now.worlds)


def loads(plant: Plant, now: Setting, scene: Scene, x: np.ndarray, u: np.ndarray) -> Loads:
    """All loads at actuator states x (..., nx) and inputs u (..., nu)."""
    kinds = [part for world in now.worlds for part in wrenches_of(world, scene).values()]
    stiffness = plant.stop_stiffness
    forces = plant.joints.conservative_forces(now.dry, scene.q, stiffness)
    forces = forces + plant.joints.dissipative_forces(now.dry, scene.q, scene.v, stiffness)
    kinds.append(element_wrenches(now.elements, scene))
    effort = actuator_effort(plant, now, scene, x, u)
    forces = forces if effort.forces is None else forces + effort.forces
    weighed = [] if weighs_by_recursion(plant) else [weights(now, scene)]
    return Loads(forces, combined(*weighed, *kinds, effort.wrenches), gravity_by_recursion(plant, now))


def gravity_by_recursion(plant: Plant, now: Setting) -> np.ndarray:
    """The gravity (..., 3) in world axes that enters as a fictitious acceleration."""
    return now.gravity if weighs_by_recursion(plant) else NO_GRAVITY


def actuator_effort(plant: Plant, now: Setting, scene: Scene, x: np.ndarray, u: np.ndarray) -> Effort:
    """The efforts of all actuators together; without actuators u (..., nv) are the forces."""
    if plant.actuators is None:
        return Effort({}, u)
    forces, wrenches = None, []
    for actuator, own_x, own_u in split_inputs(plant, now, x, u):
        effort = actuator.effort(scene, actuator.action(scene.t, own_x, own_u))
        wrenches.append(effort.wrenches)
        if effort.forces is not None:
            forces = effort.forces if forces is None else forces + effort.forces
    return Effort(combined(*wrenches), forces)


def state_rates(plant: Plant, now: Setting, scene: Scene, x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """ẋ (..., nx) of the actuators' own states."""
    split = split_inputs(plant, now, x, u)
    parts = [actuator.state_rates(scene, own_x, own_u) for actuator, own_x, own_u in split if own_x.shape[-1]]
    return join(parts) if parts else np.zeros_like(x)


def weights(now: Setting, scene: Scene) -> dict[int, np.ndarray]:
    """Weight less buoyancy ((m − ρ∇)γ_i ; (m c − ρ∇ r_b)×γ_i) of every body, γ_i = R_0iᵀγ (theory.md §7)."""
    if is_zero(now.gravity):
        return {}
    found, turned = {}, scene.turned(now.gravity)
    for link, γ in zip(now.tree.links, turned, strict=True):
        mass, moment = apparent_mass(now, link.index)
        if not (is_zero(mass) and is_zero(moment)):
            found[link.index] = join([np.asarray(mass)[..., None] * γ, so3.cross(moment, γ)])
    return found


def apparent_mass(now: Setting, index: int) -> tuple[Any, Any]:
    """(m − Σρ∇ (...), m c − Σρ∇ r_b (..., 3)) of a body: what its weight in all fluids acts with."""
    link, body = now.tree.links[index], now.dry.bodies[index]
    mass, moment = link.mass, scale_vector(link.mass, link.com)
    for displaced in (world.displaced(body) for world in now.worlds):
        if displaced is not None:
            mass, moment = mass - displaced[0], moment - displaced[1]
    return mass, moment
