"""Everything that one run is: what `simulate` makes of its arguments, and what a checkpoint keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..kernels.cuda import device, device_array, on_device
from .adaptive import AdaptiveCourse, AdaptiveDrive
from .device_run import device_run
from .fixed_steps import Course, Keeper, Schedule, drive
from .noise import Draws
from .progress import Interrupts
from .run import Run
from .run_kernels import RunKernels, run_kernels
from .time_step import TimeStep
from .trajectories import run_of

Way = Course | AdaptiveCourse


@dataclass(frozen=True, eq=False)
class Task:
    """A run before it runs.

    state: initial state vectors (S, n).  params: (S, m).  batched: whether the result has a dimension of samples.
    on_device: whether results stay on the GPU; state and params may be there then.
    """

    time_step: TimeStep
    backend: str
    schedule: Schedule
    state: np.ndarray
    params: np.ndarray
    draws: Draws
    batched: bool
    scenario: Mapping[str, Any] | None = None
    on_device: bool = False

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
        """Go on with a course, and make the run of it, which a Ctrl-C does not stop."""
        with Interrupts(from_results_on=True):
            if isinstance(course, AdaptiveCourse):
                return run_of(self, self._adaptive.drive(course, progress, keeper))
            course.state = self._placed(course.state)
            params = self._placed(self.params)
            done = drive(
                self.kernels, self.schedule, course, params, self.draws, progress, keeper, self.on_device
            )
            return device_run(self, done, params) if self.on_device else run_of(self, done)

    def _placed(self, array: Any) -> Any:
        """The array in the number format and on the device of the run."""
        if self.backend == "cuda":
            if not on_device(array):
                return device_array(np.ascontiguousarray(array, dtype=self.time_step.dtype))
            return device.cupy().ascontiguousarray(array, dtype=self.time_step.dtype)
        return np.ascontiguousarray(array, dtype=self.time_step.dtype)
