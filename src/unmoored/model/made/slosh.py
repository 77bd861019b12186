"""A liquid in a tank as one part at rest and pendulums or masses on springs (theory.md §38)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..body import Body, Frame
from ..errors import ModelError
from ..inertia import Inertia
from ..joints import Fixed, Joint, Prismatic, Revolute, Translation, Universal
from ..names import WORLD
from ..pose import Pose
from ..tree import Tree
from ..value import frozen_array
from .tanks import Tank, Wave

_MODELS = ("pendulum", "spring")


def slosh_tree(
    tank: Tank,
    depth: float,
    density: float,
    *,
    modes: int = 1,
    model: str = "pendulum",
    gravity: float | None = None,
    damping: float = 0.0,
    inertia: Any = (0.0, 0.0, 0.0),
    name: str = "slosh",
) -> Tree:
    """The tree of `um.slosh`."""
    if not isinstance(tank, Tank):
        raise ModelError.single(
            name, "tank", expected="CylinderTank, BoxTank or SphereTank", given=repr(tank)
        )
    h, ρ = _number(name, "depth", depth, "m"), _number(name, "density", density, "kg/m³")
    ζ = _number(name, "damping", damping, "", 0.0)
    tank.check_depth(h)
    if isinstance(modes, bool) or not isinstance(modes, int) or not 1 <= modes <= tank.most:
        expected = f"a whole number from 1 to {tank.most} for a {type(tank).__name__}"
        raise ModelError.single(name, "modes", expected=expected, given=repr(modes))
    if model not in _MODELS:
        raise ModelError.single(name, "model", expected=f"one of {', '.join(_MODELS)}", given=repr(model))
    if gravity is None and (model == "spring" or ζ > 0):
        expected = "the acceleration that the liquid feels (m/s²), for springs and damping"
        raise ModelError.single(name, "gravity", expected=expected, given="none")
    g = None if gravity is None else _number(name, "gravity", gravity, "m/s²")
    mass, waves = ρ * tank.volume(h), tank.waves(h, modes)
    rest = mass * (1.0 - sum(wave.share for wave in waves))
    if not rest > 0:
        expected = "a part of the liquid that stays: a deeper one, fewer modes, or BoxTank(…, along='x')"
        raise ModelError.single(name, "modes", expected=expected, given=f"{rest:.3g} kg at rest")
    moment = mass * (tank.centre(h) - sum(wave.share * (h + wave.height) for wave in waves))
    tensor = np.diag(frozen_array(inertia, (3,), where=name, what="inertia"))
    bodies = [
        Body(
            name="liquid",
            parent=WORLD,
            joint=Fixed(),
            inertia=Inertia(rest, (0.0, 0.0, moment / rest), tensor),
        )
    ]
    for k, wave in enumerate(waves):
        bodies.append(_moving(f"wave_{k + 1}", wave, mass, h, model, g, ζ))
    return Tree(
        name=name,
        bodies=tuple(bodies),
        frames=(Frame(name="surface", parent="liquid", at=Pose(xyz=(0.0, 0.0, h))),),
        description=f"{mass:.6g} kg of liquid in a {type(tank).__name__}, {h:g} m deep, {model}",
        assumptions=("small waves, no swirl, Bond number far above 1",),
    )


def _moving(name: str, wave: Wave, mass: float, depth: float, model: str, g: float | None, ζ: float) -> Body:
    """The part of the liquid that moves with one wave."""
    m, z, L = wave.share * mass, depth + wave.height, 1.0 / wave.wavenumber
    ω = 0.0 if g is None else float(np.sqrt(g / L))
    if model == "spring":
        at, inertia = z, Inertia.point(m)
        joint = _sliding(wave.along, m * ω**2, 2.0 * ζ * ω * m)
    else:
        at, inertia = z + L, Inertia.point(m, (0.0, 0.0, -L))
        joint = _swinging(wave.along, 2.0 * ζ * ω * m * L**2)
    return Body(name=name, parent="liquid", joint=joint, inertia=inertia, at=Pose(xyz=(0.0, 0.0, at)))


def _sliding(along: int | None, stiffness: float, damping: float) -> Joint:
    if along is None:
        return Translation(2, (0.0, 0.0, 1.0), stiffness=stiffness, damping=damping)
    return Prismatic(np.eye(3)[along], stiffness=stiffness, damping=damping)


def _swinging(along: int | None, damping: float) -> Joint:
    return Universal(damping=damping) if along is None else Revolute(np.eye(3)[1 - along], damping=damping)


def _number(name: str, what: str, x: Any, unit: str, least: float | None = None) -> float:
    number = float(frozen_array(x, (), where=name, what=what))
    if number < 0 or (number == 0 and least is None):
        given = f"{'>' if least is None else '≥'} 0{f' ({unit})' if unit else ''}"
        raise ModelError.single(name, what, expected=given, given=repr(x))
    return number
