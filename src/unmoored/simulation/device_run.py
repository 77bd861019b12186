"""A run whose arrays stay on the GPU: only codes and counts of the samples come to the host."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.cuda.device import cupy
from . import status
from .fixed_steps import Course
from .provenance import provenance
from .run import Run
from .run_kernels import to_host
from .status import COMPLETED, Status
from .trajectories import parts

if TYPE_CHECKING:
    from .task import Task


def device_run(task: Task, course: Course, params: Any) -> Run:
    """The run of a course, q, v, x, u and memory as CuPy arrays; rows beyond a sample's end are NaN."""
    e, schedule, plant, xp = task.time_step, task.schedule, task.time_step.plant, cupy()
    rows = course.all_rows()
    now = e.layout.split(course.state)
    codes, counts = (np.asarray(to_host(part))[:, 0].astype(float) for part in (now.code, now.count))
    row_steps = schedule.row_steps[: rows.shape[1]]
    done = counts.min() == schedule.steps
    lengths = (
        np.full(len(counts), rows.shape[1]) if done else np.searchsorted(row_steps, counts, side="right")
    )
    times, ends = schedule.times[: rows.shape[1]], schedule.span[0] + counts * schedule.span[1]
    if not done:
        gone = np.arange(rows.shape[1]) >= lengths[:, None]
        rows = xp.where(xp.asarray(gone)[..., None], np.nan, rows).astype(rows.dtype)
    noise = xp.zeros((len(ends), e.channels), e.dtype)
    end = task.kernels.rows(xp.asarray(ends.astype(e.dtype))[:, None], course.state, params, noise)
    p = to_host(e.plant_parameters(task.params))
    run = Run(
        system=plant.system,
        t=times,
        **parts(task, rows),
        status=tuple(_statuses(codes, ends, course.interrupted)),
        lengths=lengths,
        end={"t": ends, **parts(task, end)},
        plant=plant,
        parameters=p if p.shape[-1] else None,
        parameter_names=plant.parameter_names,
        input_names=plant.input_names,
        state_names=plant.state_names,
        scenario=task.scenario,
        law=None if task.time_step.controller is None else task.time_step.controller.law,
        provenance=provenance(plant, e, schedule, task.draws, task.backend),
    )
    return run if task.batched else run.sample(0)


def _statuses(codes: np.ndarray, ends: np.ndarray, interrupted: bool) -> list[Status]:
    """What became of every sample; where its numbers went wrong is not looked for."""
    found = [COMPLETED] * len(codes)
    for i in np.flatnonzero(codes != status.RUNNING).tolist():
        found[i] = replace(Status.of(codes[i]), time=float(ends[i]))
    for i in np.flatnonzero(codes == status.RUNNING).tolist() if interrupted else ():
        found[i] = Status("interrupted", float(ends[i]))
    return found
