"""Jobs: a number computed from a run, and what it must be for the job to be done (docs/jobs.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from ..control.pose_targets import PoseTarget
from ..model import ModelError, Pose
from ..model.errors import unknown_name
from ..model.field_types import Number
from ..model.names import check_text
from ..model.short_text import short_repr
from ..model.value import Value, frozen_array, replace_arrays
from ..worlds.law_memory import MemoryLayout
from .measured import check_measured, measured
from .metrics import STATISTICS, Windowed

if TYPE_CHECKING:
    from .run import Run

_LONGEST = 2000


@dataclass(frozen=True, eq=False, repr=False)
class Criterion(Value):
    """A job is done if a number of its run is below, or above, a threshold whose source is stated.

    name: what must be so, in words.  channel: what is measured (docs/scenarios.md).  metric: "rms", "peak", "mean",
    "last", "highest", "lowest", "range", "settling_time" or "overshoot" of the channel less the target.
    below, above: the threshold, one of them.  source: where it comes from.
    target: a number or a reference of one coordinate; of .distance and .angle a pose, a trajectory or a frame.
    start, end: window (s), the whole run if None.  band: of settling_time.  unit: of the number, for printing.
    A sample that did not come to the end of the run has not done its job, and neither has a number that is none.
    """

    name: str
    channel: str
    source: str
    metric: str = "peak"
    below: Number = None
    above: Number = None
    target: Annotated[Any, Pose | PoseTarget | Number] = None
    start: Number = None
    end: Number = None
    band: Number = None
    unit: str = ""

    def __post_init__(self) -> None:
        for what in ("name", "channel", "source", "unit"):
            text = getattr(self, what)
            check_text("Criterion", what, text)
            if len(text) > _LONGEST or (not text.strip() and what != "unit"):
                raise ModelError.single(
                    "Criterion", what, expected=f"1 to {_LONGEST} characters", given=repr(text)
                )
        if self.metric not in STATISTICS:
            raise unknown_name(self.name, "metric", self.metric, STATISTICS)
        given = [what for what in ("below", "above") if getattr(self, what) is not None]
        if len(given) != 1:
            words = ", ".join(given) or "none"
            raise ModelError.single(self.name, "threshold", expected="one of below, above", given=words)
        for what in ("below", "above", "start", "end", "band"):
            if (value := getattr(self, what)) is not None:
                replace_arrays(self, **{what: float(frozen_array(value, (), where=self.name, what=what))})

    @property
    def threshold(self) -> float:
        """The number that is not to be passed."""
        return float(self.above if self.below is None else self.below)

    def check(self, plant: Any, memory: MemoryLayout = ()) -> None:
        """Refuse a plant that does not have what is measured."""
        check_measured(plant.tree, self.channel, self.target, plant, plant.input_names, memory)

    def verdict(self, run: Run) -> Verdict:
        """The number of the run, and whether it is good."""
        values = measured(run, self.channel, self.target)
        number = Windowed(run, values, self.start, self.end).statistic(self.metric, self.band)
        good = np.less(number, self.below) if self.above is None else np.greater(number, self.above)
        ended = np.array([status.kind == "completed" for status in run.status])
        return Verdict(self, number, good & ended if run.batched else bool(good and ended[0]))


@dataclass(frozen=True, eq=False)
class Verdict:
    """number ([S]): what a criterion asks for, of every sample.  passed ([S]): whether it is good."""

    __repr__ = short_repr

    criterion: Criterion
    number: Any
    passed: Any

    def __bool__(self) -> bool:
        return bool(np.all(self.passed))

    @property
    def worst(self) -> float:
        """The number farthest on the wrong side, NaN if one of the samples has none."""
        numbers = np.atleast_1d(self.number)
        return float(numbers.max() if self.criterion.above is None else numbers.min())

    def __str__(self) -> str:
        c = self.criterion
        unit = f" {c.unit}" if c.unit else ""
        sign = "<" if c.above is None else ">"
        many = ""
        if np.ndim(self.passed):
            many = f" ({int(np.sum(self.passed))} of {len(self.passed)} samples)"
        verdict = "PASS" if self else "FAIL"
        return f"{verdict} {c.name}: {self.worst:.4g}{unit}, must be {sign} {c.threshold:.4g}{unit}{many}"


def judge(run: Run, criteria: Iterable[Criterion]) -> tuple[Verdict, ...]:
    """Verdicts of all criteria on a run."""
    given = tuple(criteria)
    for criterion in given:
        if not isinstance(criterion, Criterion):
            raise ModelError.single("judge", "criteria", expected="um.Criterion", given=repr(criterion))
    return tuple(criterion.verdict(run) for criterion in given)
