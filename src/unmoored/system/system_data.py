"""The part of `System` that is data: sizes, names, configurations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics import configuration
from ..model import Mimic, ModelError, Part, Tree
from ..notebook_views import ShownInNotebooks
from ..trace import Symbol, is_symbolic, looks_inside
from ..trace.symbol import for_users
from .argument_kinds import checked_array
from .definiteness import check_definite
from .method import Method, method
from .method_kernels import MethodKernels
from .signature_types import Array, ArrayLike, Backend, Out


class SystemData(ShownInNotebooks):
    """A validated tree with its sizes, names and operations on configurations. Frozen."""

    def __init__(self, tree: Tree):
        self._massless = check_definite(tree)
        self._tree = tree
        self._calls: dict[Any, Callable[..., Any]] = {}
        self._kernels = MethodKernels(self)

    #: tables that kernels of methods are given: none, nothing of a system goes with time
    _tables_given: tuple[Any, ...] = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Old names say the new ones."""
            renamed = ": it is now independent_velocity" if name == "independent_speeds" else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{renamed}")

    @property
    def tree(self) -> Tree:
        """The bodies, joints and frames: pure data."""
        return self._tree

    @property
    def name(self) -> str:
        """Name of the system."""
        return self._tree.name

    @property
    def nq(self) -> int:
        """Length of the configuration q: 1 per 1-DoF joint, 12 per joint stored as a pose."""
        return self._tree.nq

    @property
    def nv(self) -> int:
        """Number of degrees of freedom: length of v, a and tau."""
        return self._tree.nv

    @property
    def names(self) -> tuple[str, ...]:
        """Body names in velocity order; a joint carries the name of the body that it moves."""
        return self._tree.names

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that move, in velocity order: bodies on fixed joints are left out."""
        return tuple(link.name for link in self._tree.links if link.joint.nv)

    @cached_property
    def fixed_bodies(self) -> tuple[str, ...]:
        """Names of the bodies on fixed joints: all names but `joints`."""
        return tuple(link.name for link in self._tree.links if not link.joint.nv)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The systems that were mounted on this one, in order, those that they are made of included."""
        return self._tree.parts

    @property
    def dof_names(self) -> tuple[str, ...]:
        """A name for every entry of v, such as "bus.vx" and "arm1"."""
        return self._tree.dof_names

    @property
    def couplings(self) -> tuple[Mimic, ...]:
        """Joints that follow others. Methods of a system see ordinary joints."""
        return self._tree.couplings

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames, beside the bodies' own."""
        return tuple(frame.name for frame in self._tree.frames)

    @property
    def vehicles(self) -> tuple[str, ...]:
        """Names of the bodies attached to the world."""
        return self._tree.vehicles

    @property
    def mass(self) -> float:
        """Total mass (kg), without added mass."""
        return self._tree.mass

    def neutral(self) -> Array:
        """Configuration (nq,) with every joint at identity."""
        return configuration.neutral(self._tree)

    def random_configuration(self, rng: np.random.Generator | int | None = None) -> Array:
        """Random configuration (nq,), inside the joint limits where there are some. `rng`: a Generator or a seed."""
        try:
            source = np.random.default_rng(rng)
        except (TypeError, ValueError) as why:
            expected = "a Generator, or a seed ≥ 0"
            raise ModelError.single(self.name, "rng", expected=expected, given=f"{rng!r}: {why}") from None
        return configuration.random_configuration(self._tree, source)

    @method(configuration.retract, q="nq", dq="nv")
    def retract(
        self, q: ArrayLike, dq: ArrayLike, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Configuration (..., nq) reached from q along the tangent dq (..., nv), joint by joint h exp(H dq)."""
        ...

    @method(configuration.local, q0="nq", q1="nq")
    def local(
        self, q0: ArrayLike, q1: ArrayLike, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Tangent (..., nv) with retract(q0, tangent) = q1, both (..., nq)."""
        ...

    def pack(self, joints: Mapping[str, Any]) -> Array:
        """Configuration (..., nq) from values by joint name; joints left out are neutral.

        A value is the coordinate of a 1-DoF joint (rad, m), the pose (4×4, or a `Pose`) of a joint stored as a
        pose, or the coordinates of a universal or custom joint.
        """
        return configuration.pack(self._tree, joints)

    def unpack(self, q: ArrayLike) -> dict[str, Array]:
        """Values by joint name from q (..., nq): the inverse of `pack`. Fixed joints have none."""
        return configuration.unpack(self._tree, self._array("q", q, self.nq))

    def pack_velocity(self, joints: Mapping[str, Any]) -> Array:
        """Velocity-like vector (..., nv) from values by joint name or DoF name ("bus.vx"); the rest is zero."""
        return configuration.pack_velocity(self._tree, joints)

    def unpack_velocity(self, v: ArrayLike) -> dict[str, Array]:
        """Values (..., nv_i) by joint name from a velocity-like vector (..., nv)."""
        return configuration.unpack_velocity(self._tree, self._array("v", v, self.nv))

    def _size_of(self, word: str) -> int:
        """The number behind a size in a declaration: "nq" or "nv"."""
        return {"nq": self.nq, "nv": self.nv}[word]

    @property
    def _subject(self) -> Tree:
        """What the functions behind the methods are functions of."""
        return self._tree

    def _solves(self, method: str) -> bool:
        """Whether a method may divide by the inertia behind a joint: any that is not known not to."""
        return True

    def _check_as_built(self) -> None:
        """A system keeps nothing that its joints' functions could change."""

    @property
    def digest(self) -> str | None:
        """Digest of everything that the methods depend on; None if a joint is code of the user's."""
        return self._tree.digest

    def _reference(self, method: Method, arrays: list[Any], names: tuple[Any, ...]) -> Any:
        """The method in NumPy."""
        return method.function(self._tree, *arrays, *names)

    def _array(self, name: str, x: Any, size: int) -> np.ndarray:
        if is_symbolic(x):
            x = for_users(np.asarray(x))
            if all(isinstance(entry, Symbol | float) for entry in x.flat) and x.shape[-1:] == (size,):
                return x
        return checked_array(self.name, name, x, (size,))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._tree,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SystemData) and self._tree == other._tree

    def __hash__(self) -> int:
        return hash(self._tree)

    def __repr__(self) -> str:
        return f"<System {self.name!r}: {len(self.names)} bodies, {self.nv} DoF, {self.mass:g} kg>"


# a system is its tree, not its kernels
looks_inside(SystemData, lambda system: system.tree)
