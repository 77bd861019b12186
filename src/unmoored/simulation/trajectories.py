"""From the rows that the loop left to trajectories: where samples ended, why, and what a reader sees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from . import status
from .adaptive import AdaptiveCourse
from .event_search import locate
from .fixed_steps import Course, Schedule, to_host
from .noise import Draws
from .run_kernels import RunKernels
from .status import Status


class Trajectories(NamedTuple):
    """t (T,); q (S, T, nq), v (S, T, nv), x (S, T, nx), u (S, T, nu) or None, memory m (S, T, n); NaN beyond a
    sample's length (S,).

    end: (t (S,), q (S, nq), v (S, nv), x (S, nx), u (S, nu) or None, m (S, n)) of the last good state of each sample.
    """

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    x: np.ndarray
    u: np.ndarray | None
    m: np.ndarray
    lengths: np.ndarray
    status: tuple[Status, ...]
    end: tuple[Any, ...]


class Ended(NamedTuple):
    """Rows (S, T, n) at times (T,) of which (S,) count, and the last good states (S, n) at times (S,)."""

    times: np.ndarray
    rows: np.ndarray
    lengths: np.ndarray
    end_times: np.ndarray
    last: np.ndarray
    interrupted: bool


class RowReader:
    """Makes trajectories of a course that has come to its end, however it has."""

    def __init__(self, kernels: RunKernels, schedule: Schedule, params: np.ndarray, draws: Draws):
        self.kernels, self.schedule, self.draws = kernels, schedule, draws
        self.params = to_host(params).astype(float)
        self.layout = kernels.time_step.layout

    def fixed(self, course: Course) -> Trajectories:
        """Of a course with fixed steps."""
        state = to_host(course.state).astype(float)
        counts = self.layout.split(state).count[:, 0]
        rows = np.concatenate(course.rows, axis=1).astype(float)
        row_steps = self.schedule.row_steps[: rows.shape[1]]
        lengths = np.searchsorted(row_steps, counts, side="right")
        kept = int(lengths.max())
        rows = rows[:, :kept]
        state = _inputs_from_rows(state, rows, lengths, counts, row_steps)
        t = self.schedule.span[0] + counts * self.schedule.span[1]
        t, last = locate(self.kernels, self.schedule, t, state, self.params, self._noise_at(t))
        return self._seen(Ended(self.schedule.times[:kept], rows, lengths, t, last, course.interrupted))

    def adaptive(self, course: AdaptiveCourse) -> Trajectories:
        """Of a course with adaptive steps."""
        kept = int(course.taken.max())
        ended = Ended(
            self.schedule.times[:kept],
            course.rows[:, :kept],
            course.taken,
            course.t,
            course.state,
            course.interrupted,
        )
        return self._seen(ended)

    def _seen(self, ended: Ended) -> Trajectories:
        times, rows, lengths = ended.times, ended.rows, ended.lengths
        q, v, x, u, m = self._observed(times[None], rows, self.params[:, None], self._noise_of_rows(times))
        end = self._observed(ended.end_times, ended.last, self.params, self._noise_at(ended.end_times))
        beyond = np.arange(len(times)) >= lengths[:, None]
        for part in (q, v, x, u, m) if beyond.any() else ():
            if part is not None:
                part[beyond] = np.nan
        return Trajectories(
            times, q, v, x, u, m, lengths, self._statuses(ended, end), (ended.end_times, *end)
        )

    def _observed(
        self, t: np.ndarray, states: np.ndarray, params: np.ndarray, noise: np.ndarray
    ) -> tuple[Any, ...]:
        """(q, v, x, u or None, m) of states (..., n) at times t (...)."""
        e = self.kernels.time_step
        t = np.broadcast_to(t, states.shape[:-1])[..., None]
        arrays = (a.astype(e.dtype) for a in (t, states, params, noise))
        seen = np.asarray(to_host(self.kernels.observe(*arrays)), dtype=float)
        now = self.layout.split(states)
        q, v, u = (part.copy() for part in np.split(seen, [e.plant.nq, e.plant.nq + e.plant.nv], axis=-1))
        if e.controller is None:
            return q, v, now.x.copy(), None, now.m.copy()
        return q, v, now.x.copy(), now.u.copy() if e.hold else u, now.m.copy()

    def _periods(self, t: np.ndarray) -> np.ndarray:
        """Control periods of times t."""
        t0, h = self.schedule.span
        return (np.floor((t - t0) / h + 1e-6) // self.schedule.update_every).astype(int)

    def _noise_at(self, t: np.ndarray) -> np.ndarray:
        """Noise (S, channels) at the time t (S,) of each sample."""
        if not self.draws.channels:
            return np.zeros((len(t), 0))
        return np.stack([self.draws.of(i).periods(int(k), 1)[0, 0] for i, k in enumerate(self._periods(t))])

    def _noise_of_rows(self, times: np.ndarray) -> np.ndarray:
        """Noise (S, T, channels) at the times (T,) of the rows; not needed where inputs are held."""
        samples = len(self.draws.samples)
        if not self.draws.channels or self.kernels.time_step.hold:
            return np.zeros((samples, len(times), self.draws.channels))
        return np.stack([self.draws.periods(int(k), 1)[:, 0] for k in self._periods(times)], axis=1)

    def _statuses(self, ended: Ended, end: tuple[Any, ...]) -> tuple[Status, ...]:
        """What became of every sample."""
        found = [status.COMPLETED] * len(ended.lengths)
        stopped = self.layout.split(ended.last).code[:, 0] != status.RUNNING
        for i in range(len(found)) if ended.interrupted else np.flatnonzero(stopped).tolist():
            found[i] = self._status(ended, end, i)
        return tuple(found)

    def _status(self, ended: Ended, end: tuple[Any, ...], i: int) -> Status:
        """What became of sample i, which did not come to the end of the run."""
        code, t = self.layout.split(ended.last).code[i, 0], float(ended.end_times[i])
        found = replace(Status.of(code), time=t)
        if found.kind == "running":
            done = self.schedule.times[-1] <= t
            return status.COMPLETED if done or not ended.interrupted else Status("interrupted", t)
        events = self.kernels.time_step.events
        if found.kind == "event":
            return replace(found, where=events[int(code - status.FIRST_EVENT)].name)
        if code <= status.NO_NUMBER:
            return replace(found, where=f"event {events[int(status.NO_NUMBER - code)].name}")
        return replace(found, where=self._culprit(ended, end, i))

    def _culprit(self, ended: Ended, end: tuple[Any, ...], i: int) -> str:
        """Where the numbers of sample i went wrong: its last step is taken again, unguarded."""
        plant, layout = self.kernels.time_step.plant, self.layout
        span = np.array([ended.end_times[i], self.schedule.span[1]])
        given = (span, ended.last[i], self.params[i], self._noise_at(ended.end_times)[i])
        with np.errstate(all="ignore"):
            bad = self.kernels.moved(*(a[None].astype(self.kernels.time_step.dtype) for a in given))
        w_next = to_host(bad)[0, layout.nq : layout.nq + layout.nw]
        v_next = w_next if layout.nw == plant.nv else np.full(plant.nv, np.nan)
        u = np.zeros(0) if end[3] is None else end[3][i]
        return status.culprit(plant.tree, end[1][i], v_next, u, plant.input_names)


def _inputs_from_rows(
    state: np.ndarray, rows: np.ndarray, lengths: np.ndarray, counts: np.ndarray, row_steps: np.ndarray
) -> np.ndarray:
    """The last states; where one is on a row, with the inputs of that row: the loop drops those that are not finite."""
    last = state.copy()
    place = np.maximum(lengths - 1, 0)
    on_row = np.flatnonzero((lengths > 0) & (row_steps[place] == counts))
    last[on_row, :-2] = rows[on_row, place[on_row], :-2]
    return last
