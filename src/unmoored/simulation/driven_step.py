"""One step of a plant driven from outside: inputs come with every control period, each sample has its own time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..lie.arrays import join, vector
from ..trace import Part, equal, where
from . import status
from .run_kernels import RunKernels
from .state_vector import Layout, all_within, chosen, column
from .time_step import TimeStep

#: a step that is driven has no noise of its own
_NO_NOISE = np.zeros(0)
_time = Part(lambda start, count, h: start + count * h, "time_of_sample", as_written=True)


@dataclass(frozen=True, eq=False)
class DrivenStep(TimeStep):
    """A `TimeStep` whose inputs are those given for the control period, and what a law adds to them if there is one.

    Parameters of a sample: the plant's, the law's gains, the sensors' numbers, the addresses of tables, the time at its
    start. Its time is that start and its own count of steps times their size, rounded as the time of a run is. Sensors
    are read at the end of a control period, for whoever decides on the next one.
    """

    hold: bool = True

    @cached_property
    def layout(self) -> Layout:
        """Where everything is in the state vector; inputs are always held."""
        memory = 0 if self.controller is None else self.controller.remembers
        plant = self.plant
        return Layout(plant.nq, plant.nw, plant.nx, plant.nu, memory, 0, *self.sensing_sizes)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Lengths of clock, state, parameters (plant's, gains, addresses, start), inputs."""
        count = len(self.plant.nominal_parameters) + self.gains + sum(self.addresses) + 1
        return 2, self.layout.size, count, self.plant.nu

    def moved_on(self, h: Any, state: np.ndarray, params: np.ndarray) -> tuple[np.ndarray, Any]:
        """The state vector, its time at the end, after a step of size h (s), and why the sample stopped (0: not)."""
        after = self.step(vector([state[..., -1], h]), state[..., :-1], params[..., :-1], _NO_NOISE)
        now = self.layout.split(after)
        t = _time(params[..., -1], now.count[..., 0], h)
        return join([after, column(t)]), now.code[..., 0]

    def given(self, state: np.ndarray, params: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The state vector at the start of a control period with inputs u (nu,); if not finite, they stop it."""
        t, now = state[..., -1], self.layout.split(state[..., :-1])
        memory, total = now.m, u
        if self.controller is not None:
            q, v = self.seen(t, now.q, now.w, params[..., :-1])
            own, memory = self.inputs(t, q, v, now, params[..., :-1], _NO_NOISE)
            total = u + own
        code = now.code[..., 0]
        running = equal(code, status.RUNNING)
        everything = join([total, memory]) if self.layout.memory else total
        fine = all_within(everything, status.LARGEST[self.dtype]) & running
        bad = where(fine, code, where(running, status.NOT_FINITE, code))
        parts = {"u": chosen(fine, total, now.u), "m": chosen(fine, memory, now.m)}
        return join([self.layout.join(now._replace(**parts, code=column(bad))), column(t)])

    def measured(self, state: np.ndarray, params: np.ndarray, normals: np.ndarray) -> np.ndarray:
        """The state vector with what the sensors read now; of a sample that has stopped nothing changes."""
        t, now = state[..., -1], self.layout.split(state[..., :-1])
        q, v = self.seen(t, now.q, now.w, params[..., :-1])
        after = self.sensed(t, q, v, now, params[..., :-1], normals)
        code = now.code[..., 0]
        running = equal(code, status.RUNNING)
        finite = all_within(join([after.y, after.z]), status.LARGEST[self.dtype])
        bad = where(finite, code, where(running, status.NOT_FINITE, code))
        fine = finite & running
        parts = {"y": chosen(fine, after.y, now.y), "z": chosen(fine, after.z, now.z)}
        return join([self.layout.join(now._replace(**parts, code=column(bad))), column(t)])


def measuring(kernels: RunKernels) -> Any:
    """`DrivenStep.measured` as a kernel of states (S, n), parameters and normals."""
    e = kernels.time_step
    assert isinstance(e, DrivenStep)
    _, state, parameters, _ = e.sizes
    return kernels.compiled(e.measured, (state + 1, parameters, e.channels), "measured")


def driven_loop(kernels: RunKernels, samples: int) -> Any:
    """The loop over the steps of a control period as one kernel; the last entry of a sample's state is its time."""
    e = kernels.time_step
    assert isinstance(e, DrivenStep)
    _, state, parameters, inputs = e.sizes
    return kernels.loop_of(
        "driven_loop",
        samples,
        lambda t, h, y, p, u: e.moved_on(h, y, p),
        lambda t, y, p, u: y[:1],
        lambda t, y, p, u: e.given(y, p, u),
        (state + 1, parameters, inputs),
    )
