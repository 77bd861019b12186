"""From the rows that the loop left to trajectories: where samples ended, why, and what a reader sees."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import status
from .crossing import locate
from .driver import Course, Draws, to_host
from .loop import Schedule
from .program import Program


class Trajectories(NamedTuple):
    """t (T,); q (S, T, nq), v (S, T, nv), x (S, T, nx), u (S, T, nu) or None, NaN beyond a sample's length (S,).

    end: (t (S,), q (S, nq), v (S, nv), x (S, nx), u (S, nu) or None) of the last good state of each sample.
    """

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    x: np.ndarray
    u: np.ndarray | None
    lengths: np.ndarray
    status: tuple[str, ...]
    end: tuple[Any, ...]


def finished(
    program: Program, schedule: Schedule, course: Course, params: np.ndarray, draws: Draws
) -> Trajectories:
    """The trajectories of a course that has come to its end, however it has."""
    layout = program.equations.layout
    state = to_host(course.state).astype(float)
    params = to_host(params).astype(float)
    now = layout.split(state)
    codes, counts = now.code[:, 0], now.count[:, 0]
    row_steps = schedule.row_steps[: len(course.rows)]
    lengths = np.searchsorted(row_steps, counts, side="right")
    kept = int(lengths.max())
    rows = np.stack(course.rows[:kept], axis=1).astype(float)
    times = schedule.times[:kept]
    end_t = schedule.span[0] + counts * schedule.span[1]
    last = _with_rows_of_the_end(state, rows, lengths, counts, row_steps)
    end_t, last = locate(program, schedule, end_t, last, params, _drawn(draws, counts, schedule))
    q, v, x, u = observed(
        program, times[None], rows, params[:, None], _drawn_rows(draws, row_steps[:kept], schedule)
    )
    end = observed(program, end_t, last, params, _drawn(draws, counts, schedule))
    beyond = np.arange(kept) >= lengths[:, None]
    for part in (q, v, x, u):
        if part is not None:
            part[beyond] = np.nan
    texts = _statuses(program, schedule, codes, end_t, last, end, params, draws, course, counts)
    return Trajectories(times, q, v, x, u, lengths, texts, (end_t, *end))


def observed(program: Program, t: np.ndarray, states: np.ndarray, params: np.ndarray, noise: np.ndarray):
    """(q, v, x, u or None) of states (..., n) at times t (...)."""
    equations = program.equations
    t = np.broadcast_to(t, states.shape[:-1])[..., None].astype(equations.dtype)
    arrays = (states.astype(equations.dtype), params.astype(equations.dtype), noise.astype(equations.dtype))
    seen = np.asarray(to_host(program.observe(t, *arrays)), dtype=float)
    now = equations.layout.split(states)
    q, v, u = np.split(seen, [equations.plant.nq, equations.plant.nq + equations.plant.nv], axis=-1)
    if equations.controller is None:
        return q.copy(), v.copy(), now.x.copy(), None
    return q.copy(), v.copy(), now.x.copy(), now.u.copy() if equations.hold else u.copy()


def _with_rows_of_the_end(
    state: np.ndarray, rows: np.ndarray, lengths: np.ndarray, counts: np.ndarray, row_steps: np.ndarray
) -> np.ndarray:
    """The last states; where one is on a row, that row, whose inputs are those held from there."""
    last = state.copy()
    for i, length in enumerate(lengths):
        if length and row_steps[length - 1] == counts[i]:
            last[i, :-2] = rows[i, length - 1, :-2]
    return last


def _drawn(draws: Draws, counts: np.ndarray, schedule: Schedule) -> np.ndarray:
    """Noise (S, channels) of the period in which each sample ended."""
    if not draws.channels:
        return np.zeros((len(counts), 0))
    periods = (counts // schedule.update_every).astype(int)
    return np.stack([draws.of(i).periods(int(k), 1)[0, 0] for i, k in enumerate(periods)])


def _drawn_rows(draws: Draws, row_steps: np.ndarray, schedule: Schedule) -> np.ndarray:
    """Noise (S, T, channels) of the periods of the rows."""
    if not draws.channels:
        return np.zeros((len(draws.samples), len(row_steps), 0))
    return np.stack([draws.periods(int(k) // schedule.update_every, 1)[:, 0] for k in row_steps], axis=1)


def _statuses(
    program: Program, schedule: Schedule, codes: np.ndarray, end_t: np.ndarray, last: np.ndarray, end: Any,
    params: np.ndarray, draws: Draws, course: Course, counts: np.ndarray,
) -> tuple[str, ...]:  # fmt: skip
    """What became of every sample, in words."""
    equations = program.equations
    texts = []
    for i, code in enumerate(codes):
        if code == status.RUNNING:
            texts.append(status.interrupted(end_t[i]) if course.interrupted else status.COMPLETED)
        elif status.is_event(code):
            name = equations.events[int(code - status.FIRST_EVENT)].name
            texts.append(status.stopped_by(name, end_t[i]))
        else:
            where = _culprit(
                program, schedule, last[i], end, params[i], _drawn(draws, counts, schedule)[i], i
            )
            texts.append(status.blow_up(code, end_t[i], where))
    return tuple(texts)


def _culprit(
    program: Program,
    schedule: Schedule,
    last: np.ndarray,
    end: Any,
    params: np.ndarray,
    noise: np.ndarray,
    i: int,
) -> str:
    """Where the numbers of sample i went wrong: its last step is taken again, unguarded."""
    plant, layout = program.equations.plant, program.equations.layout
    dtype = program.equations.dtype
    arrays = [np.array([layout.split(last).count[0]]), schedule.span, last, params, noise]
    with np.errstate(all="ignore"):
        bad = to_host(program.moved(*(a[None].astype(dtype) for a in arrays)))[0]
    w_next = bad[layout.nq : layout.nq + layout.nw]
    v = end[1][i]
    v_next = w_next if layout.nw == plant.nv else np.full(plant.nv, np.nan)
    u = np.zeros(0) if end[3] is None else end[3][i]
    return status.culprit(plant.tree, v, v_next, u, plant.input_names)
