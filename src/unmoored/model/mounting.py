"""Systems made of systems: one is mounted on a body of another, and the whole remembers what it is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple, TypeVar

from .body import Body, Frame
from .errors import ModelError, unknown_name
from .joints import Joint
from .mimic import Mimic
from .names import WORLD
from .part import Part
from .pose import Pose
from .tree import Tree

Named = TypeVar("Named", Body, Frame)


class Mounted(NamedTuple):
    """What a guest adds to its host's tree, renamed; `bodies[0]` is the one that was on the guest's world."""

    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...]
    couplings: tuple[Mimic, ...]
    parts: tuple[Part, ...]


def mounted(
    guest: Tree, parent: str, at: Pose, joint: Joint, prefix: str, source: str = "", prescribed: bool = False
) -> Mounted:
    """The guest on the body (or world) `parent`, with `joint`, at `at`, in place of its own joint to its world.

    prefix: put before all its names.  source: the file or built-in system that it comes from, for the record.
    prescribed: whether `joint` always moves as a plant is told.
    """
    check_prefix(guest.name, prefix)
    root = _only_vehicle(guest)
    bodies = tuple(
        replace(with_prefix(body, prefix), parent=parent, at=at, joint=joint, prescribed=prescribed)
        if body is root
        else with_prefix(body, prefix)
        for body in guest.bodies
    )
    itself = Part(
        prefix=prefix,
        system=guest.name,
        body=f"{prefix}{root.name}",
        source=source,
        digest=guest.digest or "",
        description=guest.description,
        sources=guest.sources,
        assumptions=guest.assumptions,
    )
    return Mounted(
        bodies,
        tuple(with_prefix(frame, prefix) for frame in guest.frames),
        tuple(coupling_with_prefix(coupling, prefix) for coupling in guest.couplings),
        (itself, *(part_with_prefix(part, prefix) for part in guest.parts)),
    )


def place_of(parent: str, bodies: Iterable[Body], frames: Iterable[Frame], guest: str) -> tuple[str, Pose]:
    """The body (or world) and the pose on it of what a guest is mounted on: a body, a frame, or the world."""
    names = [WORLD, *(body.name for body in bodies)]
    if parent in names:
        return parent, Pose()
    found = {frame.name: frame for frame in frames}
    if parent not in found:
        raise unknown_name(guest, "parent", parent, [*names, *found])
    return found[parent].parent, found[parent].at


def with_prefix(part: Named, prefix: str) -> Named:
    """A body or frame whose name, joint name and parent begin with the prefix; the world stays the world."""
    renamed = replace(
        part, name=prefix + part.name, parent=part.parent if part.parent == WORLD else prefix + part.parent
    )
    joint_name = getattr(part, "joint_name", None)
    return renamed if joint_name is None else replace(renamed, joint_name=prefix + joint_name)


def coupling_with_prefix(coupling: Mimic, prefix: str) -> Mimic:
    """The coupling between joints whose names begin with the prefix."""
    return replace(coupling, joint=prefix + coupling.joint, leader=prefix + coupling.leader)


def part_with_prefix(part: Part, prefix: str) -> Part:
    """The record of a part of a part."""
    return replace(part, prefix=prefix + part.prefix, body=prefix + part.body)


def check_prefix(where: str, prefix: object) -> None:
    """Refuse a prefix that would run into the names after it."""
    good = isinstance(prefix, str) and (not prefix or (prefix.endswith("/") and prefix.strip("/ ")))
    if not good:
        expected = 'text that ends in "/", such as "left/", or ""'
        raise ModelError.single(where, "prefix", expected=expected, given=repr(prefix))


def _only_vehicle(guest: Tree) -> Body:
    """The body on the guest's world; a guest with several, or with frames on its world, has no one place to
    hold it by.
    """
    if len(guest.vehicles) != 1:
        given = ", ".join(guest.vehicles)
        raise ModelError.single(
            guest.name, "mount", expected="a guest with one body on its world", given=given
        )
    if frames := [frame.name for frame in guest.frames if frame.parent == WORLD]:
        expected = "a guest without frames on its world, which is not mounted with it"
        raise ModelError.single(guest.name, "mount", expected=expected, given=", ".join(frames))
    return next(body for body in guest.bodies if body.parent == WORLD)
