"""The time loop: a chunk of steps of one run.

This is the one place that a whole-loop kernel replaces. What it needs of one, with no physics in it:

- a state vector (S, n), parameters (S, m) that stay, and inputs (S, i) that are read from an array (S, periods, i) at
  index k // update_every (the noise of a period);
- step(k, span, state, params, inputs) → state, and update(k, span, state, params, inputs) → state (or none), as traced
  functions; k (1,) is the number of the step as a floating-point number, span (2,) is the same for all samples;
- for k = first … last − 1: if k % update_every == 0: state = update(…); if k % record_every == 0: the state is a row
  of the result; state = step(…);
- nothing about stopping: a sample that has stopped carries that in its own state vector, and its step gives back the
  same bits (a kernel may skip samples whose entry `code`, the last but one, is not zero: that changes nothing).

Everything else (chunks, progress, interrupts, checkpoints, where events lie) is around it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

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


def advance(
    program: Program,
    schedule: Schedule,
    state: np.ndarray,
    params: np.ndarray,
    noise: np.ndarray,
    first: int,
    last: int,
) -> tuple[np.ndarray, list[Any]]:
    """(state (S, n) after step last − 1, rows (S, n) taken on the way), from the state before step `first`.

    noise: (S, periods, channels) of the control periods from the one of step `first` on.
    """
    step, update, span = program.step, program.update, schedule.span.astype(state.dtype)
    rows: list[Any] = []
    every, first_period = schedule.update_every, first // schedule.update_every
    for k in range(first, last):
        number = np.array([k], dtype=state.dtype)
        drawn = noise[:, k // every - first_period]
        if update is not None and k % every == 0:
            state = update(number, span, state, params, drawn)
        if k % schedule.record_every == 0:
            rows.append(state)
        state = step(number, span, state, params, drawn)
    return state, rows


def last_row(
    program: Program, schedule: Schedule, state: np.ndarray, params: np.ndarray, noise: np.ndarray
) -> np.ndarray:
    """The state at the end, with the inputs that a controller would hold from there; noise: (S, channels)."""
    if program.update is None or schedule.steps % schedule.update_every:
        return state
    number = np.array([schedule.steps], dtype=state.dtype)
    return program.update(number, schedule.span.astype(state.dtype), state, params, noise)
