"""Joining two systems at run time, and releasing a part again (theory.md §23).

A guest with a free vehicle (a tumbling target, a payload) is taken by a frame of the host. The joint between
them starts at its neutral configuration, the guest where it is at that instant. How the velocities jump is in
`joining_impulse`. Numbers only.

Of a batch of states every sample holds the guest at a place of its own. The tree is built with the first one; the
others are numbers at run time, by the names of `free_numbers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import join
from ..model import WORLD, Body, Fixed, Frame, Free, Inertia, Joint, ModelError, Part, Pose, Tree
from ..model.joints import numbers_from_pose
from ..model.mounting import mounted, with_prefix
from ..model.names import name_fault
from ..trace import is_zero
from .free_numbers import declared, tree_numbers, with_parameters
from .kinematics import body_poses, body_velocities, pose
from .tree_scans import split_configuration, split_velocity


class Joined(NamedTuple):
    """The joined tree, built with the first sample, and its configuration q (..., nq).

    prefix: of the guest's names.  vehicle: the guest's, as it is called there.
    places: where each sample holds the guest, {parameter: (..., 3)}, "….xyz" and "….rpy" of its vehicle.
    """

    tree: Tree
    q: np.ndarray
    prefix: str
    vehicle: str
    places: dict[str, np.ndarray]


class Released(NamedTuple):
    """The two trees after a release, with their states q (..., nq), v (..., nv); the second is the released part."""

    tree: Tree
    q: np.ndarray
    v: np.ndarray
    released: Tree
    q_released: np.ndarray
    v_released: np.ndarray


def join_trees(
    host: Tree,
    q: np.ndarray,
    guest: Tree,
    q_guest: np.ndarray,
    frame: str,
    joint: Joint | None = None,
    prefix: str | None = None,
    built_from: tuple[Tree, Tree] | None = None,
) -> Joined:
    """The guest at q_guest (..., nq), taken by a frame of the host at q (..., nq).

    joint: between the frame and the guest, axes in the frame; rigid (Fixed) if None. Another joint sits on a
    body without mass called "prefix/joint". The guest's bodies, joints and frames are called
    "prefix/name"; prefix: its name if None.  built_from: both trees as built, where host and guest have run-time
    numbers put in.
    """
    vehicle = _free_vehicle(guest)
    if prefix is not None and (fault := name_fault(prefix)):
        raise ModelError.single("join", "prefix", expected=f"None, or {fault}", given=repr(prefix)[:240])
    if joint is not None and not isinstance(joint, Joint):
        raise ModelError.single("join", "joint", expected="a joint, or None", given=repr(joint))
    joint, prefix = joint or Fixed(), guest.name if prefix is None else prefix
    relative = se3.inverse(pose(host, q, frame)) @ pose(guest, q_guest, vehicle.name)
    if not relative.size:
        raise ModelError.single("join", "states", expected="one sample or more", given="an empty batch")
    at = host.locate(frame)[1]
    on_body, in_frame = (Pose.from_matrix(g.reshape(-1, 4, 4)[0]) for g in (at, relative))
    tree = _joined_tree(*(built_from or (host, guest)), frame, on_body, in_frame, joint, prefix)
    taken = f"{prefix}/{vehicle.name}"
    places = _places(taken, relative if joint.nv else at @ relative)
    return Joined(tree, join([q, joint.neutral(), q_guest[..., 12:]]), prefix, taken, places)


def at_places(tree: Tree, places: Mapping[str, np.ndarray]) -> Tree:
    """The tree with other numbers (..., n), by the names of its parameters: where each sample holds a guest."""
    parameters = declared(tree.name, list(places), tree_numbers(tree))
    return with_parameters(tree, parameters, join(list(places.values()))) if places else tree


def _places(body: str, g: np.ndarray) -> dict[str, np.ndarray]:
    return {f"{body}.xyz": se3.position(g), f"{body}.rpy": so3.euler_zyx(se3.rotation(g))[..., ::-1]}


def release_body(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    body: str,
    prefix: str | None = None,
    places: Mapping[str, np.ndarray] | None = None,
) -> Released:
    """The body and all that it carries let go at q (..., nq), v (..., nv): they become a system with a free vehicle.

    Poses and velocities of all bodies stay what they are. Bodies without inertia that carried nothing else
    (such as "prefix/joint" of a joined system) vanish with the joint. prefix: "prefix/" is taken off the
    names of what is released, and prefix becomes its name.  places: as `join_trees` gave them, of a batch.
    """
    index = tree.index(body)
    gone = {i for i, path in enumerate(tree.ancestors) if index in path}
    dropped = _bare_carriers(tree, index, gone)
    stay = [i for i in range(len(tree.bodies)) if i not in gone | dropped]
    if not stay:
        raise ModelError.single(
            body, "release", expected="a body that leaves others behind", given="all bodies would go"
        )
    if tree.bodies[index].parent == WORLD and isinstance(tree.bodies[index].joint, Free):
        raise ModelError.single(
            body, "release", expected="a body held by another or by the world", given="a free vehicle"
        )
    _refuse_coupled(tree, gone)
    kept = tuple(c for c in tree.couplings if tree.index(c.joint) in stay)
    rest = replace(
        tree,
        bodies=_picked(tree, stay),
        frames=(frames := _frames_on(tree, stay, WORLD)),
        couplings=kept,
        parts=_parts_among(tree, {*(tree.names[i] for i in stay), *(frame.name for frame in frames)}),
    )
    held = at_places(tree, places or {})
    g, V = body_poses(held, q)[index], body_velocities(held, q, v)[index]
    go = sorted(gone - {index})
    qs, vs = split_configuration(tree, q), split_velocity(tree, v)
    return Released(
        rest,
        join([qs[i] for i in stay]),
        join([vs[i] for i in stay]),
        _released_tree(tree, index, go, prefix),
        join([numbers_from_pose(g), *(qs[i] for i in go)]),
        join([V, *(vs[i] for i in go)]),
    )


def _free_vehicle(guest: Tree) -> Body:
    vehicle = guest.bodies[0]
    if len(guest.vehicles) != 1 or not isinstance(vehicle.joint, Free) or not is_zero(vehicle.joint.armature):
        expected = "one vehicle with a Free joint without armature"
        given = ", ".join(f"{guest.bodies[guest.index(name)].joint.kind} {name}" for name in guest.vehicles)
        raise ModelError.single(guest.name, "guest", expected=expected, given=given)
    return vehicle


def _joined_tree(
    host: Tree, guest: Tree, frame: str, at: Pose, relative: Pose, joint: Joint, prefix: str
) -> Tree:
    """at: the frame on its body.  relative: the guest's vehicle in the frame."""
    index, _ = host.locate(frame)
    parent = WORLD if index < 0 else host.names[index]
    carriers: list[Body] = []
    if joint.nv:
        carriers = [Body(name=f"{prefix}/joint", parent=parent, joint=joint, inertia=Inertia.zero(), at=at)]
        parent, at = carriers[0].name, Pose()
    taken = mounted(replace(guest, frames=()), parent, at @ relative, Fixed(), f"{prefix}/")
    return replace(
        host,
        bodies=(*host.bodies, *carriers, *taken.bodies),
        frames=(*host.frames, *(with_prefix(frame, f"{prefix}/") for frame in guest.frames)),
        couplings=(*host.couplings, *taken.couplings),
        parts=(*host.parts, *taken.parts),
    )


