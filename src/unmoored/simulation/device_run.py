"""A run whose arrays stay on the GPU: only codes and counts of the samples come to the host."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.cuda.device import cupy
from ..worlds.law_memory import unpacked
from . import status
from .fixed_steps import Course, to_host
from .provenance import provenance
from .run import Run
from .status import COMPLETED, Status

if TYPE_CHECKING:
    from .task import Task


def device_run(task: Task, course: Course, params: Any) -> Run:
    """The run of a course, q, v, x, u and memory as CuPy arrays; rows beyond a sample's end are NaN."""
    e, schedule, plant, xp = task.time_step, task.schedule, task.time_step.plant, cupy()
    rows = course.rows[0] if len(course.rows) == 1 else xp.concatenate(course.rows, axis=1)
    now = e.layout.split(course.state)
    codes, counts = (np.asarray(to_host(part))[:, 0].astype(float) for part in (now.code, now.count))
    row_steps = schedule.row_steps[: rows.shape[1]]
    lengths = np.searchsorted(row_steps, counts, side="right")
    times, ends = schedule.times[: rows.shape[1]], schedule.span[0] + counts * schedule.span[1]
    if lengths.min() < rows.shape[1]:
        gone = np.arange(rows.shape[1]) >= lengths[:, None]
        rows = xp.where(xp.asarray(gone)[..., None], np.nan, rows).astype(rows.dtype)
    p = e.plant_parameters(task.params)
    run = Run(
        system=plant.system,
        t=times,
        **_shown(task, xp.asarray(times.astype(e.dtype))[None, :, None], rows, params[:, None]),
        status=tuple(_statuses(codes, ends, course.interrupted, schedule.times[-1])),
        lengths=lengths,
        end={"t": ends, **_shown(task, xp.asarray(ends.astype(e.dtype))[:, None], course.state, params)},
        plant=plant,
        parameters=p if p.shape[-1] else None,
        parameter_names=plant.parameter_names,
        input_names=plant.input_names,
        state_names=plant.state_names,
        scenario=task.scenario,
        provenance=provenance(plant, e, schedule, task.draws, task.backend),
    )
    return run if task.batched else run.sample(0)


def _shown(task: Task, t: Any, states: Any, params: Any) -> dict[str, Any]:
    """q, v, x, u and memory of states (..., n) at times t (..., 1): views of them where nothing has to be put in."""
    e, xp = task.time_step, cupy()
    now = e.layout.split(states)
    q, v, u = now.q, now.w, now.u
    if not (e.plant.velocities.is_plain and (e.controller is None or e.hold)):
        batch = states.shape[:-1]
        given = (xp.broadcast_to(x, (*batch, x.shape[-1])) for x in (t, states, params))
        noise = xp.zeros((*batch, e.channels), states.dtype)
        seen = task.kernels.observe(*given, noise)
        q, v = seen[..., : e.plant.nq], seen[..., e.plant.nq : e.plant.nq + e.plant.nv]
        u = u if e.hold else seen[..., e.plant.nq + e.plant.nv :]
    found = {"q": q, "v": v, "x": now.x if e.plant.nx else None, "u": None, "memory": {}}
    return found if e.controller is None else found | {"u": u, "memory": unpacked(now.m, e.controller.memory)}


def _statuses(codes: np.ndarray, ends: np.ndarray, interrupted: bool, last: float) -> list[Status]:
    """What became of every sample; where its numbers went wrong is not looked for."""
    found = [COMPLETED] * len(codes)
    for i in np.flatnonzero(codes != status.RUNNING).tolist():
        found[i] = replace(Status.of(codes[i]), time=float(ends[i]))
    for i in np.flatnonzero((codes == status.RUNNING) & (ends < last)).tolist() if interrupted else ():
        found[i] = Status("interrupted", float(ends[i]))
    return found
