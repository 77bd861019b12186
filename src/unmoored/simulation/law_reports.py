"""What the law of a run tells of itself: goals, forces that were wanted and not given, estimates. `Run` inherits it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..model import ModelError
from ..sensing.estimated import Estimate, estimate_in
from .estimated_position import EstimatedPosition, estimated_position
from .run_goals import EstimateErrors, RecordedGoal, recorded_estimate_errors, recorded_goals

if TYPE_CHECKING:
    from .run import Run


class LawReports:
    """The properties of `Run` that come from its law: from what it kept at each control period, and what it wants."""

    memory: Mapping[str, np.ndarray]

    @property
    def unallocated(self) -> np.ndarray:
        """Forces ([S,] T, nv) along the DoFs that an `Allocated` law wanted and its actuators could not give.

        As of the last control period; there must be one (`control_step`).
        """
        return self._summed("unallocated", "an Allocated law")

    @property
    def wanted_forces(self) -> np.ndarray:
        """Forces ([S,] T, nv) along the DoFs that the law inside `Allocated` wanted of the actuators.

        As of the last control period; there must be one (`control_step`).
        """
        return self._summed("wanted", "an Allocated law")

    @property
    def unsolved(self) -> np.ndarray:
        """How many control periods ([S,] T) so far had no optimum: `TaskPriority` and `Allocated` gave what they had.

        As of the last control period; there must be one (`control_step`).
        """
        return self._summed("unsolved", "TaskPriority or Allocated")

    @property
    def estimate(self) -> Estimate:
        """What the filter of an `Estimated` law estimated: `.q ([S,] T, nq)`, `.v ([S,] T, nv)`, `.covariance`.

        As of the last control period. The truth is in `q` and `v`.
        """
        found = estimate_in(self.memory)
        if found is None:
            expected = "a run with an Estimated law: um.Estimated(filter, law)"
            raise ModelError.single("Run", "estimate", expected=expected, given="none was kept")
        return found

    @cached_property
    def goals(self) -> dict[str, RecordedGoal]:
        """What the law wanted, by name, of a run of one trajectory: targets, and how far off the true state was.

        None where the law tells no goals. A run that was saved without them needs `load_run(..., law=…)`.
        """
        run = self._one("goals")
        return dict(run.kept_goals) if run.kept_goals is not None else recorded_goals(run)

    @cached_property
    def estimate_errors(self) -> EstimateErrors:
        """By how much the filter of an `Estimated` law was off, with its own standard deviations; of one trajectory."""
        run = self._one("estimate_errors")
        found = run.kept_estimate_errors or recorded_estimate_errors(run)
        if found is None:
            expected = "a run with an Estimated law whose filter tells its errors"
            raise ModelError.single("Run", "estimate_errors", expected=expected, given="none was kept")
        return found

    @cached_property
    def estimated_position(self) -> EstimatedPosition | None:
        """Where the filter of an `Estimated` law believes its frame to be, with the covariance in world axes; of one
        trajectory, None if it estimates no position."""
        run, errors = self._one("estimated_position"), self.estimate_errors
        return estimated_position(run.system.tree, self.estimate, errors)

    def _one(self, what: str) -> Run:
        run = cast("Run", self)
        if run.batched:
            expected = f"one trajectory: run.sample(i).{what}"
            raise ModelError.single("Run", what, expected=expected, given=f"{run.samples} samples")
        return run

    def _summed(self, name: str, by: str) -> Any:
        parts = [x for key, x in self.memory.items() if key.rpartition(".")[2] == name]
        if not parts:
            expected = f"a run with {by} and a control_step: what a law keeps is kept by period"
            raise ModelError.single("Run", name, expected=expected, given="neither was kept")
        return sum(parts[1:], parts[0])
