"""Events that switch something: the sample is taken to the event, switched, and on to the end of the chunk.

The kernel stops a sample before a step in which an event happens, at no cost to the others. Here the first event of the
step is found, the sample moved to it, switched, and taken through the rest of the step; then the kernel goes on with
all samples that stopped before the same step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from . import status
from .event_search import root, tried_steps
from .run_kernels import RunKernels, to_host

#: more events of one sample in one step have no end
_MOST = 50
#: what is left of a step, relative to it, that is not taken any more
_NOTHING = 1e-12


class Happened(NamedTuple):
    """An event: number of the sample, time (s), name."""

    sample: int
    time: float
    name: str


@dataclass
class Happenings:
    """What happened so far: (sample, time, number of the event), and when samples stopped inside a step."""

    events: list[tuple[int, float, int]] = field(default_factory=list)
    stopped: dict[int, float] = field(default_factory=dict)


def switching(kernels: RunKernels, state: np.ndarray) -> np.ndarray:
    """Numbers of the samples that an event with actions stopped."""
    codes = state[:, -2] - status.FIRST_EVENT
    acts = [k for k, event in enumerate(kernels.time_step.events) if event.then]
    return np.flatnonzero(np.isin(codes, acts))


def go_on(
    kernels: RunKernels,
    span: np.ndarray,
    state: np.ndarray,
    params: np.ndarray,
    noise_at: Callable[[np.ndarray, int], np.ndarray],
    advance: Callable[[np.ndarray, int], None],
    happened: Happenings,
    last: int,
) -> None:
    """Take every sample that stopped for a switch to the end of the chunk; `state` (S, n) is changed.

    span: (t0, h).  noise_at(samples, k): noise of step k.  advance(samples, k): take samples from step k to `last`, in
    `state`.  last: the step after the chunk.
    """
    while (which := switching(kernels, state)).size:
        steps = state[which, -1].astype(int)
        for k in np.unique(steps).tolist():
            own = which[steps == k]
            for i in own.tolist():
                one = np.array([i])
                _through(kernels, span, k, state, params, noise_at(one, k), i, happened)
            going = own[state[own, -2] == status.RUNNING]
            if k + 1 < last and going.size:
                advance(going, k + 1)


def _through(
    kernels: RunKernels, span: np.ndarray, k: int, state: np.ndarray, params: np.ndarray, noise: np.ndarray, i: int,
    happened: Happenings,
) -> None:  # fmt: skip
    """Sample i through step k, with all that happens in it."""
    t, end, h = span[0] + k * span[1], span[0] + (k + 1) * span[1], span[1]
    one, dtype, layout = slice(i, i + 1), kernels.time_step.dtype, kernels.time_step.layout
    for _ in range(_MOST):
        which, size = _first(kernels, t, end - t, state[one], params[one], noise)
        moved, _ = tried_steps(kernels, np.array([t]), np.array([size]), state[one], params[one], noise)
        t = t + size
        state[one, : moved.shape[1]] = moved
        if not kernels.time_step.events[which].then:
            state[i, -2] = status.FIRST_EVENT + which
            happened.stopped[i] = t
            return
        happened.events.append((i, float(t), which))
        given = (np.array([[t, 0.0]]), state[one], params[one], noise)
        state[one] = to_host(kernels.switched(which)(*(np.asarray(a).astype(dtype) for a in given)))
        if end - t <= _NOTHING * h:
            state[i, -1] += 1.0
            return
        given = (np.array([[t, end - t]]), state[one], params[one], noise)
        state[one] = to_host(kernels.step(*(np.asarray(a).astype(dtype) for a in given)))
        if state[i, -2] < status.FIRST_EVENT:
            if state[i, -2] != status.RUNNING:
                happened.stopped[i] = t
            return
    state[i, -2] = status.NO_END
    happened.stopped[i] = t
    assert layout.switches


def _first(
    kernels: RunKernels, t: float, h: float, state: np.ndarray, params: np.ndarray, noise: np.ndarray
) -> tuple[int, float]:
    """(number of the event, time (s) after t) of the first event in a step of one sample, state (1, n)."""
    events, before = kernels.time_step.events, kernels.time_step.layout.split(state).g
    times, size = np.array([t]), np.array([h])
    _, after = tried_steps(kernels, times, size, state, params, noise)
    found = []
    for i, event in enumerate(events):
        if event.crossed(before[:, i], after[:, i])[0]:

            def tried(step: np.ndarray, i: int = i) -> tuple[np.ndarray, np.ndarray]:
                moved, values = tried_steps(kernels, times, step, state, params, noise)
                return moved, values[:, i]

            found.append((float(root(tried, before[:, i], size)[0]), i))
    if not found:  # rounding: the kernel saw it at the very end
        return int(state[0, -2] - status.FIRST_EVENT), h
    size_found, which = min(found)
    return which, size_found


def told(happened: Any, names: list[str]) -> tuple[Happened, ...]:
    """Events (sample, time, number), in the order of samples and times, with their names."""
    return tuple(Happened(i, t, names[k]) for i, t, k in sorted(happened))
