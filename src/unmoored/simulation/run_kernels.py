"""The compiled functions of a run. They are kept, so that a second run of the same kind starts at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np

from .. import kernels
from ..kernels import cuda
from ..kernels.cuda import device
from ..kernels.cut_function import CutFunction
from ..lie.arrays import join, vector
from ..model.identity import text_of
from ..model.identity_of_code import Identity
from ..trace import LOOPS_BEYOND, Recent, trace
from ..trace.kept_data import Snapshot
from ..trace.span_table import handle_of
from ..worlds.plants.floating_plant import carried
from .controller import as_rows
from .events import identity_of_events
from .step_parts import CONTROLLER
from .time_step import Parameters, TimeStep
from .users_functions import check_unchanged, identity_of_plant, users_functions

#: function(clock, state, params, noise) → state, arrays (S, n_i); clock = (t, h)
Advance = Callable[..., np.ndarray]
_KEPT = 32
#: kernels by name, for each kind of run
_kept: Recent[tuple, dict[str, Any]] = Recent(_KEPT)


class RunKernels:
    """`step`, `update`, `observe` and `event_values` of a time step as compiled functions of batches (S, n).

    Each takes all of (clock, state, params, noise); arguments without entries are left out of the kernels.
    """

    def __init__(self, time_step: TimeStep, backend: str, made: dict[str, Any], of: dict[str, Identity]):
        """made: kernels of earlier runs of the same kind, by name; new ones are put there.  of: what
        functions of the user's in them depended on, by what they are."""
        self.time_step: TimeStep = time_step
        self.backend: str = backend
        self._made = made
        self._of = of

    @property
    def of_users(self) -> bool:
        """Whether functions of the user's are in these kernels."""
        return bool(self._of)

    def check_unchanged(self, where: str) -> None:
        """Refuse to go on if functions of the user's depend on other data by now than the kernels were made for."""
        if self._of:
            check_unchanged(self.time_step, self._of, where)

    @property
    def in_one(self) -> bool:
        """Whether the whole time loop is one kernel: not if Python has to come in, and not for the reference."""
        return self.backend != "numpy" and not self._in_python

    def loop(self, samples: int) -> Any:
        """The whole time loop as one kernel, compiled for one sample or for many of them."""
        e = self.time_step

        def step(t: Any, h: Any, y: np.ndarray, p: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, float]:
            return e.step(vector([t, h]), y, p, u), 0.0

        def update(t: Any, y: np.ndarray, p: np.ndarray, u: np.ndarray) -> np.ndarray:
            return e.update(vector([t, 0.0]), y, p, u)

        fill = np.zeros(_filled(e.row_size, np.dtype(e.dtype).itemsize) - e.row_size)

        def row(t: Any, y: np.ndarray, p: np.ndarray, u: np.ndarray) -> np.ndarray:
            found = e.row(t, y, p, u)
            return join([found, fill]) if fill.size and self.backend == "cpu" else found

        held = update if self.holds else None
        return self.loop_of(
            name="loop", samples=samples, step=step, record=row, update=held, sizes=e.sizes[1:]
        )

    def loop_of(
        self,
        name: str,
        samples: int,
        step: Callable[..., Any],
        record: Callable[..., Any],
        update: Callable[..., Any] | None,
        sizes: tuple[int, ...],
        **options: Any,
    ) -> Any:
        """A time loop around functions of this run; sizes: of state, parameters and inputs. See `compile_loop`.

        samples: of the call; for one, code for several is not made, which takes more than half of the time.
        """
        state, parameters, inputs = self._in_kernel(sizes)
        one = samples == 1 and self.backend == "cpu" and f"{name} of many" not in self._made
        kind = "one" if one else "many"

        def make() -> Any:
            return kernels.compile_loop(
                step,
                record,
                state=state,
                parameters=parameters,
                inputs=inputs,
                update=update,
                dtype=self.time_step.dtype,
                key=self._key(name),
                backend=self.backend,
                samples=kind,
                **options,
            )

        return self._once(f"{name} of {kind}", make)

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        """The kernel with this name, made if it is not there yet."""
        if name not in self._made:
            e = self.time_step
            self.check_unchanged("run")
            before = Snapshot(e.plant, e.events, None if e.controller is None else e.controller.law)
            try:
                self._made[name] = make()
            finally:  # functions of the user's have been called with symbols
                before.restore()
        return self._made[name]

    @property
    def steady(self) -> set[tuple[Any, ...]]:
        """(step, steps, parameters) of runs of this kind in which nothing grew by itself where they began."""
        return self._made.setdefault("steady", set())

    @property
    def _in_python(self) -> bool:
        controller = self.time_step.controller
        return controller is not None and controller.place == "python"

    @property
    def holds(self) -> bool:
        """Whether something happens at the start of control periods."""
        return self.time_step.updates

    @cached_property
    def step(self) -> Advance:
        """The state after one step."""
        return self.with_law(self.time_step.step, "step", self.time_step.sizes)

    @cached_property
    def update(self) -> Advance | None:
        """The state with new held inputs; None if nothing is held."""
        return self.with_law(self.time_step.update, "update", self.time_step.sizes) if self.holds else None

    @cached_property
    def observe(self) -> Advance:
        """(q, v[, u]) as one vector, of times (S, 1), states, params, noise."""

        def function(t: np.ndarray, state: np.ndarray, params: np.ndarray, noise: np.ndarray) -> np.ndarray:
            return join(self.time_step.observe(t, state, params, noise))

        return self.with_law(function, "observe", (1, *self.time_step.sizes[1:]))

    def rows(self, t: Any, states: Any, params: Any, noise: Any) -> Any:
        """What is recorded of states (..., n) at times t (..., 1), as the loop does it: rows (..., m)."""
        e = self.time_step
        carried = states[..., : e.layout.shown]
        if e.as_carried:
            return carried
        seen: Any = self.observe(t, states, params, noise)
        new = seen[..., e.plant.nq + e.plant.nv :] if e.plain else seen
        if not cuda.on_device(carried):
            return np.concatenate([carried, new.get() if cuda.on_device(new) else new], axis=-1)
        return device.cupy().concatenate([carried, new], axis=-1)

    @cached_property
    def event_values(self) -> Callable[..., np.ndarray]:
        """Values (S, events) of the event functions at times (S, 1), q, w, params."""
        plant = self.time_step.plant

        def function(t: np.ndarray, q: np.ndarray, w: np.ndarray, params: np.ndarray) -> np.ndarray:
            return self.time_step.event_values(t[..., 0], q, w, params)

        return self.compiled(function, (1, plant.nq, plant.nw, self.time_step.sizes[2]), "event_values")

    def carried(self, q: np.ndarray, v: np.ndarray, params: np.ndarray) -> np.ndarray:
        """What the reduced equations carry (S, nv) of velocities v (S, nv) at q (S, nq), the same bits in any batch."""
        e, plant = self.time_step, self.time_step.plant

        def function(q: np.ndarray, v: np.ndarray, params: np.ndarray) -> np.ndarray:
            return carried(plant, q, v, e.plant_parameters(params))

        found = self.compiled(function, (plant.nq, plant.nv, e.sizes[2]), "carried")
        return to_host(found(*(a.astype(e.dtype) for a in (q, v, params)))).astype(float)

    @cached_property
    def moved(self) -> Advance:
        """(q, w, x) after a step, however bad, as one vector: to find events, and to see what went wrong."""

        def function(
            clock: np.ndarray, state: np.ndarray, params: np.ndarray, noise: np.ndarray
        ) -> np.ndarray:
            new, _ = self.time_step.moved(clock[..., 0], clock[..., 1], state, params, noise)
            return join([part for part in new if part.shape[-1]])

        return self.with_law(function, "moved", self.time_step.sizes)

    def switched(self, i: int) -> Advance:
        """The state after what event i switches."""
        return self.compiled(partial(self.time_step.switched, i), self.time_step.sizes, f"switched_{i}")

    @cached_property
    def left(self) -> Advance:
        """What an implicit step leaves of its equation (S, nv + nx), as parts of what it may leave."""

        def function(
            clock: np.ndarray, state: np.ndarray, params: np.ndarray, noise: np.ndarray
        ) -> np.ndarray:
            return self.time_step.moved(clock[..., 0], clock[..., 1], state, params, noise)[1]

        return self.with_law(function, "left", self.time_step.sizes)

    def with_law(self, function: Callable[..., Any], name: str, sizes: tuple[int, ...]) -> Advance:
        """A function that may call the controller: compiled with it, or cut where Python has to come in."""
        if self._in_python and self.backend != "numpy":
            return self._by_pieces(function, sizes, name)
        return self.compiled(function, sizes, name)

    def compiled(self, function: Callable[..., Any], sizes: tuple[int, ...], name: str) -> Callable[..., Any]:
        """A traceable function of vectors of these sizes, compiled; the kernel leaves out those without entries."""
        if self.backend == "numpy":
            return function
        flat, kept = _without_empty(function, self._in_kernel(sizes))
        shapes, dtype = [(size,) for size in self._in_kernel(sizes) if size], self.time_step.dtype

        def make() -> Callable[..., Any]:
            if self.backend == "cuda":
                return cuda.compile(flat, shapes, name=name, dtype=dtype, exact_zeros=False)
            return kernels.compile(
                flat, shapes, name=name, dtype=dtype, key=self._key(name), exact_zeros=False
            )

        kernel = self._once(name, make)
        if len(kept) == len(sizes) and not any(self.time_step.addresses):
            return kernel
        return lambda *arrays: kernel(*self._given(arrays, sizes, kept))

    def _in_kernel(self, sizes: tuple[int, ...]) -> tuple[int, ...]:
        """Sizes of arguments with the addresses of tables after the parameters."""
        more = sum(self.time_step.addresses)
        return tuple(size + more if isinstance(size, Parameters) else size for size in sizes)

    def _given(self, arrays: Any, sizes: tuple[int, ...], kept: list[int]) -> list[Any]:
        """The arguments of a kernel."""
        return [
            self.with_addresses(arrays[k]) if isinstance(sizes[k], Parameters) else arrays[k] for k in kept
        ]

    def with_addresses(self, params: Any) -> Any:
        """Parameters (..., n) of a run with the addresses of its tables after them."""
        if not any(self.time_step.addresses):
            return params
        module = device.cupy() if cuda.on_device(params) else np
        address = module.asarray(self.addresses.astype(params.dtype))
        full = module.broadcast_to(address, (*params.shape[:-1], len(address)))
        # of one parameter NumPy would lay the columns out one after the other: kernels read rows
        return module.ascontiguousarray(module.concatenate([params, full], axis=-1))

    @cached_property
    def addresses(self) -> np.ndarray:
        """Addresses (n,) of the plant's and of the law's tables as numbers; they hold as long as this object does."""
        return np.concatenate([np.zeros(0), *(handle_of(memory) for memory in self._memories)])

    @cached_property
    def _memories(self) -> list[Any]:
        """The numbers of the plant's and of the law's tables where the kernels read them; they stay while this does."""
        e = self.time_step
        tables = (*e.tables, *(() if e.controller is None else e.controller.tables))
        found = [table.numbers(e.dtype) for table in tables]
        return [cuda.device_array(one) for one in found] if self.backend == "cuda" else found

    def _key(self, name: str) -> str | None:
        """Text that tells the kernel apart in every process; None if code of the user's is part of it."""
        e = self.time_step
        law = None if e.controller is None else e.controller.identity
        suite = None if e.suite is None else e.suite.identity
        if e.form is None or e.events or (law is not None and not law.own) or (suite and not suite.own):
            return None
        parts = (
            name,
            e.form,
            e.method,
            law and law.digest,
            e.noise,
            e.hold,
            e.sizes,
            e.tolerances,
            e.iterations,
            e.equations,
            e.balance,
            suite,
        )
        return text_of(parts)

    def _by_pieces(self, function: Callable[..., Any], sizes: tuple[int, ...], name: str) -> Advance:
        """A function with the law called by Python in the middle, one sample after the other."""
        controller = self.time_step.controller
        assert controller is not None
        flat, kept = _without_empty(function, self._in_kernel(sizes))

        def make() -> CutFunction:
            shapes = ((size,) for size in self._in_kernel(sizes) if size)
            traced = trace(flat, *shapes, name=name, loops_beyond=LOOPS_BEYOND)
            return CutFunction(traced, CONTROLLER, self.time_step.dtype)

        cut = self._once(name, make)

        def advance(*arrays: np.ndarray) -> np.ndarray:
            batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
            full = [as_rows(array, batch) for array in self._given(arrays, sizes, kept)]
            return cut(controller.by_sample, *full).reshape(*batch, -1)

        return advance


