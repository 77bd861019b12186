"""Building a system body by body."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..model import (
    WORLD,
    Body,
    Fixed,
    Fluid,
    Frame,
    Inertia,
    Joint,
    Mimic,
    ModelError,
    Part,
    Pose,
    Tree,
    Visual,
)
from ..model.errors import unknown_name
from ..model.mounting import mounted, place_of
from ..model.type_checks import check_type
from .loading import load
from .system import System


@dataclass(frozen=True)
class BodyHandle:
    """A body of a builder; `parent=` takes it, or its name."""

    name: str
    builder: SystemBuilder


class SystemBuilder:
    """Collects bodies and frames; `build` gives the frozen, validated `System`."""

    _changes = True

    def __init__(
        self,
        name: str,
        *,
        description: str = "",
        sources: Sequence[str] = (),
        assumptions: Sequence[str] = (),
    ):
        self._name = name
        self._notes = {
            "description": description,
            "sources": tuple(sources),
            "assumptions": tuple(assumptions),
        }
        self._bodies: dict[str, Body] = {}
        self._frames: dict[str, Frame] = {}
        self._couplings: list[Mimic] = []
        self._parts: list[Part] = []

    @classmethod
    def of(cls, system: System, *, name: str | None = None) -> SystemBuilder:
        """A builder that holds all of a system, to change it; the system itself stays what it is."""
        check_type("SystemBuilder.of", "system", system, System)
        tree = system.tree
        builder = cls(
            tree.name if name is None else name,
            description=tree.description,
            sources=tree.sources,
            assumptions=tree.assumptions,
        )
        builder._bodies = {body.name: body for body in tree.bodies}
        builder._frames = {frame.name: frame for frame in tree.frames}
        builder._couplings, builder._parts = list(tree.couplings), list(tree.parts)
        return builder

    def vehicle(
        self,
        name: str,
        joint: Joint,
        *,
        inertia: Inertia | None = None,
        at: Pose | None = None,
        visuals: Sequence[Visual] = (),
        fluid: Fluid | None = None,
        prescribed: bool = False,
    ) -> BodyHandle:
        """Add a body attached to the world by `joint`, which sits at the world pose `at`. Returns its handle.

        A body without `inertia` has no mass; it can carry others. prescribed: the joint always moves as a
        `Plant` is told,
        and needs no inertia behind it.
        """
        return self.link(
            name,
            parent=WORLD,
            joint=joint,
            at=at,
            inertia=inertia,
            visuals=visuals,
            fluid=fluid,
            prescribed=prescribed,
        )

    def link(
        self,
        name: str,
        *,
        parent: BodyHandle | str,
        joint: Joint,
        inertia: Inertia | None = None,
        at: Pose | None = None,
        visuals: Sequence[Visual] = (),
        fluid: Fluid | None = None,
        prescribed: bool = False,
    ) -> BodyHandle:
        """Add a body moved by `joint`, which sits at `at` on `parent` (a handle or a name). Returns its handle.

        A body without `inertia` has no mass; it can carry others. prescribed: the joint always moves as a
        `Plant` is told,
        and needs no inertia behind it.
        """
        body = Body(
            name=name,
            parent=self._parent(name, parent),
            joint=joint,
            inertia=Inertia.zero() if inertia is None else inertia,
            at=Pose() if at is None else at,
            visuals=tuple(visuals),
            fluid=fluid,
            prescribed=prescribed,
        )
        self._claim(name)
        self._bodies[name] = body
        return BodyHandle(name, self)

    def frame(self, name: str, *, parent: BodyHandle | str, at: Pose | None = None) -> str:
        """Add a named frame fixed at `at` on `parent` (a handle, a name, or "world"). Returns its name."""
        frame = Frame(name=name, parent=self._parent(name, parent), at=Pose() if at is None else at)
        self._claim(name)
        self._frames[name] = frame
        return name

    def mimic(
        self, joint: BodyHandle | str, leader: BodyHandle | str, multiplier: float = 1.0, offset: float = 0.0
    ) -> Mimic:
        """Let a joint follow another in a `Plant`: its coordinate is multiplier · (that of the leader) + offset.

        joint, leader: handles or names of the bodies that they move.  Returns the coupling.
        """
        follower, first = (x.name if isinstance(x, BodyHandle) else x for x in (joint, leader))
        self._couplings.append(Mimic(follower, first, multiplier, offset))
        return self._couplings[-1]

    def mount(
        self,
        guest: System | str | os.PathLike[str],
        parent: BodyHandle | str,
        *,
        at: Pose | None = None,
        joint: Joint | None = None,
        prefix: str | None = None,
        prescribed: bool = False,
    ) -> BodyHandle:
        """Add all of a system, held by `joint` at `at` on `parent`. Returns the handle of the body that it is held by.

        guest: a `System`, a file or a built-in system by name (see `load`), with one body on its world. The
        joint between
        the two is replaced by `joint` (Fixed if None); its pose there by `at`.  parent: a handle, or the name
        of a body or
        frame, or "world".  prefix: put before the names of its bodies, joints and frames; "name/" of the guest if None.
        prescribed: `joint` always moves as a `Plant` is told, and needs no inertia behind it.
        """
        source: Any = (
            "" if isinstance(guest, System) else os.fspath(guest) if hasattr(guest, "__fspath__") else guest
        )
        system = guest if isinstance(guest, System) else self._loaded(source)
        joint = Fixed() if joint is None else joint
        at = Pose() if at is None else at
        for what, x, kind in (("joint", joint, Joint), ("at", at, Pose), ("prescribed", prescribed, bool)):
            check_type(system.name, what, x, kind)
        on = self._parent(system.name, parent) if isinstance(parent, BodyHandle) else parent
        body, placed = place_of(on, self._bodies.values(), self._frames.values(), system.name)
        found = mounted(
            system.tree,
            body,
            placed @ at,
            joint,
            f"{system.name}/" if prefix is None else prefix,
            source,
            prescribed,
        )
        for part in (*found.bodies, *found.frames):
            self._claim(part.name)
        self._bodies |= {part.name: part for part in found.bodies}
        self._frames |= {part.name: part for part in found.frames}
        self._couplings += found.couplings
        self._parts += found.parts
        return BodyHandle(found.bodies[0].name, self)

    def change(self, body: BodyHandle | str, **fields: Any) -> BodyHandle:
        """Change a body that is there: `joint`, `inertia`, `at`, `parent`, `visuals`, `fluid` or `prescribed`.
        Returns its handle.
        """
        name = self._known(body)
        known = ("joint", "inertia", "at", "parent", "visuals", "fluid", "prescribed")
        for field in fields:
            if field not in known:
                raise unknown_name(name, "field", field, known)
        if "parent" in fields:
            fields["parent"] = self._parent(name, fields["parent"])
        self._bodies[name] = replace(self._bodies[name], **fields)
        return BodyHandle(name, self)

    def remove(self, name: BodyHandle | str) -> None:
        """Take away a frame, or a body with all that it carries and the couplings among those."""
        if isinstance(name, str) and name in self._frames:
            del self._frames[name]
            self._forget_parts()
            return
        gone = {self._known(name)}
        while more := {b.name for b in self._bodies.values() if b.parent in gone} - gone:
            gone |= more
        for coupling in self._couplings:
            if (coupling.joint in gone) != (coupling.leader in gone):
                expected = "joints that follow none of those that stay, and lead none"
                given = f"{coupling.joint} follows {coupling.leader}"
                raise ModelError.single(coupling.joint, "remove", expected=expected, given=given)
        self._bodies = {key: body for key, body in self._bodies.items() if key not in gone}
        self._frames = {key: frame for key, frame in self._frames.items() if frame.parent not in gone}
        self._couplings = [coupling for coupling in self._couplings if coupling.joint not in gone]
        self._forget_parts()

    def build(self) -> System:
        """The frozen system; a `ModelError` lists every broken rule."""
        tree = Tree(
            name=self._name,
            bodies=tuple(self._bodies.values()),
            frames=tuple(self._frames.values()),
            couplings=tuple(self._couplings),
            parts=tuple(self._parts),
            **self._notes,
        )
        return System(tree)

    def _loaded(self, source: Any) -> System:
        if not isinstance(source, str):
            expected = "a System, a path, or the name of a built-in system"
            raise ModelError.single(self._name, "mount", expected=expected, given=repr(source)[:240])
        return load(source)

    def _known(self, body: BodyHandle | str) -> str:
        """The name of a body that is there."""
        name = self._parent(self._name, body) if isinstance(body, BodyHandle) else body
        if name not in self._bodies:
            raise unknown_name(self._name, "body", name, self._bodies)
        return name

    def _forget_parts(self) -> None:
        self._parts = [part for part in self._parts if part.body in self._bodies or part.body in self._frames]

    def _parent(self, child: str, parent: BodyHandle | str) -> str:
        if isinstance(parent, BodyHandle):
            if parent.builder is not self:
                expected = f"a handle of the builder {self._name!r}"
                raise ModelError.single(
                    child, "parent", expected=expected, given=f"one of {parent.builder._name!r}"
                )
            return parent.name
        check_type(str(child), "parent", parent, str)
        if parent != WORLD and parent not in self._bodies:
            raise unknown_name(str(child), "parent", parent, [WORLD, *self._bodies])
        return parent

    def _claim(self, name: str) -> None:
        if name in self._bodies or name in self._frames:
            raise ModelError.single(
                name, "name used twice", expected="unique body and frame names", given=repr(name)
            )
