"""Sizes, names and methods of a plant. Methods run as compiled kernels, like those of a system."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..kernels.cuda import device_array, on_device
from ..model import ModelError
from ..model.value import has_own_code
from ..system.base import BACKENDS
from ..system.kernel_book import KernelBook, common_dtype, laid_out
from . import energy_balance as balance
from . import plant_equations as equations
from .loads import velocities_at
from .plant_parameters import of_bodies, worlds_at


class PlantMethods:
    """What a plant offers beside its data. Leading dimensions of arrays are a batch."""

    system: Any
    worlds: Any
    tree: Any
    gravity: Any
    actuators: Any
    velocities: Any
    declared: Any
    joints: Any
    stop_stiffness: Any

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
        """Number of independent velocities w: nv unless constraints or trajectories take some."""
        return len(self.velocities.names)

    @property
    def nx(self) -> int:
        """Number of states of the actuators."""
        return len(self.state_names)

    @property
    def nu(self) -> int:
        """Number of inputs."""
        return len(self.input_names)

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
    def parameter_names(self) -> tuple[str, ...]:
        """A name for every entry of p: "ocean.density", "ocean.current[0]", …"""
        return tuple(
            p.name if len(p.nominal) == 1 else f"{p.name}[{k}]"
            for p in self.declared
            for k in range(len(p.nominal))
        )

    @cached_property
    def nominal_parameters(self) -> np.ndarray:
        """p (n,) as the plant was built."""
        return np.concatenate([np.zeros(0), *(p.nominal for p in self.declared)])

    def right_hand_side(
        self, t: Any, q: Any, w: Any, x: Any, u: Any, p: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """(ẇ (..., nw), ẋ (..., nx)) in traceable NumPy, for time loops: numbers or symbols in, the same out.

        t (...) [s], q (..., nq), w (..., nw), actuator states x (..., nx), inputs u (..., nu), parameters p (..., n).
        """
        return self._by_sample(equations.right_hand_side, t, q, w, x, u, p)

    def velocity(self, t: Any, q: Any, w: Any, p: Any = None) -> np.ndarray:
        """Full velocity v (..., nv) of independent velocities w (..., nw); traceable.

        p (..., n) counts only if a parameter changes a prescribed motion, such as "sea.phases".
        """
        return self._velocities(p).full(t, q, w)

    def independent_velocity(self, q: Any, v: Any) -> np.ndarray:
        """Independent velocities w (..., nw) of a full velocity v (..., nv); traceable."""
        return self.velocities.independent(q, v)

    def configuration(self, t: Any, q: Any, p: Any = None) -> np.ndarray:
        """q (..., nq) with prescribed joints where they are at time t (and parameters p, see `velocity`); traceable."""
        return self._velocities(p).configuration(t, q)

    def _velocities(self, p: Any) -> Any:
        if p is None:
            return self.velocities
        return velocities_at(self, worlds_at(self.worlds, self.declared, p))  # type: ignore[arg-type]

    def mass_matrix(self, q: Any, *, p: Any = None, backend: str | None = None) -> np.ndarray:
        """M (..., nv, nv) with added mass."""
        return self._run(_mass_matrix, backend, t=0.0, q=q, p=p)

    def forward_dynamics(
        self,
        t: Any,
        q: Any,
        v: Any,
        u: Any = None,
        *,
        x: Any = None,
        p: Any = None,
        backend: str | None = None,
    ) -> np.ndarray:
        """Acceleration (..., nv) at time t (...), q (..., nq), v (..., nv) under inputs u (..., nu), zero if not given.

        Of v only the independent part counts; the rest follows from constraints and trajectories.
        """
        return self._run(_forward_dynamics, backend, t=t, q=q, v=v, x=x, u=u, p=p)

    def inverse_dynamics(
        self, t: Any, q: Any, v: Any, a: Any, *, p: Any = None, backend: str | None = None
    ) -> np.ndarray:
        """Forces (..., nv) that the acceleration a (..., nv) takes beside those of the world and the joints."""
        return self._run(_inverse_dynamics, backend, t=t, q=q, v=v, a=a, p=p)

    def reactions(
        self,
        t: Any,
        q: Any,
        v: Any,
        u: Any = None,
        *,
        x: Any = None,
        p: Any = None,
        backend: str | None = None,
    ) -> np.ndarray:
        """Forces (..., nv) along the DoFs that keep constraints and prescribed motions; zero along free DoFs."""
        return self._run(_reactions, backend, t=t, q=q, v=v, x=x, u=u, p=p)

    def energy(
        self, t: Any, q: Any, v: Any, *, x: Any = None, p: Any = None, backend: str | None = None
    ) -> balance.Energy:
        """`.kinetic` with added mass, `.potential` of weight, buoyancy, springs and tide, `.total`, each (...) [J]."""
        return self._run(_energy, backend, t=t, q=q, v=v, x=x, p=p)

    def power(
        self,
        t: Any,
        q: Any,
        v: Any,
        u: Any = None,
        *,
        x: Any = None,
        p: Any = None,
        backend: str | None = None,
    ) -> balance.Power:
        """Where the energy comes from and goes, each (...) [W]; `.total` is the rate of `energy(...).total`."""
        return self._run(_power, backend, t=t, q=q, v=v, x=x, u=u, p=p)

    def allocation_matrix(self, q: Any, *, p: Any = None, backend: str | None = None) -> np.ndarray:
        """B (..., nv, n): forces along the DoFs per unit thrust, motor force, … (see `thrust_names`) at q (..., nq)."""
        return self._run(_allocation_matrix, backend, t=0.0, q=q, p=p)

    @property
    def _sizes(self) -> dict[str, int]:
        sizes = {"t": 1, "q": self.nq, "v": self.nv, "a": self.nv, "w": self.nw}
        return sizes | {"x": self.nx, "u": self.nu, "p": len(self.nominal_parameters)}

    def _run(self, function: Callable[..., Any], backend: str | None, **given: Any) -> Any:
        """function(plant, *arrays) after checking the arrays; compiled unless backend is "numpy"."""
        if backend is not None and backend not in BACKENDS:
            raise ModelError.single(
                "Plant", "backend", expected=f"one of {', '.join(BACKENDS)}", given=repr(backend)
            )
        arrays = {name: self._array(name, x) for name, x in given.items()}
        if backend == "numpy":
            return self._by_sample(_at_time(function), arrays.pop("t")[..., 0], *arrays.values())
        layout, flat = laid_out(arrays)
        on_host = all(isinstance(x, np.ndarray) for x in flat)
        dtype = common_dtype(x for x in given.values() if x is not None)
        flat = [x if x.dtype == dtype else x.astype(dtype) for x in flat]
        return self._book.kernel(function, (), layout, dtype, backend or ("cpu" if on_host else "cuda"))(
            *flat
        )

    def _array(self, name: str, x: Any) -> Any:
        """`x` as an array (of CuPy if it is on the GPU) whose last dimension fits; what is not given is nominal."""
        size = self._sizes[name]
        if x is None:
            return np.array(self.nominal_parameters if name == "p" else np.zeros(size))
        try:
            array = device_array(x) if not isinstance(x, np.ndarray) and on_device(x) else np.asarray(x)
            array = array if array.dtype == np.float32 else array.astype(float, copy=False)
        except (TypeError, ValueError):
            expected = f"numbers of shape (..., {size})"
            raise ModelError.single(self.system.name, name, expected=expected, given=repr(x)) from None
        array = array[..., None] if name == "t" else array
        if array.ndim == 0 or array.shape[-1] != size:
            expected = f"shape (..., {size})"
            raise ModelError.single(self.system.name, name, expected=expected, given=f"shape {array.shape}")
        return array

    def _by_sample(self, function: Callable[..., Any], t: Any, *arrays: Any) -> Any:
        """function(plant, t, *arrays), one sample after the other if masses vary over a batch."""
        if not of_bodies(self.declared) or np.ndim(arrays[-1]) < 2:
            return function(self, t, *arrays)
        batch = np.broadcast_shapes(np.shape(t), *(x.shape[:-1] for x in arrays))
        full = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in arrays]
        times = np.broadcast_to(t, batch)
        results = [function(self, times[i], *(x[i] for x in full)) for i in np.ndindex(batch)]
        if isinstance(results[0], tuple):
            parts = [np.reshape(part, (*batch, *np.shape(part[0]))) for part in zip(*results, strict=True)]
            return type(results[0])(*parts) if hasattr(results[0], "_fields") else tuple(parts)
        return np.reshape(results, (*batch, *np.shape(results[0])))

    @cached_property
    def _book(self) -> KernelBook:
        return KernelBook(self)  # type: ignore[arg-type]

    @cached_property
    def digest(self) -> str | None:
        """Digest of everything that the equations depend on; None if a function of the user's is part of it."""
        if self.tree.digest is None or _has_code(self):
            return None
        return hashlib.sha256(f"{self.tree.digest} {self!r}".encode()).hexdigest()


