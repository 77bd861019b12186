"""Building a system body by body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model import WORLD, Body, Fluid, Frame, Inertia, Joint, Mimic, ModelError, Pose, Tree, Visual
from ..model.body import check_type
from ..model.errors import unknown_name
from .system import System


@dataclass(frozen=True)
class BodyHandle:
    """A body of a builder; `parent=` takes it, or its name."""

    name: str
    builder: SystemBuilder


class SystemBuilder:
    """Collects bodies and frames; `build` gives the frozen, validated `System`."""

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

    def vehicle(
        self,
        name: str,
        joint: Joint,
        *,
        inertia: Inertia | None = None,
        at: Pose | None = None,
        visuals: Sequence[Visual] = (),
        fluid: Fluid | None = None,
    ) -> BodyHandle:
        """Add a body attached to the world by `joint`, which sits at the world pose `at`. Returns its handle.

        A body without `inertia` has no mass; it can carry others.
        """
        return self.link(
            name, parent=WORLD, joint=joint, at=at, inertia=inertia, visuals=visuals, fluid=fluid
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
    ) -> BodyHandle:
        """Add a body moved by `joint`, which sits at `at` on `parent` (a handle or a name). Returns its handle.

        A body without `inertia` has no mass; it can carry others.
        """
        body = Body(
            name=name,
            parent=self._parent(name, parent),
            joint=joint,
            inertia=Inertia.zero() if inertia is None else inertia,
            at=Pose() if at is None else at,
            visuals=tuple(visuals),
            fluid=fluid,
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

    def build(self) -> System:
        """The frozen system; a `ModelError` lists every broken rule."""
        tree = Tree(
            name=self._name,
            bodies=tuple(self._bodies.values()),
            frames=tuple(self._frames.values()),
            couplings=tuple(self._couplings),
            **self._notes,
        )
        return System(tree)

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
