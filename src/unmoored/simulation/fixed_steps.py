"""The time loop: a chunk of steps of one run, as one kernel, or step by step where Python has to come in.

For k = first … last − 1: at the start of a control period the controller's inputs are held anew; every `record_every`
steps the state vector is a row; then the step is taken. Samples that have stopped carry that in their own state
vector, and their step gives back the same bits. Both ways give the same bits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..kernels import cuda
from ..kernels.cuda import device
from ..kernels.time_loop.loop_call import Prepared
from ..kernels.time_loop.loop_call import Schedule as LoopSchedule
from . import status
from .event_actions import Happenings, go_on, switching
from .noise import Draws
from .progress import Interrupts, ProgressBar
from .row_memory import row_memory
from .run_kernels import RunKernels, to_host


@dataclass(frozen=True, eq=False)
class Schedule:
    """steps: how many in all.  record_every, update_every: in steps.  span: (t0, h) (2,) in seconds."""

    steps: int
    record_every: int
    update_every: int
    span: np.ndarray

    @cached_property
    def row_steps(self) -> np.ndarray:
        """The steps (T,) before which the rows are taken; the last is the end."""
        rows = np.arange(0, self.steps + self.record_every, self.record_every)
        rows[-1] = self.steps
        return rows

    @cached_property
    def times(self) -> np.ndarray:
        """Times (T,) of the rows (s)."""
        return self.span[0] + self.row_steps * self.span[1]

    def clock(self, k: int) -> np.ndarray:
        """(t, h) (2,) of step k (s)."""
        return np.array([self.span[0] + k * self.span[1], self.span[1]])


def advance(
    kernels: RunKernels,
    schedule: Schedule,
    state: Any,
    params: Any,
    noise: np.ndarray,
    first: int,
    last: int,
    out: np.ndarray | None = None,
    addressed: Any = None,
    loop: Any = None,
) -> tuple[Any, Any]:
    """(state (S, n) after step last − 1, rows (S, T, m) taken on the way), from the state before step `first`.

    noise: (S, periods, channels) of the control periods from the one of step `first` on.  out: where rows may be put.
    addressed: the parameters with the addresses of tables, if they are laid out already.
    loop: one that there is already, in place of the one for so many samples.
    """
    if not kernels.in_one:
        return _step_by_step(kernels, schedule, state, params, noise, first, last)
    S = len(state)
    loop = kernels.loop(S) if loop is None else loop
    params = kernels.with_addresses(params) if addressed is None else addressed
    xp = device.cupy() if kernels.backend == "cuda" else np
    t0, h = schedule.span.tolist()
    every = schedule.update_every
    steps = LoopSchedule(t0, h, last - first, schedule.record_every, every, first, every, end=False)
    made = np.empty if kernels.backend == "cpu" else _device_rows
    rows = made((S, len(steps.recorded), loop.sizes.record), state.dtype) if out is None else out
    call = Prepared(
        (S,), state, params, params.shape[1], (xp.asarray(noise),), (noise.shape[1] * noise.shape[2],),
        rows, xp.empty_like(state), xp.zeros(S, np.int64), xp.zeros(S, np.int64),
    )  # fmt: skip
    loop.bound(call, steps)()
    return _with_codes(call.final, call.status), rows[..., : kernels.time_step.row_size]


def _with_codes(state: Any, stopped: Any) -> Any:
    """The state with the reason in it for samples that the kernel itself stopped: inputs that are not finite."""
    if bool(stopped.any()):
        state[..., -2][(stopped != 0) & (state[..., -2] == status.RUNNING)] = status.NOT_FINITE
    return state


def _step_by_step(
    kernels: RunKernels, schedule: Schedule, state: Any, params: Any, noise: np.ndarray, first: int, last: int
) -> tuple[Any, Any]:
    """Samples that have stopped are left alone: nothing is computed and no law is called for them."""
    every, first_period = schedule.update_every, first // schedule.update_every
    rows: list[Any] = []
    state = state.copy()
    for k in range(first, last):
        clock = schedule.clock(k).astype(state.dtype)
        drawn = noise[:, k // every - first_period]
        if kernels.update is not None and k % every == 0:
            going = _running(kernels, state)
            if going.size:
                state[going] = kernels.update(clock, state[going], params[going], drawn[going])
        if k % schedule.record_every == 0:
            rows.append(state.copy())
        going = _running(kernels, state)
        if not going.size:
            continue
        state[going] = kernels.step(clock, state[going], params[going], drawn[going])
    return state, np.stack(rows, axis=1) if rows else np.zeros((len(state), 0, state.shape[1]))


def _running(kernels: RunKernels, state: np.ndarray) -> np.ndarray:
    """The numbers of the samples that have not stopped."""
    return np.flatnonzero(kernels.time_step.layout.split(state).code[:, 0] == status.RUNNING)


#: a chunk should take about this long (s), on a clock that stands while other programs have the processor
_CHUNK_SECONDS = 0.1
_LARGEST_NOISE = 4_000_000
#: operations per second that a first chunk is laid out for: far fewer than one core, or a GPU, can do
_SURELY = {"cpu": 2e8, "cuda": 3e12}


@dataclass
class Course:
    """How far a run is: the state (S, n) before step `done`, and the rows taken so far, in blocks (S, T, m).

    place: memory for all rows of the run (S, T, m), in which the blocks lie one after the other; None if they do not.
    """

    state: Any
    done: int = 0
    rows: list[np.ndarray] = field(default_factory=list)
    interrupted: bool = False
    happened: Happenings = field(default_factory=Happenings)
    place: np.ndarray | None = None

    def all_rows(self) -> np.ndarray:
        """The rows taken so far (S, T, m)."""
        if self.place is not None:
            return self.place[:, : sum(block.shape[1] for block in self.rows)]
        return np.concatenate(self.rows, axis=1) if self.rows else np.zeros((len(self.state), 0, 0))


class Keeper(Protocol):
    """Keeps a course on disk."""

    def due(self) -> bool:
        """Whether it is time again."""
        ...

    def keep(self, course: Any) -> None:
        """Write it."""
        ...


def drive(
    kernels: RunKernels,
    schedule: Schedule,
    course: Course,
    params: np.ndarray,
    draws: Draws,
    progress: bool | None = None,
    keeper: Keeper | None = None,
    on_device: bool = False,
) -> Course:
    """Run until the last step, until all samples have stopped, or until Ctrl-C. on_device: rows stay where they are."""
    bar = ProgressBar(progress, schedule.steps, kernels.time_step.plant.system.name)
    if not course.done and kernels.in_one:
        shape = (len(params), len(schedule.row_steps), kernels.loop(len(params)).sizes.record)
        made = _device_rows if on_device else row_memory
        course.place = made(shape, course.state.dtype)
    size, clock = _first_size(kernels, len(params)), _clock_of(kernels)
    addressed = kernels.with_addresses(params) if kernels.in_one else None
    with Interrupts() as interrupts:
        try:
            while course.done < schedule.steps and not interrupts.noticed:
                started = clock()
                _advance(kernels, schedule, course, params, draws, size, on_device, addressed)
                bar(course.done)
                if keeper is not None and keeper.due():
                    keeper.keep(course)
                if course.done == schedule.steps or not _any_running(kernels, course.state):
                    break
                size = _next_size(size, clock() - started, params.shape[0], draws.channels)
        finally:
            bar.close()
        course.interrupted = interrupts.noticed and course.done < schedule.steps
    if course.interrupted and keeper is not None:
        keeper.keep(course)
    if course.done == schedule.steps:  # the last row: the inputs of the last period are still held
        last = _last_row(kernels, schedule, course.state, params, draws)[:, None]
        last = last if on_device else to_host(last)
        if course.place is not None:
            course.place[:, -1:, : last.shape[-1]] = last
        course.rows.append(last)
    return course


def _last_row(kernels: RunKernels, schedule: Schedule, state: Any, params: Any, draws: Draws) -> Any:
    """The row (S, m) of the state after the last step; where Python comes in, rows are whole states until the end."""
    if not kernels.in_one:
        return state
    t = np.full((1, 1), schedule.times[-1]).astype(state.dtype)
    noise = draws.periods(schedule.steps // schedule.update_every, 1)[:, 0].astype(state.dtype, copy=False)
    return kernels.rows(t, state, params, noise)


def _advance(
    kernels: RunKernels,
    schedule: Schedule,
    course: Course,
    params: np.ndarray,
    draws: Draws,
    size: int,
    on_device: bool,
    addressed: Any,
) -> None:
    last = min(course.done + size, schedule.steps)
    every = schedule.update_every
    first_period = course.done // every
    noise = draws.periods(first_period, (last - 1) // every - first_period + 1)
    noise = noise.astype(course.state.dtype, copy=False)
    out = None
    if course.place is not None:
        before, after = (-(-k // schedule.record_every) for k in (course.done, last))
        out = course.place[:, before:after]
    direct = out if kernels.backend == "cpu" or on_device else None
    course.state, rows = advance(
        kernels, schedule, course.state, params, noise, course.done, last, direct, addressed
    )
    if kernels.time_step.switches is not None:
        _switch(kernels, schedule, course, rows, params, noise, last)
    if rows.shape[1]:
        if direct is None and not on_device:
            rows = to_host(rows) if out is None else _copied(rows, out)
        course.rows.append(rows)
    course.done = last


def _switch(
    kernels: RunKernels,
    schedule: Schedule,
    course: Course,
    rows: Any,
    params: Any,
    noise: np.ndarray,
    last: int,
) -> None:
    """Samples that stopped for a switch go on from there, to step `last`, in course.state and rows (S, T, m)."""
    every, record_every, first = schedule.update_every, schedule.record_every, course.done
    state = to_host(course.state)
    if not switching(kernels, state).size:
        return
    state, numbers = state.copy(), to_host(params)
    on_device = cuda.on_device(course.state)
    before = -(-first // record_every)

    def noise_at(which: np.ndarray, k: int) -> np.ndarray:
        return noise[which, k // every - first // every]

    def on(which: np.ndarray, k: int) -> None:
        y, p = state[which], numbers[which]
        if on_device:
            y, p = (cuda.device_array(np.ascontiguousarray(a)) for a in (y, p))
        own = noise[which, k // every - first // every :]
        moved, new = advance(kernels, schedule, y, p, own, k, last)
        state[which] = to_host(moved)
        if new.shape[1]:
            begin = -(-k // record_every) - before
            chosen = device.cupy().asarray(which) if cuda.on_device(rows) else which
            rows[chosen, begin:] = new

    go_on(kernels, schedule.span, state, numbers, noise_at, on, course.happened, last)
    course.state = cuda.device_array(np.ascontiguousarray(state)) if on_device else state


def _device_rows(shape: tuple[int, int, int], dtype: np.dtype) -> Any:
    """Memory (S, T, m) on the GPU in which samples lie side by side, as threads that are neighbours write them."""
    S, T, m = shape
    return device.cupy().empty((T, m, S), dtype).transpose(2, 0, 1)


def _copied(rows: Any, out: np.ndarray) -> np.ndarray:
    out[...] = to_host(rows)
    return out


def _any_running(kernels: RunKernels, state: Any) -> bool:
    return bool((kernels.time_step.layout.split(state).code == status.RUNNING).any())


def _clock_of(kernels: RunKernels) -> Callable[[], float]:
    """The clock (s) that chunks are measured by: this thread's own time, which takes its part in every loop of the
    processor; on a GPU, for which it waits, the time of day."""
    return time.thread_time if kernels.backend == "cpu" and kernels.in_one else time.monotonic


def _first_size(kernels: RunKernels, samples: int) -> int:
    """A first chunk that is surely short, from the operations of a step; few steps where that is not known."""
    if not kernels.in_one:
        return max(1, 64 // samples)
    operations = kernels.loop(samples).operations * samples
    return max(1, int(_CHUNK_SECONDS * _SURELY[kernels.backend] / operations))


def _next_size(size: int, seconds: float, samples: int, channels: int) -> int:
    """A chunk that should take as long as one should; not over eight times the last one, or under half of it."""
    size = int(size * np.clip(_CHUNK_SECONDS / max(seconds, 1e-9), 0.5, 8.0))
    return max(1, min(size, 1 << 20, _LARGEST_NOISE // max(1, samples * channels)))
