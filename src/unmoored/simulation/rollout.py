"""`Rollout`: the motion over some steps as a function of its start, inputs, parameters and gains, and its adjoint."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..kernels.cuda import device_array, on_device
from ..kernels.cuda.device import cupy
from ..model import ModelError
from ..model.errors import unknown_name
from ..model.short_text import short_repr
from ..trace import plain_array
from ..worlds.law_memory import unpacked
from ..worlds.plants.plant_derivatives import is_tied
from ..worlds.plants.plant_step import suitable_method
from . import arguments
from .controller import as_controller
from .rollout_functions import RolloutStep, backward_loop, forward_loop
from .run_kernels import run_kernels
from .state_vector import split

_BACKENDS = ("cpu", "cuda")
#: states that are kept for an adjoint at the same time, in bytes; of longer rollouts every so many, and the rest anew
_MOST_KEPT = 1 << 30


class RolloutGradient(NamedTuple):
    """Gradients of a weighted sum of what a rollout gives.

    q0 (..., nv) along retract.  v0 (..., nv).  x0 (..., nx).  u (..., periods, nu).  p (..., np).
    gains, memory: {name: (..., *shape)} of the law: its gains, and its memory at the start.
    """

    __repr__ = short_repr

    q0: Any
    v0: Any
    x0: Any
    u: Any
    p: Any
    gains: dict[str, Any]
    memory: dict[str, Any]


class Given(NamedTuple):
    """The arguments of a rollout, checked, for S samples."""

    q0: Any
    v0: Any
    u: Any
    params: Any
    x0: Any
    memory: Any
    batched: bool


class Rollout:
    """`rollout(q0, v0, u, p)` → q (T + 1, nq), v (T + 1, nv) over T = `steps` steps, and `rollout.vjp` its gradients.

    step: size of a step (s).  control_step: period (s) of the inputs u (periods, nu), which are held over it; one step
    if None.  controller: a law that acts at the start of every control period, its inputs added to u.
    Leading dimensions of arguments are a batch. Nothing stops a sample: numbers that are not finite go through it.
    """

    def __init__(
        self,
        plant: Any,
        steps: int = 50,
        step: float = 1e-3,
        control_step: float | None = None,
        controller: Any = None,
        *,
        method: str = "rkmk4",
        backend: str = "cpu",
        dtype: str = "float64",
    ) -> None:
        where = "Rollout"
        self.plant = plant = arguments.as_plant(plant, where)
        if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 1:
            raise arguments.wrong("steps", "a whole number ≥ 1", steps, where)
        self.steps, self.step = int(steps), arguments.positive("step", step, where)
        period = (
            self.step if control_step is None else arguments.positive("control_step", control_step, where)
        )
        self._every = arguments.whole("control_step", period, self.step, "the step", where)
        if self.steps % self._every:
            expected = f"a multiple of the {self._every} steps of a control period"
            raise arguments.wrong("steps", expected, steps, where)
        self.periods = self.steps // self._every
        self._law = as_controller(controller, "kernel", plant, period)
        method = suitable_method(where, plant, method)
        dtype = arguments.one_of("dtype", dtype, arguments.DTYPES, where)
        self.backend = arguments.one_of("backend", backend, _BACKENDS, where)
        self._step = RolloutStep(plant, method, self._law, (), None, dtype=dtype)
        self._kernels = run_kernels(self._step, self.backend)
        self._dtype = np.dtype(dtype)

    def __call__(
        self,
        q0: Any,
        v0: Any = None,
        u: Any = None,
        p: Any = None,
        *,
        x0: Any = None,
        t0: Any = 0.0,
        gains: Mapping[str, Any] | None = None,
    ) -> tuple[Any, Any]:
        """q (..., T + 1, nq) and v (..., T + 1, nv) from q0 (..., nq), v0 (..., nv), at rest if None.

        u (..., periods, nu): inputs, zero if None.  p (..., np): free parameters, as the plant was built if None.
        x0 (..., nx): states of the actuators.  t0 (...): time at the start (s).  gains: {name: values} in place of the
        law's own.
        """
        given = self._given(q0, v0, u, p, x0, t0, gains)
        found = self._forward(given, self._start(given), 0, self.steps, end=True)
        rows = found.records
        q, w = rows[..., : self.plant.nq], rows[..., self.plant.nq : self.plant.nq + self.plant.nw]
        if is_tied(self.plant):
            q, w = self._shown(given, q, w)
        return (q, w) if given.batched else (q[0], w[0])

    def vjp(
        self,
        q0: Any,
        v0: Any = None,
        u: Any = None,
        p: Any = None,
        dq: Any = None,
        dv: Any = None,
        *,
        x0: Any = None,
        t0: Any = 0.0,
        gains: Mapping[str, Any] | None = None,
    ) -> RolloutGradient:
        """Gradients of Σ dq · δq + dv · v, weights dq (..., T + 1, nv) on tangents, dv (..., T + 1, nv), zero if None.

        The loop runs forward and keeps the states, then back. Other arguments as for a call.
        """
        given = self._given(q0, v0, u, p, x0, t0, gains, dq, dv)
        S, T, xp = len(given.q0), self.steps, self._module
        dq, dv = (self._weights(name, w, S) for name, w in (("dq", dq), ("dv", dv)))
        starts, length = self._checkpoints(given)
        b, records = None, []
        for first in reversed(range(0, T, length)):
            count = min(length, T - first)
            found = self._forward(given, starts[first // length], first, count, end=False)
            if b is None:
                b = self._last_adjoint(given, found.state, dq, dv)
            b, ū, bad = self._backward(given, b, found.records, dq, dv, first, count)
            records.append(ū)
            b = xp.where(((found.status != 0) | bad)[:, None], math.nan, b)
        return self._gradient(given, b, xp.concatenate(records, axis=1)[:, ::-1])

    @property
    def _module(self) -> Any:
        return np if self.backend == "cpu" else cupy()

    def _given(self, q0: Any, v0: Any, u: Any, p: Any, x0: Any, t0: Any, gains: Any, *weights: Any) -> Given:
        plant, law = self.plant, self._law
        self._kernels.check_unchanged("Rollout")
        own = np.zeros(0) if law is None else _gains(law, gains, self._module)
        memory = np.zeros(0) if law is None else law.start
        if law is None and gains:
            raise arguments.wrong("gains", "none: there is no law", sorted(gains), "Rollout")
        vectors = {
            "q0": self._array("q0", q0, (plant.nq,)),
            "v0": self._array("v0", np.zeros(plant.nv) if v0 is None else v0, (plant.nv,)),
            "x0": self._array("x0", np.zeros(plant.nx) if x0 is None else x0, (plant.nx,)),
            "p": self._array(
                "p", plant.nominal_parameters if p is None else p, (len(plant.nominal_parameters),)
            ),
            "t0": self._array("t0", np.asarray(t0)[..., None] if not on_device(t0) else t0[..., None], (1,)),
            "gains": self._array("gains", own, (own.shape[-1],)),
            "memory": self._array("memory", memory, (memory.shape[-1],)),
        }
        if arguments.orbit_known_for(plant) is not None:
            begin = vectors["t0"]
            end = float(begin.max()) + self.steps * self.step
            arguments.check_orbit(plant, float(begin.min()), end, "Rollout")
        shape = (self.periods, plant.nu)
        u = self._array("u", np.zeros(shape) if u is None else u, shape)
        batches = [x.shape[:-1] for x in vectors.values()] + [u.shape[:-2]]
        batches += [np.shape(w)[:-2] for w in weights if w is not None]
        sizes = {batch[0] for batch in batches if batch and batch[0] != 1}
        if len(sizes) > 1 or any(len(batch) > 1 for batch in batches):
            expected = "one leading dimension, the same number of samples everywhere"
            raise ModelError.single("Rollout", "samples", expected=expected, given=str(sorted(set(batches))))
        S, xp = (sizes.pop() if sizes else 1), self._module
        full = {
            name: xp.ascontiguousarray(xp.broadcast_to(x, (S, x.shape[-1]))) for name, x in vectors.items()
        }
        address = xp.asarray(self._kernels.addresses.astype(self._dtype))
        address = xp.broadcast_to(address, (S, len(address)))
        params = xp.ascontiguousarray(xp.concatenate([full["p"], full["gains"], address, full["t0"]], axis=1))
        return Given(full["q0"], full["v0"], u, params, full["x0"], full["memory"], any(batches))

    def _array(self, what: str, x: Any, shape: tuple[int, ...]) -> Any:
        """Numbers (..., *shape) where the kernel runs."""
        try:
            if self.backend == "cuda":
                array = device_array(x if on_device(x) else np.asarray(x, dtype=float))
            elif not isinstance(x, np.ndarray) and hasattr(x, "__dlpack__") and not isinstance(x, np.generic):
                array = np.from_dlpack(x)
            else:
                array = plain_array(x)
            if array.dtype.kind not in "fiu":
                raise TypeError
        except (TypeError, ValueError):
            raise arguments.wrong(
                what, f"numbers (..., {', '.join(map(str, shape))})", x, "Rollout"
            ) from None
        if array.shape[max(array.ndim - len(shape), 0) :] != shape:
            expected = f"shape (..., {', '.join(map(str, shape))})"
            raise ModelError.single("Rollout", what, expected=expected, given=f"shape {array.shape}")
        return array.astype(self._dtype, copy=False)

    def _weights(self, what: str, weights: Any, samples: int) -> Any:
        """(S or 1, T + 1, nv)."""
        shape = (self.steps + 1, self.plant.nv)
        found = self._array(what, np.zeros(shape) if weights is None else weights, shape)
        return found if found.ndim == 3 else found[None]

    def _start(self, given: Given) -> Any:
        """State vectors (S, n) at the start."""
        xp, nu = self._module, self.plant.nu
        w = given.v0
        if is_tied(self.plant):
            w = self._by_sample("independent", self._step.independent, given.q0, given.v0)
        zeros = xp.zeros((len(given.q0), nu), self._dtype)
        return xp.concatenate([given.q0, w, given.x0, zeros, given.memory, given.memory], axis=1)

    def _forward(self, given: Given, y: Any, first: int, count: int, end: bool) -> Any:
        return forward_loop(self._kernels, len(given.q0))(
            y, given.params, h=self.step, steps=count, update_every=self._every, first_index=first,
            inputs=self._inputs(given, first, count), hold=self._every, end=end,
        )  # fmt: skip

    def _inputs(self, given: Given, first: int, count: int) -> Any:
        """Inputs (..., periods, nu) of so many steps from number `first` on, None where there are none."""
        last = (first + count - 1) // self._every + 1
        return given.u[..., first // self._every : last, :] if self.plant.nu else None

    def _checkpoints(self, given: Given) -> tuple[list[Any], int]:
        """(states where stretches begin, steps of a stretch): one stretch if all states may be kept."""
        row = self._dtype.itemsize * self._step.sizes[1] * len(given.q0)
        periods = max(1, _MOST_KEPT // (row * self._every))
        length = self._every * min(periods, self.periods)
        starts = [self._start(given)]
        for first in range(0, self.steps - length, length):
            found = forward_loop(self._kernels, len(given.q0))(
                starts[-1], given.params, h=self.step, steps=length, record_every=self.steps + 1,
                update_every=self._every, first_index=first, end=False,
                inputs=self._inputs(given, first, length), hold=self._every,
            )  # fmt: skip
            starts.append(found.state)
        return starts, length

    def _backward(
        self, given: Given, b: Any, states: Any, dq: Any, dv: Any, first: int, count: int
    ) -> tuple[Any, Any, Any]:
        """(adjoints before step `first`, ū of the periods, the last one first, which samples went wrong)."""
        weights = (dq[:, first:], dv[:, first:])  # the loop reads as many rows as it has steps
        found = backward_loop(self._kernels, len(given.q0))(
            b, given.params, t0=(first + count - 1) * self.step, h=-self.step, steps=count,
            record_every=self._every, update_every=self._every, inputs=(states, *weights), down=True,
        )  # fmt: skip
        return found.state, found.records[:, 1:, : self.plant.nu], found.status != 0

    def _last_adjoint(self, given: Given, y: Any, dq: Any, dv: Any) -> Any:
        """The adjoints (S, n) after the last step, of the weights there."""
        e, xp, S = self._step, self._module, len(y)
        q, w, _, _, _, _ = split(y, e.forward_sizes)
        η_q, η_w = (xp.broadcast_to(x[:, self.steps], (S, self.plant.nv)) for x in (dq, dv))
        b = xp.zeros((S, sum(e.backward_sizes)), self._dtype)
        parts = split(b, e.backward_sizes)
        parts[0][...] = q
        if is_tied(self.plant):
            p, _, t0 = e.split_parameters(given.params)
            t = (t0 + self.steps * self.step)[:, None]
            found = self._by_sample("weighted", e.weighted, t, q, w, p, η_q, η_w)
            η_q, η_w, parts[6][...] = split(found, e.backward_sizes[1:3] + e.backward_sizes[6:7])
        parts[1][...], parts[2][...] = η_q, η_w
        return b

    def _gradient(self, given: Given, b: Any, ū: Any) -> RolloutGradient:
        _, q0, w0, x0, _, m0, p, g, _ = split(b, self._step.backward_sizes)
        v0 = w0
        if is_tied(self.plant):
            found = self._by_sample("start", self._step.start_adjoint, given.q0, given.v0, w0)
            q_bar, v0 = split(found, (self.plant.nv, self.plant.nv))
            q0 = q0 + q_bar
        law = self._law
        gains = {} if law is None else law.unpacked_gains(g)
        memory = {} if law is None else unpacked(m0, law.memory)
        found = RolloutGradient(q0, v0, x0, ū, p, gains, memory)
        if given.batched:
            return found
        one, own = (
            (x[0] for x in found[:5]),
            ({name: x[0] for name, x in by.items()} for by in (gains, memory)),
        )
        return RolloutGradient(*one, *own)

    def _shown(self, given: Given, q: Any, w: Any) -> tuple[Any, Any]:
        """q and v of all rows, with constraints and prescribed joints put in."""
        xp, plant = self._module, self.plant
        t = (given.params[:, -1:] + self.step * xp.arange(self.steps + 1)).astype(self._dtype)
        p = self._step.split_parameters(given.params)[0][:, None]
        q, v = split(self._by_sample("seen", self._step.shown, t[..., None], q, w, p), (plant.nq, plant.nv))
        return q, v

    def _by_sample(self, name: str, function: Any, *vectors: Any) -> Any:
        """A function of vectors (n_i,) of one sample to a vector, compiled, on vectors (..., n_i)."""
        if name not in self._compiled:
            sizes = tuple(x.shape[-1] for x in vectors)
            self._compiled[name] = self._kernels.compiled(function, sizes, f"rollout_{name}")
        return self._compiled[name](*vectors)

    @cached_property
    def _compiled(self) -> dict[str, Any]:
        return {}


def _gains(law: Any, given: Mapping[str, Any] | None, xp: Any) -> Any:
    """The gains (..., n) of a law, those given in place of its own; xp: NumPy, or CuPy where the kernel runs."""
    if not given:
        return law.gains
    known = dict(law.layout)
    for name in given:
        if name not in known:
            raise unknown_name("Rollout", "gain", name, known)
    parts = []
    for name, own in law.unpacked_gains(law.gains).items():
        x, shape = xp.asarray(given.get(name, own), dtype=float), known[name]
        if x.shape[x.ndim - len(shape) :] != shape or x.ndim > len(shape) + 1:
            expected = f"shape {shape}, with a leading dimension for samples"
            raise ModelError.single(
                "Rollout", f"gains[{name!r}]", expected=expected, given=f"shape {x.shape}"
            )
        parts.append(x.reshape(*x.shape[: x.ndim - len(shape)], -1))
    parts.append(xp.asarray(law.gains[..., sum(math.prod(shape) for shape in known.values()) :]))
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in parts))
    return xp.concatenate([xp.broadcast_to(x, (*batch, x.shape[-1])) for x in parts], axis=-1)
