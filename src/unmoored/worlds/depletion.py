"""Bodies that grow lighter: what actuators take out of tanks, at their states (docs/theory.md §35)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..lie import so3
from ..lie.arrays import blocks, scale, scale_vector, transpose
from ..model import Link, ModelError, Tree

if TYPE_CHECKING:
    from .loads import Setting
    from .plants.plant import Plant


def depletes(plant: Plant) -> bool:
    """Whether an actuator of the plant takes mass out of a body."""
    return any(actuator.depletes for actuator in plant.actuators or ())


def lightened(plant: Plant, now: Setting, x: np.ndarray | None) -> Setting:
    """The setting with what was taken from the bodies, at the actuators' states x (..., nx)."""
    if x is None:
        expected = "the actuators' states x: propellant that was used changes the masses"
        raise ModelError.single(plant.name, "propellant", expected=expected, given="a method that has none")
    taken: dict[int, list[tuple[Any, Any]]] = {}
    first = 0
    for actuator in now.actuators:
        count = len(actuator.states(plant.tree))
        for index, mass, place in actuator.taken(now.dry, x[..., first : first + count]):
            taken.setdefault(index, []).append((mass, place))
        first += count
    return now._replace(tree=_without(now.tree, taken), dry=_without(now.dry, taken))


def _without(tree: Tree, taken: dict[int, list[tuple[Any, Any]]]) -> Tree:
    """The tree less the masses (...) at places (3,) on its bodies."""
    links = [_lighter(link, taken.get(link.index, [])) for link in tree.links]
    lighter = tree.with_links(links)
    lighter.__dict__["bodies"], lighter.__dict__["frames"] = tree.bodies, tree.frames
    return lighter


def _lighter(link: Link, taken: list[tuple[Any, Any]]) -> Link:
    for mass, place in taken:
        r = so3.hat(np.asarray(place))
        point = blocks([[np.eye(3), -r], [r, transpose(r) @ r]])
        left = link.mass - mass
        moment = scale_vector(link.mass, link.com) - scale_vector(mass, place)
        link = replace(
            link, mass=left, com=scale_vector(1.0 / left, moment), inertia=link.inertia - scale(mass, point)
        )
    return link
