"""The time loop: a chunk of steps of one run, as one kernel, or step by step where Python has to come in.

For k = first … last − 1: at the start of a control period the controller's inputs are held anew; every `record_every`
steps the state vector is a row; then the step is taken. Samples that have stopped carry that in their own state
vector, and their step gives back the same bits. Both ways give the same bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import status
from .program import Program


class Schedule(NamedTuple):
    """steps: how many in all.  record_every, update_every: in steps.  span: (t0, h) (2,) in seconds."""

    steps: int
    record_every: int
    update_every: int
    span: np.ndarray

    @property
    def row_steps(self) -> np.ndarray:
        """The steps (T,) before which the rows are taken; the last is the end."""
        rows = np.arange(0, self.steps, self.record_every)
        return np.append(rows, self.steps)

    @property
    def times(self) -> np.ndarray:
        """Times (T,) of the rows (s)."""
        return self.span[0] + self.row_steps * self.span[1]

    def clock(self, k: int) -> np.ndarray:
        """(t, h) (2,) of step k (s)."""
        return np.array([self.span[0] + k * self.span[1], self.span[1]])


def advance(
    program: Program,
    schedule: Schedule,
    state: Any,
    params: Any,
    noise: np.ndarray,
    first: int,
    last: int,
) -> tuple[Any, Any]:
    """(state (S, n) after step last − 1, rows (S, T, n) taken on the way), from the state before step `first`.

    noise: (S, periods, channels) of the control periods from the one of step `first` on.
    """
    if program.loop is None:
        return _step_by_step(program, schedule, state, params, noise, first, last)
    found = program.loop(
        state,
        params if params.shape[-1] else None,
        t0=schedule.span[0],
        h=schedule.span[1],
        steps=last - first,
        record_every=schedule.record_every,
        update_every=schedule.update_every,
        first_index=first,
        inputs=noise if noise.shape[-1] else None,
        hold=schedule.update_every,
        end=False,
    )
    return _with_codes(found.state, found.status), found.records


def _with_codes(state: Any, stopped: Any) -> Any:
    """The state with the reason in it for samples that the kernel itself stopped: inputs that are not finite."""
    own = (stopped != 0) & (state[..., -2] == status.RUNNING)
    if bool(own.any()):
        state[..., -2][own] = status.NOT_FINITE
    return state


def _step_by_step(
    program: Program, schedule: Schedule, state: Any, params: Any, noise: np.ndarray, first: int, last: int
) -> tuple[Any, Any]:
    every, first_period = schedule.update_every, first // schedule.update_every
    rows: list[Any] = []
    for k in range(first, last):
        clock = schedule.clock(k).astype(state.dtype)
        drawn = noise[:, k // every - first_period]
        if program.update is not None and k % every == 0:
            state = program.update(clock, state, params, drawn)
        if k % schedule.record_every == 0:
            rows.append(state)
        state = program.step(clock, state, params, drawn)
    return state, np.stack(rows, axis=1) if rows else np.zeros((len(state), 0, state.shape[-1]))


def last_row(program: Program, schedule: Schedule, state: Any, params: Any, noise: np.ndarray) -> Any:
    """The state at the end, with the inputs that a controller would hold from there; noise: (S, channels)."""
    if program.update is None or schedule.steps % schedule.update_every:
        return state
    return program.update(schedule.clock(schedule.steps).astype(state.dtype), state, params, noise)
