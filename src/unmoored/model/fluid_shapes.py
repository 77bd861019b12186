"""What water does to simple shapes: added mass, displaced volume, drag and hull, as the fields of a `Fluid`.

Each shape has its own axes, x, y, z, with its axis of symmetry along z, and stands at a `Pose` in the body's axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..lie import se3
from . import added_mass
from .errors import ModelError
from .flow_parts import BoxDrag, SphereDrag, StripDrag
from .hull import Hull
from .pose import Pose
from .value import frozen_array


def sphere(radius: Any, density: Any, at: Pose, drag: Any) -> dict[str, Any]:
    """A sphere: C_d on πr², the same in all directions."""
    r, ρ, c = _positive("sphere", radius=radius, density=density, drag=drag)
    part = SphereDrag(at=at, coefficient=0.5 * ρ * c * np.pi * r**2)
    volume = 4.0 / 3.0 * np.pi * r**3
    return _fields(ρ, [0.5 * ρ * volume] * 3 + [0.0] * 3, volume, at, part, "ellipsoid", [2 * r] * 3)


def cylinder(radius: Any, length: Any, density: Any, at: Pose, across: Any, along: Any) -> dict[str, Any]:
    """A cylinder along z: C_d across on its diameter, along on πr²."""
    r, l, ρ, c, e = _positive(
        "cylinder", radius=radius, length=length, density=density, drag=across, end_drag=along
    )
    masses = ρ * np.pi * r**2 * l * added_mass.ellipsoid_factors(np.array([r, r, 0.5 * l]))
    masses[2] = 8.0 / 3.0 * ρ * r**3
    masses[3:5] = masses[0] * l**2 / 12.0
    part = StripDrag(at=at, across=ρ * c * r, length=l, along=0.5 * ρ * e * np.pi * r**2)
    return _fields(ρ, masses, np.pi * r**2 * l, at, part, "cylinder", [2 * r, 2 * r, l])


def capsule(radius: Any, length: Any, density: Any, at: Pose, across: Any, along: Any) -> dict[str, Any]:
    """A cylinder of that length along z with half spheres on its ends: Lamb's factors of the spheroid of its
    extents.
    """
    r, l, ρ, c, e = _positive(
        "capsule", radius=radius, length=length, density=density, drag=across, end_drag=along
    )
    volume, whole = np.pi * r**2 * (l + 4.0 / 3.0 * r), l + 2 * r
    masses = ρ * volume * added_mass.ellipsoid_factors(np.array([r, r, 0.5 * whole]))
    part = StripDrag(at=at, across=ρ * c * r, length=whole, along=0.5 * ρ * e * np.pi * r**2)
    return _fields(ρ, masses, volume, at, part, "capsule", [2 * r, 2 * r, whole])


def box(size: Any, density: Any, at: Pose, drag: Any) -> dict[str, Any]:
    """A box with edges along its axes: C_d on the area that it shows to the flow."""
    edges = frozen_array(size, (3,), where="Fluid.box", what="size")
    if not np.all(edges > 0):
        raise ModelError.single(
            "Fluid.box", "size", expected="three lengths > 0 (m)", given=str(edges.tolist())
        )
    ρ, c = _positive("box", density=density, drag=drag)
    part = BoxDrag(at=at, size=edges, coefficient=0.5 * ρ * c)
    return _fields(ρ, added_mass.box(edges, ρ), float(np.prod(edges)), at, part, "box", edges)


def spheroid(semi_axes: Any, density: Any, at: Pose, across: Any, along: Any) -> dict[str, Any]:
    """An ellipsoid, slender along its longest axis: C_d across by strips as wide as it is there, along on its face."""
    a = frozen_array(semi_axes, (3,), where="Fluid.spheroid", what="semi_axes")
    if not np.all(a > 0):
        raise ModelError.single(
            "Fluid.spheroid", "semi_axes", expected="three lengths > 0 (m)", given=str(a.tolist())
        )
    ρ, c, e = _positive("spheroid", density=density, drag=across, end_drag=along)
    longest = int(np.argmax(a))
    j, k = (longest + 1) % 3, (longest + 2) % 3
    width = np.sqrt(a[j] * a[k])
    to_z = np.zeros((3, 3))  # the strips' z along the longest axis
    to_z[j, 0] = to_z[k, 1] = to_z[longest, 2] = 1.0
    part = StripDrag(
        at=at @ Pose(rotation=to_z),
        across=ρ * c * width,
        length=2 * a[longest],
        along=0.5 * ρ * e * np.pi * a[j] * a[k],
        taper="ellipse",
    )
    volume = 4.0 / 3.0 * np.pi * float(np.prod(a))
    return _fields(ρ, added_mass.ellipsoid(a, ρ), volume, at, part, "ellipsoid", 2 * a)


def along_axis(shape: str, axis: Any, centre: Any) -> Pose:
    """The pose with its z axis along `axis` and its origin at `centre`, both (3,) in body axes."""
    where = f"Fluid.{shape}"
    direction = frozen_array(axis, (3,), where=where, what="axis")
    length = float(np.linalg.norm(direction))
    if not length > 0:
        raise ModelError.single(where, "axis", expected="a non-zero vector", given=str(direction.tolist()))
    z = direction / length
    side = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(side, z) / np.linalg.norm(np.cross(side, z))
    return Pose(xyz=centre, rotation=np.column_stack([x, np.cross(z, x), z]))


def _fields(
    ρ: float, masses: Any, volume: float, at: Pose, part: Any, form: str, size: Any
) -> dict[str, Any]:
    X = se3.Ad(se3.inverse(at.matrix))
    return {
        "added_mass": X.T @ np.diag(masses) @ X,
        "volume": volume,
        "centre_of_buoyancy": at.xyz,
        "flow_parts": (part,),
        "hull": Hull(form, size, at=Pose(rotation=at.rotation)),  # type: ignore[arg-type]
        "density": ρ,
    }


def _positive(shape: str, **numbers: Any) -> list[float]:
    """The numbers, which must be > 0, but coefficients of drag may be 0."""
    found = []
    for what, x in numbers.items():
        number = float(frozen_array(x, (), where=f"Fluid.{shape}", what=what))
        if not (number > 0 or (number == 0 and what.endswith("drag"))):
            expected = "≥ 0" if what.endswith("drag") else "> 0"
            raise ModelError.single(f"Fluid.{shape}", what, expected=expected, given=repr(x))
        found.append(number)
    return found
