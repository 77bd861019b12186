"""From the first step to the last in chunks, with progress, Ctrl-C and checkpoints in between."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..kernels.cuda import on_device
from . import status
from .loop import Schedule, advance, last_row
from .noise import standard_normals
from .program import Program
from .progress import Interrupts, ProgressBar

#: a chunk should take about this long (s)
_CHUNK_SECONDS = 0.1
_LARGEST_NOISE = 4_000_000


@dataclass
class Course:
    """How far a run is: the state (S, n) before step `done`, and the rows taken so far, in blocks (S, T, n)."""

    state: Any
    done: int = 0
    rows: list[np.ndarray] = field(default_factory=list)
    interrupted: bool = False


@dataclass(frozen=True, eq=False)
class Draws:
    """The noise of a run: seed, the numbers of the samples, channels."""

    seed: int
    samples: np.ndarray
    channels: int

    def of(self, i: int) -> Draws:
        """Those of one sample."""
        return Draws(self.seed, self.samples[i : i + 1], self.channels)

    def periods(self, first: int, count: int) -> np.ndarray:
        """Standard normals (S, count, channels) of the control periods from `first` on."""
        if not self.channels:
            return np.zeros((len(self.samples), count, 0))
        return standard_normals(self.seed, self.samples, first, count, self.channels)


class Keeper(Protocol):
    """Keeps a course on disk."""

    def due(self) -> bool:
        """Whether it is time again."""
        ...

    def keep(self, course: Any) -> None:
        """Write it."""
        ...


def drive(
    program: Program,
    schedule: Schedule,
    course: Course,
    params: np.ndarray,
    draws: Draws,
    progress: bool | None = None,
    keeper: Keeper | None = None,
) -> Course:
    """Run until the last step, until all samples have stopped, or until Ctrl-C."""
    bar = ProgressBar(progress, schedule.steps, program.equations.plant.system.name)
    size = 1
    with Interrupts() as interrupts:
        try:
            while course.done < schedule.steps and not interrupts.noticed:
                started = time.monotonic()
                _advance(program, schedule, course, params, draws, size)
                bar(course.done)
                if keeper is not None and keeper.due():
                    keeper.keep(course)
                if not np.any(_codes(program, course.state) == status.RUNNING):
                    break
                size = _next_size(size, time.monotonic() - started, params.shape[0], draws.channels)
        finally:
            bar.close()
        course.interrupted = interrupts.noticed and course.done < schedule.steps
    if course.interrupted and keeper is not None:
        keeper.keep(course)
    if course.done == schedule.steps:
        drawn = draws.periods(course.done // schedule.update_every, 1)[:, 0]
        last = to_host(last_row(program, schedule, course.state, params, drawn.astype(course.state.dtype)))
        course.rows.append(last[:, None])
    return course


def _advance(
    program: Program, schedule: Schedule, course: Course, params: np.ndarray, draws: Draws, size: int
) -> None:
    last = min(course.done + size, schedule.steps)
    every = schedule.update_every
    first_period = course.done // every
    noise = draws.periods(first_period, (last - 1) // every - first_period + 1)
    noise = noise.astype(course.state.dtype, copy=False)
    course.state, rows = advance(program, schedule, course.state, params, noise, course.done, last)
    if rows.shape[1]:
        course.rows.append(to_host(rows))
    course.done = last


def to_host(x: Any) -> np.ndarray:
    """An array in the memory of this computer."""
    return x.get() if on_device(x) else x


def _codes(program: Program, state: Any) -> np.ndarray:
    return to_host(program.equations.layout.split(state).code)


def _next_size(size: int, seconds: float, samples: int, channels: int) -> int:
    """Twice or half the chunk, toward the time that one should take."""
    if seconds < _CHUNK_SECONDS:
        size = min(2 * size, 1 << 20)
    elif seconds > 3 * _CHUNK_SECONDS:
        size = max(1, size // 2)
    return max(1, min(size, _LARGEST_NOISE // max(1, samples * channels)))