def _bare_carriers(tree: Tree, index: int, gone: set[int]) -> set[int]:
    """Bodies without inertia and frames on the way to the world that would carry nothing any more."""
    dropped: set[int] = set()
    i = tree.links[index].parent
    while i >= 0 and is_zero(tree.links[i].inertia) and is_zero(tree.links[i].armature):
        others = [k for k, link in enumerate(tree.links) if link.parent == i and k not in gone | dropped]
        if others or any(frame.parent == tree.names[i] for frame in tree.frames):
            break
        dropped.add(i)
        i = tree.links[i].parent
    return dropped


def _released_tree(tree: Tree, index: int, others: list[int], prefix: str | None) -> Tree:
    root = replace(tree.bodies[index], parent=WORLD, joint=Free(), at=Pose(), prescribed=False)
    start = f"{prefix}/" if prefix else ""

    def shortened(part: Any) -> Any:
        shorter = replace(part, name=part.name.removeprefix(start), parent=part.parent.removeprefix(start))
        joint_name = getattr(part, "joint_name", None)
        return shorter if joint_name is None else replace(shorter, joint_name=joint_name.removeprefix(start))

    bodies = tuple(shortened(body) for body in (root, *_picked(tree, others)))
    frames = tuple(shortened(frame) for frame in _frames_on(tree, [index, *others]))
    name = (prefix or bodies[0].name).rpartition("/")[2]
    inside = {tree.names[i] for i in others}
    couplings = tuple(
        replace(c, joint=c.joint.removeprefix(start), leader=c.leader.removeprefix(start))
        for c in tree.couplings
        if c.joint in inside
    )
    names = {
        *(tree.names[i] for i in (index, *others)),
        *(f.name for f in _frames_on(tree, [index, *others])),
    }
    parts = tuple(
        replace(part, prefix=part.prefix.removeprefix(start), body=part.body.removeprefix(start))
        for part in _parts_among(tree, names)
        if not prefix or part.prefix != start  # that is the whole that is released
    )
    return Tree(name=name, bodies=bodies, frames=frames, couplings=couplings, parts=parts)


def _parts_among(tree: Tree, names: set[str]) -> tuple[Part, ...]:
    """The records of parts that are held by a body or frame among these."""
    return tuple(part for part in tree.parts if part.body in names)


def _refuse_coupled(tree: Tree, gone: set[int]) -> None:
    """Joints of what is released cannot follow those of what stays, or the other way."""
    for c in tree.couplings:
        if (tree.index(c.joint) in gone) != (tree.index(c.leader) in gone):
            expected, given = "joints that follow none of the other part", f"{c.joint} follows {c.leader}"
            raise ModelError.single(c.joint, "release", expected=expected, given=given)


def _picked(tree: Tree, indices: list[int]) -> tuple[Body, ...]:
    return tuple(tree.bodies[i] for i in indices)


def _frames_on(tree: Tree, indices: list[int], *others: str) -> tuple[Frame, ...]:
    parents = {*(tree.names[i] for i in indices), *others}
    return tuple(frame for frame in tree.frames if frame.parent in parents)
