"""Couplings between joints: one follows another (docs/theory.md §26: v = K w with constant rows)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .body import Body
from .errors import ModelError, Problem
from .joints import Fixed
from .names import check_name
from .pose import Pose
from .value import Value

if TYPE_CHECKING:
    from .tree import Tree

MODES = ("coupled", "free", "locked")


@dataclass(frozen=True, eq=False, repr=False)
class Mimic(Value):
    """The joint `joint` follows the joint `leader`: its coordinate is multiplier · (that of the leader) + offset.

    Both have one DoF and are called by the names of the bodies that they move. Methods of a `System` see ordinary
    joints; couplings are for a `Plant` to apply.  multiplier: a ratio (rad or m of the follower for one of the
    leader).  offset: rad or m.
    """

    joint: str
    leader: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self):
        for name in (self.joint, self.leader):
            check_name("joint", name)
        for what in ("multiplier", "offset"):
            value = getattr(self, what)
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise ModelError.single(
                    f"Mimic {self.joint}", what, expected="a finite number", given=repr(value)
                )
            object.__setattr__(self, what, float(value))


def coupling_problems(bodies: Sequence[Body], couplings: Sequence[Mimic]) -> Iterator[Problem]:
    """Every broken rule of the couplings of a tree; `where` is the follower."""
    joints = {body.name: body.joint for body in bodies}
    leaders: dict[str, str] = {}
    for coupling in couplings:
        for what, name in (("joint", coupling.joint), ("leader", coupling.leader)):
            if name not in joints:
                yield Problem(coupling.joint, f"mimic {what}", "the name of a body", repr(name))
            elif joints[name].nv != 1:
                given = f"{joints[name].kind} of {name}, which has {joints[name].nv}"
                yield Problem(coupling.joint, f"mimic {what}", "a joint with one degree of freedom", given)
        if coupling.joint in leaders:
            yield Problem(
                coupling.joint, "mimic", "one leader", f"{leaders[coupling.joint]} and {coupling.leader}"
            )
        leaders[coupling.joint] = coupling.leader
    for follower in leaders:
        seen, current = {follower}, leaders[follower]
        while current in leaders and current not in seen:
            seen.add(current)
            current = leaders[current]
        if current == follower:
            yield Problem(
                follower, "mimic", "joints that do not follow themselves", f"{follower} follows itself"
            )


def uncoupled(tree: Tree, mode: str) -> Tree:
    """The tree as `mode` has its couplings: "coupled" as they are, "free" without them, "locked" with followers fixed.

    A locked follower is welded where it stands while its leader is at zero.
    """
    if mode not in MODES:
        raise ModelError.single("load", "mimic", expected=f"one of {', '.join(MODES)}", given=repr(mode))
    if mode == "coupled" or not tree.couplings:
        return tree
    if mode == "free":
        return replace(tree, couplings=())
    values = _at_zero(tree.couplings)
    bodies = tuple(_welded(body, values[body.name]) if body.name in values else body for body in tree.bodies)
    return replace(tree, bodies=bodies, couplings=())


def _at_zero(couplings: Sequence[Mimic]) -> dict[str, float]:
    """Coordinate of each follower while the joints that lead it are at zero."""
    by_name = {coupling.joint: coupling for coupling in couplings}
    values: dict[str, float] = {}

    def value(name: str) -> float:
        if name not in by_name:
            return 0.0
        if name not in values:
            coupling = by_name[name]
            values[name] = coupling.multiplier * value(coupling.leader) + coupling.offset
        return values[name]

    for name in by_name:
        value(name)
    return values


def _welded(body: Body, x: float) -> Body:
    moved = Pose.from_matrix(body.joint.transform(body.joint.from_coordinates(np.array([x]))))
    return replace(body, joint=Fixed(), at=body.at @ moved if x else body.at, joint_name=body.joint_name)
