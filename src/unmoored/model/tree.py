"""The frozen, validated tree of bodies: what every algorithm is a function of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .body import Body, Frame
from .checks import check_tree, parents_first
from .errors import ModelError, unknown_name
from .identity import digest_of
from .joints import Joint
from .mimic import Mimic
from .names import WORLD, check_text
from .part import Part
from .value import Value, replace_arrays


@dataclass(frozen=True)
class Link:
    """One body as the recursions see it: indices, and constants as arrays.

    index: place in the tree, parents first.  parent: index of the parent, −1 for the world.
    placement: 4×4 pose of the joint in the parent frame.  inertia: 6×6 at the body origin, body axes.
    q, v: slices of the joint in the configuration and in the velocity.
    """

    index: int
    parent: int
    name: str
    joint: Joint
    placement: np.ndarray
    inertia: np.ndarray
    mass: float
    com: np.ndarray
    armature: np.ndarray
    q: slice
    v: slice


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Tree(Value):
    """Bodies in an order with parents first, named frames, and couplings between joints.

    parts: which of them were mounted, and whence they came.  Construction validates everything at once.
    """

    name: str
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...] = ()
    description: str = ""
    sources: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    couplings: tuple[Mimic, ...] = ()
    parts: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        bodies, frames, couplings = tuple(self.bodies), tuple(self.frames), tuple(self.couplings)
        check_tree(self.name, bodies, frames, couplings, parts := tuple(self.parts))
        replace_arrays(self, bodies=parents_first(bodies), frames=frames, couplings=couplings, parts=parts)
        replace_arrays(self, sources=tuple(self.sources), assumptions=tuple(self.assumptions))
        for what, texts in (
            ("description", (self.description,)),
            ("sources", self.sources),
            ("assumptions", self.assumptions),
        ):
            for text in texts:
                check_text(self.name, what, text)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The bodies as the recursions see them, parents first."""
        index = {body.name: i for i, body in enumerate(self.bodies)}
        links, nq, nv = [], 0, 0
        for i, body in enumerate(self.bodies):
            joint = body.joint
            links.append(
                Link(
                    index=i,
                    parent=index.get(body.parent, -1),
                    name=body.name,
                    joint=joint,
                    placement=body.at.matrix,
                    inertia=body.inertia.matrix,
                    mass=body.inertia.mass,
                    com=body.inertia.com,
                    armature=joint.armature,
                    q=slice(nq, nq + joint.nq),
                    v=slice(nv, nv + joint.nv),
                )
            )
            nq, nv = nq + joint.nq, nv + joint.nv
        return tuple(links)

    def with_links(self, links: Sequence[Link]) -> Tree:
        """The same tree whose links carry other constants: run-time numbers, which may be symbols."""
        tree = copy(self)
        mass = sum(link.mass for link in links)
        tree.__dict__.update(links=tuple(links), mass=mass, has_own_links=True, digest=None)
        return tree

    @cached_property
    def has_own_links(self) -> bool:
        """Whether the links carry other constants than the bodies (see `with_links`)."""
        return False

    @cached_property
    def nq(self) -> int:
        """Length of the configuration vector."""
        return sum(body.joint.nq for body in self.bodies)

    @cached_property
    def nv(self) -> int:
        """Number of degrees of freedom: length of the velocity vector."""
        return sum(body.joint.nv for body in self.bodies)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Body names in velocity order; a joint carries the name of the body that it moves."""
        return tuple(body.name for body in self.bodies)

    @cached_property
    def vehicles(self) -> tuple[str, ...]:
        """Names of the bodies attached to the world."""
        return tuple(body.name for body in self.bodies if body.parent == WORLD)

    @cached_property
    def mass(self) -> float:
        """Total mass (kg), without added mass."""
        return float(sum(body.inertia.mass for body in self.bodies))

    @cached_property
    def _index_of_name(self) -> dict[str, int]:
        aliases = {b.joint_name: i for i, b in enumerate(self.bodies) if b.joint_name is not None}
        return aliases | {name: i for i, name in enumerate(self.names)}

    @cached_property
    def digest(self) -> str | None:
        """Digest of everything numeric and of all names; None if code of the user's is part of the tree."""
        return digest_of(self.bodies, self.frames, self.couplings)

    def index(self, name: str) -> int:
        """Index of the body (or of the body moved by the joint) with this name."""
        if not isinstance(name, str) or name not in self._index_of_name:
            raise unknown_name(self.name, "body or joint", name, self.names)
        return self._index_of_name[name]

    def link(self, name: str) -> Link:
        """The link with this body or joint name."""
        return self.links[self.index(name)]

    def locate(self, name: str) -> tuple[int, np.ndarray]:
        """Body index (−1 for the world) and constant 4×4 pose on it, of the frame or body called `name`."""
        if isinstance(name, str):
            if name == WORLD:
                return -1, np.eye(4)
            for frame in self.frames:
                if frame.name == name:
                    return (-1 if frame.parent == WORLD else self.index(frame.parent)), frame.at.matrix
            if name in self._index_of_name:
                return self._index_of_name[name], np.eye(4)
        raise unknown_name(self.name, "frame or body", name, [f.name for f in self.frames] + list(self.names))

    def dofs(self, names: str | Iterable[str]) -> np.ndarray:
        """Velocity indices, sorted, of joints ("arm1") and single DoFs ("bus.vx"; "bus.x" means the same)."""
        try:
            names = [names] if isinstance(names, str) else list(names)
        except TypeError:
            expected = "a name of a joint or degree of freedom, or a list of them"
            raise ModelError.single(self.name, "joints", expected=expected, given=repr(names)) from None
        return np.array(sorted({i for name in names for i in self._dofs_of(name)}), dtype=int)

    def _dofs_of(self, name: str) -> Sequence[int]:
        if isinstance(name, str) and name in self._index_of_name:
            v = self.link(name).v
            return range(v.start, v.stop)
        joint_name, dot, dof = name.rpartition(".") if isinstance(name, str) else ("", "", "")
        if not dot or joint_name not in self._index_of_name:
            raise unknown_name(self.name, "joint or degree of freedom", name, self.names)
        link = self.link(joint_name)
        known = link.joint.dof_names
        full_name = dof if dof in known else f"v{dof}"
        if full_name not in known:
            raise unknown_name(self.name, f"degree of freedom of {joint_name}", dof, known)
        return [link.v.start + known.index(full_name)]

    @cached_property
    def dof_names(self) -> tuple[str, ...]:
        """A name for every velocity: the joint's for a joint with one DoF, else "joint.dof"."""
        return tuple(
            body.name if body.joint.nv == 1 else f"{body.name}.{dof}"
            for body in self.bodies
            for dof in body.joint.dof_names
        )

    @cached_property
    def free_dofs(self) -> np.ndarray:
        """Velocity indices (n,) of the joints that are not always prescribed."""
        return self.dofs([body.name for body in self.bodies if not body.prescribed])

    @cached_property
    def ancestors(self) -> tuple[tuple[int, ...], ...]:
        """For each body, the indices on its path from the world, itself last."""
        paths: list[tuple[int, ...]] = []
        for link in self.links:
            paths.append((*(paths[link.parent] if link.parent >= 0 else ()), link.index))
        return tuple(paths)
