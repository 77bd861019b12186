"""Everything that one run is: what `simulate` makes of its arguments, and what a checkpoint keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..kernels.cuda import device_array
from ..worlds.law_memory import unpacked
from .adaptive import AdaptiveCourse, AdaptiveDrive
from .fixed_steps import Course, Keeper, Schedule, drive
from .noise import Draws
from .provenance import provenance
from .run import Run
from .run_kernels import RunKernels, run_kernels
from .time_step import TimeStep
from .trajectories import RowReader

Way = Course | AdaptiveCourse


@dataclass(frozen=True, eq=False)
class Task:
    """A run before it runs.

    state: initial state vectors (S, n).  params: (S, m).  batched: whether the result has a dimension of samples.
    """

    time_step: TimeStep
    backend: str
    schedule: Schedule
    state: np.ndarray
    params: np.ndarray
    draws: Draws
    batched: bool
    scenario: Mapping[str, Any] | None = None

    @cached_property
    def kernels(self) -> RunKernels:
        """The compiled functions."""
        return run_kernels(self.time_step, self.backend)

    @property
    def adaptive(self) -> bool:
        """Whether each sample chooses its own steps."""
        return self.time_step.tolerances is not None

    @cached_property
    def _adaptive(self) -> AdaptiveDrive:
        return AdaptiveDrive(self.kernels, self.schedule, self.params, self.draws)

    def fresh(self) -> Way:
        """The course before the first step."""
        if self.adaptive:
            return self._adaptive.fresh(self.state.copy())
        return Course(self.state)

    def drive(self, course: Way, progress: bool | None = None, keeper: Keeper | None = None) -> Run:
        """Go on with a course, and make the run of it."""
        if isinstance(course, AdaptiveCourse):
            return self._run(self._adaptive.drive(course, progress, keeper))
        course.state = self._placed(course.state)
        params = self._placed(self.params)
        return self._run(drive(self.kernels, self.schedule, course, params, self.draws, progress, keeper))

    def _run(self, course: Way) -> Run:
        reader = RowReader(self.kernels, self.schedule, self.params, self.draws)
        found = reader.adaptive(course) if isinstance(course, AdaptiveCourse) else reader.fixed(course)
        plant = self.time_step.plant
        p = self.time_step.plant_parameters(self.params)
        run = Run(
            system=plant.system,
            t=found.t,
            q=self._kept(found.q),
            v=self._kept(found.v),
            u=self._kept(found.u),
            x=self._kept(found.x) if plant.nx else None,
            status=found.status,
            lengths=found.lengths,
            memory=self._named(found.m),
            end=dict(
                zip(("t", "q", "v", "x", "u"), (found.end[0], *map(self._kept, found.end[1:5])), strict=True)
            )
            | {"memory": self._named(found.end[5])},
            plant=plant,
            parameters=p if p.shape[-1] else None,
            input_names=plant.input_names,
            state_names=plant.state_names,
            parameter_names=plant.parameter_names,
            scenario=self.scenario,
            provenance=provenance(plant, self.time_step, self.schedule, self.draws, self.backend),
        )
        return run if self.batched else run.sample(0)

    def _kept(self, array: Any) -> Any:
        """Rows in the number format of the run."""
        return None if array is None else array.astype(self.time_step.dtype, copy=False)

    def _named(self, memory: np.ndarray) -> dict[str, np.ndarray]:
        """The law's memory by name."""
        controller = self.time_step.controller
        return {} if controller is None else unpacked(self._kept(memory), controller.memory)

    def _placed(self, array: Any) -> Any:
        """The array in the number format and on the device of the run."""
        if self.backend == "cuda":
            return device_array(np.ascontiguousarray(array, dtype=self.time_step.dtype))
        return np.ascontiguousarray(array, dtype=self.time_step.dtype)
