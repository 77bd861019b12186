"""From the rows that the loop left to a `Run`: where samples ended, why, and what a reader sees."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..integrators import IMPLICIT
from ..sensing.signals import PARTS
from ..worlds.law_memory import unpacked
from . import status
from .adaptive import AdaptiveCourse
from .blow_up import explained, fastest_modes
from .event_actions import Happened, told
from .event_search import locate
from .fixed_steps import Course
from .provenance import provenance
from .run import Run
from .run_kernels import to_host
from .status import Status
from .unsolved_step import not_converged, unsolved

if TYPE_CHECKING:
    from .task import Task


def run_of(task: Task, course: Course | AdaptiveCourse) -> Run:
    """The run of a course that has come to its end, however it has."""
    rows, lengths, t, last = _ended(course) if isinstance(course, AdaptiveCourse) else _located(task, course)
    times, plant = task.schedule.times[: rows.shape[1]], task.time_step.plant
    if not task.kernels.in_one or task.adaptive:  # rows are whole states
        rows = _rows(task, times[None], rows, task.params[:, None], _noise_of_rows(task, times))
    shown = parts(task, rows)
    end = parts(task, _rows(task, t, last, task.params, _noise_at(task, t)))
    if lengths.min() < len(times):
        beyond = np.arange(len(times)) >= lengths[:, None]
        for part in _arrays(shown):
            part[beyond] = np.nan
    p = task.time_step.plant_parameters(task.params)
    # one sample that came to the end: its part of everything, without the way over a batch of one
    alone = not task.batched and not p.size and lengths[0] == len(times) and t[0] <= times[-1]
    if alone:
        shown = _first(shown)
    statuses = _statuses(task, t, last, end, course.interrupted)
    run = Run(
        system=plant.system,
        t=times,
        **shown,
        status=statuses,
        lengths=lengths,
        events=_events(task, course, statuses),
        end={"t": t, **end},
        plant=plant,
        parameters=p if p.size else None,
        parameter_names=plant.parameter_names,
        input_names=plant.input_names,
        state_names=plant.state_names,
        scenario=task.scenario,
        law=None if task.time_step.controller is None else task.time_step.controller.law,
        provenance=provenance(plant, task.time_step, task.schedule, task.draws, task.backend),
    )
    return run if task.batched or alone else run.sample(0)


def _events(
    task: Task, course: Course | AdaptiveCourse, statuses: tuple[Status, ...]
) -> tuple[Happened, ...]:
    """All events, those that stopped a sample too, by samples and times."""
    names = [event.name for event in task.time_step.events]
    if not names:
        return ()
    ends = [Happened(i, s.time or 0.0, s.where) for i, s in enumerate(statuses) if s.kind == "event"]
    happened = (*told(course.happened.events, names), *ends)
    return tuple(sorted(happened, key=lambda event: (event.sample, event.time)))


def _ended(course: AdaptiveCourse) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(rows (S, T, n), how many count (S,), times (S,) and states (S, n) at the end)."""
    return course.rows[:, : int(course.taken.max())], course.taken, course.t, course.state


def _located(task: Task, course: Course) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The same with fixed steps: samples that an event stopped are moved on to its zero."""
    schedule = task.schedule
    state = to_host(course.state).astype(float, copy=False)
    counts = state[:, -1]
    rows = course.all_rows()
    if counts.min() == schedule.steps:  # all came to the end
        return rows, np.full(len(state), rows.shape[1]), np.full(len(state), schedule.times[-1]), state
    row_steps = schedule.row_steps[: rows.shape[1]]
    lengths = np.searchsorted(row_steps, counts, side="right")
    rows = rows[:, : int(lengths.max())]
    shown = task.time_step.layout.shown
    there = course.happened.stopped
    state = _inputs_from_rows(state, rows, lengths, counts, row_steps, shown, list(there))
    t = schedule.span[0] + counts * schedule.span[1]
    return rows, lengths, *locate(task.kernels, schedule, t, state, task.params, _noise_at(task, t), there)


def _inputs_from_rows(
    state: np.ndarray,
    rows: np.ndarray,
    lengths: np.ndarray,
    counts: np.ndarray,
    row_steps: np.ndarray,
    shown: int,
    inside: list[int],
) -> np.ndarray:
    """The last states; where one is on a row, with the inputs of that row: the loop drops those that are not finite.

    inside: samples that stopped inside a step.
    """
    last = state.copy()
    place = np.maximum(lengths - 1, 0)
    on_row = np.setdiff1d(np.flatnonzero((lengths > 0) & (row_steps[place] == counts)), inside)
    last[on_row, :shown] = rows[on_row, place[on_row], :shown]
    return last


def _rows(task: Task, t: np.ndarray, states: np.ndarray, params: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Rows (..., m) of whole states (..., n) at times t (...), in the format of the run."""
    e = task.time_step
    if e.as_carried:
        return states[..., : e.layout.shown].astype(e.dtype, copy=False)
    t = np.broadcast_to(t, states.shape[:-1])[..., None]
    given = (a.astype(e.dtype, copy=False) for a in (t, states, params, noise))
    return to_host(task.kernels.rows(*given))


