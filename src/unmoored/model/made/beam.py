"""A flexible beam as rigid pieces with springs between them (theory.md §37)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..body import Body, Frame
from ..errors import ModelError
from ..inertia import Inertia
from ..joints import Fixed, Joint, Revolute, Spherical, Universal
from ..names import WORLD
from ..pose import Pose
from ..tree import Tree
from ..value import frozen_array
from ..visual import Cylinder

_MOST = 1000
_AXES = ("both", "x", "y")


def beam_tree(
    length: float,
    mass: float,
    bending: Any,
    *,
    elements: int = 16,
    axes: str = "both",
    torsion: float | None = None,
    polar_inertia: float | None = None,
    damping: float = 0.0,
    radius: float | None = None,
    name: str = "beam",
) -> Tree:
    """The tree of `um.flexible_beam`: half a piece at the clamp, whole ones, half a piece at the tip, along z."""
    n = _count(name, elements)
    L, m = _number(name, "length", length, "m"), _number(name, "mass", mass, "kg")
    T = _number(name, "damping", damping, "s", True)
    given = bending if np.ndim(bending) else (bending, bending)
    EI = frozen_array(given, (2,), where=name, what="bending")
    if not np.all(EI > 0):
        raise ModelError.single(
            name, "bending", expected="> 0 (N m²), or a pair about x and y", given=repr(bending)
        )
    if axes not in _AXES:
        raise ModelError.single(
            name, "axes", expected="one of both, x, y: that it bends about", given=repr(axes)
        )
    if (torsion is None) != (polar_inertia is None) or (torsion is not None and axes != "both"):
        expected = "torsion (N m²) and polar_inertia (kg m²), both or none, and with them axes='both'"
        raise ModelError.single(
            name, "torsion", expected=expected, given=f"{torsion}, {polar_inertia}, {axes}"
        )
    GJ = None if torsion is None else _number(name, "torsion", torsion, "N m²")
    I_p = 0.0 if polar_inertia is None else _number(name, "polar_inertia", polar_inertia, "kg m²")
    ell = L / n
    joint = _hinge(EI / ell, axes, None if GJ is None else GJ / ell, T)
    shown = 0.01 * L if radius is None else _number(name, "radius", radius, "m")
    bodies, parent, at = [], WORLD, 0.0
    for k in range(n + 1):
        part = ell * (0.5 if k in (0, n) else 1.0)
        own = f"piece_{k}"
        place = Pose(xyz=(0.0, 0.0, 0.0 if k == 0 else at))
        visual = Cylinder(radius=shown, length=part, at=Pose(xyz=(0.0, 0.0, 0.5 * part)))
        body = Body(
            name=own, parent=parent, joint=Fixed() if k == 0 else joint, at=place, visuals=(visual,),
            inertia=_rod(m / L * part, part, I_p * part / L),
        )  # fmt: skip
        bodies.append(body)
        parent, at = own, part
    return Tree(
        name=name,
        bodies=tuple(bodies),
        frames=(Frame(name="tip", parent=parent, at=Pose(xyz=(0.0, 0.0, at))),),
        description=f"flexible beam of {n} elements, {L:g} m",
        assumptions=(
            "slender: no shear, no rotary inertia of the section; hinges in the middles of the elements",
        ),
    )


def _hinge(k: np.ndarray, axes: str, twist: float | None, T: float) -> Joint:
    """The joint between two pieces, with springs k (2,) [N m/rad] about x and y."""
    if twist is not None:
        springs = np.array([k[0], k[1], twist])
        return Spherical(stiffness=springs, damping=T * springs)
    if axes == "both":
        return Universal(stiffness=k, damping=T * k)
    i = "xy".index(axes)
    return Revolute(np.eye(3)[i], stiffness=k[i], damping=T * k[i])


def _rod(mass: float, length: float, about: float) -> Inertia:
    """A slender piece along z from its origin; about: moment of inertia about z (kg m²)."""
    across = mass * length**2 / 12.0
    return Inertia(
        mass, (0.0, 0.0, 0.5 * length), np.diag([across + 0.5 * about, across + 0.5 * about, about])
    )


def _count(name: str, elements: Any) -> int:
    if isinstance(elements, bool) or not isinstance(elements, int | np.integer) or not 1 <= elements <= _MOST:
        expected = f"a whole number from 1 to {_MOST}"
        raise ModelError.single(name, "elements", expected=expected, given=repr(elements))
    return int(elements)


def _number(name: str, what: str, x: Any, unit: str, zero: bool = False) -> float:
    number = float(frozen_array(x, (), where=name, what=what))
    if number < 0 or (number == 0 and not zero):
        raise ModelError.single(name, what, expected=f"{'≥' if zero else '>'} 0 ({unit})", given=repr(x))
    return number
