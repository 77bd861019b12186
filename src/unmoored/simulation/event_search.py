"""Where in a step an event lies: the step is taken again with smaller and smaller sizes around the zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from . import status
from .run_kernels import RunKernels, to_host

if TYPE_CHECKING:
    from .fixed_steps import Schedule

#: states and values of events after steps of these sizes
_Tried = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
#: tries by regula falsi; a bracket that is not short enough then is halved until it is
_QUICK = 20
#: the zero lies in a stretch this short, relative to the step
_RESOLUTION = 1e-13


def locate(
    kernels: RunKernels,
    schedule: Schedule,
    t: np.ndarray,
    states: np.ndarray,
    params: np.ndarray,
    noise: np.ndarray,
    there: Mapping[int, float],
) -> tuple[np.ndarray, np.ndarray]:
    """(times (S,), states (S, n)) with samples that an event stopped moved on to just behind its zero.

    there: times of samples that are at their end already, inside a step.
    A root of g over the size of the last step, by regula falsi (Illinois): as accurate as the method itself.
    """
    layout = kernels.time_step.layout
    codes = layout.split(states).code[:, 0]
    t = t.copy()
    for i, time in there.items():
        t[i] = time
    hit = np.setdiff1d(np.flatnonzero(codes >= status.FIRST_EVENT), list(there))
    if not hit.size:
        return t, states
    which = (codes[hit] - status.FIRST_EVENT).astype(int)
    states = states.copy()

    def tried(h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        moved, values = tried_steps(kernels, t[hit], h, states[hit], params[hit], noise[hit])
        return moved, values[np.arange(len(h)), which]

    h = root(tried, layout.split(states).g[hit, which], np.full(hit.size, schedule.span[1]))
    moved, _ = tried(h)
    t[hit] += h
    states[hit, : moved.shape[1]] = moved
    return t, states


def tried_steps(
    kernels: RunKernels,
    t: np.ndarray,
    h: np.ndarray,
    states: np.ndarray,
    params: np.ndarray,
    noise: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """((q, w, x) (S, n), g (S, events)) after steps of sizes h (S,) from times t (S,)."""
    layout, dtype = kernels.time_step.layout, kernels.time_step.dtype
    arrays = (np.column_stack([t, h]), states, params, noise)
    moved = np.asarray(to_host(kernels.moved(*(a.astype(dtype) for a in arrays))), dtype=float)
    q, w = moved[:, : layout.nq], moved[:, layout.nq : layout.nq + layout.nw]
    given = ((t + h)[:, None], q, w, params)
    values = to_host(kernels.event_values(*(a.astype(dtype) for a in given)))
    return moved, np.asarray(values, dtype=float)


def root(tried: _Tried, g_low: np.ndarray, step: np.ndarray) -> np.ndarray:
    """The step sizes (S,) at the upper ends of brackets around the zeros.

    A bracket that is short enough stays, however long others take: a sample has the bits that it has alone.
    """
    low: np.ndarray = np.zeros_like(step)
    high: np.ndarray = step.copy()
    g_high: np.ndarray = tried(high)[1]
    before: np.ndarray = np.full(step.shape, -1)
    nearest = 0.5 * _RESOLUTION * step
    for k in count():
        span = high - low
        wide = span > _RESOLUTION * step
        if not np.any(wide):
            break
        with np.errstate(all="ignore"):
            rise = g_high - g_low
            guess = high - g_high * span / rise
        # never on an end itself: a guess beside the end that is the zero brings the other one there
        quick = (guess >= low) & (guess <= high) & (k < _QUICK)
        guess = np.where(quick, np.clip(guess, low + nearest, high - nearest), 0.5 * (low + high))
        g: np.ndarray = tried(guess)[1]
        same: np.ndarray = np.sign(g) == np.sign(g_low)
        # the end that stays twice counts half, so that both ends close in
        share = np.where(same == before, 0.5, 1.0)
        g_high, g_low = np.where(same, share * g_high, g), np.where(same, g, share * g_low)
        low, high = np.where(wide & same, guess, low), np.where(wide & ~same, guess, high)
        before = same
    return high
