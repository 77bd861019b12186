"""Runs with a step size of each sample's own: tried, accepted or halved, with rows by dense output."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..integrators import Rate, State
from ..integrators.step_control import Tolerances, attempt, dense, next_step
from ..integrators.tableau import DORMAND_PRINCE as TABLEAU
from ..lie.arrays import join
from ..trace import maximum
from ..worlds.plants.closed_plant import kept_rows
from . import status
from .event_actions import Happenings
from .event_search import root
from .fixed_steps import Keeper, Schedule
from .noise import Draws
from .progress import Interrupts, ProgressBar
from .run_kernels import Advance, RunKernels
from .state_vector import Layout, column
from .time_step import TimeStep

#: the smallest step, relative to the time; a sample that needs smaller ones has blown up
_SMALLEST = 1e-14


@dataclass
class AdaptiveCourse:
    """How far each sample is: time t (S,), next step h (S,), state (S, n), rates there (S, m), rows (S, T, n), how
    many of them are taken (S,), and the control period that is under way."""

    t: np.ndarray
    h: np.ndarray
    state: np.ndarray
    rates: np.ndarray
    rows: np.ndarray
    taken: np.ndarray
    period: int = -1
    interrupted: bool = False
    happened: Happenings = field(default_factory=Happenings)


class AdaptiveDrive:
    """Takes a course to its end."""

    def __init__(self, kernels: RunKernels, schedule: Schedule, params: np.ndarray, draws: Draws):
        self.steps: Steps = Steps(kernels)
        self.kernels: RunKernels = kernels
        self.schedule: Schedule = schedule
        self.params: np.ndarray = params
        self.draws: Draws = draws
        self.layout: Layout = kernels.time_step.layout
        self.row_times: np.ndarray = schedule.times
        holds = kernels.update is not None
        self.period_steps: int = schedule.update_every if holds else schedule.steps

    def fresh(self, state: np.ndarray) -> AdaptiveCourse:
        """The course before the first step."""
        S, n = state.shape
        t0, h = self.schedule.span
        rows = np.full((S, len(self.row_times), n), np.nan)
        rates = np.zeros((S, self.steps.width))
        return AdaptiveCourse(np.full(S, t0), np.full(S, h), state, rates, rows, np.zeros(S, dtype=int))

    def drive(self, course: AdaptiveCourse, progress: bool | None, keeper: Keeper | None) -> AdaptiveCourse:
        """Run until the end, until all samples have stopped, or until Ctrl-C."""
        plant = self.kernels.time_step.plant
        t0, h = self.schedule.span
        bar = ProgressBar(progress, self.schedule.steps * h, plant.system.name)
        periods = math.ceil(self.schedule.steps / self.period_steps)
        with Interrupts() as interrupts:
            try:
                while not interrupts.noticed and self._turn(course, periods):
                    bar(float(course.t.min()) - t0)
                    if keeper is not None and keeper.due():
                        keeper.keep(course)
            finally:
                bar.close()
            course.interrupted = interrupts.noticed and bool(np.any(self._running(course)))
        if course.interrupted and keeper is not None:
            keeper.keep(course)
        return course

    def _turn(self, course: AdaptiveCourse, periods: int) -> bool:
        """One try for every sample that has not come to the end of the period; whether anything is left to do."""
        end = self._period_end(course.period)
        going = np.flatnonzero(self._running(course) & (course.t < end))
        if not going.size:
            if course.period + 1 >= periods or not np.any(self._running(course)):
                self._final_rows(course)
                return False
            course.period += 1
            self._begin_period(course)
            return True
        self._try(course, going, end)
        return True

    def _period_end(self, period: int) -> float:
        t0, h = self.schedule.span
        return t0 + min((period + 1) * self.period_steps, self.schedule.steps) * h

    def _running(self, course: AdaptiveCourse) -> np.ndarray:
        return self.layout.split(course.state).code[:, 0] == status.RUNNING

    def _noise(self, course: AdaptiveCourse, which: Any) -> np.ndarray:
        """Numbers (S, channels) of the period that is under way, for samples `which` (S,)."""
        return self.draws.periods(course.period, 1)[which, 0]

    def _begin_period(self, course: AdaptiveCourse) -> None:
        """New inputs, the rates with them, and the rows that lie just here."""
        running = np.flatnonzero(self._running(course))
        first = course.period * self.period_steps
        noise = self._noise(course, running)
        params, t = self.params[running], course.t[running, None]
        if self.kernels.update is not None:
            clock = self.schedule.clock(first)
            course.state[running] = self.kernels.update(clock, course.state[running], params, noise)
        course.rates[running] = self.steps.rates(t, course.state[running], params, noise)
        for i in running:
            j = course.taken[i]
            if self.row_times[j] <= course.t[i]:
                course.rows[i, j] = course.state[i]
                course.taken[i] = j + 1

    def _final_rows(self, course: AdaptiveCourse) -> None:
        """The row at the very end, with the inputs that are still held."""
        done = np.flatnonzero(self._running(course) & (course.taken == len(self.row_times) - 1))
        course.rows[done, -1] = course.state[done]
        course.taken[done] += 1

    def _try(self, course: AdaptiveCourse, going: np.ndarray, end: float) -> None:
        left = end - course.t[going]
        h = np.minimum(course.h[going], left)
        last = left - h <= _smallest(end)
        state, params = course.state[going], self.params[going]
        noise = self._noise(course, going)
        clock = np.stack([course.t[going], h], axis=1)
        out = np.asarray(self.steps.attempt(clock, state, course.rates[going], params, noise))
        moving, width = self.steps.moving, self.steps.width
        new, rates = out[:, :moving], out[:, moving : moving + width]
        error, wanted = out[:, moving + width], out[:, moving + width + 1]
        slopes = out[:, moving + width + 2 :]
        good = (error <= 1.0) & np.all(np.abs(new) <= status.LARGEST["float64"], axis=1)
        t_new = np.where(last, end, course.t[going] + h)
        wanted = np.where(np.isfinite(wanted), wanted, 0.2 * h)
        # a step that the period's end cut short says little about how long the next may be
        course.h[going] = np.where(good & (h < course.h[going]), np.maximum(wanted, course.h[going]), wanted)
        self._reject(course, going[~good], error[~good])
        kept = np.flatnonzero(good)
        if kept.size:
            self._accept(course, going[kept], h[kept], t_new[kept], new[kept], rates[kept], slopes[kept], end)

    def _reject(self, course: AdaptiveCourse, which: np.ndarray, error: np.ndarray) -> None:
        small = course.h[which] < _smallest(course.t[which])
        codes = np.where(np.isfinite(error), status.STEP_UNDERFLOW, status.NOT_FINITE)
        course.state[which[small], -2] = codes[small]

    def _accept(
        self, course: AdaptiveCourse, which: np.ndarray, h: np.ndarray, t_new: np.ndarray, new: np.ndarray,
        rates: np.ndarray, slopes: np.ndarray, end: float,
    ) -> None:  # fmt: skip
        state, t = course.state[which], course.t[which]
        moved = state.copy()
        moved[:, : new.shape[1]] = new
        switched = self._find_events(course, which, state, moved, t, h, t_new, slopes)
        self._take_rows(course, which, state, t, h, t_new, slopes, end)
        course.state[which], course.t[which], course.rates[which] = moved, t_new, rates
        if switched:
            own = which[switched]
            noise = self._noise(course, own)
            course.rates[own] = self.steps.rates(
                course.t[own, None], course.state[own], self.params[own], noise
            )

    def _find_events(
        self, course: AdaptiveCourse, which: np.ndarray, state: np.ndarray, moved: np.ndarray, t: np.ndarray,
        h: np.ndarray, t_new: np.ndarray, slopes: np.ndarray,
    ) -> list[int]:  # fmt: skip
        """Stop samples at the first zero of an event in their step, or switch; changes `moved` and `t_new`.

        Returns the places in `which` of those that were switched.
        """
        events, switched = self.kernels.time_step.events, []
        if not events:
            return switched
        before = self.layout.split(state).g
        after = self._event_values(t_new, moved, self.params[which])
        for i in reversed(range(len(events))):
            moved[np.isnan(after[:, i]), -2] = status.NO_NUMBER - i
        bad = np.asarray(np.isnan(after).any(axis=1))
        moved[bad, :-2], t_new[bad] = state[bad, :-2], t[bad]
        self.layout.split(moved).g[...] = np.where(bad[:, None], before, after)
        hits = np.stack([event.crossed(before[:, i], after[:, i]) for i, event in enumerate(events)], axis=1)
        for k in np.flatnonzero(hits.any(axis=1)):
            found = []
            for i in np.flatnonzero(hits[k]).tolist():
                one = slice(k, k + 1)

                def tried(s: np.ndarray, one: slice = one, i: int = i) -> tuple[np.ndarray, np.ndarray]:
                    at = self._at(which[one], state[one], t[one], h[one], s, slopes[one])
                    values = self._event_values(t[one] + s * h[one], at, self.params[which[one]])
                    return at, values[:, i]

                found.append((float(root(tried, before[one, i], np.ones(1))[0]), i, tried))
            s, i, tried = min(found, key=lambda hit: hit[0])
            moved[k] = tried(np.array([s]))[0][0]
            t_new[k] = t[k] + s * h[k]
            if not events[i].then:
                moved[k, -2] = status.FIRST_EVENT + i
                continue
            sample = [which[k]]
            noise = self._noise(course, sample)
            given = (np.array([[t_new[k], 0.0]]), moved[[k]], self.params[sample], noise)
            moved[k] = self.kernels.switched(i)(*given)[0]
            course.happened.events.append((int(which[k]), float(t_new[k]), i))
            switched.append(int(k))
        return switched

    def _event_values(self, t: np.ndarray, state: np.ndarray, params: np.ndarray) -> np.ndarray:
        now = self.layout.split(state)
        return np.asarray(self.kernels.event_values(t[:, None], now.q, now.w, params))

    def _at(
        self,
        which: np.ndarray,
        state: np.ndarray,
        t: np.ndarray,
        h: np.ndarray,
        s: np.ndarray,
        slopes: np.ndarray,
    ) -> np.ndarray:
        """States (S, n) of samples `which` at fractions s (S,) of steps of sizes h (S,) from times t (S,)."""
        at = state.copy()
        found = self.steps.dense(np.stack([t, h, s], axis=1), state, slopes, self.params[which])
        at[:, : self.steps.moving] = found
        return at

    def _take_rows(
        self, course: AdaptiveCourse, which: np.ndarray, state: np.ndarray, t: np.ndarray, h: np.ndarray,
        t_new: np.ndarray, slopes: np.ndarray, end: float,
    ) -> None:  # fmt: skip
        """Rows inside the steps; one at the end of a period waits for the new inputs."""
        times = np.append(self.row_times, np.inf)
        while True:
            due = times[course.taken[which]]
            k = np.flatnonzero((due <= t_new) & (due < end))
            if not k.size:
                return
            s = (due[k] - t[k]) / h[k]
            course.rows[which[k], course.taken[which[k]]] = self._at(
                which[k], state[k], t[k], h[k], s, slopes[k]
            )
            course.taken[which[k]] += 1


def _smallest(t: Any) -> Any:
    """The smallest step (s) at times t (s)."""
    return _SMALLEST * np.maximum(1.0, np.abs(t))


class Steps:
    """`rates`, `attempt` and `dense` of a time step as compiled functions of batches (S, n)."""

    def __init__(self, kernels: RunKernels):
        e = kernels.time_step
        assert e.tolerances is not None
        self.time_step: TimeStep = e
        self.tolerances: Tolerances = e.tolerances
        self.sizes: tuple[int, int, int] = (e.plant.nv, e.plant.nw, e.layout.nx)
        self.width: int = sum(self.sizes)
        self.moving: int = e.layout.nq + e.layout.nw + e.layout.nx
        rest = e.sizes[1:]
        self.rates: Advance = kernels.with_law(self._rates, "adaptive_rates", (1, *rest))
        self.attempt: Advance = kernels.with_law(
            self._attempt, "attempt", (2, rest[0], self.width, *rest[1:])
        )
        slopes = TABLEAU.stages * self.width
        self.dense: Advance = kernels.compiled(self._dense, (3, rest[0], slopes, rest[1]), "dense")

    def _rates(self, t: np.ndarray, state: np.ndarray, params: np.ndarray, noise: np.ndarray) -> np.ndarray:
        now = self.time_step.layout.split(state)
        f = self.time_step.right_hand_side(now, self.time_step.with_switches(now, params), noise)
        return _joined(f(t, State(now.q, now.w, now.x)))

    def _attempt(
        self, clock: np.ndarray, state: np.ndarray, rates: np.ndarray, params: np.ndarray, noise: np.ndarray
    ) -> np.ndarray:
        """(q, w, x, rates, error, next step size, slopes) after a step; clock = (t, h)."""
        e = self.time_step
        now = e.layout.split(state)
        params = e.with_switches(now, params)
        t, h = column(clock[..., 0]), column(clock[..., 1])
        y, first, kept = State(now.q, now.w, now.x), self._split(rates), None
        if e.plant.closures:  # the last step's end was put back on them: the slope there is another one
            first, kept = e.first_slope(clock[..., 0], y, now, params, noise)
        f = e.right_hand_side(now, params, noise, kept)
        tried = attempt(TABLEAU, e.plant.tree, f, t, y, h, first, self.tolerances)
        after, error = tried.state, tried.error
        if kept is not None:
            after, off = e.put_back(clock[..., 0] + clock[..., 1], after, params, kept)
            for i in range(off.shape[-1]):  # what is not closed again was too long a step
                error = maximum(error, off[..., i])
        wanted = next_step(TABLEAU, clock[..., 1], error)
        numbers = [np.asarray(error)[..., None], np.asarray(wanted)[..., None]]
        slopes = [_joined(slope) for slope in tried.slopes]
        return join([_joined(after), _joined(tried.rate), *numbers, *slopes])

    def _dense(
        self, span: np.ndarray, state: np.ndarray, slopes: np.ndarray, params: np.ndarray
    ) -> np.ndarray:
        """(q, w, x) at a fraction of a step, on the closures; span = (t, h, fraction)."""
        e = self.time_step
        now = e.layout.split(state)
        parts = [
            self._split(slopes[..., i * self.width : (i + 1) * self.width]) for i in range(TABLEAU.stages)
        ]
        y = State(now.q, now.w, now.x)
        at = dense(TABLEAU, e.plant.tree, y, parts, column(span[..., 1]), column(span[..., 2]))
        if e.plant.closures:
            params = e.with_switches(now, params)
            kept = kept_rows(e.plant, span[..., 0], now.q, e.plant_arguments(params))
            at, _ = e.put_back(span[..., 0] + span[..., 1] * span[..., 2], at, params, kept)
        return _joined(at)

    def _split(self, rates: np.ndarray) -> Rate:
        nv, nw, _ = self.sizes
        return Rate(rates[..., :nv], rates[..., nv : nv + nw], rates[..., nv + nw :])


def _joined(parts: State | Rate) -> np.ndarray:
    return join([part for part in parts if part.shape[-1]])
