"""Free numbers of a plant: of its bodies and frames, worlds, actuators, elements and closures, by one rule.

Whatever is a number in a field of a frozen object can be free, "owner.field"; it is then a run-time parameter, and
every sample of a batch may have its own. Putting a value in replaces the field; what follows is derived again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from ...dynamics.free_numbers import OF_RECURSIONS, Parameter, replaced, tree_numbers
from ...dynamics.free_numbers import declared as found
from ...model import Mimic, ModelError, Tree
from ..actuators import Actuator
from ..closures import Closure, RollingDisc
from ..elements import Element
from ..elements.element import Tie
from ..world import World

#: time (s) at which an actuator fails that never does
NEVER = 1e30
#: begins the fields of a joint's coupling
_MIMIC = "mimic."

Owner = TypeVar("Owner", World, Actuator, Element, Closure, RollingDisc)
Tied = TypeVar("Tied", Element, Closure, RollingDisc)


def declared(
    names: Iterable[str],
    tree: Tree,
    worlds: tuple[World, ...],
    actuators: tuple[Actuator, ...],
    ties: tuple[Tie, ...],
    gravity: np.ndarray,
) -> tuple[Parameter, ...]:
    """The parameters with these names or globs: "gravity", "ocean.current", "arm3.mass", "thruster_1.lag", "*.mass"."""
    known = numbers(tree, worlds, actuators, ties, gravity)
    for (
        actuator
    ) in actuators:  # one that never fails fails later than any run ends; it is free only if it is named
        name = f"{actuator.label}.fails_at"
        if name in names and name not in known:
            known[name] = ("fails_at", np.asarray(NEVER))
    return found(tree.name, names, known)


def numbers(
    tree: Tree,
    worlds: tuple[World, ...],
    actuators: tuple[Actuator, ...],
    ties: tuple[Tie, ...],
    gravity: np.ndarray,
) -> dict[str, tuple[str, np.ndarray]]:
    """Every number of a plant that can be free: {name: (field, value)}."""
    known: dict[str, tuple[str, np.ndarray]] = {"gravity": ("gravity", gravity)}
    named: list[tuple[str, Any]] = [(world.name, world) for world in worlds]
    named += [(x.label, x) for x in (*actuators, *ties)]
    for owner, x in named:
        for field, value in _numbers_of(x).items():
            name = f"{owner}.{field}"
            if name in known:
                expected = "different names of worlds, actuators, elements, closures, bodies and frames"
                raise ModelError.single(tree.name, "free", expected=expected, given=f"{name!r} twice")
            known[name] = (field, value)
    of_tree = tree_numbers(tree) | _coupling_numbers(tree)
    both = known.keys() & of_tree.keys()
    if both:
        expected = "different names of worlds, actuators, elements, closures, bodies and frames"
        raise ModelError.single(tree.name, "free", expected=expected, given=f"{min(both)!r} twice")
    return known | of_tree


def _coupling_numbers(tree: Tree) -> dict[str, tuple[str, np.ndarray]]:
    """ "finger.mimic.multiplier" and "finger.mimic.offset" of every joint that follows another."""
    return {
        f"{tree.link(c.joint).name}.{_MIMIC}{field}": (f"{_MIMIC}{field}", np.asarray(getattr(c, field)))
        for c in tree.couplings
        for field in ("multiplier", "offset")
    }


def couplings_at(tree: Tree, parameters: Sequence[Parameter], p: np.ndarray) -> tuple[Mimic, ...]:
    """The couplings with the values in p (..., n) put in, unchecked; the tree's own if none of them is free."""
    own = [parameter for parameter in parameters if parameter.field.startswith(_MIMIC)]
    if not own:
        return tree.couplings
    changed = []
    for c in tree.couplings:
        name = tree.link(c.joint).name
        values = {x.field.removeprefix(_MIMIC): x.of(p) for x in own if x.owner == name}
        changed.append(replaced(c, **values) if values else c)
    return tuple(changed)


def _numbers_of(x: World | Actuator | Tie) -> dict[str, np.ndarray]:
    """The fields of a frozen object that are numbers; one whose absence means zero counts as zeros."""
    found: dict[str, np.ndarray] = {}
    for field in fields(x):  # type: ignore[arg-type]
        value = getattr(x, field.name)
        if value is None and field.name in x.zero_if_absent:
            value = np.zeros(x.zero_if_absent[field.name])
        is_number = isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype == float)
        if is_number and field.name not in (*x.structure, "gravity"):
            found[field.name] = np.asarray(value)
    return found


def of_bodies(parameters: Sequence[Parameter]) -> bool:
    """Whether any of the parameters changes what the recursions compute with."""
    return any(p.field in OF_RECURSIONS or p.field == "inertia" for p in parameters)


def with_values(
    objects: tuple[Owner, ...], names: Sequence[str], parameters: Sequence[Parameter], p: np.ndarray
) -> tuple[Owner, ...]:
    """The objects with the values in p (..., n) put in, unchecked: they may be symbols or a batch."""
    changed = []
    for name, x in zip(names, objects, strict=True):
        own = {q.field: q.of(p) for q in parameters if q.owner == name and q.field in _fields(x)}
        changed.append(replaced(x, **own) if own else x)
    return tuple(changed)


def _fields(x: Any) -> set[str]:
    return {field.name for field in fields(x)}


def worlds_at(worlds: tuple[World, ...], parameters: Sequence[Parameter], p: np.ndarray) -> tuple[World, ...]:
    """The worlds with the values in p (..., n) put in."""
    return with_values(worlds, [world.name for world in worlds], parameters, p)


def actuators_at(
    actuators: tuple[Actuator, ...], parameters: Sequence[Parameter], p: np.ndarray
) -> tuple[Actuator, ...]:
    """The actuators with the values in p (..., n) put in."""
    return with_values(actuators, [actuator.label for actuator in actuators], parameters, p)


def ties_at(ties: tuple[Tied, ...], parameters: Sequence[Parameter], p: np.ndarray) -> tuple[Tied, ...]:
    """The elements or closures with the values in p (..., n) put in."""
    return with_values(ties, [tie.label for tie in ties], parameters, p)


def gravity_at(gravity: np.ndarray, parameters: Sequence[Parameter], p: np.ndarray) -> np.ndarray:
    """Gravity (..., 3): that of the plant, or the one in p (..., n)."""
    own = [parameter for parameter in parameters if parameter.name == "gravity"]
    return own[0].of(p) if own else gravity
