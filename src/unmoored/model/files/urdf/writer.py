"""`Tree` → URDF: all that URDF can say; a tree that needs more is refused with all that does not fit."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ....lie import so3
from ...body import Body
from ...inertia import Inertia
from ...joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from ...names import WORLD
from ...pose import Pose
from ...tree import Tree
from ...value import LARGEST
from ...visual import Box, Capsule, Cylinder, Mesh, Sphere, Visual
from ..exact_rpy import quarter_turns_rpy
from ..file_problems import Problems
from ..file_text import write_text
from ..mesh_paths import relative_mesh, warn_of_meshes_elsewhere

_TYPES: dict[type[Joint], str] = {
    Fixed: "fixed",
    Revolute: "revolute",
    Prismatic: "prismatic",
    Planar: "planar",
    Free: "floating",
}
_NO_LIMIT = np.array([LARGEST])


def write_urdf(tree: Tree, path: str | os.PathLike[str]) -> None:
    """Save the tree as URDF; meshes inside the file's folder are written relative to it."""
    write_text(path, _text(tree, os.path.realpath(Path(path).parent)))
    warn_of_meshes_elsewhere(tree, path)


def format_urdf(tree: Tree) -> str:
    """The URDF text of the tree (mesh paths as they are).

    A single vehicle that is fixed at the world's origin becomes the root link. Otherwise the root is a link
    "world", and the vehicles are its children. Frames become links without mass on fixed joints. Rotations
    are written as roll, pitch, yaw, so they read back to rounding. Description, sources and assumptions are
    not written.
    """
    return _text(tree, None)


def _text(tree: Tree, folder: str | None) -> str:
    _refuse_what_does_not_fit(tree)
    robot, names = Element("robot", name=tree.name), _joint_names(tree)
    if not _is_plain_root(tree):
        SubElement(robot, "link", name=WORLD)
    for body in tree.bodies:
        _link(robot, body, folder)
        if body.parent != WORLD or not _is_plain_root(tree):
            element = _joint(robot, body.name, body.parent, names[body.name], body.joint, body.at)
            _mimic(element, body.name, tree, names)
    for frame in tree.frames:
        SubElement(robot, "link", name=frame.name)
        _joint(robot, frame.name, frame.parent, names[frame.name], Fixed(), frame.at)
    ElementTree.indent(robot)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(robot, encoding="unicode") + "\n"


def _is_plain_root(tree: Tree) -> bool:
    vehicles = [body for body in tree.bodies if body.parent == WORLD]
    plain = len(vehicles) == 1 and vehicles[0].joint == Fixed() and vehicles[0].at == Pose()
    return plain and not any(frame.parent == WORLD for frame in tree.frames)


def _joint_names(tree: Tree) -> dict[str, str]:
    """A name for the joint above each body and frame: its own, or the body's with "_joint" behind it."""
    own = {body.name: body.joint_name for body in tree.bodies if body.joint_name is not None}
    taken, names = set(own.values()), dict(own)
    for part in (*tree.bodies, *tree.frames):
        if part.name not in own:
            name = f"{part.name}_joint"
            while name in taken:
                name += "_"
            taken.add(name)
            names[part.name] = name
    return names


def _refuse_what_does_not_fit(tree: Tree) -> None:
    problems = Problems("URDF")
    for body in tree.bodies:
        for rule, expected, given in _misfits(body):
            problems.add(body.name, rule, expected=expected, given=given)
    if problems:
        raise problems.error()


def _misfits(body: Body) -> list[tuple[str, str, str]]:
    joint, found = body.joint, []
    if type(joint) not in _TYPES:
        return [("joint", f"one of {', '.join(kind.__name__ for kind in _TYPES)}", joint.kind)]
    for name in ("stiffness", "rest", "armature"):
        if getattr(joint, name).any():
            found.append((name, "none: URDF has no word for it", str(getattr(joint, name).tolist())))
    for name in ("damping", "friction", "effort", "velocity"):
        value = getattr(joint, name)
        if value is not None and value.size and (value != value[0]).any():
            found.append((name, "the same for all degrees of freedom", str(value.tolist())))
    if joint.limits is not None and isinstance(joint, Planar | Free):
        found.append(("limits", f"none on a {joint.kind} joint", str(joint.limits.tolist())))
    if body.inertia.full is not None:
        found.append(("inertia", "a rigid body's: URDF has no full 6×6", "a full 6×6 matrix"))
    if body.fluid is not None:
        found.append(("fluid", "none: URDF has no word for it", "fluid properties"))
    if body.prescribed:
        found.append(("prescribed", "none: URDF has no word for it", "a prescribed joint"))
    return found


