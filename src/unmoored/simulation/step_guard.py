"""What becomes of a sample after a step: it goes on, or stops before a step that is no good or meets an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..integrators import State
from ..lie.arrays import join
from ..trace import equal, where
from . import status
from .state_vector import Carried, all_within, chosen, column

if TYPE_CHECKING:
    from .time_step import TimeStep


def guarded(
    e: TimeStep, t: Any, h: Any, now: Carried, new: State, left: np.ndarray, params: np.ndarray
) -> np.ndarray:
    """The state vector (..., n) after a step of size h (...) [s] that ends at `new`: a sample goes there if it is good.

    left: what a step leaves of its equations, those of closures last, as parts of what may be left.
    """
    largest = status.LARGEST[e.dtype]
    finite = all_within(join([part for part in new if part.shape[-1]]), largest)
    running = equal(now.code[..., 0], status.RUNNING)
    rows, solved = sum(closure.rows for closure in e.plant.closures), status.RUNNING
    if left.shape[-1] > rows:
        solved = where(all_within(left, 1.0), status.RUNNING, status.NOT_SOLVED)
    if rows:
        solved = where(all_within(left[..., -rows:], 1.0), solved, status.NOT_CLOSED)
    code = where(finite, solved, status.NOT_FINITE)
    g = now.g
    if e.events:
        g = e.event_values(t + h, new.q, new.w, params)
        # the first that is hit counts; of those that switch something the first of all in time is found later
        for i, event in sorted(enumerate(e.events), key=lambda item: not item[1].then):
            hit = event.crossed(now.g[..., i], g[..., i]) & equal(code, status.RUNNING)
            code = where(hit, status.FIRST_EVENT + i, code)
            number = equal(g[..., i], g[..., i]) | ~equal(code, status.RUNNING)
            code = where(number, code, status.NO_NUMBER - i)
    going = running & equal(code, status.RUNNING)
    after = now._replace(q=new.q, w=new.w, x=new.x, g=g, count=now.count + 1.0)

    def kept(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return b if a is b else chosen(going, a, b)

    found = Carried(*map(kept, after, now))
    return e.layout.join(found._replace(code=column(where(running, code, now.code[..., 0]))))
