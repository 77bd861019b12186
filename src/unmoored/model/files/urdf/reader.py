"""URDF → `Tree`: links become bodies, each with the joint above it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ....error_roots import warn
from ...body import Body
from ...errors import ModelError, ModelWarning, some_of
from ...joints import Fixed, Joint
from ...mimic import Mimic
from ...names import WORLD
from ...tree import Tree
from ..file_problems import Problems, file_error, short
from ..file_text import read_file
from ..mesh_paths import MeshPaths
from ..xml_elements import Element, parse_xml
from .attributes import Attributes
from .joint_elements import Following, read_joint, read_mimic
from .link_elements import Colour, read_inertia, read_materials, read_visuals
from .link_tree import Structure, read_structure
from .merged_links import merge_fixed_bodies

Folder = str | os.PathLike[str]

_READ = {
    "robot": {"link", "joint", "material"},
    "link": {"inertial", "visual"},
    "visual": {"origin", "geometry", "material"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"},
    "material": {"color"},
}
#: what else is found in such files and changes no motion; anything else may be a slip of the pen, and is told of
_KNOWN = {
    "robot": {
        "gazebo",
        "transmission",
        "sensor",
        "ros2_control",
        "group",
        "group_state",
        "disable_collisions",
    },
    "link": {
        "collision",
        "contact",
        "collision_checking",
        "self_filter",
        "surface",
        "kinematic",
        "gravity",
        "origin",
    },
    "joint": {"safety_controller", "calibration"},
    "visual": {"material_name"},
    "material": {"texture"},
}


def read_urdf(
    path: Folder,
    *,
    base: Joint | None = None,
    roots: Sequence[Folder] = (),
    packages: Mapping[str, Folder] | None = None,
    merge_fixed: bool = False,
    nearest_inertia: bool = False,
    ignore_mimic: bool = False,
) -> Tree:
    """The tree in the URDF file `path`: bodies named after the links, `joint_name` after the joints.

    base: the joint between the world and the root link, Fixed if not given. A root link called "world" is
    the world itself; `base` then takes the place of the one fixed joint on it.
    roots: folders that meshes may lie in besides the file's own.  packages: folder of each package:// name.
    merge_fixed: melt bodies on fixed joints into their parents, and keep their frames.
    nearest_inertia: replace tensors that no real body has by the nearest that one can have; warnings say which.
    ignore_mimic: joints that follow others move on their own; otherwise they are the tree's `couplings`.
    A `ModelError` lists all problems with their lines.
    """
    content = read_file(path)
    meshes = MeshPaths(Path(path).parent, roots, packages)
    return _tree(content, os.fspath(path), base, meshes, merge_fixed, nearest_inertia, ignore_mimic)


def parse_urdf(
    text: str,
    source: str = "<text>",
    *,
    base: Joint | None = None,
    roots: Sequence[Folder] = (),
    packages: Mapping[str, Folder] | None = None,
    merge_fixed: bool = False,
    nearest_inertia: bool = False,
    ignore_mimic: bool = False,
) -> Tree:
    """The tree in URDF text, as `read_urdf`; errors call it `source`. Relative meshes start at the roots."""
    return _tree(
        text, source, base, MeshPaths(None, roots, packages), merge_fixed, nearest_inertia, ignore_mimic
    )


def _tree(
    content: bytes | str,
    source: str,
    base: Joint | None,
    meshes: MeshPaths,
    merge_fixed: bool,
    nearest_inertia: bool,
    ignore_mimic: bool,
) -> Tree:
    robot = parse_xml(content, source)
    if robot.tag != "robot":
        raise file_error(
            source, "root element", expected="<robot>", given=f"<{short(robot.tag)}>", line=robot.line
        )
    reader = _Reader(robot, Problems(source), meshes, nearest_inertia, ignore_mimic)
    reader.refuse_macros()
    tree = reader.tree(base)
    meshes.warn(source)
    reader.warn()
    return merge_fixed_bodies(tree) if merge_fixed else tree


class _Reader:
    def __init__(
        self,
        robot: Element,
        problems: Problems,
        meshes: MeshPaths,
        nearest_inertia: bool,
        ignore_mimic: bool,
    ):
        self._robot = robot
        self._problems = problems
        self._meshes = meshes
        self._ignore_mimic = ignore_mimic
        self._changed: list[str] | None = [] if nearest_inertia else None
        self._colours: dict[str, Colour] = {}
        self._unlimited: list[str] = []
        self._following: dict[str, tuple[Following, int]] = {}  # by the follower's body, with the line

    def tree(self, base: Joint | None) -> Tree:
        name = Attributes(self._problems, "robot").text(self._robot, "name")
        structure = read_structure(self._robot, self._problems)
        self._colours = read_materials(self._robot, self._problems)
        root = [] if structure.root is None else self._root(structure, base)
        moored = base if structure.root == WORLD else None
        joints = structure.ordered_joints()
        others = [self._body(structure, joint, moored) for joint in joints if not self._problems.full]
        self._problems.raise_any()
        bodies = [body for body in (*root, *others) if body is not None]
        couplings = self._couplings(structure)
        try:
            return Tree(name=name, bodies=tuple(bodies), assumptions=self._unread(), couplings=couplings)
        except ModelError as error:
            for problem in error.problems:
                line = structure.line(problem.where)
                given, expected = problem.given, problem.expected
                self._problems.add(problem.where, problem.rule, expected=expected, given=given, line=line)
            raise self._problems.error() from None

    def _couplings(self, structure: Structure) -> tuple[Mimic, ...]:
        """The <mimic> elements, by the names of bodies."""
        found = []
        for body, (following, line) in self._following.items():
            if following.leader not in structure.ends:
                given = repr(following.leader)
                self._problems.add(
                    f"link {body}", "mimic", expected="the name of a joint", given=given, line=line
                )
                continue
            leader = structure.ends[following.leader][1]
            found.append(Mimic(body, leader, following.multiplier, following.offset))
        self._problems.raise_any()
        return tuple(found)

    def _root(self, structure: Structure, base: Joint | None) -> list[Body | None]:
        link = structure.links[structure.root or ""]
        if structure.root != WORLD:
            return [self._link(link, parent=WORLD, joint=base or Fixed())]
        if link.first("inertial") is not None:
            self._add("link world", "root link", "no <inertial>, for it is the world", "one", link)
        if base is not None:
            self._check_mooring(structure, base)
        return []

    def _check_mooring(self, structure: Structure, base: Joint) -> None:
        """A base joint can take the place of the one fixed joint on the world, and of nothing else."""
        joints = [structure.joints[name] for name, (parent, _) in structure.ends.items() if parent == WORLD]
        if len(joints) != 1 or joints[0].attributes.get("type") != "fixed":
            given = ", ".join(
                f"{joint.attributes['name']} ({joint.attributes.get('type')})" for joint in joints
            )
            expected = f"one fixed joint on the link world, for the base joint {base.kind} to replace"
            self._add("link world", "base", expected, given or "none", structure.links[WORLD])

    def _body(self, structure: Structure, element: Element, moored: Joint | None) -> Body | None:
        name = element.attributes["name"]
        read = Attributes(self._problems, f"joint {name}")
        joint, at = read_joint(element, read, self._unlimited), read.origin(element)
        parent, child = structure.ends[name]
        following = None if self._ignore_mimic else read_mimic(element, read)
        if following is not None:
            self._following[child] = following, element.line
        if moored is not None and parent == WORLD:
            joint = moored
        return self._link(structure.links[child], parent=parent, joint=joint, at=at, joint_name=name)

    def _link(self, link: Element, **placement) -> Body | None:
        name = link.attributes["name"]
        read = Attributes(self._problems, f"link {name}")
        inertia = read_inertia(link, read, self._changed)
        visuals = read_visuals(link, read, self._colours, self._meshes)
        with read.errors_of(link):
            return Body(name=name, inertia=inertia, visuals=tuple(visuals), **placement)
        return None

    def _add(self, where: str, rule: str, expected: str, given: str, element: Element) -> None:
        self._problems.add(where, rule, expected=expected, given=given, line=element.line)

    def _unread(self) -> tuple[str, ...]:
        """What the file says that the tree does not: never dropped silently."""
        tags = Counter(f"<{child.tag}>" for _, child in self._not_read())
        worlds = [link for link in self._robot.all("link") if link.attributes.get("name") == WORLD]
        lines = ["visuals of the link world"] if any(world.first("visual") for world in worlds) else []
        fixed = [joint for joint in self._robot.all("joint") if joint.attributes.get("type") == "fixed"]
        still = sum(joint.first("mimic") is not None for joint in fixed)
        lines += [f"<mimic> of fixed joints ({still})"] if still else []
        lines += [f"{tag} ({count})" for tag, count in sorted(tags.items())]
        return (f"Not read from the URDF: {', '.join(lines)}.",) if lines else ()

    def _not_read(self) -> Iterator[tuple[str, Element]]:
        """(tag of the element around it, element) of all that is passed over."""
        waiting = [self._robot]
        while waiting:
            element = waiting.pop()
            for child in element.children:
                if child.tag not in _READ[element.tag]:
                    yield element.tag, child
                elif child.tag in _READ:
                    waiting.append(child)

    def refuse_macros(self) -> None:
        """Refuse a file that xacro has not been run on: what its macros stand for would be missing."""
        for _, element in self._not_read():
            if element.tag.startswith(("xacro:", "{")) or ":" in element.tag:
                expected = "URDF without macros: run xacro on it first"
                self._add("robot", "element", expected, f"<{element.tag[:40]}>", element)
                raise self._problems.error()

    def warn(self) -> None:
        unknown = [
            f"<{child.tag[:40]}> in <{around}> (line {child.line})"
            for around, child in self._not_read()
            if child.tag not in _KNOWN.get(around, ())
        ]
        if unknown:
            message = f"not read, as URDF has no such element: {some_of(unknown, 4)}"
            warn(f"{self._problems.source}: {message}", ModelWarning)
        for line in self._changed or ():
            warn(f"{self._problems.source}: {line}", ModelWarning)
        if self._unlimited:
            names = some_of(self._unlimited)
            message = f"revolute or prismatic joints without <limit>, read as unlimited: {names}"
            warn(f"{self._problems.source}: {message}", ModelWarning)