def _link(robot: Element, body: Body, folder: str | None) -> None:
    link = SubElement(robot, "link", name=body.name)
    if body.inertia != Inertia.zero():
        _inertial(link, body.inertia)
    for i, visual in enumerate(body.visuals):
        _visual(link, visual, f"{body.name}_{i}", folder)


def _inertial(link: Element, inertia: Inertia) -> None:
    inertial = SubElement(link, "inertial")
    SubElement(inertial, "origin", xyz=_words(inertia.com), rpy="0 0 0")
    SubElement(inertial, "mass", value=repr(inertia.mass))
    I = inertia.tensor.tolist()
    entries = {f"i{a}{b}": repr(I[i][j]) for i, a in enumerate("xyz") for j, b in enumerate("xyz") if i <= j}
    SubElement(inertial, "inertia", entries)


def _visual(link: Element, visual: Visual, name: str, folder: str | None) -> None:
    element = SubElement(link, "visual")
    _origin(element, visual.at)
    geometry = SubElement(element, "geometry")
    match visual:
        case Box():
            SubElement(geometry, "box", size=_words(visual.size))
        case Sphere():
            SubElement(geometry, "sphere", radius=repr(visual.radius))
        case Cylinder():
            tag = "capsule" if isinstance(visual, Capsule) else "cylinder"
            SubElement(geometry, tag, radius=repr(visual.radius), length=repr(visual.length))
        case Mesh():
            path = relative_mesh(visual.path, folder)
            SubElement(geometry, "mesh", filename=path, scale=_words(visual.scale))
    if visual.rgba is not None:
        material = SubElement(element, "material", name=name)
        SubElement(material, "color", rgba=_words(visual.rgba))


def _joint(robot: Element, child: str, parent: str, name: str, joint: Joint, at: Pose) -> Element:
    kind = _TYPES[type(joint)]
    if kind == "revolute" and joint.limits is None:
        kind = "continuous"
    element = SubElement(robot, "joint", name=name, type=kind)
    _origin(element, at)
    SubElement(element, "parent", link=parent)
    SubElement(element, "child", link=child)
    if isinstance(joint, Revolute | Prismatic):
        SubElement(element, "axis", xyz=_words(joint.axis))
    elif isinstance(joint, Planar):
        SubElement(element, "axis", xyz=_words(joint.normal))
    if joint.nv and (joint.damping.any() or joint.friction.any()):
        SubElement(
            element, "dynamics", damping=_words(joint.damping[:1]), friction=_words(joint.friction[:1])
        )
    _limit(element, kind, joint)
    return element


def _mimic(element: Element, name: str, tree: Tree, names: dict[str, str]) -> None:
    for coupling in tree.couplings:
        if coupling.joint == name:
            leader = names[coupling.leader]
            multiplier, offset = repr(coupling.multiplier), repr(coupling.offset)
            SubElement(element, "mimic", {"joint": leader, "multiplier": multiplier, "offset": offset})


def _limit(element: Element, kind: str, joint: Joint) -> None:
    """URDF wants all four numbers for a bounded joint; the largest number there is stands for no limit."""
    bounded = kind in ("revolute", "prismatic")
    if not bounded and joint.effort is None and joint.velocity is None:
        return
    limit = SubElement(element, "limit")
    if bounded:
        lower, upper = (-_NO_LIMIT, _NO_LIMIT) if joint.limits is None else joint.limits
        limit.attrib |= {"lower": _words(lower), "upper": _words(upper)}
    for name in ("effort", "velocity"):
        value = getattr(joint, name)
        limit.set(name, _words(_NO_LIMIT if value is None else value[:1]))


def _origin(element: Element, pose: Pose) -> None:
    if pose == Pose():
        return
    rpy = quarter_turns_rpy(pose.rotation)
    angles = rpy if rpy is not None else tuple(so3.euler_zyx(pose.rotation)[::-1])
    SubElement(element, "origin", xyz=_words(pose.xyz), rpy=_words(angles))


def _words(numbers) -> str:
    """Numbers by `repr`, so that they read back exactly."""
    return " ".join(repr(float(x)) for x in numbers)
