"""Run-time parameters: numbers of worlds and bodies that differ from sample to sample."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..lie import so3
from ..lie.arrays import blocks
from ..model import Link, ModelError, Tree
from ..model.errors import unknown_name
from .world import World

_OF_BODIES = ("mass", "inertia_scale")


@dataclass(frozen=True)
class Parameter:
    """One named parameter: its place in the flat vector p, and the value it has in the plant as built."""

    name: str
    place: slice
    nominal: np.ndarray

    @property
    def owner(self) -> str:
        """The world or body that it belongs to, "" for the plant."""
        return self.name.rpartition(".")[0]

    @property
    def field(self) -> str:
        """What it is of its owner."""
        return self.name.rpartition(".")[2]


def declared(
    names: Sequence[str], tree: Tree, worlds: tuple[World, ...], gravity: np.ndarray
) -> tuple[Parameter, ...]:
    """The parameters with these names: "gravity", "ocean.current", "arm3.mass", "arm3.inertia_scale", …"""
    known = _known(tree, worlds, gravity)
    found: list[Parameter] = []
    for name in names:
        if name not in known:
            raise unknown_name(tree.name, "parameter", name, known)
        if any(p.name == name for p in found):
            raise ModelError.single(
                tree.name, "parameters", expected="different names", given=f"{name!r} twice"
            )
        start = found[-1].place.stop if found else 0
        found.append(Parameter(name, slice(start, start + len(known[name])), known[name]))
    both = {p.owner for p in found if p.field == "mass"} & {
        p.owner for p in found if p.field == "inertia_scale"
    }
    if both:
        expected = "mass or inertia_scale of a body, not both"
        raise ModelError.single(min(both), "parameters", expected=expected, given="both")
    return tuple(found)


def _known(tree: Tree, worlds: tuple[World, ...], gravity: np.ndarray) -> dict[str, np.ndarray]:
    known = {"gravity": gravity}
    for world in worlds:
        for field, size in world.parameters.items():
            value = getattr(world, field)
            if value is None:
                value = np.zeros(size)
            if isinstance(
                value, int | float | np.ndarray
            ):  # a current that is a function has no numbers to vary
                known[f"{world.name}.{field}"] = np.broadcast_to(np.asarray(value, dtype=float), (size,))
    for body in tree.bodies:
        known[f"{body.name}.mass"] = np.array([body.inertia.mass])
        known[f"{body.name}.inertia_scale"] = np.ones(1)
    return known


def of_bodies(parameters: Sequence[Parameter]) -> bool:
    """Whether any of the parameters changes a body."""
    return any(p.field in _OF_BODIES for p in parameters)


def worlds_at(worlds: tuple[World, ...], parameters: Sequence[Parameter], p: np.ndarray) -> tuple[World, ...]:
    """The worlds with the values in p (..., n) put in, unchecked: they may be symbols or a batch."""
    return tuple(_world_at(world, parameters, p) for world in worlds)


def _world_at(world: World, parameters: Sequence[Parameter], p: np.ndarray) -> World:
    own = [parameter for parameter in parameters if parameter.owner == world.name]
    if not own:
        return world
    loaded = copy.copy(world)
    for parameter in own:
        value = p[..., parameter.place]
        object.__setattr__(loaded, parameter.field, value if len(parameter.nominal) > 1 else value[..., 0])
    return loaded


def gravity_at(gravity: np.ndarray, parameters: Sequence[Parameter], p: np.ndarray) -> np.ndarray:
    """Gravity (..., 3): that of the plant, or the one in p (..., n)."""
    own = [parameter for parameter in parameters if parameter.name == "gravity"]
    return p[..., own[0].place] if own else gravity


def tree_at(tree: Tree, dry: Tree, parameters: Sequence[Parameter], p: np.ndarray) -> Tree:
    """The tree with the masses in p (n,) put into its links: they may be symbols, but no batch."""
    if not of_bodies(parameters):
        return tree
    links = list(tree.links)
    for parameter in parameters:
        if parameter.field in _OF_BODIES:
            index = tree.index(parameter.owner)
            change = _heavier if parameter.field == "mass" else _scaled
            links[index] = change(links[index], dry.links[index], p[parameter.place][0])
    return tree.with_links(links)


def _heavier(link: Link, dry: Link, mass: Any) -> Link:
    """Another mass at the same centre of mass, the same moments of inertia about it."""
    c = so3.hat(link.com)
    per_mass = blocks([[np.eye(3), -c], [c, -(c @ c)]])
    return replace(link, mass=mass, inertia=link.inertia + (mass - dry.mass) * per_mass)


def _scaled(link: Link, dry: Link, scale: Any) -> Link:
    """A body of the same shape and `scale` times the density; added mass stays."""
    return replace(link, mass=scale * dry.mass, inertia=link.inertia + (scale - 1.0) * dry.inertia)