def _named(actuator: Any, name: str) -> str:
    return f"{actuator.label}.{name}" if name else actuator.label


def _has_code(x: Any) -> bool:
    if isinstance(x, tuple):
        return any(map(_has_code, x))
    if is_dataclass(x) and not isinstance(x, type):
        return not has_own_code(x) or any(_has_code(getattr(x, field.name)) for field in fields(x))
    return callable(x)


def _at_time(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of (plant, t (..., 1), …) as one of (plant, t (...), …)."""
    return lambda plant, t, *arrays: function(plant, np.asarray(t)[..., None], *arrays)


def _mass_matrix(plant: Any, t: np.ndarray, q: np.ndarray, p: np.ndarray) -> np.ndarray:
    return equations.mass_matrix(plant, q, p)


def _forward_dynamics(plant: Any, t: Any, q: Any, v: Any, x: Any, u: Any, p: Any) -> np.ndarray:
    return equations.forward_dynamics(plant, t[..., 0], q, v, x, u, p)


def _inverse_dynamics(plant: Any, t: Any, q: Any, v: Any, a: Any, p: Any) -> np.ndarray:
    return equations.inverse_dynamics(plant, t[..., 0], q, v, a, p)


def _energy(plant: Any, t: Any, q: Any, v: Any, x: Any, p: Any) -> balance.Energy:
    return balance.energy(plant, t[..., 0], q, v, x, p)


def _power(plant: Any, t: Any, q: Any, v: Any, x: Any, u: Any, p: Any) -> balance.Power:
    return balance.power(plant, t[..., 0], q, v, x, u, p)


def _reactions(plant: Any, t: Any, q: Any, v: Any, x: Any, u: Any, p: Any) -> np.ndarray:
    return equations.reactions(plant, t[..., 0], q, v, x, u, p)


def _allocation_matrix(plant: Any, t: Any, q: Any, p: Any) -> np.ndarray:
    return equations.allocation_matrix(plant, t[..., 0], q, p)
