"""URDF links → inertias and visuals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...inertia import Inertia, nearest_tensor
from ...visual import Box, Capsule, Cylinder, Mesh, Sphere, Visual
from ..file_problems import Problems
from ..mesh_paths import MeshPaths
from ..xml_elements import Element
from .attributes import Attributes

Colour = tuple[float, ...] | None
_ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def read_inertia(link: Element, read: Attributes, changed: list[str] | None = None) -> Inertia:
    """Inertia of a link in its own frame; a link without `<inertial>` has no mass.

    changed: a list that takes words for tensors that were replaced by the nearest possible ones; None: none are.
    """
    inertial = read.one(link, "inertial")
    if inertial is None:
        return Inertia.zero()
    origin = read.origin(inertial)
    mass, tensor = read.one(inertial, "mass"), read.one(inertial, "inertia")
    for tag, element in (("mass", mass), ("inertia", tensor)):
        if element is None:
            read.problem(inertial, "<inertial>", f"a <{tag}>", "none")
    if mass is None or tensor is None:
        return Inertia.zero()
    value = read.number(mass, "value")
    xx, yy, zz, xy, xz, yz = (read.number(tensor, name) for name in _ENTRIES)
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    R = origin.rotation
    if changed is not None:
        nearest = nearest_tensor(I)
        if nearest is not I:
            off = np.linalg.norm(nearest - I) / np.linalg.norm(I)
            moments, given = np.linalg.eigvalsh(nearest), np.linalg.eigvalsh(I)
            changed.append(
                f"link {link.attributes.get('name')}: inertia replaced by the nearest that a body can have: "
                f"principal moments {_few(given)} → {_few(moments)} kg m², {off:.2g} of it"
            )
            I = nearest
    with read.errors_of(inertial):
        return Inertia(value, origin.xyz, R @ I @ R.T)
    return Inertia.zero()


def _few(numbers: np.ndarray) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in numbers) + ")"


def read_visuals(
    link: Element, read: Attributes, colours: dict[str, Colour], meshes: MeshPaths
) -> list[Visual]:
    """The visuals of a link; `colours` holds the materials that are defined for the whole file."""
    found = (_visual(visual, read, colours, meshes) for visual in link.all("visual"))
    return [visual for visual in found if visual is not None]


def _visual(
    visual: Element, read: Attributes, colours: dict[str, Colour], meshes: MeshPaths
) -> Visual | None:
    geometry = read.one(visual, "geometry")
    shape = geometry.children[0] if geometry and len(geometry.children) == 1 else None
    if shape is None or shape.tag not in _SHAPES:
        given = (
            "none" if geometry is None else ", ".join(child.tag for child in geometry.children) or "nothing"
        )
        read.problem(geometry or visual, "<geometry>", f"one of {', '.join(_SHAPES)}", given)
        return None
    options: dict[str, Any] = {"at": read.origin(visual), "rgba": _colour(visual, read, colours)}
    with read.errors_of(shape):
        return _SHAPES[shape.tag](shape, read, options, meshes)
    return None


def _box(shape: Element, read: Attributes, options: dict[str, Any], meshes: MeshPaths) -> Visual:
    return Box(read.numbers(shape, "size", 3), **options)


def _sphere(shape: Element, read: Attributes, options: dict[str, Any], meshes: MeshPaths) -> Visual:
    return Sphere(read.number(shape, "radius"), **options)


def _cylinder(shape: Element, read: Attributes, options: dict[str, Any], meshes: MeshPaths) -> Visual:
    kind = Capsule if shape.tag == "capsule" else Cylinder
    return kind(read.number(shape, "radius"), read.number(shape, "length"), **options)


def _mesh(shape: Element, read: Attributes, options: dict[str, Any], meshes: MeshPaths) -> Visual | None:
    path = read.text(shape, "filename")
    scale = read.numbers(shape, "scale", 3, (1.0, 1.0, 1.0))
    return Mesh(meshes.resolve(path), scale, **options) if path else None


_SHAPES: dict[str, Callable[..., Visual | None]] = {
    "box": _box,
    "cylinder": _cylinder,
    "sphere": _sphere,
    "capsule": _cylinder,
    "mesh": _mesh,
}


def read_materials(robot: Element, problems: Problems) -> dict[str, Colour]:
    """Colours of the materials that the file defines outside its links, by name."""
    colours: dict[str, Colour] = {}
    for material in robot.all("material"):
        read = Attributes(problems, f"material {material.attributes.get('name', '')!r}")
        colours[read.text(material, "name")] = _rgba(material, read)
    return colours


def _colour(visual: Element, read: Attributes, colours: dict[str, Colour]) -> Colour:
    """The visual's own colour, or that of the material it names; a later visual may name it too."""
    material = visual.first("material")
    if material is None:
        return None
    name = material.attributes.get("name", "")
    own = _rgba(material, read)
    if own is not None:
        colours.setdefault(name, own)
    return own if own is not None else colours.get(name)


def _rgba(material: Element, read: Attributes) -> Colour:
    colour = material.first("color")
    if colour is None:
        return None
    rgba = read.numbers(colour, "rgba", 4)
    if not all(0 <= x <= 1 for x in rgba):
        read.problem(colour, "rgba", "four numbers in 0…1", str(rgba))
        return None
    return rgba