def _filled(size: int, item: int) -> int:
    """Entries of a row in memory: to whole cache lines, which are written faster, unless that is much more."""
    line = 64 // item
    whole = -(-size // line) * line
    return whole if 8 * (whole - size) <= size else size


def _without_empty(
    function: Callable[..., Any], sizes: tuple[int, ...]
) -> tuple[Callable[..., Any], list[int]]:
    """The function without its arguments that have no entries, and the numbers of the others."""

    def flat(*arrays: np.ndarray) -> Any:
        given = iter(arrays)
        return function(*(next(given) if size else np.zeros(0) for size in sizes))

    return flat, [k for k, size in enumerate(sizes) if size]


def run_kernels(time_step: TimeStep, backend: str) -> RunKernels:
    """The kernels of a time step, those of earlier ones of the same kind among them."""
    found = time_step.kernels.get(backend)
    if found is None:
        made, of = _made(time_step, backend)
        found = time_step.kernels[backend] = RunKernels(time_step, backend, made, of)
    return found


def _made(time_step: TimeStep, backend: str) -> tuple[dict[str, Any], dict[str, Identity]]:
    """The kernels by name that time steps of this kind share, and what the user's functions in them depend on."""
    e = time_step
    law = None if e.controller is None else (e.controller.place, e.controller.full, e.controller.identity)
    events = identity_of_events(e.events, e.plant) if backend != "numpy" else e.events
    of_plant = identity_of_plant(e)
    key = (of_plant, e.method, law, events, text_of(e.noise))
    suite = None if e.suite is None else e.suite.identity
    key = (*key, e.hold, e.dtype, e.tolerances, e.iterations, e.equations, e.balance, e.sizes, suite, backend)
    made = _kept.shared(key, {})
    if backend == "numpy":
        return made, {}
    known = [of_plant, *(event[-1] for event in events if isinstance(event, tuple))]
    known += [] if law is None or law[0] != "kernel" else [law[-1]]
    known += [] if e.suite is None else [e.suite.identity]
    of = zip(users_functions(e), known, strict=True)
    return made, {what: one for what, one in of if one is not None and not one.own and one.seen}


def to_host(x: Any) -> np.ndarray:
    """An array in the memory of this computer."""
    return x.get() if cuda.on_device(x) else x
