"""Run-time parameters: numbers of worlds and bodies that differ from sample to sample."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from ..dynamics.body_parameters import OF_BODIES, Parameter, body_parameters
from ..dynamics.body_parameters import declared as found
from ..model import Tree
from .world import World


def declared(
    names: Sequence[str], tree: Tree, worlds: tuple[World, ...], gravity: np.ndarray
) -> tuple[Parameter, ...]:
    """The parameters with these names: "gravity", "ocean.current", "arm3.mass", … (see `dynamics.parameters`)."""
    return found(tree.name, names, _known(tree, worlds, gravity))


def _known(tree: Tree, worlds: tuple[World, ...], gravity: np.ndarray) -> dict[str, np.ndarray]:
    known = {"gravity": gravity}
    for world in worlds:
        for field, size in world.parameters.items():
            value = getattr(world, field)
            if value is None:
                value = np.zeros(size)
            # a current that is a function has no numbers to vary
            if isinstance(value, int | float | np.ndarray):
                known[f"{world.name}.{field}"] = np.broadcast_to(np.asarray(value, dtype=float), (size,))
    return known | body_parameters(tree)


def of_bodies(parameters: Sequence[Parameter]) -> bool:
    """Whether any of the parameters changes a body."""
    return any(p.field in OF_BODIES for p in parameters)


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
