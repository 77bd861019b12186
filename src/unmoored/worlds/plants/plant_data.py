"""The part of a plant that is data: sizes and names of its vectors, its free numbers, and what methods are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics.free_numbers import built_with
from ...model import Mimic, ModelError
from ...model.identity import digest_of
from ...model.units import coordinate_names
from ...model.value import in_full
from ...system import System
from ...system.argument_kinds import NUMBER, ArrayOf, checked_array
from ...system.method import Method, method
from ...system.signature_types import Array, ArrayLike, Backend, Out
from ...trace.span_table import SpanTable
from ..loads import velocities_at
from .plant_parameters import couplings_at, numbers, worlds_at

STATES = ArrayOf("nx", default=lambda plant: np.zeros(plant.nx))
INPUTS = ArrayOf("nu", default=lambda plant: np.zeros(plant.nu))
PARAMETERS = ArrayOf("np", default=lambda plant: plant.nominal_parameters)


def _full_velocity(plant: Any, t: Any, q: np.ndarray, w: np.ndarray, p: np.ndarray) -> np.ndarray:
    return plant._velocities(p).full(t, q, w) + 0.0  # never the array that was given


def _independent_velocity(plant: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return plant.velocities.independent(q, v) + 0.0


def _configuration(plant: Any, t: Any, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    return plant._velocities(p).configuration(t, q) + 0.0


#: a table with more times than this is not written into a kernel's code
_MANY_POINTS = 64
#: names of version 0.1 that have others now
_RENAMED = {
    "velocity": "full_velocity(t, q, w); the twist of a frame is system.velocity(q, v, frame)",
    "parameters": "free (names), available_parameters() and nominal_parameters (values)",
    "right_hand_side": "forward_dynamics, or worlds.plant_equations.right_hand_side",
}


class PlantData:
    """The sizes of q, v, w, x, u and p, and a name for every entry.

    Everywhere: t (...) is time [s].  q (..., nq), v (..., nv): configuration and full velocity.  u (..., nu): inputs,
    zero if not given.  x (..., nx): states of the actuators, zero if not given.  p (..., n): free parameters, as the
    plant was built if not given. Leading dimensions are a batch.
    """

    system: Any
    worlds: Any
    gravity: Any
    stop_stiffness: Any
    tree: Any
    actuators: Any
    elements: Any
    closures: Any
    velocities: Any
    _declared: Any
    _massless: tuple[str, ...]
    _displaces: bool
    _check_as_built: Callable[[], None]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Old names say the new ones."""
            renamed = f": it is now {_RENAMED[name]}" if name in _RENAMED else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{renamed}")

    @property
    def name(self) -> str:
        """Name of the system."""
        return self.system.name

    @property
    def nq(self) -> int:
        """Length of the configuration q."""
        return self.tree.nq

    @property
    def nv(self) -> int:
        """Length of the full velocity v."""
        return self.tree.nv

    @property
    def nw(self) -> int:
        """Number of independent velocities w: nv unless constraints, couplings or trajectories take some."""
        return len(self.velocities.names)

    @property
    def nx(self) -> int:
        """Number of states of the actuators."""
        return len(self.state_names)

    @property
    def nu(self) -> int:
        """Number of inputs."""
        return len(self.input_names)

    @property
    def dof_names(self) -> tuple[str, ...]:
        """A name for every entry of v."""
        return self.tree.dof_names

    @cached_property
    def input_names(self) -> tuple[str, ...]:
        """A name for every input: the actuator's, with the command's if it has several."""
        if self.actuators is None:
            return self.tree.dof_names
        return tuple(_named(a, name) for a in self.actuators for name in a.inputs(self.tree))

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """A name for every state of the actuators."""
        return tuple(_named(a, name) for a in self.actuators or () for name in a.states(self.tree))

    @cached_property
    def thrust_names(self) -> tuple[str, ...]:
        """A name for every column of the allocation matrix."""
        return tuple(_named(a, name) for a in self.actuators or () for name in a.thrusts(self.tree))

    @property
    def speed_names(self) -> tuple[str, ...]:
        """A name for every independent velocity."""
        return self.velocities.names

    @cached_property
    def tangent_names(self) -> tuple[str, ...]:
        """A name for every entry of (δq, δw, δx): "d bus.vx" and "d elbow" of δq, then speeds and actuators' states."""
        return (*(f"d {name}" for name in self.dof_names), *self.speed_names, *self.state_names)

    @cached_property
    def parameter_names(self) -> tuple[str, ...]:
        """A name for every entry of p: "ocean.density", "ocean.current[0]", …"""
        return tuple(
            p.name if len(p.nominal) == 1 else f"{p.name}[{k}]"
            for p in self._declared
            for k in range(len(p.nominal))
        )

    @cached_property
    def nominal_parameters(self) -> np.ndarray:
        """p (n,) as the plant was built."""
        return np.concatenate([np.zeros(0), *(p.nominal for p in self._declared)])

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """A name for every entry of q."""
        return tuple(coordinate_names(self.tree))

    @cached_property
    def pose_links(self) -> tuple[Any, ...]:
        """The links whose joints are stored as poses."""
        return tuple(link for link in self.tree.links if link.joint.nq > link.joint.nv)

    @cached_property
    def worlds_in_words(self) -> tuple[str, ...]:
        """Each world as text, for records of runs."""
        return tuple(in_full(world) for world in self.worlds)

    def _solves(self, method: str) -> bool:
        """Whether a method divides by the inertia behind joints that are prescribed."""
        return method in ("operational_space", "lagrange_poincare")

    def _size_of(self, word: str) -> int:
        """The number behind a size in a declaration: "nq", "nv", "nw", "nx", "nu" or "np"."""
        if word == "np":
            return len(self.nominal_parameters)
        return getattr(self, word)

    def available_parameters(self) -> dict[str, np.ndarray]:
        """Every number of the plant that can be free (`Plant(..., free=[names or globs])`), with its value as built.

        What is free is run-time data: it costs speed (8 masses 1.4 times, all numbers of a 6+7 system 5 times the run).
        """
        known = numbers(
            self.system.tree,
            self.worlds,
            self.actuators or (),
            (*self.elements, *self.closures),
            self.gravity,
        )
        return {name: value.copy() for name, (_, value) in known.items()}

    def system_at(self, p: Any) -> System:
        """The system built with the values in p (n,) of its bodies, joints, fluids and frames."""
        values = checked_array(self.name, "p", p, (len(self.nominal_parameters),))
        if values.ndim != 1:
            raise ModelError.single(
                self.name, "p", expected="values of one sample", given=f"shape {values.shape}"
            )
        tree = built_with(self.system.tree, self._declared, values)
        couplings = couplings_at(self.system.tree, self._declared, values)
        if couplings is not self.system.tree.couplings:
            built = (Mimic(c.joint, c.leader, float(c.multiplier), float(c.offset)) for c in couplings)
            tree = replace(tree, couplings=tuple(built))
        return self.system if tree is self.system.tree else System(tree)

    @method(_full_velocity, t=NUMBER, q="nq", w="nw", p=PARAMETERS)
    def full_velocity(
        self,
        t: ArrayLike,
        q: ArrayLike,
        w: ArrayLike,
        p: ArrayLike | None = None,
        *,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """Full velocity v (..., nv) of independent velocities w (..., nw) at t (...), q (..., nq).

        p (..., n) counts only if a parameter changes a prescribed motion, such as "sea.phases", or a coupling.
        """
        ...

    @method(_independent_velocity, q="nq", v="nv")
    def independent_velocity(
        self, q: ArrayLike, v: ArrayLike, *, backend: Backend | None = None, out: Out = None
    ) -> Array:
        """Independent velocities w (..., nw) of a full velocity v (..., nv) at q (..., nq)."""
        ...

    @method(_configuration, t=NUMBER, q="nq", p=PARAMETERS)
    def configuration(
        self,
        t: ArrayLike,
        q: ArrayLike,
        p: ArrayLike | None = None,
        *,
        backend: Backend | None = None,
        out: Out = None,
    ) -> Array:
        """q (..., nq) with prescribed joints where they are at time t (...), and followers at their leaders.

        p (..., n) counts if a parameter changes a prescribed motion or a coupling.
        """
        ...

    def _velocities(self, p: Any) -> Any:
        """The independent velocities, with the motions that the worlds prescribe at p."""
        if p is None or not np.size(p):
            return self.velocities
        worlds = worlds_at(self.worlds, self._declared, p) if self._declared else self.worlds
        return velocities_at(self, worlds, p)  # type: ignore[arg-type]

    def _reference(self, method: Method, arrays: list[Any], names: tuple[Any, ...]) -> Any:
        """The method in NumPy, one sample after the other where free numbers vary over a batch."""
        if self.digest is None:
            self._check_as_built()
        given = dict(zip(method.arrays, arrays, strict=True))
        if not self._declared or np.ndim(given.get("p", 0.0)) < 2:
            return method.function(self, *arrays, *names)
        cores = [0 if getattr(kind, "size", 1) is None else 1 for kind in method.arrays.values()]
        return _by_sample(lambda *one: method.function(self, *one, *names), given, cores)

    @property
    def _subject(self) -> Any:
        """What the functions behind the methods are functions of."""
        return self

    @cached_property
    def digest(self) -> str | None:
        """Digest of everything that the equations depend on; None if a function of the user's is part of it."""
        return None if self.tree.digest is None else digest_of(self.tree.digest, self._equations_of)

    @property
    def _equations_of(self) -> tuple[Any, ...]:
        return (
            self.worlds,
            self.actuators,
            self.constraints,  # type: ignore[attr-defined]
            self.prescribed,  # type: ignore[attr-defined]
            self.free,  # type: ignore[attr-defined]
            self.joints,  # type: ignore[attr-defined]
            self.elements,
            self.closures,
        )

    @cached_property
    def _tables(self) -> tuple[SpanTable, ...]:
        """The tables of prescribed motions; kernels may have their addresses behind the free parameters p."""
        from ..motion_tables import tables_in  # which knows plants

        return tables_in(self.prescribed)  # type: ignore[attr-defined]

    @cached_property
    def _tables_given(self) -> tuple[SpanTable, ...]:
        """The same if kernels of methods are given them: if one has so many points that no code should hold them."""
        return self._tables if any(len(table.times) > _MANY_POINTS for table in self._tables) else ()

    @cached_property
    def form(self) -> str | None:
        """The same without the content of tables: plants of one form share the kernels of their runs."""
        from ..motion_tables import without_content  # which knows plants

        return (
            None
            if self.tree.digest is None
            else digest_of(self.tree.digest, without_content(self._equations_of))
        )


def _named(actuator: Any, name: str) -> str:
    return f"{actuator.label}.{name}" if name else actuator.label


def _by_sample(function: Callable[..., Any], given: dict[str, Any], cores: list[int]) -> Any:
    """function(*arrays) of one sample after the other; cores: how many dimensions each array has of its own."""
    arrays = [np.asarray(x) for x in given.values()]
    batch = np.broadcast_shapes(*(x.shape[: x.ndim - n] for x, n in zip(arrays, cores, strict=True)))
    full = [np.broadcast_to(x, (*batch, *x.shape[x.ndim - n :])) for x, n in zip(arrays, cores, strict=True)]
    results = [function(*(x[i] for x in full)) for i in np.ndindex(batch)]
    if not isinstance(results[0], tuple):
        return np.reshape(results, (*batch, *np.shape(results[0])))
    parts = [np.reshape(part, (*batch, *np.shape(part[0]))) for part in zip(*results, strict=True)]
    return type(results[0])(*parts) if hasattr(results[0], "_fields") else tuple(parts)
