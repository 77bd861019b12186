"""What is said of a sample whose implicit step was not solved: where its equation is off most, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import status
from .blow_up import joint_of
from .run_kernels import to_host
from .status import Status

if TYPE_CHECKING:
    from .task import Task


def not_converged(task: Task, code: float, t: float, last: np.ndarray, noise: np.ndarray, i: int) -> bool:
    """Whether the iteration failed, maybe beyond all numbers, and not what it iterates: no step is finite then."""
    if code != status.NOT_FINITE:
        return code == status.NOT_SOLVED
    stayed = _again(task, task.kernels.moved, t, 0.0, last, noise, i)
    return bool(np.all(np.abs(stayed) <= status.LARGEST[task.time_step.dtype]))


def unsolved(task: Task, t: float, last: np.ndarray, noise: np.ndarray, i: int) -> Status:
    """What is said of sample i, whose implicit step was not solved: where it is off most, and what to do."""
    e, h = task.time_step, float(task.schedule.span[1])
    off = _again(task, task.kernels.left, t, h, last, noise, i)
    seen, tried = off, h
    # everything is infinite in the end: where does it begin?
    while not np.all(np.isfinite(seen)) and tried > 0.0:
        tried = 0.5 * tried
        seen = _again(task, task.kernels.left, t, tried, last, noise, i)
    worst = int(np.argmax(seen))
    joint = worst < e.plant.nv
    where = joint_of(e.plant.tree, worst) if joint else e.plant.state_names[worst - e.plant.nv]
    finite = np.isfinite(off[worst])
    size = f"is off by {off[worst]:.1e} times its bound" if finite else "diverges"
    reason = f"{e.method} with {e.iterations} iterations in a step of {h:g} s {size}; take a smaller step"
    reason += f", or iterations={2 * e.iterations} if it nearly converges" if finite else ""
    return Status("not_converged", t, f"joint {where}" if joint else f"state {where}", reason)


def _again(
    task: Task, function: Any, t: float, h: float, last: np.ndarray, noise: np.ndarray, i: int
) -> np.ndarray:
    """A function of the step of size h (s) that sample i did not take, unguarded."""
    given = (np.array([t, h]), last, task.params[i], noise)
    return np.asarray(to_host(function(*(a[None].astype(task.time_step.dtype) for a in given))))[0]