def rows_of_states(task: Task, states: np.ndarray, first: int) -> np.ndarray:
    """Rows (S, T, m) as the loop records them, of whole states (S, T, n) that are the rows from number `first` on."""
    if not task.kernels.in_one:
        return states
    times = task.schedule.times[first : first + states.shape[1]]
    return _rows(task, times[None], states, task.params[:, None], _noise_of_rows(task, times))


def parts(task: Task, rows: Any) -> dict[str, Any]:
    """q, v, x and u (or None), memory and signals by name, in rows (..., m), which are not copied."""
    e = task.time_step
    q, v, x, u, memory, y = e.shown(rows)
    found = {"q": q, "v": v, "x": e.own(x) if e.plant.nx else None, "u": None, "memory": {}, "switches": {}}
    found["work"] = x[..., e.plant.nx :] if e.balance else None
    found["y"] = {} if e.suite is None else e.suite.recorded(y)
    if e.switches is not None:
        found["switches"] = e.switches.named(rows[..., e.layout.slices[5]])
    if e.controller is None:
        return found
    return found | {"u": u, "memory": unpacked(memory, e.controller.memory)}


def _first(shown: dict[str, Any]) -> dict[str, Any]:
    """The same of the first sample alone."""
    by_name = ("memory", "switches")
    found = {name: None if x is None or name in (*by_name, "y") else x[0] for name, x in shown.items()}
    signals = {name: signal.map(lambda x: x[0]) for name, signal in shown["y"].items()}
    return (
        found | {kind: {name: x[0] for name, x in shown[kind].items()} for kind in by_name} | {"y": signals}
    )


def _arrays(shown: dict[str, Any]) -> list[np.ndarray]:
    parts = [*(shown[name] for name in ("q", "v", "x", "u", "work")), *shown["memory"].values()]
    parts += [getattr(signal, part) for signal in shown["y"].values() for part in PARTS]
    parts += list(shown["switches"].values())
    return [part for part in parts if part is not None]


def _periods(task: Task, t: np.ndarray) -> np.ndarray:
    """Control periods of times t."""
    t0, h = task.schedule.span
    return (np.floor((t - t0) / h + 1e-6) // task.schedule.update_every).astype(int)


def _noise_at(task: Task, t: np.ndarray) -> np.ndarray:
    """Noise (S, channels) at the time t (S,) of each sample."""
    if not task.draws.channels:
        return np.zeros((len(t), 0))
    return np.stack([task.draws.of(i).periods(int(k), 1)[0, 0] for i, k in enumerate(_periods(task, t))])


def _noise_of_rows(task: Task, times: np.ndarray) -> np.ndarray:
    """Noise (S, T, channels) at the times (T,) of the rows; not needed where inputs are held."""
    samples = len(task.draws.samples)
    if not task.draws.channels:
        return np.zeros((samples, 1, 0))
    if task.time_step.hold:
        return np.zeros((samples, len(times), task.draws.channels))
    return np.stack([task.draws.periods(int(k), 1)[:, 0] for k in _periods(task, times)], axis=1)


def _statuses(
    task: Task, t: np.ndarray, last: np.ndarray, end: dict[str, Any], interrupted: bool
) -> tuple[Status, ...]:
    """What became of every sample."""
    codes = last[:, task.time_step.layout.slices[-2].start]
    found = [status.COMPLETED] * len(codes)
    if not interrupted and not codes.any():
        return tuple(found)
    blown_up = np.flatnonzero(
        (codes != status.RUNNING) & (codes < status.FIRST_EVENT) & (codes > status.NO_NUMBER)
    )
    modes = fastest_modes(task, blown_up) if blown_up.size else {}
    for i in np.flatnonzero(codes != status.RUNNING).tolist():
        found[i] = _stopped(task, codes[i], float(t[i]), last[i], end, i, modes.get(i))
    for i in np.flatnonzero(codes == status.RUNNING).tolist() if interrupted else ():
        if t[i] < task.schedule.times[-1]:
            found[i] = Status("interrupted", float(t[i]))
    return tuple(found)


def _stopped(
    task: Task, code: float, t: float, last: np.ndarray, end: dict[str, Any], i: int, mode: Any
) -> Status:
    """What became of sample i, which stopped by itself."""
    found, events = replace(Status.of(code), time=t), task.time_step.events
    if found.kind == "event":
        return replace(found, where=events[int(code - status.FIRST_EVENT)].name)
    if code <= status.NO_NUMBER:
        return replace(found, where=f"event {events[int(status.NO_NUMBER - code)].name}")
    noise = task.draws.of(i).periods(int(_periods(task, np.array([t]))[0]), 1)[0, 0]
    if task.time_step.method in IMPLICIT and not_converged(task, code, t, last, noise, i):
        return unsolved(task, t, last, noise, i)
    seen = {name: None if end[name] is None else end[name][i] for name in ("v", "u")}
    seen["memory"] = {name: values[i] for name, values in end["memory"].items()}
    where, hint = explained(task, t, last, seen, noise, i, mode)
    return replace(found, where=where, hint=hint)
