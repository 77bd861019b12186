"""`Stepper`: many samples of a plant, one control period at a call, their state where the kernel runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..kernels.cuda import device_array, on_device
from ..kernels.cuda.device import cupy
from ..kernels.time_loop.loop_call import Prepared, Schedule
from ..model import ModelError
from ..model.errors import unknown_name
from ..sensing.sensor_suite import suite_of
from ..worlds.plants.assembly import closed_start
from ..worlds.plants.plant_derivatives import is_tied
from ..worlds.plants.plant_step import suitable_method
from . import arguments
from .controller import as_controller, as_rows
from .driven_step import DrivenStep, driven_loop, measuring
from .fixed_steps import Schedule as Steps
from .noise import Draws
from .on_group import check_on_group
from .run_kernels import run_kernels
from .stepper_state import StepperState
from .stiff_steps import warn_of_unstable_steps
from .task import Task

_BACKENDS = ("cpu", "cuda")
#: no row of a period is recorded but the first, which holds nothing
_NEVER = 1 << 40
#: steps in which something that grows by itself must not have grown much
_LOOKED_AHEAD = 1000


class Stepper:
    """`samples` copies of a plant that move on by one control period at a call; ready at once: neutral, at rest.

    step: size of a step (s).  control_step: period of `step(u)` (s), a multiple of it; one step if None.
    q, v: where samples start, (nq,), (nv,) or with a leading dimension of samples.
    controller: a law inside the kernel, with memory if it has one; what `step(u)` is given is added to its inputs.
    sensors: what is read at the end of every control period and at a reset, `state.y[name]`; the law inside sees it at
    the start of the next.  seed: of what is random in them: numbers depend on it, on which sample it is, and on how
    often that sample has been read, by steps and resets. Seeds (S,), one each, make a sample what it would be alone.
    backend: "cpu" or "cuda".  dtype: "float64" or "float32".
    """

    #: whether its content may change while it lives: a function that holds it cannot be told by it
    _changes = True

    def __init__(
        self,
        plant: Any,
        samples: int = 1,
        *,
        step: float = 1e-3,
        control_step: float | None = None,
        q: Any = None,
        v: Any = None,
        controller: Any = None,
        sensors: Any = (),
        method: str = "rkmk4",
        seed: int | Sequence[int] | np.ndarray = 0,
        backend: str = "cpu",
        dtype: str = "float64",
    ) -> None:
        where = "Stepper"
        if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or samples < 1:
            raise arguments.wrong("samples", "a whole number ≥ 1", samples, where)
        self.plant = plant = arguments.as_plant(plant, where)
        self.samples = int(samples)
        self.step_size = arguments.positive("step", step, where)
        self.control_step = self.step_size
        if control_step is not None:
            self.control_step = arguments.positive("control_step", control_step, where)
        self._steps = arguments.whole("control_step", self.control_step, self.step_size, "the step", where)
        suite = suite_of(sensors, plant, self.control_step, where)
        law = as_controller(controller, "kernel", plant, self.control_step, suite)
        self._time_step = DrivenStep(
            plant,
            suitable_method(where, plant, method),
            law,
            (),
            None,
            dtype=arguments.one_of("dtype", dtype, arguments.DTYPES, where),
            suite=suite,
        )
        self._seeds, self._numbers = self._checked_seeds(seed)
        self._reads = np.zeros(self.samples, np.int64)
        self.backend = arguments.one_of("backend", backend, _BACKENDS, where)
        self._start = {
            "q": self._rows("q", plant.system.neutral() if q is None else q, plant.coordinate_names).copy(),
            "v": self._rows("v", np.zeros(plant.nv) if v is None else v, plant.tree.dof_names).copy(),
        }
        self._tolerance = arguments.on_group_tolerance(q, dtype)
        self._at_neutral, self._first = q is None, None
        self._orbit_ends = arguments.orbit_known_for(plant)
        self._allocate(law)
        self.reset()
        self._warn_of_unstable_steps()
        arguments.warn_of_unsuited_steps(plant, self.step_size, 0.0)

    def step(self, u: Any = None) -> StepperState:
        """One control period with inputs u (S, nu) or (nu,) held, zero if None; the state after it.

        Samples that have stopped stay as they are. Numbers in u that are not finite stop their samples.
        """
        if self._kernels.of_users:
            self._kernels.check_unchanged("Stepper")
        if self._orbit_ends is not None:
            self._check_orbit(self._host(self.state.t), self.control_step, self._host(self._status) == 0)
        if u is not None:
            self._give(u)
        elif self._driven:
            self._u.fill(0.0)
            self._driven = False
        self._advance()
        self._sense(None)
        if self._observe is not None:
            self._observe()
        return self.state

    def reset(
        self,
        q: Any = None,
        v: Any = None,
        parameters: Any = None,
        mask: Any = None,
        *,
        x: Any = None,
        t: Any = None,
        seed: int | Sequence[int] | np.ndarray | None = None,
    ) -> StepperState:
        """Put samples at a new start: all of them, or those where `mask` (S,) is true.

        q, v: (nq,), (nv,) or (S, nq), (S, nv); where the stepper began if not given.  x: states of actuators, t: times
        (s), zero if not given.  parameters: {name: value or (S, …)} of those that the plant declares; they stay as they
        are if not given. A law's memory begins anew.  seed: one for all or (S,), of what is random from here on: their
        numbers are those of a stepper that began with it; they go on if not given.
        """
        plant, S, xp = self.plant, self.samples, self._given_in
        self._kernels.check_unchanged("Stepper")
        chosen, tolerance = self._mask(mask), self._tolerance
        if seed is not None:
            self._sow(seed, chosen)
        if self._first is not None and q is None and v is None and x is None and t is None:
            self._set(parameters, chosen)
            return self._begin(self._first, chosen)
        neutral = q is None and self._at_neutral
        if q is not None:
            tolerance = arguments.on_group_tolerance(q, self._time_step.dtype)
        q = self._start["q"] if q is None else self._rows("q", q, plant.coordinate_names)
        v = self._start["v"] if v is None else self._rows("v", v, plant.tree.dof_names)
        x = self._rows("x", np.zeros(plant.nx) if x is None else x, plant.state_names)
        arguments.check_states(plant, x)
        t = self._rows("t", np.zeros(1) if t is None else _column(t), ("t",))
        if self._orbit_ends is not None:
            self._check_orbit(self._host(t)[:, 0], 0.0, slice(None) if chosen is None else self._host(chosen))
        check_on_group(plant, q, tolerance, "q", "cpu" if xp is np else "cuda")
        self._set(parameters, chosen)
        w = v
        if _on_host(plant):
            p = self._time_step.plant_parameters(self._host(self._params)).astype(float)
            q = plant._velocities(p).configuration(t[:, 0], q) if neutral else q
            w = arguments.independent(plant, t[:, 0], q, v, p, "v")
            q, w = closed_start(plant, t[:, 0], q, w, p)
        layout = self._time_step.layout
        rest = [xp.zeros((S, layout.held)), xp.asarray(self._memory)]
        rest += [xp.zeros((S, layout.signals + layout.sensors + 2)), t]
        first = self._module.asarray(xp.concatenate([q, w, x, *rest], axis=1).astype(self._state.dtype))
        if self._first is None and not _on_host(plant):
            self._first = first
        return self._begin(first, chosen)

    def _check_orbit(self, t: np.ndarray, ahead: float, counts: Any) -> None:
        """Refuse times t (S,) [s], of the samples that count, from which the orbit is not known so far ahead (s)."""
        times = t[counts].astype(float)
        if times.size:
            slack = 0.0 if self._time_step.dtype == "float64" else 1e-6 * float(np.abs(times).max())
            end = float(times.max()) + ahead - slack
            arguments.check_orbit(self.plant, float(times.min()), end, "Stepper")

    def _warn_of_unstable_steps(self) -> None:
        """Of the first sample's start, by NumPy: once, before anything runs."""
        e, own = self._time_step, len(self.plant.nominal_parameters) + self._time_step.gains
        if e.sprung:
            state = self._host(self._state)[:1, :-1].astype(float)
            params = self._host(self._params)[:1, :own].astype(float)
            schedule = Steps(_LOOKED_AHEAD, 1, self._steps, np.array([0.0, self.step_size]))
            draws = Draws(self._seeds, self._numbers, 0)
            task = Task(e, "numpy", schedule, state, params, draws, self.samples > 1)
            warn_of_unstable_steps(task, adapts=False)

    def tune(self, gains: Mapping[str, Any], mask: Any = None) -> None:
        """Other values for gains of the law inside, such as targets, from the next period on: {name: (*shape) or
        (S, *shape)}, for all samples or those in the mask."""
        law, chosen = self._time_step.controller, self._mask(mask)
        known = {} if law is None else dict(law.layout)
        for name, given in gains.items():
            if name not in known:
                raise unknown_name("Stepper", "gain", name, known)
            shape = known[name]
            expected = f"finite numbers {shape}, with a leading dimension for samples"
            try:
                x = np.asarray(self._host(given), dtype=float)
            except (TypeError, ValueError):
                raise arguments.wrong(name, expected, given, "Stepper") from None
            if x.shape[x.ndim - len(shape) :] != shape or x.ndim > len(shape) + 1 or not np.isfinite(x).all():
                raise ModelError.single("Stepper", name, expected=expected, given=f"shape {x.shape}")
            values = self._spread(name, x.reshape(*x.shape[: x.ndim - len(shape)], math.prod(shape)))
            first = len(self.plant.nominal_parameters) + sum(
                math.prod(other) for other in list(known.values())[: list(known).index(name)]
            )
            target = self._params[:, first : first + values.shape[1]]
            self._put(target, self._module.asarray(values.astype(self._state.dtype)), chosen)

    def _set(self, parameters: Any, chosen: Any) -> None:
        """Put parameters in the place of those of the samples that are chosen."""
        if parameters is not None:
            p = arguments.parameter_vector(self.plant, parameters, "Stepper", self._given_in)
            values = self._module.asarray(self._spread("parameters", p).astype(self._state.dtype))
            self._put(self._params[:, : p.shape[-1]], values, chosen)

    def _begin(self, first: Any, chosen: Any) -> StepperState:
        """Put state vectors (S, n) in the place of those that are chosen, and begin there."""
        self._put(self._state, first, chosen)
        self._put(self._params[:, -1:], first[:, -1:], chosen)
        self._put(self._status, self._module.zeros_like(self._status), chosen)
        self._sense(chosen)
        if self._observe is not None:
            self._observe()
        return self.state

    def _sense(self, chosen: Any) -> None:
        """Read the sensors of all samples, or of those that are chosen."""
        if self._measure is not None:
            draws = Draws(self._seeds, self._numbers, 0, self._time_step.streams)
            normals = draws.periods(self._reads, 1)[:, 0].astype(self._state.dtype)
            self._reads += 1 if chosen is None else self._host(chosen)
            new = self._measure(self._state, self._params, self._module.asarray(normals))
            self._put(self._state, new, chosen)
            self._put(self._status, self._time_step.layout.split(new[:, :-1]).code[:, 0], chosen)

    def _checked_seeds(self, seed: Any) -> tuple[np.ndarray, np.ndarray]:
        """(seeds (S,), numbers of the samples (S,)): with a seed each all samples are number 0, as they are alone."""
        if np.ndim(seed) == 0:
            return np.full(self.samples, arguments.checked_seed(seed), np.uint64), np.arange(self.samples)
        if np.shape(seed) != (self.samples,):
            expected = f"a whole number, or {self.samples} of them"
            raise arguments.wrong("seed", expected, f"shape {np.shape(seed)}", "Stepper")
        return np.array([arguments.checked_seed(x) for x in seed], np.uint64), np.zeros(
            self.samples, np.int64
        )

    def _sow(self, seed: Any, chosen: Any) -> None:
        """New seeds for the samples that are chosen, which have not been read since."""
        chosen = slice(None) if chosen is None else self._host(chosen)
        seeds, numbers = self._checked_seeds(seed)
        self._seeds[chosen], self._numbers[chosen], self._reads[chosen] = seeds[chosen], numbers[chosen], 0

    def __reduce_ex__(self, protocol: object) -> Any:
        """Refused: a copy would step the same memory, and a pickle has no kernel in it."""
        expected = (
            "another Stepper with the same arguments, and reset(q, v, x=x, t=t) to the state of this one"
        )
        raise ModelError.single("Stepper", "copy or pickle", expected=expected, given=repr(self))

    def __repr__(self) -> str:
        period = f"{self.control_step:g} s in steps of {self.step_size:g} s"
        return f"<Stepper of {self.plant.name!r}: {self.samples} samples, {period}, {self.backend}>"

    def _allocate(self, law: Any) -> None:
        """The arrays, where the kernel runs, and the loop bound to them."""
        plant, S, e = self.plant, self.samples, self._time_step
        module = self._module
        dtype, layout = np.dtype(e.dtype), e.layout
        gains = np.zeros(0) if law is None else law.gains
        suite = e.suite
        kernels = self._kernels = run_kernels(e, self.backend)  # which keeps what the addresses point to
        self._memory = self._spread("memory", np.zeros(0) if law is None else law.start)
        params = [
            self._spread("parameters", np.array(plant.nominal_parameters)),
            self._spread("gains", gains),
            self._spread("sensors", np.zeros(0) if suite is None else suite.gains),
            self._spread("addresses", kernels.addresses),
            np.zeros((S, 1)),
        ]
        # row by row, as the kernel reads them: of rows that are spread NumPy would make columns
        self._params = module.asarray(np.ascontiguousarray(np.concatenate(params, axis=1), dtype=dtype))
        self._state = module.zeros((S, layout.size + 1), dtype)
        self._u = module.zeros((S, plant.nu), dtype)
        self._status = module.zeros(S, np.int64)
        self._driven = False
        self._measure = None if suite is None else measuring(kernels)
        loop = driven_loop(kernels, S)
        prepared = Prepared(
            (S,), self._state, self._params, self._params.shape[1], (self._u,), (plant.nu,),
            module.zeros((S, 1, 1), dtype), self._state, self._status, module.zeros(S, np.int64),
        )  # fmt: skip
        schedule = Schedule(
            0.0, self.step_size, self._steps, _NEVER, self._steps, hold=self._steps, end=False
        )
        self._advance: Callable[[], None] = loop.bound(prepared, schedule)
        parts = layout.split(self._state)
        q, v, self._observe = parts.q, parts.w, None
        if is_tied(plant):
            seen = module.zeros((S, plant.nq + plant.nv), dtype)
            q, v, observe = seen[:, : plant.nq], seen[:, plant.nq :], kernels.observe
            self._observe = lambda: _write(
                seen, observe(self._state[:, -1:], self._state[:, :-1], self._params, self._u)
            )
        #: the state of all samples; its arrays are overwritten by every step and reset
        self.state: StepperState = StepperState(
            self._state[:, -1], q, v, parts.x, self._status, {} if suite is None else suite.recorded(parts.y)
        )

    def _give(self, u: Any) -> None:
        """Put inputs into the array that the kernel reads."""
        if self.backend == "cuda":
            u = device_array(u)
        elif not isinstance(u, np.ndarray):
            u = np.from_dlpack(u) if hasattr(u, "__dlpack__") else np.asarray(u)
        if (u.shape != self._u.shape and u.shape != self._u.shape[1:]) or u.dtype.kind not in "fiu":
            expected = f"numbers {self._u.shape} or {self._u.shape[1:]}"
            raise ModelError.single("Stepper", "u", expected=expected, given=f"{u.dtype} of shape {u.shape}")
        self._u[...] = u
        self._driven = True

    @property
    def _given_in(self) -> Any:
        """What lays out the start of samples: CuPy if the kernel runs there, unless velocities are tied together."""
        return np if _on_host(self.plant) else self._module

    def _rows(self, what: str, x: Any, names: Any) -> Any:
        """Finite numbers (S, n)."""
        xp = self._given_in
        return self._spread(
            what, arguments.vector(what, self._host(x) if xp is np else x, names, "Stepper", xp)
        )

    def _spread(self, what: str, x: np.ndarray) -> np.ndarray:
        if x.ndim > 1 and len(x) not in (1, self.samples):
            expected = f"one sample or {self.samples}"
            raise ModelError.single("Stepper", what, expected=expected, given=f"{len(x)}")
        return as_rows(x, (self.samples,))

    def _mask(self, mask: Any) -> Any:
        if mask is None:
            return None
        found = device_array(mask) if self.backend == "cuda" else np.asarray(self._host(mask))
        if found.shape != (self.samples,) or found.dtype != bool:
            expected = f"truth values of shape ({self.samples},)"
            raise ModelError.single(
                "Stepper", "mask", expected=expected, given=f"{found.dtype} of shape {found.shape}"
            )
        return found

    def _put(self, target: Any, values: Any, mask: Any) -> None:
        """Rows into an array where the kernel runs."""
        target[...] = values if mask is None else self._module.where(_like(mask, values), values, target)

    @property
    def _module(self) -> Any:
        return np if self.backend == "cpu" else cupy()

    def _host(self, x: Any) -> Any:
        if isinstance(x, np.ndarray):
            return x
        if on_device(x):
            return device_array(x).get()
        return np.from_dlpack(x) if hasattr(x, "__dlpack__") and not isinstance(x, np.generic) else x


def _on_host(plant: Any) -> bool:
    """Whether starts are looked at on the host: velocities are tied together, or loops closed."""
    return is_tied(plant) or bool(plant.closures)


def _like(mask: Any, values: Any) -> Any:
    return mask if values.ndim == 1 else mask[:, None]


def _column(t: Any) -> Any:
    t = device_array(t) if on_device(t) else np.asarray(t)
    return t[..., None] if t.ndim else t[None]


def _write(target: Any, values: Any) -> None:
    target[...] = values
